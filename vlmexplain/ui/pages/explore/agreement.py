"""The evidence of concept agreement: three sets of concepts."""

from __future__ import annotations

from vlmexplain.metrics.pair import PairExplanation
from vlmexplain.ui.pages.explore.metric_head import adds_up
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.theme import ROLE_MARK, ROLE_NAME
from vlmexplain.ui.shared.words import Role, concept

MOST_SQUARES = 60
MENTIONED_NAME = {
    "missed": "mentioned, only in the ground truth",
    "common": "mentioned, in both images",
    "extra": "in the retrieved image, not mentioned",
}
"""What the sets are when the metrics look only at what the query mentions."""


def agreement_section(pair: PairExplanation) -> Html:
    """One square per concept of the ground truth, and the three sets by name."""
    evidence = pair.ca.evidence
    n_common, n_missed = len(evidence.common), len(evidence.only_ground_truth)
    names = ROLE_NAME if pair.mentioned is None else MENTIONED_NAME
    sets: list[tuple[Role, tuple[str, ...]]] = [
        ("missed", evidence.only_ground_truth),
        ("common", evidence.common),
        ("extra", evidence.only_retrieved),
    ]
    return tag(
        "div",
        _tally(n_common, n_missed) if 0 < n_common + n_missed <= MOST_SQUARES else None,
        adds_up(pair, "ca", "of the ground truth's concepts are in the retrieved image too"),
        tag("div", [_set(role, names[role], found) for role, found in sets], class_="sets"),
        class_="vx stack",
    )


def _tally(n_common: int, n_missed: int) -> Html:
    squares = [tag("i", ROLE_MARK["common"], class_="yes")] * n_common
    squares += [tag("i", ROLE_MARK["missed"])] * n_missed
    label = f"{n_common} of {n_common + n_missed} concepts of the ground truth are common"
    return tag("div", squares, class_="tally", role="img", aria_label=label)


def _set(role: Role, title: str, names: tuple[str, ...]) -> Html:
    listed = tag("ul", [tag("li", concept(name, role)) for name in names])
    return tag(
        "div",
        tag("h4", f"{ROLE_MARK[role]} {title}: {len(names)}"),
        listed if names else tag("p", "none", class_="quiet"),
        class_=f"set {role}",
    )
