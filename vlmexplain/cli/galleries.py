"""The imported galleries: list, show data checks, ids, rename, relocate the pictures, check."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from pathlib import Path

from vlmexplain.cli.output import print_json, print_table, terminal_progress

NAME = "gallery"
HELP = "list galleries, show data checks and ids, rename, relocate pictures, check for damage"


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
    check = actions.add_parser(
        "check",
        help="compare its files and pictures with what was imported",
        description="Compare every file of a gallery, and every picture it names, with what was "
        "imported, bit by bit. Exit code 1 when something has changed.",
    )
    check.set_defaults(act=check_one)
    rename = actions.add_parser("rename", help="give it another name")
    rename.set_defaults(act=rename_one)
    ids = actions.add_parser("ids", help="ids of captions and images, in the gallery's order")
    ids.set_defaults(act=list_ids)
    for action in (show, relocate, check, rename, ids):
        action.add_argument("gallery", metavar="G", help="a gallery's name or id")
    rename.add_argument("name", metavar="NAME", help="its new name; no other gallery may have it")
    for action in (listing, show, check, ids):
        action.add_argument("--json", action="store_true", help="one JSON document on stdout")


def execute(args: argparse.Namespace) -> int:
    """Do what the sub-command says."""
    return int(args.act(args) or 0)


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


def rename_one(args: argparse.Namespace) -> None:
    """Give a gallery another name."""
    from vlmexplain.datasets.gallery_names import rename_gallery

    gallery = rename_gallery(args.gallery, args.name)
    print(f"{gallery.id[:12]}: its name is {gallery.name}")


def list_ids(args: argparse.Namespace) -> None:
    """Ids in the gallery's order: the rows and columns of a table of scores."""
    from vlmexplain.datasets.gallery import open_gallery

    gallery = open_gallery(args.gallery)
    captions = gallery.captions_table.column("caption_id").to_pylist()
    images = gallery.images_table.column("image_id").to_pylist()
    if args.json:
        print_json({"captions": captions, "images": images})
        return
    for kind, found in (("caption", captions), ("image", images)):
        for one in found:
            print(f"{kind}\t{one}")


def relocate_one(args: argparse.Namespace) -> None:
    """Remember where the pictures are now."""
    from vlmexplain.datasets.relocation import relocate_gallery

    gallery = relocate_gallery(args.gallery, args.images)
    print(f"{gallery.name}: pictures are read from {gallery.manifest.images_folder}")


def check_one(args: argparse.Namespace) -> int:
    """A line for each thing that is not as it was imported; 1 when there is any."""
    from vlmexplain.concepts.wordnet import load_wordnet
    from vlmexplain.datasets.gallery import open_gallery
    from vlmexplain.datasets.integrity import damaged_pictures, damaged_tables

    gallery, progress = open_gallery(args.gallery), terminal_progress()
    found = list(damaged_tables(gallery, load_wordnet(), progress))
    n_pictures = 0
    if not found:  # else the names and hashes of the pictures are not to be trusted
        found = list(damaged_pictures(gallery, progress))
        n_pictures = gallery.n_images
    if args.json:
        damages = [dataclasses.asdict(damage) for damage in found]
        print_json({"gallery": gallery.id, "pictures_compared": n_pictures, "damages": damages})
    elif not found:
        print(f"{gallery.name}: every file, and {n_pictures:,} pictures, as imported")
    for damage in found if not args.json else []:
        print(f"{damage.code}: {damage.where}: {damage.problem}")
    if found:
        print("vlmexplain: put the files back, or import the data again.", file=sys.stderr)
    return 1 if found else 0
