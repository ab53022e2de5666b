"""Slices kept under a name, and the captions that a slice holds.

They belong to a gallery, not to a run: what a slice asks is known before any model has ranked it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlmexplain.concepts.wordnet import WordNet, load_wordnet
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError, StoreError, UnknownName
from vlmexplain.overview.gallery_facts import GalleryFacts, gallery_facts, groups_above
from vlmexplain.overview.marks import read_marks, wrong_captions
from vlmexplain.overview.slices import Slice, chosen_captions
from vlmexplain.storage import home, locked, write_file

LONGEST_NAME = 80
MOST_SLICES = 500
FORMAT = 1
BATCH = 65_536
_Kept = dict[str, Slice]


@dataclass(frozen=True, slots=True)
class SavedSlice:
    """A slice under a name, which is unique in its gallery."""

    name: str
    slice: Slice


def list_slices(gallery_id: str) -> tuple[SavedSlice, ...]:
    """The saved slices of a gallery, by name.

    Raises:
        StoreError: the file is damaged.
    """
    kept = _read(gallery_id)
    return tuple(SavedSlice(name, kept[name]) for name in sorted(kept, key=_order))


def find_slice(gallery_id: str, name: str) -> SavedSlice:
    """A saved slice by its name.

    Raises:
        UnknownName: there is none of that name; near ones are offered.
        StoreError: the file is damaged.
    """
    kept = _read(gallery_id)
    if name not in kept:
        raise UnknownName("saved slice", name, sorted(kept, key=_order))
    return SavedSlice(name, kept[name])


def save_slice(gallery: Gallery, name: str, asked: Slice, *, replace: bool = False) -> SavedSlice:
    """Keep a slice under a name; on disk when this returns.

    Args:
        replace: whether a slice of that name may be replaced.

    Raises:
        DataError: the name is empty, too long or taken, the slice asks nothing or for what could
            not be read again, or there are `MOST_SLICES` already.
        ReadOnly: in read-only mode.
    """
    name = clean_name(name)
    if asked == Slice():
        raise DataError("the slice is all queries.", remedy="Choose a slice before saving it.")
    _check_readable(asked)

    def put(kept: _Kept) -> None:
        if name in kept and not replace and kept[name] != asked:
            raise _taken(name)
        if name not in kept and len(kept) >= MOST_SLICES:
            raise DataError(f"{MOST_SLICES} slices are saved.", remedy="Delete one first.")
        kept[name] = asked

    _change(gallery.id, put)
    return SavedSlice(name, asked)


def rename_slice(gallery_id: str, name: str, new_name: str) -> SavedSlice:
    """Give a saved slice another name.

    Raises:
        UnknownName: there is no slice ``name``.
        DataError: the new name is empty, too long or taken.
        ReadOnly: in read-only mode.
    """
    new_name = clean_name(new_name)

    def move(kept: _Kept) -> None:
        _known(kept, name)
        if new_name in kept and new_name != name:
            raise _taken(new_name)
        kept[new_name] = kept.pop(name)

    return SavedSlice(new_name, _change(gallery_id, move)[new_name])


def delete_slice(gallery_id: str, name: str) -> None:
    """Forget a saved slice.

    Raises:
        UnknownName: there is no slice ``name``.
        ReadOnly: in read-only mode.
    """

    def drop(kept: _Kept) -> None:
        _known(kept, name)
        del kept[name]

    _change(gallery_id, drop)


def clean_name(name: str) -> str:
    """A name as it is kept: spaces at the ends and between words made one.

    >>> clean_name("  long   captions ")
    'long captions'

    Raises:
        DataError: it is empty, or longer than `LONGEST_NAME` characters.
    """
    cleaned = " ".join(name.split())
    if not 1 <= len(cleaned) <= LONGEST_NAME or not cleaned.isprintable():
        raise DataError(
            f"a slice's name has {len(cleaned)} characters; expected 1 to {LONGEST_NAME}, "
            "all of them printable.",
            remedy="Give another name.",
        )
    return cleaned


def captions_of_slice(
    gallery: Gallery, asked: Slice, wordnet: WordNet, facts: GalleryFacts | None = None
) -> NDArray[np.int64]:
    """The captions of a slice, places in the gallery, ascending; int64 [n]. No run is needed.

    Args:
        facts: as `gallery_facts`, where they are at hand.

    Raises:
        UnknownName: a concept or hypernym that the gallery does not have.
    """
    facts = facts or gallery_facts(gallery)
    groups = groups_above(facts.concepts, wordnet.hypernym_closure) if asked.above else {}
    image = np.asarray(gallery.image_of_caption)
    rows = chosen_captions(image, _n_words(gallery), facts, asked, groups)
    return np.flatnonzero(rows).astype(np.int64)


def chosen_by_name(
    gallery: Gallery, name: str | None, *, without_marked: bool = False
) -> NDArray[np.bool_] | None:
    """The captions of a saved slice and, where asked, not marked as wrong; bool [n_captions].

    None when everything is chosen.

    Raises:
        UnknownName: there is no saved slice of that name.
    """
    if name is None and not without_marked:
        return None
    chosen = np.ones(gallery.n_captions, dtype=bool)
    if name is not None:
        asked = find_slice(gallery.id, name).slice
        chosen[:] = False
        chosen[captions_of_slice(gallery, asked, load_wordnet())] = True
    if without_marked:
        chosen[list(wrong_captions(read_marks(gallery.id)))] = False
    return chosen


def slices_file(gallery_id: str) -> Path:
    """Where a gallery's saved slices are kept."""
    assert gallery_id.isalnum()
    return home() / "slices" / f"{gallery_id}.json"


def slice_parts(asked: Slice) -> dict[str, Any]:
    """What a slice asks, by field; what it leaves open is left out.

    >>> slice_parts(Slice(concept="dog.n.01", words_from=15))
    {'concept': 'dog.n.01', 'words_from': 15}
    """
    return {name: value for name, value in asdict(asked).items() if value != _DEFAULT[name]}


def _n_words(gallery: Gallery) -> NDArray[np.int32]:
    """The words of each caption, counted as a run counts them."""
    batches = gallery.captions_table.select(["text"]).to_batches(max_chunksize=BATCH)
    counts = [len(text.split()) for batch in batches for text in batch.column(0).to_pylist()]
    return np.array(counts, dtype=np.int32)


def _read(gallery_id: str) -> _Kept:
    path = slices_file(gallery_id)
    try:
        kept = json.loads(path.read_bytes())["slices"]
        return {str(name): _slice(parts) for name, parts in kept.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(
            "the saved slices are damaged.",
            where=str(path),
            remedy="Move the file away to start anew.",
        ) from error


def _slice(parts: Mapping[str, Any]) -> Slice:
    for name, value in parts.items():
        text = isinstance(_DEFAULT[name], str)
        fits = isinstance(value, str) if text else type(value) is int and value >= 0
        if not fits:
            raise ValueError(name)
    return Slice(**parts)


def _check_readable(asked: Slice) -> None:
    """One slice that could not be read again would take all others of the file with it."""
    parts = slice_parts(asked)
    try:
        _slice(parts)
        json.dumps(parts, ensure_ascii=False).encode()
    except (ValueError, TypeError) as error:
        raise DataError(
            f"the slice asks for {parts!r}, which cannot be kept.",
            remedy="Counts are whole numbers from 0, names are text.",
        ) from error


def _change(gallery_id: str, change: Callable[[_Kept], None]) -> _Kept:
    path = slices_file(gallery_id)
    with locked(path):
        kept = _read(gallery_id)
        change(kept)
        written = {name: slice_parts(kept[name]) for name in sorted(kept, key=_order)}
        document = {"format": FORMAT, "slices": written}
        write_file(path, json.dumps(document, ensure_ascii=False, indent=1).encode())
    return kept


def _known(kept: _Kept, name: str) -> None:
    if name not in kept:
        raise UnknownName("saved slice", name, sorted(kept, key=_order))


def _taken(name: str) -> DataError:
    return DataError(f"a slice {name!r} is saved already.", remedy="Give another name.")


def _order(name: str) -> tuple[str, str]:
    return name.casefold(), name


_DEFAULT = {field.name: field.default for field in fields(Slice)}
