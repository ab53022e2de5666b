"""A redraw of the Explore page against a redraw of ``streamlit hello``'s first page.

Two real servers on this machine, asked in turn over the protocol a browser speaks: Explore for
another query of the drawn demo gallery each time, hello for its page again. Between two redraws
the servers get a moment, as readers give them; else the end of one (Streamlit collects garbage
after each run) is measured as the beginning of the next. The ratio is that of the median times.
No bar is asked for; ours is 3: a page with two annotated pictures, six cards and a ranking may
take three times as long as three paragraphs and a list of links.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from against_hello import compare
from app_server import AppServer, Reader, Took

PAUSE_S = 0.25
QUERIES = 160


def redraws(times: int, *draws: Callable[[int], Took]) -> list[list[Took]]:
    """What each kind of redraw took, ``times`` of each in turn."""
    found: list[list[Took]] = [[] for _ in draws]
    for n in range(times):
        for values, draw in zip(found, draws, strict=True):
            time.sleep(PAUSE_S)
            values.append(draw(n))
            assert not values[-1].error, values[-1].error
    return found


def measure(home: Path, times: int) -> dict[str, Any]:
    """Both, and their ratio."""
    report: dict[str, Any] = {"times": times}
    with (
        AppServer(home) as app, AppServer(home, "hello") as hello,
        Reader(app) as explore, Reader(hello) as welcome,
    ):  # fmt: skip
        for reader in (explore, explore, welcome, welcome):
            reader.go("")
        ours, theirs = redraws(
            times,
            lambda n: explore.change(query=7 * n % QUERIES, failures="no"),
            lambda _: welcome.go(""),
        )
    for name, values in (("explore", ours), ("hello", theirs)):
        report[f"{name}_wall_ms"] = round(statistics.median(v.wall_ms for v in values), 1)
        # the kernel counts in ticks of 10 ms: the mean of many says more than the median
        report[f"{name}_cpu_ms"] = round(statistics.fmean(v.cpu_ms for v in values), 1)
        report[f"{name}_sent_kib"] = round(values[-1].sent_bytes / 1024, 1)
    ratio = report["explore_wall_ms"] / report["hello_wall_ms"]
    return report | {
        "ratio": round(ratio, 2),
        "ratio_cpu": round(report["explore_cpu_ms"] / max(report["hello_cpu_ms"], 0.1), 2),
    }


if __name__ == "__main__":
    sys.exit(compare(__doc__, measure, times=40))
