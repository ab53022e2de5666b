"""Filtering and sorting 591,753 queries: seconds for each kind of request, in one run."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa

from vlmexplain.metrics.pair_scores import PairScores
from vlmexplain.scoring.queries import QueryTable
from vlmexplain.scoring.query_columns import outcomes, query_table
from vlmexplain.scoring.query_filter import NumberRange, QueryFilter, QuerySort
from vlmexplain.scoring.ranking import Ranking
from vlmexplain.scoring.run import Run, write_queries

BAR_S = 0.5
WORDS = (  # noqa: SIM905
    "a man woman dog cat red blue bus street riding holding sitting on the near with two three "
    "people table plate food pizza train zebra field grass water board wave ball player"
).split()


@dataclass
class SyntheticGallery:
    """The part of a gallery that a query table looks at."""

    id: str
    n_images: int
    concepts: tuple[str, ...]
    concept_index: Any
    instance_offsets: Any

    def caption(self, index: int) -> int:
        return index


def synthetic_table(n_queries: int, n_images: int, seed: int = 0) -> pa.Table:
    """A run's table with random outcomes; two queries in three fail."""
    rng = np.random.default_rng(seed)
    rank = np.where(rng.random(n_queries) < 0.33, 1, rng.geometric(0.02, n_queries) + 1)
    image = np.sort(rng.integers(n_images, size=n_queries)).astype(np.int32)
    top = rng.integers(n_images, size=(n_queries, 1)).astype(np.int32)
    top[rank == 1, 0] = image[rank == 1]
    score = rng.random(n_queries).astype(np.float32)
    ranking = Ranking(
        rank_1based=rank.astype(np.int32),
        n_tied=np.zeros(n_queries, dtype=np.int32),
        n_ranked=np.full(n_queries, n_images, dtype=np.int32),
        target_score=score,
        top_k_images=top,
        top_k_scores=(score + rng.random(n_queries).astype(np.float32))[:, None],
    )
    found = outcomes(ranking, image, np.arange(n_queries, dtype=np.int32))
    texts = [" ".join(words) for words in rng.choice(WORDS, size=(n_queries, 10)).tolist()]
    n = int(found.failure.sum())

    def column(name: str) -> Any:
        if name.endswith("_reason"):
            return np.zeros(n, dtype=np.uint8)
        if name.startswith("n_"):
            return rng.integers(9, size=n).astype(np.int32)
        return np.where(rng.random(n) < 0.1, np.nan, rng.random(n))

    scores, informed = (
        PairScores(**{name: column(name) for name in PairScores.__slots__}) for _ in range(2)
    )
    unranked = np.full(n_queries, None, dtype=object)
    return query_table(texts, found, ranking, unranked, scores, informed)


def requests() -> dict[str, tuple[QueryFilter, QuerySort]]:
    """The kinds of request a page makes."""
    return {
        "all, by NCS": (QueryFilter(), QuerySort("ncs")),
        "all, by caption": (QueryFilter(), QuerySort("text", descending=True)),
        "failures, by rank": (QueryFilter(failures_only=True), QuerySort("rank_1based", True)),
        "two words, by margin": (QueryFilter(text="zebra Field"), QuerySort("margin", True)),
        "concepts on both sides, by CE": (
            QueryFilter(in_ground_truth=("c007",), in_retrieved=("c003",)),
            QuerySort("ce", True),
        ),
        "all at once": (
            QueryFilter(
                text="dog",
                failures_only=True,
                ranges=(NumberRange("rank_1based", 5, 50), NumberRange("ca", 0.2, 0.9)),
                in_ground_truth=("c001",),
                undefined=("q_ncs",),
            ),
            QuerySort("sd", True),
        ),
    }


def main() -> int:
    """Run, print one JSON document, and fail over the bar with ``--check``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=591_753)
    parser.add_argument("--images", type=int, default=118_287)
    parser.add_argument("--check", action="store_true", help=f"exit 1 over {BAR_S} s")
    args = parser.parse_args()
    rng = np.random.default_rng(1)
    gallery = SyntheticGallery(
        "synthetic",
        args.images,
        tuple(f"c{n:03d}" for n in range(80)),
        rng.integers(80, size=args.images * 7),
        np.arange(args.images + 1) * 7,
    )
    with tempfile.TemporaryDirectory() as folder:
        write_queries(synthetic_table(args.queries, args.images), Path(folder))
        sizes = {file.name: file.stat().st_size >> 20 for file in Path(folder).iterdir()}
        report: dict[str, Any] = {"queries": args.queries, "files_mib": sizes}
        manifest: Any = SimpleNamespace(gallery_id="synthetic")
        run = Run(Path(folder), manifest)
        worst = 0.0
        for name, (chosen, sort) in requests().items():
            queries = QueryTable(run, gallery)  # type: ignore[arg-type]
            start = time.perf_counter()
            order = queries.order(chosen, sort)
            sorted_s = time.perf_counter() - start
            page = queries.page(chosen, sort, 0, 50)
            first_s = time.perf_counter() - start
            start = time.perf_counter()
            queries.page(chosen, sort, len(order) // 2, 50)
            turned_s = time.perf_counter() - start
            start = time.perf_counter()
            if page.rows:
                queries.neighbours(chosen, sort, page.rows[0].caption_index)
            beside_s = time.perf_counter() - start
            report[name] = {
                "total": page.total,
                "order_s": round(sorted_s, 3),
                "first_page_s": round(first_s, 3),
                "next_page_s": round(turned_s, 3),
                "neighbours_s": round(beside_s, 4),
            }
            worst = max(worst, first_s)
        report["worst_s"], report["bar_s"] = round(worst, 3), BAR_S
    print(json.dumps(report, indent=1))
    return 1 if args.check and worst > BAR_S else 0


if __name__ == "__main__":
    sys.exit(main())
