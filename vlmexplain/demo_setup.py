"""The drawn demo world as a gallery with its finished runs: what a first start shows.

The gallery comes in through the COCO importer like any other. Its runs were made by the shipped
models and are shipped too (``data/demo/prepared``): content-addressed, so that asking for
them again is a read; a run whose key does not fit this installation is simply not there.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.gallery import Gallery, list_galleries, open_gallery
from vlmexplain.datasets.relocation import relocate_gallery
from vlmexplain.errors import DataError
from vlmexplain.models.spec import data_folder
from vlmexplain.records import ProgressCallback, no_progress
from vlmexplain.scoring.run import run
from vlmexplain.storage import home, locked, publish_folder

GALLERY_NAME = "drawn-world"
MODELS = ("drawn-clip-plain", "drawn-clip")
"""The newest run is what the app opens on: the better model is run last."""
PREPARED = ("runs", "embeddings")


@dataclass(frozen=True, slots=True)
class Demo:
    """The demo's gallery, and the runs of it that were shipped ready-made, by key."""

    gallery: Gallery
    runs: tuple[str, ...]


def demo_folder() -> Path:
    """Where the demo world's files are shipped."""
    return data_folder() / "demo"


def is_set_up() -> bool:
    """Whether the demo gallery is already among the galleries."""
    return any(manifest.drawn and GALLERY_NAME in manifest.names for manifest in list_galleries())


def set_up_demo(progress: ProgressCallback = no_progress) -> Demo:
    """Import the drawn world (once) and put its finished runs in place; needs no network.

    Raises:
        DataError: the shipped files are not there.
    """
    folder = demo_folder()
    if not (folder / "instances.json").is_file():
        raise DataError(
            "the drawn world's files are not there.",
            where=str(folder),
            remedy="They come with a checkout; set VLMEXPLAIN_DATA to its data folder.",
        )
    if is_set_up():
        gallery = open_gallery(GALLERY_NAME)
        if gallery.images_folder != folder / "images":  # another checkout
            gallery = relocate_gallery(gallery.id, folder / "images")
    else:
        gallery = import_coco(
            folder / "instances.json",
            folder / "captions.json",
            folder / "images",
            name=GALLERY_NAME,
            progress=progress,
        )
    return Demo(gallery, _place_prepared(folder / "prepared"))


def prepare_runs(out: Path, progress: ProgressCallback = no_progress) -> None:
    """Run the shipped models on the demo gallery and write what is shipped of it to ``out``.

    Of the embeddings only the images' are kept: texts are quickly encoded again, and large.
    """
    demo = set_up_demo(progress)
    for model in MODELS:
        finished = run(demo.gallery, model, progress=progress)
        _copy(finished.folder, out / "runs")
        for key in finished.manifest.embeddings:
            folder = home() / "embeddings" / key
            if json.loads((folder / "manifest.json").read_text("utf-8"))["kind"] == "images":
                _copy(folder, out / "embeddings")


def _copy(folder: Path, into: Path) -> None:
    shutil.copytree(folder, into / folder.name, dirs_exist_ok=True)


def _place_prepared(prepared: Path) -> tuple[str, ...]:
    placed = []
    for kind in PREPARED:
        for source in sorted((prepared / kind).glob("*")):
            target = home() / kind / source.name
            if source.is_dir() and not target.exists():
                with locked(target), publish_folder(target) as scratch:
                    shutil.copytree(source, scratch, dirs_exist_ok=True)
            if kind == "runs":
                placed.append(source.name)
    return tuple(placed)
