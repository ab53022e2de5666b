"""In which floating-point format a model computes; part of its name and its identity."""

from __future__ import annotations

import re
from typing import Literal

from vlmexplain.errors import UnknownName

Precision = Literal["fp32", "bf16", "fp16"]

FULL_NAMES: dict[Precision, str] = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
"""The formats a model can compute in; ``fp32`` is the default and the exact one."""

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
