"""On which device a model runs."""

from __future__ import annotations

import os

import torch

from vlmexplain.errors import ModelError


def choose_device(device: str | None = None) -> torch.device:
    """The device asked for; else ``VLMEXPLAIN_DEVICE``; else a GPU if there is one, else the CPU.

    Raises:
        ModelError: no such device here.
    """
    wanted = device or os.environ.get("VLMEXPLAIN_DEVICE") or ""
    if not wanted:
        wanted = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        chosen = torch.device(wanted)
        torch.empty(1, device=chosen)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ModelError(
            f"the device {wanted!r} is not usable here.", remedy="Use cpu, or cuda with a GPU."
        ) from error
    if chosen.type == "cuda":
        # Ten-bit convolutions would make an image's embedding depend on the card.
        torch.backends.cudnn.allow_tf32 = False
    return chosen
