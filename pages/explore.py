"""Why did the model retrieve the wrong image? One query, one failure, all its evidence."""

from vlmexplain.ui.explore.page import explore_page

explore_page()
