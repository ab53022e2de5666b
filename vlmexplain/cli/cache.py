"""What is kept under VLMEXPLAIN_HOME, with sizes; `prune` removes what nothing needs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from vlmexplain.cli.output import print_json, print_table, size_text

if TYPE_CHECKING:
    from vlmexplain.scoring.cache import CacheEntry

NAME = "cache"
HELP = "list what is kept, prune what nothing needs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: one sub-command an action."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("list", help="everything that is kept, with sizes (default)")
    pruning = actions.add_parser("prune", help="remove what nothing needs")
    pruning.add_argument(
        "--kind",
        action="append",
        help="only embeddings, runs, unfinished or partial (may be repeated)",
    )
    pruning.add_argument("--dry-run", action="store_true", help="only say what would go")
    limits = actions.add_parser("limits", help="what a process keeps in memory, and what sets it")
    removing = actions.add_parser("remove-run", help="remove one finished run")
    removing.add_argument("run", metavar="KEY")
    wanted = "one JSON document on stdout"
    parser.add_argument("--json", action="store_true", help=wanted)
    for each in (listing, pruning, limits):  # no default here: it would undo `cache --json prune`
        each.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=wanted)


def execute(args: argparse.Namespace) -> int:
    """Do what the sub-command says."""
    from vlmexplain.scoring.cache import PRUNABLE, list_cache, prune, remove_run

    if args.action == "remove-run":
        remove_run(args.run)
        print(f"removed run {args.run}; `vlmexplain cache prune` frees its embeddings")
        return 0
    if args.action == "limits":
        show_limits(args.json)
        return 0
    if args.action == "prune":
        entries = prune(args.kind or PRUNABLE, dry_run=args.dry_run)
        show(entries, args.json, "would be removed" if args.dry_run else "removed")
    else:
        show(list_cache(), args.json, "kept")
    return 0


def show_limits(as_json: bool) -> None:
    """The sizes of the caches in memory as a table or as JSON."""
    from vlmexplain.cache_sizes import SIZES, check_sizes, size_of

    check_sizes()  # a misspelt variable too
    if as_json:
        print_json(
            [
                {
                    "name": size.name,
                    "limit": size_of(size.name),
                    "unit": size.unit,
                    "default": size.default,
                    "variable": size.variable,
                    "holds": size.holds,
                }
                for size in SIZES
            ]
        )
        return
    print_table(
        ["cache", "limit", "set by", "holds"],
        [
            [size.name, f"{size_of(size.name)} {size.unit}", size.variable, size.holds]
            for size in SIZES
        ],
    )


def show(entries: list[CacheEntry], as_json: bool, verb: str) -> None:
    """The entries as a table with their total, or as JSON."""
    if as_json:
        print_json(
            [
                {
                    "kind": entry.kind,
                    "name": entry.name,
                    "about": entry.about,
                    "size_bytes": entry.size_bytes,
                    "needed": entry.needed,
                }
                for entry in entries
            ]
        )
        return
    print_table(
        ["kind", "name", "size", "about"],
        [
            [
                entry.kind,
                entry.name[:12],
                size_text(entry.size_bytes),
                entry.about + ("" if entry.needed else " (prunable)"),
            ]
            for entry in entries
        ],
    )
    print(f"{len(entries)} {verb}, {size_text(sum(entry.size_bytes for entry in entries))}")
