"""Word weights: what a similarity loses when a word is left out of the caption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vlmexplain.live.candidates import ONE_BY_ONE
from vlmexplain.live.reading import can_tell_apart
from vlmexplain.live.scorer import LiveScorer
from vlmexplain.perturb.engine import perturb
from vlmexplain.perturb.perturbation import NotApplicable, apply
from vlmexplain.perturb.seen import Visibility
from vlmexplain.perturb.words import words_of


@dataclass(frozen=True, slots=True)
class WordWeight:
    """One word of a caption.

    Attributes:
        start, end: its span in the caption, in characters, end exclusive.
        text: the word.
        weights: for each image s(I, c) - s(I, c without the word), in [-2, 2]: above 0 the word
            pulls the caption towards the image, below 0 away; NaN where there is no similarity.
        visibility: whether the model can tell that the word is gone.
    """

    start: int
    end: int
    text: str
    weights: tuple[float, ...]
    visibility: Visibility


@dataclass(frozen=True, slots=True)
class WordWeights:
    """The weights of a caption's words, or why it has none.

    Attributes:
        words: in the order of the caption; empty when undefined.
        undefined_because: why there is no weight, else None.
    """

    words: tuple[WordWeight, ...]
    undefined_because: str | None = None


@dataclass(frozen=True, slots=True)
class Shortened:
    """A caption's texts without one word each, in the order of its words."""

    texts: tuple[str, ...]
    undefined_because: str | None = None


def shortened(caption: str) -> Shortened:
    """The caption without each of its words in turn.

    >>> shortened("a red bus").texts
    ('red bus', 'a bus', 'a red')
    """
    outcome = perturb(caption, ONE_BY_ONE)
    if isinstance(outcome, NotApplicable):
        return Shortened((), outcome.because)
    return Shortened(tuple(apply(caption, one.edits) for one in outcome))


def word_weights(
    scorer: LiveScorer, caption: str, images: Sequence[int], own_text: str | None = None
) -> WordWeights:
    """Leave each word out in turn; texts that were scored before cost nothing.

    Args:
        scorer: the model on the gallery.
        caption: the text.
        images: places in the gallery.
        own_text: for a text-text model; see `LiveScorer.similarities`.
    """
    short = shortened(caption)
    if not short.texts:
        return WordWeights((), short.undefined_because)
    table = scorer.similarities([caption, *short.texts], images, own_text)
    lost = (table[0] - table[1:]).tolist()
    return WordWeights(
        tuple(
            WordWeight(
                word.start,
                word.end,
                word.text,
                tuple(row),
                can_tell_apart(caption, text, row, scorer),
            )
            for word, text, row in zip(words_of(caption).all, short.texts, lost, strict=True)
        )
    )
