"""Score a run's failures anew from its stored ranking: no model is needed.

For a gallery whose names became other synsets, and for runs of an older format. The ranking,
which the images, the captions and the model decide alone, is taken over as it is.
"""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from vlmexplain.concepts.mentions import RULE
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError, StoreError
from vlmexplain.metrics.globals import global_figures
from vlmexplain.models.protocol import Mode
from vlmexplain.records import MetricOptions, ModelIdentity, ProgressCallback, no_progress
from vlmexplain.results.kind import MANIFEST
from vlmexplain.scoring.failure_scores import Failures, score_block, scoring_tables
from vlmexplain.scoring.query_columns import score_columns
from vlmexplain.scoring.run_files import run_key, write_queries
from vlmexplain.scoring.run_store import (
    FORMAT,
    Run,
    intact_run,
    list_runs,
    open_run,
    runs_folder,
)
from vlmexplain.scoring.turns import take_turn
from vlmexplain.storage import publish_folder


def carry_over_runs(
    old: Gallery, new: Gallery, progress: ProgressCallback = no_progress
) -> tuple[Run, ...]:
    """Every run of ``old`` as a run of ``new``, which has the same images and captions.

    Raises:
        DataError: the two do not have the same images and captions.
        StoreError: a run is damaged, or the folder cannot be written.
    """
    if not (
        old.images_table.equals(new.images_table) and old.captions_table.equals(new.captions_table)
    ):
        raise DataError(
            f"the galleries {old.name!r} and {new.name!r} differ in images or captions, so no "
            "ranking of one is one of the other."
        )
    found = {manifest.key: manifest for manifest in reversed(list_runs(old.id))}
    return tuple(rescore(open_run(key), new, progress) for key in found)


def older_run(
    gallery: Gallery,
    model: ModelIdentity,
    mode: Mode,
    k: int,
    options: MetricOptions,
    left_out: dict[int, tuple[str, str]],
) -> Run | None:
    """The same run as an older version wrote it; None when there is none."""
    for version in range(FORMAT - 1, 0, -1):
        found = intact_run(run_key(gallery, model, mode, k, options, left_out, version))
        if found is not None:
            return found
    return None


def rescore(run: Run, gallery: Gallery, progress: ProgressCallback = no_progress) -> Run:
    """The same ranking with the metrics of its failures by this gallery's annotations.

    Args:
        gallery: the run's own, or one with the same images and captions.

    Raises:
        StoreError: a file of the run is damaged, or the folder cannot be written.
    """
    old = run.manifest
    key = run_key(gallery, old.model, old.mode, old.k, old.options, old.left_out)
    target = runs_folder() / key
    with take_turn(target, "score failures", progress):
        if intact_run(key) is None:
            shutil.rmtree(target, ignore_errors=True)
            _make(run, gallery, key, progress)
    return open_run(key)


def _make(run: Run, gallery: Gallery, key: str, progress: ProgressCallback) -> None:
    start = time.perf_counter()
    try:
        table = pq.read_table(run.queries_path)
    except (OSError, pa.ArrowException) as error:
        raise StoreError(
            "a file of the run is missing or damaged.",
            where=str(run.queries_path),
            remedy="Delete the run's folder and make the run again; embeddings are kept.",
        ) from error
    rows = np.flatnonzero(table.column("failure").to_numpy())
    text_index = _numbers(table, "text_index")
    texts = dict(zip(text_index.tolist(), table.column("text").to_pylist(), strict=True))
    failures = Failures(
        text_index[rows],
        _numbers(table, "image_index")[rows],
        _numbers(table, "retrieved_image_index")[rows],
    )
    scores, informed = score_block(
        scoring_tables(gallery),
        [texts[n] for n in range(len(texts))],
        failures,
        run.manifest.options,
        progress,
    )
    for name, column in score_columns(scores, informed, rows, table.num_rows).items():
        place = table.column_names.index(name) if name in table.column_names else None
        if place is None:
            table = table.append_column(name, column)
        else:
            table = table.set_column(place, name, column)
    ranks = table.column("rank_1based").drop_null().to_numpy()
    manifest = replace(
        run.manifest,
        key=key,
        gallery_id=gallery.id,
        gallery_name=gallery.name,
        figures=global_figures(scores, ranks),
        informed_figures=global_figures(informed, ranks),
        created_s=time.time(),
        mention_rule=RULE,
        seconds={**run.manifest.seconds, "score": round(time.perf_counter() - start, 3)},
    )
    with publish_folder(runs_folder() / key) as folder:
        write_queries(table, folder)
        np.save(folder / "top_k_images.npy", run.top_k_images)
        np.save(folder / "top_k_scores.npy", run.top_k_scores)
        text = json.dumps(manifest.to_json(), ensure_ascii=False, indent=1)
        (folder / MANIFEST).write_text(text, encoding="utf-8")


def _numbers(table: pa.Table, name: str) -> NDArray[Any]:
    """A column of whole numbers; -1 where it is null."""
    numbers: NDArray[Any] = table.column(name).fill_null(-1).to_numpy().astype(np.int32)
    return numbers
