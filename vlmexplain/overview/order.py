"""Where explainable metrics and ranks disagree on the order of the models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from vlmexplain.overview.columns import COLUMNS, column_of
from vlmexplain.overview.table import OverviewRow, OverviewTable, overlap

RANK_KEY = "mrr"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A pair of models that MRR and a metric of the failures put in opposite order.

    Attributes:
        key: the metric.
        by_rank: the model that MRR puts first.
        by_metric: the model that the metric puts first.
        clear: the intervals of the two overlap neither in MRR nor in the metric.
    """

    key: str
    by_rank: str
    by_metric: str
    clear: bool


def order_by(table: OverviewTable, key: str) -> tuple[OverviewRow, ...]:
    """The rows that have the figure, the best first; equal ones in the table's order."""
    sign = -1.0 if column_of(key).good == "high" else 1.0
    valued = [(table.figure(row, key).value, row) for row in table.rows]
    known = [(value, row) for value, row in valued if value is not None]
    return tuple(row for _, row in sorted(known, key=lambda pair: sign * pair[0]))


def disagreements(table: OverviewTable) -> tuple[Disagreement, ...]:
    """Every pair of models and every directed concept metric where the order is turned round."""
    keys = [c.key for c in COLUMNS if c.group == "concepts" and c.good != "none"]
    return tuple(
        Disagreement(key, *names, clear=_clear(table, key, one, other))
        for one, other in combinations(order_by(table, RANK_KEY), 2)
        for key in keys
        if key != "n_failures" and (names := _turned(table, key, one, other)) is not None
    )


def order_lines(table: OverviewTable) -> tuple[str, ...]:
    """The same for a reader: the order by ranks, and who disagrees; empty for fewer than two."""
    ranked = order_by(table, RANK_KEY)
    if len(ranked) < 2:
        return ()
    found = disagreements(table)
    lines = [f"By MRR: {' > '.join(row.name for row in ranked)}."]
    compared = sorted({row.mode for row in ranked})
    if not found:
        lines.append("Every explainable metric that is defined puts them in the same order.")
    for names, keys in _by_pair(found):
        by_metric, by_rank = names
        shown = ", ".join(keys)
        verb = "puts" if len(keys) == 1 else "put"
        lines.append(f"{shown} {verb} {by_metric} before {by_rank}, against MRR.")
    if found:
        lines.append("An asterisk: the two models' intervals overlap, so the order is not sure.")
    if len(compared) > 1:
        lines.append("Note: some compare caption with image, others caption with caption.")
    return tuple(lines)


def _by_pair(found: Sequence[Disagreement]) -> list[tuple[tuple[str, str], list[str]]]:
    pairs: dict[tuple[str, str], list[str]] = {}
    for each in found:
        name = column_of(each.key).short + ("" if each.clear else "*")
        pairs.setdefault((each.by_metric, each.by_rank), []).append(name)
    return list(pairs.items())


def _turned(
    table: OverviewTable, key: str, first: OverviewRow, second: OverviewRow
) -> tuple[str, str] | None:
    """The two names (by rank, by metric) when the metric puts ``second`` strictly first."""
    if table.figure(first, RANK_KEY).value == table.figure(second, RANK_KEY).value:
        return None
    one, other = table.figure(first, key).value, table.figure(second, key).value
    if one is None or other is None:
        return None
    better = other > one if column_of(key).good == "high" else other < one
    return (first.name, second.name) if better else None


def _clear(table: OverviewTable, key: str, one: OverviewRow, other: OverviewRow) -> bool:
    return not any(
        overlap(table.figure(one, k).interval, table.figure(other, k).interval)
        for k in (key, RANK_KEY)
    )
