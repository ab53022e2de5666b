"""Sample files: the benchmark's JSON lines, written and read, and SugarCrepe's JSON, read.

A line of the benchmark: ``image_path``, ``orig_captions`` (list), ``same_caps`` and ``diff_caps``
(index as a string -> list), and by type ``diff_caps_color``, ``diff_caps_number``,
``diff_caps_object``. We add ``diff_caps_verified`` (index -> list beside ``diff_caps``) where a
flip is known to be false of its image; other readers pass over it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from vlmexplain.errors import DataError
from vlmexplain.lgip.samples import FLIP_TYPES, Flip, Sample
from vlmexplain.storage import publish_file

_EXPECTED = (
    "Expected one JSON object a line with image_path, orig_captions, same_caps and diff_caps; or "
    "SugarCrepe's JSON, with filename, caption and negative_caption."
)


def sample_line(sample: Sample) -> str:
    """A sample as a line of the benchmark's file, without the line end."""
    flips = sample.flips
    typed = {
        f"diff_caps_{kind}": {
            str(i): [flip.text for flip in own if flip.flip_type == kind]
            for i, own in enumerate(flips)
        }
        for kind in FLIP_TYPES
    }
    line: dict[str, Any] = {
        "image_path": sample.image_path,
        "orig_captions": list(sample.captions),
        "same_caps": {str(i): list(texts) for i, texts in enumerate(sample.same)},
        "diff_caps": {str(i): [flip.text for flip in own] for i, own in enumerate(flips)},
        **typed,
    }
    if any(flip.verified is not None for own in flips for flip in own):
        line["diff_caps_verified"] = {
            str(i): [flip.verified for flip in own] for i, own in enumerate(flips)
        }
    return json.dumps(line, ensure_ascii=False)


def write_samples(samples: Iterable[Sample], path: Path) -> None:
    """Write the benchmark's file, whole or not at all.

    Raises:
        StoreError: it cannot be written there.
    """
    with (
        publish_file(path) as scratch,
        scratch.open("w", encoding="utf-8", errors="surrogatepass") as file,
    ):
        for sample in samples:
            file.write(sample_line(sample) + "\n")


def read_samples(path: Path) -> Iterator[Sample]:
    """The samples of the benchmark's file, line by line, or of a SugarCrepe file.

    Raises:
        DataError: the file cannot be read or is neither; names the file and the line or id.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            head = file.read(4096).lstrip()
            file.seek(0)
            if _is_lines(head):
                yield from _read_lines(file, path)
                return
            whole = json.load(file)
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror}).", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise DataError("is not UTF-8 text.", where=str(path), remedy=_EXPECTED) from error
    except (ValueError, RecursionError) as error:  # also a number of too many digits
        raise DataError(f"is no JSON ({error}).", where=str(path), remedy=_EXPECTED) from error
    yield from _sugarcrepe(whole, path)


def read_base_line(line: str, where: str) -> tuple[str, tuple[str, ...]]:
    """``image_path`` and ``orig_captions`` of a line, whatever else it has.

    Raises:
        DataError: the line is not such an object.
    """
    value = _object(line, where)
    return _text(value, "image_path", where), _texts(value.get("orig_captions"), where)


def _is_lines(head: str) -> bool:
    first = head.split("\n", 1)[0]
    return '"image_path"' in head or '"orig_captions"' in first


def _read_lines(lines: Iterable[str], path: Path) -> Iterator[Sample]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _sample(line, f"{path}:{number}")


def _sample(line: str, where: str) -> Sample:
    value = _object(line, where)
    captions = _texts(value.get("orig_captions"), where)
    same = _by_caption(value, "same_caps", len(captions), where)
    texts = _by_caption(value, "diff_caps", len(captions), where)
    typed = {
        kind: _by_caption(value, f"diff_caps_{kind}", len(captions), where) for kind in FLIP_TYPES
    }
    verified = value.get("diff_caps_verified")
    flips = tuple(
        _flips(texts[i], {kind: typed[kind][i] for kind in FLIP_TYPES}, _known(verified, i))
        for i in range(len(captions))
    )
    return Sample(_text(value, "image_path", where), captions, same, flips)


def _flips(
    texts: tuple[str, ...], typed: dict[str, tuple[str, ...]], verified: list[Any]
) -> tuple[Flip, ...]:
    """The flips with their types; those that only a list by type has come after the others."""
    left = {kind: Counter(own) for kind, own in typed.items()}
    flips: list[Flip] = []
    for i, text in enumerate(texts):
        kind = next((kind for kind, own in left.items() if own[text] > 0), None)
        if kind is not None:
            left[kind][text] -= 1
        known = verified[i] if i < len(verified) else None
        flips.append(Flip(text, kind, known if isinstance(known, bool) else None))
    for kind, own in left.items():
        flips += [Flip(text, kind) for text in own.elements()]
    return tuple(flips)


def _known(verified: Any, i: int) -> list[Any]:
    found = verified.get(str(i)) if isinstance(verified, dict) else None
    return found if isinstance(found, list) else []


def _by_caption(
    value: dict[str, Any], key: str, n_captions: int, where: str
) -> tuple[tuple[str, ...], ...]:
    given = value.get(key)
    if given is None:
        return ((),) * n_captions
    if not isinstance(given, dict):
        raise DataError(f"{key} is no object.", where=where, remedy=_EXPECTED)
    known = {str(i) for i in range(n_captions)}
    strange = [index for index in given if index not in known]
    if strange:
        raise DataError(
            f"{key} has the index {strange[0]!r}, but there are {n_captions} captions.",
            where=where,
            remedy=_EXPECTED,
        )
    return tuple(_texts(given.get(str(i), []), f"{where} {key}") for i in range(n_captions))


def _sugarcrepe(whole: Any, path: Path) -> Iterator[Sample]:
    if not isinstance(whole, dict | list) or not whole:
        raise DataError("has no items.", where=str(path), remedy=_EXPECTED)
    items = whole.items() if isinstance(whole, dict) else enumerate(whole)
    for number, item in items:
        where = f"{path} item {number}"
        if not isinstance(item, dict):
            raise DataError("is no object.", where=where, remedy=_EXPECTED)
        caption = _text(item, "caption", where)
        flip = Flip(_text(item, "negative_caption", where), path.stem)
        yield Sample(_text(item, "filename", where), (caption,), ((),), ((flip,),))


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"is no JSON ({error}).", where=where, remedy=_EXPECTED) from error
    if not isinstance(value, dict):
        raise DataError("is no object.", where=where, remedy=_EXPECTED)
    return value


def _text(value: dict[str, Any], key: str, where: str) -> str:
    found = value.get(key)
    if not isinstance(found, str):
        raise DataError(f"{key} is {found!r}, not a text.", where=where, remedy=_EXPECTED)
    return found


def _texts(found: Any, where: str) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise DataError("expected a list of texts.", where=where, remedy=_EXPECTED)
    return tuple(found)
