"""The arguments that say which model computes, where and how."""

from __future__ import annotations

import argparse

from vlmexplain.models.precision import FULL_NAMES
from vlmexplain.models.precision_choice import CHOICES


def add_model_arguments(parser: argparse.ArgumentParser, model_help: str) -> None:
    """Declare ``--model`` and what goes with it."""
    parser.add_argument("--model", required=True, metavar="M", help=model_help)
    parser.add_argument("--device", help="such as cpu or cuda (default: the best)")
    names = ", ".join(f"{short} {full}" for short, full in FULL_NAMES.items())
    parser.add_argument(
        "--precision",
        choices=CHOICES,
        help=f"{names}, or auto: the device's fastest, fp32 on a CPU (default: fp32, or what the "
        "model's name ends in)",
    )
    parser.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="processes that decode pictures, 0 for threads (default: VLMEXPLAIN_DECODE_WORKERS, "
        "else threads)",
    )


def chosen_model(args: argparse.Namespace) -> str:
    """The model's name with its precision.

    Raises:
        ModelError: ``auto`` for a device that is not there.
        UnknownName: the name ends in an unknown precision.
    """
    from vlmexplain.models.precision_choice import with_precision

    name: str = args.model
    return name if args.precision is None else with_precision(name, args.precision, args.device)
