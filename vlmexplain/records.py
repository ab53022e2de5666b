"""Frozen values that cross the borders between the parts of the program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

E_co = TypeVar("E_co", covariant=True)

BoxXYWH = tuple[float, float, float, float]
"""Left, top, width, height in pixels of the image as it is shown (upright)."""

RelativeTo = Literal["smaller", "ground-truth", "image", "pixels"]
"""What an area difference is relative to; see `vlmexplain.metrics.size_disagreement`."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One annotated object of an image.

    Attributes:
        synset: WordNet 3.0 name such as ``zebra.n.01``; None when none is known.
        box_xywh_px: the box in pixels, or None when the annotation has none.
        crowd: one region over many objects (COCO ``iscrowd``): how many is unknown.
        name: what the annotation calls it.
    """

    synset: str | None
    box_xywh_px: BoxXYWH | None = None
    crowd: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class ImageAnnotations:
    """The annotated objects of one image, all that the concept metrics look at."""

    width_px: int
    height_px: int
    instances: tuple[Instance, ...] = ()


@dataclass(frozen=True, slots=True)
class MetricOptions:
    """What a reader may choose about the metrics.

    Attributes:
        size_threshold: T_D; a matched pair of boxes disagrees when its D_A >= T_D.
        relative_to: what D_A is relative to.
    """

    size_threshold: float = 1.0
    relative_to: RelativeTo = "smaller"


@dataclass(frozen=True, slots=True)
class MetricResult(Generic[E_co]):
    """A metric's value with the evidence that adds up to it.

    Attributes:
        value: the value, or None when it is undefined. Undefined is never 0.
        undefined_because: why, when value is None; else None.
        evidence: what the value is made of.
    """

    value: float | None
    undefined_because: str | None
    evidence: E_co


class PathSimilarity(Protocol):
    """WordNet path similarities of two lists of synsets, however they are come by."""

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.float64]:
        """ps of each pair, float64 [len(left), len(right)] in (0, 1]; NaN where no path exists."""
        ...


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long piece of work is: ``done`` of ``total`` things called ``unit``."""

    stage: str
    done: int
    total: int
    unit: str = ""


ProgressCallback = Callable[[Progress], None]
"""Called now and then from the working thread; may raise `Cancelled` to stop the work."""


def no_progress(_: Progress) -> None:
    """The callback for whoever does not look."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A word or compound of a caption that names a concept.

    Attributes:
        start, end: the span in the caption, in characters, end exclusive.
        text: caption[start:end].
        lemma: the dictionary form found, words joined by ``_``.
        synset: the sense of the lemma by which it was found.
        concept: the annotated concept it mentions.
        steps: hypernym steps from synset to concept: 0 equal, > 0 the word is more general
            (a hypernym of the concept), < 0 the word is more specific (a hyponym).
        negated: the caption says that it is not there (*no cars*).
    """

    start: int
    end: int
    text: str
    lemma: str
    synset: str
    concept: str
    steps: int
    negated: bool = False


@dataclass(frozen=True, slots=True)
class PathStep:
    """One synset on a WordNet path with its gloss; ``is_ancestor`` marks the turning point."""

    synset: str
    gloss: str
    is_ancestor: bool = False


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """All that decides which numbers a model gives; part of every cache key.

    Attributes:
        name: how the user calls it, such as ``ViT-B-16/openai``.
        kind: ``open_clip``, ``sentence`` or ``fake``.
        digest: sha256 hex over weights, activation, precision, preprocessing, tokenizer
            and context length.
        facts: the same, as (label, value) pairs for a page to show.
        drawn: True for a model trained on the drawn demo world.
        spec: what loads it again, with whole paths; "" when that is not known.
    """

    name: str
    kind: str
    digest: str
    facts: tuple[tuple[str, str], ...] = field(default=())
    drawn: bool = False
    spec: str = field(default="", compare=False)
