"""Put the drawn demo world in place: a gallery, its models' finished runs; needs no network."""

from __future__ import annotations

import argparse
from pathlib import Path

from vlmexplain.cli.output import print_json, terminal_progress

NAME = "demo"
HELP = "put the drawn demo world in place"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "--prepare",
        type=Path,
        metavar="DIR",
        help="run the shipped models and write what is shipped of it to DIR (for maintainers)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def execute(args: argparse.Namespace) -> int:
    """Set up (a second time does nothing) and say what is there."""
    from vlmexplain.demo_setup import prepare_runs, set_up_demo
    from vlmexplain.report import DRAWN

    if args.prepare:
        prepare_runs(args.prepare, terminal_progress())
    demo = set_up_demo(terminal_progress())
    if args.json:
        print_json(
            {"gallery": demo.gallery.name, "gallery_id": demo.gallery.id, "runs": list(demo.runs)}
        )
    else:
        print(f"{demo.gallery.name}: {demo.gallery.n_images:,} drawn scenes, {len(demo.runs)} runs")
        print(f"({DRAWN})")
    return 0
