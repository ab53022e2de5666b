"""The pages as Streamlit draws them, without a browser: what they say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from ui_world import HOSTILE

ROOT = Path(__file__).parents[2]
APP = str(ROOT / "app.py")


def open_app(home: Path, monkeypatch: pytest.MonkeyPatch, **parameters: str) -> AppTest:
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(home))
    app = AppTest.from_file(APP, default_timeout=60)
    for name, value in parameters.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    return app


def html_of(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html") if element.proto.body)


def component(app: AppTest, name: str) -> Any:
    for element in app.get("bidi_component"):
        if element.proto.component_name == f"vlmexplain.{name}":
            return json.loads(element.proto.json)
    raise AssertionError(f"no component {name} on the page")


def shown(app: AppTest, attribute: str) -> dict[str, str]:
    """What the page shows under each data-... attribute."""
    pattern = rf'<(\w+) class="[^"]*" data-{attribute}="(\w+)">([^<]*)</\1>'
    return {key: text for _, key, text in re.findall(pattern, html_of(app))}


def parameter(app: AppTest, name: str) -> str | None:
    value = app.query_params.get(name)
    return value[0] if isinstance(value, list) else value


def test_worked_example_numbers(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_app(empty_home, monkeypatch)
    assert shown(app, "card") == {"ca": "27.3 %", "ncs": "0.139", "ce": "6", "sd": "33.3 %"}
    assert shown(app, "rank") == {
        "rank": "294", "rr": "1/294 = 0.0034", "r1": "0 ✗", "r5": "0 ✗", "r10": "0 ✗",
    }  # fmt: skip
    page = html_of(app)
    assert "CA = 3 of 11 = <b>27.3 %</b>" in page
    assert "NCS = (1/9 + 1/6) / 2 = <b>0.139</b>" in page
    assert "CE = 2 + 0 + 4 = <b>6</b>" in page
    assert "SD = 2 of 6 pairs ≥ 100 % = <b>33.3 %</b>" in page
    graph = component(app, "graph")
    assert graph["label"].startswith("Bipartite graph of 10 concepts and 16 edges, 2 of them")
    assert [(p["left"], p["right"], p["ps"]) for p in graph["pairs"]] == [
        ("tree", "grass", "0.167"),
        ("hill", "grassland", "0.111"),
    ]
    assert sum(node is not None for row in graph["rows"] for node in row.values()) == 10


def test_worked_example_pictures(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = component(open_app(empty_home, monkeypatch), "pictures")
    left, right = data["pictures"]
    assert [box["concept"] for box in left["boxes"]].count("zebra.n.01") == 4
    assert [box["concept"] for box in right["boxes"]].count("mane.n.01") == 5
    assert {box["role"] for box in left["boxes"]} == {"common", "missed"}
    assert {box["role"] for box in right["boxes"]} == {"common", "extra"}
    zebra = next(c for c in data["concepts"] if c["synset"] == "zebra.n.01")
    assert zebra["count"] == "5 | 7 (1 without a box)"
    assert all(picture["alt"] for picture in data["pictures"])
    assert "not a photo" in left["credit"][0]["text"]


def test_slider_changes_sd(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_app(empty_home, monkeypatch)
    app.slider(key="threshold-smaller").set_value(200.0).run()
    assert shown(app, "card")["sd"] == "16.7 %"
    assert "SD = 1 of 6 pairs ≥ 200 % = <b>16.7 %</b>" in html_of(app)
    assert parameter(app, "threshold") == "2"


def test_query_informed_switch(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_app(empty_home, monkeypatch)
    app.toggle(key="informed").set_value(True).run()
    assert parameter(app, "informed") == "yes"
    assert '<mark title="zebra.n.01">zebras</mark>' in html_of(app)
    assert shown(app, "card")["ca"] == "50 %"  # zebra and field of zebra, field, hill, tree


def test_path_of_the_chosen_pair(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = html_of(open_app(empty_home, monkeypatch, pair="1"))
    assert "<b>hill</b> to <b>grassland</b>: 8 steps, so ps = 1 / (1 + 8) = 1/9 = 0.111" in page
    assert "nearest common ancestor" in page


def test_bad_link_says_so_and_falls_back(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_app(
        empty_home, monkeypatch, threshold="<b>much</b>", gallery="gone", informed="perhaps"
    )
    page = html_of(app)
    assert "threshold=&#x27;&lt;b&gt;much&lt;/b&gt;&#x27; in the address is not understood" in page
    assert "There is no data set &#x27;gone&#x27; here" in page
    assert shown(app, "card")["ca"] == "27.3 %"


def test_gallery_opens_on_its_worst_failure(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_app(world.home, monkeypatch)
    assert world.gallery_id.startswith(parameter(app, "gallery") or "-")
    assert world.run_key.startswith(parameter(app, "run") or "-")
    table = component(app, "query_table")
    assert table["chosen"] == table["rows"][0]["query"] == int(parameter(app, "query") or -1)
    ranks = [int(row["cells"][1]["text"].split()[0]) for row in table["rows"]]
    assert ranks == sorted(ranks, reverse=True)
    assert len(component(app, "pictures")["strip"]) >= 7


def test_page_agrees_with_explain_query(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from vlmexplain.datasets.gallery import open_gallery
    from vlmexplain.explain import explain_query
    from vlmexplain.scoring.run import open_run
    from vlmexplain.ui.shared.words import value_text

    monkeypatch.setenv("VLMEXPLAIN_HOME", str(world.home))
    gallery, run = open_gallery(world.gallery_id), open_run(world.run_key)
    n_undefined = 0
    for query in range(0, gallery.n_captions, 3):
        pair = explain_query(gallery, run, query).pair
        assert pair is not None
        app = open_app(world.home, monkeypatch, query=str(query))
        values = {key: pair.result(key) for key in ("ca", "ncs", "ce", "sd")}
        expected = {key: value_text(key, result.value) for key, result in values.items()}
        assert shown(app, "card") == expected
        for result in values.values():
            if result.value is None:
                n_undefined += 1
                assert result.undefined_because in html_of(app)
    assert n_undefined, "no undefined metric was seen, so the test has not tried them"


def test_hostile_captions_stay_text(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_app(world.home, monkeypatch, failures="no", sort="query", up="yes")
    texts = [row["cells"][0]["text"] for row in component(app, "query_table")["rows"]]
    assert HOSTILE[1] in texts
    page = html_of(app)
    assert "<img" not in page and "<script" not in page
    # no caption goes through Markdown
    said = " ".join(element.value for element in app.markdown) + " ".join(
        element.value for element in app.caption
    )
    assert "dog" not in said and "$5" not in said


def test_filters_and_steps(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_app(world.home, monkeypatch, failures="no")
    app.text_input(key="search").set_value("ball").run()
    table = component(app, "query_table")
    assert {"ball" in row["cells"][0]["text"].lower() for row in table["rows"]} == {True}
    before = parameter(app, "query")
    app.button(key="step-right").click().run()
    assert parameter(app, "query") != before
    app.text_input(key="search").set_value("no caption says this").run()
    assert component(app, "query_table")["rows"] == []


def test_query_past_the_end(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    page = html_of(open_app(world.home, monkeypatch, query="99999", place="77"))
    assert "There is no query 99,999 here" in page


@pytest.mark.parametrize("name", ["gallery", "import", "run"])
def test_other_pages(world: Any, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    app = open_app(world.home, monkeypatch)
    app.switch_page(f"pages/{name}.py").run()
    assert not app.exception
    expected = {"gallery": "box-missing", "import": "Paths are paths", "run": "Runs of this"}
    assert expected[name] in html_of(app)
    assert "<b>world" not in html_of(app)


def test_import_says_what_is_wrong(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_app(empty_home, monkeypatch)
    app.switch_page("pages/import.py").run()
    app.text_input(key="COCO-instances").set_value("/nowhere/<b>x</b>.json")
    app.button[0].click().run()
    page = html_of(app)
    assert "there is no such file" in page and "/nowhere/&lt;b&gt;x&lt;/b&gt;.json" in page
    assert "Captions (JSON) is missing" in page
