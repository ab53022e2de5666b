"""The columns of the overview table, each declared once: direction, and the failures behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from vlmexplain.errors import UnknownName
from vlmexplain.lgip.samples import FLIP_TYPES

Direction = Literal["high", "low", "none"]
Unit = Literal["share", "number", "count"]

_NAMES = {kind: "colour" if kind == "color" else kind for kind in FLIP_TYPES}

TOTAL = "A total: it grows with the number of failures, so no direction is good."


@dataclass(frozen=True, slots=True)
class Column:
    """One figure of a run as a column.

    Attributes:
        key: its name in files; that of `metrics.globals.GlobalFigure` where there is one.
        title, short: its name in full, and over the column.
        good: which direction is good; ``none`` for a total over the failures.
        unit: ``share`` (0..1, shown in %), ``number`` (a mean) or ``count`` (a total).
        cases: what ``n_cases`` counts.
        meaning: one sentence.
        opens: the state of the Explore page that lists the queries behind the figure.
        group: ``concepts``, ``informed`` (query-informed), ``retrieval``,
            ``corrected`` (all accepted images) or ``lgip``.
    """

    key: str
    title: str
    short: str
    good: Direction
    unit: Unit
    cases: str
    meaning: str
    opens: Mapping[str, str] = field(default_factory=dict)
    group: Literal["concepts", "informed", "retrieval", "corrected", "lgip"] = "concepts"

    def show(self, value: float | None) -> str:
        """A value in the column's format; an undefined one is never shown as a number.

        >>> column_of("ca").show(3 / 11), column_of("hit").show(1234), column_of("ce").show(None)
        ('27.27 %', '1,234', 'undefined')
        """
        if value is None:
            return "undefined"
        if self.unit == "share":
            return f"{100 * value:.2f} %"
        if self.unit == "count":
            return f"{value:,.0f}"
        if self.key == "median_rank":
            return f"{value:,.1f}"
        # gaps are small, and one that rounds to nothing has no sign
        digits = 4 if self.group == "lgip" else 3
        return f"{round(value, digits) + 0.0:.{digits}f}"

    def good_text(self) -> str:
        """Which direction is good, in words."""
        return "no direction" if self.good == "none" else f"{self.good} is good"


def _with_value(metric: str, up: bool = True) -> dict[str, str]:
    """The failures where a metric is defined, the worst first."""
    return {"metric": metric, "low": "0", "sort": metric, **({"up": "yes"} if up else {})}


def _informed(
    key: str, title: str, short: str, good: Direction, unit: Unit, metric: str, up: bool
) -> Column:
    """A figure where only what the caption mentions counts."""
    return Column(
        key, f"{title}, query-informed", f"{short} q.-i.", good, unit, "failures",
        "The same where only the concepts that the caption mentions count.",
        {"informed": "yes", **_with_value(metric, up)}, "informed",
    )  # fmt: skip


_ALL = {"failures": "no", "sort": "rank"}
_LGIP_BY_TYPE: tuple[tuple[str, str, Unit], ...] = (
    ("gap", "sensitivity gap", "number"),
    ("positive", "positive rate", "share"),
)

COLUMNS: tuple[Column, ...] = (
    Column("n_failures", "Failures", "Failures", "low", "count", "queries",
           "Queries whose first image is no ground truth.", {"sort": "rank"}),
    Column("ca", "Mean concept agreement", "CA", "high", "share", "failures",
           "How many of the ground truth's concepts are in the retrieved image too.",
           _with_value("ca")),
    Column("ncs_micro", "Non-common concept similarity, over matchings", "NCS micro", "high",
           "number", "matchings", "Mean WordNet similarity of the matched left-over concepts "
           "(the paper's).", _with_value("ncs")),
    Column("ncs_macro", "Non-common concept similarity, over failures", "NCS macro", "high",
           "number", "failures", "Mean of each failure's NCS.", _with_value("ncs")),
    Column("ce", "Mean concept enumeration", "CE mean", "low", "number", "failures",
           "How far apart the numbers of the common things are.", _with_value("ce", False)),
    Column("ce_mode", "Most common concept enumeration", "CE mode", "low", "count", "failures",
           "The CE that occurs most often; the smallest of several.", _with_value("ce")),
    Column("sd", "Mean size disagreement", "SD", "low", "share", "failures",
           "How many of the matched common things differ in size by the threshold or more.",
           _with_value("sd", False)),
    Column("hit", "Object hit", "Hit", "none", "count", "failures",
           f"Common concepts. {TOTAL}", {"sort": "ca"}),
    Column("miss", "Object miss", "Miss", "none", "count", "failures",
           f"Ground-truth concepts that are not in the first image. {TOTAL}",
           {"sort": "ca", "up": "yes"}),
    Column("matched_synsets", "Matched synsets", "Matched", "high", "share",
           "ground-truth concepts", "hit / (hit + miss).", {"sort": "ca", "up": "yes"}),
    Column("enumeration_disagreement", "Enumeration disagreement", "Enum. dis.", "low", "share",
           "common concepts that can be counted",
           "Common concepts with a different multiplicity, of all that can be counted.",
           _with_value("ce", False)),
    Column("n_matchings", "Matchings", "Matchings", "none", "count", "failures",
           f"Matched pairs of left-over concepts. {TOTAL}", _with_value("ncs")),
    _informed("q_ca", "Mean concept agreement", "CA", "high", "share", "ca", True),
    _informed("q_ncs", "Non-common concept similarity, over failures", "NCS macro", "high",
              "number", "ncs", True),
    _informed("q_ce", "Mean concept enumeration", "CE mean", "low", "number", "ce", False),
    _informed("q_ce_mode", "Most common concept enumeration", "CE mode", "low", "count", "ce",
              True),
    _informed("q_sd", "Mean size disagreement", "SD", "low", "share", "sd", False),
    Column("mrr", "Mean reciprocal rank", "MRR", "high", "number", "queries",
           "Mean of 1 / rank of the ground truth.", _ALL, "retrieval"),
    Column("median_rank", "Median rank", "Median rank", "low", "number", "queries",
           "The rank that half of the ground truths reach.", _ALL, "retrieval"),
    *(
        Column(f"r{k}", f"Recall at {k}", f"R@{k}", "high", "share", "queries",
               f"Queries whose ground truth is among the first {k}."
               if k > 1 else "Queries whose ground truth comes first.",
               {"failures": "no", "rank_from": str(k + 1), "sort": "rank"}, "retrieval")
        for k in (1, 5, 10)
    ),
    *(
        Column(f"r{k}_corrected", f"Recall at {k}, corrected", f"R@{k} corr.", "high", "share",
               "judged queries",
               f"Judged queries with an accepted image among the first {k}.", _ALL, "corrected")
        for k in (1, 5, 10)
    ),
    Column("r_precision", "R-Precision", "R-Prec.", "high", "share", "judged queries",
           "Accepted images within the first R, of R; R is how many a query has.", _ALL,
           "corrected"),
    Column("map_at_r", "mAP@R", "mAP@R", "high", "share", "judged queries",
           "Mean over the ranks up to R of the precision at each accepted image.", _ALL,
           "corrected"),
    Column("lgip_invariance", "LGIP invariance error", "LGIP inv. error", "low", "number",
           "paraphrases", "How far a paraphrase moves the similarity.", {}, "lgip"),
    Column("lgip_gap", "LGIP sensitivity gap", "LGIP gap", "high", "number", "flips",
           "How much a false caption lowers the similarity.", {}, "lgip"),
    Column("lgip_positive", "LGIP positive rate", "LGIP pos. rate", "high", "share", "flips",
           "How often the true caption scores above the false one.", {}, "lgip"),
    *(
        Column(f"lgip_{key}_{kind}", f"LGIP {title}, {_NAMES[kind]} flips",
               f"LGIP {title} {kind}", "high", unit, "flips",
               f"The {title} over {_NAMES[kind]} flips alone.", {}, "lgip")
        for kind in FLIP_TYPES
        for key, title, unit in _LGIP_BY_TYPE
    ),
)  # fmt: skip

COLUMN = {column.key: column for column in COLUMNS}


def column_of(key: str) -> Column:
    """The column with this key; an unknown one is refused with near matches."""
    if key not in COLUMN:
        raise UnknownName("column", key, COLUMN)
    return COLUMN[key]
