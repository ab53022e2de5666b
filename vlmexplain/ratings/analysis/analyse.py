"""The whole analysis of a session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vlmexplain.errors import DataError, UnknownName
from vlmexplain.ratings.analysis.against_metrics import (
    Correlation,
    Disagreement,
    correlations,
    disagreements,
)
from vlmexplain.ratings.analysis.agreement import Agreement, agreement_of
from vlmexplain.ratings.analysis.alternatives import Alternatives, successful_alternatives
from vlmexplain.ratings.analysis.classes import (
    ClassCount,
    ClassFrequency,
    Rule,
    class_counts,
    class_frequencies,
    class_rules,
    co_occurrence,
)
from vlmexplain.ratings.analysis.consistency import (
    SelfConsistency,
    TimePerItem,
    self_consistency,
    time_per_item,
)
from vlmexplain.ratings.analysis.preference import PreferenceSummary, summarise_preference
from vlmexplain.ratings.analysis.ratings import RatingSummary, summarise_ratings
from vlmexplain.ratings.plan.rows import RatingData, first_answers

MOST_RESAMPLES = 100_000


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything the answers add up to; no names, no comments.

    Repeated answers count in ``consistency`` and ``time`` only.

    Attributes:
        n_items, n_items_rated, n_raters, n_answers, n_repeated, n_skipped: what it rests on.
        n_edited: current answers that replaced an earlier one.
        ratings: None in a ``choice``; ``preference``: None in a ``rating``.
        co_occurrence: answers that mark both classes, by the two keys.
        correlations, disagreements: empty in a ``choice``.
    """

    session_id: str
    name: str
    n_items: int
    n_items_rated: int
    n_raters: int
    n_answers: int
    n_repeated: int
    n_skipped: int
    n_edited: int
    ratings: RatingSummary | None
    preference: PreferenceSummary | None
    class_labels: dict[str, str]
    class_frequencies: tuple[ClassFrequency, ...]
    class_counts: tuple[ClassCount, ...]
    co_occurrence: dict[str, dict[str, int]]
    rules: tuple[Rule, ...]
    agreement: Agreement
    consistency: SelfConsistency
    time: TimePerItem
    correlations: tuple[Correlation, ...]
    disagreements: tuple[Disagreement, ...]
    alternatives: Alternatives


def analyse(
    data: RatingData,
    seed: int = 0,
    resamples: int = 500,
    metrics: Sequence[str] | None = None,
    at_most: int = 20,
) -> Analysis:
    """Analyse the rows of a session or of an export; the same rows give the same figures.

    Args:
        data: from `export_rows.session_data` or `import_files.read_export`.
        seed, resamples: of the bootstrap intervals.
        metrics: which metrics to set against the ratings; None: all that the items have.
        at_most: how many disagreements a metric.

    Raises:
        UnknownName: a metric that no item has.
        DataError: fewer than 0 or more than `MOST_RESAMPLES`.
    """
    if not 0 <= resamples <= MOST_RESAMPLES:
        raise DataError(
            f"{resamples} resamples cannot be drawn.", remedy=f"Expected 0 to {MOST_RESAMPLES}."
        )
    spec, answers = data.spec, first_answers(data.rows)
    keys = spec.class_keys()
    known = metric_keys(data)
    for key in metrics or ():
        if key not in known:
            raise UnknownName("metric of the items", key, known)
    rated = spec.kind == "rating"
    compared = (known if metrics is None else tuple(metrics)) if rated else ()
    current = [row for row in data.rows if row.is_current]
    return Analysis(
        session_id=data.session_id,
        name=spec.name,
        n_items=len({row.item for row in data.rows}),
        n_items_rated=len({row.item for row in answers}),
        n_raters=len({row.rater for row in answers}),
        n_answers=len(answers),
        n_repeated=sum(row.status == "answered" and row.occurrence == 1 for row in current),
        n_skipped=sum(row.status == "skipped" for row in current),
        n_edited=sum(row.version > 1 for row in answers),
        ratings=summarise_ratings(answers, spec) if rated else None,
        preference=None if rated else summarise_preference(answers),
        class_labels={one.key: one.label for one in spec.classes},
        class_frequencies=class_frequencies(answers, keys),
        class_counts=class_counts(answers),
        co_occurrence=co_occurrence(answers, keys),
        rules=class_rules(answers, keys),
        agreement=agreement_of(answers, spec, seed, resamples),
        consistency=self_consistency(data.rows, spec),
        time=time_per_item(data.rows),
        correlations=correlations(answers, compared),
        disagreements=disagreements(answers, compared, at_most),
        alternatives=successful_alternatives(answers, keys),
    )


def metric_keys(data: RatingData) -> tuple[str, ...]:
    """The metrics that items of the session have, in the order of the first item that has them."""
    return tuple(dict.fromkeys(key for row in data.rows for key in row.metrics))
