"""The app's parts that need no page: colours, text, the address, sums, graphs, jobs."""

from __future__ import annotations

import io
import itertools
import json
import logging
import threading
import time
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ui_world import HOSTILE

from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.errors import DataError
from vlmexplain.example import explain_example_pair
from vlmexplain.records import Instance, Mention, Progress
from vlmexplain.ui.pages.audit.address import AUDIT
from vlmexplain.ui.pages.compare.address import COMPARE
from vlmexplain.ui.pages.explore.act import changes_of
from vlmexplain.ui.pages.explore.adds_up import sum_of
from vlmexplain.ui.pages.explore.bipartite import bipartite_graph, graph_data
from vlmexplain.ui.pages.explore.query import marked
from vlmexplain.ui.pages.gallery.address import GALLERY
from vlmexplain.ui.pages.overview.address import OVERVIEW
from vlmexplain.ui.pages.rating_admin.address import ANALYSIS, SESSIONS
from vlmexplain.ui.server import logs
from vlmexplain.ui.server.jobs import JobRegistry
from vlmexplain.ui.shared.address import Codec
from vlmexplain.ui.shared.explore_address import EXPLORE, SORT_KEYS, ExploreAddress
from vlmexplain.ui.shared.html import Html, safe_link, tag, text
from vlmexplain.ui.shared.lgip_address import LGIP
from vlmexplain.ui.shared.perturb_address import PERTURB
from vlmexplain.ui.shared.present_address import PRESENT
from vlmexplain.ui.shared.theme import (
    CHART_SERIES,
    ON_PHOTO,
    PALETTE,
    ROLE_MARK,
    TEXT_PAIRS,
    chart_steps,
    contrast,
)

ROOT = Path(__file__).parents[2]

# ---- colours -----------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_contrast_meets_aa(theme: int) -> None:
    for ink, ground in TEXT_PAIRS:
        ratio = contrast(PALETTE[ink][theme], PALETTE[ground][theme])
        assert ratio >= 4.5, (ink, ground, ratio)
    for ground in ("bg", "panel"):
        assert contrast(PALETTE["control"][theme], PALETTE[ground][theme]) >= 3
    for colour in ON_PHOTO.values():
        assert contrast(colour, "#000000") >= 4.5  # labels are black


def test_contrast_knows_the_standard_values() -> None:
    assert contrast("#ffffff", "#767676") == pytest.approx(4.54, abs=0.01)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


# Machado, Oliveira, Fernandes 2009, severity 1
CVD = {
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
               [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
               [0.004733, 0.691367, 0.303900]],
}  # fmt: skip


def lab(colour: str, sight: list[list[float]]) -> np.ndarray:
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(sight) @ linear, 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ seen / [0.9505, 1, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("sight", CVD)
def test_roles_are_told_apart_without_full_colour_sight(sight: str) -> None:
    sets = [ON_PHOTO, *({role: PALETTE[role][theme] for role in ROLE_MARK} for theme in (0, 1))]
    for colours in sets:
        for one, other in itertools.combinations(colours.values(), 2):
            assert np.linalg.norm(lab(one, CVD[sight]) - lab(other, CVD[sight])) >= 15


def test_roles_differ_in_more_than_colour() -> None:
    assert len(set(ROLE_MARK.values())) == 3
    style = (ROOT / "vlmexplain/ui/shared/components/pictures.css").read_text(encoding="utf-8")
    dashes = {role: f".box.{role} .edge" in style for role in ROLE_MARK}
    assert all(dashes.values()) and style.count("stroke-dasharray") == 2  # solid, dashed, dotted


def test_configuration_has_the_palette() -> None:
    config = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))
    for theme, name in enumerate(("light", "dark")):
        given_theme = config["theme"][name]
        for key, colour in (
            ("backgroundColor", "bg"),
            ("secondaryBackgroundColor", "panel"),
            ("textColor", "ink"),
            ("primaryColor", "accent"),
            ("linkColor", "accent"),
            ("borderColor", "line"),
        ):
            assert given_theme[key] == PALETTE[colour][theme], (name, key)
        series = [PALETTE[colour][theme] for colour in CHART_SERIES]
        assert given_theme["chartCategoricalColors"] == series
        assert given_theme["chartSequentialColors"] == chart_steps(theme)
    assert config["server"]["address"] == "127.0.0.1"
    assert config["browser"]["gatherUsageStats"] is False


# ---- text --------------------------------------------------------------------------------------


@pytest.mark.parametrize("caption", HOSTILE)
def test_text_is_escaped_wherever_it_stands(caption: str) -> None:
    made = tag("p", caption, tag("b", caption), [caption], title=caption, data_x=caption)
    assert isinstance(made, Html)
    for piece in ("<img", "<script", "</style", "<b>cakes", 'onerror="'):
        assert piece not in made
    assert tag("p", text(caption)) == tag("p", caption)


def test_hostile_captions_of_the_shared_cases(shared: Path) -> None:
    record = json.loads((shared / "cases/captions_traps.json").read_text(encoding="utf-8"))
    for annotation in record["annotations"]:
        caption = annotation["caption"]
        assert "<b>cakes" not in tag("p", caption)


@pytest.mark.parametrize(
    "link",
    ["javascript:alert(1)", "data:text/html,x", "//host/x", "ftp://a/b", "http:", "", None,
     "https://[broken"],
)  # fmt: skip
def test_only_http_links_are_links(link: str | None) -> None:
    assert safe_link(link) is None
    assert safe_link("https://example.org/a?b=c") == "https://example.org/a?b=c"


def test_marked_words_keep_the_caption_whole() -> None:
    caption = "a hot dog & a dog"
    mentions = (
        Mention(2, 9, "hot dog", "hot_dog", "hotdog.n.02", "hotdog.n.02", 0),
        Mention(6, 9, "dog", "dog", "dog.n.01", "dog.n.01", 0),
        Mention(14, 17, "dog", "dog", "dog.n.01", "dog.n.01", 0),
    )
    pieces = marked(caption, mentions)
    plain = "".join(str(p) for p in pieces if not isinstance(p, Html))
    assert [p for p in pieces if isinstance(p, Html)] == [
        '<mark title="hotdog.n.02">hot dog</mark>',
        '<mark title="dog.n.01">dog</mark>',
    ]
    assert plain == "a  & a "


CODECS = (
    EXPLORE, PERTURB, OVERVIEW, LGIP, COMPARE, AUDIT, PRESENT, GALLERY, SESSIONS, ANALYSIS,
)  # fmt: skip

# ---- the address -------------------------------------------------------------------------------

ADDRESSES = st.builds(
    ExploreAddress,
    gallery=st.text(st.characters(exclude_characters="\x00", codec="utf-8"), max_size=30),
    run=st.just("") | st.just("abcdef012345"),
    query=st.none() | st.integers(0, 10**9),
    place=st.integers(1, 1000),
    threshold=st.integers(0, 5000).map(lambda n: n / 100),
    relative_to=st.sampled_from(["smaller", "ground-truth", "image", "pixels"]),
    informed=st.booleans(),
    concept=st.sampled_from(["", "zebra.n.01"]),
    pair=st.integers(0, 50),
    search=st.text(st.characters(exclude_characters="\x00", codec="utf-8"), max_size=60),
    failures=st.booleans(),
    rank_from=st.integers(1, 500),
    rank_to=st.none() | st.integers(1, 500),
    metric=st.sampled_from(["", "ca", "sd"]),
    low=st.none() | st.integers(0, 100).map(lambda n: n / 100),
    sort=st.sampled_from(SORT_KEYS),
    up=st.booleans(),
    page=st.integers(0, 10**5),
)


@given(ADDRESSES)
def test_address_comes_back(address: ExploreAddress) -> None:
    assert EXPLORE.read(EXPLORE.write(address)) == (address, ())


@given(
    st.dictionaries(
        st.sampled_from(["query", "place", "threshold", "informed", "sort", "low", "page"]),
        st.text(max_size=20),
    )
)
def test_any_address_is_read(parameters: dict[str, str]) -> None:
    address, problems = EXPLORE.read(parameters)
    assert len(problems) <= len(parameters)
    again, none = EXPLORE.read(EXPLORE.write(address))
    assert (again, none) == (address, ())


@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.kind.__name__)
def test_every_page_leaves_its_defaults_out_and_tells_what_makes_no_sense(
    codec: Codec[Any],
) -> None:
    assert codec.write(codec.kind()) == {}
    assert codec.read({}) == (codec.kind(), ())
    numbers = [each.name for each in fields(codec.kind) if isinstance(each.default, int)]
    address, problems = codec.read(dict.fromkeys(numbers, "-\x00"))
    assert address == codec.kind()
    assert [said.split("=")[0] for said in problems] == numbers


@pytest.mark.parametrize(
    ("kind", "value"),
    [("query", -1), ("query", True), ("place", 0), ("sort", "x"), ("nonsense", 3), ("query", None)],
)
def test_acts_that_make_no_sense_change_nothing(kind: str, value: object) -> None:
    assert changes_of(kind, value) == {}


# ---- evidence ----------------------------------------------------------------------------------


def test_sums_of_the_worked_example() -> None:
    pair = explain_example_pair(load_wordnet())
    assert {key: sum_of(pair, key) for key in ("ca", "ncs", "ce", "sd")} == {
        "ca": "3 of 11",
        "ncs": "(1/9 + 1/6) / 2",
        "ce": "2 + 0 + 4",
        "sd": "2 of 6 pairs ≥ 100 %",
    }


def test_bipartite_graph_of_the_worked_example() -> None:
    import networkx as nx

    evidence = explain_example_pair(load_wordnet()).ncs.evidence
    graph = bipartite_graph(evidence)
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (10, 16)
    assert nx.is_bipartite(graph)
    matched = {frozenset(e[:2]) for e in graph.edges(data=True) if e[2]["matched"]}
    weights = {(a, b): d["ps"] for a, b, d in graph.edges(data=True)}
    nx.set_edge_attributes(graph, weights, "weight")
    assert matched == {frozenset(edge) for edge in nx.max_weight_matching(graph)}
    data = graph_data(evidence, 0)
    faced = [(row["left"]["label"], row["right"]["label"]) for row in data["rows"][:2]]
    assert faced == [("tree", "grass"), ("hill", "grassland")]
    assert len(data["edges"]) == 16


def test_roles() -> None:
    from vlmexplain.records import ImageAnnotations
    from vlmexplain.ui.pages.explore.pictures import roles_of

    left = ImageAnnotations(9, 9, (Instance("a.n.01"), Instance("b.n.01"), Instance(None)))
    right = ImageAnnotations(9, 9, (Instance("b.n.01"), Instance("c.n.01")))
    assert roles_of(left, right) == {"a.n.01": "missed", "b.n.01": "common", "c.n.01": "extra"}


# ---- jobs --------------------------------------------------------------------------------------


def wait_for(registry: JobRegistry, status: str) -> object:
    deadline = time.monotonic() + 120
    while (view := registry.views("work")[0]).status != status:
        assert time.monotonic() < deadline, f"still {view.status}"
        time.sleep(0.01)
    return view


def test_job_reports_and_returns() -> None:
    registry, counted, go = JobRegistry(), threading.Event(), threading.Event()

    def work(progress: object) -> str:
        for done in range(4):
            progress(Progress("count", done, 4, "things"))  # type: ignore[operator]
            time.sleep(0.01)
        counted.set()
        go.wait(120)
        return "result"

    number = registry.start("work", "Work", "key", work)
    assert registry.start("work", "Work", "key", work) == number  # the same work is done once
    assert counted.wait(120)
    view = registry.views("work")[0]
    assert view.progress == Progress("count", 3, 4, "things")
    assert view.per_second is not None and view.per_second > 0 and view.left_s is not None
    go.set()
    assert wait_for(registry, "done").result == "result"  # type: ignore[attr-defined]
    assert registry.start("work", "Work", "key", work) != number


def test_job_is_cancelled_at_its_next_sign_of_life() -> None:
    registry = JobRegistry()

    def work(progress: object) -> None:
        while True:
            progress(Progress("forever", 1, 2))  # type: ignore[operator]
            time.sleep(0.005)

    registry.cancel(registry.start("work", "Work", "key", work))
    assert "kept" in str(wait_for(registry, "cancelled").error)  # type: ignore[attr-defined]


def test_job_that_fails_says_why() -> None:
    registry = JobRegistry()

    def work(_: object) -> None:
        raise DataError("the file is a poem.", where="poem.json")

    registry.start("work", "Work", "key", work)
    assert "poem.json" in str(wait_for(registry, "failed").error)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("error", "traced"), [(DataError("the file is a poem."), False), (ZeroDivisionError("x"), True)]
)
def test_only_an_unexpected_error_of_a_job_shows_its_traceback_at_the_terminal(
    error: Exception, traced: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(logs.TextFormatter())
    monkeypatch.setattr(logs.logger, "handlers", [handler])
    registry = JobRegistry()

    def work_that_breaks(_: object) -> None:
        raise error

    registry.start("work", "Work", "key", work_that_breaks)
    wait_for(registry, "failed")
    assert registry.close(60) == ()
    for _ in range(1000):
        if "work_that_breaks" in written.getvalue():
            break
        time.sleep(0.01)
    assert "work_that_breaks" in written.getvalue()
    assert ("in work_that_breaks" in written.getvalue()) == traced


def test_finished_jobs_are_forgotten_in_time() -> None:
    registry = JobRegistry()
    for n in range(30):
        registry.start("work", "Work", str(n), lambda _: None)
        wait_for(registry, "done")
    assert len(registry.views("work")) <= 9
