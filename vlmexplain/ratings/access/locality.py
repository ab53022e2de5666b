"""Whether a visitor sits at the machine itself; whoever comes through a proxy does not."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

FORWARDING = frozenset(
    [
        "cf-connecting-ip",
        "client-ip",
        "fastly-client-ip",
        "fly-client-ip",
        "forwarded",
        "forwarded-for",
        "true-client-ip",
        "via",
        "x-client-ip",
        "x-cluster-client-ip",
        "x-envoy-external-address",
        "x-original-forwarded-for",
        "x-real-ip",
    ]
)
"""Headers that a proxy adds, beside all that begin with ``x-forwarded``."""


def is_local(peer: str | None, headers: Iterable[tuple[str, str]]) -> bool:
    """Whether a request was made on the machine itself, by all that it says.

    A proxy on the machine makes every visitor look local by the peer alone. So no header may
    tell of forwarding, and both the host asked for and the page's origin must be this machine: a
    browser sends the origin whatever the proxy does, and a name that was made to point here
    (DNS rebinding) is not one of this machine's.

    Args:
        peer: the address at the other end of the connection; None: not known.
        headers: names and values of the request.

    >>> is_local("127.0.0.1", [("Host", "localhost:8501"), ("Origin", "http://localhost:8501")])
    True
    >>> is_local("127.0.0.1", [("Host", "localhost:8501"), ("X-Forwarded-For", "127.0.0.1")])
    False
    """
    given: dict[str, list[str]] = {}
    for name, value in headers:
        given.setdefault(name.lower(), []).append(value)
    if any(name in FORWARDING or name.startswith("x-forwarded") for name in given):
        return False
    hosts = [f"//{host}" for host in given.get("host", [])]
    return (
        peer is not None
        and _is_loopback(peer)
        and len(hosts) == 1
        and all(_is_this_machine(url) for url in (*hosts, *given.get("origin", [])))
    )


def _is_this_machine(url: str) -> bool:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    return host == "localhost" or _is_loopback(host)


def _is_loopback(address: str) -> bool:
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_loopback
