"""From ``streamlit run`` to the first usable page: ours against ``streamlit hello``, in a browser.

Both from the start of the process until a browser, which runs already, shows the page: of
``streamlit hello`` its first page's heading, of the app the Explore page of the drawn demo gallery
with both pictures loaded and all metrics. In turn, several times; the ratio is that of the medians.
The browser has no cache of either. Beside it: processor time of the server until then.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from against_hello import compare
from app_server import AppServer
from playwright.sync_api import sync_playwright

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
METRICS = ("ca", "ncs", "ce", "sd")


def explore_is_usable(page: Any) -> None:
    """Return when all metrics and both pictures are there."""
    for key in METRICS:
        page.wait_for_selector(f"[data-card={key}]")
    for side in range(2):
        page.wait_for_selector(f".stage img >> nth={side}").evaluate("image => image.decode()")


def hello_is_usable(page: Any) -> None:
    """Return when the first page of ``streamlit hello`` says welcome."""
    page.wait_for_selector("h1:has-text('Welcome')")


def seconds_until(browser: Any, home: Path, script: str) -> tuple[float, float]:
    """Wall and server CPU seconds from the start of the process until the page is shown."""
    start = time.perf_counter()
    server = AppServer(home, script)
    try:
        server.wait()
        context = browser.new_context(viewport={"width": 1440, "height": 1000})
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.goto(server.address, wait_until="commit")
        (hello_is_usable if script == "hello" else explore_is_usable)(page)
        took = time.perf_counter() - start
        cpu = server.cpu_ms() / 1000
        context.close()
    finally:
        server.stop()
    return took, cpu


def measure(home: Path, times: int) -> dict[str, Any]:
    """Both in turn."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    program = next(filter(None, map(shutil.which, names)), None)
    found: dict[str, list[tuple[float, float]]] = {"app": [], "hello": []}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        seconds_until(browser, home, "hello")  # the browser's own first page
        for _ in range(times):
            found["hello"].append(seconds_until(browser, home, "hello"))
            found["app"].append(seconds_until(browser, home, "app.py"))
        browser.close()
    report: dict[str, Any] = {"times": times}
    for name, values in found.items():
        for what, of in (("wall", 0), ("cpu", 1)):
            report[f"{name}_{what}_s"] = round(statistics.median(v[of] for v in values), 2)
    return report | {
        "ratio": round(report["app_wall_s"] / report["hello_wall_s"], 2),
        "ratio_cpu": round(report["app_cpu_s"] / report["hello_cpu_s"], 2),
    }


if __name__ == "__main__":
    sys.exit(compare(__doc__, measure, times=3))
