"""A tiny open_clip architecture and weights for it."""

from __future__ import annotations

import json
from typing import Any

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
