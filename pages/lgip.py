"""How invariant to paraphrases and how sensitive to flips the models are."""

from vlmexplain.ui.pages.lgip.page import lgip_page
from vlmexplain.ui.shell import show

show(lgip_page)
