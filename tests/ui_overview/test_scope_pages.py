"""Slices, marks and the lists behind numbers, as Streamlit draws the whole-model pages."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from homes import at_home, new_home
from streamlit.testing.v1 import AppTest

sys.path.insert(0, str(Path(__file__).parents[1] / "ui"))

from ui_world import write_world

from vlmexplain.lgip.result import list_lgip
from vlmexplain.overview.behind import figure_queries
from vlmexplain.overview.comparison import compare_runs
from vlmexplain.overview.concept_errors import missed_concepts
from vlmexplain.overview.figures import run_figures
from vlmexplain.overview.gallery_facts import gallery_facts
from vlmexplain.overview.run_columns import read_columns
from vlmexplain.overview.saved_slices import delete_slice, list_slices, save_slice
from vlmexplain.overview.slices import Slice, chosen_rows
from vlmexplain.wording.words import value_text

DOGS = Slice(concept="dog.n.01")
NAME = "<b>dogs</b> $5$ :balloon:"
PAGES = {
    "overview": "vlmexplain.ui.pages.overview.page:overview_page",
    "compare": "vlmexplain.ui.pages.compare.page:compare_page",
    "lgip": "vlmexplain.ui.pages.lgip.page:lgip_page",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A home with the made gallery, two runs and an LGIP result."""
    from vlmexplain.datasets.coco import import_coco
    from vlmexplain.lgip.bulk import run_lgip
    from vlmexplain.scoring.run import run

    folder = tmp_path_factory.mktemp("scope-pages")
    home = new_home(folder / "home")
    with at_home(home):
        gallery = import_coco(**write_world(folder / "world"), name="made")
        runs = [run(gallery, "fake-text"), run(gallery, "fake")]
        run_lgip(gallery, "fake")
        yield home, gallery, runs


@pytest.fixture
def made(world: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(world[0]))
    yield world
    monkeypatch.delenv("VLMEXPLAIN_READONLY", raising=False)
    for each in list_slices(world[1].id):
        delete_slice(world[1].id, each.name)


def open_page(name: str, parameters: dict[str, str]) -> AppTest:
    module, function = PAGES[name].split(":")
    script = f"from {module} import {function}\n{function}()\n"
    app = AppTest.from_string(script, default_timeout=90)
    for key, value in parameters.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception, app.exception
    return app


def said(app: AppTest) -> str:
    return html.unescape("\n".join(e.proto.body for e in app.get("html") if e.proto.body))


def links(page: str) -> list[dict[str, str]]:
    found = re.findall(r'href="(\./(?:overview|compare)\?[^"]+)"', page)
    return [{k: v[0] for k, v in parse_qs(urlsplit(each).query).items()} for each in found]


def n_listed(page: str) -> int:
    if "No query is among them." in page:
        return 0
    return int(re.search(r"\d+–\d+ of ([\d,]+) ", page).group(1).replace(",", ""))  # type: ignore[union-attr]


def parameter(app: AppTest, name: str) -> str | None:
    value = app.query_params.get(name)
    return value[0] if isinstance(value, list) else value


def test_a_slice_is_saved_renamed_and_deleted_on_the_page(made: Any) -> None:
    gallery = made[1]
    app = open_page("overview", {"view": "slices", "concept": "dog.n.01"})
    field = next(f for f in app.text_input if f.key.startswith("slice-name"))
    assert field.value == "dog"
    field.set_value(NAME)
    app.button(key="slice-save").click().run()
    assert [(s.name, s.slice) for s in list_slices(gallery.id)] == [(NAME, DOGS)]
    shown = "\n".join(e.proto.body for e in app.get("html") if e.proto.body)
    assert html.escape(NAME) in shown and "<b>dogs" not in shown
    links_shown = [code.value for code in app.code]
    assert len(links_shown) == 2 and "concept=dog.n.01" in links_shown[0]
    assert "slice=%3Cb%3Edogs" in links_shown[1] and "concept" not in links_shown[1]
    field = next(f for f in app.text_input if f.key.startswith("slice-name"))
    field.set_value("many dogs")
    app.button(key="slice-rename").click().run()
    assert [s.name for s in list_slices(gallery.id)] == ["many dogs"]
    app.button(key="slice-delete").click().run()
    assert list_slices(gallery.id) == ()
    assert parameter(app, "concept") == "dog.n.01"  # the page stays on its slice


def test_both_links_restore_the_slice(made: Any) -> None:
    save_slice(made[1], "dogs", DOGS)
    held = said(open_page("overview", {"view": "slices", "concept": "dog.n.01"}))
    named = said(open_page("overview", {"view": "slices", "slice": "dogs"}))
    for page in (held, named):
        assert "<b>dogs</b> (dog)" in page and "Leave the slice" in page
    rows = re.compile(r'<tr><td><a href="[^"]*"[^>]*>([^<]*)</a></td>.*?</tr>')
    assert rows.findall(held) == rows.findall(named)
    unknown = said(open_page("overview", {"slice": "dogz"}))
    assert "Did you mean 'dogs'" in unknown and "Show all queries" in unknown
    assert "data-figure" not in unknown
    app = open_page("overview", {"view": "slices"})
    app.selectbox(key="open-slice").select("dogs").run()
    assert parameter(app, "concept") == "dog.n.01"


def test_read_only_saves_nothing(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    save_slice(made[1], "dogs", DOGS)
    app = open_page("overview", {"concept": "dog.n.01"})
    monkeypatch.setenv("VLMEXPLAIN_READONLY", "1")
    app.button(key="slice-delete").click().run()  # the button was still enabled
    assert app.button(key="slice-rename").disabled and app.button(key="slice-delete").disabled
    assert [s.name for s in list_slices(made[1].id)] == ["dogs"]
    assert "read-only" in said(app)


def test_slices_are_refined_step_by_step(made: Any) -> None:
    page = said(open_page("overview", {"view": "slices", "concept": "dog.n.01", "kind": "words"}))
    assert "Within dog" in page
    steps = [p for p in links(page) if "words_to" in p or "words_from" in p]
    assert steps and all(p["concept"] == "dog.n.01" for p in steps)


@pytest.mark.parametrize("scope", [{}, {"concept": "dog.n.01"}])
def test_every_figure_opens_the_queries_behind_it(made: Any, scope: dict[str, str]) -> None:
    gallery, (_, run) = made[1], made[2]
    page = said(open_page("overview", {"run": run.key[:12], **scope}))
    if not scope:
        assert all("behind" not in p for p in links(page))  # these open the Explore page
        return
    columns = read_columns(run)
    facts = gallery_facts(gallery)
    rows = chosen_rows(columns, facts, DOGS, {})
    figures = {f.key: f for f in run_figures(columns, rows)}
    asked = {p["behind"].removeprefix("figure:") for p in links(page) if "behind" in p}
    assert {k for k, f in figures.items() if f.value is not None} <= asked
    for key in sorted(figures):
        behind = said(open_page("overview", {"run": run.key[:12], "behind": f"figure:{key}",
                                             **scope}))  # fmt: skip
        assert n_listed(behind) == len(figure_queries(key, columns, rows)), key


def test_a_figure_of_lgip_opens_the_triples_behind_it(made: Any) -> None:
    (result,) = list_lgip(made[1].id)
    page = said(open_page("overview", {"run": made[2][1].key[:12]}))
    figures = result.figures
    expected = {"paraphrases": figures.n_invariance, "flips": figures.sensitivity.count}
    expected |= {kind: own.count for kind, own in figures.by_type.items() if own.count}
    found = re.findall(r'data-figure="lgip_\w+".*?href="\./lgip\?([^"]+)"', page)
    asked = [{k: v[0] for k, v in parse_qs(each).items()} for each in found]
    assert {one["cases"] for one in asked} == set(expected) and len(asked) > len(expected)
    assert {one["lgip"] for one in asked} == {result.key[:12]}
    for one in asked:
        behind = said(open_page("lgip", one))
        lists = re.findall(r"\d+–\d+ of ([\d,]+) ", behind)
        place = 0 if one["cases"] == "paraphrases" else 1
        assert int(lists[place].replace(",", "")) == expected[one["cases"]]
        # the list that is meant, and no other, is where the link scrolls to
        title = ("Worst paraphrases", "Most preferred flips")[place]
        assert re.findall(r'class="vx cases"><h3>([^<]+)<', behind) == [title]


def test_a_list_of_failures_writes_metrics_as_the_explore_page_does(made: Any) -> None:
    run = made[2][1]
    columns = read_columns(run)
    page = said(open_page("overview", {"run": run.key[:12], "behind": "figure:ca"}))
    (first,) = re.findall(r"<tbody><tr>.*?</tr>", page)[:1]
    query = int(figure_queries("ca", columns, np.ones(len(columns), dtype=bool))[0])
    cells = re.findall(r'<td class="r">([^<]*)</td>', first)
    assert cells[1:] == [
        value_text(key, None if np.isnan(value) else float(value))
        for key in ("ca", "ncs", "ce", "sd")
        for value in [columns.column(key)[query]]
    ]


def test_concepts_open_the_failures_behind_them(made: Any) -> None:
    gallery, (_, run) = made[1], made[2]
    where = {"view": "concepts", "run": run.key[:12]}
    app = open_page("overview", where)
    columns, facts = read_columns(run), gallery_facts(gallery)
    missed = missed_concepts(columns, facts, np.ones(len(columns), dtype=bool))
    kinds = {"missed": 0, "miscounted": 0, "confused": 0}
    for parameters in links(said(app)):
        kind, _, name = parameters.get("behind", "").partition(":")
        if kind in kinds:
            kinds[kind] += 1
            n = n_listed(said(open_page("overview", parameters)))
            assert n > 0, parameters
            if kind == "missed":
                assert n == next(each.wrong for each in missed if each.concept == name)
    assert all(kinds.values())
    network = next(e for e in app.get("bidi_component")
                   if e.proto.component_name == "vlmexplain.network")  # fmt: skip
    assert '"count": "' in network.proto.json and "behind=confused" in network.proto.json


@pytest.mark.parametrize("what", ["nothing:x", "figure:caa", "missed:dogs.n.01", "confused:a|b"])
def test_a_list_that_there_is_not_is_said(made: Any, what: str) -> None:
    assert 'class="box error"' in said(open_page("overview", {"behind": what}))


def test_compare_opens_as_many_queries_as_each_number_says(made: Any) -> None:
    a, b = made[2]
    both = {"a": a.key[:12], "b": b.key[:12]}
    found = compare_runs(read_columns(a), read_columns(b))
    page = said(open_page("compare", both))
    numbers = {(d.key, side): n for d in found.differences
               for side, n in (("any", d.n), ("a", d.better_a), ("b", d.better_b),
                               ("equal", d.equal))}  # fmt: skip
    asked = {(p.get("by", "rr"), p["side"]) for p in links(page) if "side" in p}
    assert asked == set(numbers)
    for (key, side), n in numbers.items():
        listed = said(open_page("compare", {**both, "quadrant": "all", "by": key, "side": side}))
        assert n_listed(listed) == n, (key, side)
    for name, n in found.counts.items():
        assert n_listed(said(open_page("compare", {**both, "quadrant": name}))) == n


def test_compare_keeps_to_the_slice_and_leaves_marks_out(made: Any) -> None:
    from vlmexplain.overview.marks import mark

    gallery, (a, b) = made[1], made[2]
    one, other = read_columns(a), read_columns(b)
    rows = chosen_rows(one, gallery_facts(gallery), DOGS, {})
    first = int(np.flatnonzero(rows)[0])
    for parameters, chosen in (({"concept": "dog.n.01"}, rows),
                               ({"marked": "without"}, np.arange(len(rows)) != first)):  # fmt: skip
        if "marked" in parameters:
            mark(gallery, first, "annotation-wrong")
        try:
            page = said(open_page("compare", {"a": a.key[:12], "b": b.key[:12], **parameters}))
        finally:
            mark(gallery, first, None)
        n = sum(compare_runs(one, other, chosen).counts.values())
        assert f"{n:,} queries that both ranked" in page
