"""Ask one rule, or all of them, what they make of a caption."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vlmexplain.errors import DataError, UnknownName
from vlmexplain.perturb.facts import ImageFacts
from vlmexplain.perturb.lexicon import Lexicon
from vlmexplain.perturb.perturbation import NotApplicable, Outcome
from vlmexplain.perturb.request import Request
from vlmexplain.perturb.rules import RULES, Mode, Rule, find_rule, lgip_rules


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the rules may look at beside the caption, the same for every rule.

    Attributes:
        facts: what is known of the image; None without an image.
        lexicon: WordNet; None leaves out what needs it.
        colours: colour words that occur in the data set, for ``color-in``.
        text: the user's own text, for ``own-text``.
    """

    facts: ImageFacts | None = None
    lexicon: Lexicon | None = None
    colours: Sequence[str] = ()
    text: str | None = None


NOTHING_KNOWN = Surroundings()


def perturb(
    caption: str,
    rule: str | Rule,
    *,
    mode: Mode = "careful",
    seed: int = 0,
    surroundings: Surroundings = NOTHING_KNOWN,
    parameters: Mapping[str, float] | None = None,
) -> Outcome:
    """What one rule makes of a caption: perturbations, or the reason for none.

    The same caption, rule, seed and surroundings give the same answer, alone or in a batch.

    >>> [one.edits[0].before for one in perturb("a red bus", "paper-color")]
    ['red']
    >>> perturb("a bus", "paper-color").because
    'no colour word'

    Raises:
        UnknownName: no such rule or parameter.
        DataError: a parameter is out of its range.
    """
    found = rule if isinstance(rule, Rule) else find_rule(rule, mode)
    request = Request(
        rule=found.key,
        seed=seed,
        facts=surroundings.facts,
        lexicon=surroundings.lexicon,
        parameters=_checked(found, parameters or {}),
        text=surroundings.text,
        colours=surroundings.colours,
    )
    missing = {
        "wordnet": request.lexicon is None,
        "text": request.text is None,
        "colours": not request.colours,
    }
    for need in found.needs:
        if missing[need]:
            return NotApplicable(found.key, _MISSING[need])
    return found.make(caption, request)


def perturb_all(
    caption: str,
    *,
    mode: Mode | None = None,
    seed: int = 0,
    surroundings: Surroundings = NOTHING_KNOWN,
    parameters: Mapping[str, Mapping[str, float]] | None = None,
) -> dict[str, Outcome]:
    """What every rule makes of a caption, by rule key in the order of the table.

    Args:
        mode: leaves out the rules of the other mode; None asks all.
        parameters: chosen parameters by rule key.
    """
    if mode is not None:
        lgip_rules(mode)  # refuses an unknown mode
    chosen = parameters or {}
    return {
        rule.key: perturb(
            caption,
            rule,
            seed=seed,
            surroundings=surroundings,
            parameters=chosen.get(rule.key),
        )
        for rule in RULES
        if mode is None or rule.mode in (None, mode)
    }


_MISSING = {
    "wordnet": "WordNet is not at hand",
    "text": "no text was given",
    "colours": "no data set was given to take colours from",
}


def _checked(rule: Rule, chosen: Mapping[str, float]) -> dict[str, float]:
    values = {one.name: one.default for one in rule.parameters}
    for name, value in chosen.items():
        found = next((one for one in rule.parameters if one.name == name), None)
        if found is None:
            raise UnknownName(f"parameter of the rule {rule.key}", name, values)
        if not found.minimum <= value <= found.maximum:
            raise DataError(
                f"{name} = {value} is out of range.",
                where=rule.key,
                remedy=f"Choose {found.minimum:g} to {found.maximum:g}.",
            )
        values[name] = value
    return values
