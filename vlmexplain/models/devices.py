"""On which device a model runs, and in which formats that device computes."""

from __future__ import annotations

import os

import torch

from vlmexplain.errors import ModelError
from vlmexplain.models.precision import FULL_NAMES, Precision

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


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
        # Ten-bit products would make an embedding depend on the card.
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cuda.matmul.allow_tf32 = False
    return chosen


def has_precision(device: torch.device, precision: Precision) -> bool:
    """Whether the device itself computes in this format; what is only emulated does not count."""
    if precision == "fp32":
        return True
    if device.type == "cuda":
        return precision == "fp16" or torch.cuda.is_bf16_supported(including_emulation=False)
    if device.type == "cpu":
        ask = getattr(torch.ops.mkldnn, f"_is_mkldnn_{precision}_supported", None)
        return ask is not None and bool(ask())
    return precision == "fp16"


def fastest_precision(device: torch.device) -> Precision:
    """``bf16`` on a GPU that has it, ``fp16`` on another, ``fp32`` on a CPU."""
    if device.type == "cpu":
        return "fp32"
    return "bf16" if has_precision(device, "bf16") else "fp16"


def dtype_for(device: torch.device, precision: Precision) -> torch.dtype:
    """The torch format of a precision.

    Raises:
        ModelError: the device does not compute in it.
    """
    if not has_precision(device, precision):
        usable = [f"--precision {each}" for each in FULL_NAMES if has_precision(device, each)]
        raise ModelError(
            f"the device {str(device)!r} does not compute in {FULL_NAMES[precision]}.",
            remedy=f"Use {' or '.join(usable)}.",
        )
    return DTYPES[precision]
