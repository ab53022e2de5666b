"""Explain one query of a run: why this image was retrieved, with the evidence."""

from __future__ import annotations

import argparse
from typing import get_args

from vlmexplain.cli.output import print_json
from vlmexplain.cli.score_pairs import positive
from vlmexplain.records import MetricOptions, RelativeTo

NAME = "explain"
HELP = "explain one query of a run"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--gallery", metavar="G", help="name or id (default: the run's)")
    parser.add_argument("--run", required=True, metavar="KEY", help="see `vlmexplain runs`")
    parser.add_argument(
        "--query", type=int, required=True, metavar="N", help="the caption's place in the gallery"
    )
    parser.add_argument("--place", type=int, default=1, help="of the ranking (default 1)")
    parser.add_argument(
        "--query-informed", action="store_true", help="look at what the query mentions"
    )
    parser.add_argument(
        "--size-threshold", type=positive, default=MetricOptions().size_threshold, metavar="T_D"
    )
    parser.add_argument(
        "--relative-to", choices=get_args(RelativeTo), default=MetricOptions().relative_to
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def execute(args: argparse.Namespace) -> int:
    """Print the explanation."""
    from vlmexplain.datasets.gallery import open_gallery
    from vlmexplain.explain import explain_query
    from vlmexplain.report import explanation_document, explanation_text
    from vlmexplain.scoring.run_store import open_run

    run = open_run(args.run)
    explanation = explain_query(
        open_gallery(args.gallery or run.gallery_id),
        run,
        args.query,
        MetricOptions(size_threshold=args.size_threshold, relative_to=args.relative_to),
        args.place,
        args.query_informed,
    )
    if args.json:
        print_json(explanation_document(explanation))
    else:
        print(explanation_text(explanation))
    return 0
