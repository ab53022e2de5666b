"""A light client of a running app: one session over Streamlit's own websocket, without a browser.

It says what a browser says (a ``BackMsg`` with the address's query string and the widgets' values)
and reads what a browser reads (``ForwardMsg`` until the script has finished), so that many sessions
can be driven at once while the machine measures the server and not thirty browsers. It does not lay
anything out. With ``load_media`` it fetches the pictures a page names, as a browser would.

    async with Session("http://127.0.0.1:8501") as session:
        drawn = await session.draw(query="query=3", page="overview")
        drawn.seconds, drawn.bytes, drawn.error
        await session.press(drawn, "Next")
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
import urllib.request
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

MAX_MESSAGE_BYTES = 256 << 20
MEDIA = re.compile(rb"/media/[0-9a-f]+\.\w+")
VALUES = {bool: "bool_value", float: "double_value", int: "int_value", str: "string_value"}


@dataclass(slots=True)
class Drawn:
    """What one run of the script sent.

    Attributes:
        seconds: from the request to the message that the script has finished.
        bytes: size of all messages.
        messages: how many.
        error: the first exception that the page shows, or "".
        texts: HTML, Markdown and alert bodies, in the order of the page.
        widgets: id of each widget by its label (buttons, inputs) and by its key; the first of each.
        fragments: the fragment that a widget's change runs anew, by the widget's id.
        media: addresses of the pictures and downloads the page names.
    """

    seconds: float = 0.0
    bytes: int = 0
    messages: int = 0
    error: str = ""
    texts: list[str] = field(default_factory=list)
    widgets: dict[str, str] = field(default_factory=dict)
    fragments: dict[str, str] = field(default_factory=dict)
    media: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All texts in one."""
        return "\n".join(self.texts)


class Session:
    """One browser session; not for use by two tasks at once."""

    def __init__(
        self, address: str, timeout_s: float = 120.0, headers: dict[str, str] | None = None
    ):
        self.address = address.rstrip("/")
        self.timeout_s = timeout_s
        self.headers = headers or {}
        self.query, self.page_hash, self.session_id = "", "", ""
        self.values: dict[str, WidgetState] = {}
        self._connection: ClientConnection | None = None

    async def __aenter__(self) -> Session:
        await self.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def open(self) -> None:
        """Connect; the first `draw` starts the script."""
        self._connection = await connect(
            self.address.replace("http", "ws", 1) + "/_stcore/stream",
            subprotocols=["streamlit"],  # type: ignore[list-item]
            additional_headers=self.headers,
            max_size=MAX_MESSAGE_BYTES,
            open_timeout=self.timeout_s,
            proxy=None,
        )

    async def close(self) -> None:
        """Leave, as a closed tab does."""
        if self._connection is not None:
            with contextlib.suppress(Exception):
                await self._connection.close()

    async def draw(
        self,
        query: str | None = None,
        page: str | None = None,
        fragment_id: str = "",
        once: WidgetState | None = None,
    ) -> Drawn:
        """Run the script and wait until it has finished.

        Args:
            query: the address's query string; None keeps the last.
            page: a page's name in the address ("" is the default page); None stays on the page.
            fragment_id: run only this fragment.
            once: the value of a widget in this run alone, as a pressed button has it.
        """
        message = BackMsg()
        rerun = message.rerun_script
        self.query = self.query if query is None else query
        rerun.query_string = self.query
        if page is not None:
            rerun.page_name, self.page_hash = page, ""
        rerun.page_script_hash = self.page_hash
        rerun.fragment_id = fragment_id
        rerun.context_info.url = self.address
        rerun.context_info.timezone, rerun.context_info.locale = "UTC", "en"
        if page is None:  # another page has other widgets
            rerun.widget_states.widgets.extend(self.values.values())
        else:
            self.values.clear()
        if once is not None:
            rerun.widget_states.widgets.append(once)
        return await self._exchange(message)

    async def press(self, drawn: Drawn, label: str) -> Drawn:
        """Press the button of this label."""
        name = _found(drawn, label)
        pressed = WidgetState(id=name, trigger_value=True)
        return await self.draw(once=pressed, fragment_id=drawn.fragments.get(name, ""))

    async def enter(
        self, drawn: Drawn, label: str, value: bool | int | float | str | list[str]
    ) -> Drawn:
        """Give a widget a value that it keeps; a selectbox takes the option's text, a segmented
        control a list of texts.
        """
        name = _found(drawn, label)
        state = WidgetState(id=name)
        if isinstance(value, list):
            state.string_array_value.data.extend(value)
        else:
            setattr(state, VALUES[type(value)], value)
        self.values[name] = state
        return await self.draw(fragment_id=drawn.fragments.get(name, ""))

    async def load_media(self, drawn: Drawn) -> int:
        """Fetch everything the page names under ``/media``; the bytes."""
        sizes = [await asyncio.to_thread(self._fetch, path) for path in dict.fromkeys(drawn.media)]
        return sum(sizes)

    def _fetch(self, path: str) -> int:
        request = urllib.request.Request(self.address + path, headers=self.headers)
        with urllib.request.urlopen(request, timeout=self.timeout_s) as answer:
            return len(answer.read())

    async def _exchange(self, message: BackMsg) -> Drawn:
        assert self._connection is not None, "open the session first"
        drawn = Drawn()
        start = time.perf_counter()
        await self._connection.send(message.SerializeToString())
        async with asyncio.timeout(self.timeout_s):
            while True:
                data = await self._connection.recv()
                assert isinstance(data, bytes)
                got = ForwardMsg.FromString(data)
                drawn.bytes += len(data)
                drawn.messages += 1
                kind = got.WhichOneof("type")
                if kind == "delta":
                    _read(got, drawn)
                    drawn.media.extend(path.decode() for path in MEDIA.findall(data))
                elif kind == "new_session":
                    self.page_hash = got.new_session.page_script_hash
                    self.session_id = got.new_session.initialize.session_id or self.session_id
                elif kind == "navigation":
                    self.page_hash = got.navigation.page_script_hash or self.page_hash
                elif kind == "page_info_changed":
                    self.query = got.page_info_changed.query_string
                elif (
                    kind == "script_finished"
                    and got.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
                ):
                    drawn.seconds = time.perf_counter() - start
                    return drawn


def _found(drawn: Drawn, label: str) -> str:
    found = drawn.widgets.get(label)
    if found is None:
        raise KeyError(f"no widget {label!r}; there are {sorted(drawn.widgets)}")
    return found


def _read(message: ForwardMsg, drawn: Drawn) -> None:
    if message.delta.WhichOneof("type") != "new_element":
        return
    element = message.delta.new_element
    kind = element.WhichOneof("type")
    inner: Any = getattr(element, str(kind))
    if kind == "exception" and not drawn.error:
        drawn.error = f"{inner.type}: {inner.message}"
    body = getattr(inner, "body", "")
    if isinstance(body, str) and body:
        drawn.texts.append(body)
    label = getattr(inner, "label", "")
    if isinstance(getattr(inner, "id", None), str) and inner.id and isinstance(label, str):
        drawn.widgets.setdefault(label, inner.id)
        if message.delta.fragment_id:
            drawn.fragments[inner.id] = message.delta.fragment_id
        # "$$ID-hash-key": a widget to which the page gave a key is found by it as well
        drawn.widgets.setdefault(inner.id.split("-", 2)[-1], inner.id)
