"""Exact ranking against the bare matrix product of the same size, in one run.

Prints both times and their ratio (product / ranking). The pairs of caption and image are made
as those of a real model are: a caption is near its image, and one in twenty images has a twin.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import tracemalloc

import numpy as np
from numpy.typing import NDArray

from vlmexplain.scoring.image_index import index_images
from vlmexplain.scoring.ranking import rank
from vlmexplain.scoring.tiles import TILE_IMAGES

BAR = 0.7


def synthetic(
    n_images: int, n_queries: int, dimension: int, seed: int = 0
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int32]]:
    """Images [n, d], queries [Q, d] (unit vectors) and the image of each query."""
    rng = np.random.default_rng(seed)
    images = rng.standard_normal((n_images, dimension), dtype=np.float32)
    images[19::20] = images[18::20][: len(images[19::20])]
    images /= np.linalg.norm(images, axis=1, keepdims=True)
    targets = rng.integers(n_images, size=n_queries).astype(np.int32)
    noise = rng.standard_normal((n_queries, dimension), dtype=np.float32)
    queries = images[targets] + noise * (5 / np.sqrt(dimension)).astype(np.float32)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    return images, queries, targets


def bare_product(images: NDArray[np.float32], queries: NDArray[np.float32], chunk: int) -> float:
    """Seconds for the products alone, in the same tiles."""
    start = time.perf_counter()
    for a in range(0, len(queries), chunk):
        rows = queries[a : a + chunk]
        into = np.empty((len(rows), TILE_IMAGES), dtype=np.float32)
        for b in range(0, len(images), TILE_IMAGES):
            tile = images[b : b + TILE_IMAGES]
            np.matmul(rows, tile.T, out=into[:, : len(tile)])
    return time.perf_counter() - start


def main() -> int:
    """Run, print one JSON document, and fail under the bar with ``--check``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=118_287)
    parser.add_argument("--queries", type=int, default=8192)
    parser.add_argument("--dimension", type=int, default=512)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true", help=f"exit 1 under {BAR}")
    args = parser.parse_args()
    images, queries, targets = synthetic(args.images, args.queries, args.dimension)
    index = index_images(images, np.ones(len(images), dtype=bool))
    bare, ranked = [], []
    for _ in range(args.rounds):  # alternating, so that other load meets both
        bare.append(bare_product(images, queries, 1024))
        start = time.perf_counter()
        result = rank(queries, index, targets, k=args.k)
        ranked.append(time.perf_counter() - start)
    ratio = min(bare) / min(ranked)
    tracemalloc.start()
    rank(queries[:2048], index, targets[:2048], k=args.k)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    report = {
        "images": args.images,
        "queries": args.queries,
        "dimension": args.dimension,
        "product_s": round(min(bare), 3),
        "ranking_s": round(min(ranked), 3),
        "ratio": round(ratio, 3),
        "bar": BAR,
        "queries_per_s": round(args.queries / min(ranked)),
        "peak_memory_beside_the_embeddings_mib": peak_bytes >> 20,
        "median_rank": float(np.median(result.rank_1based)),
        "tied_queries": int(np.count_nonzero(result.n_tied)),
    }
    print(json.dumps(report))
    return 1 if args.check and ratio < BAR else 0


if __name__ == "__main__":
    sys.exit(main())
