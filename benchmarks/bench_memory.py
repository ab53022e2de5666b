"""The server's memory over 500 page loads of a stored run of 591,753 queries.

A real ``streamlit run app.py``; each load is a session of its own, as of a new reader, that asks
for one of the app's pages with another query, filter, slice or pair of runs, fetches the pictures
the page names, and leaves. Resident memory is read after every load. The kernel's own measure, so
memory-mapped pages of the run's and gallery's files count too, though they can be given back.

Two bars: at no time 2 GiB or more, and no growth: the median of the last fifth of the loads may lie
5 % above the median of the third fifth, no more. (Before that, caches fill, and Streamlit keeps the
last 128 sessions that were left for two minutes; a straight line is not to be expected.)

What is made once and kept is made before the count begins: every view of both runs is loaded, and
the jobs that count over all failures are waited for. Else one that is first asked for half-way
looks like a leak.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from urllib.parse import urlencode

from app_server import AppServer
from synthetic_run import IMAGES, QUERIES, World, make_world
from websocket_client import Session

MOST_MIB = 2048
MOST_GROWTH = 0.05
LOADS = 500
WARM_LOADS = 150
JOB_S = 4.0
"""Half of what a count over all failures takes; each run's is asked for seven times."""
Load = tuple[str, dict[str, object]]

WORDS = ("person", "car", "dog", "zebra", "table", "red", "small", "rain", "beach", "wooden")
CONCEPTS = ("person.n.01", "car.n.01", "dog.n.01", "zebra.n.01", "bus.n.01", "cat.n.01")
GROUPS = ("animal.n.01", "vehicle.n.01", "artifact.n.01")


def explore(world: World, rng: random.Random) -> Load:
    """A query, a page of a filtered list, or a search."""
    n = world.gallery.n_captions
    kinds: list[dict[str, object]] = [
        {"query": rng.randrange(n), "place": rng.randint(1, 10), "failures": "no"},
        {"search": " ".join(rng.sample(WORDS, 2)), "sort": rng.choice(("ca", "ncs", "margin"))},
        {"has": rng.choice(CONCEPTS), "page": rng.randrange(40), "rank_from": rng.randint(2, 90)},
        {"metric": "ca", "low": round(rng.random() / 2, 2), "high": 0.9, "informed": "yes"},
    ]
    return "", rng.choice(kinds)


def overview(_: World, rng: random.Random) -> Load:
    """One of the views, with other axes or another slice each time."""
    axes = ("ca", "ncs", "ce", "sd", "rank_1based", "margin")
    kinds: list[dict[str, object]] = [
        {"marked": rng.choice(("", "without"))},
        {"view": "distributions", "x": rng.choice(axes), "y": rng.choice(axes)},
        {"view": "slices", "concept": rng.choice(CONCEPTS), "at": rng.randrange(90)},
        {"view": "slices", "kind": "supercategory", "above": rng.choice(GROUPS)},
        {"view": "slices", "kind": "words", "words_from": rng.randint(3, 12)},
        {"view": "concepts", "concept": rng.choice(("", *CONCEPTS))},
    ]
    return "overview", rng.choice(kinds)


def compare(world: World, rng: random.Random) -> Load:
    """A quadrant by some metric, a page of it, a query side by side."""
    return "compare", {
        "quadrant": rng.choice(("both-right", "only-a", "only-b", "both-wrong")),
        "by": rng.choice(("rr", "ca", "ncs", "ce", "sd")),
        "at": rng.randrange(500),
        "cquery": rng.randrange(world.gallery.n_captions),
    }


def audit(world: World, rng: random.Random) -> Load:
    """A sign, or a caption."""
    signs = ("lowest", "last", "mentions-nothing", "named-not-annotated", "same-picture")
    query = rng.choice(("", rng.randrange(world.gallery.n_captions)))
    return "audit", {"sign": rng.choice(signs), "aquery": query}


def perturb(world: World, rng: random.Random) -> Load:
    """A query's perturbations."""
    return "perturb", {"query": rng.randrange(world.gallery.n_captions), "seed": rng.randrange(9)}


def present(world: World, rng: random.Random) -> Load:
    """A slide."""
    listed = ",".join(str(rng.randrange(world.gallery.n_captions)) for _ in range(5))
    return "present", {"list": listed, "slide": rng.randint(1, 5)}


KINDS: tuple[tuple[Callable[[World, random.Random], Load], int], ...] = (
    (explore, 10), (overview, 5), (compare, 3), (audit, 3), (perturb, 3), (present, 2),
    (lambda _, __: ("lgip", {}), 1), (lambda _, __: ("gallery", {}), 1),
    (lambda _, __: ("run", {}), 1), (lambda _, __: ("import", {}), 1),
)  # fmt: skip


def loads(world: World, n: int, seed: int = 0) -> list[Load]:
    """What is asked for, in order."""
    rng = random.Random(seed)
    makers, weights = zip(*KINDS, strict=True)
    found = []
    for make in rng.choices(makers, weights, k=n):
        page, parameters = make(world, rng)
        run = rng.choice(world.runs)
        address = {"gallery": world.gallery.id[:12], "run": run.key[:12], **parameters}
        found.append((page, {k: v for k, v in address.items() if v != ""}))
    return found


async def load(server: AppServer, page: str, parameters: dict[str, object]) -> str:
    """One reader comes, looks and leaves; the error that the page shows, or ""."""
    async with Session(server.address, timeout_s=300) as session:
        drawn = await session.draw(query=urlencode(parameters), page=page)
        await session.load_media(drawn)
        return drawn.error


def first_loads(world: World) -> list[Load]:
    """Every view of both runs, and some of all other kinds."""
    signs = ("mentions-nothing", "named-not-annotated", "same-picture", "lowest")
    pages: list[Load] = [("overview", {"view": "concepts"}), ("lgip", {}), ("compare", {})]
    pages += [("overview", {"view": view}) for view in ("figures", "distributions", "slices")]
    pages += [("overview", {"view": "concepts", "concept": concept}) for concept in CONCEPTS]
    pages += [("audit", {"sign": sign}) for sign in signs]
    gallery = world.gallery.id[:12]
    return [
        (page, {"gallery": gallery, "run": run.key[:12], **parameters})
        for run in world.runs
        for page, parameters in pages
    ] + loads(world, WARM_LOADS, seed=1)


def measure(world: World, home: Path, n: int) -> dict[str, object]:
    """All loads, one after the other; what the memory was."""
    rss, own, errors = [], [], []
    with AppServer(home) as server:
        for page, parameters in first_loads(world):
            asyncio.run(load(server, page, parameters))
            if parameters.get("view") == "concepts":
                time.sleep(JOB_S)
        start, start_cpu = time.perf_counter(), server.cpu_ms()
        for number, (page, parameters) in enumerate(loads(world, n), start=1):
            error = asyncio.run(load(server, page, parameters))
            errors += [f"{page} {parameters}: {error}"] if error else []
            memory = server.memory_mib()
            rss.append(memory["rss"])
            own.append(memory["own"])
            if number % max(1, n // 10) == 0:
                print(f"{number:4} loads  resident {rss[-1]:6,.0f} MiB  of it own "
                      f"{own[-1]:6,.0f} MiB", flush=True)  # fmt: skip
        took, cpu = time.perf_counter() - start, server.cpu_ms() - start_cpu
    fifth = max(1, n // 5)
    before, after = (statistics.median(part) for part in (rss[2 * fifth : 3 * fifth], rss[-fifth:]))
    half = range(n // 2, n)
    slope = statistics.linear_regression(half, [own[i] for i in half]).slope if n > 3 else 0.0
    return {
        "loads": n, "errors": errors,
        "seconds": round(took, 1), "cpu_seconds": round(cpu / 1000, 1),
        "rss_mib": [round(rss[i]) for i in range(n // 10 - 1, n, max(1, n // 10))],
        "own_mib": [round(own[i]) for i in range(n // 10 - 1, n, max(1, n // 10))],
        "highest_mib": round(max(rss)), "third_fifth_mib": round(before),
        "last_fifth_mib": round(after), "growth": round(after / before - 1, 4),
        "own_kib_per_load_in_the_second_half": round(1024 * slope, 1),
        "bar_mib": MOST_MIB, "bar_growth": MOST_GROWTH,
    }  # fmt: skip


def main() -> int:
    """Measure, print one JSON document, and fail over the bars with ``--check``."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--images", type=int, default=IMAGES)
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--loads", type=int, default=LOADS)
    parser.add_argument("--home", type=Path, help="keep what is made here, and use it again")
    parser.add_argument("--check", action="store_true", help="exit 1 over a bar")
    args = parser.parse_args()
    kept = nullcontext(args.home) if args.home else tempfile.TemporaryDirectory()
    with kept as folder:
        os.environ["VLMEXPLAIN_HOME"] = str(folder)
        report = measure(make_world(args.images, args.queries), Path(folder), args.loads)
    print(json.dumps(report, indent=1))
    over = report["highest_mib"] >= MOST_MIB or report["growth"] > MOST_GROWTH  # type: ignore[operator]
    return 1 if report["errors"] or (args.check and over) else 0


if __name__ == "__main__":
    sys.exit(main())
