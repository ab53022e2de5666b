"""A saved list of failures, one after the other, in large type."""

from vlmexplain.ui.pages.present.page import present_page
from vlmexplain.ui.shell import show

show(present_page)
