"""A session as a TOML file: the questions, and where its items come from."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from vlmexplain.errors import DataError
from vlmexplain.ratings.plan.document import from_document, to_document
from vlmexplain.ratings.plan.spec import SessionSpec, check_spec


@dataclass(frozen=True, slots=True)
class ItemRequest:
    """Which items a session is to have.

    Attributes:
        file: a file of JSON lines, see `items.read_items`; relative to the TOML file.
        captions: caption indices of the run; empty: all that fit.
        failures_only: only queries whose first image is no ground truth.
        sample: how many of them to draw; None: all.
        seed: of the sample.
        stratify_by: metric over whose range the sample is spread.
        strata: in how many parts.
    """

    file: str | None = None
    captions: tuple[int, ...] = ()
    failures_only: bool = True
    sample: int | None = None
    seed: int = 0
    stratify_by: str | None = None
    strata: int = 4


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """A TOML file's content."""

    questions: SessionSpec
    items: ItemRequest


def read_plan(path: Path) -> SessionPlan:
    """Read a session's TOML file; ``examples/rating_session.toml`` shows every field.

    Raises:
        DataError: the file cannot be read, is no TOML, or has a value of the wrong kind.
        UnknownName: a field that there is not, with near matches.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(
            f"the TOML file cannot be read ({error.strerror}).", where=str(path)
        ) from error
    return plan_of_toml(content, str(path))


def plan_of_toml(content: bytes, name: str) -> SessionPlan:
    """As `read_plan`, of a file's content; ``name`` is for messages."""
    try:
        document: dict[str, Any] = tomllib.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise DataError(f"cannot be read as TOML ({error}).", where=name) from error
    items = from_document(ItemRequest, document.pop("items", {}), f"{name}: items")
    questions = from_document(SessionSpec, document, name)
    check_spec(questions)
    if items.file is None and questions.run is None:
        raise DataError(
            "neither a run nor a file of items is named.",
            where=name,
            remedy='Add run = "KEY" (see `vlmexplain run`), or file = "items.jsonl" under [items].',
        )
    return SessionPlan(questions, items)


def toml_of_plan(plan: SessionPlan) -> str:
    """The TOML file that `read_plan` turns back into this plan; what is left out is None."""
    items = _given(to_document(plan.items))
    if not plan.items.captions:
        items.pop("captions")
    return tomli_w.dumps(_given(to_document(plan.questions)) | {"items": items})


def _given(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if value is not None}
