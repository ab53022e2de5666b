"""Slices of a run: some of its queries, chosen by what their image and caption are like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vlmexplain.errors import UnknownName
from vlmexplain.overview.gallery_facts import GalleryFacts
from vlmexplain.overview.run_columns import RunColumns

WORD_BINS = ((1, 7), (8, 9), (10, 11), (12, 14), (15, None))
OBJECT_BINS = ((0, 0), (1, 1), (2, 3), (4, 7), (8, 15), (16, None))


@dataclass(frozen=True, slots=True)
class Slice:
    """What all of must hold of a query; the defaults ask nothing.

    Attributes:
        concept: the ground truth has it.
        above: the ground truth has a concept below this hypernym.
        words_from, words_to: words of the caption, both included.
        objects_from, objects_to: annotated objects of the ground truth, both included.
    """

    concept: str = ""
    above: str = ""
    words_from: int = 0
    words_to: int | None = None
    objects_from: int = 0
    objects_to: int | None = None


@dataclass(frozen=True, slots=True)
class SliceLine:
    """How the queries of a slice came out.

    Attributes:
        name: for a reader.
        slice: which queries.
        n_queries, n_failures: ranked queries, and those of them that failed.
        ca, n_ca: mean CA over the failures where it is defined, and how many these are.
        mrr: mean reciprocal rank; None without a query.
    """

    name: str
    slice: Slice
    n_queries: int
    n_failures: int
    ca: float | None
    n_ca: int
    mrr: float | None

    @property
    def failure_share(self) -> float | None:
        """Failures of all ranked queries."""
        return self.n_failures / self.n_queries if self.n_queries else None


def chosen_rows(
    columns: RunColumns,
    facts: GalleryFacts,
    asked: Slice,
    groups: Mapping[str, NDArray[np.intp]],
    without: Iterable[int] = (),
) -> NDArray[np.bool_]:
    """Which queries are of the slice, bool [n_queries].

    Args:
        groups: as `gallery_facts.groups_above`.
        without: captions that are left out, such as marked ones.

    Raises:
        UnknownName: a concept or hypernym that the gallery does not have.
    """
    rows = chosen_captions(columns.image_index, columns.n_words, facts, asked, groups)
    left_out = [index for index in without if index < len(rows)]
    rows[left_out] = False
    return rows


def chosen_captions(
    image_index: NDArray[np.int32],
    n_words: NDArray[np.int32],
    facts: GalleryFacts,
    asked: Slice,
    groups: Mapping[str, NDArray[np.intp]],
) -> NDArray[np.bool_]:
    """Which captions are of the slice, bool [n_captions].

    Args:
        image_index, n_words: int32 [n_captions], the image and the words of each caption.
        groups: as `gallery_facts.groups_above`.

    Raises:
        UnknownName: a concept or hypernym that the gallery does not have.
    """
    images = np.ones(len(facts.n_objects), dtype=bool)
    if asked.concept:
        if asked.concept not in facts.concepts:
            raise UnknownName("concept", asked.concept, facts.concepts)
        images &= facts.has(asked.concept)
    if asked.above:
        if asked.above not in groups:
            raise UnknownName("supercategory", asked.above, groups)
        images &= facts.has_any(groups[asked.above])
    images &= _within(facts.n_objects, asked.objects_from, asked.objects_to)
    return images[image_index] & _within(n_words, asked.words_from, asked.words_to)


def slices_by_concept(
    columns: RunColumns, facts: GalleryFacts, rows: NDArray[np.bool_]
) -> tuple[SliceLine, ...]:
    """One line a concept of the ground truth, the most failures first."""
    sums = _ImageSums(columns, len(facts.n_objects), rows)
    has = facts.counts.astype(bool)
    lines = sums.lines(has, [(synset, Slice(concept=synset)) for synset in facts.concepts])
    return _most_failures_first(lines)


def slices_by_supercategory(
    columns: RunColumns, facts: GalleryFacts, rows: NDArray[np.bool_],
    groups: Mapping[str, NDArray[np.intp]],
) -> tuple[SliceLine, ...]:  # fmt: skip
    """One line a hypernym that several concepts share, the most failures first."""
    sums = _ImageSums(columns, len(facts.n_objects), rows)
    sizes = [len(places) for places in groups.values()]
    members = np.concatenate([*groups.values(), np.empty(0, dtype=np.intp)]).astype(np.intp)
    column = np.repeat(np.arange(len(groups)), sizes)
    shape = (facts.counts.shape[1], len(groups))
    belongs = sparse.csr_matrix((np.ones(len(column)), (members, column)), shape=shape)
    has = (facts.counts @ belongs) > 0
    found = sums.lines(has, [(name, Slice(above=name)) for name in groups])
    return _most_failures_first(found)


def slices_by_length(columns: RunColumns, rows: NDArray[np.bool_]) -> tuple[SliceLine, ...]:
    """One line a range of caption lengths."""
    return tuple(
        _line(columns, rows & _within(columns.n_words, low, high), _range(low, high, "words"),
              Slice(words_from=low, words_to=high))
        for low, high in WORD_BINS
    )  # fmt: skip


def slices_by_objects(
    columns: RunColumns, facts: GalleryFacts, rows: NDArray[np.bool_]
) -> tuple[SliceLine, ...]:
    """One line a range of numbers of annotated objects."""
    of_query = facts.n_objects[columns.image_index]
    return tuple(
        _line(columns, rows & _within(of_query, low, high), _range(low, high, "objects"),
              Slice(objects_from=low, objects_to=high))
        for low, high in OBJECT_BINS
    )  # fmt: skip


class _ImageSums:
    """Sums over the queries of each image, float64 [n_images, 5]."""

    def __init__(self, columns: RunColumns, n_images: int, rows: NDArray[np.bool_]):
        rows = rows & (columns.rank_1based > 0)
        image = columns.image_index[rows]
        ca = columns.ca[rows]
        values = (
            np.ones(len(image)),
            columns.failure[rows],
            np.nan_to_num(ca),
            ~np.isnan(ca),
            1 / columns.rank_1based[rows],
        )
        self.sums = np.stack(
            [np.bincount(image, weights=each, minlength=n_images) for each in values], axis=1
        )

    def lines(self, has: object, names: list[tuple[str, Slice]]) -> list[SliceLine]:
        totals = has.T @ self.sums  # type: ignore[attr-defined]
        return [_made(name, asked, totals[n]) for n, (name, asked) in enumerate(names)]


def _line(columns: RunColumns, rows: NDArray[np.bool_], name: str, asked: Slice) -> SliceLine:
    rows = rows & (columns.rank_1based > 0)
    ca = columns.ca[rows]
    total = (rows.sum(), columns.failure[rows].sum(), np.nansum(ca), (~np.isnan(ca)).sum(),
             (1 / columns.rank_1based[rows]).sum())  # fmt: skip
    return _made(name, asked, np.array(total, dtype=np.float64))


def _made(name: str, asked: Slice, totals: NDArray[np.float64]) -> SliceLine:
    n, failures, ca, n_ca, reciprocal = totals.tolist()
    return SliceLine(
        name, asked, round(n), round(failures), ca / n_ca if n_ca else None, round(n_ca),
        reciprocal / n if n else None,
    )  # fmt: skip


def _most_failures_first(lines: list[SliceLine]) -> tuple[SliceLine, ...]:
    kept = [line for line in lines if line.n_queries]
    return tuple(sorted(kept, key=lambda line: (-line.n_failures, line.name)))


def _within(values: NDArray[np.int32], low: int, high: int | None) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = values >= low
    return found if high is None else found & (values <= high)


def _range(low: int, high: int | None, what: str) -> str:
    if high is None:
        return f"{low} {what} or more"
    return f"{low} {what}" if low == high else f"{low} to {high} {what}"
