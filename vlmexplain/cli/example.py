"""The paper's worked example (zebras), computed through the same path as everything else."""

from __future__ import annotations

import argparse

from vlmexplain.cli.output import print_json

NAME = "example"
HELP = "the paper's worked example with its numbers"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def execute(args: argparse.Namespace) -> int:
    """Print the example's metrics with their evidence."""
    from vlmexplain.explain import explain_example
    from vlmexplain.report import explanation_document, explanation_text

    explanation = explain_example()
    if args.json:
        print_json(explanation_document(explanation))
    else:
        print(explanation_text(explanation))
    return 0
