"""Every kind of reason and every test, declared once; engine, command, pages and docs use these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Family = Literal["pull", "unused", "fact", "people", "words"]
"""How a verdict is come by: ``pull`` by hiding in the retrieved image, ``unused`` by editing the
words (a kind may have reasons of both), ``fact`` needs no test, ``people`` have to say, ``words``
are words that the annotations know nothing of."""

Verdict = Literal[
    "causal", "opposite", "bystander", "undecided", "unused", "used", "untestable", "certain"
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

TestKey = Literal["P", "C", "W", "R"]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of reason.

    Attributes:
        key: in files and on the command line; unique.
        title: what people call it.
        families: how its verdicts are come by.
        read_from: the evidence that names it.
        sentence: what it says, for people.
    """

    key: str
    title: str
    families: tuple[Family, ...]
    read_from: str
    sentence: str


KINDS: tuple[Kind, ...] = (
    Kind("shown_instead", "shown instead", ("pull",), "concepts of the retrieved image alone",
         "The retrieved image shows something that the right image does not."),
    Kind("missing", "asked for, missing", ("unused",), "mentions, the right image's concepts",
         "The caption asks for something that the right image shows and the retrieved one lacks."),
    Kind("count", "wrong count", ("pull", "unused"), "counts of a mentioned concept (CE)",
         "The retrieved image shows another number of something that the caption mentions."),
    Kind("size", "wrong size", ("pull", "unused"), "boxes of a mentioned concept (SD)",
         "The retrieved image shows something that the caption mentions much larger."),
    Kind("colour", "wrong colour", ("unused",), "a colour word, and colours measured from pixels",
         "The caption names a colour that the retrieved image does not show there."),
    Kind("negated", "negated", ("pull", "unused"), "a negation, concepts of the retrieved image",
         "The caption says that something is not there, and the retrieved image shows it."),
    Kind("not_annotated", "said, not annotated", ("words",), "nouns that name no annotated concept",
         "The caption says something that the annotations know nothing of."),
    Kind("winning_caption", "winning caption", ("pull",), "captions of the retrieved image",
         "The model compared captions; this one of the retrieved image came nearest to the query."),
    Kind("shared_words", "words in common", ("pull",), "words of query and winning caption",
         "The winning caption of the retrieved image shares this word with the query."),
    Kind("cut", "past the cut", ("fact",), "the model's tokens",
         "The model does not read these words: they lie past the number of tokens that it takes."),
    Kind("tie", "tie", ("fact",), "scores within 1e-6",
         "The model scores both images the same; which comes first says nothing."),
    Kind("no_score", "no score", ("fact",), "what could not be embedded",
         "The right image has no score, so nothing could be ranked right."),
    Kind("outside_crop", "outside the crop", ("fact",), "boxes and the model's preprocessing",
         "The model's preprocessing cuts this off: it never saw it in the right image."),
    Kind("caption_at_odds", "caption at odds", ("people",), "numbers that the caption claims",
         "The caption contradicts the annotations of its own image."),
    Kind("near_duplicate", "near-duplicate", ("fact",), "difference hashes of both pictures",
         "Both images look nearly the same."),
    Kind("hub", "hub", ("fact",), "how often an image comes first",
         "The retrieved image comes first for far more captions than expected."),
    Kind("fits_too", "fits too", ("people",), "accepted positives",
         "The retrieved image is accepted as right for this caption."),
)  # fmt: skip
KIND_BY_KEY = {kind.key: kind for kind in KINDS}
assert len(KIND_BY_KEY) == len(KINDS)


@dataclass(frozen=True, slots=True)
class TestKind:
    """One kind of test: what it edits, for people."""

    key: TestKey
    title: str
    sentence: str


TESTS: tuple[TestKind, ...] = (
    TestKind("P", "hidden in the image", "All boxes of the thing are filled, once with the mean "
             "colour of what the model sees and once by inpainting; beside it the same boxes "
             "filled elsewhere."),
    TestKind("C", "changed in the caption", "The words are flipped or taken out; beside it other "
             "words of the caption edited in the same way."),
    TestKind("W", "without the caption", "The winning caption is left out of the retrieved "
             "image's captions; beside it each other caption of that image left out."),
    TestKind("R", "drawn again", "In the drawn world the scene is drawn without the thing: the "
             "reference that the tests are held against, in no page."),
)  # fmt: skip
TEST_BY_KEY = {test.key: test for test in TESTS}

FILLS = ("mean", "inpaint")
TIE_WITHIN = 1e-6
"""Effects and scores this near are the same."""
