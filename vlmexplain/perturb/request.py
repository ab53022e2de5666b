"""What a rule is given beside the caption."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vlmexplain.perturb.draws import Draws
from vlmexplain.perturb.facts import ImageFacts
from vlmexplain.perturb.lexicon import Lexicon


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
