"""A store that several machines share: list it, fetch finished work from it, sweep it."""

from __future__ import annotations

import argparse
import os

from vlmexplain.cli.output import print_json, print_table, size_text
from vlmexplain.errors import DataError, UnknownName

NAME = "store"
HELP = "list, fetch from and sweep a shared store"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: one sub-command an action."""
    parser.add_argument(
        "--store",
        default=os.environ.get("VLMEXPLAIN_STORE"),
        metavar="URL",
        help="such as s3://bucket/prefix (default: VLMEXPLAIN_STORE)",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="what is published")
    listing.add_argument("--json", action="store_true", help="one JSON document on stdout")
    fetching = actions.add_parser("fetch", help="bring finished work to this machine")
    fetching.add_argument("key", metavar="KEY", help="a key, or the start of one")
    pruning = actions.add_parser("prune", help="remove what died runs left")
    pruning.add_argument("--older-than-h", type=float, default=24.0, metavar="H")
    pruning.add_argument("--dry-run", action="store_true", help="only say what would go")


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
    elif args.action == "prune":
        removed = prune_store(store, older_than_s=args.older_than_h * 3600, dry_run=args.dry_run)
        print(f"{len(removed)} files {'would be removed' if args.dry_run else 'removed'}")
    else:
        _show([(k, key, store.size_bytes(k, key)) for k, key in store.published()], args.json)
    return 0


def _find(published: list[tuple[str, str]], wanted: str) -> tuple[str, str]:
    fits = [entry for entry in published if entry[1].startswith(wanted)]
    if len(fits) != 1:
        raise UnknownName("key", wanted, sorted(key for _, key in fits or published))
    return fits[0]


def _show(entries: list[tuple[str, str, int]], as_json: bool) -> None:
    if as_json:
        print_json([{"kind": kind, "key": key, "size_bytes": n} for kind, key, n in entries])
        return
    print_table(
        ["kind", "key", "size"], [[kind, key[:12], size_text(n)] for kind, key, n in entries]
    )
