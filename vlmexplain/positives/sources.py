"""Where positives come from: each kind of source declares itself once, here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import UnknownName
from vlmexplain.positives.judgements import Judgements
from vlmexplain.positives.listing import Listing, read_listing
from vlmexplain.positives.matching import MOST_UNKNOWN, Unknown, match, refuse_another_data_set
from vlmexplain.positives.people import (
    judgements_of_answers,
    judgements_of_marks,
    session_answers,
)
from vlmexplain.positives.published import published_listing
from vlmexplain.ratings.organiser.sessions import find_session
from vlmexplain.ratings.store.store import open_store

SESSION_PREFIX = "session:"
ANY_SHARE = 1.0


@dataclass(frozen=True, slots=True)
class Found:
    """What a source says of a gallery.

    Attributes:
        name: of the source, by which it is listed and removed.
        judgements: its pairs.
        unknown: ids that the gallery does not have; None for a source that has no ids.
        version: of what was read; "" where there is none.
    """

    name: str
    judgements: Judgements
    unknown: Unknown | None = None
    version: str = ""


@dataclass(frozen=True, slots=True)
class SourceKind:
    """One kind of source.

    Attributes:
        key: of the kind.
        usage: how it is written in a command.
        title: for a reader.
        meaning: one sentence: what it holds, and what it does not.
        live: read anew whenever it is asked for, because people go on answering.
        lists_queries: it names the queries it set out to judge, so figures can be over them.
        read: source as written, gallery, largest share of unknown ids -> what it says.
    """

    key: str
    usage: str
    title: str
    meaning: str
    live: bool
    lists_queries: bool
    read: Callable[[str, Gallery, float], Found]


def _published(name: str, source: str, gallery: Gallery) -> Found:
    listing, version = published_listing(name)
    return _matched(source, listing, gallery, ANY_SHARE, f"{source} {version}", version)


def _file(source: str, gallery: Gallery, most: float) -> Found:
    path = Path(source)
    return _matched(path.name, read_listing(path), gallery, most, source)


def _matched(
    name: str, listing: Listing, gallery: Gallery, most: float, where: str, version: str = ""
) -> Found:
    judgements, unknown = match(listing, gallery)
    refuse_another_data_set(unknown, gallery, where, most)
    return Found(name, judgements, unknown, version)


def _session(source: str, gallery: Gallery, _: float) -> Found:
    store = open_store()
    try:
        session = find_session(store, source.removeprefix(SESSION_PREFIX))
        answers = session_answers(store, session.id, gallery)
        return Found(f"{SESSION_PREFIX}{session.id}", judgements_of_answers(answers))
    finally:
        store.close()


KINDS: tuple[SourceKind, ...] = (
    SourceKind(
        "eccv-caption", "eccv-caption", "ECCV Caption",
        "1,332 captions of COCO's 5,000 test images (Karpathy's split) with the images that models "
        "proposed and people confirmed; it says nothing of images that do not fit.",
        False, True, lambda source, gallery, _: _published("eccv", source, gallery),
    ),
    SourceKind(
        "cxc", "cxc", "Crisscrossed Captions",
        "Captions of the same images with the images that people rated as fitting; few images "
        "were rated for each caption, and it says nothing of those that do not fit.",
        False, True, lambda source, gallery, _: _published("cxc", source, gallery),
    ),
    SourceKind(
        "session", "session:ID", "Rating session",
        "What most raters of each item said; its queries were chosen because a model failed.",
        True, False, _session,
    ),
    SourceKind(
        "marks", "marks", "Marks",
        "What was marked as \"fits too\" in this app; queries as they were met.",
        True, False, lambda source, gallery, _: Found(source, judgements_of_marks(gallery)),
    ),
    SourceKind(
        "file", "FILE", "File",
        'A JSON file {"caption id": [image id ...]} or a CSV file '
        "caption_id,image_id,judgement of your own.",
        False, True, _file,
    ),
)  # fmt: skip


def kind_of(source: str) -> SourceKind:
    """The kind of a source as it is written in a command.

    >>> [kind_of(text).key for text in ("marks", "session:1f", "cxc", "a/b.json")]
    ['marks', 'session', 'cxc', 'file']

    Raises:
        UnknownName: it is neither one of the names nor a file.
    """
    for kind in KINDS:
        if source == kind.key and kind.key not in ("file", "session"):
            return kind
    if source.startswith(SESSION_PREFIX):
        return find_kind("session")
    if Path(source).suffix or Path(source).exists():
        return find_kind("file")
    raise UnknownName("source of positives", source, [kind.usage for kind in KINDS])


def find_kind(key: str) -> SourceKind:
    """The kind with this key."""
    return next(kind for kind in KINDS if kind.key == key)


def read_source(source: str, gallery: Gallery, partly: bool = False) -> Found:
    """What a source says of a gallery now.

    Args:
        partly: the gallery is a part of the file's data set: any share of unknown ids is taken.

    Raises:
        UnknownName: there is no such source, or no such session.
        DataError: it cannot be read, or is of another data set.
        MissingPackage: the package that carries it is not installed.
        StoreError: the ratings' database cannot be read.
    """
    return kind_of(source).read(source, gallery, ANY_SHARE if partly else MOST_UNKNOWN)
