"""A server that lives in a folder of its host: every image and link is found there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Serve = Callable[..., Any]

pytestmark = pytest.mark.browser

LOADED = """() => {
  const images = [...document.querySelectorAll("img")].concat(
    [...document.querySelectorAll("*")].flatMap((node) =>
      node.shadowRoot ? [...node.shadowRoot.querySelectorAll("img")] : []));
  return images.length > 1 && images.every((one) => one.complete && one.naturalWidth > 0);
}"""


def test_images_and_pages_below_a_base_path(tab: Any, serve: Serve, serving_home: Path) -> None:
    server = serve(serving_home, STREAMLIT_SERVER_BASE_URL_PATH="tools/vlm")
    missing: list[str] = []
    tab.on("response", lambda one: missing.append(one.url) if one.status == 404 else None)
    tab.goto(f"{server.address}/")
    tab.wait_for_selector("[data-card=sd]")
    tab.wait_for_function(LOADED)
    assert tab.locator("img[src*='/tools/vlm/media/']").count() > 1
    tab.goto(f"{server.address}/gallery")
    tab.wait_for_selector("h1, h2")
    # where the app lies, the browser finds out by trying
    assert not [url for url in missing if "/_stcore/" not in url]
