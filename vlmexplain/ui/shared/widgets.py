"""Controls that follow the address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from vlmexplain.ui.shared.explore_address import EXPLORE


def follow(key: str, value: Any) -> None:
    """Give a control the address's value; one that has it is left alone.

    Setting it again would overwrite what a person types meanwhile.
    """
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value


def leads(key: str, change: Callable[[Any], dict[str, Any]]) -> Callable[[], None]:
    """A callback that takes the control's new value into the address."""

    def take() -> None:
        EXPLORE.go(**change(st.session_state[key]))

    return take
