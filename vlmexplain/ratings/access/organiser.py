"""Who may organise: who knows the secret or logs in; without either, only the machine itself."""

from __future__ import annotations

import os
from typing import Literal

from vlmexplain.ratings.access.codes import same_secret

SECRET_VARIABLE = "VLMEXPLAIN_ORGANISER_SECRET"  # noqa: S105

Access = Literal["granted", "secret-needed", "login-needed", "only-local"]


def configured_secret(given: str | None = None) -> str | None:
    """The organiser's secret: ``given`` (from a secrets file), else the environment's; or None."""
    return given or os.environ.get(SECRET_VARIABLE) or None


def secret_is_right(typed: str, secret: str) -> bool:
    """Whether the typed secret is the configured one; takes the same time either way.

    Count wrong ones with `attempts.check_attempts` and `attempts.note_failure`.
    """
    return bool(secret) and same_secret(typed, secret)


def organiser_access(
    secret: str | None, typed: str | None, is_local: bool, logged_in: bool | None = None
) -> Access:
    """Whether a visitor may see the organiser's pages.

    Args:
        secret: the configured one, see `configured_secret`.
        typed: what the visitor typed, if anything.
        is_local: the visitor is on the machine itself, see `locality.is_local`.
        logged_in: whether the visitor has logged in as one of the organisers; None where no
            login is configured.

    >>> organiser_access(None, None, is_local=True), organiser_access(None, "x", is_local=False)
    ('granted', 'only-local')
    >>> organiser_access("s3", "s3", is_local=False), organiser_access("s3", None, is_local=True)
    ('granted', 'secret-needed')
    >>> organiser_access(None, None, is_local=True, logged_in=False)
    'login-needed'
    """
    if logged_in or (secret and typed is not None and secret_is_right(typed, secret)):
        return "granted"
    if secret:
        return "secret-needed"
    if logged_in is not None:
        return "login-needed"
    return "granted" if is_local else "only-local"
