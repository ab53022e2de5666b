"""How long a submit takes with 50 raters at once, on SQLite: p95 must stay under 250 ms.

Usage: python benchmarks/bench_rating_submit.py [--raters 50] [--answers 20] [--think 2.0]

Raters sit in threads of one process, as they do behind the app's server; each looks at an item
for ``think`` seconds on average (exponentially spread), asks for the next one and submits. With
``--think 0`` all raters submit without a pause, which measures the queue at the disk. The file is
on the disk of the temporary folder; its own fsync is measured beside, for the ratio. The times are
those of the clock: run it on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from vlmexplain.ratings.organiser.sessions import change_state, create_session, find_session
from vlmexplain.ratings.plan.answer import Answer
from vlmexplain.ratings.plan.items import RatingItem
from vlmexplain.ratings.plan.spec import SessionSpec
from vlmexplain.ratings.rater.answers import new_submission_id, submit
from vlmexplain.ratings.rater.assignment import current
from vlmexplain.ratings.rater.joining import join
from vlmexplain.ratings.store.store import RatingStore, open_store

LIMIT_MS = 250


def main() -> int:
    """Measure and print; with ``--check`` 1 when p95 is over the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--raters", type=int, default=50)
    parser.add_argument("--answers", type=int, default=20)
    parser.add_argument("--think", type=float, default=2.0, help="seconds per item, on average")
    parser.add_argument("--url", help="another database; default: SQLite in a temporary folder")
    parser.add_argument("--check", action="store_true", help=f"exit 1 over {LIMIT_MS} ms")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(args.url or f"sqlite:///{Path(folder) / 'ratings.db'}")
        sync_ms = fsync_ms(Path(folder))
        cpu = time.process_time()
        times, took = measure(store, args.raters, args.answers, args.think)
        cpu = time.process_time() - cpu
        store.close()
    for what, values in times.items():
        print(f"{what:8} n = {len(values)}  " + "  ".join(percentiles(values)))
    p95 = 1000 * statistics.quantiles(times["submit"], n=100)[94]
    n = len(times["submit"])
    print(f"{n / took:.0f} answers a second, {1000 * cpu / n:.1f} ms of CPU an answer")
    print(f"fsync median {sync_ms:.1f} ms; load of the machine {os.getloadavg()[0]:.1f}")
    print(f"p95 of a submit {p95:.1f} ms, limit {LIMIT_MS} ms, ratio {p95 / LIMIT_MS:.2f}")
    return int(args.check and p95 > LIMIT_MS)


def measure(
    store: RatingStore, n_raters: int, n_answers: int, think_s: float
) -> tuple[dict[str, list[float]], float]:
    """Seconds of every call by what it was, and of the whole."""
    items = [RatingItem(n, f"query {n}", n, n + 1, metrics={"ca": 0.5}) for n in range(n_answers)]
    session = create_session(store, SessionSpec("benchmark"), items)
    session = change_state(store, session.id, "open")
    times: dict[str, list[float]] = {"current": [], "submit": []}

    def rate(n: int) -> None:
        rng = random.Random(n)
        ticket = join(store, session.code, f"rater {n}", f"address {n}").ticket
        for _ in range(n_answers):
            start = time.perf_counter()
            shown = current(store, ticket).item
            assert shown is not None
            times["current"].append(time.perf_counter() - start)
            if think_s:
                time.sleep(rng.expovariate(1 / think_s))
            answer = Answer(rating=rng.randint(1, 10), classes=("details",), comment="seen")
            start = time.perf_counter()
            submit(store, ticket, shown.item, 0, answer, new_submission_id())
            times["submit"].append(time.perf_counter() - start)

    start = time.perf_counter()
    threads = [threading.Thread(target=rate, args=(n,)) for n in range(n_raters)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - start
    assert find_session(store, session.id).n_answers == n_raters * n_answers
    return times, took


def fsync_ms(folder: Path) -> float:
    """Median milliseconds of writing 4 KiB durably."""
    handle = os.open(folder / "sync", os.O_CREAT | os.O_WRONLY)
    times = []
    for _ in range(50):
        os.write(handle, b"x" * 4096)
        start = time.perf_counter()
        os.fsync(handle)
        times.append(time.perf_counter() - start)
    os.close(handle)
    return 1000 * statistics.median(times)


def percentiles(seconds: list[float]) -> list[str]:
    """p50, p95, p99 and the longest, in milliseconds."""
    cuts = statistics.quantiles(seconds, n=100)
    values = {"p50": cuts[49], "p95": cuts[94], "p99": cuts[98], "max": max(seconds)}
    return [f"{name} {1000 * value:.1f} ms" for name, value in values.items()]


if __name__ == "__main__":
    raise SystemExit(main())
