"""The models that can rank images: what is here, what can be downloaded, what is missing."""

from __future__ import annotations

import argparse
import dataclasses

from vlmexplain.cli.output import print_json, print_table

NAME = "models"
HELP = "list the known models and whether they are available"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def execute(args: argparse.Namespace) -> int:
    """List the catalogue."""
    from vlmexplain.models.catalogue import list_models

    entries = list_models()
    if args.json:
        print_json([dataclasses.asdict(entry) for entry in entries])
        return 0
    print_table(
        ["model", "mode", "size", "status", "why"],
        [
            [entry.spec, entry.mode, f"{entry.size_mb} MB", entry.status, entry.because]
            for entry in entries
        ],
    )
    return 0
