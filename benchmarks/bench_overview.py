"""Whole-model figures over a stored run of 591,753 queries: seconds and memory, in one run.

The run is synthetic and goes to VLMEXPLAIN_HOME with a gallery of `make_synthetic_gallery.py`
(made first when it is not there). ``--only-make`` stops after that, to open the app on it.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import make_synthetic_gallery
import numpy as np
import pyarrow as pa
from bench_queries import synthetic_table

from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.gallery import Gallery, open_gallery
from vlmexplain.errors import UnknownName
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
from vlmexplain.records import MetricOptions, ModelIdentity
from vlmexplain.scoring.run import Run, write_queries
from vlmexplain.scoring.run_store import RunManifest, open_run, runs_folder
from vlmexplain.storage import content_key, publish_folder

FIRST_BAR_S, AGAIN_BAR_S = 2.0, 0.5


def store_run(gallery: Gallery, name: str, seed: int) -> Run:
    """Write a synthetic run of the gallery; the same again is a read."""
    key = content_key(["synthetic run", gallery.id, name, seed])
    target = runs_folder() / key
    if not target.is_dir():
        table = synthetic_table(gallery.n_captions, gallery.n_images, seed)
        image = np.asarray(gallery.image_of_caption)
        hit = ~table.column("failure").to_numpy()
        retrieved = np.where(hit, image, table.column("retrieved_image_index").to_numpy())
        for column, values in (
            ("image_index", image),
            ("ground_truth_index", image),
            ("retrieved_image_index", retrieved.astype(np.int32)),
            ("text", gallery.captions_table.column("text").combine_chunks()),
        ):
            place = table.column_names.index(column)
            table = table.set_column(place, column, pa.array(values))
        rng = np.random.default_rng(seed)
        best = rng.integers(gallery.n_images, size=(len(table), 10)).astype(np.int32)
        best[:, 0] = retrieved
        scores = -np.sort(-rng.random((len(table), 10)), axis=1).astype(np.float32)
        manifest = _manifest(gallery, key, name, int((~hit).sum()))
        with publish_folder(target) as folder:
            write_queries(table, folder)
            np.save(folder / "top_k_images.npy", best)
            np.save(folder / "top_k_scores.npy", scores)
            text = json.dumps(manifest.to_json(), ensure_ascii=False, indent=1)
            (folder / "manifest.json").write_text(text, encoding="utf-8")
    return open_run(key)


def _manifest(gallery: Gallery, key: str, name: str, n_failures: int) -> RunManifest:
    return RunManifest(
        key=key, gallery_id=gallery.id, gallery_name=gallery.name,
        model=ModelIdentity(name, "fake", content_key(name)), mode="image-text", k=10,
        options=MetricOptions(), n_queries=gallery.n_captions, n_ranked=gallery.n_captions,
        n_failures=n_failures, n_unranked={}, n_images=gallery.n_images,
        n_images_ranked=gallery.n_images, left_out={}, figures=(), informed_figures=(),
        drawn=False, created_s=time.time(), seconds={}, embeddings=(),
    )  # fmt: skip


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
    parser.add_argument("--only-make", action="store_true")
    parser.add_argument("--check", action="store_true", help="exit 1 over a bar")
    args = parser.parse_args()
    name = f"synthetic-{args.images}"
    try:
        gallery = open_gallery(name)
    except UnknownName:
        make_synthetic_gallery.build(args.images, args.queries, 0, name, False)
        gallery = open_gallery(name)
    first, second = (store_run(gallery, f"made {seed}", seed) for seed in (1, 2))
    if args.only_make:
        print(f"{name}: runs {first.key[:12]}, {second.key[:12]}")
        return 0
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
