"""One tree of errors. Only the user interface and the command line catch them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class VlmexplainError(Exception):
    """Something the user can mend: says what was wrong, where, and what to do.

    Args:
        message: what was wrong, with the bad value and what was expected.
        where: the file, and the id in it, if there is one.
        remedy: what to do about it.
    """

    def __init__(self, message: str, *, where: str | None = None, remedy: str | None = None):
        self.message = message
        self.where = where
        self.remedy = remedy
        super().__init__(str(self))

    def __str__(self) -> str:
        """One line, fit for a terminal and for a page."""
        place = f"{self.where}: " if self.where else ""
        remedy = f" {self.remedy}" if self.remedy else ""
        return f"{place}{self.message}{remedy}"


class DataError(VlmexplainError):
    """An input file is not what it should be."""


class StoreError(VlmexplainError):
    """Something under the program's folder cannot be read or written."""


class GalleryError(StoreError):
    """A gallery is missing, damaged, or written by a newer version."""


class ModelError(VlmexplainError):
    """A model cannot be loaded or cannot do what was asked."""


class MissingPackage(ModelError):
    """An optional package is not installed; the remedy names the command."""


class WordNetError(VlmexplainError):
    """WordNet 3.0 is missing or is not version 3.0."""


class ReadOnly(StoreError):
    """``VLMEXPLAIN_READONLY=1``: this server shows finished work and changes nothing."""


class RatingError(VlmexplainError):
    """A rating session refuses what was asked; kinds in `vlmexplain.ratings.plan.refusals`."""


class Cancelled(VlmexplainError):
    """The user stopped a long piece of work; finished parts are kept."""


class UnknownName(VlmexplainError):
    """A name that is not in a closed list; near matches are offered.

    >>> print(UnknownName("metric", "nsc", ["ca", "ncs", "ce", "sd"]))
    unknown metric 'nsc'. Did you mean 'ncs'? Known: ca, ncs, ce, sd.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], *, where: str | None = None):
        self.kind, self.name, self.known = kind, name, tuple(known)
        near = difflib.get_close_matches(name, self.known, n=3, cutoff=0.5)
        hint = f"Did you mean {' or '.join(repr(n) for n in near)}? " if near else ""
        shown = ", ".join(self.known[:12]) + (" ..." if len(self.known) > 12 else "")
        super().__init__(
            f"unknown {kind} {name!r}.", where=where, remedy=f"{hint}Known: {shown or 'none'}."
        )
