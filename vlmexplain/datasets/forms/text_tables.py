"""Tables of images and captions: CSV, TSV, JSON Lines, Parquet, and Flickr's token file."""

from __future__ import annotations

import csv
import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from vlmexplain.datasets.forms.draft import Columns, Draft
from vlmexplain.datasets.forms.peek import Peek
from vlmexplain.datasets.gallery_manifest import SourceFile
from vlmexplain.datasets.listed_images import ListedImage, pixels_or_none
from vlmexplain.datasets.record_ids import LONGEST_ID, clean_text, id_text
from vlmexplain.errors import DataError
from vlmexplain.records import Progress, ProgressCallback

IMAGE_COLUMNS = (
    "file_name", "image", "image_name", "filename", "image_path", "filepath", "file", "path",
    "img", "image_file", "img_path", "url", "image_url",
)  # fmt: skip
CAPTION_COLUMNS = (
    "caption", "captions", "text", "comment", "sentence", "sentences", "raw", "description",
    "title", "query",
)  # fmt: skip
_DELIMITERS = (",", "\t", "|", ";")
_TOKEN = re.compile(r"[^\t]*\S#(\d+)\t")
_LONGEST_FIELD = 1 << 24
_BATCH = 4096

Row = Mapping[str, Any]


def is_token_file(seen: Peek) -> bool:
    """Lines ``name.jpg#0<tab>caption``."""
    return bool(seen.lines) and bool(_TOKEN.match(seen.lines[0]))


def is_table(seen: Peek) -> bool:
    """A table that can have columns; which ones are images and captions shows on reading."""
    if seen.suffix in (".parquet", ".jsonl", ".ndjson"):
        return True
    return seen.suffix in (".csv", ".tsv") or (
        seen.suffix == ".txt" and bool(seen.lines) and _delimiter(seen.lines[0]) is not None
    )


def take_token_file(path: Path, draft: Draft) -> None:
    """Read Flickr's token file; a caption's id is ``name.jpg#0``."""
    with _Lines(path, draft.progress) as lines:
        for number, line in enumerate(lines, 1):
            key, tab, text = line.rstrip("\r\n").partition("\t")
            name, mark, _ = key.rpartition("#")
            if tab and mark and name.strip():
                _take(draft, name.strip(), [text], key.strip())
            elif line.strip():
                draft.log.add("caption-incomplete", f"line {number}")
    draft.sources.append(lines.source)


def take_table(path: Path, draft: Draft) -> None:
    """Read a table row by row.

    Raises:
        DataError: no column holds images, or the table is damaged.
    """
    if path.suffix.lower() == ".parquet":
        _take_rows(path, _parquet_rows(path, draft), draft)
        draft.sources.append(_whole_file(path))
        return
    with _Lines(path, draft.progress) as lines:
        rows = _json_rows if path.suffix.lower() in (".jsonl", ".ndjson") else _csv_rows
        _take_rows(path, rows(path, lines), draft)
    draft.sources.append(lines.source)


def _take_rows(path: Path, rows: Iterator[Row], draft: Draft) -> None:
    first = next(rows, None)
    if first is None:
        raise DataError("the table has no row.", where=str(path))
    image_column, caption_column = _columns(path, list(first), draft.columns)
    by_split = draft.split is not None and "split" in first
    for number, row in enumerate(itertools.chain([first], rows)):
        name = _name_in(row.get(image_column))
        if by_split:
            draft.splits.add(str(row.get("split")))
        if name is None:
            draft.log.add("image-incomplete", f"row {number + 1}")
        elif by_split and not _is_split(row.get("split"), draft.split):
            draft.pass_over(_image_id(name))
        else:
            texts = _texts_in(row.get(caption_column)) if caption_column else []
            given = id_text(row.get("caption_id", row.get("sentid")))
            _take(draft, name, texts, given or str(number), row)


def _take(draft: Draft, name: str, texts: list[Any], caption_id: str, row: Row = {}) -> None:  # noqa: B006
    image_id = _image_id(name)
    if image_id not in draft.listed:
        size = pixels_or_none(row.get("width")), pixels_or_none(row.get("height"))
        draft.list_image(ListedImage(image_id, name, *size))
    for n, text in enumerate(texts):
        one = caption_id if len(texts) == 1 else f"{caption_id}.{n}"
        if isinstance(text, str):
            draft.captions.add(image_id, one, text)
        elif text is not None:
            draft.log.add("caption-not-text", one)


def _image_id(name: str) -> str:
    """The file name, which is all that names the image; shortened where it is too long."""
    return name if len(name) <= LONGEST_ID else hashlib.sha256(name.encode()).hexdigest()


def _name_in(value: Any) -> str | None:
    """The file name in a cell; Hugging Face's image cells are ``{"bytes", "path"}``."""
    if isinstance(value, Mapping):
        value = value.get("path")
    text = clean_text(value).strip() if isinstance(value, str) else ""
    return text or None


def _texts_in(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _is_split(value: Any, wanted: str | None) -> bool:
    own = "train" if value == "restval" else value
    return own == wanted


def _columns(path: Path, there: Sequence[str], asked: Columns) -> tuple[str, str | None]:
    plain = {name.strip().casefold(): name for name in there}
    for name in filter(None, (asked.image, asked.caption)):
        if name not in there:
            raise DataError(
                f"there is no column {name!r}; there are {_shown(there)}.", where=str(path)
            )
    image = asked.image or next((plain[c] for c in IMAGE_COLUMNS if c in plain), None)
    caption = asked.caption or next((plain[c] for c in CAPTION_COLUMNS if c in plain), None)
    if image is None:
        raise DataError(
            f"no column of the table is known to name images; its columns are {_shown(there)}.",
            where=str(path),
            remedy="Name it: --image-column NAME (and --caption-column NAME).",
        )
    return image, caption


def _shown(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in list(names)[:12])


def _delimiter(header: str) -> str | None:
    """What the header is divided by: the sign that gives known columns, else the most frequent."""
    known = {*IMAGE_COLUMNS, *CAPTION_COLUMNS}

    def names_known(sign: str) -> int:
        return len(known & {part.strip(' "').casefold() for part in header.split(sign)})

    best = max(_DELIMITERS, key=lambda sign: (names_known(sign), header.count(sign)))
    return best if names_known(best) or header.count(best) else None


def _csv_rows(path: Path, lines: _Lines) -> Iterator[Row]:
    header = next(iter(lines), "")
    delimiter = _delimiter(header) or ","
    csv.field_size_limit(_LONGEST_FIELD)
    every = itertools.chain([header], lines)
    if delimiter == "|":  # Flickr30k's, whose captions have quotation marks and no quoting
        reader = csv.reader(every, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    else:
        reader = csv.reader(every, delimiter=delimiter)
    names: list[str] = []
    try:
        for cells in reader:
            if not names:
                names = [cell.strip() for cell in cells]
            elif cells:
                values = [cell.strip() for cell in cells] if delimiter == "|" else cells
                yield dict(zip(names, values, strict=False))
    except csv.Error as error:
        raise DataError(f"line {reader.line_num}: {error}.", where=str(path)) from error


def _json_rows(path: Path, lines: _Lines) -> Iterator[Row]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise DataError(f"line {number} is not JSON ({error}).", where=str(path)) from error
            if not isinstance(value, dict):
                raise DataError(f"line {number} is no JSON object.", where=str(path))
            yield value


def _parquet_rows(path: Path, draft: Draft) -> Iterator[Row]:
    try:
        with pq.ParquetFile(path) as file:
            schema = file.schema_arrow
            image, caption = _columns(path, schema.names, draft.columns)
            # An embedded picture's bytes are not read: only its path.
            struct = pa.types.is_struct(schema.field(image).type)
            also = {"split", "caption_id", "sentid", "width", "height"} & set(schema.names)
            wanted = [f"{image}.path" if struct else image, *filter(None, [caption]), *also]
            done = 0
            for batch in file.iter_batches(_BATCH, columns=wanted):
                yield from batch.to_pylist()
                done += batch.num_rows
                draft.progress(
                    Progress(f"Reading {path.name}", done, file.metadata.num_rows, "rows")
                )
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"is no sound Parquet file ({error}).", where=str(path)) from error


def _whole_file(path: Path) -> SourceFile:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return SourceFile("captions", str(path.absolute()), path.stat().st_size, digest)


class _Lines:
    """The lines of a UTF-8 text file as they stream by; afterwards ``source`` tells what it was."""

    def __init__(self, path: Path, progress: ProgressCallback):
        self._path, self._progress = path, progress
        self._digest, self._done = hashlib.sha256(), 0

    def __enter__(self) -> _Lines:
        self._file = self._path.open("rb")
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[str]:
        total, stage = self._path.stat().st_size, f"Reading {self._path.name}"
        for raw in self._file:
            first = self._done == 0
            self._digest.update(raw)
            self._done += len(raw)
            if len(raw) > _LONGEST_FIELD:
                raise DataError("has a line of more than 16 MB.", where=str(self._path))
            try:
                line = raw.decode("utf-8-sig" if first else "utf-8")
            except UnicodeDecodeError as error:
                raise DataError(
                    f"is not UTF-8 text, near byte {self._done - len(raw) + error.start:,}.",
                    where=str(self._path),
                    remedy="Save it as UTF-8.",
                ) from error
            self._progress(Progress(stage, self._done, total, "bytes"))
            yield line

    @property
    def source(self) -> SourceFile:
        """What was read."""
        path = str(self._path.absolute())
        return SourceFile("captions", path, self._done, self._digest.hexdigest())
