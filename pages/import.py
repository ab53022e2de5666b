"""Bring COCO or Visual Genome in."""

from vlmexplain.ui.import_page import import_page
from vlmexplain.ui.shell import show

show(import_page)
