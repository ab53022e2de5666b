"""The table of the paper for every finished run of a gallery: text, CSV, Markdown, LaTeX, JSON."""

from __future__ import annotations

import argparse
import sys

from vlmexplain.cli.output import out_file, print_json

NAME = "table"
HELP = "print the figures of all runs of a gallery, with intervals"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--gallery", required=True, metavar="G", help="a gallery's name or id")
    parser.add_argument(
        "--format",
        choices=("text", "csv", "markdown", "latex"),
        default="text",
        help="default: text",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="one JSON document on stdout, corrected figures included",
    )
    parser.add_argument("--parquet", metavar="FILE", help="write the table as Parquet as well")
    parser.add_argument(
        "--slice", metavar="NAME", help="only the queries of a slice saved on the Overview page"
    )
    parser.add_argument(
        "--without-marked", action="store_true",
        help="leave out what the Audit page marked as wrong caption or annotation",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap (default 0)")


def execute(args: argparse.Namespace) -> int:
    """Print the table."""
    from vlmexplain.datasets.gallery import open_gallery
    from vlmexplain.overview.gallery_table import gallery_table
    from vlmexplain.overview.saved_slices import chosen_by_name
    from vlmexplain.overview.table_json import table_document
    from vlmexplain.overview.table_text import FORMATS, as_parquet
    from vlmexplain.storage import write_file

    parquet = out_file(args.parquet) if args.parquet else None
    gallery = open_gallery(args.gallery)
    chosen = chosen_by_name(gallery, args.slice, without_marked=args.without_marked)
    table = gallery_table(gallery.id, args.seed, chosen)
    if args.json:
        print_json(table_document(gallery, table, args.seed, chosen))
    else:
        sys.stdout.write(FORMATS[args.format](table).rstrip("\n") + "\n")
    if parquet:
        write_file(parquet, as_parquet(table))
    return 0
