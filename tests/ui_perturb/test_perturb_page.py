"""The Perturb and LGIP pages as Streamlit draws them, without a browser."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]
FIELD = "perturb-caption"
QUERY = "two red dogs and a small cat"


def open_page(world: Any, monkeypatch: pytest.MonkeyPatch, page: str, **parameters: str) -> AppTest:
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(world.home))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300)
    app.switch_page(f"pages/{page}.py")
    for name, value in parameters.items():
        app.query_params[name] = value
    return rerun(app)


def rerun(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception, app.exception
    return app


def page_html(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html") if element.proto.body)


def component(app: AppTest, name: str) -> Any:
    for element in app.get("bidi_component"):
        if element.proto.component_name == f"vlmexplain.{name}":
            return json.loads(element.proto.json)
    raise AssertionError(f"no component {name} on the page")


def score(app: AppTest, name: str) -> float:
    found = re.search(rf'data-score="{name}"[^>]*>([^<]+)<', page_html(app))
    assert found, name
    return float(found[1].replace("−", "-"))


def parameter(app: AppTest, name: str) -> str | None:
    value = app.query_params.get(name)
    return value[0] if isinstance(value, list) else value


@pytest.fixture
def fake_page(perturb_world: Any, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The first query under the fake model."""
    return open_page(
        perturb_world, monkeypatch, "perturb", **perturb_world.parameters(perturb_world.fake_run),
        query="0",
    )  # fmt: skip


def test_numbers_are_the_models(fake_page: AppTest, perturb_world: Any) -> None:
    from vlmexplain.datasets.gallery import open_gallery
    from vlmexplain.models.fake import FakeEncoder

    encoder, gallery = FakeEncoder(), open_gallery(perturb_world.gallery_id)
    text = encoder.encode_texts([QUERY])[0]
    image = encoder.encode_images([gallery.read_rgb(0)])[0]
    assert score(fake_page, "caption-0-0") == pytest.approx(float(text @ image), abs=6e-5)
    chart = component(fake_page, "perturbations")
    assert [group["key"] for group in chart["groups"]] == ["same", "drop", "unknown"]
    (model,) = chart["models"]
    assert [panel["title"] for panel in model["panels"]] == ["Ground truth", "Retrieved"]
    rows = [row for group in chart["groups"] for row in group["rows"]]
    for row in rows:
        own = encoder.encode_texts([row["text"]])[0]
        shown = float(row["cells"][0][0]["value"].replace("−", "-"))
        assert shown == pytest.approx(float(own @ image), abs=6e-5)
    assert any(row["verified"] for row in rows)
    assert all(rule["because"] for rule in chart["not_applicable"])


def test_typing_moves_the_numbers_and_the_address(fake_page: AppTest) -> None:
    before = score(fake_page, "caption-0-0")
    fake_page.text_input(key=FIELD).set_value("two red dogs and a bus")
    rerun(fake_page)
    assert score(fake_page, "caption-0-0") != before
    assert score(fake_page, "query-0") == before
    assert parameter(fake_page, "caption") == "two red dogs and a bus"
    assert "<del>small cat</del>" in page_html(fake_page)
    assert "<ins>bus</ins>" in page_html(fake_page)
    fake_page.button(key="perturb-back").click()
    rerun(fake_page)
    assert score(fake_page, "caption-0-0") == before and parameter(fake_page, "caption") is None


def test_the_address_restores_everything(
    perturb_world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page(
        perturb_world, monkeypatch, "perturb", **perturb_world.parameters(perturb_world.fake_run),
        query="0", caption="two blue dogs", other="4", mode="paper", seed="3", second="fake:9",
        pick="paper-color.0",
    )  # fmt: skip
    assert app.text_input(key=FIELD).value == "two blue dogs"
    chart = component(app, "perturbations")
    assert [model["name"] for model in chart["models"]] == ["fake", "fake:9"]
    assert chart["chosen"] == "paper-color.0"
    assert 'data-picked="paper-color.0"' in page_html(app)
    assert "4.png" in page_html(app) and "chosen by hand" in page_html(app)
    rules = {row["rule"] for group in chart["groups"] for row in group["rows"]}
    assert "Colour flip (paper)" in rules and "Colour flip (careful)" not in rules
    # the second model has not embedded the gallery: it scores, and says why it does not rank
    assert "has not embedded the gallery yet" in page_html(app)
    assert chart["models"][1]["rank"] == "–"


def test_a_typed_caption_on_any_image(perturb_world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_page(
        perturb_world, monkeypatch, "perturb", **perturb_world.parameters(perturb_world.fake_run),
        image="3", caption="a green dog",
    )  # fmt: skip
    assert "3.png" in page_html(app) and parameter(app, "query") is None
    strips = component(app, "strips")
    first = next(tile for tile in strips["strips"][0]["tiles"] if not tile["truth"])
    assert strips["shown"] == first["image"]  # the best image that is not the caption's own
    app.text_input(key=FIELD).set_value("")
    rerun(app)
    assert "Type a caption" in page_html(app)


def test_hostile_text_stays_text(perturb_world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = "<b>two</b> $5 :balloon: <img src=x onerror=alert(1)> dogs & a <script>cat</script>"
    app = open_page(
        perturb_world, monkeypatch, "perturb", **perturb_world.parameters(perturb_world.fake_run),
        query="0", caption=hostile,
    )  # fmt: skip
    page = page_html(app)
    for piece in ("<b>two</b> $", "<img src=x", "<script>"):
        assert piece not in page
    assert html.escape("<b>two</b> $5 :balloon:") in page
    assert all("balloon" not in element.value for element in app.markdown)


def test_past_the_cut_and_unknown(perturb_world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    long = "a straße with " + " ".join(["many"] * 14) + " red dogs"
    app = open_page(
        perturb_world, monkeypatch, "perturb", **perturb_world.parameters(perturb_world.fake_run),
        query="0", caption=long, mode="paper",
    )  # fmt: skip
    page = page_html(app)
    assert '<u title="unknown to the model">straße</u>' in page
    assert '<s title="cut off: not seen by the model">many many many red dogs</s>' in page
    assert "cut off: not seen by the model" in page
    chart = component(app, "perturbations")
    rows = [row for group in chart["groups"] for row in group["rows"]]
    colour = next(row for row in rows if row["rule"] == "Colour flip (paper)")
    assert colour["not_seen"] == ["✂ past the cut: not seen by the model"]


def test_a_caption_of_2000_characters_lists_only_what_the_model_can_see(
    perturb_world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    caption = "an old red dog and " * 104 + "a cat"
    app = open_page(
        perturb_world,
        monkeypatch,
        "perturb",
        **perturb_world.parameters(perturb_world.fake_run, caption=caption, query="0"),
    )
    groups = {each["key"]: each for each in component(app, "perturbations")["groups"]}
    rows = groups["drop"]["rows"]
    cut = [row for row in rows if row["not_seen"][0] and row["not_seen"][0].startswith("✂")]
    assert len(cut) == 5 and len(rows) < 60
    assert groups["drop"]["more_past_cut"] > 300
    reds = [row["which"] for row in rows if row["key"].startswith("careful-color.")]
    assert reds[:2] == ["1st of 104", "2nd of 104"] and len(set(reds)) == len(reds)
    others = [row["which"] for row in rows if row["change"].startswith("red →")]
    assert {which.split()[2] for which in others} == {"104"}  # not "an" -> "a" beside it


def test_a_text_model_says_what_it_compares(
    perturb_world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page(
        perturb_world, monkeypatch, "perturb", **perturb_world.parameters(perturb_world.text_run),
        query="0",
    )  # fmt: skip
    page = page_html(app)
    assert "compares texts with texts" in page and "there is no map" in page


def test_what_was_chosen_is_said_in_words(
    perturb_world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = perturb_world.parameters(perturb_world.fake_run)
    app = open_page(perturb_world, monkeypatch, "perturb", **run, query="0", pick="", seed="3")
    assert "Draw again (seed 3)" in [each.label for each in app.button]
    assert "chosen by hand" not in page_html(app)
    row = component(app, "perturbations")["groups"][0]["rows"][0]
    app.query_params["pick"] = row["key"]
    assert f'class="quiet n">{row["change"]}<' in page_html(rerun(app))
    own = open_page(perturb_world, monkeypatch, "perturb", **run, image="1", caption="a dog")
    assert page_html(own).count("chosen by hand") == 1  # no caption of the data set names it


def test_lgip_of_the_pair_stands_beside_the_data_sets(fake_page: AppTest) -> None:
    page = page_html(fake_page)
    assert "This pair" in page and "No careful LGIP result" not in page
    fake_page.segmented_control(key="perturb-mode").set_value("paper")
    rerun(fake_page)
    assert "No paper LGIP result of fake" in page_html(fake_page)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("query", "999", "There is no query 999"),
        ("other", "999", "There is no image 999"),
        ("mode", "bold", "mode=&#x27;bold&#x27; in the address is not understood"),
        ("pick", "../x", "pick=&#x27;../x&#x27; in the address is not understood"),
        ("cells", "400", "cells=&#x27;400&#x27; in the address is not understood"),
    ],
)
def test_a_bad_address_is_said_and_survived(
    perturb_world: Any, monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    app = open_page(
        perturb_world, monkeypatch, "perturb", **perturb_world.parameters(perturb_world.fake_run),
        **{name: value},
    )  # fmt: skip
    assert said in page_html(app)
    assert "data-score=" in page_html(app)


def test_lgip_page(perturb_world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from vlmexplain.lgip.result import list_lgip

    app = open_page(
        perturb_world, monkeypatch, "lgip", **perturb_world.parameters(perturb_world.fake_run)
    )
    page = page_html(app)
    (result,) = list_lgip(perturb_world.gallery_id)
    error = result.figures.invariance_error
    assert error is not None and f">{error:.4f}</a></b>" in page
    assert page.count("data-model=") == 9
    assert "invariance error (low is good)" in page and "sensitivity gap (high is good)" in page
    assert "Distributions of the gaps" in page
    rows = component(app, "triples")["rows"]
    shifts = [abs(float(row["shift"].replace("−", "-"))) for row in rows]
    assert shifts == sorted(shifts, reverse=True) and rows[0]["src"]


def test_a_triple_opens_on_the_perturb_page(
    perturb_world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vlmexplain.datasets.gallery import open_gallery
    from vlmexplain.lgip.result import list_lgip, open_lgip
    from vlmexplain.ui.pages.lgip.worst import perturb_link

    monkeypatch.setenv("VLMEXPLAIN_HOME", str(perturb_world.home))
    gallery = open_gallery(perturb_world.gallery_id)
    result = open_lgip(list_lgip(gallery.id)[0].key)
    for triple in result.triples(sort="largest shift", limit=4):
        link = perturb_link(gallery, result, triple, perturb_world.fake_run)
        app = open_page(perturb_world, monkeypatch, "perturb", **link)
        chart = component(app, "perturbations")
        rows = {row["key"]: row for group in chart["groups"] for row in group["rows"]}
        row = rows[chart["chosen"]]
        assert row["text"] == triple.text
        shown = float(row["cells"][0][0]["value"].replace("−", "-"))
        assert shown == pytest.approx(triple.score_text, abs=6e-5)


def test_an_lgip_run_is_started_from_the_page(
    perturb_world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    from vlmexplain.lgip.result import list_lgip
    from vlmexplain.ui.server.jobs import job_registry

    app = open_page(
        perturb_world, monkeypatch, "lgip", **perturb_world.parameters(perturb_world.fake_run)
    )
    app.text_input(key="lgip-other").set_value("fake:8")
    app.selectbox(key="lgip-mode").set_value("paper")
    next(button for button in app.button if button.label == "Start").click()
    rerun(app)
    for _ in range(600):
        if not job_registry().running():
            break
        time.sleep(0.1)
    rerun(app)
    assert "fake:8" in page_html(app)
    latest, first = list_lgip(perturb_world.gallery_id)
    assert (latest.model.name, first.model.name) == ("fake:8", "fake")
    # who comes later sees the result of the model chosen in the sidebar, not the latest
    anew = open_page(
        perturb_world, monkeypatch, "lgip", **perturb_world.parameters(perturb_world.fake_run)
    )
    assert first.key[:12] in anew.query_params["lgip"]  # a list of one, or the text itself
