"""The arguments that say where the work of a command is done."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from vlmexplain.errors import DataError

if TYPE_CHECKING:
    from vlmexplain.ray_engine.run import Surroundings


def add_engine_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare ``--engine`` and what goes with it."""
    group = parser.add_argument_group("cluster", "see docs/cluster.md")
    group.add_argument(
        "--engine", choices=["local", "ray"], default="local", help="where the work is done"
    )
    group.add_argument(
        "--address",
        metavar="HOST:PORT",
        help="a running Ray cluster (default: RAY_ADDRESS, else this machine alone)",
    )
    group.add_argument(
        "--store",
        metavar="URL",
        help="keep results on a shared path too, such as s3://bucket/prefix "
        "(default: VLMEXPLAIN_STORE)",
    )
    group.add_argument(
        "--images",
        metavar="URL",
        help="where the workers find the pictures (default: the gallery's image folder)",
    )


def chosen_surroundings(args: argparse.Namespace) -> Surroundings | None:
    """Where a cluster's work goes; None for the local engine.

    Raises:
        DataError: an argument goes with the engine 'ray' only.
    """
    if args.engine == "local":
        for name in ("address", "store", "images"):
            if getattr(args, name) is not None:
                raise DataError(f"--{name} goes with --engine ray.")
        return None
    if args.workers is not None:
        raise DataError("--workers goes with --engine local; Ray decodes on all its nodes.")
    from vlmexplain.ray_engine.run import Surroundings

    store = args.store or os.environ.get("VLMEXPLAIN_STORE") or None
    return Surroundings(args.address, store, args.images)
