"""Nothing to show: no failure, no annotation, no caption. Every page says so and shows no zero."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from vlmexplain.cli import main
from vlmexplain.datasets.coco import import_coco
from vlmexplain.errors import VlmexplainError
from vlmexplain.handover.failures import collect_failures
from vlmexplain.handover.html_page import as_html
from vlmexplain.overview.audit import SIGNS
from vlmexplain.overview.gallery_table import gallery_table
from vlmexplain.overview.near_duplicates import hash_pictures
from vlmexplain.scoring.run import run
from vlmexplain.ui.shared.words import DRAWN

VIEWS = {
    "overview": [{"view": v} for v in ("figures", "distributions", "slices", "concepts")],
    "compare": [{}, {"quadrant": "all"}],
    "audit": [{"sign": sign} for sign in SIGNS],
    "present": [{}],
    "gallery": [{"gview": v} for v in ("checks", "pictures", "concepts", "runs", "sizes")],
}
MODULES = {
    "overview": "overview.page:overview_page",
    "compare": "compare.page:compare_page",
    "audit": "audit.page:audit_page",
    "present": "handover.present:present_page",
    "gallery": "gallery.page:gallery_page",
}
WORLDS = {  # images: captions and objects of each
    "no failure": [(["a dog", "one dog"], ["dog"])],
    "no annotation": [(["a dog"], []), (["a cat"], []), (["two birds"], [])],
    "no caption": [([], ["dog"]), ([], ["cat", "dog"])],
}


def make(folder: Path, images: list[tuple[list[str], list[str]]], drawn: bool = False) -> Any:
    (folder / "images").mkdir(parents=True)
    names = ["dog", "cat"]
    listed, captions, instances = [], [], []
    for n, (texts, objects) in enumerate(images, 1):
        noise = np.random.default_rng(n).integers(0, 256, (6, 8, 3), dtype=np.uint8)
        Image.fromarray(noise).resize((64, 48)).save(folder / "images" / f"{n}.png")
        listed.append({"id": n, "file_name": f"{n}.png", "width": 64, "height": 48})
        captions += [{"id": 10 * n + i, "image_id": n, "caption": t} for i, t in enumerate(texts)]
        instances += [
            {"id": 10 * n + i, "image_id": n, "category_id": names.index(name) + 1, "iscrowd": 0,
             "bbox": [4, 4, 20, 20]}
            for i, name in enumerate(objects)
        ]  # fmt: skip
    categories = [{"id": n, "name": name} for n, name in enumerate(names, 1)]
    files: dict[str, dict[str, Any]] = {
        "instances": {
            "info": {"drawn_world": drawn},
            "images": listed,
            "annotations": instances,
            "categories": categories,
        },
        "captions": {"images": listed, "annotations": captions},
    }
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return import_coco(folder / "instances.json", folder / "captions.json", folder / "images",
                       name="made")  # fmt: skip


def draw(page: str, parameters: dict[str, str]) -> str:
    module, function = MODULES[page].split(":")
    script = f"from vlmexplain.ui.{module} import {function}\n{function}()\n"
    app = AppTest.from_string(script, default_timeout=120)
    for key, value in parameters.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception, (page, parameters, app.exception)
    return html.unescape("\n".join(e.proto.body for e in app.get("html") if e.proto.body))


@pytest.mark.parametrize("name", list(WORLDS))
def test_every_page_draws_and_undefined_is_never_a_number(
    fresh_home: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    gallery = make(tmp_path / "world", WORLDS[name])
    try:
        runs = [run(gallery, "fake"), run(gallery, "fake-text")]
    except VlmexplainError as error:
        assert name == "no caption" and str(error)
        runs = []
    hash_pictures(gallery)
    for page, views in VIEWS.items():
        for parameters in views:
            shown = draw(page, parameters)
            assert "nan" not in re.sub(r"<style>.*?</style>", "", shown, flags=re.S).split()
    if not runs:
        assert "No model has ranked" in draw("overview", {})
        return
    table = gallery_table(gallery.id)
    for row in table.rows:
        for key in ("ca", "ncs_micro", "ncs_macro", "ce", "ce_mode", "sd", "q_ca", "q_sd"):
            assert (table.figure(row, key).value, table.figure(row, key).n_cases) == (None, 0), key
    shown = draw("overview", {})
    cells = re.findall(r'data-figure="(?:ca|ce|sd)"><div class="value"><span class="(\w+)">', shown)
    assert cells == ["undefined"] * 3 * len(table.rows)
    for style in ("text", "csv", "markdown", "latex"):
        assert main(["table", "--gallery", "made", "--format", style]) == 0
        assert "nan" not in capsys.readouterr().out.lower().split()
    page = as_html(collect_failures(gallery, runs[0], range(gallery.n_captions)))
    assert "undefined" in page or name == "no failure"


@pytest.mark.parametrize("drawn", [True, False])
def test_numbers_of_the_drawn_world_say_so(fresh_home: Path, tmp_path: Path, drawn: bool) -> None:
    pairs = [(["a dog", "the dog"], ["dog"]), (["a cat", "a dog"], ["cat"]), (["two cats"], [])]
    gallery = make(tmp_path / "world", pairs, drawn)
    for model in ("fake", "fake-text"):
        run(gallery, model)
    hash_pictures(gallery)
    for page, views in VIEWS.items():
        for parameters in (*views, {"behind": "figure:mrr"}) if page == "overview" else views:
            assert (DRAWN in draw(page, parameters)) == drawn, (page, parameters)
