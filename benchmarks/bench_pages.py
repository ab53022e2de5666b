"""Every page of the app over a stored run of 591,753 queries: its first draw and its interactions.

The run is made up (`synthetic_run.py`): 118,287 images, two runs, an LGIP result of 1.8 million
triples, 200 marks. Each page is asked for in a server of its own that has drawn the Explore page of
the worked example and nothing else, so that its first draw reads the gallery and the run anew and
also imports what the page needs. Then its interactions follow, each with its first and a second
value (what is kept from an earlier time is no measure of an interaction).

``wall`` is what a reader waits for the server, ``cpu`` what all threads of the server used; on a
machine that does other work at the same time look at ``cpu``, which is also what ``--check`` holds
to the bars when ``--cpu`` is given.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app_server import AppServer, Reader, Took
from synthetic_run import IMAGES, QUERIES, World, make_world

FIRST_BAR_MS, AGAIN_BAR_MS = 2000, 500
PAUSE_S = 0.3
Step = tuple[str, Callable[[Reader], Took]]


@dataclass(frozen=True, slots=True)
class Line:
    """One draw of a page."""

    page: str
    what: str
    took: Took

    @property
    def bar_ms(self) -> int:
        """What it may take."""
        return FIRST_BAR_MS if self.what == "first draw" else AGAIN_BAR_MS


def change(what: str, **parameters: object) -> Step:
    """An interaction that changes parts of the address."""
    return what, lambda reader: reader.change(**parameters)


def box(x: tuple[float, float], y: tuple[float, float]) -> str:
    """A box drawn in a chart, as the browser tells it."""
    drawn: dict[str, Any] = {"xref": "x", "yref": "y", "x": list(x), "y": list(y)}
    return json.dumps(
        {"selection": {"points": [], "point_indices": [], "box": [drawn], "lasso": []}}
    )


def select(chart: str, drawn: str) -> Callable[[Reader], Took]:
    """Draw a box in a chart; its key begins with ``chart`` and goes on with what it shows."""

    def act(reader: Reader) -> Took:
        key = next(name for name in reader.drawn.widgets if name.startswith(chart))
        return reader.enter(key, drawn)

    return act


def until(waiting: str) -> Callable[[Reader], Took]:
    """Wait for the job that the page waits for; a draw after it no longer said ``waiting``."""

    def act(reader: Reader) -> Took:
        until_s = time.monotonic() + 300
        while time.monotonic() < until_s:
            reader.change()
            time.sleep(1)  # the job's last work is no part of what is measured
            if waiting not in reader.drawn.text:
                return reader.change()
        raise AssertionError(f"the page still says {waiting!r}")

    return act


def steps(world: World) -> dict[str, list[Step]]:
    """The interactions of each page, in order."""
    common, rare = "person.n.01", "zebra.n.01"
    run, other = world.runs[0].key[:12], world.runs[1].key[:12]
    return {
        "": [
            change("another query", query=1234),
            change("another query again", query=400_000 % world.gallery.n_captions),
            change("another place", place=4),
            change("query-informed", informed="yes"),
            change("size threshold", threshold=0.5),
            change("next page of the list", page=1),
            change("far page of the list", page=9000),
            change("sort by NCS", sort="ncs", page=0),
            change("sort by caption", sort="text"),
            change("search text", search="zebra table"),
            change("search more text", search="small zebra"),
            change("search nothing", search="", sort="rank"),
            change("concept in the ground truth", has=rare),
            change("and in the retrieved", got=common),
            change("metric in a range", metric="ca", low=0.2, high=0.6),
            change("rank from", rank_from=50),
            change("undefined metric", undefined="ncs", metric="", low="", high=""),
            change("all queries", failures="no", has="", got="", undefined="", rank_from=""),
            change("the other run", run=other, failures="", query=99),
        ],
        "perturb": [
            change("another query", query=1234),
            change("paper's rules", mode="paper"),
            change("another seed", seed=3),
        ],
        "overview": [
            change("without marked cases", marked="without"),
            change("with them again", marked=""),
            change("distributions", view="distributions"),
            change("histogram of rank", x="rank_1based"),
            change("histogram of NCS", x="ncs"),
            change("scatter with SD", y="sd"),
            ("box in the scatter plot", select("dots", box((0.2, 0.5), (0, 2)))),
            ("another box", select("dots", box((0.1, 0.9), (0, 9)))),
            change("next page of the selected", at=1),
            change("distributions without marked", marked="without", at=""),
            change("slices by concept", view="slices", marked=""),
            change("one concept", concept=rare),
            change("a common concept", concept=common),
            change("its next page", at=1),
            change("slices by supercategory", kind="supercategory", concept="", at=""),
            change("one supercategory", above="animal.n.01"),
            change("slices by caption length", kind="words", above=""),
            change("one length", words_from=12, words_to=14),
            change("slices by objects", kind="objects", words_from="", words_to=""),
            change("one number of objects", objects_from=8, objects_to=15),
            change("slice without marked", marked="without"),
            change("concepts", view="concepts", kind="", objects_from="", objects_to="", marked=""),
            ("concepts, all failures counted", until("a seeded sample")),
            change("behind: missed", behind=f"missed:{common}"),
            change("behind: miscounted", behind=f"miscounted:{common}"),
            change("behind: mis-sized", behind=f"mis-sized:{common}"),
            change("behind: a figure", behind="figure:ca"),
            change("concepts of a slice", behind="", concept=rare),
            change("concepts without marked", concept="", marked="without"),
            change("figures of a slice", view="figures", concept=common, marked=""),
        ],
        "lgip": [
            ("one flip type", lambda r: r.enter("lgip-type", ["color"])),
            ("another flip type", lambda r: r.enter("lgip-type", ["object"])),
            change("again", lgip=world.lgip[:12]),
        ],
        "compare": [
            change("both wrong", quadrant="both-wrong"),
            change("by NCS", by="ncs"),
            change("only B right, by rank", quadrant="only-b", by="rr"),
            change("next page", at=1),
            change("far page", at=2000),
            change("one query side by side", cquery=1234),
            change("another query", cquery=200_000 % world.gallery.n_captions),
            change("without marked cases", marked="without"),
            change("runs the other way round", a=run, b=other, marked=""),
        ],
        "audit": [
            *(change(f"sign: {sign}", sign=sign, aquery="") for sign in (
                "last", "same-picture", "duplicate-boxes", "lowest", "mentions-nothing")),
            ("its captions, once found", until("needs to know")),
            change("sign: named-not-annotated", sign="named-not-annotated"),
            change("one caption", aquery=1234),
            change("next page", at=1),
            change("mark it", aquery=4321),
            ("mark", lambda r: r.press("mark-fine")),
        ],
        "present": [change("next", slide=2), change("one further", slide=3)],
        "gallery": [change("again")],
        "import": [change("again")],
        "run": [change("again")],
    }  # fmt: skip


def measure(world: World, home: Path, pages: list[str]) -> list[Line]:
    """Every page in a server of its own."""
    found = []
    address = {"gallery": world.gallery.id[:12], "run": world.runs[0].key[:12]}
    for page, interactions in steps(world).items():
        name = page or "explore"
        if pages and name not in pages:
            continue
        with AppServer(home) as server, Reader(server) as reader:
            reader.go("", gallery="example")
            first: Step = ("first draw", lambda r, page=page: r.go(page, **address))
            for what, act in (first, *interactions):
                time.sleep(PAUSE_S)  # what the server does after a draw is no part of the next
                found.append(Line(name, what, act(reader)))
                show(found[-1])
            print(f"{'':9} memory {server.memory_mib()['rss']:,.0f} MiB", flush=True)
    return found


def show(line: Line) -> None:
    """A draw as it comes in."""
    took = line.took
    over = "  over" if took.wall_ms > line.bar_ms else ""
    over += f"  {took.error}" if took.error else ""
    print(f"{line.page:9} {line.what:30} wall {took.wall_ms:6.0f} ms  cpu {took.cpu_ms:6.0f} ms"
          f"  sent {took.sent_bytes / 1024:6.0f} KiB{over}", flush=True)  # fmt: skip


def main() -> int:
    """Measure, print a table, and fail over a bar with ``--check``."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="*", help="only these; default: all")
    parser.add_argument("--images", type=int, default=IMAGES)
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--home", type=Path, help="keep what is made here, and use it again")
    parser.add_argument("--check", action="store_true", help="exit 1 over a bar")
    parser.add_argument("--cpu", action="store_true", help="hold CPU time to the bars")
    args = parser.parse_args()
    kept = nullcontext(args.home) if args.home else tempfile.TemporaryDirectory()
    with kept as folder:
        home = Path(folder)
        home.mkdir(parents=True, exist_ok=True)
        os.environ["VLMEXPLAIN_HOME"] = str(home)
        lines = measure(make_world(args.images, args.queries), home, args.pages)
    over = [
        line for line in lines
        if (line.took.cpu_ms if args.cpu else line.took.wall_ms) > line.bar_ms
    ]  # fmt: skip
    wrong = [line for line in lines if line.took.error]
    first = max(line.took.wall_ms for line in lines if line.what == "first draw")
    again = max(line.took.wall_ms for line in lines if line.what != "first draw")
    print(f"slowest first draw {first:.0f} ms (bar {FIRST_BAR_MS}), slowest interaction "
          f"{again:.0f} ms (bar {AGAIN_BAR_MS}); {len(over)} of {len(lines)} over, "
          f"{len(wrong)} with an error")  # fmt: skip
    return 1 if wrong or (args.check and over) else 0


if __name__ == "__main__":
    sys.exit(main())
