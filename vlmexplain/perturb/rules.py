"""Every rule, declared once; the page, the command line and the documents are built from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from vlmexplain.errors import UnknownName
from vlmexplain.perturb.antonym import antonyms
from vlmexplain.perturb.careful_colour import careful_colours, colours_from_all, colours_from_data
from vlmexplain.perturb.careful_number import careful_numbers
from vlmexplain.perturb.careful_object import careful_objects
from vlmexplain.perturb.careful_paraphrase import careful_paraphrases
from vlmexplain.perturb.combined import combined
from vlmexplain.perturb.own_text import own_text
from vlmexplain.perturb.paper import FlipType, paper_flip, paper_paraphrases
from vlmexplain.perturb.perturbation import Expects, Outcome
from vlmexplain.perturb.request import Request
from vlmexplain.perturb.size import sizes
from vlmexplain.perturb.synonym import synonyms
from vlmexplain.perturb.word_order import word_removed, words_shuffled

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


_RGB_THRESHOLD = Parameter(
    name="rgb_threshold",
    title="RGB distance",
    default=200.0,
    minimum=0.0,
    maximum=441.0,
    sentence="The new colour is at least this far from the old one (black to white is 441.7).",
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
    Rule(
        key="careful-paraphrase",
        name="paraphrase",
        title="Paraphrase (careful)",
        mode="careful",
        expects="same",
        sentence="The templates that fit the caption's grammar, with its capitals in place.",
        make=careful_paraphrases,
    ),
    Rule(
        key="careful-color",
        name="color",
        title="Colour flip (careful)",
        mode="careful",
        expects="drop",
        flip_type="color",
        parameters=(_RGB_THRESHOLD,),
        sentence="Each colour becomes another one that is plainly different; an orange stays one.",
        make=careful_colours,
    ),
    Rule(
        key="careful-number",
        name="number",
        title="Number flip (careful)",
        mode="careful",
        expects="drop",
        flip_type="number",
        sentence="Each counted number becomes a greater one, more than the image is known to have.",
        make=careful_numbers,
    ),
    Rule(
        key="careful-object",
        name="object",
        title="Object flip (careful)",
        mode="careful",
        expects="drop",
        flip_type="object",
        sentence="Each animal, vehicle or person becomes another that is not in the image.",
        make=careful_objects,
    ),
    Rule(
        key="antonym",
        name="antonym",
        title="Antonym",
        mode=None,
        expects="drop",
        sentence="Each adjective becomes its opposite in WordNet, where it has one.",
        make=antonyms,
        needs=("wordnet",),
    ),
    Rule(
        key="color-all",
        name="color-all",
        title="Colour, from all",
        mode=None,
        expects="drop",
        parameters=(_RGB_THRESHOLD,),
        sentence="Each colour becomes one of the named CSS colours, far enough to be seen.",
        make=colours_from_all,
    ),
    Rule(
        key="color-in",
        name="color-in",
        title="Colour, from the data set",
        mode=None,
        expects="drop",
        parameters=(_RGB_THRESHOLD,),
        sentence="Each colour becomes one that the data set's captions use, far enough to be seen.",
        make=colours_from_data,
        needs=("colours",),
    ),
    Rule(
        key="size",
        name="size",
        title="Size",
        mode=None,
        expects="drop",
        sentence="Large, big, enormous and huge become small, little, minor or tiny, and back.",
        make=sizes,
    ),
    Rule(
        key="synonym",
        name="synonym",
        title="Synonym",
        mode=None,
        expects="same",
        sentence="Each noun becomes another word of its WordNet sense.",
        make=synonyms,
        needs=("wordnet",),
    ),
    Rule(
        key="word-removed",
        name="word-removed",
        title="Word removed",
        mode=None,
        expects="unknown",
        sentence="One word is taken out, each in turn.",
        make=word_removed,
    ),
    Rule(
        key="words-shuffled",
        name="words-shuffled",
        title="Words shuffled",
        mode=None,
        expects="unknown",
        sentence="The same words in another order.",
        make=words_shuffled,
    ),
    Rule(
        key="combined",
        name="combined",
        title="Paraphrase and flip",
        mode=None,
        expects="drop",
        parameters=(_RGB_THRESHOLD,),
        sentence="A careful flip inside a careful paraphrase, scored against the paraphrase.",
        make=combined,
    ),
    Rule(
        key="own-text",
        name="own-text",
        title="Your own text",
        mode=None,
        expects="unknown",
        sentence="Whatever you type, compared with the caption word by word.",
        make=own_text,
        needs=("text",),
    ),
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
