"""Who organises: the secret, a login, the machine itself; and who only looks like the latter."""

from __future__ import annotations

import itertools

import pytest

from vlmexplain.ratings.access.locality import is_local
from vlmexplain.ratings.access.organiser import organiser_access

HERE = [("Host", "localhost:8501"), ("Origin", "http://localhost:8501")]


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "127.8.0.3", "::ffff:127.0.0.1"])
@pytest.mark.parametrize("host", ["localhost:8501", "127.0.0.1:8501", "[::1]:8501", "localhost"])
def test_the_machine_itself(peer: str, host: str) -> None:
    assert is_local(peer, [("host", host), ("ORIGIN", f"http://{host}")])
    assert is_local(peer, [("host", host)]), "a client that is no browser sends no origin"


@pytest.mark.parametrize(
    "added",
    [
        ("X-Forwarded-For", "127.0.0.1"),
        ("x-forwarded-for", ""),
        ("X-Forwarded-Host", "localhost"),
        ("X-Forwarded-Proto", "https"),
        ("Forwarded", "for=127.0.0.1"),
        ("X-Real-IP", "127.0.0.1"),
        ("Via", "1.1 proxy"),
        ("CF-Connecting-IP", "127.0.0.1"),
    ],
)
def test_whoever_comes_through_a_proxy_is_not_local(added: tuple[str, str]) -> None:
    assert not is_local("127.0.0.1", [*HERE, added])


@pytest.mark.parametrize(
    "headers",
    [
        # a proxy that adds no header: the page's origin is still another machine's
        [("Host", "127.0.0.1:8501"), ("Origin", "https://ratings.example.org")],
        [("Host", "ratings.example.org"), ("Origin", "http://localhost:8501")],
        # a name that was made to point here
        [("Host", "rebound.example.org:8501"), ("Origin", "http://rebound.example.org:8501")],
        [("Host", "localhost.example.org"), ("Origin", "http://localhost.example.org")],
        [("Host", "localhost"), ("Host", "example.org")],
        [("Host", "localhost"), ("Origin", "null")],
        [("Host", "127.0.0.1@example.org")],
        [("Host", "[::1")],
        [("Host", "")],
        [],
    ],
)
def test_another_name_is_not_local(headers: list[tuple[str, str]]) -> None:
    assert not is_local("127.0.0.1", headers)


@pytest.mark.parametrize("peer", ["203.0.113.7", "10.0.0.1", "::ffff:203.0.113.7", "", None, "x"])
def test_another_machine_is_not_local(peer: str | None) -> None:
    assert not is_local(peer, HERE)


def test_every_combination_of_secret_login_and_place() -> None:
    for secret, typed, local, login in itertools.product(
        (None, "", "s3"), (None, "", "s3", "S3"), (False, True), (None, False, True)
    ):
        granted = organiser_access(secret, typed, local, login)
        knows = secret == "s3" and typed == "s3"
        unguarded = not secret and login is None
        assert (granted == "granted") == (knows or login is True or (unguarded and local))
        if granted != "granted":
            kind = "secret-needed" if secret else "only-local" if login is None else "login-needed"
            assert granted == kind
