"""What a gallery holds, and what its import found."""

from vlmexplain.ui.pages.gallery.page import gallery_page
from vlmexplain.ui.shell import show

show(gallery_page)
