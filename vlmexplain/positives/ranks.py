"""The places of accepted images in a run; beyond the ranks it keeps, from its embeddings."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.positives.accepted import GalleryPositives
from vlmexplain.scoring.embedding import Embeddings, stored_embeddings
from vlmexplain.scoring.image_index import ImageIndex, index_captions, index_images
from vlmexplain.scoring.ranking import rank
from vlmexplain.scoring.run_store import Run
from vlmexplain.storage import content_key, home, locked, read_only, write_file

DEEPEST_RECALL = 10
MOST_RANKS = 1000
"""Ranks are computed no further than this."""


@dataclass(frozen=True, slots=True)
class PositiveRanks:
    """The places of the accepted images of some queries.

    Attributes:
        captions: int32 [m], the queries, ascending.
        n_positives: int32 [m], R.
        depth: int32 [m], ranks are known down to here.
        offsets: int64 [m + 1], query j has the ranks offsets[j] .. offsets[j + 1].
        rank_1based: int32 [n], ascending in a query; 0 (at its end) beyond its depth.
    """

    captions: NDArray[np.int32]
    n_positives: NDArray[np.int32]
    depth: NDArray[np.int32]
    offsets: NDArray[np.int64]
    rank_1based: NDArray[np.int32]


def positive_ranks(
    gallery: Gallery, run: Run, positives: GalleryPositives, captions: NDArray[np.int32]
) -> PositiveRanks:
    """Find the accepted images of the given queries in a run's rankings.

    Each query is looked at down to R and down to `DEEPEST_RECALL`; what the run does not keep is
    ranked again from its embeddings, where they are there.

    Args:
        captions: int32 [m], ascending.

    Raises:
        StoreError: the run or its embeddings are damaged.
    """
    counts = positives.n_positives()[captions]
    top = np.asarray(run.top_k_images[captions])
    depth = np.full(len(captions), run.k, dtype=np.int32)
    wanted = np.minimum(np.maximum(counts, DEEPEST_RECALL), run.manifest.n_images_ranked)
    short = np.flatnonzero(wanted > run.k)
    deeper = deeper_images(gallery, run, captions[short], int(wanted.max(initial=0)))
    if deeper is not None and len(short):
        wide = np.full((len(captions), deeper.shape[1]), -1, dtype=np.int32)
        wide[:, : run.k] = top
        wide[short], depth[short] = deeper, deeper.shape[1]
        top = wide
    found = [_ranks_of(positives, caption, row)
             for caption, row in zip(captions.tolist(), top, strict=True)]  # fmt: skip
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    ranks = np.concatenate([*found, np.empty(0, dtype=np.int32)]).astype(np.int32)
    return PositiveRanks(captions, counts, depth, offsets, ranks)


def _ranks_of(
    positives: GalleryPositives, caption: int, ranked: NDArray[np.int32]
) -> NDArray[np.int32]:
    """The places of a query's accepted images among its ranked ones, 0 for none at the end."""
    first, end = positives.offsets[caption : caption + 2].tolist()
    images = positives.image_index[first:end][positives.accepted[first:end] > 0]
    places = np.flatnonzero(np.isin(ranked, images)).astype(np.int32) + 1
    return np.concatenate([places, np.zeros(len(images) - len(places), dtype=np.int32)])


def deeper_images(
    gallery: Gallery, run: Run, captions: NDArray[np.int32], depth: int
) -> NDArray[np.int32] | None:
    """The best ``depth`` images of some queries, int32 [m, depth], ranked as the run ranked them.

    Kept, so that the embeddings are read once. None when they are not there.
    """
    depth = min(depth, MOST_RANKS)
    if not len(captions):
        return None
    key = content_key({"run": run.key, "captions": captions.tolist(), "depth": depth})
    path = home() / "deeper_ranks" / f"{key}.npy"
    if path.is_file():
        images: NDArray[np.int32] = np.load(path, allow_pickle=False)
        return images
    embeddings = stored_embeddings(gallery, run.model, run.mode)
    if embeddings is None or not embeddings.texts:
        return None
    images = _rank_again(gallery, embeddings, captions, depth)
    if not read_only():
        out = io.BytesIO()
        np.save(out, images)
        with locked(path):
            write_file(path, out.getvalue())
    return images


def _rank_again(
    gallery: Gallery, embeddings: Embeddings, captions: NDArray[np.int32], depth: int
) -> NDArray[np.int32]:
    texts = embeddings.text_of_caption[captions]
    own = texts if embeddings.mode == "text-text" else None
    nowhere = np.full(len(captions), -1, dtype=np.int32)
    index = _index(gallery, embeddings)
    return rank(
        embeddings.text_vectors, index, nowhere, rows=texts, texts=own, k=depth
    ).top_k_images


def _index(gallery: Gallery, embeddings: Embeddings) -> ImageIndex:
    if embeddings.image_vectors is None:
        return index_captions(
            embeddings.text_vectors,
            embeddings.text_of_caption,
            gallery.image_of_caption,
            gallery.n_images,
        )
    rankable = np.ones(gallery.n_images, dtype=bool)
    rankable[list(embeddings.left_out)] = False
    return index_images(embeddings.image_vectors, rankable)
