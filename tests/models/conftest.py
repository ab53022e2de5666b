"""A tiny open_clip model, written by the tests themselves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TINY: dict[str, Any] = {
    "embed_dim": 16,
    "vision_cfg": {
        "image_size": 32,
        "layers": 1,
        "width": 32,
        "head_width": 16,
        "patch_size": 16,
    },
    "text_cfg": {
        "context_length": 32,
        "vocab_size": 49408,
        "width": 32,
        "heads": 2,
        "layers": 2,
    },
}


def random_tensors(config: dict[str, Any]) -> dict[str, Any]:
    """Weights of this architecture, the same every time, large enough that all words matter."""
    import torch
    from open_clip.model import CLIP, CustomTextCLIP

    config = json.loads(json.dumps(config))
    custom = config.pop("custom_text", False)
    torch.manual_seed(7)
    tensors = (CustomTextCLIP if custom else CLIP)(**config).state_dict()
    return {
        key: (value * 8 if key.endswith("embedding.weight") else value).contiguous()
        for key, value in tensors.items()
    }


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test keeps its digests apart, and asks no hub."""
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))


@pytest.fixture
def tiny_folder(tmp_path: Path) -> Callable[..., Path]:
    """Writes a model folder: its JSON and, unless told otherwise, fitting weights."""

    def write(
        config: dict[str, Any] | None = None,
        tensors: dict[str, Any] | None = None,
        name: str = "tiny",
        **outer: Any,
    ) -> Path:
        from safetensors.torch import save_file

        config = config or TINY
        folder = tmp_path / name
        folder.mkdir()
        (folder / f"{name}.json").write_text(json.dumps({**config, **outer}))
        save_file(
            random_tensors(config) if tensors is None else tensors, folder / "model.safetensors"
        )
        return folder

    return write
