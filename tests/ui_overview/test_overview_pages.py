"""The whole-model pages as Streamlit draws them: what they say, and where their links lead."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from homes import at_home, new_home
from streamlit.testing.v1 import AppTest

sys.path.insert(0, str(Path(__file__).parents[1] / "ui"))

from ui_world import HOSTILE, write_world

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A home with the made gallery and two runs."""
    from vlmexplain.datasets.coco import import_coco
    from vlmexplain.scoring.run import run

    folder = tmp_path_factory.mktemp("overview-pages")
    home = new_home(folder / "home")
    with at_home(home):
        gallery = import_coco(**write_world(folder / "world"), name="Made <b>world</b> $1$")
        runs = [run(gallery, "fake"), run(gallery, "fake-text")]
        yield home, gallery, runs


def said(app: AppTest) -> str:
    return "\n".join(each.proto.body for each in app.get("html") if each.proto.body)


@pytest.fixture
def home(world: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(world[0]))
    return world


def draw(page: str, home: Any, monkeypatch: pytest.MonkeyPatch, **parameters: str) -> str:
    """Draw one page alone, inside an app of its own."""
    names = {
        "overview": "vlmexplain.ui.pages.overview.page:overview_page",
        "compare": "vlmexplain.ui.pages.compare.page:compare_page",
        "audit": "vlmexplain.ui.pages.audit.page:audit_page",
        "present": "vlmexplain.ui.pages.present.page:present_page",
    }
    module, function = names[page].split(":")
    app = AppTest.from_string(
        f"from {module} import {function}\n{function}()\n", default_timeout=90
    )
    for name, value in parameters.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    return said(app)


def test_overview_shows_the_figures_of_both_runs(home: Any, monkeypatch: Any) -> None:
    from vlmexplain.overview.gallery_table import gallery_table
    from vlmexplain.overview.table_text import value_text

    page = draw("overview", home, monkeypatch)
    table = gallery_table(home[1].id)
    cells = re.findall(r'<td class="r" data-figure="(\w+)">.*?</td>', page)
    assert len(cells) == len(table.rows) * len(table.columns)
    shown = {
        key: [html.unescape(re.sub("<[^>]+>", "", v)) for v in
              re.findall(rf'data-figure="{key}"><div class="value[^"]*">(?:<a[^>]*>|<span[^>]*>)'
                         r"(.*?)</(?:a|span)>", page)]
        for key in ("ca", "mrr", "ncs_micro", "hit")
    }  # fmt: skip
    for key, values in shown.items():
        column = next(c for c in table.columns if c.key == key)
        assert values == [value_text(column, table.figure(row, key)) for row in table.rows]
    assert "By MRR:" in html.unescape(page)


def test_links_of_the_figures_are_understood_by_explore(home: Any, monkeypatch: Any) -> None:
    from vlmexplain.ui.shared.explore_address import EXPLORE

    page = draw("overview", home, monkeypatch)
    links = {html.unescape(link) for link in re.findall(r'href="(\./\?[^"]+)"', page)}
    assert len(links) > 10
    for link in links:
        parameters = {k: v[0] for k, v in parse_qs(urlsplit(link).query).items()}
        address, problems = EXPLORE.read(parameters)
        assert problems == () and address.gallery and address.run
        written = EXPLORE.write(address)
        assert {k: v for k, v in written.items() if k in parameters} == {
            k: v for k, v in parameters.items() if k in written
        }


@pytest.mark.parametrize("view", ["distributions", "slices", "concepts"])
def test_every_view_draws_and_a_link_restores_it(home: Any, monkeypatch: Any, view: str) -> None:
    page = draw("overview", home, monkeypatch, view=view)
    assert "chosen in the sidebar" in page
    if view == "slices":
        link = html.unescape(re.search(r'href="(\./overview\?[^"]*concept=[^"]+)"', page).group(1))
        parameters = {k: v[0] for k, v in parse_qs(urlsplit(link).query).items()}
        again = draw("overview", home, monkeypatch, **parameters)
        assert "All figures of this slice" in again and "Leave the slice" in again


def test_compare_counts_every_query_and_shows_captions_literally(
    home: Any, monkeypatch: Any
) -> None:
    page = draw("compare", home, monkeypatch, cquery="0", quadrant="both-wrong")
    counts = re.findall(
        r'data-quadrant="[\w-]+"[^>]*><div class="value"><a[^>]*>([\d,]+)</a>', page
    )
    found = re.search(r"([\d,]+) queries that both ranked", page).group(1)
    assert len(counts) == 4 and sum(int(c) for c in counts) == int(found)
    assert "sign test" in page and "paired bootstrap" in page
    for text in HOSTILE:
        assert text not in page or "<" not in text
    assert 'onerror="' not in page


def test_audit_lists_and_marks_are_kept(home: Any, monkeypatch: Any) -> None:
    from vlmexplain.overview.audit import SIGNS
    from vlmexplain.overview.marks import mark, marks_csv, read_marks

    gallery = home[1]
    for sign in SIGNS:
        waits = sign == "looks-the-same"  # until its pictures were looked at
        said = "are left to look at" if waits else "captions"
        assert said in draw("audit", home, monkeypatch, sign=sign)
    mark(gallery, 2, "caption-wrong")
    mark(gallery, 3, "fine")
    assert read_marks(gallery.id) == {2: "caption-wrong", 3: "fine"}
    page = draw("audit", home, monkeypatch, aquery="2")
    assert "2 of this data set are marked" in page
    assert marks_csv(gallery, read_marks(gallery.id)).count("\n") >= 3
    without = draw("overview", home, monkeypatch, marked="without")
    assert f"{gallery.n_captions - 1:,} queries" in without
    for index in (2, 3):
        mark(gallery, index, None)
    assert read_marks(gallery.id) == {}


def test_presentation_goes_through_its_list(home: Any, monkeypatch: Any) -> None:
    page = draw("present", home, monkeypatch, list="3,0", slide="2", notes="one|Say <b>this</b>")
    assert "2 of 2" in page
    assert "Say &lt;b&gt;this&lt;/b&gt;" in page
    assert "display: none !important" in page
    assert "all evidence" in page
    assert "The list is empty" in draw("present", home, monkeypatch, list="x,999999")


def test_pages_without_a_gallery_say_what_to_do(fresh_home: Path, monkeypatch: Any) -> None:
    for page in ("overview", "compare", "audit", "present"):
        assert 'class="box note"' in draw(page, None, monkeypatch), page


def test_read_only_says_so(home: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("VLMEXPLAIN_READONLY", "1")
    assert "This server is read-only" in draw("audit", home, monkeypatch)
