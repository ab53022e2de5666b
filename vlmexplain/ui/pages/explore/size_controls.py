"""Size disagreement with its two controls: the threshold, and what areas are relative to."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from vlmexplain.metrics.pair import PairExplanation
from vlmexplain.records import RelativeTo
from vlmexplain.ui.pages.explore.metric_head import draw_head
from vlmexplain.ui.pages.explore.sizes import sizes_evidence
from vlmexplain.ui.shared.explore_address import EXPLORE, ExploreAddress

RELATIVE_TO: dict[RelativeTo, str] = {
    "smaller": "the smaller of the two (shares of the image)",
    "ground-truth": "the ground truth's box (shares of the image)",
    "image": "the image (difference of the shares)",
    "pixels": "nothing: square pixels",
}
assert set(RELATIVE_TO) == set(get_args(RelativeTo))

SCALES: dict[RelativeTo, tuple[float, float, float]] = {
    # the slider's most, step, and where it starts; percent, or square pixels
    "smaller": (500, 5, 100),
    "ground-truth": (500, 5, 100),
    "image": (100, 1, 10),
    "pixels": (100_000, 500, 10_000),
}


def draw_sizes(pair: PairExplanation, address: ExploreAddress) -> None:
    """Heading, controls, and the evidence under them."""
    draw_head(pair, "sd")
    most, step, _ = SCALES[address.relative_to]
    in_pixels = address.relative_to == "pixels"
    factor = 1 if in_pixels else 100
    # a widget whose range changes is another widget, so each convention has its own
    slider = f"threshold-{address.relative_to}"
    st.session_state[slider] = min(most, round(address.threshold * factor / step) * step)
    st.session_state["relative-to"] = address.relative_to
    left, right = st.columns(2)
    left.slider(
        "Threshold T_D (px²)" if in_pixels else "Threshold T_D (%)",
        0.0,
        float(most),
        step=float(step),
        format="%d px²" if in_pixels else "%d %%",
        key=slider,
        on_change=lambda: EXPLORE.go(threshold=st.session_state[slider] / factor),
    )
    right.selectbox(
        "Areas relative to",
        list(RELATIVE_TO),
        format_func=RELATIVE_TO.__getitem__,
        key="relative-to",
        on_change=_change_convention,
    )
    st.html(sizes_evidence(pair))


def _change_convention() -> None:
    chosen: RelativeTo = st.session_state["relative-to"]
    start = SCALES[chosen][2]
    EXPLORE.go(relative_to=chosen, threshold=start if chosen == "pixels" else start / 100)
