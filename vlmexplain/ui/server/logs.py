"""What the server writes about itself to standard error: one line an event, fit for a machine.

``VLMEXPLAIN_LOG=json`` writes a JSON object a line, ``text`` (the default) a line to read;
``VLMEXPLAIN_LOG_LEVEL`` is debug, info, warning or error (default: info with json, else warning).
A line names the session by a hash and an error by an id that the page shows too. It never holds
what people typed or who they are: an error is written as its type and its place in the code, and
only on level debug with its message.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import secrets
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from vlmexplain.errors import UnknownName
from vlmexplain.ui.server.streamlit_insides import plain_logs, session_id

FORMATS = ("text", "json")
LEVELS = {
    "debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING,
    "error": logging.ERROR,
}  # fmt: skip
SERVER_LOGGERS = ("streamlit", "uvicorn", "websockets")
FRAMES_SHOWN = 12

logger = logging.getLogger("vlmexplain")
_page: ContextVar[str | None] = ContextVar("page", default=None)
_salt = secrets.token_bytes(16)


def log(
    event: str, level: int = logging.INFO, trace: BaseException | None = None, **fields: Any
) -> None:
    """Write one event, with the session and the page where there are such.

    Args:
        event: a name with dots, such as "job.end".
        level: of `logging`.
        trace: an unexpected error, shown whole to the person at the terminal (format text).
        fields: numbers, truth values, and names out of the program; nothing that people typed.
    """
    if not logger.isEnabledFor(level):
        return
    known: dict[str, Any] = {"event": event, "session": session_hash(), "page": _page.get()}
    known.update(fields)
    shown = {name: value for name, value in known.items() if value is not None}
    logger.log(level, event, extra={"fields": shown}, exc_info=trace)


def log_error(
    error: BaseException,
    event: str = "error",
    level: int = logging.ERROR,
    trace: BaseException | None = None,
) -> str:
    """Write an error by its id, type and place (`trace` as in `log`); the id, as the page shows."""
    known = error_id(error)
    fields: dict[str, Any] = {"error": known, "error_type": type(error).__name__}
    fields["at"] = frames(error.__traceback__) or None
    if error.__cause__ is not None:
        fields["cause"] = type(error.__cause__).__name__
    if logger.isEnabledFor(logging.DEBUG):
        fields["message"] = str(error)
    log(event, level, trace=trace, **fields)
    return known


def error_id(error: BaseException) -> str:
    """Eight hex digits: the same error again (type, place, words) has the same, in one process."""
    place = frames(error.__traceback__)[-1:]
    told = "\0".join([type(error).__name__, *place, str(error)])
    return hmac.new(_salt, told.encode("utf-8", "replace"), hashlib.sha256).hexdigest()[:8]


def session_hash() -> str | None:
    """Ten hex digits that stand for the session that is drawn now; None outside of one."""
    session = session_id()
    return None if session is None else hashlib.sha256(session.encode()).hexdigest()[:10]


def frames(trace: TracebackType | None) -> list[str]:
    """Where in the code, outermost first, as "file:line function"; never what the code held."""
    found = traceback.extract_tb(trace)[-FRAMES_SHOWN:]
    return [f"{_short(frame.filename)}:{frame.lineno} {frame.name}" for frame in found]


@contextmanager
def on_page(title: str) -> Iterator[None]:
    """Events inside the block carry this page."""
    token = _page.set(title)
    try:
        yield
    finally:
        _page.reset(token)


def set_up() -> None:
    """Read the environment and give every logger of the server the format; may be called again.

    Raises:
        UnknownName: the environment names an unknown format or level.
    """
    form = wanted_form()
    formatter = JsonFormatter() if form == "json" else TextFormatter()
    logger.propagate = False
    if not logger.handlers:
        logger.addHandler(logging.StreamHandler(sys.stderr))
    for handler in logger.handlers:
        handler.setFormatter(formatter)
    form, level = wanted()  # after that, so that what is wrong can be said
    logger.setLevel(level)
    if form == "json":
        plain_logs()
        adopt_server_loggers(formatter)


def wanted() -> tuple[str, int]:
    """The format and the level that the environment asks for."""
    form = wanted_form()
    if form not in FORMATS:
        raise UnknownName("log format", form, FORMATS, where="VLMEXPLAIN_LOG")
    default = "info" if form == "json" else "warning"
    name = os.environ.get("VLMEXPLAIN_LOG_LEVEL", "").strip().lower() or default
    if name not in LEVELS:
        raise UnknownName("log level", name, LEVELS, where="VLMEXPLAIN_LOG_LEVEL")
    return form, LEVELS[name]


def wanted_form() -> str:
    """The format that the environment asks for, whether there is such or not."""
    return os.environ.get("VLMEXPLAIN_LOG", "").strip().lower() or "text"


def adopt_server_loggers(formatter: logging.Formatter) -> None:
    """Write what Streamlit, its web server and any library log or warn of in the same format."""
    logging.captureWarnings(True)
    if not logging.root.handlers:
        logging.root.addHandler(logging.StreamHandler(sys.stderr))
    for handler in logging.root.handlers:
        handler.setFormatter(formatter)
    for name, known in list(logging.root.manager.loggerDict.items()):
        if isinstance(known, logging.Logger) and name.split(".")[0] in SERVER_LOGGERS:
            for handler in known.handlers:
                handler.setFormatter(formatter)


class JsonFormatter(logging.Formatter):
    """A record as one JSON object on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, Any] = {
            "time": _moment(record).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            **_fields(record),
            "pid": record.process,
        }
        return json.dumps(line, default=str)  # ASCII: whatever splits lines, this is one


class TextFormatter(logging.Formatter):
    """A record as one line to read."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        fields = _fields(record)
        event = fields.pop("event")
        place = fields.pop("at", None)
        told = [f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in fields.items()]
        if place:
            told.append(f"at={place[-1]}")
        moment = f"{_moment(record):%H:%M:%S}"
        line = " ".join([moment, record.levelname.lower(), str(event), *told])
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    """Our own event's fields; of another's record its words, and an error without its message."""
    own = getattr(record, "fields", None)
    if own is not None:
        return dict(own)
    fields: dict[str, Any] = {"event": "log", "logger": record.name, "message": record.getMessage()}
    if record.exc_info and record.exc_info[1] is not None:
        error = record.exc_info[1]
        fields["error_type"] = type(error).__name__
        fields["at"] = frames(error.__traceback__)
        if isinstance(error, Exception):
            fields["error"] = error_id(error)
    return fields


def _moment(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)


def _short(file: str) -> str:
    """A file's place under its package, without the machine's folders."""
    parts = Path(file).parts
    for top in ("site-packages", "vlmexplain", "pages"):
        if top in parts:
            last = len(parts) - 1 - parts[::-1].index(top)
            return "/".join(parts[last + (top == "site-packages") :])
    return parts[-1] if parts else file
