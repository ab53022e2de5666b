"""Two models on the same queries."""

from vlmexplain.ui.pages.compare.page import compare_page
from vlmexplain.ui.shell import show

show(compare_page)
