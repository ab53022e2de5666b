"""The benchmark's unit: an image, its captions, and what was made of each caption."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

FLIP_TYPES = ("color", "number", "object")
"""The benchmark's types, in the order of its files. Other data sets may have others."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A text that should be less similar to the image than the caption.

    Attributes:
        text: the whole flipped caption.
        flip_type: ``color``, ``number``, ``object``, or whatever the data set calls it; None
            when it does not say.
        verified: True when it is known to be false of the image; None when that is not known.
    """

    text: str
    flip_type: str | None = None
    verified: bool | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """An image with its captions; ``same`` and ``flips`` are by caption, in the same order.

    Attributes:
        image_path: the file, as the data set writes it.
        captions: the captions as they are.
        same: the paraphrases of each caption.
        flips: the flips of each caption.
    """

    image_path: str
    captions: tuple[str, ...]
    same: tuple[tuple[str, ...], ...]
    flips: tuple[tuple[Flip, ...], ...]

    def __post_init__(self) -> None:
        assert len(self.captions) == len(self.same) == len(self.flips)


@dataclass(slots=True)
class SampleCounts:
    """What a set of samples holds; add them one by one.

    Attributes:
        images, captions, paraphrases, flips: how many.
        by_type: flips by type.
        verified_by_type: those of them known to be false of their image.
    """

    images: int = 0
    captions: int = 0
    paraphrases: int = 0
    flips: int = 0
    by_type: Counter[str] = field(default_factory=Counter)
    verified_by_type: Counter[str] = field(default_factory=Counter)

    def add(self, sample: Sample) -> None:
        """Count one more sample."""
        self.images += 1
        self.captions += len(sample.captions)
        self.paraphrases += sum(map(len, sample.same))
        for flip in (flip for flips in sample.flips for flip in flips):
            self.flips += 1
            self.by_type[flip.flip_type or "other"] += 1
            self.verified_by_type[flip.flip_type or "other"] += flip.verified is True

    def to_json(self) -> dict[str, object]:
        """The counts as a JSON value."""
        return {
            "images": self.images,
            "captions": self.captions,
            "paraphrases": self.paraphrases,
            "flips": self.flips,
            "flips_by_type": dict(sorted(self.by_type.items())),
            "verified_by_type": dict(sorted(self.verified_by_type.items())),
        }
