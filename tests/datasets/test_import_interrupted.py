from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from handmade import coco_files

from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.gallery import list_galleries, open_gallery

Write = Callable[..., tuple[Path, Path, Path]]

SCRIPT = """
import contextlib, sys, time
from pathlib import Path
from vlmexplain.datasets import import_request
from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.coco import import_coco

instances, captions, images, stage, folder = sys.argv[1:6]
folder = Path(folder)
own_locked = import_request.storage.locked

@contextlib.contextmanager
def locked(target):
    if target.name.startswith("import-"):
        (folder / "asks").touch()
    with own_locked(target):
        yield

def progress(p):
    if p.stage.startswith(stage):
        (folder / "came").touch()
        while not (folder / "go").exists():
            time.sleep(0.02)

import_request.storage.locked = locked
gallery = import_coco(
    Path(instances), Path(captions), Path(images), name="small", progress=progress
)
print(gallery.id)
"""


Start = Callable[[tuple[Path, ...], str, Path], "subprocess.Popen[str]"]


@pytest.fixture
def start(fresh_home: Path) -> Iterator[Start]:
    """Starts imports, with WordNet set up beforehand; none of them outlives the test."""
    load_wordnet()
    begun: list[subprocess.Popen[str]] = []

    def begin(paths: tuple[Path, ...], stage: str, folder: Path) -> subprocess.Popen[str]:
        begun.append(start_process(paths, stage, folder))
        return begun[-1]

    yield begin
    for process in begun:
        process.kill()
        process.communicate()


def start_process(paths: tuple[Path, ...], stage: str, folder: Path) -> subprocess.Popen[str]:
    """Import in another process: it leaves ``asks`` before it asks for the lock, and ``came`` at
    ``stage``, where it waits for ``go``."""
    folder.mkdir()
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *map(str, paths), stage, str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )


def wait_for(path: Path) -> None:
    end = time.monotonic() + 200
    while not path.exists():
        assert time.monotonic() < end, "the import did not come so far"
        time.sleep(0.02)


@pytest.mark.parametrize("stage", ["Looking at the pictures", "WordNet paths"])
def test_a_killed_import_leaves_nothing_half_made(
    start: Start, fresh_home: Path, coco_folder: Write, tmp_path: Path, stage: str
) -> None:
    paths = coco_folder(*coco_files(3))
    process = start(paths, stage, tmp_path / "one")
    wait_for(tmp_path / "one" / "came")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert list_galleries() == []
    left = list((fresh_home / "galleries").glob(".partial-*"))
    assert len(left) == (1 if stage == "WordNet paths" else 0)
    gallery = import_coco(*paths, name="small")  # the lock of the dead is free
    assert gallery.n_images == 3 and gallery.checks().findings == ()
    assert not list((fresh_home / "galleries").glob(".partial-*"))


def test_two_at_once_do_it_once(start: Start, coco_folder: Write, tmp_path: Path) -> None:
    paths, one, two = coco_folder(*coco_files(3)), tmp_path / "one", tmp_path / "two"
    first = start(paths, "Writing the gallery", one)
    wait_for(one / "came")
    second = start(paths, "Reading", two)
    wait_for(two / "asks")
    (one / "go").touch()
    (two / "go").touch()
    ids = {process.communicate(timeout=200)[0].strip() for process in (first, second)}
    assert ids == {open_gallery("small").id}
    assert first.returncode == second.returncode == 0
    assert not (two / "came").exists()  # the second found it made while it waited


def test_different_imports_do_not_wait_for_each_other(
    start: Start, coco_folder: Write, tmp_path: Path
) -> None:
    slow = start(coco_folder(*coco_files(3)), "Looking at the pictures", tmp_path / "one")
    wait_for(tmp_path / "one" / "came")
    import_coco(*coco_folder(*coco_files(2), name="other"), name="other")
    assert slow.poll() is None
