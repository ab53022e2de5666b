"""In which floating-point format a model computes; part of its name and its identity."""

from __future__ import annotations

import re
from typing import Literal

from vlmexplain.errors import UnknownName

Precision = Literal["fp32", "bf16", "fp16"]

FULL_NAMES: dict[Precision, str] = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
"""The formats a model can compute in; ``fp32`` is the default and the exact one."""

AUTO = "auto"
"""On a GPU the fastest format it has, on a CPU ``fp32``."""

CHOICES = (*FULL_NAMES, AUTO)
MARK = "#"
_ALMOST = re.compile(r"auto|(b?f|fp|bfloat|float|int)\d+")


def split_precision(spec: str) -> tuple[str, Precision]:
    """A model's name without its precision, and the precision.

    Raises:
        UnknownName: what follows the mark is almost one of them.

    >>> split_precision("ViT-B-16/openai#bf16")
    ('ViT-B-16/openai', 'bf16')
    >>> split_precision("drawn-clip")
    ('drawn-clip', 'fp32')
    """
    name, mark, last = spec.rpartition(MARK)
    if mark and last in FULL_NAMES:
        return name, last
    if mark and _ALMOST.fullmatch(last):
        raise UnknownName("precision", last, FULL_NAMES, where=spec)
    return spec, "fp32"  # a folder may be called anything


def with_precision(spec: str, precision: str, device: str | None = None) -> str:
    """The name of the same model in another precision.

    Args:
        spec: a model's name.
        precision: one of `CHOICES`; ``auto`` looks at the device, which imports torch.
        device: as of `vlmexplain.models.load.load_model`.

    Raises:
        UnknownName: no such precision.
        ModelError: ``auto`` for a device that is not there.

    >>> with_precision("drawn-clip", "bf16"), with_precision("drawn-clip#bf16", "fp32")
    ('drawn-clip#bf16', 'drawn-clip')
    """
    if precision not in CHOICES:
        raise UnknownName("precision", precision, CHOICES)
    if precision == AUTO:
        from vlmexplain.models.devices import choose_device, fastest_precision

        precision = fastest_precision(choose_device(device))
    name, _ = split_precision(spec)
    return name if precision == "fp32" else f"{name}{MARK}{precision}"
