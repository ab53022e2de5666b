"""The finished runs, newest first."""

from __future__ import annotations

import argparse

from vlmexplain.cli.output import print_json, print_table

NAME = "runs"
HELP = "list finished runs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--gallery", metavar="G", help="only those of this gallery")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def execute(args: argparse.Namespace) -> int:
    """One line a run."""
    from vlmexplain.datasets.gallery import open_gallery
    from vlmexplain.report import run_manifest_document
    from vlmexplain.scoring.run_store import list_runs

    manifests = list_runs(open_gallery(args.gallery).id if args.gallery else None)
    if args.json:
        print_json([run_manifest_document(manifest) for manifest in manifests])
        return 0
    print_table(
        ["run", "gallery", "model", "mode", "queries", "failures"],
        [
            [
                manifest.key[:12],
                manifest.gallery_name,
                manifest.model.name,
                manifest.mode,
                str(manifest.n_queries),
                str(manifest.n_failures),
            ]
            for manifest in manifests
        ],
    )
    return 0
