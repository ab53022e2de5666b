"""Finished work as documents (JSON values) and as text for a terminal."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Any

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.datasets.gallery_manifest import GalleryManifest
from vlmexplain.explain import Explanation, to_json
from vlmexplain.lgip.result import LgipManifest
from vlmexplain.metrics.globals import GlobalFigure
from vlmexplain.metrics.pair import CONCEPT_KEYS, PairExplanation
from vlmexplain.metrics.table import metric_of
from vlmexplain.scoring.run_store import Run, RunManifest

DRAWN = "drawn demo world: these numbers say nothing about photos"


def explanation_document(explanation: Explanation) -> dict[str, Any]:
    """One explained query: metrics and evidence under the keys that `score-pairs` writes."""
    document = to_json(explanation)
    scores = document.pop("metrics") or dict.fromkeys((*CONCEPT_KEYS, "undefined", "evidence"))
    return {**document, **scores}


def explanation_text(explanation: Explanation) -> str:
    """One explained query for a reader: each value beside what it is made of."""
    lines = [f"query      {explanation.query}"]
    if explanation.source:
        lines.append(f"source     {explanation.source}")
    if explanation.model:
        lines.append(f"model      {explanation.model.name} ({explanation.mode})")
    if explanation.drawn:
        lines.append(f"world      {DRAWN}")
    lines += _rank_lines(explanation)
    if explanation.query_informed:
        words = ", ".join(f"{m.text} -> {m.concept}" for m in explanation.mentions)
        lines.append(f"informed   by {words or 'no word of the query'}")
    if explanation.pair is None:
        lines.append("retrieved  nothing: no image has a score for this query")
    else:
        lines += _metric_lines(explanation.pair)
    return "\n".join(lines)


def _rank_lines(explanation: Explanation) -> list[str]:
    if explanation.rank_1based is None:
        return [f"rank       none: {explanation.unranked_because}"]
    hits = "  ".join(f"R@{k} {hit:.0f}" for k, hit in explanation.recall.items())
    tie = f"  tied with {explanation.n_tied}" if explanation.n_tied else ""
    return [
        f"rank       {explanation.rank_1based}{tie}  RR {explanation.reciprocal_rank:.4f}  {hits}"
    ]


def _metric_lines(pair: PairExplanation) -> list[str]:
    lines = []
    for key in CONCEPT_KEYS:
        result, metric = pair.result(key), metric_of(key)
        shown = metric.show(result.value, pair.options.relative_to)
        made_of = result.undefined_because or _made_of(pair, key)
        lines.append(f"{metric.short:<10} {shown:<10} {metric.good_text()}; {made_of}")
    agreement = pair.ca.evidence
    for title, names in (
        ("common", agreement.common),
        ("only in the ground truth", agreement.only_ground_truth),
        ("only in the retrieved", agreement.only_retrieved),
    ):
        lines.append(f"{title}: {', '.join(names) or 'none'}")
    return lines


def _made_of(pair: PairExplanation, key: str) -> str:
    if key == "ca":
        found = pair.ca.evidence
        total = len(found.common) + len(found.only_ground_truth)
        return f"{len(found.common)} of {total} concepts"
    if key == "ncs":
        pairs = pair.ncs.evidence.pairs
        return ", ".join(f"{p.ground_truth} - {p.retrieved} {p.ps:.3f}" for p in pairs)
    if key == "ce":
        rows = pair.ce.evidence.multiplicities
        return ", ".join(
            f"{r.concept} {_count(r.ground_truth)}/{_count(r.retrieved)}" for r in rows
        )
    sizes = pair.sd.evidence
    if key == "sd":
        return f"{sizes.n_exceeding} of {sizes.n_pairs} matched pairs reach {sizes.threshold:g}"
    return f"mean over {sizes.n_pairs} matched pairs, relative to: {sizes.relative_to}"


def _count(multiplicity: int | None) -> str:
    return "crowd" if multiplicity is None else str(multiplicity)


def run_document(run: Run) -> dict[str, Any]:
    """A finished run with its global figures."""
    return run_manifest_document(run.manifest)


def run_manifest_document(manifest: RunManifest) -> dict[str, Any]:
    """A run's manifest, figures by key."""
    document = manifest.to_json()
    for name in ("figures", "informed_figures"):
        document[name] = {figure.pop("key"): figure for figure in document[name]}
    return document


def run_text(run: Run) -> str:
    """A finished run for a reader."""
    manifest = run.manifest
    lines = [
        f"run        {manifest.key}",
        f"gallery    {manifest.gallery_name} ({manifest.n_images_ranked:,} images ranked)",
        f"model      {manifest.model.name} ({manifest.mode})",
        f"queries    {manifest.n_queries:,}, {manifest.n_ranked:,} ranked, "
        f"{manifest.n_failures:,} failures",
    ]
    if manifest.drawn:
        lines.append(f"world      {DRAWN}")
    if manifest.left_out:
        lines.append(f"left out   {len(manifest.left_out):,} pictures that could not be embedded")
    return "\n".join([*lines, "", *figure_lines(manifest.figures)])


def figure_lines(figures: tuple[GlobalFigure, ...]) -> list[str]:
    """Global figures, one line each: title, value, the cases it rests on."""
    return [
        f"{figure.title:<44} {figure_value(figure):>12}   over {figure.n_cases:,} {figure.cases}"
        for figure in figures
    ]


def figure_value(figure: GlobalFigure) -> str:
    """A global figure's value; undefined is said, a tied mode is shown whole."""
    if figure.value is None:
        return "undefined"
    if figure.unit == "share":
        return f"{100 * figure.value:.2f} %"
    if figure.unit == "count":
        return " = ".join(f"{v:,.0f}" for v in (figure.value, *figure.others))
    return f"{figure.value:.3f}"


def gallery_document(manifest: GalleryManifest) -> dict[str, Any]:
    """A gallery's manifest as a JSON value."""
    return {**asdict(manifest), "name": manifest.name}


def import_document(gallery: Gallery) -> dict[str, Any]:
    """An imported gallery with the summary of its import."""
    return {**gallery_document(gallery.manifest), "checks": gallery.checks().to_json()}


def import_summary(gallery: Gallery) -> dict[str, Any]:
    """What came of `vlmexplain import PATH`: the keys of the contract, and the checks."""
    checks, manifest = gallery.checks(), gallery.manifest
    repairs = [f for f in checks.of("taken") if f.code.startswith("name-")]
    return {
        "gallery": gallery.id,
        "name": gallery.name,
        "images": gallery.n_images,
        "captions": gallery.n_captions,
        "instances": gallery.n_instances,
        "form": str(manifest.options.get("form", "")),
        "repairs": {f.code: f.count for f in repairs},
        "left_out": {f.code: f.count for f in checks.of("left-out")},
        "checks": checks.to_json(),
    }


def import_text(gallery: Gallery) -> str:
    """An imported gallery for a reader."""
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(gallery.manifest.created_s))
    lines = [
        f"gallery    {gallery.name} ({gallery.id[:12]}), imported {when}",
        f"pictures   {gallery.images_folder if gallery.has_pictures else 'none'}",
    ]
    also = gallery.manifest.names[:-1]
    if also:
        lines.append(f"also       known as {', '.join(also)}: the content is the same")
    if gallery.n_instances == 0:
        lines.append("metrics    concept metrics are undefined: no annotations")
    if gallery.n_captions == 0:
        lines.append("queries    none: no captions")
    if gallery.drawn:
        lines.append(f"world      {DRAWN}")
    return "\n".join([*lines, gallery.checks().text()])


def lgip_text(manifest: LgipManifest) -> str:
    """An LGIP result for a reader: each figure with the number of triples it rests on."""
    figures = manifest.figures
    lines = [
        f"gallery    {manifest.gallery_name}",
        f"model      {manifest.model.name}",
        *([f"world      {DRAWN}"] if manifest.drawn else []),
        f"invariance error  {_number(figures.invariance_error)}  low is good, "
        f"over {figures.n_invariance:,} paraphrases",
    ]
    parts = {"seen flips": figures.seen, "verified flips": figures.verified}
    rows = {"all flips": figures.sensitivity, **parts, **figures.by_type}
    for kind, found in rows.items():
        if found is None:
            lines.append(f"{kind:<17} not recorded: run LGIP again")
            continue
        rate = "undefined" if found.positive_rate is None else f"{100 * found.positive_rate:.2f} %"
        lines.append(
            f"{kind:<17} gap {_number(found.gap_mean)}, positive rate {rate}  high is good, "
            f"over {found.count:,} flips, {found.ties:,} ties"
        )
    lines += [
        f"{n:,} {what}"
        for n, what in (
            (figures.not_seen, "triples change nothing that the model reads: their gap is 0"),
            (manifest.not_in_gallery, "samples left out: their image is not in the gallery"),
            (manifest.without_embedding, "samples left out: their image cannot be embedded"),
        )
        if n
    ]
    return "\n".join(lines)


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
