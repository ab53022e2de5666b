"""What raters type: names in any script, comments as they are."""

from __future__ import annotations

import unicodedata

from vlmexplain.errors import DataError

LONGEST_RATER_NAME = 80


def rater_name(typed: str) -> str:
    """A rater's name as it is shown: NFC, outer spaces cut, inner ones single.

    Any script, sign or emoji is welcome, HTML and SQL too: a name is only ever text.

    >>> rater_name("  Zoe\\u0308   O'Neill ")
    "Zoë O'Neill"

    Raises:
        DataError: nothing visible, too long, or a control character.
    """
    name = " ".join(unicodedata.normalize("NFC", typed).split())
    if any(unicodedata.category(sign) in ("Cc", "Cs") for sign in name):
        raise DataError("the name has a control character in it.", remedy="Type it anew.")
    if not any(unicodedata.category(sign)[0] in "LNPS" for sign in name):
        raise DataError("the name is empty.", remedy="Type a name by which you can come back.")
    if len(name) > LONGEST_RATER_NAME:
        raise DataError(
            f"the name has {len(name)} characters.",
            remedy=f"Use at most {LONGEST_RATER_NAME}.",
        )
    return name


def name_key(name: str) -> str:
    """By what a returning rater is found: a phone's capital letter makes no second rater.

    >>> name_key("ANNA") == name_key("anna")
    True
    """
    return unicodedata.normalize("NFC", rater_name(name).casefold())


def clean_comment(typed: str) -> str:
    """A comment as written; what no database and no file can hold (NUL, lone surrogates)
    becomes U+FFFD.

    >>> clean_comment("=1+1 <b>") == "=1+1 <b>", clean_comment("a\\x00b") == "a\\ufffdb"
    (True, True)
    """
    return "".join(
        "\ufffd" if sign == "\0" or unicodedata.category(sign) == "Cs" else sign for sign in typed
    )
