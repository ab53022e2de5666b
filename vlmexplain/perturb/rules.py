"""Every rule, declared once; the page, the command line and the documents are built from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from vlmexplain.errors import UnknownName
from vlmexplain.perturb.paper import FlipType, paper_flip, paper_paraphrases
from vlmexplain.perturb.perturbation import Expects, Outcome
from vlmexplain.perturb.request import Request

Mode = Literal["paper", "careful"]
MODES: tuple[Mode, ...] = ("paper", "careful")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One number a reader may choose about a rule."""

    name: str
    title: str
    default: float
    minimum: float
    maximum: float
    sentence: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to change a caption.

    Attributes:
        key: its name in files, addresses and on the command line; unique.
        name: the key without the mode: ``object`` is ``paper-object`` or ``careful-object``.
        title: what people call it.
        mode: ``paper`` as the benchmark does it, ``careful`` with grammar and meaning kept; None
            for the rules that belong to neither and are not part of LGIP.
        expects: what it should do to the similarity.
        flip_type: the LGIP type of a flip; None for everything else.
        parameters: what may be chosen.
        sentence: what it does, for people.
        make: the work.
        needs: what it cannot do without: ``wordnet``, ``text`` or ``colours``.
    """

    key: str
    name: str
    title: str
    mode: Mode | None
    expects: Expects
    sentence: str
    make: Callable[[str, Request], Outcome]
    flip_type: FlipType | None = None
    parameters: tuple[Parameter, ...] = ()
    needs: tuple[str, ...] = ()


def _paper(kind: FlipType, title: str, list_of: str) -> Rule:
    return Rule(
        key=f"paper-{kind}",
        name=kind,
        title=title,
        mode="paper",
        expects="drop",
        flip_type=kind,
        sentence=f"The first of the benchmark's {list_of} becomes another of them, as it stands.",
        make=partial(paper_flip, kind=kind),
    )


RULES: tuple[Rule, ...] = (
    Rule(
        key="paper-paraphrase",
        name="paraphrase",
        title="Paraphrase (paper)",
        mode="paper",
        expects="same",
        sentence="Up to six of the benchmark's eight templates around the caption as it stands.",
        make=paper_paraphrases,
    ),
    _paper("color", "Colour flip (paper)", "eleven colour words"),
    _paper("number", "Number flip (paper)", "number words one to five"),
    _paper("object", "Object flip (paper)", "eleven object words"),
)
RULE_BY_KEY = {rule.key: rule for rule in RULES}
assert len(RULE_BY_KEY) == len(RULES)


def find_rule(name: str, mode: Mode = "careful") -> Rule:
    """The rule of that key, or of that name in the mode.

    >>> find_rule("object", "paper").key
    'paper-object'

    Raises:
        UnknownName: there is no such rule; near matches are named.
    """
    found = RULE_BY_KEY.get(name) or RULE_BY_KEY.get(f"{mode}-{name}")
    if found is None:
        raise UnknownName("rule", name, RULE_BY_KEY)
    return found


def lgip_rules(mode: Mode) -> tuple[Rule, ...]:
    """The paraphrase and the three flips of a mode, in the order of the benchmark.

    Raises:
        UnknownName: the mode is neither ``paper`` nor ``careful``.
    """
    if mode not in MODES:
        raise UnknownName("mode", mode, MODES)
    return tuple(rule for rule in RULES if rule.mode == mode)
