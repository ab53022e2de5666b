"""Frozen values as JSON documents and back; a document with a wrong field is refused."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeVar

from vlmexplain.errors import DataError, UnknownName

T = TypeVar("T")


def to_document(value: Any) -> dict[str, Any]:
    """A dataclass as a JSON object; tuples become lists."""
    document: dict[str, Any] = dataclasses.asdict(value)
    return document


def from_document(kind: type[T], document: Mapping[str, Any], where: str) -> T:
    """The dataclass that a JSON or TOML object describes; fields left out keep their default.

    Args:
        kind: a dataclass whose fields are str, int, float, bool, Literal, ``X | None``, mappings,
            tuples of one kind, or dataclasses of these.
        where: what the document is, for messages.

    Raises:
        UnknownName: a field that there is not, with near matches.
        DataError: a missing field or a value of the wrong kind.
    """
    if not isinstance(document, Mapping):
        raise DataError(f"expected a table of fields, got {document!r}.", where=where)
    hints, fields = _fields(typing.cast(Any, kind))
    for name in document:
        if name not in fields:
            raise UnknownName("field", str(name), fields, where=where)
    values = {
        name: _value(hints[name], value, f"{where}: {name}") for name, value in document.items()
    }
    for name, field in fields.items():
        no_default = field.default is dataclasses.MISSING
        if name not in values and no_default and field.default_factory is dataclasses.MISSING:
            raise DataError(f"the field {name!r} is missing.", where=where)
    return kind(**values)


@lru_cache(maxsize=32)
def _fields(kind: type[Any]) -> tuple[dict[str, Any], dict[str, dataclasses.Field[Any]]]:
    """The types and the fields of a dataclass; looking the types up takes a millisecond."""
    fields = dataclasses.fields(typing.cast(Any, kind))
    return typing.get_type_hints(kind), {field.name: field for field in fields}


def _value(hint: Any, value: Any, where: str) -> Any:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        if value is None and type(None) in inner:
            return None
        (hint,) = (one for one in inner if one is not type(None))
        return _value(hint, value, where)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return from_document(hint, value, where)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise DataError(f"expected a list, got {value!r}.", where=where)
        return tuple(_value(inner[0], one, f"{where}[{n}]") for n, one in enumerate(value))
    if origin is typing.Literal:
        if value not in inner:
            raise UnknownName("value", str(value), inner, where=where)
        return value
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            raise DataError(f"expected a table, got {value!r}.", where=where)
        return {str(key): _value(inner[1], one, f"{where}.{key}") for key, one in value.items()}
    return _plain(hint, value, where)


def _plain(hint: Any, value: Any, where: str) -> Any:
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError as error:
            raise DataError("the number is too large.", where=where) from error
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise DataError(f"expected {hint.__name__}, got {value!r}.", where=where)
    return value
