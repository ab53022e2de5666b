"""Score pairs of annotated images from JSON lines, without a gallery or a model.

Each line of IN is {"id": ..., "query": "...", "ground_truth": IMG, "retrieved": IMG} with
IMG = {"width": 640, "height": 480, "instances": [{"synset": "zebra.n.01",
"box_xywh_px": [x, y, w, h] or null, "crowd": false}]}. A bad line is reported on stderr by its
number and the others are still scored; the exit code is then 1.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO, get_args

from vlmexplain.cli.output import out_file
from vlmexplain.errors import DataError
from vlmexplain.records import MetricOptions, RelativeTo
from vlmexplain.storage import publish_file

NAME = "score-pairs"
HELP = "score pairs of annotated images from JSON lines"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("input", metavar="IN.jsonl", help="the pairs; - for standard input")
    parser.add_argument(
        "--out", default="-", metavar="OUT.jsonl", help="where to write; - for standard output"
    )
    parser.add_argument(
        "--size-threshold",
        type=positive,
        default=MetricOptions().size_threshold,
        metavar="T_D",
        help="a matched pair of boxes disagrees at D_A >= T_D (default %(default)s)",
    )
    parser.add_argument(
        "--relative-to",
        choices=get_args(RelativeTo),
        default=MetricOptions().relative_to,
        help="what an area difference is relative to (default %(default)s)",
    )


def positive(text: str) -> float:
    """A finite number >= 0, for argparse."""
    value = float(text)
    if not 0 <= value < float("inf"):
        raise ValueError(text)
    return value


def execute(args: argparse.Namespace) -> int:
    """Score every line; 1 when a line was bad."""
    from vlmexplain.concepts.wordnet import load_wordnet
    from vlmexplain.pairs_io import score_stream

    options = MetricOptions(size_threshold=args.size_threshold, relative_to=args.relative_to)
    if args.input != "-" and _is_same_file(args.input, args.out):
        raise DataError(
            "the output would replace the input.", where=args.out, remedy="Give another file."
        )
    bad = 0

    def report(number: int, error: Exception) -> None:
        nonlocal bad
        bad += 1
        print(f"vlmexplain: {' '.join(str(error).split())}", file=sys.stderr)

    with opened(args.input) as lines, written(args.out) as out:
        score_stream(lines, out, options, load_wordnet(), report)
    if bad:
        print(f"vlmexplain: {bad} line(s) could not be scored.", file=sys.stderr)
    return 1 if bad else 0


def _is_same_file(one: str, other: str) -> bool:
    return Path(other).is_file() and Path(one).is_file() and Path(one).samefile(other)


@contextlib.contextmanager
def opened(name: str) -> Iterator[TextIO]:
    """The input, with undecodable bytes made an error of their line, not of the file."""
    if name == "-":
        if sys.stdin is None:
            raise DataError("standard input is closed.", remedy="Give a file.")
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")  # type: ignore[union-attr]
        yield sys.stdin
        return
    try:
        file = Path(name).open(encoding="utf-8", errors="surrogateescape")  # noqa: SIM115
    except OSError as error:
        raise DataError(
            f"cannot be read ({error.strerror}).", where=name, remedy="Check the path."
        ) from error
    with file:
        yield file


@contextlib.contextmanager
def written(name: str) -> Iterator[TextIO]:
    """The output; a file appears whole when all lines are done."""
    if name == "-":
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")
        yield sys.stdout
        return
    target = Path(name)
    if target.exists() and not target.is_file() and not target.is_dir():  # a device or a pipe
        with target.open("w", encoding="utf-8") as file:
            yield file
        return
    with (
        publish_file(out_file(name)) as scratch,
        scratch.open("w", encoding="utf-8") as file,
    ):
        yield file
