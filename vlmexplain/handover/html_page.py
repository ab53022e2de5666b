"""Failures as one HTML file: no script, no request, everything inside."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vlmexplain.handover.boxes import picture
from vlmexplain.handover.evidence import cards, evidence, perturbations
from vlmexplain.handover.failures import HandedFailure
from vlmexplain.handover.roles import roles_of
from vlmexplain.metrics.table import METRICS
from vlmexplain.records import ImageAnnotations
from vlmexplain.report import DRAWN
from vlmexplain.wording.markup import Html, join, tag
from vlmexplain.wording.palette import ON_PHOTO, PALETTE
from vlmexplain.wording.words import place_text

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def as_html(failures: Sequence[HandedFailure], title: str = "") -> str:
    """The page.

    Args:
        failures: at least one.
        title: over the page; made from the failures when empty.
    """
    assert failures
    title = title or _title(failures)
    several = len(failures) > 1
    body = tag(
        "main",
        tag("header", tag("h1", title), tag("p", _origin(failures), class_="quiet"),
            _contents(failures) if several else None),
        [_failure(each, n + 1) for n, each in enumerate(failures)],
        _definitions(),
    )  # fmt: skip
    head = tag(
        "head",
        Html('<meta charset="utf-8">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", title),
        tag("style", Html(_style())),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, tag('body', body), lang='en')}\n"


def _title(failures: Sequence[HandedFailure]) -> str:
    model = failures[0].explanation.model
    name = model.name if model else "a model"
    return f"{name}: {'a retrieval failure' if len(failures) == 1 else 'retrieval failures'}"


def _origin(failures: Sequence[HandedFailure]) -> str:
    first = failures[0].explanation
    parts = [f"Data set: {failures[0].gallery_name}"]
    if first.model:
        parts.append(f"model: {first.model.name} ({first.mode}, {first.model.digest[:12]})")
    parts.append(f"run {(first.run_key or '')[:12]}")
    if first.drawn:
        parts.append(DRAWN)
    return " · ".join(parts)


def _contents(failures: Sequence[HandedFailure]) -> Html:
    return tag(
        "ol",
        [tag("li", tag("a", each.explanation.query, href=f"#failure-{n + 1}"))
         for n, each in enumerate(failures)],
        class_="contents",
    )  # fmt: skip


def _failure(handed: HandedFailure, number: int) -> Html:
    found = handed.explanation
    ground_truth = found.ground_truth
    right = found.retrieved.annotations if found.retrieved else ImageAnnotations(1, 1)
    roles = roles_of(ground_truth.annotations, right)
    pictures = [
        picture(handed.ground_truth, ground_truth.annotations, roles, "Ground truth",
                _place(ground_truth.place_1based, ground_truth.score))
    ]  # fmt: skip
    if found.retrieved and handed.retrieved:
        note = _place(found.retrieved.place_1based, found.retrieved.score)
        if found.retrieved.is_ground_truth:
            note += ", a ground truth"
        pictures.append(picture(handed.retrieved, right, roles, "Retrieved", note))
    return tag(
        "article",
        tag("blockquote", found.query),
        tag("p", _ranks(handed), class_="quiet"),
        tag("div", pictures, class_="pair"),
        cards(found.pair) if found.pair else tag("p", "No image has a score for this query."),
        _strip(handed),
        _informed(handed),
        evidence(found.pair) if found.pair else None,
        perturbations(handed.probes),
        id=f"failure-{number}",
    )


def _informed(handed: HandedFailure) -> Html | None:
    found = handed.explanation
    if not found.query_informed:
        return None
    words = "; ".join(f"“{m.text}” names {m.concept}" for m in found.mentions)
    return tag("p", f"Query-informed: only what the caption mentions counts. {words or 'Nothing.'}")


def _ranks(handed: HandedFailure) -> str:
    found = handed.explanation
    if found.rank_1based is None:
        return f"Caption {handed.caption_id} · unranked: {found.unranked_because}"
    of = f" of {found.n_ranked:,}" if found.n_ranked else ""
    hits = ", ".join(f"R@{k} = {hit:.0f}" for k, hit in found.recall.items())
    tie = f" · tied with {found.n_tied} others" if found.n_tied else ""
    kind = "" if found.failure else " · no failure: the first image is a ground truth"
    return (
        f"Caption {handed.caption_id} · the ground truth comes {place_text(found.rank_1based)}{of}"
        f"{tie} · reciprocal rank {found.reciprocal_rank:.4f} · {hits}{kind}"
    )


def _place(place: int | None, score: float | None) -> str:
    parts = ["no place" if place is None else f"place {place:,}"]
    return " · ".join([*parts, *([f"score {score:.4f}"] if score is not None else [])])


def _strip(handed: HandedFailure) -> Html | None:
    best = handed.explanation.strip
    if not best:
        return None
    tiles = [
        tag("li",
            tag("img", src=src, alt="") if src else None,
            tag("span", f"{image.place_1based}",
                f" · {image.score:.3f}" if image.score is not None else None),
            tag("b", "ground truth") if image.is_ground_truth else None,
            class_="truth" if image.is_ground_truth else None)
        for image, src in zip(best, handed.strip, strict=True)
    ]  # fmt: skip
    title = tag("h3", f"The {len(best)} best images")
    return tag("section", title, tag("ol", tiles, class_="strip"), class_="part")


def _definitions() -> Html:
    entries = [
        (
            tag("dt", f"{metric.title} ({metric.short}): {metric.good_text()}, "
                f"{metric.range_text()}"),
            tag("dd", metric.meaning, tag("div", metric.formula, class_="formula"),
                tag("div", f"Undefined when {metric.undefined_when}.")
                if metric.undefined_when else None,
                tag("div", metric.note) if metric.note else None),
        )
        for metric in METRICS if metric.of == "pair"
    ]  # fmt: skip
    source = (
        "Definitions: Lymperaiou, Manoliadis, Menis-Mastromichalakis, Dervakos, Stamou, Towards "
        "Explainable Evaluation of Language Models on the Semantic Similarity of Visual Concepts, "
        "COLING 2022. Path similarities: WordNet 3.0."
    )
    return tag("section", tag("h2", "Definitions"), tag("dl", entries), tag("p", source),
               class_="definitions")  # fmt: skip


def _style() -> str:
    colours = {name: light for name, (light, _) in PALETTE.items()}
    colours |= {f"photo-{name}": colour for name, colour in ON_PHOTO.items()}
    lines = join(*(Html(f"--{name}: {colour};") for name, colour in colours.items()))
    rules = Path(__file__).with_name("handover.css").read_text(encoding="utf-8")
    return f":root {{ {lines} }}\n{rules}"
