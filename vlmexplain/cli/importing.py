"""Bring COCO or Visual Genome in as a gallery; the pictures stay where they are.

An interrupted import leaves nothing half-made. The summary says what was taken, left out and
flagged, by code; it is kept with the gallery and shown in the app.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from vlmexplain.cli.output import print_json, terminal_progress

if TYPE_CHECKING:
    from vlmexplain.datasets.gallery import Gallery

NAME = "import"
HELP = "import COCO or Visual Genome as a gallery"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: one sub-command a format."""
    formats = parser.add_subparsers(dest="format", metavar="FORMAT", required=True)
    coco = formats.add_parser("coco", help="instances and captions JSON, image folder")
    coco.add_argument("--instances", type=Path, required=True, metavar="JSON")
    coco.add_argument("--captions", type=Path, required=True, metavar="JSON")
    coco.add_argument(
        "--synsets",
        type=Path,
        metavar="FILE",
        help="category -> synset, TSV or JSON, over the built-in table",
    )
    coco.set_defaults(importer=import_coco)
    vg = formats.add_parser("vg", help="Visual Genome objects or scene graphs, image folder")
    vg.add_argument(
        "--objects", type=Path, required=True, metavar="JSON", help="objects.json or scene graphs"
    )
    vg.add_argument("--image-data", type=Path, required=True, metavar="JSON")
    vg.add_argument("--aliases", type=Path, metavar="TXT", help="object_alias.txt")
    vg.add_argument("--captions", type=Path, metavar="JSON", help="COCO captions, by coco_id")
    vg.add_argument("--coco-map", type=Path, metavar="JSON", help="COCO id -> VG ids")
    vg.set_defaults(importer=import_vg)
    for each in (coco, vg):
        each.add_argument("--images", type=Path, required=True, metavar="DIR")
        each.add_argument("--name", help="the gallery's name (default: the image folder's)")
        each.add_argument(
            "--verify",
            choices=["decode", "header"],
            default="decode",
            help="decode every picture (default) or only read its header",
        )
        each.add_argument("--json", action="store_true", help="one JSON document on stdout")


def execute(args: argparse.Namespace) -> int:
    """Import, and print the summary."""
    from vlmexplain.report import import_document, import_text

    gallery = args.importer(args)
    if args.json:
        print_json(import_document(gallery))
    else:
        print(import_text(gallery))
    return 0


def import_coco(args: argparse.Namespace) -> Gallery:
    """COCO with the arguments of the command line."""
    from vlmexplain.datasets.coco import import_coco as import_files

    return import_files(
        args.instances,
        args.captions,
        args.images,
        name=gallery_name(args),
        synset_table=args.synsets,
        verify=args.verify,
        progress=terminal_progress(),
    )


def import_vg(args: argparse.Namespace) -> Gallery:
    """Visual Genome with the arguments of the command line."""
    from vlmexplain.datasets.visual_genome import import_vg as import_files

    return import_files(
        args.objects,
        args.image_data,
        args.images,
        aliases=args.aliases,
        captions=args.captions,
        coco_map=args.coco_map,
        name=gallery_name(args),
        verify=args.verify,
        progress=terminal_progress(),
    )


def gallery_name(args: argparse.Namespace) -> str:
    """The name asked for, else the image folder's, without the bare ``images``."""
    if args.name:
        return str(args.name)
    folder = args.images.absolute()
    return str(folder.parent.name if folder.name == "images" else folder.name) or "gallery"
