"""Which images fit a query beyond its own: add a source to a gallery, list them, remove one."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from vlmexplain.cli.output import print_json, print_table

if TYPE_CHECKING:
    from vlmexplain.positives.summary import GallerySummary, SourceSummary

NAME = "positives"
HELP = "images that fit a query beyond its own: add a source, list, remove"
SOURCES = "eccv-caption, cxc, a JSON or CSV file, session:ID, or marks"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: the gallery, then one sub-command an action."""
    parser.add_argument("gallery", metavar="GALLERY", help="a gallery's name or id")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    add = actions.add_parser("add", help="take a source in, or read it anew")
    add.add_argument("source", metavar="SOURCE", help=SOURCES)
    add.add_argument(
        "--partly", action="store_true",
        help="the gallery is a part of the file's data set: take it, however many ids are unknown",
    )  # fmt: skip
    add.set_defaults(act=add_one)
    listing = actions.add_parser("list", help="the sources, and what each says")
    listing.set_defaults(act=list_all)
    remove = actions.add_parser("remove", help="forget a source; answers and marks stay")
    remove.add_argument("source", metavar="SOURCE", help="as it is listed")
    remove.set_defaults(act=remove_one)
    for action in (add, listing, remove):
        action.add_argument("--json", action="store_true", help="one JSON document on stdout")


def execute(args: argparse.Namespace) -> int:
    """Do what the sub-command says."""
    args.act(args)
    return 0


def add_one(args: argparse.Namespace) -> None:
    """Add a source, and say what it holds and what did not match."""
    from vlmexplain.datasets.gallery import open_gallery
    from vlmexplain.positives.store import add_source
    from vlmexplain.positives.summary import gallery_summary

    gallery = open_gallery(args.gallery)
    kept = add_source(gallery, args.source, partly=args.partly)
    summary = gallery_summary(gallery)
    added = next(one for one in summary.sources if one.source.name == kept.name)
    if args.json:
        print_json({"gallery": gallery.id, **_source(added)})
        return
    print(
        f"{kept.name}: {added.n_positives:,} positives beyond the own images, "
        f"{added.n_negatives:,} judged negatives, {added.n_queries:,} queries."
    )
    if kept.unknown:
        print(kept.unknown)


def list_all(args: argparse.Namespace) -> None:
    """One line a source."""
    from vlmexplain.datasets.gallery import open_gallery
    from vlmexplain.positives.summary import gallery_summary

    gallery = open_gallery(args.gallery)
    summary = gallery_summary(gallery)
    if args.json:
        print_json(_document(gallery.id, summary))
        return
    print_table(
        ["source", "kind", "added", "queries", "fit too", "do not fit", "unknown ids"],
        [
            [
                one.source.name,
                one.source.about.title,
                one.added[:10],
                str(one.n_queries),
                str(one.n_positives),
                str(one.n_negatives),
                str(one.source.n_unknown_captions + one.source.n_unknown_images),
            ]
            for one in summary.sources
        ],
    )


def remove_one(args: argparse.Namespace) -> None:
    """Forget a source."""
    from vlmexplain.datasets.gallery import open_gallery
    from vlmexplain.positives.store import remove_source

    gallery = open_gallery(args.gallery)
    removed = remove_source(gallery, args.source)
    if args.json:
        print_json({"gallery": gallery.id, "removed": removed.name})
    else:
        print(f"{removed.name}: removed from {gallery.name}")


def _document(gallery_id: str, summary: GallerySummary) -> dict[str, Any]:
    return {
        "gallery": gallery_id,
        "queries": summary.n_queries,
        "judged_queries": summary.n_judged,
        "positives": summary.n_positives,
        "disputed": summary.n_disputed,
        "sources": [_source(one) for one in summary.sources],
    }


def _source(one: SourceSummary) -> dict[str, Any]:
    kept = one.source
    return {
        "source": kept.name,
        "kind": kept.kind,
        "title": kept.about.title,
        "meaning": kept.about.meaning,
        "origin": kept.origin,
        "version": kept.version,
        "added": one.added,
        "queries": one.n_queries,
        "positives": one.n_positives,
        "negatives": one.n_negatives,
        "disputed": one.n_disputed,
        "unknown_captions": kept.n_unknown_captions,
        "unknown_images": kept.n_unknown_images,
        "unknown": kept.unknown,
        "unreadable": one.unreadable or None,
    }
