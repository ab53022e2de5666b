"""What a kind of result says of itself, once; `store` does the rest."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any, Generic, NamedTuple, TypeVar

import pyarrow as pa

from vlmexplain.errors import StoreError
from vlmexplain.storage import home

MANIFEST = "manifest.json"
UNREADABLE = (
    OSError,
    ValueError,  # json's, NumPy's and pyarrow's ArrowInvalid among them
    KeyError,
    TypeError,
    AttributeError,
    EOFError,
    SyntaxError,  # a garbled header of a .npy file
    TokenError,
    pa.ArrowException,
)
"""What reading a file raises when the file is missing or is not what it should be."""

M = TypeVar("M")


class Need(NamedTuple):
    """A result that another was made from: the name of its kind, and its key."""

    kind: str
    key: str


@dataclass(frozen=True, slots=True)
class ResultKind(Generic[M]):
    """A kind of result, kept as ``HOME/name/KEY/`` with a ``manifest.json`` in it.

    Attributes:
        name: of the folder under the home folder, and in lists; a plural.
        noun: what one is called in a sentence.
        format: the newest that this version reads and the one it writes.
        files: what is in a whole folder beside the manifest.
        read: the manifest out of its JSON value without ``format``; may raise anything of
            `UNREADABLE`.
        created_s: Unix time of making, out of a manifest; lists begin with the latest.
        needs: what it was made from, out of a manifest.
        about: a short text for lists, out of a manifest.
        names: what users may call it beside its key, out of a manifest; None for no names.
        plural: of the noun, where it does not end in ``s``.
        remedy: what to do when it is damaged.
        error: the class of its errors.
        only_for_others: True for what is of use only while another result needs it, and can be
            made again; pruned when none does. The others are pruned when one they need is gone.
        lock: of a lock that all of the kind share; "" where each has its own.
    """

    name: str
    noun: str
    format: int
    files: tuple[str, ...]
    read: Callable[[dict[str, Any]], M]
    created_s: Callable[[M], float]
    needs: Callable[[M], tuple[Need, ...]]
    about: Callable[[M], str]
    remedy: str
    names: Callable[[M], tuple[str, ...]] | None = None
    plural: str = ""
    error: type[StoreError] = StoreError
    only_for_others: bool = False
    lock: str = ""

    def folder(self) -> Path:
        """Where results of this kind are kept."""
        return home() / self.name

    def several(self, n: int) -> str:
        """How many, in words: ``2 runs``."""
        return f"{n} {self.noun if n == 1 else self.plural or self.noun + 's'}"

    def lock_of(self, folder: Path) -> Path:
        """What to hold (`storage.locked`) while a result is made, changed or removed."""
        return folder.with_name(self.lock) if self.lock else folder

    def write_manifest(self, folder: Path, value: dict[str, Any]) -> None:
        """Write a manifest into a folder that `storage.publish_folder` publishes."""
        text = json.dumps(
            {"format": self.format, **value}, ensure_ascii=False, indent=1, allow_nan=False
        )
        (folder / MANIFEST).write_bytes(text.encode("utf-8", "surrogateescape"))

    def read_manifest(self, folder: Path) -> M:
        """The manifest of the result in ``folder``.

        Raises:
            StoreError: it is missing, damaged, or of a newer format.
        """
        path = folder / MANIFEST
        with self.reading(path):
            value = json.loads(path.read_bytes().decode("utf-8", "surrogateescape"))
            version = value.pop("format")
            if isinstance(version, int) and version > self.format:
                raise self.error(
                    f"the {self.noun} has format {version}; "
                    f"this version reads up to {self.format}.",
                    where=str(path),
                    remedy=f"Update vlmexplain. Or: {self.remedy}",
                )
            return self.read(value)

    @contextmanager
    def reading(self, path: Path, *more: type[Exception]) -> Iterator[None]:
        """Whatever reading a file of a result raises becomes an error that names the file.

        Args:
            path: the file that the block reads.
            more: what else its library raises, such as DuckDB's errors.

        Raises:
            StoreError: the file is missing or damaged.
        """
        try:
            yield
        except (*UNREADABLE, *more) as error:
            raise self.damaged(path, error) from error

    def damaged(self, path: Path, error: BaseException | None = None) -> StoreError:
        """The error that says which file of a result is no good, and what to do."""
        what = "manifest" if path.name == MANIFEST else "file"
        part = f"the {self.noun}'s manifest" if what == "manifest" else f"a file of the {self.noun}"
        why = f" ({error.strerror})" if isinstance(error, PermissionError) else ""
        return self.error(
            f"{part} is missing or damaged{why}.", where=str(path), remedy=self.remedy
        )
