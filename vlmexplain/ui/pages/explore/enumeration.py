"""The evidence of concept enumeration: multiplicities side by side."""

from __future__ import annotations

from vlmexplain.metrics.enumeration import Multiplicity
from vlmexplain.metrics.pair import PairExplanation
from vlmexplain.ui.pages.explore.adds_up import counts_in_order
from vlmexplain.ui.pages.explore.metric_head import adds_up
from vlmexplain.ui.shared.html import Html, tag, wide
from vlmexplain.ui.shared.words import concept, value_text

MOST_DRAWN = 14


def enumeration_section(pair: PairExplanation) -> Html:
    """A row per common concept; the differences add up to CE."""
    rows = counts_in_order(pair.ce.evidence)
    crowd = len(pair.ce.evidence.crowd_not_counted)
    beside = f"({crowd} with a crowd region not counted)" if crowd else ""
    return tag(
        "div",
        adds_up(pair, "ce", beside),
        _table(pair, rows) if rows else None,
        class_="vx stack",
    )


def _table(pair: PairExplanation, rows: list[Multiplicity]) -> Html:
    titles = tag(
        "tr",
        tag("th", "Concept", scope="col"),
        tag("th", "Ground truth", scope="col", class_="r"),
        tag(
            "th",
            "ground truth ◂ ▸ retrieved",
            scope="col",
            class_="wide-only",
            style="text-align:center",
        ),
        tag("th", "Retrieved", scope="col"),
        tag("th", "Difference", scope="col", class_="r"),
    )
    total = tag(
        "tr",
        tag("td", "CE", colspan=3),
        tag("td", class_="wide-only"),
        tag("td", value_text("ce", pair.ce.value), class_="r"),
    )
    return wide(
        "Multiplicities of the common concepts",
        tag(
            "table",
            tag("caption", "Multiplicities of the common concepts", class_="sr"),
            tag("thead", titles),
            tag("tbody", [_row(m) for m in rows]),
            tag("tfoot", total) if pair.ce.value is not None else None,
        ),
    )


def _row(row: Multiplicity) -> Html:
    left, right = row.ground_truth, row.retrieved
    crowd = row.difference is None
    return tag(
        "tr",
        tag("td", concept(row.concept, "common")),
        tag("td", "crowd" if left is None else left, class_="r"),
        tag("td", _butterfly(left, right), class_="wide-only"),
        tag("td", "crowd" if right is None else right, class_="num"),
        tag(
            "td",
            "crowd, not counted" if crowd else f"|{left} − {right}| = {row.difference}",
            class_="r",
        ),
        class_="off" if crowd else None,
    )


def _butterfly(left: int | None, right: int | None) -> Html | None:
    """One bar per instance, those without a counterpart hollow."""
    if left is None or right is None:
        return None
    return tag(
        "div",
        _wing(left, right, mirrored=True),
        _wing(right, left),
        class_="fly",
        aria_hidden="true",
    )


def _wing(count: int, other: int, mirrored: bool = False) -> Html:
    drawn = [tag("i", class_="over" if i >= other else None) for i in range(min(count, MOST_DRAWN))]
    more = tag("b", "…") if count > MOST_DRAWN else None
    parts = [*drawn, more]
    return tag("span", list(reversed(parts)) if mirrored else parts)
