"""Embed a gallery with a model, rank every query, score every failure; the same again is a read."""

from __future__ import annotations

import argparse

from vlmexplain.cli.engine_arguments import add_engine_arguments, chosen_surroundings
from vlmexplain.cli.model_arguments import add_model_arguments, chosen_model
from vlmexplain.cli.output import print_json, terminal_progress

NAME = "run"
HELP = "rank every query of a gallery and score the failures"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--gallery", required=True, metavar="G", help="a gallery's name or id")
    add_model_arguments(parser, "see `vlmexplain models`; or a folder")
    parser.add_argument(
        "--top-k", type=int, default=10, metavar="K", help="images kept per query (default 10)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    add_engine_arguments(parser)


def execute(args: argparse.Namespace) -> int:
    """Run, and print the global figures."""
    from vlmexplain.datasets.gallery import open_gallery
    from vlmexplain.report import run_document, run_text
    from vlmexplain.scoring.engine import LocalEngine
    from vlmexplain.scoring.run import run

    surroundings, gallery = chosen_surroundings(args), open_gallery(args.gallery)
    model, progress = chosen_model(args), terminal_progress()
    if surroundings is None:
        finished = run(
            gallery,
            model,
            args.top_k,
            device=args.device,
            progress=progress,
            engine=LocalEngine(args.workers),
        )
    else:
        from vlmexplain.ray_engine.run import run_on_ray

        finished = run_on_ray(
            gallery,
            model,
            args.top_k,
            device=args.device,
            progress=progress,
            surroundings=surroundings,
        )
    if args.json:
        print_json(run_document(finished))
    else:
        print(run_text(finished))
    return 0
