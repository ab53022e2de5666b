"""Inflection of English words; the `inflect` package knows how."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

_FINITE_SINGULAR = {"is": "are", "was": "were", "has": "have", "does": "do"}


@lru_cache(maxsize=1)
def _engine() -> Any:
    import inflect  # takes a second to import: only where a word is really inflected

    return inflect.engine()


@lru_cache(maxsize=4096)
def article(following: str) -> str:
    """``a`` or ``an``, by the sound of what follows.

    >>> article("orange"), article("unicorn"), article("hour")
    ('an', 'a', 'an')
    """
    first = following.split()[0].lower() if following.strip() else "x"
    return str(_engine().a(first)).split()[0]


@lru_cache(maxsize=4096)
def plural(noun: str) -> str:
    """The plural of a singular noun.

    >>> plural("dog"), plural("bus"), plural("person"), plural("sheep")
    ('dogs', 'buses', 'people', 'sheep')
    """
    return str(_engine().plural_noun(noun))


@lru_cache(maxsize=4096)
def singular(noun: str) -> str | None:
    """The singular of a plural noun; None when the word is no plural.

    >>> singular("dogs"), singular("people"), singular("dog")
    ('dog', 'person', None)
    """
    found = _engine().singular_noun(noun)
    return str(found) if found else None


@lru_cache(maxsize=4096)
def plural_verb(verb: str) -> str:
    """A verb in the third person singular, for a plural subject.

    >>> plural_verb("is"), plural_verb("sits"), plural_verb("watches")
    ('are', 'sit', 'watch')
    """
    return _FINITE_SINGULAR.get(verb) or str(_engine().plural_verb(verb))
