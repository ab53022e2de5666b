"""What streams between the driver and the workers: one row a piece of work.

A row has the same columns at every stage, so that any piece may follow any other: ``kind``,
``number`` (of the shard or block), ``first`` (its first item), ``request`` and ``notes`` (JSON),
``data`` and ``more`` (arrays as ``.npy``, tables as Arrow streams). Nothing is pickled.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vlmexplain.errors import GalleryError, MissingPackage, ModelError, StoreError, VlmexplainError
from vlmexplain.scoring.shards import LeftOut

Row = dict[str, Any]

TEXTS, PICTURES, BLOCK, ERROR = "texts", "pictures", "block", "error"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A picture to embed: the item it is, its sha256, and the files that should hold it."""

    item: int
    sha256: str
    file_names: tuple[str, ...]


def texts_row(shard: int, first: int, texts: Sequence[str]) -> Row:
    """A shard of texts to embed."""
    return _row(TEXTS, shard, first, request=list(texts))


def pictures_row(shard: int, wanted: Sequence[Wanted]) -> Row:
    """A batch of pictures to embed: never more, never less, for the numbers' sake."""
    request = [[one.item, one.sha256, list(one.file_names)] for one in wanted]
    return _row(PICTURES, shard, wanted[0].item, request=request)


def block_row(
    number: int, block: pa.Table, known: Sequence[str], vectors: NDArray[np.float32]
) -> Row:
    """A block of pairs to compare, with the vectors that are known already."""
    row = _row(BLOCK, number, 0, request=list(known))
    return {**row, "data": table_bytes(block), "more": array_bytes(vectors)}


def wanted_of(row: Row) -> list[Wanted]:
    """The pictures that a row asks for."""
    return [
        Wanted(item, digest, tuple(names)) for item, digest, names in json.loads(row["request"])
    ]


def answer(
    row: Row, data: bytes, left_out: Sequence[LeftOut] = (), *, request: bool = False
) -> Row:
    """The row with its result; the request goes on with it only to a next stage."""
    return {
        **row,
        "request": row["request"] if request else "",
        "data": data,
        "more": b"",
        "notes": json.dumps([[out.item, out.code, out.reason] for out in left_out]),
    }


def error_row(row: Row, error: VlmexplainError) -> Row:
    """The row with what went wrong: Ray would hand on the text of an exception only."""
    told = [type(error).__name__, error.message, error.where, error.remedy]
    return {**answer(row, b""), "kind": ERROR, "notes": json.dumps(told)}


def raise_error(row: Row) -> None:
    """Raise what a row tells of, if it does."""
    if row["kind"] == ERROR:
        name, message, where, remedy = json.loads(row["notes"])
        kind = {one.__name__: one for one in (ModelError, MissingPackage, GalleryError, StoreError)}
        raise kind.get(name, VlmexplainError)(message, where=where, remedy=remedy)


def left_out_of(row: Row) -> list[LeftOut]:
    """What could not be embedded of a row's pictures."""
    return [LeftOut(item, code, reason) for item, code, reason in json.loads(row["notes"])]


def array_bytes(array: NDArray[Any]) -> bytes:
    """An array as a ``.npy`` file."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def array_of(content: bytes) -> NDArray[Any]:
    """The array of a ``.npy`` file."""
    array: NDArray[Any] = np.load(io.BytesIO(content), allow_pickle=False)
    return array


def table_bytes(table: pa.Table) -> bytes:
    """A table as an Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def table_of(content: bytes) -> pa.Table:
    """The table of an Arrow stream."""
    return pa.ipc.open_stream(content).read_all()


def _row(kind: str, number: int, first: int, request: Any) -> Row:
    return {
        "kind": kind,
        "number": number,
        "first": first,
        "request": json.dumps(request),
        "notes": "[]",
        "data": b"",
        "more": b"",
    }
