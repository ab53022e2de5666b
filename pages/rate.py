"""Judge retrieved images: join a rating session and answer one item after the other."""

from vlmexplain.ui.pages.rating.page import rate_page
from vlmexplain.ui.shell import show

show(rate_page)
