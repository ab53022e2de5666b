"""Embeddings on disk in shards, so that a killed run loses one shard and serves no torn one.

While work goes on, shards lie in ``embeddings/.unfinished-KEY``, each a ``.npy`` and a ``.json``
that vouches for it (written after it); the folder gets its name when the last one is there.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vlmexplain.errors import StoreError
from vlmexplain.records import ModelIdentity
from vlmexplain.results.kind import ResultKind
from vlmexplain.storage import content_key, sweep_partial, write_file

FORMAT = 1
UNFINISHED_PREFIX = ".unfinished-"
SHARD_ROWS = {"images": 512, "texts": 4096}

Kind = Literal["images", "texts"]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An item without an embedding: its place among the items, a code and the reason."""

    item: int
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class StoredEmbeddings:
    """All embeddings of a request.

    Attributes:
        vectors: float32 [n, d]; NaN rows where an item was left out.
        left_out: the items without an embedding.
    """

    vectors: NDArray[np.float32]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class EmbeddingsManifest:
    """What finished embeddings say of themselves."""

    key: str
    kind: Kind
    n_items: int
    n_shards: int
    model: dict[str, Any]


def _manifest(value: dict[str, Any]) -> EmbeddingsManifest:
    value["model"]["name"]  # what lists show must be there
    return EmbeddingsManifest(**value)


EMBEDDINGS = ResultKind(
    name="embeddings",
    noun="embeddings",
    plural="embeddings",
    format=FORMAT,
    files=(),  # as many shards as there are, each with what vouches for it
    read=_manifest,
    created_s=lambda _: 0.0,
    needs=lambda _: (),
    about=lambda manifest: f"{manifest.kind}, {manifest.model['name']}",
    remedy="Run the model again; what is damaged is embedded anew.",
    only_for_others=True,
)


class ShardFolder:
    """The shards of one request: a model and a list of items, each named by its content."""

    def __init__(self, kind: Kind, model: ModelIdentity, items: Sequence[str]):
        self.kind, self.model, self.items = kind, model, items
        self.shard_rows = SHARD_ROWS[kind]
        request = [FORMAT, kind, model.digest, self.shard_rows, _digest_of(items)]
        self.key = content_key(request)
        self.folder = EMBEDDINGS.folder() / self.key
        self._unfinished = self.folder.with_name(UNFINISHED_PREFIX + self.key)

    @property
    def unfinished(self) -> Path:
        """Where shards lie while others are missing."""
        return self._unfinished

    def files_of(self, shard: int) -> tuple[Path, Path]:
        """A shard that was written while others are missing: vectors, and what vouches."""
        return self._unfinished / _name(shard, "npy"), self._unfinished / _name(shard, "json")

    @property
    def n_shards(self) -> int:
        """How many shards the items make."""
        return -(-len(self.items) // self.shard_rows)

    def rows_of(self, shard: int) -> range:
        """The items of a shard."""
        start = shard * self.shard_rows
        return range(start, min(start + self.shard_rows, len(self.items)))

    def read(self) -> StoredEmbeddings | None:
        """The embeddings when they are complete and undamaged, else None."""
        if not (self.folder / "manifest.json").is_file():
            return None
        shards = [self._read_shard(self.folder, number) for number in range(self.n_shards)]
        sound = [shard for shard in shards if shard is not None]
        if len(sound) < len(shards):
            return None
        return _joined(sound, self.shard_rows)

    def left_out(self) -> tuple[LeftOut, ...] | None:
        """The items without an embedding, read without the vectors; None when unfinished."""
        if not (self.folder / "manifest.json").is_file():
            return None
        found: list[LeftOut] = []
        for shard in range(self.n_shards):
            try:
                voucher = json.loads((self.folder / _name(shard, "json")).read_bytes())
                found += _left_out_of(voucher, self.rows_of(shard).start)
            except (OSError, ValueError, KeyError, TypeError):
                return None
        return tuple(found)

    def reopen(self, wanted: frozenset[int] = frozenset()) -> tuple[int, ...]:
        """Make the folder fit for `write`; call it while holding the lock of `folder`.

        Args:
            wanted: items that were left out and can be embedded now.

        Returns:
            The shards that are missing, damaged, or hold a wanted item.
        """
        if self.folder.is_dir():
            shutil.rmtree(self._unfinished, ignore_errors=True)
            self.folder.replace(self._unfinished)
        self._unfinished.mkdir(parents=True, exist_ok=True)
        sweep_partial(self._unfinished)
        (self._unfinished / "manifest.json").unlink(missing_ok=True)
        return tuple(
            number
            for number in range(self.n_shards)
            if any(item in wanted for item in self.rows_of(number))
            or self._read_shard(self._unfinished, number) is None
        )

    def write(self, shard: int, vectors: NDArray[np.float32], left_out: Sequence[LeftOut]) -> None:
        """Write one shard, float32 [rows, d], and then what vouches for it."""
        rows = self.rows_of(shard)
        assert vectors.shape[0] == len(rows) and vectors.dtype == np.float32
        buffer = io.BytesIO()
        np.save(buffer, vectors, allow_pickle=False)
        content = buffer.getvalue()
        voucher = {
            "items": _digest_of(self.items[rows.start : rows.stop]),
            "rows": len(rows),
            "dimension": int(vectors.shape[1]),
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "left_out": [[out.item - rows.start, out.code, out.reason] for out in left_out],
        }
        (self._unfinished / _name(shard, "json")).unlink(missing_ok=True)
        write_file(self._unfinished / _name(shard, "npy"), content)
        write_file(self._unfinished / _name(shard, "json"), _json(voucher))

    def finish(self) -> None:
        """Give the complete folder its name."""
        manifest = {
            "format": FORMAT,
            "kind": self.kind,
            "key": self.key,
            "n_items": len(self.items),
            "n_shards": self.n_shards,
            "model": {
                "name": self.model.name,
                "kind": self.model.kind,
                "digest": self.model.digest,
                "drawn": self.model.drawn,
                "facts": [list(fact) for fact in self.model.facts],
            },
        }
        write_file(self._unfinished / "manifest.json", _json(manifest))
        try:
            self._unfinished.replace(self.folder)
        except OSError as error:
            raise StoreError(
                f"cannot be written ({error.strerror}).",
                where=str(self.folder),
                remedy="Check the free space and the permissions.",
            ) from error

    def _read_shard(
        self, folder: Path, shard: int
    ) -> tuple[NDArray[np.float32], list[LeftOut]] | None:
        """The vectors of a shard and what it left out; None when it is not to be trusted."""
        rows = self.rows_of(shard)
        try:
            voucher: dict[str, Any] = json.loads((folder / _name(shard, "json")).read_bytes())
            content = (folder / _name(shard, "npy")).read_bytes()
            if (
                voucher["items"] != _digest_of(self.items[rows.start : rows.stop])
                or voucher["bytes"] != len(content)
                or voucher["sha256"] != hashlib.sha256(content).hexdigest()
            ):
                return None
            vectors = np.load(io.BytesIO(content), allow_pickle=False)
            left_out = _left_out_of(voucher, rows.start)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if vectors.shape != (len(rows), voucher["dimension"]) or vectors.dtype != np.float32:
            return None
        return vectors, left_out


def _left_out_of(voucher: dict[str, Any], first: int) -> list[LeftOut]:
    return [LeftOut(first + row, code, reason) for row, code, reason in voucher["left_out"]]


def _joined(
    shards: list[tuple[NDArray[np.float32], list[LeftOut]]], shard_rows: int
) -> StoredEmbeddings:
    if not shards:
        return StoredEmbeddings(np.empty((0, 0), dtype=np.float32), ())
    dimension = max(vectors.shape[1] for vectors, _ in shards)
    n = sum(len(vectors) for vectors, _ in shards)
    joined = np.full((n, dimension), np.nan, dtype=np.float32)
    for number, (vectors, _) in enumerate(shards):
        if vectors.shape[1]:  # a shard of which everything was left out has no dimension
            joined[number * shard_rows :][: len(vectors)] = vectors
    return StoredEmbeddings(joined, tuple(out for _, outs in shards for out in outs))


def _digest_of(items: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for item in items:
        digest.update(item.encode())
        digest.update(b"\n")
    return digest.hexdigest()


def _name(shard: int, suffix: str) -> str:
    return f"shard-{shard:05d}.{suffix}"


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode()
