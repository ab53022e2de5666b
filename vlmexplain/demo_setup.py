"""The drawn demo world as a gallery with its finished results: what a first start shows.

The gallery comes in through the COCO importer like any other. Its runs and LGIP results were made
by the shipped models and are shipped too (``data/demo/prepared``): content-addressed, so that
asking for them again is a read; one whose key does not fit this installation is simply not there.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.gallery import Gallery, list_galleries, open_gallery
from vlmexplain.datasets.relocation import relocate_gallery
from vlmexplain.errors import DataError
from vlmexplain.lgip.bulk import run_lgip
from vlmexplain.lgip.packed import pack, place_packed
from vlmexplain.perturb.rules import Mode
from vlmexplain.places import data_folder
from vlmexplain.records import ProgressCallback, no_progress
from vlmexplain.scoring.run import run
from vlmexplain.storage import home, locked, publish_folder

GALLERY_NAME = "drawn-world"
MODELS = ("drawn-clip-plain", "drawn-clip")
"""The newest run is what the app opens on: the better model is run last."""
LGIP_MODES: tuple[Mode, ...] = ("careful", "paper")
"""The newest result is what the LGIP page opens on: the benchmark's own is made last."""
PREPARED = ("runs", "embeddings")
LGIP = "lgip"


@dataclass(frozen=True, slots=True)
class Demo:
    """The demo's gallery, and the keys of the runs and LGIP results that were shipped with it."""

    gallery: Gallery
    runs: tuple[str, ...]
    lgip: tuple[str, ...]


def demo_folder() -> Path:
    """Where the demo world's files are shipped."""
    return data_folder() / "demo"


def is_set_up() -> bool:
    """Whether the demo gallery is already among the galleries."""
    return any(manifest.drawn and GALLERY_NAME in manifest.names for manifest in list_galleries())


def set_up_demo(progress: ProgressCallback = no_progress) -> Demo:
    """Import the drawn world (once) and put its finished results in place; needs no network.

    Raises:
        DataError: the shipped files are not there.
        StoreError: a shipped result is damaged.
    """
    folder = demo_folder()
    if not (folder / "instances.json").is_file():
        raise DataError(
            "the drawn world's files are not there.",
            where=str(folder),
            remedy="They come with the program; VLMEXPLAIN_DATA names another data folder.",
        )
    known = [m for m in list_galleries() if m.drawn and GALLERY_NAME in m.names]
    if known:
        gallery = open_gallery(known[0].id)
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
    prepared = folder / "prepared"
    return Demo(gallery, _place_prepared(prepared), place_packed(prepared / LGIP))


def prepare_demo(out: Path, progress: ProgressCallback = no_progress) -> None:
    """Run and probe the shipped models on the demo gallery; write what is shipped of it to ``out``.

    What an earlier call wrote there goes. Of the embeddings only the images' are kept: texts are
    quickly encoded again, and large.
    """
    demo = set_up_demo(progress)
    _clear(out)
    for model in MODELS:
        finished = run(demo.gallery, model, progress=progress)
        _copy(finished.folder, out / "runs")
        for key in finished.manifest.embeddings:
            manifest = home() / "embeddings" / key / "manifest.json"
            if manifest.is_file() and json.loads(manifest.read_text("utf-8"))["kind"] == "images":
                _copy(manifest.parent, out / "embeddings")
    for mode in LGIP_MODES:
        for model in MODELS:
            pack(run_lgip(demo.gallery, model, mode=mode, progress=progress), out / LGIP)


def _clear(out: Path) -> None:
    """Take away what was prepared before, by its names: results of older models fit no more."""
    for kind in (*PREPARED, LGIP):
        for path in (out / kind).glob("*"):
            if path.is_dir() and re.fullmatch("[0-9a-f]{64}", path.name):
                shutil.rmtree(path)
            elif re.fullmatch(r"texts-[0-9a-f]{16}\.parquet", path.name):
                path.unlink()


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
