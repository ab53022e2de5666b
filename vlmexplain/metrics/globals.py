"""The figures of a whole run: Table 3 of the paper and those in its text, over all failures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vlmexplain.metrics.pair_scores import PairScores

RECALL_AT = (1, 5, 10)


@dataclass(frozen=True, slots=True)
class GlobalFigure:
    """One figure over a run, with what it rests on.

    Attributes:
        key, title: its name in files and for a reader.
        value: the figure; None when it rests on nothing.
        n_cases: how many cases it rests on; 0 for a bare total over nothing.
        cases: what these are, such as "failures" or "matchings".
        unit: ``share`` (0..1), ``number`` (a mean) or ``count`` (a total).
        definition: how it is made, in a few words.
        others: further values that are as common, for a mode with a tie.
    """

    key: str
    title: str
    value: float | None
    n_cases: int
    cases: str
    unit: Literal["share", "number", "count"]
    definition: str
    others: tuple[float, ...] = ()


def global_figures(
    failures: PairScores, ranks_1based: NDArray[Any], place: str = "top-1"
) -> tuple[GlobalFigure, ...]:
    """All global figures of a run.

    Args:
        failures: the scores of the failures alone, one row each.
        ranks_1based: integer [n_queries], rank of the ground truth of **every** query.
        place: what the retrieved image is called in the definitions.
    """
    ranks = np.asarray(ranks_1based)
    return (
        *_concepts(failures, place),
        *_similarity(failures),
        *_enumeration(failures),
        _mean("sd", "Mean size disagreement", failures.sd, "share", "mean SD"),
        _mean("sd_raw", "Mean raw size disagreement", failures.sd_raw, "number", "mean D_A"),
        *_retrieval(ranks),
    )


def _concepts(failures: PairScores, place: str) -> tuple[GlobalFigure, ...]:
    hit, miss = _total(failures.n_common), _total(failures.n_only_ground_truth)
    n = len(failures)
    return (
        GlobalFigure("n_failures", "Failures", n, n, "failures", "count", "queries that failed"),
        _mean("ca", "Mean concept agreement", failures.ca, "share", "mean CA"),
        GlobalFigure("hit", "Object hit", hit, n, "failures", "count", "common concepts"),
        GlobalFigure(
            "miss",
            "Object miss",
            miss,
            n,
            "failures",
            "count",
            f"ground-truth concepts not in the {place} image",
        ),
        _share("matched_synsets", "Matched synsets", hit, hit + miss, "ground-truth concepts",
               "hit / (hit + miss)"),
    )  # fmt: skip


def _similarity(failures: PairScores) -> tuple[GlobalFigure, ...]:
    matchings = _total(failures.n_ncs_pairs)
    left_over = _total(failures.n_only_ground_truth) + _total(failures.n_only_retrieved)
    micro = float(failures.sum_ps.sum()) / matchings if matchings else None
    return (
        GlobalFigure("ncs_micro", "Non-common concept similarity, over matchings", micro,
                     matchings, "matchings", "number", "sum of ps / matchings (the paper's)"),
        _mean("ncs_macro", "Non-common concept similarity, over failures", failures.ncs,
              "number", "mean NCS"),
        GlobalFigure("n_matchings", "Matchings", matchings, len(failures), "failures", "count",
                     "matched pairs of non-common concepts"),
        _share("matchings_share", "Matchings per non-common synset", matchings, left_over,
               "non-common synsets of both images",
               "matchings / non-common synsets; at most a half, since a matching takes two"),
    )  # fmt: skip


def _enumeration(failures: PairScores) -> tuple[GlobalFigure, ...]:
    equal = _total(failures.n_equal_multiplicity)
    different = _total(failures.n_different_multiplicity)
    crowd = _total(failures.n_crowd_not_counted)
    defined = failures.ce[~np.isnan(failures.ce)]
    values, counts = np.unique(defined, return_counts=True)
    modes = values[counts == counts.max()].tolist() if len(values) else []
    n = len(failures)
    return (
        _mean("ce", "Mean concept enumeration", failures.ce, "number", "mean CE"),
        GlobalFigure("ce_mode", "Most common concept enumeration", modes[0] if modes else None,
                     len(defined), "failures", "number", "the CE that occurs most often",
                     tuple(modes[1:])),
        GlobalFigure("n_equal_multiplicity", "Concepts with the same multiplicity", equal, n,
                     "failures", "count", "common concepts with m_g = m_r"),
        GlobalFigure("n_different_multiplicity", "Concepts with a different multiplicity",
                     different, n, "failures", "count", "common concepts with m_g != m_r"),
        GlobalFigure("n_crowd_not_counted", "Crowd, not counted", crowd, n, "failures", "count",
                     "common concepts with a crowd region in either image"),
        _share("enumeration_disagreement", "Enumeration disagreement", different,
               equal + different, "common concepts that can be counted",
               "different / (same + different); crowd concepts are left out"),
    )  # fmt: skip


def _retrieval(ranks: NDArray[Any]) -> tuple[GlobalFigure, ...]:
    n = len(ranks)

    def figure(key: str, title: str, value: float, unit: Any, text: str) -> GlobalFigure:
        return GlobalFigure(key, title, value if n else None, n, "queries", unit, text)

    some = ranks if n else np.ones(1)
    return (
        figure("mrr", "Mean reciprocal rank", float((1 / some).mean()), "number", "mean 1 / rank"),
        figure("median_rank", "Median rank", float(np.median(some)), "number", "median rank"),
        *(
            figure(f"r{k}", f"Recall at {k}", float((some <= k).mean()), "share", f"rank <= {k}")
            for k in RECALL_AT
        ),
    )


def _total(column: NDArray[np.int32]) -> int:
    return int(column.sum(dtype=np.int64))


def _mean(
    key: str, title: str, column: NDArray[np.float64], unit: Literal["share", "number"], what: str
) -> GlobalFigure:
    defined = column[~np.isnan(column)]
    value = float(defined.mean()) if len(defined) else None
    text = f"{what} over the failures where it is defined"
    return GlobalFigure(key, title, value, len(defined), "failures", unit, text)


def _share(
    key: str, title: str, above: int, below: int, cases: str, definition: str
) -> GlobalFigure:
    value = above / below if below else None
    return GlobalFigure(key, title, value, below, cases, "share", definition)
