"""What the rules ask of WordNet; `vlmexplain.concepts.wordnet.WordNet` answers it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class AntonymLike(Protocol):
    """What a rule reads of an opposite."""

    @property
    def word(self) -> str:
        """The opposite, blanks written ``_``."""
        ...

    @property
    def of_synset(self) -> str:
        """The sense of the adjective it is opposite to."""
        ...

    @property
    def direct(self) -> bool:
        """Whether WordNet joins the two words themselves, not their clusters."""
        ...


class Lexicon(Protocol):
    """WordNet, as far as the rules need it."""

    def has(self, name: str) -> bool:
        """Whether ``name`` names a synset."""
        ...

    def senses(self, lemma: str, pos: str = "n") -> tuple[str, ...]:
        """Names of the synsets of a dictionary form, the most frequent first."""
        ...

    def count(self, lemma: str, pos: str = "n") -> int:
        """How often a dictionary form was seen in sense-tagged texts."""
        ...

    def lemmatize(self, word: str, pos: str = "n") -> tuple[str, ...]:
        """Dictionary forms of a word; empty when it has none."""
        ...

    def lemmas(self, name: str) -> tuple[str, ...]:
        """The words of a synset, blanks written ``_``."""
        ...

    def hypernym_closure(self, name: str) -> dict[str, int]:
        """A synset and all above it, with the fewest steps up."""
        ...

    def antonyms(self, adjective: str) -> Sequence[AntonymLike]:
        """Opposites of an adjective, through its cluster's head where it is a satellite."""
        ...
