"""What is kept under VLMEXPLAIN_HOME, with sizes; `prune` removes what nothing needs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from vlmexplain.cli.output import print_json, print_table, size_text

if TYPE_CHECKING:
    from vlmexplain.kept import KeptEntry

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
        help="only embeddings, runs, lgip, mentions, unfinished or partial (may be repeated)",
    )
    pruning.add_argument("--dry-run", action="store_true", help="only say what would go")
    limits = actions.add_parser("limits", help="what a process keeps in memory, and what sets it")
    removing = actions.add_parser("remove-run", help="remove one finished run")
    removing.add_argument("run", metavar="KEY")
    dependents = actions.add_parser("dependents", help="everything that was made from one result")
    remove = actions.add_parser("remove", help="remove one result, and what was made from it")
    for each in (dependents, remove):
        each.add_argument("kind", metavar="KIND", help="galleries, embeddings, runs, lgip ...")
        each.add_argument("name", metavar="NAME", help="its key, the start of it, or its name")
    remove.add_argument("--dry-run", action="store_true", help="only say what would go")
    remove.add_argument(
        "--dependents", action="store_true", help="what was made from it goes too (else refused)"
    )
    wanted = "one JSON document on stdout"
    parser.add_argument("--json", action="store_true", help=wanted)
    for each in (
        listing,
        pruning,
        limits,
        dependents,
        remove,
    ):  # no default here: it would undo `cache --json prune`
        each.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=wanted)


def execute(args: argparse.Namespace) -> int:
    """Do what the sub-command says."""
    from vlmexplain.kept import PRUNABLE, find_kind, list_kept, prune, remove_kept

    if args.action == "dependents":
        show_dependents(args)
        return 0
    if args.action == "remove":
        remove_one(args)
        return 0
    if args.action == "remove-run":
        remove_kept(find_kind("runs"), args.run)
        print(f"removed run {args.run}; `vlmexplain cache prune` frees its embeddings")
        return 0
    if args.action == "limits":
        show_limits(args.json)
        return 0
    if args.action == "prune":
        entries = prune(args.kind or PRUNABLE, dry_run=args.dry_run)
        show(entries, args.json, "would be removed" if args.dry_run else "removed")
    else:
        show(list_kept(), args.json, "kept")
    return 0


def show_dependents(args: argparse.Namespace) -> None:
    """What was made from a result, directly or not."""
    from vlmexplain.kept import find_kind, made_from

    found = made_from(find_kind(args.kind), args.name)
    if args.json:
        print_json(
            [
                {"kind": one.kind.name, "name": one.key, "about": one.kind.about(one.manifest)}
                for one in found
            ]
        )
        return
    print_table(
        ["kind", "name", "about"],
        [[one.kind.name, one.key[:12], one.kind.about(one.manifest)] for one in found],
    )


def remove_one(args: argparse.Namespace) -> None:
    """Remove a result, with what was made from it when that is asked for."""
    from vlmexplain.kept import find_kind, remove_kept

    gone = remove_kept(
        find_kind(args.kind), args.name, with_dependents=args.dependents, dry_run=args.dry_run
    )
    if args.json:
        print_json([{"kind": path.parent.name, "name": path.name} for path in gone])
        return
    for path in gone:
        verb = "would be removed" if args.dry_run else "removed"
        print(f"{verb}: {path.parent.name} {path.name[:12]}")


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


def show(entries: list[KeptEntry], as_json: bool, verb: str) -> None:
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
