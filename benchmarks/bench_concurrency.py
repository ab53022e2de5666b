"""Thirty people on one server with the drawn demo gallery: latency, errors, memory over an hour.

Each session is a websocket of its own that says what a browser says (`websocket_client`), with the
pictures fetched beside. Thirty browsers on the same machine would measure browsers.

Two phases, both with all sessions at once, each person going through the same kind of visit (from
query to query in Explore, filters, typing in Perturb, the other pages):

1. *pace*: people think for ``--think`` seconds on average between two interactions. This gives the
   latencies; the bar is a 95th percentile under one second.
2. *hour*: the rest of an hour's interactions (``--per-session`` each, 120 of one every 30 seconds)
   follow with ``--press-think`` seconds between, so that an hour passes in minutes. Every session
   is left and a new one opened after ``--visit`` interactions. This gives the memory; the bar is
   that its median over the last fifth is at most ``FLAT`` above that of the second fifth.

An error is an exception or an unexpected-error box on a page, a missing picture, or a lost
connection.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from app_server import ROOT, AppServer
from websocket_client import Drawn, Session

BAR_S = 1.0
FLAT = 1.03
UNEXPECTED = "Something unexpected went wrong"
CAPTION = "perturb-caption"
PAGES = ("overview", "lgip", "compare", "audit", "gallery")
WORDS = ("cat", "dog", "car", "two", "sheep", "person", "red", "tree", "bird", "table")
Step = tuple[str, Callable[[], Awaitable[Drawn]]]


@dataclass(slots=True)
class Measured:
    """What one phase gave: seconds by kind of interaction, errors, memory over time."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)
    memory_mib: list[float] = field(default_factory=list)
    took_s: float = 0.0
    cpu_ms: float = 0.0

    def figures(self) -> dict[str, Any]:
        """Latencies in milliseconds, and the rate."""
        every = [s for each in self.seconds.values() for s in each]
        return {
            "interactions": len(every),
            "per_second": round(len(every) / self.took_s, 2),
            "server_cpu_ms_each": round(self.cpu_ms / max(1, len(every)), 1),
            **_milliseconds(every),
            "by_kind": {kind: _milliseconds(s) for kind, s in sorted(self.seconds.items())},
            "errors": len(self.errors),
            "first_errors": self.errors[:5],
        }


class Person:
    """One person: a session after the other, and what is done in them."""

    def __init__(self, address: str, seed: int, n_queries: int):
        self.address, self.n_queries = address, n_queries
        self.choice = random.Random(seed)
        self.session = Session(address, timeout_s=180)
        self.seen: set[str] = set()
        self.steps = self._steps()

    async def arrive(self) -> None:
        """Open a new tab."""
        self.session, self.seen = Session(self.address, timeout_s=180), set()
        self.steps = self._steps()
        await self.session.open()

    async def interact(self, measured: Measured) -> None:
        """Do the next thing, and note what came of it."""
        kind, act = next(self.steps)
        try:
            drawn = await act()
            measured.seconds[kind].append(drawn.seconds)
            drawn.media = [path for path in drawn.media if path not in self.seen]
            self.seen.update(drawn.media)
            await self.session.load_media(drawn)
            if drawn.error or UNEXPECTED in drawn.text:
                measured.errors.append(f"{kind}: {drawn.error or UNEXPECTED}")
        except Exception as error:
            measured.errors.append(f"{kind}: {type(error).__name__}: {error}"[:300])
            await self.session.close()
            await self.arrive()

    def _steps(self) -> Iterator[Step]:
        choice, last = self.choice, Drawn()

        def draw(kind: str, page: str | None = None, **parameters: object) -> Step:
            async def act() -> Drawn:
                nonlocal last
                last = await self.session.draw(query=self._query(page, parameters), page=page)
                return last

            return kind, act

        def type_caption(perturb: Drawn) -> Step:
            text = " ".join(choice.choices(WORDS, k=5))
            return "Perturb: type", lambda: self.session.enter(perturb, CAPTION, text)

        def explore() -> Iterator[Step]:
            yield draw("Explore: open", page="")
            for _ in range(choice.randint(4, 8)):
                yield draw("Explore: query", query=choice.randrange(self.n_queries))
            yield draw("Explore: search", search=choice.choice(WORDS))
            yield draw("Explore: informed", informed="yes")

        def perturb() -> Iterator[Step]:
            yield draw("Perturb: open", page="perturb", query=choice.randrange(self.n_queries))
            drawn = last
            for _ in range(choice.randint(3, 6)):
                yield type_caption(drawn)

        def others() -> Iterator[Step]:
            for page in choice.sample(PAGES, 3):
                yield draw(f"{page.capitalize()}: open", page=page)

        while True:
            for part in choice.sample((explore, perturb, others), 3):
                yield from part()

    def _query(self, page: str | None, parameters: dict[str, object]) -> str:
        kept = {} if page is not None else dict(parse_qsl(self.session.query.lstrip("?")))
        return urlencode({**kept, **parameters})


async def phase(
    people: list[Person], each: int, think_s: float, visit: int, server: AppServer
) -> Measured:
    """Let everybody do ``each`` things; a new session after every ``visit`` of them."""
    measured = Measured()

    async def live(person: Person) -> None:
        await asyncio.sleep(person.choice.uniform(0, think_s))
        for number in range(1, each + 1):
            await person.interact(measured)
            if number % visit == 0:
                await person.session.close()
                await person.arrive()
            await asyncio.sleep(person.choice.expovariate(1 / think_s) if think_s else 0)

    async def watch() -> None:
        while True:
            measured.memory_mib.append(server.memory_mib()["rss"])
            await asyncio.sleep(1)

    watching = asyncio.create_task(watch())
    start, cpu_ms = time.perf_counter(), server.cpu_ms()
    await asyncio.gather(*(live(person) for person in people))
    measured.took_s, measured.cpu_ms = time.perf_counter() - start, server.cpu_ms() - cpu_ms
    watching.cancel()
    return measured


async def browse(address: str, tabs: int, seconds: float, n_queries: int) -> list[str]:
    """A few real tabs going from query to query meanwhile; what went wrong in them."""
    from playwright.async_api import Error, Page, async_playwright

    errors: list[str] = []

    async def use(page: Page, seed: int) -> None:
        choice, until = random.Random(seed), time.monotonic() + seconds
        page.on("pageerror", lambda error: errors.append(f"script error: {error}"))
        while time.monotonic() < until:
            query = choice.randrange(n_queries)
            try:
                await page.goto(f"{address}/?query={query}", timeout=90_000)
                await page.wait_for_selector("[data-card=sd]", timeout=90_000)
                if await page.locator("[data-testid=stException]").count():
                    errors.append(f"an exception on the page of query {query}")
            except Error as error:
                errors.append(str(error).splitlines()[0])
            await asyncio.sleep(choice.uniform(5, 10))

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        pages = [await browser.new_page() for _ in range(tabs)]
        await asyncio.gather(*(use(page, seed) for seed, page in enumerate(pages)))
        await browser.close()
    return errors


async def measure(server: AppServer, args: argparse.Namespace) -> dict[str, Any]:
    """Both phases on a warm server."""
    first = Person(server.address, 1000, args.queries)
    await first.arrive()
    warm = Measured()
    for _ in range(40):
        await first.interact(warm)
    await first.session.close()
    assert not warm.errors, warm.errors
    people = [Person(server.address, seed, args.queries) for seed in range(args.sessions)]
    await asyncio.gather(*(person.arrive() for person in people))
    in_tabs: list[str] = []
    if args.tabs:
        paced_s = args.paced * args.think
        pace, in_tabs = await asyncio.gather(
            phase(people, args.paced, args.think, args.visit, server),
            browse(server.address, args.tabs, paced_s, args.queries),
        )
    else:
        pace = await phase(people, args.paced, args.think, args.visit, server)
    rest = args.per_session - args.paced
    hour = await phase(people, rest, args.press_think, args.visit, server)
    for person in people:
        await person.session.close()
    memory = hour.memory_mib
    early, late = memory[len(memory) // 5 : 2 * len(memory) // 5], memory[-len(memory) // 5 :]
    return {
        "sessions": args.sessions,
        "tabs": args.tabs,
        "tab_errors": in_tabs,
        "think_s": args.think,
        "pace": pace.figures(),
        "hour": hour.figures(),
        "rss_mib": {
            "over_time": [round(m) for m in memory[:: max(1, len(memory) // 20)]],
            "second_fifth": round(statistics.median(early), 1),
            "last_fifth": round(statistics.median(late), 1),
            "ratio": round(statistics.median(late) / statistics.median(early), 4),
        },
    }


def _milliseconds(seconds: list[float]) -> dict[str, int]:
    ordered = sorted(seconds)
    places = (("p50", 0.5), ("p95", 0.95), ("max", 1.0))
    return {
        "n": len(ordered),
        **{
            n: round(1000 * ordered[min(len(ordered) - 1, int(p * len(ordered)))])
            for n, p in places
        },
    }


def failures(report: dict[str, Any]) -> list[str]:
    """What of the bars is not met."""
    found = []
    if report["pace"]["p95"] > 1000 * BAR_S:
        found.append(f"p95 of {report['pace']['p95']} ms at the pace")
    if report["pace"]["errors"] or report["hour"]["errors"] or report["tab_errors"]:
        found.append("errors")
    if report["rss_mib"]["ratio"] > FLAT:
        found.append(f"memory grew by a factor of {report['rss_mib']['ratio']}")
    return found


def main() -> int:
    """Run, print one JSON document, and fail under the bars with ``--check``."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sessions", type=int, default=30)
    parser.add_argument("--per-session", type=int, default=120, help="interactions of an hour")
    parser.add_argument("--paced", type=int, default=12, help="how many of them at the pace")
    parser.add_argument("--think", type=float, default=10.0, metavar="S")
    parser.add_argument("--press-think", type=float, default=0.5, metavar="S")
    parser.add_argument("--visit", type=int, default=40, help="interactions until one leaves")
    parser.add_argument("--tabs", type=int, default=2, help="real browser tabs beside, at the pace")
    parser.add_argument("--queries", type=int, default=5000, help="of the demo gallery")
    parser.add_argument("--home", type=Path, help="a home with the demo; else one is set up")
    parser.add_argument("--check", action="store_true", help="exit 1 when a bar is not met")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = args.home or Path(folder)
        environment = {**os.environ, "VLMEXPLAIN_HOME": str(home)}
        subprocess.run(
            [sys.executable, "-m", "vlmexplain", "demo"], cwd=ROOT, env=environment, check=True,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        with AppServer(home, environment={"VLMEXPLAIN_LOG_LEVEL": "error"}) as server:
            report = asyncio.run(measure(server, args))
    report["not_met"] = failures(report)
    print(json.dumps(report, indent=1))
    return 1 if args.check and report["not_met"] else 0


if __name__ == "__main__":
    sys.exit(main())
