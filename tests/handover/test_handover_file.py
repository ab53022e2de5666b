"""What is handed over: in a real browser without a network, and as JSON."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from homes import at_home, new_home

sys.path.insert(0, str(Path(__file__).parents[1] / "ui"))

from ui_world import CAPTIONS, HOSTILE, write_world

from vlmexplain.cli import main
from vlmexplain.datasets.coco import import_coco
from vlmexplain.errors import DataError
from vlmexplain.explain import explain_query
from vlmexplain.handover import failures as handed
from vlmexplain.handover.failures import MOST_FAILURES, collect_failures
from vlmexplain.handover.html_page import as_html
from vlmexplain.handover.json_document import as_json
from vlmexplain.lgip.bulk import run_lgip
from vlmexplain.overview.marks import mark
from vlmexplain.scoring.run import run

N_CAPTIONS = sum(map(len, CAPTIONS))


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("handover")
    home = new_home(folder / "home")
    with at_home(home):
        gallery = import_coco(**write_world(folder / "world"), name="Made <b>world</b>")
        yield gallery, run(gallery, "fake")


def hit_and_failures(finished: Any) -> tuple[list[int], list[int]]:
    failure = finished.rows_table.column("failure").to_numpy()
    return np.flatnonzero(~failure).tolist(), np.flatnonzero(failure).tolist()


@pytest.mark.browser
def test_file_opens_offline_and_shows_text_as_text(
    stored: Any, browser: Any, tmp_path: Path
) -> None:
    gallery, finished = stored
    path = tmp_path / "handed.html"
    path.write_text(as_html(collect_failures(gallery, finished, range(N_CAPTIONS))), "utf-8")
    context = browser.new_context(offline=True)
    page = context.new_page()
    wrong: list[str] = []
    page.on("request", lambda r: r.url.startswith(("file:", "data:")) or wrong.append(r.url))
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(path.as_uri())
    shown = page.locator("blockquote").all_inner_texts()
    assert sorted(shown) == sorted(text for texts in CAPTIONS for text in texts)
    assert set(HOSTILE) <= set(shown)
    assert page.title() != "broken"
    assert page.locator("script").count() == 0
    assert page.locator("blockquote img, blockquote b").count() == 0
    sizes = page.eval_on_selector_all("img", "all => all.map(i => i.naturalWidth)")
    assert len(sizes) > N_CAPTIONS and all(sizes)
    boxes = page.locator("article >> nth=0 >> figure >> nth=0 >> svg rect[stroke-width='2']")
    assert boxes.count() == 3
    assert page.locator("figcaption a").first.get_attribute("href") == "https://example.org/licence"
    assert "A <b>licence</b>" in page.locator("figcaption").first.inner_text()
    pdf = page.pdf(prefer_css_page_size=True)
    assert pdf.startswith(b"%PDF")
    context.close()
    assert not wrong


def test_values_are_those_of_the_explanation(stored: Any) -> None:
    gallery, finished = stored
    failed = hit_and_failures(finished)[1]
    document = json.loads(as_json(collect_failures(gallery, finished, failed[:3])))
    for index, written in zip(failed[:3], document["failures"], strict=True):
        found = explain_query(gallery, finished, index)
        assert written["query"] == found.query
        for key in ("ca", "ncs", "ce", "sd"):
            assert written[key] == (found.pair.result(key).value if found.pair else None)
        assert written["pictures"]["ground_truth"]["licence"] == "A <b>licence</b>"
        assert written["pictures"]["ground_truth"]["source_url"].startswith("https://example.org/")
        assert written["evidence"] is not None
    assert document["definitions"]["ca"]["good"] == "high"


def test_a_query_that_did_not_fail_says_so(stored: Any) -> None:
    gallery, finished = stored
    hits = hit_and_failures(finished)[0]
    if not hits:
        pytest.skip("the fake model failed everywhere")
    assert "no failure" in as_html(collect_failures(gallery, finished, hits[:1]))


def test_a_picture_that_is_gone_is_said(stored: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    gallery, finished = stored
    path = gallery.images_folder / gallery.image(0).file_name
    content = path.read_bytes()
    path.unlink()
    try:
        text = as_html(collect_failures(gallery, finished, [0]))
    finally:
        path.write_bytes(content)
    assert "The picture cannot be shown" in text


def test_large_pictures_are_made_small_enough() -> None:
    from PIL import Image

    noise = np.random.default_rng(0).integers(0, 256, (3000, 4000, 3), dtype=np.uint8)
    src = handed._as_data(Image.fromarray(noise), handed.LARGEST_SIDE_PX, handed.MOST_PICTURE_BYTES)
    assert len(src) <= handed.MOST_PICTURE_BYTES * 4 / 3 + 100
    assert 2 * len(src) < 2_000_000


def test_how_many_can_be_handed_over(stored: Any) -> None:
    gallery, finished = stored
    with pytest.raises(DataError, match="0 queries"):
        collect_failures(gallery, finished, [])
    with pytest.raises(DataError, match=f"expected 1 to {MOST_FAILURES}"):
        collect_failures(gallery, finished, range(MOST_FAILURES + 1))


def test_worst_without_marked(stored: Any, tmp_path: Path) -> None:
    gallery, finished = stored

    def worst(*more: str) -> list[int]:
        out = tmp_path / "worst.json"
        command = ["handover", "--run", finished.key, "--worst", "3", "--out", str(out)]
        assert main([*command, *more]) == 0
        return [f["caption_index"] for f in json.loads(out.read_bytes())["failures"]]

    before = worst()
    mark(gallery, before[0], "caption-wrong")
    mark(gallery, before[1], "fine")
    try:
        assert worst() == before
        after = worst("--without-marked")
        assert after[:2] == before[1:] and len(after) == 3 and before[0] not in after
    finally:
        for query in before[:2]:
            mark(gallery, query, None)


@pytest.mark.browser
def test_perturbation_chart_of_a_real_probing(stored: Any, browser: Any, tmp_path: Path) -> None:
    """LGIP is run; the file shows each triple of the caption, drawn to its side and size."""
    gallery, finished = stored
    assert "Perturbations of the caption" not in as_html(collect_failures(gallery, finished, [1]))
    probed = run_lgip(gallery, "fake")
    try:
        (failure,) = collect_failures(gallery, finished, [1])
        path = tmp_path / "probed.html"
        path.write_text(as_html([failure]), "utf-8")
    finally:
        shutil.rmtree(probed.folder)
    rows = failure.probes
    assert rows
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(path.as_uri())
    part = page.locator("section.part", has_text="Perturbations of the caption")
    assert part.locator("tbody tr").count() == len(rows)
    largest = max(abs(p.score_caption - p.score_text) for p in rows)
    for n, probe in enumerate(rows):
        gap = probe.score_caption - probe.score_text
        line = part.locator("tbody tr").nth(n)
        assert line.locator("td").first.inner_text() == probe.text
        assert f"{gap:+.3f}".replace("-", "−") in line.inner_text()
        bar = line.locator(".swing i")
        assert bar.get_attribute("class") == ("right" if gap >= 0 else "left")
        drawn = bar.evaluate("i => i.getBoundingClientRect().width / "
                             "i.parentElement.getBoundingClientRect().width")  # fmt: skip
        assert drawn == pytest.approx(0.5 * abs(gap) / largest, abs=0.01)
    context.close()


def test_command(stored: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = stored[1].key
    html = tmp_path / "out.html"
    assert main(["handover", "--run", key, "--worst", "2", "--query", "0", "--out", str(html)]) == 0
    assert "queries" in capsys.readouterr().out
    assert html.read_text("utf-8").count("<article") in (2, 3)
    assert main(["handover", "--run", key, "--query", "0", "--out", str(tmp_path / "x.json")]) == 0
    assert json.loads((tmp_path / "x.json").read_bytes())["failures"][0]["caption_index"] == 0
    assert main(["handover", "--run", key, "--query", "0", "--out", str(tmp_path / "x.txt")]) == 1
    assert ".html nor .json" in capsys.readouterr().err
    assert main(["handover", "--run", key, "--query", "999", "--out", str(html)]) == 1
