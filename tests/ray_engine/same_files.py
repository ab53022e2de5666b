"""Whether two homes hold the same results."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def assert_same_embeddings(one: Path, other: Path) -> None:
    """The same folders with the same bytes in every file."""
    left, right = _files(one / "embeddings"), _files(other / "embeddings")
    assert left and left == right


def assert_same_runs(one: Path, other: Path) -> None:
    """The same keys, arrays, columns and figures; only times may differ."""
    folders = sorted((one / "runs").glob("[0-9a-f]*"))
    assert folders and [f.name for f in folders] == [
        f.name for f in sorted((other / "runs").glob("[0-9a-f]*"))
    ]
    for folder in folders:
        twin = other / "runs" / folder.name
        for name in ("top_k_images.npy", "top_k_scores.npy"):
            assert (folder / name).read_bytes() == (twin / name).read_bytes()
        assert pq.read_table(folder / "queries.parquet").equals(
            pq.read_table(twin / "queries.parquet")
        )
        assert _arrow(folder / "rows.arrow").equals(_arrow(twin / "rows.arrow"))
        assert _manifest(folder) == _manifest(twin)


def assert_same_lgip(one: Path, other: Path) -> None:
    """The same keys, triples and figures; only times may differ."""
    folders = sorted((one / "lgip").glob("[0-9a-f]*"))
    assert folders
    for folder in folders:
        twin = other / "lgip" / folder.name
        assert pq.read_table(folder / "triples.parquet").equals(
            pq.read_table(twin / "triples.parquet")
        )
        assert (folder / "metrics.json").read_bytes() == (twin / "metrics.json").read_bytes()
        assert _manifest(folder) == _manifest(twin)


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(".lock")
    }


def _arrow(path: Path) -> pa.Table:
    return pa.ipc.open_file(path.read_bytes()).read_all()


def _manifest(folder: Path) -> dict[str, object]:
    value = json.loads((folder / "manifest.json").read_bytes())
    return {k: v for k, v in value.items() if k not in ("created_s", "seconds")}
