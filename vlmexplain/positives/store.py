"""The sources of positives that a gallery has, kept with their counts.

A source that people go on answering is kept by name only and read anew each time.
"""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError, StoreError, UnknownName
from vlmexplain.positives.judgements import Judgements
from vlmexplain.positives.sources import Found, SourceKind, find_kind, kind_of, read_source
from vlmexplain.storage import content_key, home, locked, publish_folder

FORMAT = 1
MANIFEST = "manifest.json"
ARRAYS = "judgements.npz"


@dataclass(frozen=True, slots=True)
class KeptSource:
    """A source as it was added.

    Attributes:
        name: by which it is listed and removed.
        kind: key of `sources.KINDS`.
        origin: as it was written when it was added.
        version: of what was read; "" where there is none.
        added_s: Unix time.
        unknown: a sentence on ids that the gallery does not have; "" for none.
        n_unknown_captions, n_unknown_images: how many.
        digest: sha256 of what it says; "" for a source that is read anew each time.
    """

    name: str
    kind: str
    origin: str
    version: str
    added_s: float
    unknown: str
    n_unknown_captions: int
    n_unknown_images: int
    digest: str

    @property
    def about(self) -> SourceKind:
        """Its kind."""
        return find_kind(self.kind)


def add_source(
    gallery: Gallery, source: str, *, partly: bool = False, now: float | None = None
) -> KeptSource:
    """Add a source to a gallery; the same again is read anew and replaced.

    Raises:
        UnknownName, DataError, MissingPackage, StoreError: as `sources.read_source`.
        DataError: another file of that name was added before.
        ReadOnly: in read-only mode.
    """
    kind, found = kind_of(source), read_source(source, gallery, partly)
    origin = str(Path(source).absolute()) if kind.key == "file" else source
    kept = _kept(kind, found, origin, time.time() if now is None else now)
    folder = _folder(gallery, kept.name)
    with locked(folder):
        if (folder / MANIFEST).is_file():
            before = _read_manifest(folder)
            if before.origin != origin and before.digest != kept.digest:
                raise DataError(
                    f"another source of the name {kept.name!r} was added from {before.origin}.",
                    where=origin,
                    remedy=f"Remove that one first: vlmexplain positives {gallery.name} "
                    f"remove {kept.name}",
                )
            shutil.rmtree(folder)
        with publish_folder(folder) as scratch:
            if not kind.live:
                np.savez_compressed(scratch / ARRAYS, **_arrays(found.judgements))
            document = {"format": FORMAT, **asdict(kept)}
            text = json.dumps(document, ensure_ascii=False, indent=1)
            (scratch / MANIFEST).write_text(text, encoding="utf-8")
    return kept


def list_sources(gallery_id: str) -> tuple[KeptSource, ...]:
    """The sources of a gallery, in the order they were added.

    Raises:
        StoreError: one is damaged or of a newer format.
    """
    paths = sources_folder(gallery_id).glob(f"*/{MANIFEST}")
    found = [_read_manifest(path.parent) for path in paths if not path.parent.name.startswith(".")]
    return tuple(sorted(found, key=lambda one: (one.added_s, one.name)))


def find_source(gallery: Gallery, source: str) -> KeptSource:
    """A source by its name, by the path it was added from, or by the start of a session's id.

    Raises:
        UnknownName: the gallery has no such source.
    """
    known = list_sources(gallery.id)
    wanted = (source, str(Path(source).absolute()))
    fits = [one for one in known if one.name == source or one.origin in wanted] or [
        one for one in known if one.kind == "session" and one.name.startswith(source)
    ]
    if len(fits) != 1:
        names = [one.name for one in known]
        raise UnknownName("source of positives", source, names, where=gallery.name)
    return fits[0]


def remove_source(gallery: Gallery, source: str) -> KeptSource:
    """Forget a source; answers and marks stay where they are.

    Raises:
        UnknownName: the gallery has no such source.
        ReadOnly: in read-only mode.
    """
    kept = find_source(gallery, source)
    folder = _folder(gallery, kept.name)
    with locked(folder):
        shutil.rmtree(folder, ignore_errors=True)
    return kept


def judgements_of_source(gallery: Gallery, kept: KeptSource) -> Judgements:
    """What a source says: as it was added, or now for one that people go on answering.

    Raises:
        StoreError: its file is damaged, or the ratings' database cannot be read.
        UnknownName: its rating session is gone.
    """
    if kept.about.live:
        return read_source(kept.name, gallery).judgements
    path = _folder(gallery, kept.name) / ARRAYS
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return Judgements(**{name: arrays[name] for name in Judgements.__slots__})
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise _damaged(path) from error


def sources_folder(gallery_id: str) -> Path:
    """Where a gallery's sources are kept."""
    assert gallery_id.isalnum()
    return home() / "positives" / gallery_id


def _folder(gallery: Gallery, name: str) -> Path:
    return sources_folder(gallery.id) / content_key(name)[:16]


def _kept(kind: SourceKind, found: Found, origin: str, now: float) -> KeptSource:
    unknown = found.unknown
    return KeptSource(
        found.name,
        kind.key,
        origin,
        found.version,
        now,
        unknown.text() if unknown else "",
        unknown.n_captions if unknown else 0,
        unknown.n_images if unknown else 0,
        "" if kind.live else digest_of(found.judgements),
    )


def digest_of(judgements: Judgements) -> str:
    """sha256 hex of what a source says."""
    return content_key({name: values.tolist() for name, values in _arrays(judgements).items()})


def _arrays(judgements: Judgements) -> dict[str, Any]:
    return {name: getattr(judgements, name) for name in Judgements.__slots__}


def _read_manifest(folder: Path) -> KeptSource:
    path = folder / MANIFEST
    try:
        value = json.loads(path.read_bytes())
        version = value.pop("format")
        if isinstance(version, int) and version > FORMAT:
            raise StoreError(
                f"has format {version}; this version reads up to {FORMAT}.",
                where=str(path),
                remedy="Update vlmexplain, or remove the source and add it again.",
            )
        kept = KeptSource(**value)
        find_kind(kept.kind)
        return kept
    except (OSError, ValueError, KeyError, TypeError, AttributeError, StopIteration) as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> StoreError:
    return StoreError(
        "a source of positives is missing or damaged.",
        where=str(path),
        remedy="Delete its folder and add the source again.",
    )
