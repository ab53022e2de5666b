"""LGIP in bulk: plan, encode each distinct text once, join, and publish; a killed run goes on."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError, UnknownName, VlmexplainError
from vlmexplain.lgip.engine import LgipEngine, LocalLgipEngine
from vlmexplain.lgip.figures import metrics_document
from vlmexplain.lgip.generate import ENGINE, gallery_samples
from vlmexplain.lgip.pair_scores import KnownVectors
from vlmexplain.lgip.plan import PlanCounts, write_plan
from vlmexplain.lgip.result import (
    FORMAT,
    METRICS,
    TRIPLES,
    LgipManifest,
    LgipResult,
    intact_lgip,
    open_lgip,
    results_folder,
)
from vlmexplain.lgip.sample_files import read_samples
from vlmexplain.lgip.samples import Sample
from vlmexplain.lgip.triples import figures_of, write_triples
from vlmexplain.models.load import identify, load_model
from vlmexplain.models.protocol import Encoder, no_images
from vlmexplain.perturb.rules import MODES, Mode
from vlmexplain.records import ModelIdentity, ProgressCallback, no_progress
from vlmexplain.results.kind import MANIFEST
from vlmexplain.scoring.run import mode_of
from vlmexplain.scoring.turns import take_turn
from vlmexplain.storage import content_key, publish_folder, sweep_partial, write_file

UNFINISHED_PREFIX = ".unfinished-"
COUNTS = "plan.json"
LOCAL = LocalLgipEngine()


@dataclass(frozen=True)
class Source:
    """Where perturbations come from.

    Attributes:
        facts: all that decides what they are; part of the result's key.
        samples: gives them, from the start, each time it is called.
    """

    facts: dict[str, Any]
    samples: Callable[[], Iterable[Sample]]


def run_lgip(
    gallery: Gallery,
    model_spec: str,
    perturbations: Path | None = None,
    *,
    mode: Mode = "paper",
    seed: int = 0,
    device: str | None = None,
    progress: ProgressCallback = no_progress,
    engine: LgipEngine = LOCAL,
) -> LgipResult:
    """The LGIP figures of a model over a gallery; the same request again is a read.

    Args:
        gallery: its images are what the texts are compared with.
        model_spec: an image-text model; see `vlmexplain.models.spec.parse_spec`.
        perturbations: a file in the benchmark's or SugarCrepe's form; None makes them.
        mode, seed: how to make them, when there is no file.
        device: where the model computes.
        progress: may raise `Cancelled`; finished blocks are kept and the next run goes on.
        engine: who does the work; no part of the result's key, for it changes no number.

    Raises:
        UnknownName, ModelError, MissingPackage: as `models.load.load_model`.
        ModelError: the model reads no images.
        DataError: the perturbations cannot be read, or none is of an image of the gallery.
        StoreError: the program's folder cannot be written.
    """
    if mode_of(model_spec) == "text-text":
        raise no_images(model_spec)
    source = source_of(gallery, perturbations, mode, seed, progress)
    model = identify(model_spec)
    return lgip_bulk(
        gallery, model, lambda: load_model(model_spec, device), source, progress, engine
    )


def lgip_bulk(
    gallery: Gallery,
    model: ModelIdentity,
    load: Callable[[], Encoder],
    source: Source,
    progress: ProgressCallback = no_progress,
    engine: LgipEngine = LOCAL,
) -> LgipResult:
    """As `run_lgip`, for a model that is loaded only when something has to be encoded."""
    key = lgip_key(gallery, model, source)
    target = results_folder() / key
    if intact_lgip(key) is None:
        with take_turn(target, "LGIP", progress):
            if intact_lgip(key) is None:
                shutil.rmtree(target, ignore_errors=True)  # it is damaged
                sweep_partial(results_folder())
                _make(gallery, model, load, source, target, progress, engine)
    return open_lgip(key)


def lgip_key(gallery: Gallery, model: ModelIdentity, source: Source) -> str:
    """The content key of a result: all that decides what is in it."""
    return content_key(
        {
            "format": FORMAT,
            "gallery": gallery.id,
            "model": model.digest,
            "perturbations": source.facts,
        }
    )


def _make(
    gallery: Gallery,
    model: ModelIdentity,
    load: Callable[[], Encoder],
    source: Source,
    target: Path,
    progress: ProgressCallback,
    engine: LgipEngine,
) -> None:
    start = time.perf_counter()
    embeddings = engine.embed(gallery, model, "image-text", load, progress)
    assert embeddings.image_vectors is not None
    work = target.with_name(UNFINISHED_PREFIX + target.name)
    counts = _planned(work, source, gallery, embeddings.left_out)
    if not counts.n_triples:
        shutil.rmtree(work, ignore_errors=True)
        raise DataError(
            f"none of the perturbations is of an image of the gallery {gallery.name!r} "
            f"({counts.not_in_gallery} are of other images, {counts.without_embedding} of "
            "pictures that cannot be read).",
            remedy="Give the file that was made for this gallery.",
        )
    rows = {text: row for row, text in enumerate(embeddings.texts)}
    known = KnownVectors(rows, embeddings.text_vectors, embeddings.image_vectors)
    engine.score_pairs(work, known, model, load, progress)
    write_triples(work, work / TRIPLES, load, progress)
    figures = replace(figures_of(work / TRIPLES), n_samples=counts.n_samples)
    manifest = LgipManifest(
        key=target.name,
        gallery_id=gallery.id,
        gallery_name=gallery.name,
        model=model,
        perturbations=source.facts,
        figures=figures,
        not_in_gallery=counts.not_in_gallery,
        without_embedding=counts.without_embedding,
        drawn=gallery.drawn or model.drawn,
        created_s=time.time(),
        seconds=time.perf_counter() - start,
    )
    with publish_folder(target) as scratch:
        shutil.copyfile(work / TRIPLES, scratch / TRIPLES)
        (scratch / METRICS).write_bytes(_json(metrics_document(figures, model.name)))
        (scratch / MANIFEST).write_bytes(_json(manifest.to_json()))
    shutil.rmtree(work, ignore_errors=True)


def _planned(
    work: Path, source: Source, gallery: Gallery, left_out: dict[int, tuple[str, str]]
) -> PlanCounts:
    """The plan in the working folder: the one a killed run left, if that fits."""
    try:
        kept = json.loads((work / COUNTS).read_bytes())
        if kept["left_out"] == sorted(left_out):
            return PlanCounts(**kept["counts"])
    except (OSError, ValueError, KeyError, TypeError):
        pass  # none, or not finished: made again
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        counts = write_plan(work, source.samples(), gallery, left_out)
    except VlmexplainError:  # such as a wrong file: nothing of it can be gone on with
        shutil.rmtree(work, ignore_errors=True)
        raise
    write_file(work / COUNTS, _json({"counts": asdict(counts), "left_out": sorted(left_out)}))
    return counts


def source_of(
    gallery: Gallery,
    perturbations: Path | None,
    mode: Mode,
    seed: int,
    progress: ProgressCallback = no_progress,
) -> Source:
    """The perturbations of a file, or those made of the gallery where there is none.

    Raises:
        DataError: the file cannot be read.
        UnknownName: no such mode.
    """
    if perturbations is None:
        return _made(gallery, mode, seed, progress)
    return _read(perturbations)


def _made(gallery: Gallery, mode: Mode, seed: int, progress: ProgressCallback) -> Source:
    if mode not in MODES:
        raise UnknownName("mode", mode, MODES)
    facts = {"mode": mode, "seed": seed, "engine": ENGINE[mode]}
    return Source(facts, lambda: gallery_samples(gallery, mode, seed, progress))


def _read(path: Path) -> Source:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror}).", where=str(path)) from error
    facts = {"file": path.name, "sha256": digest.hexdigest()}
    return Source(facts, lambda: read_samples(path))


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False).encode()
