"""What may be a reason of a failure, read from stored evidence; the likeliest of a kind first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from vlmexplain.reasons.failure_case import Case, concepts_of, instances_of
from vlmexplain.reasons.reason import Side
from vlmexplain.reasons.said import Said, Saying, Span
from vlmexplain.records import ImageAnnotations

MOST = {"shown_instead": 4, "missing": 3, "count": 3, "size": 2, "colour": 3, "negated": 2,
        "not_annotated": 4}  # fmt: skip
"""Of each kind, the rest is left out: so the cost is bounded."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that may be a reason.

    Attributes:
        kind, subject, image, because: as in `Reason`.
        instances: what is hidden in that image; empty when only words are edited.
        saying: the word that is flipped; None when none is.
        words: the span of the caption that is taken out; None when none is.
        shown: what the retrieved image has instead, as the word flips to it first.
    """

    kind: str
    subject: str
    image: Side | None
    because: str
    instances: tuple[int, ...] = ()
    saying: Saying | None = None
    words: Span | None = None
    shown: str | None = None


def shown_instead(case: Case) -> list[Candidate]:
    """Concepts of the retrieved image alone, the largest first."""
    extra = concepts_of(case.right) - concepts_of(case.left)
    share = {
        concept: _area_share(case.right, instances_of(case.right, concept)) for concept in extra
    }
    # What covers most of the image is mostly a backdrop, which nothing can be held beside.
    order = sorted(extra, key=lambda c: (share[c] > 0.5, -share[c], c))
    return [
        Candidate("shown_instead", concept, "retrieved", "only the retrieved image shows it",
                  instances_of(case.right, concept))
        for concept in order
    ][: MOST["shown_instead"]]  # fmt: skip


def missing(case: Case) -> list[Candidate]:
    """Mentioned concepts of the ground truth whose word names nothing in the retrieved image."""
    left, right = concepts_of(case.left), concepts_of(case.right)
    of_span: dict[Span, set[str]] = {}
    for mention in case.mentions:
        of_span.setdefault((mention.start, mention.end), set()).add(mention.concept)
    found: list[Candidate] = []
    for span, concepts in sorted(of_span.items()):
        own = sorted(concepts & left)
        if not own or concepts & right:
            continue
        places = tuple(sorted(n for concept in own for n in instances_of(case.left, concept)))
        found.append(
            Candidate("missing", own[0], "ground truth",
                      f"the caption says “{case.caption[span[0]:span[1]]}”, which only the right "
                      "image shows", places, words=span)
        )  # fmt: skip
    return found[: MOST["missing"]]


def count(case: Case, said: Said) -> Iterator[Candidate]:
    """Mentioned concepts of another number: the surplus boxes, and the number word."""
    sizes = {one.concept: one for one in case.pair.sd.evidence.concepts}
    for one in case.pair.ce.evidence.multiplicities:
        if not one.difference or one.concept not in case.mentioned:
            continue
        assert one.ground_truth is not None and one.retrieved is not None
        because = f"{one.retrieved} in the retrieved image, {one.ground_truth} in the right one"
        if one.retrieved > one.ground_truth and one.concept in sizes:
            surplus = tuple(
                sorted(box.instance_index for box in sizes[one.concept].unmatched_retrieved)
            )
            if surplus:
                yield Candidate("count", one.concept, "retrieved", because, surplus)
        for saying in said.of_kind("count"):
            if one.concept in saying.concepts:
                yield Candidate("count", said.phrase(saying), None, because, saying=saying,
                                shown=str(one.retrieved))  # fmt: skip


def size(case: Case, said: Said) -> Iterator[Candidate]:
    """Mentioned concepts of another size: the larger boxes, and the size word."""
    for one in case.pair.sd.evidence.concepts:
        apart = [pair for pair in one.pairs if pair.exceeds]
        if not apart or one.concept not in case.mentioned:
            continue
        larger = [pair for pair in apart if pair.retrieved.area > pair.ground_truth.area]
        if larger:
            yield Candidate("size", one.concept, "retrieved", "larger in the retrieved image",
                            tuple(sorted(p.retrieved.instance_index for p in larger)))  # fmt: skip
        for saying in said.of_kind("size"):
            if one.concept in saying.concepts:
                yield Candidate("size", said.phrase(saying), None,
                                "its size differs between the images", saying=saying)  # fmt: skip


def negated(case: Case, said: Said) -> Iterator[Candidate]:
    """Concepts that the caption says are not there and the retrieved image shows."""
    right = concepts_of(case.right)
    for saying in said.of_kind("negated"):
        for concept in sorted(saying.concepts & right):
            because = f"the caption says “{said.phrase(saying)}”, the retrieved image shows it"
            places = instances_of(case.right, concept)
            yield Candidate("negated", concept, "retrieved", because, places)
            yield Candidate("negated", said.phrase(saying), None, because, saying=saying)


def not_annotated(said: Said) -> list[Candidate]:
    """Nouns that name no annotated concept of either image."""
    denied = {one.noun for one in said.of_kind("negated")}
    telling = {said.words.all[n].start for one in said.sayings
               for n in range(one.first, one.last + 1)}  # fmt: skip
    return [
        Candidate("not_annotated", said.text(span), None,
                  "neither image has an annotation of that name", words=span)
        for span, concepts in said.nouns
        if not concepts and span not in denied and span[0] not in telling
    ][: MOST["not_annotated"]]  # fmt: skip


def _area_share(image: ImageAnnotations, places: tuple[int, ...]) -> float:
    """Area of all boxes over that of the image; overlaps count twice, crops not."""
    boxes = [image.instances[n].box_xywh_px for n in places]
    area = sum(box[2] * box[3] for box in boxes if box is not None)
    return area / (image.width_px * image.height_px)
