"""A request for an import: what makes two of them the same, and that those run once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from vlmexplain import storage
from vlmexplain.datasets.gallery import list_galleries
from vlmexplain.datasets.gallery_manifest import galleries_folder

Verify = Literal["decode", "header"]


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What a user asked to import.

    Attributes:
        kind: ``coco``, ``vg``, or ``path`` for a form that is recognised.
        name: what to call the gallery.
        images: the image folder; None for a gallery without pictures.
        verify: decode every picture, or only read its header.
        files: the annotation files; None for an optional one that was not given.
        more: whatever else was asked for, as JSON.
        form: what the files are, by the table of forms.
    """

    kind: Literal["coco", "vg", "path"]
    name: str
    images: Path | None
    verify: Verify
    files: tuple[Path | None, ...]
    more: tuple[tuple[str, Any], ...] = ()
    form: str = ""

    def key(self) -> str:
        """sha256 hex, the same for the same request over unchanged files."""
        return storage.content_key(
            {
                "kind": self.kind,
                "name": self.name,
                "images": str(self.images.absolute()) if self.images else None,
                "verify": self.verify,
                "files": [_stamp(path) for path in self.files],
                **dict(self.more),
            }
        )

    def options(self) -> dict[str, Any]:
        """What the gallery's manifest keeps of it."""
        chosen = {key: value for key, value in self.more if value is not None}
        form = {"form": self.form} if self.form else {}
        return {"kind": self.kind, "verify": self.verify, **form, **chosen}


def _stamp(path: Path | None) -> list[Any] | None:
    """What tells a file from another or from an older one: path, size and time of change."""
    if path is None:
        return None
    about = path.stat()
    return [str(path.absolute()), about.st_size, about.st_mtime_ns]


@contextmanager
def one_at_a_time(key: str) -> Iterator[str | None]:
    """Hold the lock of a request; gives the gallery another process made of it meanwhile.

    Two processes that ask for the same import at once do it once: the second waits, and finds
    what the first published.
    """
    before = _made_by(key)
    with storage.locked(galleries_folder() / f"import-{key[:16]}"):
        meanwhile = _made_by(key) - before
        yield max(meanwhile)[1] if meanwhile else None


def _made_by(request_key: str) -> set[tuple[float, str]]:
    """When the request was last carried out, and the gallery that came of it."""
    return {(m.created_s, m.id) for m in list_galleries() if m.request_key == request_key}
