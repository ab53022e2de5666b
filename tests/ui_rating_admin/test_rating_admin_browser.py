"""A real browser on a real server: a session in minutes, its files, and who is on the machine."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from vlmexplain.ratings.exchange.export_files import export_bytes
from vlmexplain.ratings.exchange.export_rows import session_data
from vlmexplain.ratings.organiser.sessions import find_session, items_of, list_sessions
from vlmexplain.ratings.plan.spec_toml import plan_of_toml
from vlmexplain.ratings.rater.joining import join
from vlmexplain.run_items import session_of_run


@pytest.fixture
def forwarding() -> Iterator[Any]:
    """``forwarding(address)``: a proxy on this machine that says for whom it asks."""
    listener = socket.create_server(("127.0.0.1", 0))
    target: list[tuple[str, int]] = []

    def relay(source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while part := source.recv(65536):
                sink.sendall(part)
            sink.shutdown(socket.SHUT_WR)

    def serve(client: socket.socket) -> None:
        with client, socket.create_connection(target[0]) as server:
            head = b""
            while b"\r\n" not in head and (part := client.recv(65536)):
                head += part
            server.sendall(head.replace(b"\r\n", b"\r\nX-Forwarded-For: 203.0.113.9\r\n", 1))
            back = threading.Thread(target=relay, args=(server, client), daemon=True)
            back.start()
            relay(client, server)
            back.join()

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    def start(address: str) -> str:
        parts = urlsplit(address)
        target.append((str(parts.hostname), int(parts.port or 80)))
        threading.Thread(target=accept, daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    yield start
    listener.close()


def downloaded(tab: Any, label: str) -> bytes:
    with tab.expect_download() as waiting:
        tab.get_by_role("button", name=label).click()
    return Path(waiting.value.path()).read_bytes()


def test_a_session_is_made_opened_and_taken_away(
    rating_world: Any, rating_store: Any, start_app: Any, tab: Any
) -> None:
    tab.goto(f"{start_app(rating_world.home)}/ratings")
    tab.get_by_role("button", name="New session").click()
    name = tab.get_by_label("Name of the session")
    name.fill("Browser <b>session</b> $x$")
    name.press("Enter")
    n_wanted = tab.get_by_label("How many")
    n_wanted.fill("4")
    n_wanted.press("Enter")
    tab.get_by_text("4 items, 9 classes").wait_for()
    preview = tab.get_by_role("group", name="Preview of the rater's page")
    assert preview.locator("img").count() == 2 and preview.get_by_text("Scene").is_visible()
    tab.get_by_role("button", name="Make the session").click()
    tab.get_by_text("Nobody can join yet").wait_for()
    (made,) = (s for s in list_sessions(rating_store) if s.spec.name.startswith("Browser"))
    assert (made.state, made.n_items, made.spec.name) == ("draft", 4, "Browser <b>session</b> $x$")
    assert made.spec.run == rating_world.runs[0] or made.spec.run == rating_world.runs[1]
    tab.get_by_role("button", name="Open for raters").click()
    tab.get_by_text("Raters join with the code and answer").wait_for()
    assert find_session(rating_store, made.id).state == "open"
    link = tab.get_by_text(re.compile(r"/rate\?code=")).inner_text().strip()
    assert link.endswith(f"/rate?code={made.code}") and link.startswith("http://127.0.0.1:")
    assert tab.get_by_text(made.code, exact=True).is_visible()
    join(rating_store, made.code, "<i>Rater</i>", "here")
    tab.get_by_role("cell", name="<i>Rater</i>").wait_for()  # by itself, without a reload
    tab.get_by_text("Downloads").click()
    for kind, label in (("csv", "Answers (CSV)"), ("parquet", "Answers (Parquet)")):
        data = session_data(rating_store, made.id)
        assert downloaded(tab, label) == export_bytes(data, kind)
    plan = plan_of_toml(downloaded(tab, "Questions (TOML)"), "x.toml")
    spec, items = session_of_run(plan)
    assert (spec, items) == (made.spec, items_of(rating_store, made.id))
    tab.get_by_role("button", name="Pause").click()
    tab.get_by_text("No answers are taken until it is opened again").wait_for()
    tab.get_by_role("link", name="Analysis", exact=True).click()
    tab.get_by_text("0 answers of 0 raters").wait_for()
    assert f"session={made.id}" in tab.url
    assert tab.title() != "broken"


def test_through_a_proxy_nobody_is_on_the_machine(
    rating_world: Any, start_app: Any, forwarding: Any, tab: Any
) -> None:
    address = start_app(rating_world.home)
    tab.goto(f"{forwarding(address)}/rating_analysis")
    tab.get_by_text("organised on the machine itself").wait_for()
    assert not tab.get_by_text("answers of").count()
    tab.goto(f"{address}/rating_analysis?session={rating_world.rated.id}")
    tab.get_by_text("answers of 3 raters").wait_for()
