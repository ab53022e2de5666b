"""What is known of an image: the ground on which a flip is called false."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from vlmexplain.records import Instance


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """An image's annotations and captions.

    Attributes:
        instances: its annotated objects.
        vocabulary: the synsets annotators were asked to look for (all concepts of the gallery).
            That a thing outside the vocabulary is not annotated says nothing about the image.
        captions: all captions of the image, the perturbed one included or not.
    """

    instances: tuple[Instance, ...] = ()
    vocabulary: frozenset[str] = frozenset()
    captions: tuple[str, ...] = ()

    def count(self, synsets: Iterable[str]) -> int | None:
        """How many single objects of these synsets are annotated; None when a crowd hides it."""
        wanted = frozenset(synsets)
        found = [one for one in self.instances if one.synset in wanted]
        return None if any(one.crowd for one in found) else len(found)

    @property
    def synsets(self) -> frozenset[str]:
        """The synsets annotated in the image."""
        return frozenset(one.synset for one in self.instances if one.synset is not None)

    @property
    def names(self) -> frozenset[str]:
        """What the annotations call the objects, lower-cased."""
        return frozenset(one.name.casefold() for one in self.instances if one.name)
