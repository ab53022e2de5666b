"""Whether the faster way through a text tower gives what the model's own gives: tried, not assumed.

The shortcut repeats open_clip's steps, which are no promise of open_clip's. It is compared with
``encode_text`` each time a model is loaded, and gives way to it on any difference or error.
"""

from __future__ import annotations

import logging
from typing import Any

import torch

from vlmexplain.models.text_tower import encode_cut, end_places, tower_of

PROBES = (
    "", "a", "a red bus", "a red bus and two dogs", "a red car near the water", "zebras",
    "word " * 100,
)  # fmt: skip
"""Texts that begin alike and that do not, an empty one, and one that every context cuts."""

FARTHEST = {torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 5e-2}
"""How far apart two unit vectors of the same text may be by rounding alone."""

_logger = logging.getLogger("vlmexplain.models")


def proven_tower(model: Any, tokenizer: Any, device: torch.device) -> Any | None:
    """The model's text tower if the shortcut agrees with ``encode_text`` on it, else None."""
    try:
        tower = tower_of(model)
        if tower is None:
            return None
        ids = tokenizer(list(PROBES))
        ends = end_places(tower, ids)
        with torch.inference_mode():
            wanted = model.encode_text(ids.to(device))
            found = encode_cut(tower, ids.to(device), ends)
        apart = float((_unit(found) - _unit(wanted)).norm(dim=-1).max())
        why = f"it is {apart:.2g} away" if not apart <= FARTHEST[wanted.dtype] else ""
    except Exception as error:  # another open_clip than those tried may fail in any way
        why = type(error).__name__
    if not why:
        return tower
    _logger.info("texts go through encode_text: the shortcut does not fit this open_clip (%s)", why)
    return None


def _unit(rows: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.normalize(rows.double(), dim=-1)
