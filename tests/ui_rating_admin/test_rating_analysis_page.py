"""The analysis page says what the command line says, and shows people's words as words."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from rating_people import rate_all

from vlmexplain.cli import main
from vlmexplain.ratings.exchange.export_files import export_bytes
from vlmexplain.ratings.exchange.export_rows import session_data

VIEWS = ("answers", "classes", "agreement", "metrics", "alternatives")


def analysed(session: str, home: Path, monkeypatch: Any, capsys: Any) -> dict[str, Any]:
    """What ``vlmexplain rating analyse --json`` prints."""
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(home))
    capsys.readouterr()
    assert main(["rating", "analyse", session, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def number(figure: dict[str, Any], unit: str = "number") -> str:
    if figure["value"] is None:
        return "n/a"
    return f"{100 * figure['value']:.2f} %" if unit == "share" else f"{figure['value']:.3f}"


def rows_of(shown: str) -> list[list[str]]:
    """The cells of every table row, as a reader sees them."""
    return [
        [html.unescape(re.sub("<[^>]+>", "", cell)).strip() for cell in re.findall(
            r"<td[^>]*>(.*?)</td>", row, re.DOTALL)]
        for row in re.findall(r"<tr>(.*?)</tr>", shown, re.DOTALL)
    ]  # fmt: skip


def tiles_of(shown: str) -> dict[str, tuple[str, str]]:
    """Value and n of every tile, by its name."""
    found = re.findall(
        r'<div class="k">(.*?)</div><div class="v">(.*?)</div><div class="n">(.*?)</div>', shown
    )
    return {html.unescape(k): (re.sub("<[^>]+>", "", v), n) for k, v, n in found}


def interval(alpha: dict[str, Any]) -> list[str]:
    if alpha["value"] is None:
        return ["n/a", "", alpha["undefined_because"]]
    if alpha["low"] is None:
        because = alpha["interval_undefined_because"]
        return [f"{alpha['value']:.3f}", "n/a", f"n = {alpha['n']}; {because}"]
    low, high = alpha["low"], alpha["high"]
    return [f"{alpha['value']:.3f}", f"{low:.3f} to {high:.3f}", f"n = {alpha['n']}"]


def test_figures_are_those_of_the_command_line(
    draw: Any, said_of: Any, rating_world: Any, monkeypatch: Any, capsys: Any
) -> None:
    session = rating_world.rated.id
    known = analysed(session, rating_world.home, monkeypatch, capsys)
    shown = {view: said_of(draw("rating_analysis", session=session, view=view)) for view in VIEWS}
    labels = known["class_labels"]
    ratings = known["ratings"]
    tiles = tiles_of(shown["answers"])
    for name, key in (("Mean rating", "mean"), ("Median rating", "median"),
                      ("Mean of the items' means", "mean_of_items"),
                      ("Standard deviation", "spread")):  # fmt: skip
        assert tiles[name] == (number(ratings[key]), f"n = {ratings[key]['n']}")
    for name, key in (("Median", "median"), ("Mean", "mean"), ("Lower quartile", "quartile_low"),
                      ("Upper quartile", "quartile_high")):  # fmt: skip
        assert tiles[name][0] == number(known["time"][key])
    answers = rows_of(shown["answers"])
    for key, mean in ratings["mean_by_class"].items():
        assert [labels[key], number(mean), str(mean["n"])] in answers
    classes = rows_of(shown["classes"])
    for one in known["class_frequencies"]:
        assert [labels[one["key"]], number(one["share_of_answers"], "share"),
                *(str(one[n]) for n in ("n_answers", "n_items_any", "n_items_most",
                                        "n_items_tied"))] in classes  # fmt: skip
    for one in known["class_counts"]:
        marked = number(one["share_of_marked"], "share") if one["n_classes"] else "–"
        assert [str(one["n_classes"]), str(one["n_answers"]), number(one["share"], "share"),
                marked] in classes  # fmt: skip
    assert known["rules"]
    for rule in known["rules"]:
        assert [labels[rule["if_class"]], labels[rule["then_class"]], str(rule["n_both"]),
                number(rule["support"], "share"), number(rule["confidence"], "share"),
                str(rule["n_if"]), number(rule["lift"])] in classes  # fmt: skip
    agreement = rows_of(shown["agreement"])
    assert ["Rating", "ordinal", *interval(known["agreement"]["rating"])] in agreement
    for key, alpha in known["agreement"]["by_class"].items():
        assert [labels[key], "nominal", *interval(alpha)] in agreement
    same = known["consistency"]
    assert f"{same['n_pairs']} items answered twice" in shown["agreement"] and same["n_pairs"]
    assert ["Same rating", number(same["same_rating"], "share"),
            f"n = {same['same_rating']['n']}"] in agreement  # fmt: skip
    metrics = rows_of(shown["metrics"])
    assert {"ca", "ncs", "ce", "sd", "rank_1based", "score_retrieved"} <= {
        one["key"] for one in known["correlations"]
    }
    for one in known["correlations"]:
        rho = "n/a" if one["rho"] is None else f"{one['rho']:.3f}"
        wanted = [rho, str(one["n"]), str(one["n_undefined"])]
        assert any([row[1], *row[3:]] == wanted for row in metrics if len(row) == 5)
    first = known["correlations"][0]["key"]
    assert first == "ca"
    for one in known["disagreements"]:
        if one["key"] == first:
            row = [one["query"], f"{one['mean_rating']:.2f} ({one['n_ratings']})",
                   f"{one['value']:.3f}", f"{one['people']:.2f}", f"{one['metric']:.2f}",
                   f"{one['difference']:+.2f}"]  # fmt: skip
            assert row in metrics
    assert number(known["alternatives"]["share_by_most"], "share") in shown["alternatives"]
    assert shown["alternatives"].count("<article>") == len(known["alternatives"]["items"]) > 0
    assert "<img src=" in shown["alternatives"]


def test_a_choice_is_counted_as_the_command_line_does(
    draw: Any, said_of: Any, rating_world: Any, monkeypatch: Any, capsys: Any
) -> None:
    known = analysed(rating_world.chosen.id, rating_world.home, monkeypatch, capsys)["preference"]
    found = rows_of(said_of(draw("rating_analysis", session=rating_world.chosen.id)))
    assert ["Answers for the run", str(known["n_retrieved"]), "", ""] in found
    assert ["Items tied", str(known["items_tied"]), "", ""] in found
    share = ["Share for the run, of those that choose one", *interval(known["share_retrieved"])]
    assert share in found
    metrics = said_of(draw("rating_analysis", session=rating_world.chosen.id, view="metrics"))
    assert "not set against single metrics" in metrics


def test_charts_have_titled_axes_and_counts(draw: Any, rating_world: Any) -> None:
    n = 0
    for view in ("answers", "classes", "metrics"):
        app = draw("rating_analysis", session=rating_world.rated.id, view=view)
        for chart in app.get("plotly_chart"):
            layout = json.loads(chart.proto.spec)["layout"]
            titles = [layout[axis]["title"]["text"] for axis in ("xaxis", "yaxis")]
            assert all(titles) and "n = " in " ".join(titles)
            n += 1
    assert n == 3


def test_disagreements_open_on_the_explore_page(draw: Any, said_of: Any, rating_world: Any) -> None:
    from vlmexplain.ui.shared.explore_address import EXPLORE

    shown = said_of(draw("rating_analysis", session=rating_world.rated.id, view="metrics"))
    links = [html.unescape(link) for link in re.findall(r'href="(\./\?[^"]+)"', shown)]
    assert links
    for link in links:
        address, problems = EXPLORE.read(
            {key: value[0] for key, value in parse_qs(urlsplit(link).query).items()}
        )
        assert not problems and address.query is not None
        assert rating_world.gallery_id.startswith(address.gallery)
        assert rating_world.runs[0].startswith(address.run)


@pytest.mark.parametrize("page", ["ratings", "rating_analysis"])
def test_names_comments_and_labels_are_words(
    draw: Any, said_of: Any, rating_world: Any, page: str
) -> None:
    for view in VIEWS if page == "rating_analysis" else ("",):
        shown = said_of(draw(page, session=rating_world.rated.id, view=view))
        assert "<script" not in shown and 'onerror="' not in shown and "<b>Rated" not in shown
        assert "&lt;b&gt;Rated&lt;/b&gt; $1$" in shown
        names = "**Zoë** :balloon: $x$" in shown
        assert names == (page == "ratings"), "the analysis goes without names"


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_an_uploaded_export_has_the_same_analysis(
    rating_world: Any, rating_store: Any, kind: Any
) -> None:
    from vlmexplain.ratings.organiser.watch import revision
    from vlmexplain.ui.pages.rating_admin.analysis_page import of_file, of_session

    session = rating_world.rated.id
    _, here = of_session(rating_store, session, revision(rating_store, session))
    content = export_bytes(session_data(rating_store, session), kind)
    _, there = of_file(content, f"answers.{kind}")
    assert here == there


def test_an_uploaded_export_is_drawn_with_its_pictures(
    draw: Any, said_of: Any, rating_world: Any, rating_store: Any, monkeypatch: Any
) -> None:
    from vlmexplain.ui.pages.rating_admin import analysis_page

    content = export_bytes(session_data(rating_store, rating_world.rated.id), "jsonl")
    source = analysis_page.Source(None, content, "answers.jsonl")
    monkeypatch.setattr(analysis_page, "_choose", lambda sessions: source)
    shown = said_of(draw("rating_analysis", view="alternatives"))
    assert "answers of 3 raters" in shown and "<img src=" in shown


def test_a_file_that_is_no_export_is_told(draw: Any, said_of: Any, monkeypatch: Any) -> None:
    from vlmexplain.ui.pages.rating_admin import analysis_page

    source = analysis_page.Source(None, b"a,b\r\n1,2\r\n", "answers.csv")
    monkeypatch.setattr(analysis_page, "_choose", lambda sessions: source)
    assert "is missing" in said_of(draw("rating_analysis"))


def test_new_answers_are_seen_at_the_next_refresh(
    draw: Any, said_of: Any, rating_world: Any, rating_store: Any
) -> None:
    from vlmexplain.ratings.organiser.sessions import change_state, create_session
    from vlmexplain.ratings.plan.items import RatingItem
    from vlmexplain.ratings.plan.spec import SessionSpec

    made = create_session(
        rating_store, SessionSpec("Live"), [RatingItem(0, "one", 0, 1), RatingItem(1, "two", 1, 2)]
    )
    change_state(rating_store, made.id, "open")
    app = draw("rating_analysis", session=made.id)
    assert "0 answers of 0 raters" in said_of(app)
    assert tiles_of(said_of(app))["Mean rating"] == ("n/a", "no answers with a rating")
    rate_all(rating_store, made, "Anna")
    assert "2 answers of 1 raters" in said_of(app.run())
    alpha = rows_of(said_of(draw("rating_analysis", session=made.id, view="agreement")))
    assert ["Rating", "ordinal", "n/a", "", "fewer than two raters"] in alpha
