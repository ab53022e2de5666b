"""Bring COCO or Visual Genome in."""

from vlmexplain.ui.pages.importing.page import import_page
from vlmexplain.ui.shell import show

show(import_page)
