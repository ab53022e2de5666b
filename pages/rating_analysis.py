"""What the raters said."""

from vlmexplain.ui.pages.rating_admin.analysis_page import rating_analysis_page
from vlmexplain.ui.shell import show

show(rating_analysis_page)
