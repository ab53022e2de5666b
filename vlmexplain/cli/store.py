"""A store that several machines share: list it, fetch finished work from it, sweep it."""

from __future__ import annotations

import argparse
import json
import math
import os
from typing import TYPE_CHECKING

from vlmexplain.cli.output import print_json, print_table, size_text
from vlmexplain.errors import DataError, UnknownName

if TYPE_CHECKING:
    from vlmexplain.ray_engine.shared_store import SharedStore

NAME = "store"
HELP = "list, fetch from and sweep a shared store"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: one sub-command an action."""
    wanted = "such as s3://bucket/prefix (default: VLMEXPLAIN_STORE)"
    default = os.environ.get("VLMEXPLAIN_STORE")
    parser.add_argument("--store", default=default, metavar="URL", help=wanted)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="what is published")
    listing.add_argument("--json", action="store_true", help="one JSON document on stdout")
    fetching = actions.add_parser("fetch", help="bring finished work to this machine")
    fetching.add_argument("key", metavar="KEY", help="a key, or the start of one")
    pruning = actions.add_parser("prune", help="remove what died runs left")
    pruning.add_argument(
        "--older-than-h", type=hours, default=24.0, metavar="H", help="0 or more (default 24)"
    )
    pruning.add_argument("--dry-run", action="store_true", help="only say what would go")
    for each in (listing, fetching, pruning):  # no default here: it would undo the one before
        each.add_argument("--store", default=argparse.SUPPRESS, metavar="URL", help=wanted)


def execute(args: argparse.Namespace) -> int:
    """Do what the sub-command says."""
    from vlmexplain.ray_engine.shared_store import SharedStore
    from vlmexplain.ray_engine.store_sweep import prune_store

    if not args.store:
        raise DataError("no store is named.", remedy="Give --store URL or set VLMEXPLAIN_STORE.")
    store = SharedStore(args.store)
    if args.action == "fetch":
        kind, key = _find(store.published(), args.key)
        store.fetch(kind, key)
        print(f"{kind}/{key} is here")
        if kind == "galleries":
            print("Where its pictures are on this machine: vlmexplain gallery relocate --help")
    elif args.action == "prune":
        removed = prune_store(store, older_than_s=args.older_than_h * 3600, dry_run=args.dry_run)
        print(f"{len(removed)} files {'would be removed' if args.dry_run else 'removed'}")
    else:
        _show(store, args.json)
    return 0


def hours(text: str) -> float:
    """An age in hours, 0 or more: what is younger may be in someone's hands.

    >>> hours("1.5")
    1.5

    Raises:
        argparse.ArgumentTypeError: it is no such number.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of hours, 0 or more")
    return value


def _find(published: list[tuple[str, str]], wanted: str) -> tuple[str, str]:
    fits = [entry for entry in published if entry[1].startswith(wanted)]
    if not fits:
        raise UnknownName("key", wanted, sorted(key for _, key in published))
    if len(fits) > 1:
        raise DataError(
            f"{wanted!r} is the start of {len(fits)} keys.",
            remedy="Give more of the one that is meant; `vlmexplain store list` shows them.",
        )
    return fits[0]


def _show(store: SharedStore, as_json: bool) -> None:
    entries = [(kind, key, store.size_bytes(kind, key)) for kind, key in store.published()]
    if as_json:
        print_json([{"kind": kind, "key": key, "size_bytes": n} for kind, key, n in entries])
        return
    print_table(
        ["kind", "key", "size", "about"],
        [[kind, key[:12], size_text(n), _about(store, kind, key)] for kind, key, n in entries],
    )
    print(f"{len(entries)} published, {size_text(sum(n for *_, n in entries))}")


def _about(store: SharedStore, kind: str, key: str) -> str:
    """Whose work it is: the gallery's names, or the model and the gallery; "" when not told."""
    from vlmexplain.ray_engine.remote_files import remote_errors
    from vlmexplain.ray_engine.shared_store import object_name

    stored = (store.listing(kind, key) or {}).get("manifest.json")
    if stored is None:
        return ""
    try:
        with remote_errors(store.url):
            text = store.files.cat_file(f"{store.root}/{object_name(stored.sha256)}")
        manifest = json.loads(text)
        if kind == "galleries":
            return ", ".join(manifest["names"])
        return f"{manifest['model']['name']}, {manifest.get('gallery_name') or manifest['kind']}"
    except FileNotFoundError:
        return "damaged"
    except (ValueError, KeyError, TypeError):
        return ""
