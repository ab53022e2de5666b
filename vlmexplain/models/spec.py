"""What a model's name means."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from vlmexplain.errors import ModelError, UnknownName
from vlmexplain.models.catalogue import catalogue_kinds
from vlmexplain.models.precision import Precision, split_precision
from vlmexplain.places import data_folder

Kind = Literal["fake", "fake-text", "sentence", "open_clip"]

_FAKE = re.compile(r"(fake|fake-text)(?::(\d{1,9}))?")


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model's name, taken apart.

    Attributes:
        kind: the family.
        name: what the family's loader takes.
        precision: in which format the model computes.
    """

    kind: Kind
    name: str
    precision: Precision = "fp32"


def shipped_folder(name: str) -> Path:
    """Where the model of this name lies in the data folder, if it ships."""
    return data_folder() / "models" / name


def architectures() -> frozenset[str]:
    """The architectures open_clip knows, read from its files without importing it."""
    spec = importlib.util.find_spec("open_clip")
    places = (spec.submodule_search_locations or []) if spec else []
    return frozenset(
        path.stem for place in places for path in (Path(place) / "model_configs").glob("*.json")
    )


def parse_spec(spec: str) -> ModelSpec:
    """Take a model's name apart.

    Known forms: a name of the catalogue (``drawn-clip``, ``all-MiniLM-L6-v2``); an open_clip
    architecture and tag, ``ViT-B-16/openai``, or with a checkpoint file,
    ``ViT-B-16@/path/file.safetensors`` or ``/path/arch.json@/path/file.safetensors``;
    ``hf-hub:ORG/NAME``; a folder; ``open_clip:...`` or
    ``sentence:...`` before any of these to name the family; ``sentence-transformers/NAME``;
    ``fake``, ``fake:SEED``, ``fake-text``. Any of them may end in ``#bf16`` or ``#fp16``.

    Raises:
        UnknownName: none of these, or no such precision; near matches are offered.
        ModelError: a folder that holds no model.

    >>> parse_spec("ViT-B-16/openai#bf16")
    ModelSpec(kind='open_clip', name='ViT-B-16/openai', precision='bf16')
    >>> parse_spec("fake:7")
    ModelSpec(kind='fake', name='7', precision='fp32')
    """
    name, precision = split_precision(spec.strip())
    return replace(_parse(name), precision=precision)


def _parse(spec: str) -> ModelSpec:
    family, _, rest = spec.partition(":")
    if match := _FAKE.fullmatch(spec):
        return ModelSpec("fake" if match[1] == "fake" else "fake-text", match[2] or "")
    if family == "sentence" and rest:
        return ModelSpec("sentence", rest)
    if family == "open_clip" and rest:
        return ModelSpec("open_clip", _shipped_or(rest))
    if family == "hf-hub" and rest:
        return ModelSpec("open_clip", spec)
    if spec.startswith("sentence-transformers/"):
        return ModelSpec("sentence", spec)
    return _bare(spec)


def _shipped_or(name: str) -> str:
    folder = shipped_folder(name)
    return str(folder) if _plain(name) and folder.is_dir() else name


def _plain(name: str) -> bool:
    """One name, no path: nothing outside the data folder can be meant."""
    return bool(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name))


def _bare(spec: str) -> ModelSpec:
    kinds = catalogue_kinds()
    if kinds.get(spec) == "sentence":
        return ModelSpec("sentence", spec)
    if spec in kinds or (_plain(spec) and shipped_folder(spec).is_dir()):
        # A shipped model is a folder; an open_clip tag stands for itself.
        return ModelSpec("open_clip", spec if "/" in spec else str(shipped_folder(spec)))
    folder = Path(spec).expanduser()
    if spec and folder.is_dir():
        return _of_folder(folder)
    architecture = re.split(r"[/@]", spec, maxsplit=1)[0]
    known = architectures()
    # Paths and, without open_clip, tags go on to the family's own error, which says what lacks.
    if ".json@" in spec or spec.startswith(("/", "./", "../", "~")):
        return ModelSpec("open_clip", spec)
    if architecture != spec and (architecture in known or not known):
        return ModelSpec("open_clip", spec)
    raise UnknownName("model", spec, [*kinds, "fake", "fake-text"])


def _of_folder(folder: Path) -> ModelSpec:
    if (folder / "modules.json").is_file():
        return ModelSpec("sentence", str(folder))
    if any(folder.glob("*.json")):
        return ModelSpec("open_clip", str(folder))
    raise ModelError(
        "this folder holds no model.",
        where=str(folder),
        remedy="Expected an architecture JSON with *.safetensors (open_clip), or modules.json "
        "(sentence-transformers).",
    )
