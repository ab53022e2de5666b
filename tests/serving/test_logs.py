"""The log: JSON lines that name pages, sessions and errors, and nobody's words."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from vlmexplain.errors import StoreError, UnknownName
from vlmexplain.ui.server import logs

SLOW_APP = Path(__file__).parent / "slow_app.py"
ERROR_ON_PAGE = re.compile(r"Error <code>([0-9a-f]{8})</code>")


def test_draws_and_errors_of_a_server(serve: Any, serving_home: Path, tmp_path: Path) -> None:
    server = serve(serving_home, SLOW_APP, SLOW_APP_NOTES=str(tmp_path / "notes"))
    server.draw()
    (draw,) = server.events("draw")
    assert draw["page"] == "Slow" and draw["ms"] >= 0 and len(draw["session"]) == 10

    unexpected = server.draw("do=fail")
    assert not unexpected.error  # no insides of the program on the page
    told = server.draw("do=told")
    ids = [ERROR_ON_PAGE.search(drawn.text) for drawn in (unexpected, told)]
    assert all(ids)
    first, second = (server.wait_for_event("error", error=found.group(1)) for found in ids if found)
    assert first["error_type"] == "KeyError" and "slow_app.py" in first["at"][-1]
    assert first["level"] == "error" and second["level"] == "warning"
    assert second["error_type"] == "StoreError" and second["session"] != first["session"]
    text = server.log.read_text()
    for word in ("caption", "nobody", "Ada", "Lovelace"):
        assert word not in text
    assert "Traceback" not in text


def test_plain_errors_of_the_app_are_logged(serve: Any, serving_home: Path) -> None:
    server = serve(serving_home)
    drawn = server.draw("gallery=none-of-that-name")
    found = ERROR_ON_PAGE.search(drawn.text)
    if found:
        server.wait_for_event("error", error=found.group(1))
    assert server.events("draw")[0]["page"] == "Explore"
    assert "none-of-that-name" not in server.log.read_text()


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What is logged in this process, as JSON."""
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(logs.JsonFormatter())
    monkeypatch.setattr(logs.logger, "handlers", [handler])
    monkeypatch.setattr(logs.logger, "propagate", False)
    monkeypatch.setattr(logs.logger, "level", logging.INFO)
    logs.logger.manager._clear_cache()  # type: ignore[attr-defined]
    return out


def raised(error: Exception) -> Exception:
    try:
        raise error
    except type(error) as caught:
        return caught


def test_same_error_same_id(written: io.StringIO) -> None:
    one, again, other = (raised(StoreError(text)) for text in ("a", "a", "b"))
    assert logs.log_error(one) == logs.log_error(again) != logs.log_error(other)
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    assert lines[0]["error"] == lines[1]["error"] != lines[2]["error"]
    assert all("message" not in line for line in lines)


def test_message_only_on_debug(written: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs.logger, "level", logging.DEBUG)
    logs.logger.manager._clear_cache()  # type: ignore[attr-defined]
    logs.log_error(raised(StoreError("the words")))
    assert json.loads(written.getvalue())["message"] == "the words"


def test_a_line_is_one_line_whatever_it_holds(written: io.StringIO) -> None:
    logs.log("odd", what='two\nlines \u2028 "quoted" {brace}')
    (line,) = written.getvalue().splitlines()
    assert json.loads(written.getvalue())["what"].startswith("two\nlines")
    assert {"time", "level", "event", "pid"} <= set(json.loads(written.getvalue()))
    assert "session" not in json.loads(line)


def test_others_records_lose_what_their_errors_say() -> None:
    try:
        raise ValueError("someone's words")
    except ValueError as error:
        record = logging.LogRecord(
            "streamlit.x", logging.ERROR, __file__, 1, "went wrong", None,
            (type(error), error, error.__traceback__),
        )  # fmt: skip
    line = json.loads(logs.JsonFormatter().format(record))
    assert line["error_type"] == "ValueError" and line["message"] == "went wrong"
    assert "words" not in json.dumps(line) and "test_logs.py" in line["at"][-1]


def test_everything_is_json_in_a_process_of_its_own() -> None:
    code = (
        "import logging, warnings, streamlit.runtime\n"
        "from vlmexplain.ui.server import logs\n"
        "logs.set_up(); logs.set_up()\n"
        "logs.log('own')\n"
        "warnings.warn('old way')\n"
        "logging.getLogger('some.library').warning('its words')\n"
        "logging.getLogger('streamlit.runtime.x').error('streamlit')\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True,
        env={**os.environ, "VLMEXPLAIN_LOG": "json"}, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    lines = [json.loads(line) for line in out.stderr.splitlines()]
    assert [line["event"] for line in lines] == ["own", "log", "log", "log"]
    assert "old way" in lines[1]["message"] and lines[2]["logger"] == "some.library"


@pytest.mark.parametrize(
    ("form", "level", "expected"),
    [
        ("", "", ("text", logging.WARNING)),
        ("json", "", ("json", logging.INFO)),
        ("JSON", "Debug", ("json", logging.DEBUG)),
        ("text", "error", ("text", logging.ERROR)),
    ],
)
def test_environment(
    form: str, level: str, expected: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VLMEXPLAIN_LOG", form)
    monkeypatch.setenv("VLMEXPLAIN_LOG_LEVEL", level)
    assert logs.wanted() == expected


@pytest.mark.parametrize("name", ["VLMEXPLAIN_LOG", "VLMEXPLAIN_LOG_LEVEL"])
def test_environment_that_is_wrong(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "jason")
    with pytest.raises(UnknownName, match=name):
        logs.wanted()


def test_places_name_no_folder_of_the_machine() -> None:
    assert (
        logs._short("/home/me/src/vlmexplain/vlmexplain/ui/server/jobs.py")
        == "vlmexplain/ui/server/jobs.py"
    )
    assert logs._short("/x/lib/python3.11/site-packages/duckdb/a.py") == "duckdb/a.py"
    assert logs._short("/somewhere/else.py") == "else.py"


@pytest.mark.parametrize(
    ("form", "name", "value"),
    [
        ("json", "VLMEXPLAIN_CACHE_RUNS", "lots"),
        ("json", "VLMEXPLAIN_CACHE_RUN", "4"),
        ("json", "VLMEXPLAIN_STOP_S", "soon"),
        ("json", "VLMEXPLAIN_LOG_LEVEL", "loud"),
        ("text", "VLMEXPLAIN_LOG", "jason"),
    ],
)
def test_a_wrong_setting_ends_the_process_with_one_line(form: str, name: str, value: str) -> None:
    out = subprocess.run(
        [sys.executable, "-c", "from vlmexplain.ui.web import read_settings; read_settings()"],
        capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "VLMEXPLAIN_LOG": form, name: value}, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert out.returncode == 1 and not out.stdout
    (line,) = out.stderr.splitlines()
    assert "server.refused" in line and name in line
    if form == "json":
        assert json.loads(line)["level"] == "error"
