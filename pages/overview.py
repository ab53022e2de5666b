"""The whole model: the table of the paper, distributions, slices."""

from vlmexplain.ui.pages.overview.page import overview_page
from vlmexplain.ui.shell import show

show(overview_page)
