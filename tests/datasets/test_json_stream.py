from __future__ import annotations

import hashlib
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vlmexplain.datasets import json_stream
from vlmexplain.datasets.file_kinds import describe_file
from vlmexplain.datasets.json_stream import JsonStream
from vlmexplain.errors import DataError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)  # fmt: skip


def naive(document: Any) -> list[tuple[str, Any]]:
    """What the stream should give, from the whole document."""
    if isinstance(document, list):
        return [("", value) for value in document]
    found = []
    for key, value in document.items():
        found += [(key, v) for v in value] if isinstance(value, list) else [(key, value)]
    return found


@pytest.fixture
def tiny_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "CHUNK_BYTES", 5)


@given(
    st.lists(VALUES, max_size=5) | st.dictionaries(st.text(max_size=4), VALUES, max_size=5),
    st.sampled_from([None, 1]),
    st.booleans(),
)
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60
)
def test_it_reads_what_json_load_reads(
    tmp_path: Path, tiny_chunks: None, document: Any, indent: int | None, ascii_only: bool
) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(document, indent=indent, ensure_ascii=ascii_only), "utf-8")
    stream = JsonStream(path)
    assert list(stream) == naive(document)
    assert stream.size_bytes == path.stat().st_size
    assert stream.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert stream.keys == (list(document) if isinstance(document, dict) else [])


@pytest.mark.parametrize("document", [[{"a": [1.5, "xé"]}, -3, True], {"k": [12, 3], "z": None}])
def test_every_cut_is_noticed(tmp_path: Path, tiny_chunks: None, document: Any) -> None:
    path = tmp_path / "a.json"
    whole = json.dumps(document).encode()
    for cut in range(1, len(whole)):
        path.write_bytes(whole[:cut])
        with pytest.raises(DataError, match=r"breaks off|is not UTF-8"):
            list(JsonStream(path))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[1, 2] 3", "goes on after its end"),
        ("[1 2]", "lacks a comma"),
        ("[1,]", "Expecting value"),
        ('{"a": 1, b: 2}', "lacks a key"),
        ('{"a" 1}', "lacks a colon"),
        ("hello", "does not begin"),
        ("", "does not begin"),
        ('[{"a": nope, "filler": "' + "x" * 100 + '"}]', "Expecting value"),
        ("[" + "9" * 5000 + "]", "cannot be read"),
        ("[" + "[" * 100_000 + "]" * 100_000 + "]", "cannot be read"),
    ],
)
def test_what_is_not_json_is_named(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        list(JsonStream(path))
    assert problem in str(caught.value) and "bad.json" in str(caught.value)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


def test_byte_order_mark_nan_and_other_encodings(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes("\ufeff[NaN]".encode())
    assert str(list(JsonStream(path))) == "[('', nan)]"
    path.write_bytes('["é"]'.encode("latin-1"))
    with pytest.raises(DataError, match="not UTF-8"):
        list(JsonStream(path))


def test_memory_does_not_grow_with_the_file(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(json_stream, "CHUNK_BYTES", 1 << 14)
    peaks = []
    for records in (300, 3_000):
        path = tmp_path / f"{records}.json"
        record = json.dumps({"segmentation": [0.123456] * 100})
        path.write_text('{"annotations": [' + ",".join([record] * records) + "]}")
        tracemalloc.start()
        assert sum(1 for _ in JsonStream(path)) == records
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ('{"annotations": [{"caption": "x"}]}', "COCO captions"),
        ('{"annotations": [{"bbox": []}]}', "COCO instances"),
        ('{"images": [], "annotations": [], "categories": []}', "COCO instances"),
        ('{"images": [{}]}', "without annotations"),
        ('[{"image_id": 1, "objects": []}]', "Visual Genome objects"),
        ('[{"image_id": 1, "objects": [], "relationships": []}]', "scene graphs"),
        ('[{"image_id": 1, "relationships": []}]', "Visual Genome relationships"),
        ('[{"image_id": 1, "width": 2}]', "image_data"),
        ('[{"regions": []}]', "region descriptions"),
        ('{"1": [2], "3": [4]}', "a map of COCO ids"),
        ('{"a": 1}', "a JSON object with a"),
        ("[1]", "numbers"),
        ("[]", "an empty JSON list"),
        ("{}", "an empty JSON object"),
        ("", "an empty file"),
        ("PK\x03\x04zip", "a ZIP archive"),
        ("\x1f\x8b...", "not a JSON"),
        ("hello", "not a JSON file"),
    ],
)
def test_files_are_described(tmp_path: Path, content: str, kind: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content.encode("utf-8"))
    assert kind in describe_file(path)
    assert describe_file(tmp_path) == "a folder"
