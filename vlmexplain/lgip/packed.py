"""LGIP results small enough to ship: the texts once for all models, the scores in single precision.

A folder of packed results holds ``texts-DIGEST.parquet`` for each set of perturbations, and for
each result ``KEY/`` with its manifest, its metrics and ``scores.parquet``. The figures are those of
the full result; gaps and similarities of single triples are rounded to float32 (within 1e-7).
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from vlmexplain.errors import StoreError
from vlmexplain.lgip.result import METRICS, TRIPLES, LgipResult, Triple
from vlmexplain.results.kind import MANIFEST
from vlmexplain.storage import home, locked, publish_folder

SCORES = "scores.parquet"
_TEXTS = b"texts"
_OF_TEXTS = ("image_index", "caption_index", "caption", "text", "kind", "flip_type", "verified")
_OF_SCORES = ("score_caption", "gap", "tie", "seen")
_ENCODINGS = {
    "image_index": "DELTA_BINARY_PACKED",
    "caption_index": "DELTA_BINARY_PACKED",
    "text": "DELTA_LENGTH_BYTE_ARRAY",
    "gap": "BYTE_STREAM_SPLIT",
}


def pack(result: LgipResult, into: Path) -> None:
    """Write a result, and the texts it rests on unless they are there, into a folder.

    All triples are held in memory: this is for results of some ten thousand captions.
    """
    table = pq.read_table(result.triples_path)
    texts = _bytes_of(table.select(_OF_TEXTS))
    digest = hashlib.sha256(texts).hexdigest()[:16]
    scores = table.select(_OF_SCORES)
    for name in ("score_caption", "gap"):
        place = scores.schema.get_field_index(name)
        scores = scores.set_column(place, name, scores.column(name).cast(pa.float32()))
    folder = into / result.key
    folder.mkdir(parents=True, exist_ok=True)
    (into / _texts_name(digest)).write_bytes(texts)
    (folder / SCORES).write_bytes(
        _bytes_of(scores.replace_schema_metadata({_TEXTS: digest.encode()}))
    )
    for name in (MANIFEST, METRICS):
        shutil.copyfile(result.folder / name, folder / name)


def place_packed(packed: Path) -> tuple[str, ...]:
    """Put every packed result of a folder in the store, unless it is there; their keys.

    Raises:
        StoreError: a file is damaged, or the program's folder cannot be written.
    """
    keys = []
    for source in sorted(packed.glob(f"*/{SCORES}")):
        key = source.parent.name
        target = home() / "lgip" / key
        if not target.exists():
            with locked(target), publish_folder(target) as scratch:
                pq.write_table(_unpacked(source), scratch / TRIPLES, compression="zstd")
                for name in (MANIFEST, METRICS):
                    shutil.copyfile(source.with_name(name), scratch / name)
        keys.append(key)
    return tuple(keys)


def _unpacked(source: Path) -> pa.Table:
    """The triples of a packed result, as `lgip.triples.write_triples` lays them out."""
    try:
        scores = pq.read_table(source)
        digest = (scores.schema.metadata or {})[_TEXTS].decode()
        texts = pq.read_table(source.parents[1] / _texts_name(digest))
        caption = scores.column("score_caption").to_numpy().astype(np.float64)
        gap = scores.column("gap").to_numpy().astype(np.float64)
        made = {
            "triple": pa.array(np.arange(len(gap))),
            "score_caption": pa.array(caption),
            "score_text": pa.array(caption - gap),
            "gap": pa.array(gap),
        }
        columns = {
            name: made[name]
            if name in made
            else (texts if name in _OF_TEXTS else scores).column(name)
            for name in Triple.__dataclass_fields__
        }
        return pa.table(columns)
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        raise StoreError(
            f"is damaged, or its texts are not there ({error}).",
            where=str(source),
            remedy="Take the folder data/demo/prepared from a fresh checkout.",
        ) from error


def _texts_name(digest: str) -> str:
    return f"texts-{digest}.parquet"


def _bytes_of(table: pa.Table) -> bytes:
    """The table as a Parquet file, as small as it gets."""
    buffer = pa.BufferOutputStream()
    pq.write_table(
        table,
        buffer,
        compression="zstd",
        compression_level=19,
        use_dictionary=[name for name in table.column_names if name not in _ENCODINGS],
        column_encoding={name: e for name, e in _ENCODINGS.items() if name in table.column_names},
    )
    content: bytes = buffer.getvalue().to_pybytes()
    return content
