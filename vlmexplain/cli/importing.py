"""Bring data in as a gallery; the pictures stay where they are.

`import PATH` recognises the form of a file, or of a folder of files that belong together, and
says what it found before it imports; `import coco` and `import vg` name each file.

An interrupted import leaves nothing half-made. The summary says what was taken, left out and
flagged, by code; it is kept with the gallery and shown in the app.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vlmexplain.cli.output import print_json, terminal_progress

if TYPE_CHECKING:
    from vlmexplain.datasets.gallery import Gallery
    from vlmexplain.datasets.import_path import Found

_FORMATS = ("coco", "vg")
_PATH = "path"
NAME = "import"
HELP = "import a file or folder in any known form as a gallery"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: one sub-command a format."""
    formats = parser.add_subparsers(
        dest="format", metavar="PATH|coco|vg", required=True, action=_PathOrFormat
    )
    formats.choices = None  # type: ignore[assignment]  # whatever is no format is a path
    _add_path_arguments(formats.add_parser(_PATH, help="any known form: a file, or a folder"))
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


class _PathOrFormat(argparse._SubParsersAction):  # type: ignore[type-arg]
    """``import coco`` and ``import vg`` are formats; anything else is a path."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        values = values if values[0] in _FORMATS else [_PATH, *values]
        super().__call__(parser, namespace, values, option_string)


def _add_path_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, metavar="PATH")
    pictures = parser.add_mutually_exclusive_group()
    pictures.add_argument("--images", type=Path, metavar="DIR", help="default: near the data")
    pictures.add_argument("--no-images", action="store_true", help="a gallery without pictures")
    parser.add_argument("--split", metavar="NAME", help="only this split, such as test or val")
    parser.add_argument("--only-images", type=Path, metavar="FILE", help="image ids, one a line")
    parser.add_argument("--image-column", metavar="NAME", help="of a table: names the image")
    parser.add_argument("--caption-column", metavar="NAME", help="of a table: holds the caption")
    parser.add_argument("--name", help="the gallery's name (default: the path's)")
    parser.add_argument("--verify", choices=["decode", "header"], default="decode")
    parser.add_argument("--yes", action="store_true", help="do not ask before importing")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.set_defaults(importer=import_any)


def execute(args: argparse.Namespace) -> int:
    """Import, and print the summary."""
    from vlmexplain.report import import_document, import_summary, import_text

    gallery = args.importer(args)
    if args.json:
        print_json(import_summary(gallery) if args.format == _PATH else import_document(gallery))
    else:
        print(import_text(gallery))
    return 0


def import_any(args: argparse.Namespace) -> Gallery:
    """A path with the arguments of the command line."""
    from vlmexplain.datasets.forms.draft import Columns
    from vlmexplain.datasets.import_path import Asked, import_path

    return import_path(
        args.path,
        name=args.name or args.path.absolute().stem or "gallery",
        asked=Asked(
            images=args.images,
            no_images=args.no_images,
            split=args.split,
            only_images=args.only_images,
            columns=Columns(args.image_column, args.caption_column),
            verify=args.verify,
        ),
        confirm=lambda found: _confirmed(found, args),
        progress=terminal_progress(),
    )


def _confirmed(found: Found, args: argparse.Namespace) -> bool:
    """Say what was found; ask where somebody can answer."""
    print(found.text(), file=sys.stderr)
    if args.yes or args.json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    print("Import it? [Y/n] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("", "y", "yes")


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
