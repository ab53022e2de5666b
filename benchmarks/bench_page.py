"""How long the server takes to redraw the Explore page for another query.

Without options it measures the latest run under VLMEXPLAIN_HOME. With --synthetic it builds, in a
folder of its own, a gallery of COCO train2017's size (or of --images and --captions) with a run of
random outcomes, and measures that. It prints one JSON document with wall and CPU milliseconds; on a
machine that does other work at the same time, look at the CPU ones.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from make_synthetic_gallery import build
from streamlit.testing.v1 import AppTest

from vlmexplain.datasets.gallery import Gallery, open_gallery
from vlmexplain.metrics.pair_scores import PairScores
from vlmexplain.models.load import identify
from vlmexplain.records import MetricOptions
from vlmexplain.scoring.query_columns import outcomes, query_table
from vlmexplain.scoring.ranking import Ranking
from vlmexplain.scoring.run import RunManifest, list_runs, open_run, write_queries
from vlmexplain.scoring.run_store import MANIFEST, runs_folder
from vlmexplain.storage import publish_folder

APP = Path(__file__).parents[1] / "app.py"
K = 10


def random_run(gallery: Gallery, seed: int = 0) -> str:
    """Publish a run of the gallery with random outcomes, two failures in three; its key."""
    rng = np.random.default_rng(seed)
    n, images = gallery.n_captions, np.asarray(gallery.image_of_caption)
    rank = np.where(rng.random(n) < 0.33, 1, rng.geometric(0.02, n) + 1).astype(np.int32)
    best = rng.integers(gallery.n_images, size=(n, K)).astype(np.int32)
    kept = np.flatnonzero(rank <= K)
    best[kept, rank[kept] - 1] = images[kept]
    scores = np.sort(rng.random((n, K)).astype(np.float32))[:, ::-1]
    own = scores[np.arange(n), np.minimum(rank, K) - 1] - np.float32(0.001) * (rank > K)
    none_tied = np.zeros(n, np.int32)
    ranked = np.full(n, gallery.n_images, np.int32)
    ranking = Ranking(
        rank_1based=rank, n_tied=none_tied, n_ranked=ranked, target_score=own,
        top_k_images=best, top_k_scores=scores,
    )  # fmt: skip
    found = outcomes(ranking, images, np.arange(n, dtype=np.int32))
    texts = gallery.captions_table.column("text").to_pylist()
    plain, informed = (_random_scores(rng, int(found.failure.sum())) for _ in range(2))
    table = query_table(texts, found, ranking, np.full(n, None, object), plain, informed)
    key = f"{seed:064x}"
    manifest = RunManifest(
        key=key, gallery_id=gallery.id, gallery_name=gallery.name, model=identify("fake"),
        mode="image-text", k=K, options=MetricOptions(), n_queries=n, n_ranked=n,
        n_failures=int(found.failure.sum()), n_unranked={}, n_images=gallery.n_images,
        n_images_ranked=gallery.n_images, left_out={}, figures=(), informed_figures=(),
        drawn=False, created_s=time.time(), seconds={}, embeddings=(),
    )  # fmt: skip
    with publish_folder(runs_folder() / key) as folder:
        write_queries(table, folder)
        np.save(folder / "top_k_images.npy", best)
        np.save(folder / "top_k_scores.npy", scores)
        (folder / MANIFEST).write_text(json.dumps(manifest.to_json()), encoding="utf-8")
    return key


def _random_scores(rng: np.random.Generator, n: int) -> PairScores:
    def column(name: str) -> Any:
        if name.endswith("_reason"):
            return np.zeros(n, dtype=np.uint8)
        if name.startswith("n_"):
            return rng.integers(9, size=n).astype(np.int32)
        return np.where(rng.random(n) < 0.1, np.nan, rng.random(n))

    return PairScores(**{name: column(name) for name in PairScores.__slots__})


def measure(run_key: str, n_queries: int) -> dict[str, Any]:
    """Redraw the page for random queries, each another one; milliseconds."""
    run = open_run(run_key)
    gallery = open_gallery(run.gallery_id)
    rng = np.random.default_rng(1)
    queries = rng.choice(gallery.n_captions, size=min(n_queries, gallery.n_captions), replace=False)
    app = AppTest.from_file(str(APP), default_timeout=600)
    app.query_params["gallery"], app.query_params["run"] = gallery.id[:12], run.key[:12]
    start = time.perf_counter()
    app.run()
    first_ms = 1000 * (time.perf_counter() - start)
    wall, cpu = [], []
    for query in queries.tolist():
        app.query_params["query"] = str(query)
        start, start_cpu = time.perf_counter(), time.process_time()
        app.run()
        wall.append(1000 * (time.perf_counter() - start))
        cpu.append(1000 * (time.process_time() - start_cpu))
        assert not app.exception, app.exception
    return {
        "images": gallery.n_images,
        "captions": gallery.n_captions,
        "queries": len(queries),
        "first_ms": round(first_ms),
        **{
            f"{name}_{what}": round(float(np.percentile(values, share)))
            for name, values in (("wall_ms", wall), ("cpu_ms", cpu))
            for what, share in (("median", 50), ("p95", 95), ("max", 100))
        },
    }


def main() -> int:
    """Run, print one JSON document, and fail over the bar with ``--check``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--synthetic", action="store_true")
    parser.add_argument("--images", type=int, default=118_287)
    parser.add_argument("--captions", type=int, default=591_753)
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--check", action="store_true", help="exit 1 over 300 ms (synthetic: 600)")
    args = parser.parse_args()
    bar_ms = 600 if args.synthetic else 300
    with tempfile.TemporaryDirectory() as folder:
        if args.synthetic:
            os.environ["VLMEXPLAIN_HOME"] = folder
            gallery_id = build(args.images, args.captions, 0, "synthetic", distinct=False)
            run_key = random_run(open_gallery(gallery_id))
        else:
            runs = list_runs()
            if not runs:
                print("no run under VLMEXPLAIN_HOME; try --synthetic", file=sys.stderr)
                return 1
            run_key = runs[0].key
        report = measure(run_key, args.queries)
    report["bar_ms"] = bar_ms
    print(json.dumps(report, indent=1))
    return 1 if args.check and report["cpu_ms_median"] > bar_ms else 0


if __name__ == "__main__":
    sys.exit(main())
