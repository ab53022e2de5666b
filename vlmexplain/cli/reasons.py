"""Why failures of a run came about: each reason with a test of it, and one sentence."""

from __future__ import annotations

import argparse

from vlmexplain.cli.model_arguments import add_model_arguments, chosen_model
from vlmexplain.cli.output import print_json, terminal_progress

NAME = "reasons"
HELP = "say why queries failed, each reason tested"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--gallery", required=True, metavar="G", help="a gallery's name or id")
    add_model_arguments(parser, "a model that has ranked the gallery")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "--query", type=int, metavar="CAPTION_INDEX", help="the caption's place in the gallery"
    )
    which.add_argument("--sample", type=_positive, metavar="N", help="N failures, drawn by --seed")
    which.add_argument("--all", action="store_true", help="every failure")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (default 0)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def execute(args: argparse.Namespace) -> int:
    """Explain, or read what was explained before, and print a sentence a query."""
    from vlmexplain.datasets.gallery import open_gallery
    from vlmexplain.models.load import load_model
    from vlmexplain.reasons.many import (
        explain_many,
        failures_of,
        latest_run,
        reasons_document,
        sampled_failures,
    )

    gallery = open_gallery(args.gallery)
    spec = chosen_model(args)
    run = latest_run(gallery, spec)
    if args.query is not None:
        queries = [args.query]
    else:
        queries = failures_of(run) if args.all else sampled_failures(run, args.sample, args.seed)
    encoder = load_model(spec, args.device) if args.device else None
    found = explain_many(gallery, run, queries, encoder=encoder, progress=terminal_progress())
    if args.json:
        print_json(reasons_document(run, args.seed, found))
        return 0
    if run.manifest.drawn:
        print("(drawn demo world: these numbers say nothing about photos)")
    for one in found:
        print(f"{one.caption_index}  {one.caption}\n    {one.sentence}")
        for reason in one.reasons:
            ranks = "".join(f", rank {test.rank_after} after" for test in reason.tests[-1:])
            print(f"    - {reason.kind} {reason.subject}: {reason.verdict}{ranks}")
    return 0


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is no number of failures; expected 1 or more")
    return value
