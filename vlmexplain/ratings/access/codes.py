"""Codes nobody can guess, and comparisons that tell nothing by their time."""

from __future__ import annotations

import hashlib
import hmac
import secrets

ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789"
"""No 0, 1, I, L, O, U: nothing that is misread. 30 signs, 4.9 bits each."""

CODE_LENGTH = 16


def new_code() -> str:
    """A session code of 78 random bits, such as ``K7QF-X2MA-9TPC-VW3D``."""
    signs = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
    return "-".join(signs[start : start + 4] for start in range(0, CODE_LENGTH, 4))


def plain_code(typed: str) -> str:
    """A code as it is compared: capitals, without dashes and spaces.

    >>> plain_code(" k7qf x2ma-9tpc-vw3d ")
    'K7QFX2MA9TPCVW3D'
    """
    return "".join(sign for sign in typed.upper() if sign.isalnum())


def new_token() -> str:
    """A rater's ticket: 192 random bits, safe in an address."""
    return secrets.token_urlsafe(24)


def digest(secret: str) -> str:
    """sha256 hex, under which a secret is looked up, so that the index tells nothing."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def same_secret(given: str, expected: str) -> bool:
    """Whether two secrets are equal, in a time that does not depend on where they differ."""
    return hmac.compare_digest(digest(given), digest(expected))
