"""Whether this server is for raters alone."""

from __future__ import annotations

from vlmexplain.storage import switched_on


def raters_only() -> bool:
    """Whether ``VLMEXPLAIN_RATERS_ONLY=1``: this server has the rater's page and no other."""
    return switched_on("VLMEXPLAIN_RATERS_ONLY")
