"""Which of two images each concept is in."""

from __future__ import annotations

from vlmexplain.records import ImageAnnotations
from vlmexplain.wording.words import Role


def roles_of(ground_truth: ImageAnnotations, retrieved: ImageAnnotations) -> dict[str, Role]:
    """Each concept's role, concepts sorted by name."""
    left, right = (
        {i.synset for i in side.instances if i.synset} for side in (ground_truth, retrieved)
    )
    return {
        name: "common" if name in left and name in right else "missed" if name in left else "extra"
        for name in sorted(left | right)
    }
