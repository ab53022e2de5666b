"""The choices above the chart: rules, draws, and the model beside."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from vlmexplain.perturb.rules import MODES
from vlmexplain.records import ModelIdentity
from vlmexplain.ui.pages.perturb.numbers_of import Live
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.perturb_address import PERTURB, PerturbAddress
from vlmexplain.ui.shared.scorers import ModelChoice
from vlmexplain.ui.shared.widgets import follow

MODE_NAMES = {"careful": "Careful rules", "paper": "The paper's rules"}
NONE = ""


def draw_controls(live: Live, own: PerturbAddress) -> None:
    """Which rules, another draw, and whether all alternatives are scored."""
    st.html(
        tag("div", tag("h2", "Perturbations of the caption", style="margin-top:8px"),
            class_="vx")
    )  # fmt: skip
    follow("perturb-mode", own.mode)
    follow("perturb-offered", own.offered)
    n_offered = len(live.candidates.offered)
    with st.container(horizontal=True, vertical_alignment="center", key="perturb-controls"):
        st.segmented_control(
            "Rules",
            list(reversed(MODES)),
            format_func=MODE_NAMES.__getitem__,
            key="perturb-mode",
            label_visibility="collapsed",
            required=True,
            on_change=lambda: PERTURB.go(mode=st.session_state["perturb-mode"], pick=""),
        )
        st.button(
            f"Draw again (seed {own.seed})",
            icon=":material/casino:",
            key="perturb-seed",
            help="Where a rule can choose among words, a seed draws them; the next seed draws "
            "others. The address holds it.",
            on_click=lambda: PERTURB.go(seed=own.seed + 1, pick=""),
        )
        if n_offered or own.offered:
            st.toggle(
                f"Show all: {n_offered:,} more that the seed did not choose",
                key="perturb-offered",
                on_change=lambda: PERTURB.go(offered=st.session_state["perturb-offered"]),
            )


def draw_second(models: Sequence[ModelChoice], first: ModelIdentity | None) -> None:
    """The model where the data set has no run, and the one beside it."""
    own = PERTURB.now()
    names = {each.spec: each for each in models}

    def shown(spec: str) -> str:
        if not spec:
            return "none"
        found = names.get(spec)
        return spec if found is None or not found.note else f"{spec} ({found.note})"

    left, right = st.columns(2)
    if first is None:
        follow("perturb-model", own.model)
        left.selectbox(
            "Model",
            list(dict.fromkeys([NONE, *names, own.model])),
            format_func=shown,
            key="perturb-model",
            filter_mode=None,
            on_change=lambda: PERTURB.go(model=st.session_state["perturb-model"] or ""),
        )
    else:
        left.html(
            tag(
                "div",
                tag("p", tag("span", "Model ", class_="quiet small"), tag("b", first.name)),
                class_="vx",
            )
        )
    shown_first = None if first is None else first.spec or first.name
    follow("perturb-second", own.second)
    right.selectbox(
        "A second model beside it",
        list(dict.fromkeys([NONE, *(n for n in names if n != shown_first), own.second])),
        format_func=shown,
        key="perturb-second",
        filter_mode=None,
        on_change=lambda: PERTURB.go(second=st.session_state["perturb-second"] or ""),
    )
