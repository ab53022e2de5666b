"""The evidence of size disagreement: every matched pair of boxes against the threshold."""

from __future__ import annotations

import math

from vlmexplain.metrics.pair import PairExplanation
from vlmexplain.metrics.size_disagreement import ConceptSizes, NoSize, SizeEvidence, SizePair
from vlmexplain.ui.pages.explore.adds_up import difference_text, threshold_text
from vlmexplain.ui.pages.explore.metric_head import adds_up
from vlmexplain.ui.shared.html import Html, tag, wide
from vlmexplain.ui.shared.words import concept, percent, short_name

CONVENTION = {
    "smaller": "D_A = |A_g − A_r| / min(A_g, A_r), areas as shares of their own image",
    "ground-truth": "D_A = |A_g − A_r| / A_g, areas as shares of their own image",
    "image": "D_A = |A_g − A_r|, areas as shares of their own image",
    "pixels": "D_A = |A_g − A_r|, areas in square pixels",
}
"""What the difference of two areas is, in words for `RelativeTo`."""

NEST_PX = (44.0, 32.0)


def sizes_evidence(pair: PairExplanation) -> Html:
    """The sum, a row per matched pair on one scale, and what was left out and why."""
    evidence = pair.sd.evidence
    raw = pair.sd_raw.value
    beside = "" if raw is None else f"(raw SD, the mean D_A: {_difference(raw, evidence)})"
    rows = [(sizes, pair_) for sizes in evidence.concepts for pair_ in sizes.pairs]
    rows.sort(key=lambda row: (-row[1].difference, row[0].concept))
    return tag(
        "div",
        tag("p", CONVENTION[evidence.relative_to], class_="quiet small num"),
        adds_up(pair, "sd", beside),
        _table(rows, evidence) if rows else None,
        _left_out(evidence),
        class_="vx stack",
    )


def _table(rows: list[tuple[ConceptSizes, SizePair]], evidence: SizeEvidence) -> Html:
    largest = max(pair.difference for _, pair in rows)
    scale = max(1.15 * min(largest, 6 * max(evidence.threshold, 1e-9)), 1.3 * evidence.threshold)
    titles = tag(
        "tr",
        tag("th", "Matched pair", scope="col"),
        tag("th", "Sizes", scope="col", class_="wide-only"),
        tag("th", "Area, ground truth", scope="col", class_="r"),
        tag("th", "Area, retrieved", scope="col", class_="r"),
        tag("th", "D_A against │ T_D", scope="col", class_="wide-only"),
        tag("th", "D_A", scope="col", class_="r"),
        tag("th", f"≥ {threshold_text(evidence)}", scope="col"),
    )
    return wide(
        "Matched pairs of boxes",
        tag(
            "table",
            tag("caption", "Matched pairs of boxes with their areas", class_="sr"),
            tag("thead", titles),
            tag("tbody", [_row(sizes, pair, evidence, scale) for sizes, pair in rows]),
        ),
    )


def _row(sizes: ConceptSizes, pair: SizePair, evidence: SizeEvidence, scale: float) -> Html:
    left, right = pair.ground_truth, pair.retrieved
    order = sizes.pairs.index(pair) + 1
    count = f"{order} of {len(sizes.pairs)}" if len(sizes.pairs) > 1 else ""
    return tag(
        "tr",
        tag("td", concept(sizes.concept, "common", count)),
        tag("td", _nest(left.area, right.area), class_="wide-only"),
        tag("td", _area(left.area, evidence), " (clipped)" if left.clipped else None, class_="r"),
        tag("td", _area(right.area, evidence), " (clipped)" if right.clipped else None, class_="r"),
        tag("td", _bar(pair, evidence, scale), class_="wide-only"),
        tag("td", _difference(pair.difference, evidence), class_="r"),
        tag("td", tag("b", "✗ yes", class_="bad") if pair.exceeds else "no"),
    )


def _nest(left: float, right: float) -> Html:
    """The two areas as squares to scale: solid the ground truth, dotted the retrieved."""
    largest = math.sqrt(max(left, right))
    sides = [max(4.0, NEST_PX[1] * math.sqrt(area) / largest) for area in (left, right)]
    return tag(
        "div",
        [
            tag("i", class_=kind, style=f"width:{side:.1f}px;height:{side:.1f}px")
            for kind, side in sorted(zip("gr", sides, strict=True), key=lambda s: -s[1])
        ],
        class_="nest",
        aria_hidden="true",
    )


def _bar(pair: SizePair, evidence: SizeEvidence, scale: float) -> Html:
    width = min(1.0, pair.difference / scale) if scale else 0.0
    line = evidence.threshold / scale if scale else 0.0
    return tag(
        "div",
        tag("i", class_="over" if pair.exceeds else None, style=f"width:{100 * width:.1f}%"),
        tag("u", style=f"left:{100 * line:.1f}%"),
        class_="bar",
        aria_hidden="true",
    )


def _area(area: float, evidence: SizeEvidence) -> str:
    return f"{area:,.0f} px²" if evidence.relative_to == "pixels" else percent(area)


def _difference(difference: float, evidence: SizeEvidence) -> str:
    return difference_text(difference, evidence.relative_to)


def _left_out(evidence: SizeEvidence) -> Html | None:
    notes = [
        tag("li", f"{short_name(sizes.concept)}: {text}")
        for sizes in evidence.concepts
        if (text := _unmatched(sizes))
    ]
    notes += [tag("li", _no_size(entry)) for entry in evidence.no_size]
    if not notes:
        return None
    return tag(
        "details",
        tag("summary", f"Left out of the sum ({len(notes)})"),
        tag("ul", notes, style="margin:4px 0 0; padding-left:1.2em"),
    )


def _unmatched(sizes: ConceptSizes) -> str:
    parts = [
        f"{len(boxes)} more in the {side}, without a counterpart"
        for boxes, side in (
            (sizes.unmatched_ground_truth, "ground truth"),
            (sizes.unmatched_retrieved, "retrieved image"),
        )
        if boxes
    ]
    return "; ".join(parts)


def _no_size(entry: NoSize) -> str:
    count = len(entry.instance_indices)
    side = "retrieved image" if entry.side == "retrieved" else entry.side
    return f"{short_name(entry.concept)}: {count} in the {side} without a size ({entry.kind})"
