"""Read-only mode as a person meets it; the refusal itself is `storage.refuse_read_only`."""

from __future__ import annotations

from vlmexplain.storage import read_only
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.messages import note


def told_read_only() -> bool:
    """Whether nothing may be changed here; says so on the page."""
    if read_only():
        note(
            tag("p", tag("b", "This server is read-only.")),
            tag("p", "Finished work can be looked at; imports, runs and marks are switched off."),
        )
        return True
    return False
