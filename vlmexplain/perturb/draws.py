"""Draws that depend on the content alone: the same today, tomorrow, alone, in a batch."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_VERSION = "vlmexplain draws 1"


class Draws:
    """A stream of draws seeded by caption, rule and seed.

    SHA-256 in counter mode, so that it does not change with the Python version, the platform
    or the hash seed (`random.Random` promises that for few of its methods only).

    >>> Draws("a red bus", "paper-color", 0).choice(["blue", "green", "white"])
    'white'
    """

    def __init__(self, caption: str, rule: str, seed: int):
        head = f"{_VERSION}\0{rule}\0{seed}\0".encode()
        self._key = hashlib.sha256(head + caption.encode("utf-8", "surrogatepass")).digest()
        self._counter = 0

    def below(self, n: int) -> int:
        """A whole number in 0..n-1, each as likely as the next."""
        assert n >= 1
        limit = (1 << 64) - (1 << 64) % n  # what lies above would favour the small numbers
        while True:
            block = self._key + self._counter.to_bytes(8, "big")
            self._counter += 1
            value = int.from_bytes(hashlib.sha256(block).digest()[:8], "big")
            if value < limit:
                return value % n

    def choice(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]

    def sample(self, items: Sequence[T], k: int) -> list[T]:
        """k of the items without replacement, in the order drawn."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(min(k, len(left)))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All items in a drawn order."""
        return self.sample(items, len(items))
