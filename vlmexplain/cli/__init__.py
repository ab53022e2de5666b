"""The command line: one file a command, listed once in `COMMANDS`.

Exit codes: 0 done; 1 the user's input or surroundings need mending (one line on stderr);
2 wrong usage. With ``--json`` stdout carries one JSON document and nothing else.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from vlmexplain import __version__
from vlmexplain.cli import (
    cache,
    demo,
    example,
    explain,
    galleries,
    handover,
    importing,
    lgip,
    models,
    perturb,
    rating,
    run,
    runs,
    score_pairs,
    table,
    wordnet,
)
from vlmexplain.errors import VlmexplainError

COMMANDS = (
    demo,
    importing,
    run,
    runs,
    table,
    explain,
    perturb,
    lgip,
    rating,
    handover,
    galleries,
    models,
    cache,
    score_pairs,
    example,
    wordnet,
)


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="vlmexplain",
        description="Why did the model retrieve the wrong image? Explained, with evidence.",
        epilog="Everything is kept under VLMEXPLAIN_HOME (default ~/.vlmexplain).",
    )
    parser.add_argument("--version", action="version", version=f"vlmexplain {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        added = commands.add_parser(
            command.NAME, help=command.HELP, description=command.__doc__, allow_abbrev=False
        )
        command.add_arguments(added)
        added.set_defaults(execute=command.execute)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    args = build_parser().parse_args(arguments)
    try:
        return int(args.execute(args))
    except VlmexplainError as error:
        print(f"vlmexplain: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("vlmexplain: stopped; what was finished is kept.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader went away, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
