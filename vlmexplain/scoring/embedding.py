"""Embeddings of a gallery's captions and pictures, kept by content and made once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import ModelError
from vlmexplain.models.protocol import Encoder, Mode
from vlmexplain.records import ModelIdentity, Progress, ProgressCallback, no_progress
from vlmexplain.scoring.pictures import NO_EMBEDDING, Pictures
from vlmexplain.scoring.shards import LeftOut, ShardFolder, StoredEmbeddings
from vlmexplain.scoring.turns import take_turn

TEXT_BATCH = 256
IMAGE_BATCH = 64

LoadEncoder = Callable[[], Encoder]
"""Gives the model when something really has to be embedded."""


@dataclass(frozen=True, slots=True)
class Embeddings:
    """What a model makes of a gallery.

    Attributes:
        model: whose embeddings they are.
        mode: ``image-text`` or ``text-text``.
        texts: the distinct caption texts, blanks at the ends trimmed.
        text_of_caption: int32 [n_captions] into ``texts``.
        text_vectors: float32 [n_texts, d], L2-normalised.
        image_vectors: float32 [n_images, d], NaN rows for pictures left out; None for a model
            that reads no images.
        left_out: image -> (code, reason) for each picture without an embedding.
        keys: the folders under ``embeddings/`` that hold them.
    """

    model: ModelIdentity
    mode: Mode
    texts: tuple[str, ...]
    text_of_caption: NDArray[np.int32]
    text_vectors: NDArray[np.float32]
    image_vectors: NDArray[np.float32] | None
    left_out: dict[int, tuple[str, str]]
    keys: tuple[str, ...]


def embed_gallery(
    gallery: Gallery,
    encoder: Encoder,
    progress: ProgressCallback = no_progress,
    workers: int | None = None,
) -> Embeddings:
    """The embeddings of a gallery, from disk where they are there.

    Args:
        gallery: whose captions and pictures to embed.
        encoder: the model.
        progress: called after each batch; may raise `Cancelled`, whole shards are kept.
        workers: how many processes decode pictures, 0 for threads; None for what
            ``VLMEXPLAIN_DECODE_WORKERS`` says, else threads.

    Raises:
        StoreError: the program's folder cannot be written.
        ModelError: the model gives no finite embedding for a caption, or cannot take a picture.
        DataError: no such number of workers, or one of them died.
    """
    return embed(gallery, encoder.identity, encoder.mode, lambda: encoder, progress, workers)


def embed(
    gallery: Gallery,
    model: ModelIdentity,
    mode: Mode,
    load: LoadEncoder,
    progress: ProgressCallback = no_progress,
    workers: int | None = None,
) -> Embeddings:
    """As `embed_gallery`, for a model that is loaded only when something is missing."""
    texts, text_of_caption = distinct_texts(gallery)
    text_store = text_shards(model, texts)
    stored = text_store.read() or _embed_texts(text_store, texts, load, progress)
    image_vectors: NDArray[np.float32] | None = None
    left_out: dict[int, tuple[str, str]] = {}
    keys: tuple[str, ...] = (text_store.key,)
    if mode == "image-text":
        pictures = Pictures(gallery)
        image_store = ShardFolder("images", model, pictures.contents)
        found = _embed_images(image_store, pictures, load, progress, workers)
        image_vectors = _vectors_by_image(found, pictures)
        left_out = _by_image(found.left_out, pictures)
        keys = (text_store.key, image_store.key)
    return Embeddings(
        model, mode, texts, text_of_caption, stored.vectors, image_vectors, left_out, keys
    )


def known_left_out(
    gallery: Gallery, model: ModelIdentity, mode: Mode
) -> dict[int, tuple[str, str]] | None:
    """What `embed` would leave out, told without reading vectors; None when not yet embedded."""
    if mode == "text-text":
        return {}
    pictures = Pictures(gallery)
    left_out = ShardFolder("images", model, pictures.contents).left_out()
    if left_out is None or pictures.now_readable(left_out):
        return None
    return _by_image(left_out, pictures)


def stored_embeddings(gallery: Gallery, model: ModelIdentity, mode: Mode) -> Embeddings | None:
    """What `embed` made before, read from disk; None when it is not there.

    Of an image-text model the images' embeddings are enough: without those of the texts the
    result has no texts, and ``text_of_caption`` is -1 throughout.
    """
    texts, text_of_caption = distinct_texts(gallery)
    text_store = text_shards(model, texts)
    stored = text_store.read()
    if mode == "text-text":
        if stored is None:
            return None
        key = text_store.key
        return Embeddings(model, mode, texts, text_of_caption, stored.vectors, None, {}, (key,))
    pictures = Pictures(gallery)
    image_store = ShardFolder("images", model, pictures.contents)
    found = image_store.read()
    if found is None:
        return None
    vectors, left_out = _vectors_by_image(found, pictures), _by_image(found.left_out, pictures)
    if stored is None:
        none = np.full_like(text_of_caption, -1)
        no_vectors = np.empty((0, vectors.shape[1]), dtype=np.float32)
        return Embeddings(model, mode, (), none, no_vectors, vectors, left_out, (image_store.key,))
    keys = (text_store.key, image_store.key)
    return Embeddings(model, mode, texts, text_of_caption, stored.vectors, vectors, left_out, keys)


def distinct_texts(gallery: Gallery) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """The distinct caption texts in order of appearance, and int32 [n_captions] into them."""
    number: dict[str, int] = {}
    captions = gallery.captions_table.column("text").to_pylist()
    of_caption = [number.setdefault(text.strip(), len(number)) for text in captions]
    return tuple(number), np.array(of_caption, dtype=np.int32)


def text_shards(model: ModelIdentity, texts: Sequence[str]) -> ShardFolder:
    """Where a model's embeddings of these texts are kept."""
    return ShardFolder("texts", model, [_sha256(text) for text in texts])


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _embed_texts(
    store: ShardFolder, texts: Sequence[str], load: LoadEncoder, progress: ProgressCallback
) -> StoredEmbeddings:
    with take_turn(store.folder, "embed texts", progress):
        found = store.read()
        if found is not None:
            return found
        missing = store.reopen()
        done = len(texts) - sum(len(store.rows_of(shard)) for shard in missing)
        for shard in missing:
            rows = store.rows_of(shard)
            vectors = embed_text_shard(
                texts[rows.start : rows.stop], load(), done, len(texts), progress
            )
            store.write(shard, vectors, ())
            done += len(rows)
        store.finish()
        return _read_back(store)


def embed_text_shard(
    texts: Sequence[str], encoder: Encoder, done: int, total: int, progress: ProgressCallback
) -> NDArray[np.float32]:
    """float32 [len(texts), d]; batches of texts of like length waste little padding.

    Raises:
        ModelError: the model gives no finite embedding for a text.
    """
    vectors = np.empty((len(texts), encoder.dimension), dtype=np.float32)
    by_length = sorted(range(len(texts)), key=lambda row: (len(texts[row]), row))
    for start in range(0, len(texts), TEXT_BATCH):
        rows = by_length[start : start + TEXT_BATCH]
        vectors[rows] = encoder.encode_texts([texts[row] for row in rows])
        progress(Progress("embed texts", done + start + len(rows), total, "texts"))
    bad = np.flatnonzero(~_is_unit(vectors))
    if len(bad):
        raise ModelError(
            f"the model {encoder.identity.name!r} gives no embedding of length 1 for the text "
            f"{texts[bad[0]]!r} ({len(bad)} such texts in this shard).",
            remedy="Its weights or its precision are not fit for use.",
        )
    return vectors


def _embed_images(
    store: ShardFolder,
    pictures: Pictures,
    load: LoadEncoder,
    progress: ProgressCallback,
    workers: int | None = None,
) -> StoredEmbeddings:
    found = store.read()
    if found is not None and not pictures.now_readable(found.left_out):
        return found
    with take_turn(store.folder, "embed images", progress):
        found = store.read()
        mended = pictures.now_readable(found.left_out) if found else frozenset()
        if found is not None and not mended:
            return found
        missing = store.reopen(mended)
        if missing:
            _write_image_shards(store, missing, pictures, load(), progress, workers)
        store.finish()
        return _read_back(store)


def _write_image_shards(
    store: ShardFolder,
    missing: Sequence[int],
    pictures: Pictures,
    encoder: Encoder,
    progress: ProgressCallback,
    workers: int | None,
) -> None:
    """Embed shard by shard, while the pictures of the next are decoded already."""
    total = len(store.items)
    done = total - sum(len(store.rows_of(shard)) for shard in missing)
    items = [item for shard in missing for item in store.rows_of(shard)]
    with pictures.prepared(items, encoder, workers) as stream:
        for shard in missing:
            rows = store.rows_of(shard)
            vectors = np.full((len(rows), encoder.dimension), np.nan, dtype=np.float32)
            left_out: list[LeftOut] = []
            for start in range(0, len(rows), IMAGE_BATCH):
                batch = [next(stream) for _ in rows[start : start + IMAGE_BATCH]]
                left_out += embed_prepared(vectors, rows.start, batch, encoder)
                done += len(batch)
                progress(Progress("embed images", done, total, "images"))
            store.write(shard, vectors, left_out)


def embed_prepared(
    vectors: NDArray[np.float32],
    first: int,
    batch: Sequence[tuple[int, NDArray[np.float32] | LeftOut]],
    encoder: Encoder,
) -> list[LeftOut]:
    """Embed a batch into the rows of its items; what could not be embedded."""
    left_out = [entry for _, entry in batch if isinstance(entry, LeftOut)]
    good = [(item, entry) for item, entry in batch if not isinstance(entry, LeftOut)]
    if not good:
        return left_out
    made = encoder.encode_prepared(np.stack([entry for _, entry in good]))
    for (item, _), vector, is_unit in zip(good, made, _is_unit(made), strict=True):
        if is_unit:
            vectors[item - first] = vector
        else:
            reason = "the model gives no embedding of length 1 for this picture"
            left_out.append(LeftOut(item, NO_EMBEDDING, reason))
    return left_out


def _is_unit(vectors: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which rows are finite and of length 1 (within 1e-3)."""
    near: NDArray[np.bool_] = np.abs(np.linalg.norm(vectors, axis=1) - 1) < 1e-3
    return near


def _read_back(store: ShardFolder) -> StoredEmbeddings:
    found = store.read()
    assert found is not None, "a shard is damaged right after it was written"
    return found


def _by_image(left_out: Sequence[LeftOut], pictures: Pictures) -> dict[int, tuple[str, str]]:
    """Code and reason of each image without an embedding."""
    reasons = {out.item: (out.code, out.reason) for out in left_out}
    if not reasons:
        return {}
    return {
        image: reasons[item]
        for image, item in enumerate(pictures.item_of_image.tolist())
        if item in reasons
    }


def _vectors_by_image(found: StoredEmbeddings, pictures: Pictures) -> NDArray[np.float32]:
    """float32 [n_images, d]; no copy where every picture is another."""
    if len(pictures.contents) == len(pictures.item_of_image):
        return found.vectors
    return found.vectors[pictures.item_of_image]
