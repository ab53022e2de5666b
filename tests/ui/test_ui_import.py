"""Both formats come in through the form of the Import page, as a job in the background."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from test_ui_pages import html_of, open_app


def write_vg(folder: Path) -> dict[str, Path]:
    """One Visual Genome picture with two objects, half its annotated size."""
    (folder / "images").mkdir(parents=True)
    Image.new("RGB", (40, 30), (90, 120, 60)).save(folder / "images" / "7.jpg")
    boxes = {"x": 10, "y": 10, "w": 20, "h": 10}
    objects = [
        {"object_id": 1, "names": ["dog"], "synsets": ["dog.n.01"], **boxes},
        {"object_id": 2, "names": ["kite"], "synsets": [], **boxes},
    ]
    files = {
        "objects": [{"image_id": 7, "objects": objects}],
        "image_data": [{"image_id": 7, "width": 80, "height": 60, "coco_id": None, "url": ""}],
    }
    for name, value in files.items():
        (folder / f"{name}.json").write_text(json.dumps(value))
    return {name: folder / f"{name}.json" for name in files} | {"images": folder / "images"}


@pytest.mark.parametrize("chosen", ["COCO", "Visual Genome"])
def test_a_form_becomes_a_gallery(
    chosen: str, world: Any, fresh_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vlmexplain.datasets.gallery import list_galleries
    from vlmexplain.ui.server.jobs import job_registry

    files = world.files if chosen == "COCO" else write_vg(tmp_path / "vg")
    app = open_app(fresh_home, monkeypatch)
    app.switch_page("pages/import.py").run()
    if chosen != "COCO":
        app.get("button_group")[0].set_value(chosen).run()
    for key, path in files.items():
        app.text_input(key=f"{chosen}-{key}").set_value(str(path))
    app.button[0].click().run()
    deadline = time.monotonic() + 120
    while job_registry().running():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    app.run()
    assert not app.exception
    [manifest] = list_galleries()
    assert "Imported in" in html_of(app)
    if chosen != "COCO":
        assert (manifest.n_images, manifest.n_instances, manifest.n_captions) == (1, 2, 0)
