"""Who decodes changes nothing: threads, processes, one by one; and no process is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError, GalleryError, ModelError
from vlmexplain.models.fake import FakeEncoder
from vlmexplain.models.load import load_model
from vlmexplain.models.protocol import Encoder
from vlmexplain.scoring.decoders import WORKERS, decode_workers, decoders
from vlmexplain.scoring.embedding import embed_gallery
from vlmexplain.scoring.pictures import Pictures
from vlmexplain.scoring.shards import LeftOut

ROOT = Path(__file__).parents[2]

CHILD = """
import os, time
from vlmexplain.datasets.gallery import open_gallery
from vlmexplain.models.fake import FakeEncoder
from vlmexplain.scoring.embedding import embed_gallery

class Slow(FakeEncoder):
    def encode_prepared(self, batch):
        print("begun", flush=True)
        time.sleep(60)

if __name__ == "__main__":
    embed_gallery(open_gallery("made"), Slow(), workers=2)
"""


def one_by_one(gallery: Gallery, encoder: Encoder) -> np.ndarray:
    return np.concatenate(
        [encoder.encode_images([gallery.read_rgb(i)]) for i in range(gallery.n_images)]
    )


def prepared(gallery: Gallery, encoder: Encoder, workers: int) -> list[object]:
    pictures = Pictures(gallery)
    with pictures.prepared(range(len(pictures.contents)), encoder, workers) as stream:
        return list(stream)


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_arrays_do_not_depend_on_who_decodes(gallery: Gallery, workers: int) -> None:
    (gallery.images_folder / "0003.png").write_bytes(b"broken")
    encoder = FakeEncoder()
    found = prepared(gallery, encoder, workers)
    assert [item for item, _ in found] == list(range(30))
    for item, array in found:
        if item == 3:
            assert isinstance(array, LeftOut) and array.code == "image-changed"
        else:
            np.testing.assert_array_equal(array, encoder.preprocess(gallery.read_rgb(item)))


@pytest.mark.timeout(900)  # the worker imports torch, which takes long on a busy machine
def test_a_real_model_gives_the_same_bits_with_any_number_of_workers(make_gallery) -> None:
    made = make_gallery([["a"], ["b"], ["c"]])
    encoder = load_model("drawn-clip", "cpu")
    arrays = [[array for _, array in prepared(made, encoder, workers)] for workers in (0, 1)]
    for one, other in zip(*arrays, strict=True):
        np.testing.assert_array_equal(one, other)
    found = embed_gallery(made, encoder)
    naive = one_by_one(made, encoder)
    assert np.abs(found.image_vectors - naive).max() < 1e-6, "beyond float noise of the batch"


def test_the_number_of_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(WORKERS, raising=False)
    assert decode_workers() == 0 and decode_workers(3) == 3
    monkeypatch.setenv(WORKERS, "2")
    assert decode_workers() == 2 and decode_workers(0) == 0
    for wrong in ("many", "-1", "1000"):
        monkeypatch.setenv(WORKERS, wrong)
        with pytest.raises(DataError, match=f"{WORKERS}.*'{wrong}'"):
            decode_workers()
    with pytest.raises(DataError, match="'-1'"):
        decode_workers(-1)


class Picky(FakeEncoder):
    def preprocess(self, image: Image.Image) -> np.ndarray:
        if image.getpixel((0, 0)) == (1, 2, 3):
            raise ZeroDivisionError("too thin")
        return super().preprocess(image)


class Deadly(FakeEncoder):
    def preprocess(self, image: Image.Image) -> np.ndarray:
        if image.getpixel((0, 0)) == (1, 2, 3):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().preprocess(image)


@pytest.mark.parametrize("workers", [0, 2])
def test_an_error_names_the_picture(make_gallery, workers: int) -> None:
    made = make_gallery([["a"], ["b"]], colours=[(9, 9, 9), (1, 2, 3)])
    with pytest.raises(ModelError, match=r"0001\.png: cannot be made fit.*ZeroDivisionError"):
        embed_gallery(made, Picky(), workers=workers)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_folder_that_is_gone_is_said_by_workers_too(make_gallery, workers: int) -> None:
    made = make_gallery([["a"], ["b"]], colours=[(9, 9, 9), (1, 2, 3)])
    made.images_folder.rename(made.images_folder.with_name("elsewhere"))
    with pytest.raises(GalleryError, match="relocate"):
        embed_gallery(made, FakeEncoder(), workers=workers)


def test_a_worker_that_dies_is_told_with_the_picture_it_read(make_gallery) -> None:
    made = make_gallery([["a"], ["b"]], colours=[(9, 9, 9), (1, 2, 3)])
    with pytest.raises(DataError, match=r"0001\.png: a process that decodes .* killed"):
        embed_gallery(made, Deadly(), workers=1)
    assert embed_gallery(made, FakeEncoder(), workers=1).left_out == {}


def test_no_worker_outlives_its_work() -> None:
    with decoders(abs, 2) as submit:
        assert [submit(n).result() for n in (-3, -4)] == [3, 4]
        assert len(children(os.getpid())) >= 2
    assert not children(os.getpid(), "spawn_main")


EARLY = """
import os, signal, sys
if "spawn_main" in " ".join(sys.orig_argv):
    os.kill(os.getpid(), signal.SIGINT)
"""


def test_ctrl_c_while_a_worker_starts_is_not_for_it(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(EARLY)  # Python imports it as it starts
    script = tmp_path / "child.py"
    script.write_text(
        "from vlmexplain.scoring.decoders import decoders\n"
        "if __name__ == '__main__':\n"
        "    with decoders(abs, 2) as submit:\n"
        "        print([future.result() for future in (submit(-3), submit(-4))])\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))},
    )
    assert (done.stdout, done.stderr) == ("[3, 4]\n", "")


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_program_leaves_no_worker(gallery: Gallery, tmp_path: Path, end: int) -> None:
    script = tmp_path / "child.py"
    script.write_text(CHILD)
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    assert process.stdout is not None and process.stderr is not None
    assert process.stdout.readline() == "begun\n"
    workers = children(process.pid, "spawn_main")
    assert len(workers) == 2
    if end == signal.SIGINT:  # as a terminal does: the whole group
        os.killpg(process.pid, end)
    else:
        process.send_signal(end)
    said = process.stderr.read()  # until the last process has closed it
    process.wait(timeout=60)
    deadline = time.monotonic() + 60
    while any(alive(worker) for worker in workers):
        assert time.monotonic() < deadline, "a worker outlived the program"
        time.sleep(0.05)
    assert said.count("Traceback") <= 1, "workers keep silent on Ctrl-C"


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children(pid: int, word: str = "") -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            line = (folder / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if parent == pid and word in line:
            found.append(int(folder.name))
    return found
