"""Organise rating sessions."""

import streamlit as st

from vlmexplain.ui.shell import show

show(lambda: st.title("Rating sessions"))
