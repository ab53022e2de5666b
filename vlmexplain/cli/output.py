"""What commands print: JSON documents, plain tables, progress."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from vlmexplain.errors import DataError
from vlmexplain.records import Progress
from vlmexplain.wording.words import size_text

__all__ = ["out_file", "print_json", "print_table", "size_text", "terminal_progress"]


def print_json(document: Any) -> None:
    """One JSON document on stdout, as ASCII where stdout is not UTF-8; refuses NaN, no JSON."""
    ascii_only = "utf" not in (sys.stdout.encoding or "").lower()
    print(json.dumps(document, ensure_ascii=ascii_only, indent=2, allow_nan=False))


def out_file(name: str | Path) -> Path:
    """The file that ``--out`` names, before any work is done for it; links are followed.

    Raises:
        DataError: its folder is not there, or it is a folder or a device.
    """
    path = Path(name).resolve()
    if not path.parent.is_dir():
        raise DataError(
            "there is no such folder to write into.",
            where=str(path.parent),
            remedy="Make it first, or give another --out.",
        )
    if path.exists() and not path.is_file():
        raise DataError(
            f"cannot be written ({'it is a folder' if path.is_dir() else 'it is no plain file'}).",
            where=str(path),
            remedy="Give a file.",
        )
    return path


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A plain table with aligned columns.

    >>> print_table(["name", "images"], [["val", "160"]])
    name  images
    val   160
    """
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )


def terminal_progress() -> Callable[[Progress], None]:
    """A progress callback that draws a bar with rate and time left on stderr, one a stage."""
    bars: dict[str, tqdm[Any]] = {}

    def show(progress: Progress) -> None:
        if progress.stage not in bars:
            for bar in bars.values():
                bar.close()
            bars.clear()
            bars[progress.stage] = tqdm(
                total=progress.total or None,
                desc=progress.stage,
                unit=f" {progress.unit or 'steps'}",
                file=sys.stderr,
                disable=None,  # no bar when stderr is not a terminal
                mininterval=0.3,
                dynamic_ncols=True,
            )
        bar = bars[progress.stage]
        bar.update(progress.done - bar.n)
        if progress.total and progress.done >= progress.total:
            bar.close()

    return show
