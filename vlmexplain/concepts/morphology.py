"""Base forms of inflected words, by WordNet's rules of detachment (morphy(7WN))."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

RULES = {
    "n": (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "v": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}
"""Part of speech -> (ending, what takes its place), tried in this order."""


def base_forms(
    form: str, pos: str, lemmas: Container[str], exceptions: Mapping[str, Iterable[str]]
) -> tuple[str, ...]:
    """The dictionary forms of ``form``: itself, then what the exceptions or the rules give.

    Only forms that are in ``lemmas``. A form in ``exceptions`` is not put to the rules.

    >>> base_forms("dogs", "n", {"dog"}, {})
    ('dog',)
    >>> base_forms("geese", "n", {"goose"}, {"geese": ["goose"]})
    ('goose',)
    """
    irregular = exceptions.get(form)
    if irregular is not None:
        candidates = [form, *irregular]
    else:
        rules = RULES[pos]
        candidates = [form, *(form[: -len(old)] + new for old, new in rules if form.endswith(old))]
    return tuple(c for c in dict.fromkeys(candidates) if c in lemmas)
