"""The command line: one file a command, listed once in `COMMANDS`.

Exit codes: 0 done; 1 the user's input or surroundings need mending (one line on stderr);
2 wrong usage; 130 stopped with Ctrl-C, 143 by SIGTERM, 129 by SIGHUP. With ``--json`` stdout
carries one JSON document and nothing else.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from vlmexplain import __version__
from vlmexplain.cli import (
    cache,
    demo,
    example,
    explain,
    galleries,
    handover,
    health,
    importing,
    lgip,
    models,
    perturb,
    positives,
    rating,
    reasons,
    run,
    runs,
    score_pairs,
    serve,
    store,
    table,
    wordnet,
)
from vlmexplain.cli.stopping import Stopped, stops_cleanly
from vlmexplain.errors import VlmexplainError

COMMANDS = (
    serve,
    demo,
    importing,
    run,
    runs,
    table,
    explain,
    reasons,
    perturb,
    lgip,
    positives,
    rating,
    handover,
    galleries,
    models,
    cache,
    store,
    health,
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
    _ready_streams()
    args = build_parser().parse_args(arguments)
    try:
        with stops_cleanly():
            code = int(args.execute(args))
        sys.stdout.flush()  # a full disk shows here, not after the exit code is fixed
        return code
    except VlmexplainError as error:
        print(f"vlmexplain: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as stop:
        print("vlmexplain: stopped; what was finished is kept.", file=sys.stderr)
        return stop.exit_code if isinstance(stop, Stopped) else 130
    except BrokenPipeError:  # the reader went away, as `head` does
        _drop_output()
        return 0
    except OSError as error:  # a full disk, a folder without permission
        place = f"{error.filename}: " if error.filename else ""
        print(f"vlmexplain: {place}{error.strerror or error}.", file=sys.stderr)
        _drop_output()
        return 1


def _ready_streams() -> None:
    """Let a closed stream swallow what is written, and print what a terminal cannot show escaped.

    A closed stream's descriptor would otherwise be given to the next file that is opened.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Send what is still buffered for stdout nowhere, so that the exit does not fail on it."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except io.UnsupportedOperation:  # a stdout without a descriptor, as in a test
        return
