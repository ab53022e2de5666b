"""Whether a server can do its work: this machine's store and ratings, or a running server's word.

Exit code 0 when everything works, 1 when something does not.
"""

from __future__ import annotations

import argparse
import json
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any

from vlmexplain.cli.output import print_json
from vlmexplain.errors import StoreError

NAME = "health"
HELP = "say whether the store and the ratings can be reached, here or of a running server"
MOST_BYTES = 1 << 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--url", metavar="URL", help="ask the server at this address instead")
    parser.add_argument("--timeout", type=float, default=10.0, metavar="S", help="seconds to wait")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def execute(args: argparse.Namespace) -> int:
    """Say how it is."""
    document = _ask(args.url, args.timeout) if args.url is not None else _look()
    if args.json:
        print_json(document)
    else:
        for line in lines(document):
            print(line)
    return 0 if document.get("status") == "ok" else 1


def lines(document: dict[str, Any]) -> list[str]:
    """The document as lines to read.

    >>> lines({"status": "failing", "version": "1", "store": {"ok": False, "because": "gone."}})
    ['failing (version 1)', 'store: gone.']
    >>> lines({"status": "ok", "version": "1", "store": {"found": {"runs": 2, "demo": True}}})
    ['ok (version 1)', 'store: runs 2, demo yes']
    """
    told = [f"{document.get('status')} (version {document.get('version')})"]
    for name, check in document.items():
        if isinstance(check, dict):
            found = ", ".join(
                f"{key} {said(value)}" for key, value in check.get("found", {}).items()
            )
            told.append(f"{name}: {check.get('because') or found or 'ok'}")
    return told


def said(value: object) -> str:
    """A value as a word: truth values are yes and no."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _look() -> dict[str, Any]:
    from vlmexplain.health import check_health, health_document

    return health_document(check_health())


def _ask(url: str, timeout_s: float) -> dict[str, Any]:
    address = url.rstrip("/").removesuffix("/health") + "/health"
    if not address.startswith(("http://", "https://")):
        raise StoreError(f"{url!r} is no address.", remedy="Expected http://host:port.")
    try:
        with urllib.request.urlopen(address, timeout=timeout_s) as answer:  # noqa: S310
            text = answer.read(MOST_BYTES)
    except urllib.error.HTTPError as error:  # 503 carries the document too
        text = error.read(MOST_BYTES)
    except (OSError, ValueError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise StoreError(
            f"no server answers ({reason}).",
            where=address,
            remedy="Is it running, and is this its host and port?",
        ) from error
    try:
        document = json.loads(text)
    except ValueError:
        document = None
    if not isinstance(document, dict) or "status" not in document:
        raise StoreError("what answers there is not this program.", where=address)
    return document
