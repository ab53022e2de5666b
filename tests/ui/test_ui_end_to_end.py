"""Real photos from the command line to the page, and many readers at once."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser
Start = Callable[[Path], str]


def command(home: Path, *arguments: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "vlmexplain", *arguments, "--json"],
        env={**os.environ, "VLMEXPLAIN_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def shown(tab: Any) -> tuple[str, dict[str, str], str]:
    tab.wait_for_selector("[data-card=sd]")
    tab.wait_for_function(
        "() => document.querySelector('.stApp')?.dataset.testScriptState !== 'running'"
        " && !document.querySelector('[data-stale=true]')"
    )
    cards = {key: tab.inner_text(f"[data-card={key}]") for key in ("ca", "ncs", "ce", "sd")}
    body = tab.inner_text("body")
    found = re.search(r"Rank of the ground truth\s+([\d,]+)", body)
    assert found, body[:2000]
    return body, cards, found.group(1).replace(",", "")


def as_shown(key: str, value: float | None) -> str:
    if value is None:
        return "undefined"
    if key in ("ca", "sd"):
        return f"{100 * value:.1f}".removesuffix(".0") + " %"
    return f"{value:.3f}" if key == "ncs" else f"{value:.0f}"


def test_real_photos_from_import_to_page(
    shared: Path, empty_home_for_photos: Path, tab: Any, start_app: Start
) -> None:
    home, data = empty_home_for_photos, shared / "data" / "coco"
    gallery = command(
        home,
        *("import", "coco", "--name", "photos"),
        *("--instances", str(data / "annotations" / "instances_val2017.json")),
        *("--captions", str(data / "annotations" / "captions_val2017.json")),
        *("--images", str(data / "images")),
    )
    assert (gallery["n_images"], gallery["n_captions"]) == (160, 800)
    finished = command(home, "run", "--gallery", "photos", "--model", "all-MiniLM-L6-v2")
    key = finished["key"]
    address = start_app(home)
    for query in (3, 120, 397, 640, 799):
        told = command(home, "explain", "--run", key, "--query", str(query))
        tab.goto(f"{address}/?gallery={gallery['id'][:12]}&run={key[:12]}&query={query}")
        body, cards, rank = shown(tab)
        assert told["query"] in body
        assert rank == str(told["rank_1based"])
        assert cards == {name: as_shown(name, told[name]) for name in cards}


@pytest.fixture
def empty_home_for_photos(fresh_home: Path) -> Path:
    """A home of its own, which the app under test gets too."""
    return fresh_home


def test_sixteen_readers_at_once(browser: Any, start_app: Start, world: Any) -> None:
    """Sixteen fresh sessions ask for sixteen queries; each is told what the core says of its."""
    from vlmexplain.datasets.gallery import open_gallery
    from vlmexplain.explain import explain_query
    from vlmexplain.scoring.run_store import open_run

    before, os.environ["VLMEXPLAIN_HOME"] = os.environ["VLMEXPLAIN_HOME"], str(world.home)
    try:
        gallery, run = open_gallery(world.gallery_id), open_run(world.run_key)
        queries = [place % gallery.n_captions for place in range(16)]
        expected = [explain_query(gallery, run, query) for query in queries]
    finally:
        os.environ["VLMEXPLAIN_HOME"] = before
    address = start_app(world.home)
    contexts = [browser.new_context() for _ in queries]
    try:
        tabs = [context.new_page() for context in contexts]
        for tab, query in zip(tabs, queries, strict=True):  # all load side by side
            tab.set_default_timeout(120_000)
            tab.goto(
                f"{address}/?gallery={world.gallery_id[:12]}&run={world.run_key[:12]}&query={query}",
                wait_until="commit",
            )
        for tab, explanation in zip(tabs, expected, strict=True):
            body, cards, rank = shown(tab)
            assert " ".join(explanation.query.split()) in " ".join(body.split())
            assert rank == str(explanation.rank_1based)
            assert explanation.pair is not None
            assert cards == {
                key: as_shown(key, explanation.pair.result(key).value) for key in cards
            }
    finally:
        for context in contexts:
            context.close()
