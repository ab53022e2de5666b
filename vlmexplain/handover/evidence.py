"""The metrics of one failure with their evidence, as tables that print."""

from __future__ import annotations

from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.handover.failures import Probe
from vlmexplain.metrics.pair import PairExplanation
from vlmexplain.metrics.table import METRIC
from vlmexplain.wording.markup import Html, tag
from vlmexplain.wording.palette import ROLE_MARK, ROLE_NAME
from vlmexplain.wording.sums import counts_in_order, difference_text, sum_of, threshold_text
from vlmexplain.wording.words import Role, fraction, percent, short_name, value_text

SHOWN = ("ca", "ncs", "ce", "sd")
ARROW = {"high": "↑", "low": "↓"}


def cards(pair: PairExplanation) -> Html:
    """The four metrics at a glance, each with the sum it is."""
    return tag("div", [_card(pair, key) for key in SHOWN], class_="cards")


def evidence(pair: PairExplanation) -> Html:
    """All evidence, a part per metric."""
    return tag("div", _agreement(pair), _similarity(pair), _enumeration(pair), _sizes(pair))


def perturbations(probes: tuple[Probe, ...]) -> Html | None:
    """What each perturbation of the caption does to the similarity with its own image."""
    if not probes:
        return None
    largest = max(abs(p.score_caption - p.score_text) for p in probes) or 1.0
    rows = [
        tag("tr",
            tag("td", probe.text), tag("td", probe.kind.replace("color", "colour")),
            tag("td", f"{probe.score_text:.3f}", class_="r"),
            tag("td", _signed(probe.score_caption - probe.score_text), class_="r"),
            tag("td", _swing((probe.score_caption - probe.score_text) / largest)))
        for probe in probes
    ]  # fmt: skip
    title = f"Perturbations of the caption (its own score: {probes[0].score_caption:.3f})"
    return _part(
        title,
        None,
        _table(
            ("Text", "Kind", "Score:r", "Caption − text:r", "◂ text wins | caption wins ▸"), rows
        ),
    )


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")


def _swing(share: float) -> Html:
    side = "right" if share >= 0 else "left"
    start = 50 if share >= 0 else 50 + 50 * share
    return tag(
        "div",
        tag("i", class_=side, style=f"left:{start:.1f}%;width:{50 * abs(share):.1f}%"),
        class_="swing",
        aria_hidden="true",
    )


def _card(pair: PairExplanation, key: str) -> Html:
    metric, result = METRIC[key], pair.result(key)
    undefined = result.value is None
    return tag(
        "div",
        tag("div", f"{metric.title} ({metric.short}\N{NO-BREAK SPACE}{ARROW[metric.good]})",
            class_="name"),
        tag("div", value_text(key, result.value), data_card=key,
            class_="value undefined" if undefined else "value"),
        tag("div", result.undefined_because if undefined else sum_of(pair, key), class_="sum"),
        class_="card",
    )  # fmt: skip


def _agreement(pair: PairExplanation) -> Html:
    found = pair.ca.evidence
    sets: list[tuple[Role, tuple[str, ...]]] = [
        ("missed", found.only_ground_truth),
        ("common", found.common),
        ("extra", found.only_retrieved),
    ]
    return _part(
        "Concept agreement",
        "ca",
        tag(
            "div",
            [
                tag("div",
                    tag("h4", f"{ROLE_MARK[role]} {ROLE_NAME[role]}: {len(names)}"),
                    tag("p", ", ".join(map(short_name, names)) or "none"),
                    class_=f"set {role}")
                for role, names in sets
            ],
            class_="sets",
        ),
    )  # fmt: skip


def _similarity(pair: PairExplanation) -> Html:
    found = pair.ncs.evidence
    rows = [
        tag("tr",
            tag("td", short_name(each.ground_truth)), tag("td", short_name(each.retrieved)),
            tag("td", f"{fraction(each.ps)} = {each.ps:.3f}", class_="r"),
            tag("td", _path(each.ground_truth, each.retrieved)))
        for each in sorted(found.pairs, key=lambda p: (-p.ps, p.ground_truth))
    ]  # fmt: skip
    left = [
        tag("p", f"Left over in the {side}: {', '.join(map(short_name, names))}.", class_="quiet")
        for side, names in (
            ("ground truth", found.unmatched_ground_truth),
            ("retrieved image", found.unmatched_retrieved),
        )
        if names
    ]
    heads = ("Ground truth", "Retrieved", "Path similarity:r", "WordNet path")
    return _part("Non-common concept similarity", "ncs", _table(heads, rows), left)


def _path(one: str, other: str) -> str:
    steps = load_wordnet().path(one, other)
    return " – ".join(f"[{s.synset}]" if s.is_ancestor else s.synset for s in steps)


def _enumeration(pair: PairExplanation) -> Html:
    rows = [
        tag("tr",
            tag("td", short_name(each.concept)),
            tag("td", "crowd" if each.ground_truth is None else each.ground_truth, class_="r"),
            tag("td", "crowd" if each.retrieved is None else each.retrieved, class_="r"),
            tag("td", "crowd, not counted" if each.difference is None else each.difference,
                class_="r"))
        for each in counts_in_order(pair.ce.evidence)
    ]  # fmt: skip
    heads = ("Common concept", "In the ground truth:r", "In the retrieved image:r", "Difference:r")
    return _part("Concept enumeration", "ce", _table(heads, rows))


def _sizes(pair: PairExplanation) -> Html:
    found = pair.sd.evidence
    pixels = found.relative_to == "pixels"

    def area(value: float) -> str:
        return f"{value:,.0f} px²" if pixels else percent(value)

    rows = [
        tag("tr",
            tag("td", short_name(sizes.concept)),
            tag("td", area(each.ground_truth.area), class_="r"),
            tag("td", area(each.retrieved.area), class_="r"),
            tag("td", difference_text(each.difference, found.relative_to), class_="r"),
            tag("td", "yes" if each.exceeds else "no"))
        for sizes in found.concepts for each in sizes.pairs
    ]  # fmt: skip
    heads = ("Matched pair", "Area, ground truth:r", "Area, retrieved:r", "D_A:r",
             f"≥ {threshold_text(found)}")  # fmt: skip
    return _part("Size disagreement", "sd", _table(heads, rows),
                 tag("p", f"Areas relative to: {found.relative_to}.", class_="quiet"))  # fmt: skip


def _part(title: str, key: str | None, *children: object) -> Html:
    formula = tag("p", METRIC[key].formula, class_="formula") if key else None
    return tag("section", tag("h3", title), formula, children, class_="part")


def _table(heads: tuple[str, ...], rows: list[Html]) -> Html | None:
    if not rows:
        return None
    titles = [
        tag("th", head.removesuffix(":r"), scope="col", class_="r" if head.endswith(":r") else None)
        for head in heads
    ]
    return tag("table", tag("thead", tag("tr", titles)), tag("tbody", rows))
