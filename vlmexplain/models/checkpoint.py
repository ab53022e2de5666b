"""Weights from a file into a model: plain tensors only, all of them, or an error."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from vlmexplain.errors import ModelError

KNOWN_IDS = "vlmexplain.known_token_ids"
"""int32 [n]: the token ids that have a row of their own in a compact token table."""

_TABLES = ("token_embedding.weight", "text.token_embedding.weight")


def read_tensors(path: Path) -> dict[str, torch.Tensor]:
    """The tensors of a checkpoint by name; runs no code that may hide in the file.

    Raises:
        ModelError: damaged, pickled code, or no table of tensors.
    """
    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            content: Any = load_file(path, device="cpu")
        else:
            content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # both readers raise many kinds for a bad file
        raise ModelError(
            f"is damaged or holds more than plain weights ({_first_line(error)}).",
            where=str(path),
            remedy="Only weights are loaded, never code. Fetch the file again, or convert it to "
            "safetensors where you trust it.",
        ) from error
    if isinstance(content, dict) and isinstance(content.get("state_dict"), dict):
        content = content["state_dict"]
    if not isinstance(content, dict) or not content:
        raise ModelError("holds no table of named tensors.", where=str(path))
    bad = [str(key) for key, value in content.items() if not isinstance(value, torch.Tensor)]
    if bad:
        raise ModelError(
            f"holds things that are no tensors: {_some(bad)}.",
            where=str(path),
            remedy="Save the model's state_dict alone.",
        )
    prefix = "module." if all(str(key).startswith("module.") for key in content) else ""
    return {str(key)[len(prefix) :]: value for key, value in content.items()}


def expand_vocabulary(
    tensors: dict[str, torch.Tensor], vocabulary: int, path: Path
) -> frozenset[int] | None:
    """Turn a compact token table into the full one, in place; the ids that were in it.

    A compact table is [n + 1, width]: a row for each of n ids, and a last row for all others.
    None when the table is full already.

    Raises:
        ModelError: ids and table do not fit together.
    """
    ids = tensors.pop(KNOWN_IDS, None)
    if ids is None:
        return None
    key = next((key for key in _TABLES if key in tensors), None)
    rows = tensors[key].shape[0] if key else 0
    known = ids.long()
    fits = (
        key is not None
        and ids.dtype == torch.int32
        and ids.ndim == 1
        and rows == len(known) + 1
        and len(known.unique()) == len(known)
        and (len(known) == 0 or (int(known.min()) >= 0 and int(known.max()) < vocabulary))
    )
    if not fits or key is None:
        raise ModelError(
            f"the compact token table does not fit its ids: {rows} rows, {len(known)} ids of "
            f"type {ids.dtype}, vocabulary {vocabulary}.",
            where=str(path),
            remedy=f"Expected int32 {KNOWN_IDS} [n], each id once and in the vocabulary, and a "
            "table of n + 1 rows.",
        )
    compact = tensors[key]
    full = compact[-1].repeat(vocabulary, 1)
    full[known] = compact[:-1]
    tensors[key] = full
    return frozenset(known.tolist())


def fill_model(model: torch.nn.Module, tensors: Mapping[str, torch.Tensor], path: Path) -> None:
    """Load every weight of a model from ``tensors``; nothing stays random, nothing is left over.

    Raises:
        ModelError: names what is missing, left over, or of another shape.
    """
    own = model.state_dict()
    missing = sorted(set(own) - set(tensors))
    left_over = sorted(set(tensors) - set(own))
    shapes = [
        f"{key} is {list(tensors[key].shape)}, expected {list(own[key].shape)}"
        for key in sorted(set(own) & set(tensors))
        if own[key].shape != tensors[key].shape
    ]
    faults = [
        f"{label}: {_some(keys)}"
        for label, keys in (
            ("missing", missing),
            ("not of this architecture", left_over),
            ("wrong shape", shapes),
        )
        if keys
    ]
    if faults:
        raise ModelError(
            f"does not fit the architecture. {'; '.join(faults)}. A partly random model is never "
            "used.",
            where=str(path),
            remedy="Use the architecture the checkpoint was made with.",
        )
    bad = [key for key, value in tensors.items() if not torch.isfinite(value.float()).all()]
    if bad:
        raise ModelError(f"holds infinite or undefined weights: {_some(bad)}.", where=str(path))
    model.load_state_dict(dict(tensors), strict=True)


def _some(names: list[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _first_line(error: Exception) -> str:
    line = str(error).strip().splitlines()
    return f"{type(error).__name__}: {line[0][:160] if line else ''}"
