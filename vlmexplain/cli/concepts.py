"""The names of a gallery's objects: which concept each became, and how that was decided.

Write the table with --out, correct its synset column, and --apply it: that makes a new gallery
with the same images and captions. Its runs come along: their rankings stay, and the metrics of
their failures are computed again, without the model.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vlmexplain.cli.output import out_file, print_json, print_table, terminal_progress

if TYPE_CHECKING:
    from vlmexplain.datasets.concept_names import ConceptName
    from vlmexplain.datasets.gallery import Gallery

NAME = "concepts"
HELP = "review which concept each name became, and correct it"
_SHOWN = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("gallery", metavar="GALLERY", help="a gallery's name or id")
    parser.add_argument("--guessed", action="store_true", help="only names that were guessed")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--out", metavar="FILE.csv", help="write the whole table")
    what.add_argument("--apply", type=Path, metavar="FILE.csv", help="a corrected table")
    parser.add_argument("--name", help="what to call the new gallery (with --apply)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def execute(args: argparse.Namespace) -> int:
    """Show, write or apply the table."""
    from vlmexplain.datasets.gallery import open_gallery

    gallery = open_gallery(args.gallery)
    if args.apply:
        apply(args, gallery)
    else:
        show(args, gallery)
    return 0


def show(args: argparse.Namespace, gallery: Gallery) -> None:
    """The table, to a file, as JSON or on the terminal."""
    from vlmexplain.concepts.wordnet import load_wordnet
    from vlmexplain.datasets.concept_names import concept_names
    from vlmexplain.datasets.concept_table import table_text
    from vlmexplain.storage import write_file

    path = out_file(args.out) if args.out else None
    rows = concept_names(gallery, load_wordnet(), only_guessed=args.guessed)
    if path:
        write_file(path, table_text(rows).encode("utf-8", "surrogatepass"))
    if args.json:
        print_json({"gallery": gallery.id, "names": [document(row) for row in rows]})
    elif path:
        guessed = sum(row.guessed for row in rows)
        print(f"{path}: {len(rows):,} names, {guessed:,} of them guessed or without a synset")
    else:
        print_table(
            ["name", "synset", "decided by", "objects", "could also be"],
            [
                [
                    row.name,
                    row.synset or "-",
                    row.decided_by,
                    f"{row.n_instances:,}",
                    " ".join(row.alternatives[:3]),
                ]
                for row in rows[:_SHOWN]
            ],
        )
        if len(rows) > _SHOWN:
            print(f"... and {len(rows) - _SHOWN:,} more; --out FILE.csv writes them all.")


def apply(args: argparse.Namespace, gallery: Gallery) -> None:
    """Make the new gallery, take its runs along, and print its id."""
    from vlmexplain.concepts.wordnet import load_wordnet
    from vlmexplain.datasets.renaming import apply_table
    from vlmexplain.scoring.rescoring import carry_over_runs

    progress = terminal_progress()
    made = apply_table(gallery, args.apply, load_wordnet(), name=args.name, progress=progress)
    runs = carry_over_runs(gallery, made.gallery, progress) if made.n_names else ()
    if args.json:
        print_json(
            {
                "gallery": made.gallery.id,
                "name": made.gallery.name,
                "changed_names": made.n_names,
                "changed_instances": made.n_instances,
                "runs": [run.key for run in runs],
            }
        )
        return
    print(made.gallery.id)
    said = (
        f"{made.gallery.name}: {made.n_names:,} names and {made.n_instances:,} objects changed, "
        f"{len(runs)} runs carried over"
        if made.n_names
        else "the table changes nothing; this is the gallery as it is"
    )
    print(said, file=sys.stderr)


def document(row: ConceptName) -> dict[str, Any]:
    """A row as a JSON value."""
    return {
        "name": row.name,
        "synset": row.synset,
        "decided_by": row.decided_by,
        "guessed": row.guessed,
        "instances": row.n_instances,
        "alternatives": list(row.alternatives),
        "gloss": row.gloss,
    }
