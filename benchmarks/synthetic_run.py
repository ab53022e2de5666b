"""A gallery of COCO train2017's size with stored runs, an LGIP result and marks, made up.

Which image comes first is drawn at random; everything after that is as in a real run: every
failure is scored by the program itself. Kept under VLMEXPLAIN_HOME; what is there is made once.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from make_synthetic_gallery import build
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery, open_gallery
from vlmexplain.errors import UnknownName
from vlmexplain.lgip.result import METRICS, LgipManifest, results_folder
from vlmexplain.lgip.result import TRIPLES as TRIPLES_FILE
from vlmexplain.lgip.triples import figures_of
from vlmexplain.metrics.globals import global_figures
from vlmexplain.overview.marks import mark, read_marks
from vlmexplain.records import MetricOptions, ModelIdentity, no_progress
from vlmexplain.results.kind import MANIFEST
from vlmexplain.scoring.failure_scores import score_failures
from vlmexplain.scoring.query_columns import outcomes, query_table
from vlmexplain.scoring.ranking import Ranking
from vlmexplain.scoring.run import write_queries
from vlmexplain.scoring.run_store import Run, RunManifest, open_run, runs_folder
from vlmexplain.storage import content_key, publish_folder

IMAGES, QUERIES = 118_287, 591_753
PHOTOS = 240
K = 10
N_MARKED = 200
FLIP_TYPES = ("object", "color", "number")


@dataclass(frozen=True, slots=True)
class World:
    """What was made: the gallery, its runs, its LGIP result."""

    gallery: Gallery
    runs: tuple[Run, ...]
    lgip: str


def make_world(n_images: int = IMAGES, n_queries: int = QUERIES, n_runs: int = 2) -> World:
    """Make it, or find it made."""
    name = f"synthetic-{n_images}-{n_queries}"
    try:
        gallery = open_gallery(name)
    except UnknownName:
        gallery = open_gallery(build(n_images, n_queries, 0, name, False, photos=PHOTOS))
    runs = tuple(store_run(gallery, f"made-{seed}", seed) for seed in range(1, n_runs + 1))
    lgip = store_lgip(gallery, runs[0].model)
    if not read_marks(gallery.id):
        for caption in np.random.default_rng(0).choice(n_queries, min(N_MARKED, n_queries), False):
            mark(gallery, int(caption), "annotation-wrong")
    return World(gallery, runs, lgip)


def store_run(gallery: Gallery, name: str, seed: int) -> Run:
    """A run of the gallery whose rankings are drawn at random, two failures in three."""
    key = content_key(["synthetic run", 2, gallery.id, name, seed])
    if not (runs_folder() / key).is_dir():
        ranking = _random_ranking(gallery, np.random.default_rng(seed))
        texts = gallery.captions_table.column("text").to_pylist()
        own = np.arange(gallery.n_captions, dtype=np.int32)
        found = outcomes(ranking, np.asarray(gallery.image_of_caption), own)
        plain, informed = score_failures(gallery, texts, found, MetricOptions(), no_progress)
        nothing = np.full(gallery.n_captions, None, object)
        table = query_table(texts, found, ranking, nothing, plain, informed)
        ranks = found.rank_1based[found.rank_1based > 0]
        manifest = RunManifest(
            key=key, gallery_id=gallery.id, gallery_name=gallery.name,
            model=ModelIdentity(name, "fake", content_key(name)), mode="image-text", k=K,
            options=MetricOptions(), n_queries=gallery.n_captions, n_ranked=gallery.n_captions,
            n_failures=int(found.failure.sum()), n_unranked={}, n_images=gallery.n_images,
            n_images_ranked=gallery.n_images, left_out={}, figures=global_figures(plain, ranks),
            informed_figures=global_figures(informed, ranks), drawn=False, created_s=time.time(),
            seconds={}, embeddings=(),
        )  # fmt: skip
        with publish_folder(runs_folder() / key) as folder:
            write_queries(table, folder)
            np.save(folder / "top_k_images.npy", ranking.top_k_images)
            np.save(folder / "top_k_scores.npy", ranking.top_k_scores)
            text = json.dumps(manifest.to_json(), ensure_ascii=False, indent=1)
            (folder / MANIFEST).write_text(text, encoding="utf-8")
    return open_run(key)


def _random_ranking(gallery: Gallery, rng: np.random.Generator) -> Ranking:
    n, images = gallery.n_captions, np.asarray(gallery.image_of_caption)
    drawn = np.where(rng.random(n) < 0.33, 1, rng.geometric(0.02, n) + 1)
    rank = np.minimum(drawn, gallery.n_images).astype(np.int32)
    best = rng.integers(gallery.n_images, size=(n, K)).astype(np.int32)
    kept = np.flatnonzero(rank <= K)
    best[kept, rank[kept] - 1] = images[kept]
    scores = np.sort(rng.random((n, K)).astype(np.float32))[:, ::-1]
    own = scores[np.arange(n), np.minimum(rank, K) - 1] - np.float32(0.001) * (rank > K)
    return Ranking(
        rank_1based=rank,
        n_tied=np.zeros(n, np.int32),
        n_ranked=np.full(n, gallery.n_images, np.int32),
        target_score=own,
        top_k_images=best,
        top_k_scores=np.ascontiguousarray(scores),
    )


def store_lgip(gallery: Gallery, model: ModelIdentity, seed: int = 0) -> str:
    """An LGIP result with a paraphrase and two flips a caption, similarities drawn at random."""
    key = content_key(["synthetic lgip", gallery.id, model.digest, seed])
    if (results_folder() / key).is_dir():
        return key
    with publish_folder(results_folder() / key) as folder:
        pq.write_table(
            _triples(gallery, np.random.default_rng(seed)),
            folder / TRIPLES_FILE,
            compression="zstd",
            row_group_size=65_536,
        )
        figures = figures_of(folder / TRIPLES_FILE)
        manifest = LgipManifest(
            key=key, gallery_id=gallery.id, gallery_name=gallery.name, model=model,
            perturbations={"mode": "careful", "seed": seed}, figures=figures, not_in_gallery=0,
            without_embedding=0, drawn=False, created_s=time.time(), seconds=0.0,
        )  # fmt: skip
        (folder / METRICS).write_text("{}", encoding="utf-8")
        (folder / MANIFEST).write_text(json.dumps(manifest.to_json()), encoding="utf-8")
    return key


def _triples(gallery: Gallery, rng: np.random.Generator) -> pa.Table:
    n = gallery.n_captions
    caption = np.repeat(np.arange(n), 3)
    texts = gallery.captions_table.column("text").combine_chunks()
    said = texts.take(pa.array(caption))
    flip = np.tile([False, True, True], n)
    kinds: NDArray[Any] = np.array(FLIP_TYPES)[rng.integers(3, size=3 * n)]
    gap = rng.normal(np.where(flip, 0.02, 0.0), 0.02).astype(np.float32)
    score = rng.random(3 * n).astype(np.float32)
    return pa.table(
        {
            "triple": np.arange(3 * n),
            "image_index": np.asarray(gallery.image_of_caption)[caption].astype(np.int32),
            "caption_index": caption.astype(np.int32),
            "caption": said,
            "text": pc.binary_join_element_wise(said, "changed", " "),
            "kind": np.where(flip, "flip", "same"),
            "flip_type": pa.array(kinds, mask=~flip),
            "verified": pa.array(flip, mask=~flip),
            "score_caption": score,
            "score_text": score - gap,
            "gap": gap,
            "tie": np.abs(gap) <= 1e-6,
            "seen": np.ones(3 * n, bool),
        }
    )


def main() -> int:
    """Make it and say what it is called."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=int, default=IMAGES)
    parser.add_argument("--queries", type=int, default=QUERIES)
    args = parser.parse_args()
    began = time.perf_counter()
    world = make_world(args.images, args.queries)
    print(f"{world.gallery.name}: {world.gallery.id[:12]}, runs "
          f"{', '.join(run.key[:12] for run in world.runs)}, LGIP {world.lgip[:12]}, "
          f"{time.perf_counter() - began:.1f} s")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
