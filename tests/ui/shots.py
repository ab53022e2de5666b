"""Pictures of every page at desktop and phone width, light and dark, to be looked at.

    python tests/ui/shots.py http://127.0.0.1:8501 /tmp/shots [name=/path?query ...]

The app must be running. Each picture shows the whole page; what a page draws outside its width is
printed. Nothing of a photo that is not ours belongs into the repository.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

PAGES = {
    "example": "/?gallery=example",
    "explore": "/",
    "informed": "/?informed=yes",
    "gallery": "/gallery",
    "import": "/import",
    "run": "/run",
}
WIDTHS = (1440, 390)
SCHEMES = ("light", "dark")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
GO = "path => { history.pushState({}, '', path); dispatchEvent(new PopStateEvent('popstate')); }"
MAIN = "document.querySelector('[data-testid=stMain]')"


def take(tab: Any, name: str, folder: Path) -> None:
    """Every width and theme of the page that is open."""
    for width in WIDTHS:
        for scheme in SCHEMES:
            tab.emulate_media(color_scheme=scheme)
            tab.set_viewport_size({"width": width, "height": 900})
            tab.wait_for_timeout(1200)
            height = tab.evaluate(f"() => {MAIN}.scrollHeight")
            tab.set_viewport_size({"width": width, "height": max(900, height + 20)})
            tab.wait_for_timeout(1200)
            inside = tab.evaluate(f"() => {MAIN}.scrollWidth <= {MAIN}.clientWidth")
            tab.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
            print(
                f"{name} {width} {scheme} {height} px{'' if inside else '  TOO WIDE'}", flush=True
            )


def main(address: str, folder: Path, pages: dict[str, str]) -> None:
    """Open each page in one tab and take its pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        tab = browser.new_page(viewport={"width": 1440, "height": 900})
        tab.set_default_timeout(180_000)
        tab.goto(address)
        for name, path in pages.items():
            tab.wait_for_selector(".vx", state="attached")
            tab.evaluate(GO, path)
            tab.wait_for_timeout(1500)
            tab.wait_for_selector(".vx h1, .vx blockquote")
            tab.wait_for_function(
                "() => document.querySelector('.stApp')?.dataset.testScriptState !== 'running'"
            )
            take(tab, name, folder)
        browser.close()


if __name__ == "__main__":
    given = dict(argument.split("=", 1) for argument in sys.argv[3:])
    main(sys.argv[1], Path(sys.argv[2]), given or PAGES)
