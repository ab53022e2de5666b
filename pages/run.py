"""Rank a gallery's captions with a model."""

from vlmexplain.ui.pages.running.page import run_page
from vlmexplain.ui.shell import show

show(run_page)
