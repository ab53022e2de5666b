"""The Gallery page: what it says of a data set, and that each finding leads to its pictures."""

from __future__ import annotations

import html
import re
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

sys.path.insert(0, str(Path(__file__).parents[1] / "ui"))

from ui_world import CAPTIONS, IMAGES, write_world

from vlmexplain.datasets.checks import Finding
from vlmexplain.datasets.coco import import_coco
from vlmexplain.lgip.bulk import run_lgip
from vlmexplain.overview.finding_pictures import finding_images
from vlmexplain.scoring.run import run

APP = "from vlmexplain.ui.pages.gallery.page import gallery_page\ngallery_page()\n"


def said(**parameters: str) -> str:
    app = AppTest.from_string(APP, default_timeout=90)
    for name, value in parameters.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    return html.unescape("\n".join(e.proto.body for e in app.get("html") if e.proto.body))


@pytest.fixture
def gallery(fresh_home: Path, tmp_path: Path) -> Any:
    files = write_world(tmp_path / "world")
    content = (files["images"] / "1.png").read_bytes()
    (files["images"] / "5.png").write_bytes(content)  # the same picture, and another size
    return import_coco(**files, name="Made <b>world</b>")


def test_what_the_gallery_holds(gallery: Any) -> None:
    page = said()
    assert "<b>world" not in page.replace("Made <b>world</b>", "")
    for name, n in (("Images", gallery.n_images), ("Captions", gallery.n_captions),
                    ("Annotated objects", gallery.n_instances),
                    ("Concepts", len(gallery.concepts))):  # fmt: skip
        assert f'<dt>{name}</dt><dd class="v">{n:,}</dd>' in page
    assert gallery.id in page


def test_every_finding_leads_to_its_pictures(gallery: Any) -> None:
    page = said()
    links = re.findall(r'href="(\./gallery\?[^"]*finding=[^"]+)"', page)
    codes = {parse_qs(urlsplit(link).query)["finding"][0] for link in links}
    assert codes == {finding.code for finding in gallery.checks().findings}
    assert {"box-missing", "image-same-picture"} <= codes
    for finding in gallery.checks().findings:
        shown = said(gview="checks", finding=finding.code)
        tiles = re.findall(r"gimage=(\d+)", shown)
        assert sorted(set(map(int, tiles))) == finding_images(gallery, finding).tolist()


def test_images_of_a_finding_by_flag_by_image_by_caption(gallery: Any) -> None:
    found = {f.code: finding_images(gallery, f).tolist() for f in gallery.checks().findings}
    boxless = [n for n, (_, _, things) in enumerate(IMAGES) if any(b is None for _, b in things)]
    assert found["box-missing"] == boxless
    assert found["image-same-picture"] == [0, 4]
    ids = [gallery.caption(q).caption_id for q in (0, 5)]
    expected = sorted({gallery.caption(q).image_index for q in (0, 5)})
    for code in ("caption-trimmed", "caption-damaged-text"):
        assert finding_images(gallery, Finding(code, 2, tuple(ids))).tolist() == expected
    assert finding_images(gallery, Finding("caption-empty", 1, (ids[0],))).tolist() == []
    assert finding_images(gallery, Finding("category-synset-none", 1, ("1",))).tolist() == []
    assert found["box-missing"] and np.all(np.diff(found["image-same-picture"]) > 0)


def test_pictures_with_captions_and_concepts(gallery: Any) -> None:
    page = said(gview="pictures")
    assert page.count('loading="lazy"') == len(IMAGES)
    page = said(gview="pictures", gimage="2")
    assert all(text in page for text in CAPTIONS[2])
    assert page.count('class="bx common"') == 2
    dogs = said(gview="pictures", gconcept="dog.n.01")
    has_dog = [n for n, (_, _, things) in enumerate(IMAGES) if any(c == 1 for c, _ in things)]
    assert [int(n) for n in re.findall(r"gimage=(\d+)", dogs)] == has_dog
    concepts = said(gview="concepts")
    assert all(f'title="{name}"' in concepts for name in gallery.concepts)


def test_runs_with_their_origin_and_sizes(gallery: Any) -> None:
    assert "No model has ranked" in said(gview="runs")
    finished = run(gallery, "fake")
    probed = run_lgip(gallery, "fake")
    page = said(gview="runs")
    assert finished.key in page and probed.key in page
    assert finished.model.digest in page
    assert f"{finished.manifest.n_failures:,} of {gallery.n_captions:,} queries" in page
    sizes = said(gview="sizes")
    for name in ("Data sets", "Runs", "Embeddings"):
        assert f"<dt>{name}</dt>" in sizes


def test_without_a_gallery(fresh_home: Path) -> None:
    assert "No gallery is chosen" in said()
