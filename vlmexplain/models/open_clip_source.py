"""Where an open_clip model's files are, and what they say about it; no torch here."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vlmexplain.errors import MissingPackage, ModelError, UnknownName
from vlmexplain.models.hub import hub_file
from vlmexplain.models.spec import architectures

# What open_clip uses where a checkpoint states nothing: the values of the OpenAI release.
DEFAULT_PREPROCESSING: Mapping[str, Any] = {
    "mode": "RGB",
    "mean": [0.48145466, 0.4578275, 0.40821073],
    "std": [0.26862954, 0.26130258, 0.27577711],
    "interpolation": "bicubic",
    "resize_mode": "shortest",
    "fill_color": 0,
}
CHECKPOINTS = (".safetensors", ".pt", ".pth", ".bin")
HUB_CONFIG = "open_clip_config.json"
HUB_WEIGHTS = (
    "open_clip_model.safetensors",
    "open_clip_pytorch_model.safetensors",
    "open_clip_pytorch_model.bin",
)
OWN_KEY = "vlmexplain"
"""Our own notes in an architecture JSON; taken out before open_clip sees it."""


@dataclass(frozen=True, slots=True)
class OpenClipSource:
    """All that is needed to build an open_clip model.

    Attributes:
        name: how the user calls it.
        config: open_clip's architecture: ``embed_dim``, ``vision_cfg``, ``text_cfg`` ...
        weights: the checkpoint file.
        origin: where it came from, for a page.
        preprocessing: fields of open_clip's ``PreprocessCfg``, size included.
        activation_note: where the activation came from, if that needs saying.
        tokenizer_folder: a folder with the files of a Hugging Face tokenizer, if it has one.
        drawn: trained on the drawn demo world.
    """

    name: str
    config: Mapping[str, Any]
    weights: Path
    origin: str
    preprocessing: Mapping[str, Any]
    activation_note: str = ""
    tokenizer_folder: Path | None = None
    drawn: bool = False
    facts: tuple[tuple[str, str], ...] = field(default=())

    @property
    def context_length(self) -> int:
        """Tokens the text tower reads, start and end marks included."""
        return int(self.config["text_cfg"].get("context_length", 77))

    @property
    def activation(self) -> str:
        """``QuickGELU`` or ``GELU``: which of the two the weights are run with."""
        return "QuickGELU" if self.config.get("quick_gelu") else "GELU"


def read_source(name: str) -> OpenClipSource | None:
    """The source of a folder, an ``ARCH@FILE`` or an ``hf-hub:`` name; None for a tag.

    Raises:
        ModelError: files are missing, unreadable, or not what they should be.
        UnknownName: no such architecture.
    """
    if name.startswith("hf-hub:"):
        return _from_hub(name)
    folder = Path(name).expanduser()
    if folder.is_dir():
        return _from_folder(folder.absolute())
    if "@" in name:
        return _from_file(name)
    if name.startswith(("/", ".", "~")):
        raise ModelError(
            "there is no such model folder.",
            where=str(folder),
            remedy="Check the path. The models that ship lie in data/models (see data/README.md).",
        )
    architecture, _, tag = name.partition("/")
    if architecture in architectures() and tag:
        return None
    if architecture in architectures():
        raise ModelError(
            f"the architecture {name!r} alone has no weights, and a model with random weights "
            "is never used.",
            remedy=f"Give a pretrained tag ({name}/openai) or a file ({name}@/path/to/file).",
        )
    if not architectures():
        raise needs_open_clip()
    raise UnknownName("open_clip architecture or folder", architecture, sorted(architectures()))


def needs_open_clip() -> MissingPackage:
    """The error for a machine without open_clip."""
    return MissingPackage(
        "open_clip models need the package open_clip_torch.",
        remedy="Install it: pip install open_clip_torch",
    )


def built_in_config(architecture: str) -> dict[str, Any]:
    """The architecture JSON that open_clip carries under this name.

    Raises:
        MissingPackage: open_clip is not installed.
        UnknownName: it has no such architecture.
    """
    spec = importlib.util.find_spec("open_clip")
    if spec is None:
        raise needs_open_clip()
    if architecture not in architectures():
        raise UnknownName("open_clip architecture", architecture, sorted(architectures()))
    for place in spec.submodule_search_locations or []:
        path = Path(place) / "model_configs" / f"{architecture}.json"
        if path.is_file():
            return _read_config(path)[0]
    raise AssertionError(architecture)


def full_preprocessing(config: Mapping[str, Any], stated: Mapping[str, Any]) -> dict[str, Any]:
    """open_clip's defaults, overlaid with what a checkpoint states, and the image size."""
    known = {k: stated[k] for k in DEFAULT_PREPROCESSING if stated.get(k) is not None}
    size = config["vision_cfg"].get("image_size", 224)
    size = [size, size] if isinstance(size, int) else list(size)
    merged = {**DEFAULT_PREPROCESSING, **known, "size": size}
    return {k: list(v) if isinstance(v, tuple) else v for k, v in merged.items()}


def _from_folder(folder: Path) -> OpenClipSource:
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            found.append((path, *_read_config(path)))
        except ModelError:
            if path.name == HUB_CONFIG:
                raise
    if len(found) != 1:
        raise ModelError(
            f"expected one architecture JSON (with embed_dim, vision_cfg, text_cfg), found "
            f"{len(found)}: {', '.join(path.name for path, *_ in found) or 'none'}.",
            where=str(folder),
            remedy="Put the model's open_clip JSON beside its weights.",
        )
    _, config, stated, own = found[0]
    weights = sorted(folder.glob("*.safetensors"))
    preferred = [path for path in weights if path.name in HUB_WEIGHTS] or weights
    if len(preferred) != 1:
        raise ModelError(
            f"expected one *.safetensors file, found {len(preferred)}: "
            f"{', '.join(path.name for path in preferred) or 'none'}.",
            where=str(folder),
            remedy="For another kind of file or one of several, name it: "
            "ARCHITECTURE@/path/to/checkpoint.",
        )
    return OpenClipSource(
        name=folder.name,
        config=config,
        weights=preferred[0],
        origin="folder",
        preprocessing=full_preprocessing(config, stated),
        tokenizer_folder=folder if (folder / "tokenizer.json").is_file() else None,
        drawn=own.get("drawn_world") is True,
        facts=(("Training data", "drawn demo world"),) if own.get("drawn_world") is True else (),
    )


def _from_file(name: str) -> OpenClipSource:
    architecture, mark, place = name.partition(".json@")
    if mark:
        architecture += ".json"
    else:
        architecture, _, place = name.partition("@")
    weights = Path(place).expanduser().absolute()
    if not weights.is_file():
        raise ModelError(
            "there is no such checkpoint file.",
            where=str(weights),
            remedy="Give ARCHITECTURE@/path/to/checkpoint.safetensors.",
        )
    if weights.suffix not in CHECKPOINTS:
        raise ModelError(
            f"{weights.suffix or 'a file without an ending'} is no kind of checkpoint known here.",
            where=str(weights),
            remedy=f"Expected one of {', '.join(CHECKPOINTS)}.",
        )
    stated: Mapping[str, Any] = {}
    own: Mapping[str, Any] = {}
    if architecture.endswith(".json"):
        config, stated, own = _read_config(Path(architecture).expanduser())
    else:
        config = built_in_config(architecture)
    note = "stated by the file's JSON" if stated else "open_clip's default for a bare checkpoint"
    return OpenClipSource(
        name=f"{Path(architecture).stem}@{weights.name}",
        config=config,
        weights=weights,
        origin="file",
        preprocessing=full_preprocessing(config, stated),
        activation_note="as the architecture states",
        drawn=own.get("drawn_world") is True,
        facts=(("Preprocessing from", note),),
    )


def _from_hub(name: str) -> OpenClipSource:
    repository = name.removeprefix("hf-hub:").strip("/")
    config, stated, _ = _read_config(hub_file(repository, [HUB_CONFIG]))
    return OpenClipSource(
        name=name,
        config=config,
        weights=hub_file(repository, HUB_WEIGHTS),
        origin=f"hub {repository}",
        preprocessing=full_preprocessing(config, stated),
    )


def _read_config(path: Path) -> tuple[dict[str, Any], Mapping[str, Any], Mapping[str, Any]]:
    """Architecture, stated preprocessing, and our own notes."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot be read as JSON ({error}).", where=str(path)) from error
    outer = content if isinstance(content, dict) else {}
    config = outer.get("model_cfg", outer)
    wanted = {"embed_dim": int, "vision_cfg": dict, "text_cfg": dict}
    lacking = [
        key
        for key, kind in wanted.items()
        if not isinstance(config, dict) or not isinstance(config.get(key), kind)
    ]
    if lacking:
        raise ModelError(
            f"this is no open_clip architecture: {', '.join(lacking)} missing.", where=str(path)
        )
    own = outer.get(OWN_KEY) or config.get(OWN_KEY) or {}
    stated = outer.get("preprocess_cfg") or {}
    outside = {OWN_KEY, "preprocess_cfg"}
    return {k: v for k, v in config.items() if k not in outside}, stated, own
