"""The imported galleries: list them, show one's data checks, say where its pictures moved to."""

from __future__ import annotations

import argparse
from pathlib import Path

from vlmexplain.cli.output import print_json, print_table

NAME = "gallery"
HELP = "list galleries, show data checks, relocate pictures"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: one sub-command an action."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="every gallery")
    listing.set_defaults(act=list_all)
    show = actions.add_parser("show", help="one gallery with its data checks")
    show.set_defaults(act=show_one)
    relocate = actions.add_parser("relocate", help="the image folder has moved")
    relocate.add_argument("--images", type=Path, required=True, metavar="DIR")
    relocate.set_defaults(act=relocate_one)
    for action in (show, relocate):
        action.add_argument("gallery", metavar="G", help="a gallery's name or id")
    for action in (listing, show):
        action.add_argument("--json", action="store_true", help="one JSON document on stdout")


def execute(args: argparse.Namespace) -> int:
    """Do what the sub-command says."""
    args.act(args)
    return 0


def list_all(args: argparse.Namespace) -> None:
    """One line a gallery."""
    from vlmexplain.datasets.gallery import list_galleries
    from vlmexplain.report import gallery_document

    manifests = list_galleries()
    if args.json:
        print_json([gallery_document(manifest) for manifest in manifests])
        return
    print_table(
        ["name", "id", "images", "captions", "instances", "concepts", "world"],
        [
            [
                manifest.name,
                manifest.id[:12],
                str(manifest.n_images),
                str(manifest.n_captions),
                str(manifest.n_instances),
                str(manifest.n_concepts),
                "drawn" if manifest.drawn else "photos",
            ]
            for manifest in manifests
        ],
    )


def show_one(args: argparse.Namespace) -> None:
    """One gallery with the summary of its import."""
    from vlmexplain.datasets.gallery import open_gallery
    from vlmexplain.report import import_document, import_text

    gallery = open_gallery(args.gallery)
    if args.json:
        print_json(import_document(gallery))
    else:
        print(import_text(gallery))


def relocate_one(args: argparse.Namespace) -> None:
    """Remember where the pictures are now."""
    from vlmexplain.datasets.relocation import relocate_gallery

    gallery = relocate_gallery(args.gallery, args.images)
    print(f"{gallery.name}: pictures are read from {gallery.manifest.images_folder}")
