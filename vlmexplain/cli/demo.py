"""Put the drawn demo world in place: a gallery, its models' finished results; no network."""

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
        help="for maintainers: run and probe the shipped models; write what ships of it to DIR",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def execute(args: argparse.Namespace) -> int:
    """Set up (a second time does nothing) and say what is there."""
    from vlmexplain.demo_setup import prepare_demo, set_up_demo
    from vlmexplain.report import DRAWN

    if args.prepare:
        prepare_demo(args.prepare, terminal_progress())
    demo = set_up_demo(terminal_progress())
    if args.json:
        print_json(
            {
                "gallery": demo.gallery.name,
                "gallery_id": demo.gallery.id,
                "runs": list(demo.runs),
                "lgip": list(demo.lgip),
            }
        )
    else:
        made = f"{len(demo.runs)} runs, {len(demo.lgip)} LGIP results"
        print(f"{demo.gallery.name}: {demo.gallery.n_images:,} drawn scenes, {made}")
        print(f"({DRAWN})")
    return 0
