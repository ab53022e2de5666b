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
from streamlit.testing.v1 import AppTest
from synthetic_run import make_world

from vlmexplain.datasets.gallery import open_gallery
from vlmexplain.scoring.run import list_runs, open_run

APP = Path(__file__).parents[1] / "app.py"


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
            run_key = make_world(args.images, args.captions, n_runs=1).runs[0].key
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
