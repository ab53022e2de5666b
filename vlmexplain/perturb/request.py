"""What a rule is given beside the caption."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from vlmexplain.perturb.draws import Draws
from vlmexplain.perturb.facts import ImageFacts


class SynsetLike(Protocol):
    """What a rule reads of a synset."""

    @property
    def lemmas(self) -> tuple[str, ...]:
        """Its words, joined by ``_``."""
        ...


class Lexicon(Protocol):
    """What the rules ask of WordNet; `vlmexplain.concepts.wordnet.WordNet` answers it."""

    def senses(self, lemma: str, pos: str = "n") -> tuple[str, ...]:
        """Names of the lemma's synsets, the most frequent first."""
        ...

    def lemmatize(self, word: str, pos: str = "n") -> tuple[str, ...]:
        """Dictionary forms of the word."""
        ...

    def synset(self, name: str) -> SynsetLike:
        """The synset of that name."""
        ...

    def hypernym_closure(self, name: str) -> dict[str, int]:
        """The synset and all above it, with the steps up."""
        ...

    def antonyms(self, lemma: str, pos: str = "a") -> tuple[str, ...]:
        """Opposites of an adjective, through the head of its cluster where it is a satellite."""
        ...


@dataclass(frozen=True, slots=True)
class Request:
    """Everything a rule may look at beside the caption.

    Attributes:
        rule: the key under which the perturbations are filed.
        seed: the seed of the draws.
        facts: what is known of the image; None when there is no image.
        lexicon: WordNet; None for rules that do without, and where it is not at hand.
        parameters: the rule's parameters by name, all of them.
        text: the user's own text, for the rule that takes it.
        colours: colour words to draw from in ``color-in``; empty when no data set is given.
    """

    rule: str
    seed: int = 0
    facts: ImageFacts | None = None
    lexicon: Lexicon | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    text: str | None = None
    colours: Sequence[str] = ()

    def draws(self, caption: str) -> Draws:
        """The draws of this rule on this caption."""
        return Draws(caption, self.rule, self.seed)
