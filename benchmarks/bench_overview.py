"""Whole-model figures over a stored run of 591,753 queries: seconds and memory, in one run.

The run is made up (`synthetic_run.py`) and kept under VLMEXPLAIN_HOME.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from synthetic_run import make_world

from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.comparison import compare_runs, quadrant_queries
from vlmexplain.overview.concept_errors import (
    miscounted_concepts,
    missed_concepts,
    pair_errors,
)
from vlmexplain.overview.figures import run_figures
from vlmexplain.overview.gallery_facts import gallery_facts, groups_above
from vlmexplain.overview.run_columns import read_columns
from vlmexplain.overview.slices import slices_by_concept, slices_by_supercategory
from vlmexplain.records import MetricOptions
from vlmexplain.scoring.run import Run

FIRST_BAR_S, AGAIN_BAR_S = 2.0, 0.5


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of this process's own work (not those it waited for others), and what came of it."""
    start = time.process_time()
    result = work()
    return round(time.process_time() - start, 3), result


def main() -> int:
    """Run, print one JSON document, and fail over the bars with ``--check``."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=int, default=118_287)
    parser.add_argument("--queries", type=int, default=591_753)
    parser.add_argument("--check", action="store_true", help="exit 1 over a bar")
    args = parser.parse_args()
    world = make_world(args.images, args.queries)
    gallery, (first, second) = world.gallery, world.runs
    report: dict[str, Any] = {"queries": gallery.n_captions}
    report |= measure(gallery, first, second)
    report["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(json.dumps(report, indent=1))
    over = [
        key for key, took in report.items()
        if key.startswith(("first:", "again:"))
        and took > (FIRST_BAR_S if key.startswith("first:") else AGAIN_BAR_S)
    ]  # fmt: skip
    return 1 if args.check and over else 0


def measure(gallery: Gallery, first: Run, second: Run) -> dict[str, float]:
    """Seconds of each kind of request; ``first:`` what a first draw waits for."""
    found: dict[str, float] = {}
    read_s, one = timed(lambda: read_columns(first))
    figures_s, _ = timed(lambda: run_figures(one))
    found["read one run"], found["figures of one run"] = read_s, figures_s
    found["first: overview of two runs"] = round(2 * (read_s + figures_s), 3)
    chosen = one.n_words > 9
    everything = np.ones(len(one), dtype=bool)
    found["again: figures of a slice"], _ = timed(lambda: run_figures(one, chosen))
    two = read_columns(second)
    found["first: compare two runs"], compared = timed(lambda: compare_runs(one, two))
    found["again: order of a quadrant"], _ = timed(
        lambda: quadrant_queries(compared, "both-wrong", "ca", one, two)
    )
    facts_s, facts = timed(lambda: gallery_facts(gallery))
    groups_s, groups = timed(lambda: groups_above(facts.concepts, load_wordnet().hypernym_closure))
    found["read the gallery"], found["supercategories"] = facts_s, groups_s
    took, _ = timed(lambda: slices_by_concept(one, facts, everything))
    found["again: slices by concept"] = took
    took, _ = timed(lambda: slices_by_supercategory(one, facts, everything, groups))
    found["again: slices by supercategory"] = took
    found["missed concepts"], _ = timed(lambda: missed_concepts(one, facts, everything))
    found["miscounted concepts"], _ = timed(lambda: miscounted_concepts(one, facts, everything))
    took, _ = timed(lambda: pair_errors(gallery, one, everything, MetricOptions(), 200))
    found["confusions of 200 failures"] = took
    return found


if __name__ == "__main__":
    sys.exit(main())
