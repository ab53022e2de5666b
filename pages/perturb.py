"""Change the caption and watch the similarities move."""

from vlmexplain.ui.pages.perturb.page import perturb_page
from vlmexplain.ui.shell import show

show(perturb_page)
