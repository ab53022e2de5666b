"""Write failures as one file to hand over: HTML that opens anywhere, or JSON with the evidence."""

from __future__ import annotations

import argparse
from typing import get_args

from vlmexplain.cli.output import out_file, terminal_progress
from vlmexplain.cli.score_pairs import positive
from vlmexplain.errors import DataError
from vlmexplain.records import MetricOptions, RelativeTo

NAME = "handover"
HELP = "write failures as one self-contained HTML or JSON file"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--run", required=True, metavar="KEY", help="see `vlmexplain runs`")
    parser.add_argument(
        "--query", type=int, action="append", metavar="N",
        help="the caption's place in the gallery; may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--worst", type=int, default=0, metavar="N", help="the N failures with the largest rank"
    )
    parser.add_argument(
        "--without-marked", action="store_true",
        help="--worst passes over what the Audit page marked as wrong caption or annotation",
    )  # fmt: skip
    parser.add_argument("--out", required=True, metavar="FILE", help="ends with .html or .json")
    parser.add_argument("--title", default="", help="over the page")
    parser.add_argument("--query-informed", action="store_true")
    parser.add_argument("--place", type=int, default=1, help="of the ranking (default 1)")
    parser.add_argument(
        "--size-threshold", type=positive, default=MetricOptions().size_threshold, metavar="T_D"
    )
    parser.add_argument(
        "--relative-to", choices=get_args(RelativeTo), default=MetricOptions().relative_to
    )


def execute(args: argparse.Namespace) -> int:
    """Write the file and say how large it is."""
    import numpy as np

    from vlmexplain.datasets.gallery import open_gallery
    from vlmexplain.handover.failures import collect_failures
    from vlmexplain.handover.html_page import as_html
    from vlmexplain.handover.json_document import as_json
    from vlmexplain.overview.marks import read_marks, wrong_captions
    from vlmexplain.scoring.queries import QueryFilter, QuerySort, QueryTable
    from vlmexplain.scoring.run_store import open_run
    from vlmexplain.storage import write_file

    out = out_file(args.out)
    if out.suffix not in (".html", ".json"):
        raise DataError(
            f"{out.name!r} ends with neither .html nor .json.", remedy="Give --out such a name."
        )
    run = open_run(args.run)
    gallery = open_gallery(run.gallery_id)
    table = QueryTable(run, gallery)
    queries = list(args.query or [])
    if args.worst > 0:
        order = table.order(QueryFilter(failures_only=True), QuerySort("rank_1based", True))
        marks = read_marks(gallery.id) if args.without_marked else {}
        wrong = np.array(wrong_captions(marks), dtype=np.int64)
        queries += order[~np.isin(order, wrong)][: args.worst].tolist()
    failures = collect_failures(
        gallery, run, queries, MetricOptions(args.size_threshold, args.relative_to),
        query_informed=args.query_informed, retrieved_place_1based=args.place, table=table,
        progress=terminal_progress(),
    )  # fmt: skip
    text = as_html(failures, args.title) if out.suffix == ".html" else as_json(failures)
    write_file(out, text.encode())
    print(f"{out}: {len(failures)} queries, {out.stat().st_size:,} bytes")
    return 0
