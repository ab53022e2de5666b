"""Embeddings: kept by content, resumed after a kill, shared by processes, honest about gaps."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import Cancelled, ModelError
from vlmexplain.models.fake import FakeEncoder
from vlmexplain.models.protocol import UnfitPicture
from vlmexplain.records import Progress
from vlmexplain.scoring import shards
from vlmexplain.scoring.embedding import embed, embed_gallery, known_left_out
from vlmexplain.scoring.pictures import Pictures
from vlmexplain.scoring.shards import ShardFolder

ROOT = Path(__file__).parents[2]

CHILD = """
import os, sys, time
from vlmexplain.datasets.gallery import open_gallery
from vlmexplain.models.fake import FakeEncoder
from vlmexplain.scoring import embedding, shards

shards.SHARD_ROWS = {"images": 4, "texts": 4}
embedding.TEXT_BATCH = embedding.IMAGE_BATCH = 2
log = open(sys.argv[1], "a", buffering=1)

class Slow(FakeEncoder):
    def encode_texts(self, texts):
        time.sleep(0.03)
        for text in texts:
            log.write("text\\n")
        return super().encode_texts(texts)

    def encode_prepared(self, batch):
        time.sleep(0.03)
        for _ in batch:
            log.write("image\\n")
        return super().encode_prepared(batch)

def say(progress):
    print(progress.stage, progress.done, flush=True)

print("ready", flush=True)
embedding.embed_gallery(open_gallery("made"), Slow(), say)
print("finished", flush=True)
"""


def child(log: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(log)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "SHARD_ROWS", {"images": 4, "texts": 4})


def loads_nothing() -> FakeEncoder:
    raise AssertionError("the model was loaded although everything is there")


def test_embeddings_are_the_models_and_the_second_time_read(gallery: Gallery) -> None:
    encoder = FakeEncoder()
    found = embed_gallery(gallery, encoder)
    captions = [gallery.caption(q).text for q in range(gallery.n_captions)]
    assert [found.texts[t] for t in found.text_of_caption] == captions
    assert len(found.texts) == len(set(captions)) < len(captions)
    np.testing.assert_array_equal(found.text_vectors, encoder.encode_texts(found.texts))
    pictures = [gallery.read_rgb(i) for i in range(gallery.n_images)]
    np.testing.assert_array_equal(found.image_vectors, encoder.encode_images(pictures))
    again = embed(gallery, encoder.identity, encoder.mode, loads_nothing)
    np.testing.assert_array_equal(again.text_vectors, found.text_vectors)
    np.testing.assert_array_equal(again.image_vectors, found.image_vectors)
    assert known_left_out(gallery, encoder.identity, encoder.mode) == {}


def test_another_model_has_embeddings_of_its_own(gallery: Gallery) -> None:
    one, other = embed_gallery(gallery, FakeEncoder(0)), embed_gallery(gallery, FakeEncoder(1))
    assert not set(one.keys) & set(other.keys)
    assert not np.array_equal(one.text_vectors, other.text_vectors)


def test_a_text_model_reads_no_picture(gallery: Gallery, monkeypatch) -> None:
    monkeypatch.setattr(Gallery, "read_rgb", lambda *_: pytest.fail("a picture was read"))
    found = embed_gallery(gallery, FakeEncoder(mode="text-text"))
    assert found.image_vectors is None and found.left_out == {}


def test_equal_pictures_are_embedded_once(make_gallery, monkeypatch) -> None:
    made = make_gallery([["a"], ["b"], ["c"]], colours=[(1, 2, 3), (9, 9, 9), (1, 2, 3)])
    rows: list[int] = []
    real = FakeEncoder.encode_prepared
    monkeypatch.setattr(
        FakeEncoder, "encode_prepared", lambda self, b: rows.append(len(b)) or real(self, b)
    )
    found = embed_gallery(made, FakeEncoder())
    assert sum(rows) == 2
    np.testing.assert_array_equal(found.image_vectors[0], found.image_vectors[2])


def test_killed_at_any_moment_and_resumed(gallery: Gallery, tmp_path: Path, small_shards) -> None:
    log, kills, done = tmp_path / "log", 0, False
    rng = random.Random(7)
    while not done:
        process = child(log)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        if kills < 4:
            time.sleep(rng.uniform(0.02, 0.35))
            process.kill()
            kills += 1
        done = "finished" in process.stdout.read()
        process.wait()
    # At most the shard that was being made is made again.
    made = log.read_text().split()
    texts = len({gallery.caption(q).text for q in range(gallery.n_captions)})
    assert texts <= made.count("text") <= texts + 4 * kills
    assert gallery.n_images <= made.count("image") <= gallery.n_images + 4 * kills
    found = embed(gallery, FakeEncoder().identity, "image-text", loads_nothing)
    np.testing.assert_array_equal(found.text_vectors, FakeEncoder().encode_texts(found.texts))
    pictures = [gallery.read_rgb(i) for i in range(gallery.n_images)]
    np.testing.assert_array_equal(found.image_vectors, FakeEncoder().encode_images(pictures))
    kept = Path(os.environ["VLMEXPLAIN_HOME"]) / "embeddings"
    assert not [p for p in kept.iterdir() if p.is_dir() and p.name.startswith(".")]


def test_two_processes_do_the_work_once(gallery: Gallery, tmp_path: Path, small_shards) -> None:
    log = tmp_path / "log"
    processes = [child(log) for _ in range(2)]
    outputs = [process.communicate(timeout=200)[0] for process in processes]
    assert all("finished" in output for output in outputs)
    made = log.read_text().split()
    assert made.count("image") == gallery.n_images
    assert made.count("text") == len({gallery.caption(q).text for q in range(gallery.n_captions)})
    for stage in ("embed texts", "embed images"):  # each has a turn of its own
        assert sum(f"wait for another process: {stage}" in output for output in outputs) <= 1


def test_waiting_says_so_and_can_be_cancelled(gallery: Gallery) -> None:
    from vlmexplain.storage import locked

    store = _text_store(gallery)
    seen: list[str] = []

    def stop(progress: Progress) -> None:
        seen.append(progress.stage)
        raise Cancelled("stopped")

    with locked(store.folder), pytest.raises(Cancelled):
        embed_gallery(gallery, FakeEncoder(), stop)
    assert seen == ["wait for another process: embed texts"]


@pytest.mark.parametrize("damage", ["cut", "flip", "remove", "remove the voucher"])
def test_a_torn_shard_is_made_again(gallery: Gallery, small_shards, damage: str) -> None:
    before = embed_gallery(gallery, FakeEncoder())
    folder = Path(os.environ["VLMEXPLAIN_HOME"]) / "embeddings" / before.keys[1]
    shard = folder / "shard-00002.npy"
    content = shard.read_bytes()
    if damage == "cut":
        shard.write_bytes(content[:-5])
    elif damage == "flip":
        shard.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif damage == "remove":
        shard.unlink()
    else:
        shard.with_suffix(".json").unlink()
    seen: list[Progress] = []
    after = embed_gallery(gallery, FakeEncoder(), seen.append)
    np.testing.assert_array_equal(after.image_vectors, before.image_vectors)
    assert [p.done for p in seen] == [gallery.n_images], "only the one shard of 4 is made again"


def test_a_changed_or_missing_picture_is_left_out_and_comes_back(gallery: Gallery) -> None:
    changed, missing = gallery.images_folder / "0002.png", gallery.images_folder / "0005.png"
    originals = changed.read_bytes(), missing.read_bytes()
    changed.write_bytes(originals[1])
    missing.unlink()
    found = embed_gallery(gallery, FakeEncoder())
    assert set(found.left_out) == {2, 5}
    assert found.left_out[2][0] == "image-changed" and found.left_out[5][0] == "image-missing"
    assert np.isnan(found.image_vectors[[2, 5]]).all()
    assert np.isfinite(np.delete(found.image_vectors, [2, 5], axis=0)).all()
    assert known_left_out(gallery, FakeEncoder().identity, "image-text") == found.left_out

    changed.write_bytes(originals[0])
    assert known_left_out(gallery, FakeEncoder().identity, "image-text") is None
    found = embed_gallery(gallery, FakeEncoder())
    assert set(found.left_out) == {5}
    missing.write_bytes(originals[1])
    found = embed_gallery(gallery, FakeEncoder())
    assert found.left_out == {} and np.isfinite(found.image_vectors).all()


def test_a_picture_that_changes_later_keeps_its_embedding(gallery: Gallery) -> None:
    before = embed_gallery(gallery, FakeEncoder())
    (gallery.images_folder / "0002.png").unlink()
    after = embed(gallery, FakeEncoder().identity, "image-text", loads_nothing)
    np.testing.assert_array_equal(after.image_vectors, before.image_vectors)


def test_no_picture_can_be_read(gallery: Gallery) -> None:
    for path in gallery.images_folder.glob("*.png"):
        path.write_bytes(b"")
    found = embed_gallery(gallery, FakeEncoder())
    assert set(found.left_out) == set(range(gallery.n_images))
    assert np.isnan(found.image_vectors).all()


def test_cancelled_work_keeps_its_shards(gallery: Gallery, small_shards) -> None:
    def stop(progress: Progress) -> None:
        if progress.stage == "embed images" and progress.done >= 12:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        embed_gallery(gallery, FakeEncoder(), stop)
    store = ShardFolder("images", FakeEncoder().identity, Pictures(gallery).contents)
    assert store.read() is None and store.left_out() is None
    seen: list[Progress] = []
    embed_gallery(gallery, FakeEncoder(), seen.append)
    # The shard at whose end it was stopped was not written; the two before it were.
    assert seen[0].done == 12


def test_a_model_without_a_usable_embedding(gallery: Gallery, monkeypatch) -> None:
    real = FakeEncoder.encode_prepared

    def broken(self: FakeEncoder, batch: np.ndarray) -> np.ndarray:
        vectors = real(self, batch)
        vectors[1] = np.nan
        return vectors

    monkeypatch.setattr(FakeEncoder, "encode_prepared", broken)
    found = embed_gallery(gallery, FakeEncoder())
    assert found.left_out[1][0] == "no-embedding"
    monkeypatch.setattr(
        FakeEncoder, "encode_texts", lambda self, texts: np.zeros((len(texts), 64), np.float32)
    )
    with pytest.raises(ModelError, match="no embedding of length 1"):
        embed_gallery(gallery, FakeEncoder(5))


def _text_store(gallery: Gallery) -> ShardFolder:
    from vlmexplain.scoring.embedding import _sha256, distinct_texts

    texts, _ = distinct_texts(gallery)
    return ShardFolder("texts", FakeEncoder().identity, [_sha256(text) for text in texts])


def test_a_picture_that_the_model_cannot_take_is_left_out(gallery: Gallery, monkeypatch) -> None:
    real, seen = FakeEncoder.preprocess, []

    def picky(self: FakeEncoder, image: Image.Image) -> np.ndarray:
        seen.append(image)
        if len(seen) == 1:
            raise UnfitPicture("is too oblong for the model.")
        return real(self, image)

    monkeypatch.setattr(FakeEncoder, "preprocess", picky)
    monkeypatch.setenv("VLMEXPLAIN_DECODE_WORKERS", "0")
    found = embed_gallery(gallery, FakeEncoder())
    assert list(found.left_out.values()) == [("no-embedding", "is too oblong for the model.")]
    again = embed(gallery, FakeEncoder().identity, "image-text", loads_nothing)
    assert again.left_out == found.left_out, "it is not tried again each time"
