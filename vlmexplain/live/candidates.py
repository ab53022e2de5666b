"""Every perturbation of a caption, named so that an address can hold it."""

from __future__ import annotations

from dataclasses import dataclass

from vlmexplain.perturb.engine import Surroundings, perturb_all
from vlmexplain.perturb.perturbation import NotApplicable, Perturbation, apply
from vlmexplain.perturb.rules import RULE_BY_KEY, Mode, Rule

ONE_BY_ONE = "word-removed"
"""The rule whose perturbations are the word weights; they are no candidates."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One perturbation of a caption.

    Attributes:
        key: rule and number, such as ``careful-object.0``; the same caption, mode and seed give
            the same keys.
        rule: which rule made it.
        perturbation: what it changes.
        text: the perturbed caption.
        against: the text it is scored against: the caption, or a paraphrase of it.
    """

    key: str
    rule: Rule
    perturbation: Perturbation
    text: str
    against: str


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the rules make of a caption.

    Attributes:
        caption: the caption.
        drawn: the perturbations that were drawn, in the order of the rules.
        offered: the others that the rules offer.
        not_applicable: the rules that do nothing here, and why.
    """

    caption: str
    drawn: tuple[Candidate, ...]
    offered: tuple[Candidate, ...]
    not_applicable: tuple[NotApplicable, ...]

    def find(self, key: str) -> Candidate | None:
        """The perturbation of that key, or None."""
        return next((one for one in (*self.drawn, *self.offered) if one.key == key), None)


def candidates_of(
    caption: str, mode: Mode, surroundings: Surroundings, seed: int = 0
) -> Candidates:
    """Ask every rule of a mode, and those of no mode, what they make of a caption.

    Raises:
        UnknownName: no such mode.
    """
    outcomes = perturb_all(caption, mode=mode, seed=seed, surroundings=surroundings)
    drawn: list[Candidate] = []
    offered: list[Candidate] = []
    not_applicable: list[NotApplicable] = []
    for rule_key, outcome in outcomes.items():
        if isinstance(outcome, NotApplicable):
            not_applicable.append(outcome)
            continue
        if rule_key == ONE_BY_ONE:
            continue
        for number, one in enumerate(outcome):
            made = Candidate(
                f"{rule_key}.{number}",
                RULE_BY_KEY[rule_key],
                one,
                apply(caption, one.edits),
                apply(caption, one.baseline),
            )
            (drawn if one.drawn else offered).append(made)
    return Candidates(caption, tuple(drawn), tuple(offered), tuple(not_applicable))
