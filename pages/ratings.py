"""Organise rating sessions."""

from vlmexplain.ui.pages.rating_admin.page import ratings_page
from vlmexplain.ui.shell import show

show(ratings_page)
