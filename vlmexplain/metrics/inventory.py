"""What an image holds: its concepts, and which of its instances are of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from vlmexplain.records import ImageAnnotations


@dataclass(frozen=True, slots=True)
class Inventory:
    """The instances of an image by concept: V(I) and V_m(I) of the paper.

    Attributes:
        image: the annotations.
        instances_of: synset -> instance indices, ascending; synsets sorted by name.
            Instances without a synset are of no concept and are left out.
        restricted: True when concepts were left out because the query does not mention them.
    """

    image: ImageAnnotations
    instances_of: dict[str, tuple[int, ...]]
    restricted: bool = False

    def __iter__(self) -> Iterator[str]:
        return iter(self.instances_of)

    def __contains__(self, concept: str) -> bool:
        return concept in self.instances_of

    def __len__(self) -> int:
        return len(self.instances_of)

    def count(self, concept: str) -> int | None:
        """How many instances of the concept; None when one is a crowd region (unknown)."""
        indices, instances = self.instances_of[concept], self.image.instances
        for index in indices:
            if instances[index].crowd:
                return None
        return len(indices)


def take_inventory(image: ImageAnnotations, only: frozenset[str] | None = None) -> Inventory:
    """Group the instances of an image by concept.

    Args:
        image: the annotations.
        only: keep these concepts alone (the query-informed V_q); None keeps all.

    >>> from vlmexplain.records import Instance
    >>> dogs = ImageAnnotations(64, 48, (Instance("dog.n.01"), Instance("dog.n.01")))
    >>> take_inventory(dogs).count("dog.n.01")
    2
    """
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for index, instance in enumerate(image.instances):
        if instance.synset is not None:
            groups[instance.synset].append(index)
    kept = [name for name in sorted(groups) if only is None or name in only]
    return Inventory(image, {name: tuple(groups[name]) for name in kept}, len(kept) < len(groups))
