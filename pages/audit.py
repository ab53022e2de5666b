"""Signs of erroneous annotation, and marks for them."""

from vlmexplain.ui.pages.audit.page import audit_page
from vlmexplain.ui.shell import show

show(audit_page)
