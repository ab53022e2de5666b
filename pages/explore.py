"""Why did the model retrieve the wrong image? One query, one failure, all its evidence."""

from vlmexplain.ui.pages.explore.page import explore_page
from vlmexplain.ui.shell import show

show(explore_page)
