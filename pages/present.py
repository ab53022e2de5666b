"""A saved list of failures, one after the other, in large type."""

from vlmexplain.ui.handover.present import present_page
from vlmexplain.ui.shell import show

show(present_page)
