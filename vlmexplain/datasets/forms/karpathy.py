"""Karpathy's ``dataset_*.json``: captions of COCO or Flickr30k with their splits."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from vlmexplain.datasets.forms.draft import Draft
from vlmexplain.datasets.forms.peek import Peek
from vlmexplain.datasets.json_stream import JsonStream
from vlmexplain.datasets.listed_images import ListedImage
from vlmexplain.datasets.reading import read_stream
from vlmexplain.datasets.record_ids import clean_text, id_text, int64_or_none
from vlmexplain.errors import DataError, UnknownName

RESTVAL = "restval"
FOLD_IMAGES = 1000
_FOLD = re.compile(r"test-1k(?:-([1-5]))?")


def is_karpathy(seen: Peek) -> bool:
    """A list of images, each with its sentences and its split."""
    return "sentences" in seen.record("images")


def take_karpathy(path: Path, draft: Draft) -> None:
    """Read images and captions of the split that was asked for.

    ``restval`` counts as ``train``. ``test-5k`` is ``test``; ``test-1k-1`` to ``test-1k-5`` are
    the thousands of the test split in the file's order, ``test-1k`` the first of them.

    Raises:
        UnknownName: the file has no such split.
    """
    split, fold = wanted_split(draft.split)
    found: dict[str, int] = {}

    def take(key: str, value: Any) -> None:
        if key == "images" and isinstance(value, dict):
            own = _split_of(value)
            found[own] = place = found.get(own, 0) + 1
            in_fold = fold is None or (place - 1) // FOLD_IMAGES == fold
            _take_image(value, draft, chosen=split in (None, own) and in_fold)

    stream = JsonStream(path)
    source = read_stream(stream, "captions", take, "Karpathy's data set", draft.progress)
    draft.sources.append(source)
    draft.splits |= found.keys()
    if split is not None and split not in found:
        raise UnknownName("split", str(draft.split), sorted(found), where=str(path))
    if fold is not None and not draft.listed:
        raise DataError(
            f"the test split has {found['test']:,} images; {draft.split} begins at image "
            f"{fold * FOLD_IMAGES + 1:,}.",
            where=str(path),
            remedy="Take --split test.",
        )


def wanted_split(asked: str | None) -> tuple[str | None, int | None]:
    """The split of the file, and which thousand of it from 0; None for all.

    >>> wanted_split("test-1k-2"), wanted_split("restval"), wanted_split(None)
    (('test', 1), ('train', None), (None, None))
    """
    match = _FOLD.fullmatch(asked or "")
    if match:
        return "test", int(match[1] or 1) - 1
    if asked == "test-5k":
        return "test", None
    return ("train" if asked == RESTVAL else asked), None


def _split_of(record: dict[str, Any]) -> str:
    split = record.get("split")
    return "train" if split == RESTVAL else str(split)


def _take_image(record: dict[str, Any], draft: Draft, *, chosen: bool) -> None:
    image_id = id_text(record.get("cocoid", record.get("imgid")))
    name = record.get("filename")
    if image_id is None or not isinstance(name, str) or not name.strip():
        draft.log.add("image-incomplete", image_id or repr(record)[:60])
        return
    if not chosen:
        draft.pass_over(image_id)
        return
    name, folder = clean_text(name), record.get("filepath")
    other = (f"{folder}/{name}",) if isinstance(folder, str) and folder else ()
    coco_id = int64_or_none(record.get("cocoid"))
    draft.list_image(ListedImage(image_id, name, other_names=other, coco_id=coco_id))
    sentences = record.get("sentences")
    for sentence in sentences if isinstance(sentences, list) else ():
        text = sentence.get("raw") if isinstance(sentence, dict) else None
        sentence_id = id_text(sentence.get("sentid")) if isinstance(sentence, dict) else None
        if isinstance(text, str):
            draft.captions.add(image_id, sentence_id or "", text)
        else:
            draft.log.add("caption-not-text", sentence_id or f"image {image_id}")
