"""A run: embed a gallery with a model, rank every query, score every failure; kept by content."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError, StoreError
from vlmexplain.metrics.globals import global_figures
from vlmexplain.metrics.pair import check_options
from vlmexplain.metrics.pair_scores import PairScores
from vlmexplain.models.load import identify, load_model
from vlmexplain.models.protocol import Mode
from vlmexplain.models.spec import parse_spec
from vlmexplain.records import (
    MetricOptions,
    ModelIdentity,
    Progress,
    ProgressCallback,
    no_progress,
)
from vlmexplain.results.kind import MANIFEST
from vlmexplain.scoring.embedding import Embeddings, known_left_out
from vlmexplain.scoring.engine import Engine, LocalEngine
from vlmexplain.scoring.image_index import ImageIndex, index_captions, index_images
from vlmexplain.scoring.query_columns import ONLY_FOR_SEARCH, Outcomes, outcomes, query_table
from vlmexplain.scoring.ranking import Ranking
from vlmexplain.scoring.run_store import (
    FORMAT,
    QUERIES_FILE,
    ROWS_FILE,
    Run,
    RunManifest,
    intact_run,
    list_runs,
    open_run,
    runs_folder,
)
from vlmexplain.scoring.turns import take_turn
from vlmexplain.storage import content_key, publish_folder

__all__ = ["MOST_KEPT", "Run", "RunManifest", "list_runs", "open_run", "run", "run_key"]

MOST_KEPT = 1000
"""The largest k: how many images a query can keep."""

DEFAULT_OPTIONS = MetricOptions()
LOCAL = LocalEngine()
PARQUET_ROWS = 65_536


def run(
    gallery: Gallery,
    model_spec: str,
    k: int = 10,
    *,
    options: MetricOptions = DEFAULT_OPTIONS,
    device: str | None = None,
    progress: ProgressCallback = no_progress,
    engine: Engine = LOCAL,
) -> Run:
    """Rank every caption of a gallery with a model and score the failures.

    The same request again is a read.

    Args:
        gallery: its captions are the queries, its images what is ranked.
        model_spec: see `vlmexplain.models.spec.parse_spec`.
        k: how many of the best images to keep for each query.
        options: for the stored metrics; pages recompute them for other options.
        device: where the model computes; None for the CPU.
        progress: called now and then; may raise `Cancelled`, finished shards are kept.
        engine: who does the work; no part of the run's key, for it changes no number.

    Raises:
        UnknownName, ModelError, MissingPackage: as `models.load.load_model`.
        DataError: k or an option makes no sense, or the gallery has no caption.
        StoreError: the program's folder cannot be written.
    """
    check_options(options)
    if not 1 <= k <= MOST_KEPT:
        raise DataError(f"k is {k}; expected 1 to {MOST_KEPT} images a query.")
    if gallery.n_captions == 0:
        raise DataError(
            f"the gallery {gallery.name!r} has no caption, so there is no query to rank.",
            remedy="Import it with a captions file.",
        )
    if mode_of(model_spec) == "image-text" and not gallery.has_pictures:
        raise DataError(
            f"the gallery {gallery.name!r} was imported without pictures, so {model_spec!r} has "
            "none to look at.",
            remedy="Choose a model that compares texts, or import it again with --images DIR.",
        )
    model, mode = identify(model_spec), mode_of(model_spec)
    known = known_left_out(gallery, model, mode)
    if known is not None:
        finished = intact_run(run_key(gallery, model, mode, k, options, known))
        if finished is not None:
            return finished
    start = time.perf_counter()
    embeddings = engine.embed(
        gallery, model, mode, lambda: load_model(model_spec, device), progress
    )
    embed_s = time.perf_counter() - start
    key = run_key(gallery, model, mode, k, options, embeddings.left_out)
    target = runs_folder() / key
    with take_turn(target, "rank and score", progress):
        if intact_run(key) is None:
            shutil.rmtree(target, ignore_errors=True)
            making = _Making(gallery, embeddings, k, options, progress, engine, {"embed": embed_s})
            making.make(target)
    return open_run(key)


def mode_of(model_spec: str) -> Mode:
    """What a model compares a caption with, told from its name alone.

    >>> mode_of("fake"), mode_of("fake-text")
    ('image-text', 'text-text')
    """
    return "text-text" if parse_spec(model_spec).kind in ("sentence", "fake-text") else "image-text"


def run_key(
    gallery: Gallery,
    model: ModelIdentity,
    mode: Mode,
    k: int,
    options: MetricOptions,
    left_out: dict[int, tuple[str, str]],
) -> str:
    """The content key of a run: all that decides what is in it."""
    return content_key(
        {
            "format": FORMAT,
            "gallery": gallery.id,
            "model": model.digest,
            "mode": mode,
            "k": k,
            "options": asdict(options),
            "left_out": sorted(left_out),
        }
    )


@dataclass(slots=True)
class _Making:
    """One run being made: rank, compare, score, write."""

    gallery: Gallery
    embeddings: Embeddings
    k: int
    options: MetricOptions
    progress: ProgressCallback
    engine: Engine
    seconds: dict[str, float] = field(default_factory=dict)

    def make(self, target: Path) -> None:
        """Write the run's folder, whole or not at all."""
        start = time.perf_counter()
        self.progress(Progress("index", 0, 1))
        index = self._index()
        self.progress(Progress("rank", 0, self.gallery.n_captions, "queries"))
        ranking = self._rank(index)
        found = outcomes(ranking, self.gallery.image_of_caption, self.embeddings.text_of_caption)
        self.seconds["rank"] = time.perf_counter() - start
        start = time.perf_counter()
        scores, informed = self.engine.score_failures(
            self.gallery, self.embeddings.texts, found, self.options, self.progress
        )
        self.seconds["score"] = time.perf_counter() - start
        self.progress(Progress("write", 0, 1))
        unranked = self._unranked(found)
        table = query_table(
            [self.embeddings.texts[t] for t in self.embeddings.text_of_caption.tolist()],
            found,
            ranking,
            unranked,
            scores,
            informed,
        )
        manifest = self._manifest(target.name, index, found, unranked, scores, informed)
        self._publish(target, table, ranking, manifest)

    def _index(self) -> ImageIndex:
        vectors = self.embeddings.image_vectors
        if vectors is None:
            return index_captions(
                self.embeddings.text_vectors,
                self.embeddings.text_of_caption,
                self.gallery.image_of_caption,
                self.gallery.n_images,
            )
        rankable = np.ones(self.gallery.n_images, dtype=bool)
        rankable[list(self.embeddings.left_out)] = False
        return index_images(vectors, rankable)

    def _rank(self, index: ImageIndex) -> Ranking:
        texts = self.embeddings.text_of_caption
        return self.engine.rank(
            self.embeddings.text_vectors,
            index,
            self.gallery.image_of_caption,
            rows=texts,
            texts=texts if self.embeddings.mode == "text-text" else None,
            k=self.k,
            progress=self.progress,
        )

    def _unranked(self, found: Outcomes) -> NDArray[np.object_]:
        code = (
            "no-other-caption" if self.embeddings.mode == "text-text" else "ground-truth-left-out"
        )
        unranked = np.full(len(found.failure), None, dtype=object)
        unranked[found.rank_1based == 0] = code
        return unranked

    def _manifest(
        self,
        key: str,
        index: ImageIndex,
        found: Outcomes,
        unranked: NDArray[np.object_],
        scores: PairScores,
        informed: PairScores,
    ) -> RunManifest:
        codes = [code for code in unranked.tolist() if code]
        ranks = found.rank_1based[found.rank_1based > 0]
        return RunManifest(
            key=key,
            gallery_id=self.gallery.id,
            gallery_name=self.gallery.name,
            model=self.embeddings.model,
            mode=self.embeddings.mode,
            k=self.k,
            options=self.options,
            n_queries=len(found.failure),
            n_ranked=len(ranks),
            n_failures=int(np.count_nonzero(found.failure)),
            n_unranked={code: codes.count(code) for code in sorted(set(codes))},
            n_images=self.gallery.n_images,
            n_images_ranked=index.n_ranked,
            left_out=self.embeddings.left_out,
            figures=global_figures(scores, ranks),
            informed_figures=global_figures(informed, ranks),
            drawn=self.gallery.drawn or self.embeddings.model.drawn,
            created_s=time.time(),
            seconds={part: round(took, 3) for part, took in self.seconds.items()},
            embeddings=self.embeddings.keys,
        )

    def _publish(
        self, target: Path, table: pa.Table, ranking: Ranking, manifest: RunManifest
    ) -> None:
        try:
            with publish_folder(target) as folder:
                write_queries(table, folder)
                np.save(folder / "top_k_images.npy", ranking.top_k_images)
                np.save(folder / "top_k_scores.npy", ranking.top_k_scores)
                text = json.dumps(manifest.to_json(), ensure_ascii=False, indent=1)
                (folder / MANIFEST).write_text(text, encoding="utf-8")
        except pa.ArrowInvalid as error:
            raise StoreError(f"cannot write ({error}).", where=str(target)) from error


def write_queries(table: pa.Table, folder: Path) -> None:
    """Write a run's queries twice: Parquet to filter and sort, Arrow to find a row at once."""
    pq.write_table(table, folder / QUERIES_FILE, row_group_size=PARQUET_ROWS, compression="zstd")
    rows = table.drop_columns(list(ONLY_FOR_SEARCH)).combine_chunks()
    with pa.ipc.new_file(str(folder / ROWS_FILE), rows.schema) as file:
        file.write_table(rows)
