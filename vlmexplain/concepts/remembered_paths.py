"""Path similarities and names asked for again and again: each is looked up once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

MOST_NAMES = 2048
"""So many synsets are remembered (32 MiB); when more come, it begins anew."""


class SynsetSource(Protocol):
    """WordNet as far as it is needed here: similarities, and which synsets there are."""

    def has(self, name: str) -> bool:
        """Whether WordNet 3.0 has a synset of this name."""
        ...

    def canonical(self, name: str) -> str:
        """The one name of the synset."""
        ...

    def near_names(self, name: str) -> Sequence[str]:
        """Names of synsets that look like it."""
        ...

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.float64]:
        """ps of each pair, float64 [len(left), len(right)] in (0, 1]; NaN where no path exists."""
        ...


class RememberedPaths:
    """A `records.PathSimilarity` over a source, equal to it; for one thread.

    Attributes:
        source: where names and similarities, which are symmetric, come from.
        canonical_of: the canonical name of each name met so far that is a synset's.
    """

    def __init__(self, source: SynsetSource, most_names: int = MOST_NAMES) -> None:
        self.source = source
        self.canonical_of: dict[str, str] = {}
        self._most = most_names
        self._place: dict[str, int] = {}
        self._ps = np.empty((0, 0))

    def canonical(self, name: str) -> str | None:
        """The one name of the synset; None when there is no such synset."""
        found = self.canonical_of.get(name)
        if found is None and self.source.has(name):
            found = self.canonical_of[name] = self.source.canonical(name)
        return found

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.float64]:
        """As the source's."""
        place = self._place
        try:
            rows, columns = [place[name] for name in left], [place[name] for name in right]
        except KeyError:
            new = list(dict.fromkeys(name for name in (*left, *right) if name not in place))
            if len(new) + len(place) > self._most:
                self._forget()
                new = list(dict.fromkeys((*left, *right)))
            if len(new) > self._most:
                return self.source.matrix(left, right)
            self._learn(new)
            rows, columns = [place[name] for name in left], [place[name] for name in right]
        found: NDArray[np.float64] = self._ps[np.array(rows)[:, None], columns]
        return found

    def _learn(self, new: list[str]) -> None:
        """Take new names in, with their similarities to all that are known."""
        old = list(self._place)
        known = len(old)
        total = known + len(new)
        if total > len(self._ps):
            size = min(self._most, max(64, 2 * total))
            grown = np.full((size, size), np.nan)
            grown[:known, :known] = self._ps[:known, :known]
            self._ps = grown
        self._place.update({name: known + n for n, name in enumerate(new)})
        found = self.source.matrix(new, [*old, *new])
        self._ps[known:total, :total] = found
        self._ps[:known, known:total] = found[:, :known].T

    def _forget(self) -> None:
        self._place.clear()
