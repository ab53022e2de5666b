"""The command line of what is measured against ``streamlit hello`` on the demo gallery."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from app_server import ROOT

BAR = 3.0


def compare(about: str, measure: Callable[[Path, int], dict[str, Any]], times: int) -> int:
    """Set the demo up, measure, print one JSON document; 1 over the bar with ``--check``.

    Args:
        about: what the help says.
        measure: takes a home and how often to measure; gives a report with its ``ratio``.
        times: the default of how often.
    """
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=times)
    parser.add_argument("--home", type=Path, help="a home with the demo gallery; made when absent")
    parser.add_argument("--check", action="store_true", help=f"exit 1 over {BAR:g}")
    args = parser.parse_args()
    kept = nullcontext(args.home) if args.home else tempfile.TemporaryDirectory()
    with kept as folder:
        environment = {**os.environ, "VLMEXPLAIN_HOME": str(folder)}
        command = [sys.executable, "-m", "vlmexplain", "demo"]
        subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
        report = measure(Path(folder), args.times)
    print(json.dumps(report | {"bar": BAR}, indent=1))
    return 1 if args.check and report["ratio"] > BAR else 0
