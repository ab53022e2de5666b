"""What is rated: a query with its images, and what was known about it beforehand."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vlmexplain.errors import DataError
from vlmexplain.ratings.plan.document import from_document, to_document
from vlmexplain.ratings.plan.names import clean_comment
from vlmexplain.ratings.plan.spec import Kind


@dataclass(frozen=True, slots=True)
class RatingItem:
    """One query and the image (or two) to judge it by.

    Attributes:
        caption_index: the query's place in the gallery; opens it on the Explore page.
        query: its text.
        ground_truth_image: gallery index of the ground-truth image.
        retrieved_image: gallery index of the image retrieved by the run.
        other_image: the image retrieved by the other run, in a ``choice``.
        metrics: what the software computed for (ground truth, retrieved), by key (``ca``,
            ``ncs``, ``ce``, ``sd``, ``rank_1based``, ``score_retrieved`` ...); None: undefined.
            Never shown to raters.
    """

    caption_index: int
    query: str
    ground_truth_image: int
    retrieved_image: int
    other_image: int | None = None
    metrics: Mapping[str, float | None] = field(default_factory=dict)

    def key(self) -> tuple[int, int, int, int | None]:
        """What tells items apart."""
        return (
            self.caption_index,
            self.ground_truth_image,
            self.retrieved_image,
            self.other_image,
        )


def check_items(items: Sequence[RatingItem], kind: Kind) -> None:
    """Refuse items that cannot be asked.

    Raises:
        DataError: none at all, one twice, an index that cannot be, a number that is not finite, two
            alternatives missing, given in vain, or the same image.
    """
    if not items:
        raise DataError("the session has no items.", remedy="Choose at least one query.")
    seen: dict[tuple[int, int, int, int | None], int] = {}
    for n, item in enumerate(items):
        where = f"item {n} (caption {item.caption_index})"
        if item.key() in seen:
            raise DataError(f"the same as item {seen[item.key()]}.", where=where)
        seen[item.key()] = n
        if min(part for part in item.key() if part is not None) < 0:
            raise DataError("an index is negative.", where=where)
        if max(part for part in item.key() if part is not None) >= 2**31:
            raise DataError("an index is too large.", where=where)
        if kind == "choice" and item.other_image in (None, item.retrieved_image):
            raise DataError(
                "a choice needs two different images.",
                where=where,
                remedy="Leave out queries for which both models retrieve the same image.",
            )
        if kind == "rating" and item.other_image is not None:
            raise DataError("has two images, but the session asks about one.", where=where)
        for key, value in item.metrics.items():
            if clean_comment(key) != key:
                raise DataError(f"the metric {key!r} has no name that can be written.", where=where)
            if value is not None and not math.isfinite(value):
                raise DataError(f"{key} is {value}; undefined is null.", where=where)


def read_items(path: Path) -> tuple[RatingItem, ...]:
    """Items from a file of JSON lines, one object with the fields of `RatingItem` a line.

    Raises:
        DataError: the file cannot be read, or a line is no item.
        UnknownName: a line has a field that there is not.
    """
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise DataError(f"cannot be read ({error}).", where=str(path)) from error
    return items_of_lines(content, str(path))


def items_of_lines(content: bytes, name: str) -> tuple[RatingItem, ...]:
    """As `read_items`, of a file's content; ``name`` is for messages."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"is no UTF-8 text ({error}).", where=name) from error
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{name}: line {number}"
            try:
                document = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise DataError(f"no JSON ({error}).", where=where) from error
            found.append(from_document(RatingItem, document, where))
    return tuple(found)


def lines_of_items(items: Sequence[RatingItem]) -> bytes:
    """The file of JSON lines that `read_items` turns back into these items."""
    lines = [json.dumps(to_document(item), ensure_ascii=False, allow_nan=False) for item in items]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")
