"""A model's name in the precision that someone asks for, which may be left to the device."""

from __future__ import annotations

from vlmexplain.errors import UnknownName
from vlmexplain.models.precision import FULL_NAMES, MARK, split_precision

AUTO = "auto"
"""On a GPU the fastest format it has, on a CPU ``fp32``."""

CHOICES = (*FULL_NAMES, AUTO)


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
        from vlmexplain.models.devices import choose_device, fastest_precision  # torch

        precision = fastest_precision(choose_device(device))
    name, _ = split_precision(spec)
    return name if precision == "fp32" else f"{name}{MARK}{precision}"
