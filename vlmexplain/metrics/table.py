"""Every metric declared once: pages, the command line, docs and property tests read it here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from vlmexplain.errors import UnknownName

Direction = Literal["high", "low"]


@dataclass(frozen=True, slots=True)
class Metric:
    """What there is to know about a metric.

    Attributes:
        key: its name in code, addresses and files.
        title, short: its name in full, and for a column.
        meaning: one sentence.
        good: which direction is good.
        low, high: the range; ``low_open`` when low itself is never reached.
        formula, latex: the formula as plain text and as LaTeX.
        symmetric: True when exchanging the two images leaves the value as it is.
        undefined_when: when there is no value; empty when there always is one.
        unit: ``share`` (0..1, shown in %), ``similarity``, ``count``, ``ratio`` or ``flag``.
        of: what it looks at: a ``pair`` of images or the ground truth's ``rank``.
        note: what a reader should know beside: our choices where the paper is silent.
    """

    key: str
    title: str
    short: str
    meaning: str
    good: Direction
    low: float
    high: float
    low_open: bool
    formula: str
    latex: str
    symmetric: bool
    undefined_when: str
    unit: Literal["share", "similarity", "count", "ratio", "flag"]
    of: Literal["pair", "rank"]
    note: str = ""

    def show(self, value: float | None, relative_to: str = "smaller") -> str:
        """A value in the metric's format; an undefined one is never shown as a number.

        >>> METRIC["ca"].show(3 / 11), METRIC["ca"].show(None)
        ('27.27 %', 'undefined')
        """
        if value is None:
            return "undefined"
        if self.unit == "share":
            return f"{100 * value:.2f} %"
        if self.unit == "count":
            return f"{value:.0f}"
        if self.unit == "flag":
            return "yes" if value else "no"
        if self.key == "rr":
            return f"{value:.4f}"
        if self.unit == "ratio" and relative_to == "pixels":
            return f"{value:,.0f} px²"
        return f"{value:.3f}"

    def good_text(self) -> str:
        """Which direction is good, in words."""
        return f"{self.good} is good"

    def range_text(self) -> str:
        """The range in interval notation.

        >>> METRIC["ncs"].range_text(), METRIC["ce"].range_text()
        ('(0, 1]', '[0, ∞)')
        """
        left = "(" if self.low_open else "["
        right = "∞)" if math.isinf(self.high) else f"{self.high:g}]"
        return f"{left}{self.low:g}, {right}"


def _recall(k: int) -> Metric:
    return Metric(
        key=f"r{k}",
        title=f"Recall at {k}",
        short=f"R@{k}",
        meaning=(
            "Whether the ground truth is the first image of the ranking."
            if k == 1
            else f"Whether the ground truth is among the first {k} images of the ranking."
        ),
        good="high",
        low=0,
        high=1,
        low_open=False,
        formula=f"R@{k} = 1 if rank <= {k}, else 0",
        latex=rf"\mathrm{{R@{k}}} = [\,\mathrm{{rank}} \le {k}\,]",
        symmetric=False,
        undefined_when="",
        unit="flag",
        of="rank",
    )


METRICS: tuple[Metric, ...] = (
    Metric(
        key="ca",
        title="Concept agreement",
        short="CA",
        meaning="How many of the ground truth's concepts are in the retrieved image too.",
        good="high",
        low=0,
        high=1,
        low_open=False,
        formula="CA = |V(I_g) ∩ V(I_r)| / |V(I_g)|",
        latex=r"CA = \frac{|V(I_g) \cap V(I_r)|}{|V(I_g)|}",
        symmetric=False,
        undefined_when="the ground truth has no annotated concept",
        unit="share",
        of="pair",
    ),
    Metric(
        key="ncs",
        title="Non-common concept similarity",
        short="NCS",
        meaning=(
            "How near, in WordNet, the concepts that only one of the images has are to those "
            "that only the other has."
        ),
        good="high",
        low=0,
        high=1,
        low_open=True,
        formula=(
            "NCS = mean of ps(v, w) over a maximum-weight matching of D_g = V(I_g) \\ V(I_r) "
            "and D_r = V(I_r) \\ V(I_g); ps = 1 / (1 + shortest hypernym path)"
        ),
        latex=(
            r"NCS = \frac{1}{|M|} \sum_{(v, w) \in M} ps(v, w), \quad "
            r"M = \arg\max_{M \subseteq D_g \times D_r} \sum_{(v, w) \in M} ps(v, w)"
        ),
        symmetric=True,
        undefined_when=(
            "either image has no concept that the other lacks, or no such pair has a WordNet path"
        ),
        unit="similarity",
        of="pair",
        note=(
            "A pair without a path weighs 0 and is never matched. Of matchings that weigh the "
            "same, one with the most pairs is taken."
        ),
    ),
    Metric(
        key="ce",
        title="Concept enumeration",
        short="CE",
        meaning="How far apart the numbers of the things are that both images show.",
        good="low",
        low=0,
        high=math.inf,
        low_open=False,
        formula="CE = sum over common concepts v of |m_g(v) - m_r(v)|",
        latex=r"CE = \sum_{v \in V(I_g) \cap V(I_r)} |m_g(v) - m_r(v)|",
        symmetric=True,
        undefined_when="no concept is common to both images, or none of the common can be counted",
        unit="count",
        of="pair",
        note=(
            "A concept that is a crowd region in either image is left out and listed as "
            '"crowd, not counted".'
        ),
    ),
    Metric(
        key="sd",
        title="Size disagreement",
        short="SD",
        meaning="How many of the matched common things differ in size by the threshold or more.",
        good="low",
        low=0,
        high=1,
        low_open=False,
        formula="SD = |{matched pairs of boxes with D_A >= T_D}| / |matched pairs|",
        latex=(
            r"SD = \frac{\sum_u |\{(a, b) \in M_u : D_A(a, b) \ge T_D\}|}{\sum_u |M_u|}, \quad "
            r"D_A(a, b) = \frac{|A_a - A_b|}{\min(A_a, A_b)}"
        ),
        symmetric=True,
        undefined_when="no common concept has a box with a size in both images",
        unit="share",
        of="pair",
        note=(
            "The paper does not say what D_A is relative to. Ours: areas are shares of their own "
            "image, and the difference is relative to the smaller of the two; T_D = 1 then means "
            "twice as large. Relative to the ground truth instead, SD is not symmetric. Boxes "
            "are clipped to the image; crowd regions have no size of their own."
        ),
    ),
    Metric(
        key="sd_raw",
        title="Size disagreement, raw",
        short="raw SD",
        meaning="How far apart the sizes of the matched common things are on average.",
        good="low",
        low=0,
        high=math.inf,
        low_open=False,
        formula="raw SD = mean of D_A over the matched pairs of boxes",
        latex=r"SD_{raw} = \frac{\sum_u \sum_{(a, b) \in M_u} D_A(a, b)}{\sum_u |M_u|}",
        symmetric=True,
        undefined_when="no common concept has a box with a size in both images",
        unit="ratio",
        of="pair",
        note=(
            "In multiples of the smaller size (default), of the ground truth's size, of the image, "
            "or in square pixels. Relative to the ground truth it is not symmetric."
        ),
    ),
    Metric(
        key="rr",
        title="Reciprocal rank",
        short="RR",
        meaning="How early in the ranking the ground truth comes.",
        good="high",
        low=0,
        high=1,
        low_open=True,
        formula="RR = 1 / rank",
        latex=r"RR = \frac{1}{\mathrm{rank}}",
        symmetric=False,
        undefined_when="",
        unit="similarity",
        of="rank",
    ),
    _recall(1),
    _recall(5),
    _recall(10),
)

METRIC = {metric.key: metric for metric in METRICS}


def metric_of(key: str) -> Metric:
    """The metric with this key; an unknown one is refused with near matches."""
    if key not in METRIC:
        raise UnknownName("metric", key, METRIC)
    return METRIC[key]
