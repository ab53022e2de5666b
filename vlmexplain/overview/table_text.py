"""The overview table as text, CSV, Markdown, LaTeX and Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping

import pyarrow as pa
import pyarrow.parquet as pq

from vlmexplain.overview.bootstrap import DRAWS, LEVEL
from vlmexplain.overview.columns import Column
from vlmexplain.overview.figures import Figure
from vlmexplain.overview.order import order_lines
from vlmexplain.overview.table import OverviewRow, OverviewTable

ARROW = {"high": "↑", "low": "↓", "none": ""}
MARK = {"best": "▲", "worst": "▽", "": ""}
CELLS = ("value", "low", "high", "n_cases", "cases", "good", "mark")
LATEX_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""What makes a spreadsheet read a cell as a formula."""

INTERVAL_TEXT = (
    f"Intervals: {100 * LEVEL:.0f} % percentile bootstrap, {DRAWS:,} draws of whole images, seeded."
)


def as_text(table: OverviewTable) -> str:
    """One line a figure, one column a run: value, interval, cases; for a terminal."""
    if not table.rows:
        return "no finished run"
    header = ["", *(row.name for row in table.rows)]
    lines = [[_head(column), *(_cell(table, row, column) for row in table.rows)]
             for column in table.columns]  # fmt: skip
    widths = [max(len(line[i]) for line in [header, *lines]) for i in range(len(header))]
    body = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in [header, *lines]
    ]
    legend = "▲ best, ▽ worst; ↑ high is good, ↓ low is good; [interval], (cases)."
    return "\n".join([*body, "", legend, INTERVAL_TEXT, *order_lines(table)])


def as_csv(table: OverviewTable) -> str:
    """One line a run and figure, full precision; an undefined value is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["run", "model", "mode", "n_queries", "figure", *CELLS])
    for record in _records(table):
        writer.writerow(["" if v is None else spreadsheet_safe(v) for v in record.values()])
    return out.getvalue()


def as_markdown(table: OverviewTable) -> str:
    """A GitHub table, one line a figure; best in bold."""
    header = ["", *(_markdown(row.name) for row in table.rows)]
    lines = [header, ["---", *["---:"] * len(table.rows)]]
    for column in table.columns:
        cells = []
        for row in table.rows:
            text = _cell(table, row, column, marks=False)
            best = table.mark(row, column.key) == "best"
            cells.append(f"**{text}**" if best else text)
        lines.append([_head(column), *cells])
    rows = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([*rows, "", INTERVAL_TEXT, *map(_markdown, order_lines(table))]) + "\n"


def as_latex(table: OverviewTable) -> str:
    """A ``tabular`` with booktabs, one line a figure; best bold, worst underlined."""
    head = " & ".join(["", *(latex_text(row.name) for row in table.rows)])
    lines = [
        rf"\begin{{tabular}}{{l{'r' * len(table.rows)}}}",
        r"\toprule",
        rf"{head} \\",
        r"\midrule",
    ]
    for column in table.columns:
        arrow = {"high": r" $\uparrow$", "low": r" $\downarrow$", "none": ""}[column.good]
        cells = [_latex_cell(table, row, column) for row in table.rows]
        lines.append(" & ".join([latex_text(column.title) + arrow, *cells]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", f"% {INTERVAL_TEXT}"]
    return "\n".join([*lines, *(f"% {line}" for line in order_lines(table))]) + "\n"


def as_parquet(table: OverviewTable) -> bytes:
    """The same rows as the CSV, typed."""
    types = {"n_queries": pa.int64(), "n_cases": pa.int64()} | dict.fromkeys(
        ("value", "low", "high"), pa.float64()
    )
    names = ["run", "model", "mode", "n_queries", "figure", *CELLS]
    schema = pa.schema([(name, types.get(name, pa.string())) for name in names])
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(_records(table), schema=schema), out)
    return out.getvalue()


FORMATS: Mapping[str, Callable[[OverviewTable], str]] = {
    "text": as_text,
    "csv": as_csv,
    "markdown": as_markdown,
    "latex": as_latex,
}


def spreadsheet_safe(value: object) -> object:
    """A cell that no spreadsheet takes for a formula: a name that looks like one is quoted.

    >>> spreadsheet_safe("=HYPERLINK(1)"), spreadsheet_safe(-1.5)
    ("'=HYPERLINK(1)", -1.5)
    """
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return f"'{value}"
    return value


def latex_text(text: str) -> str:
    r"""A string that LaTeX prints as it is.

    >>> print(latex_text("50 % of a_b"))
    50 \% of a\_b
    """
    return "".join(LATEX_SPECIAL.get(character, character) for character in text)


def interval_text(column: Column, figure: Figure) -> str:
    """The interval in the column's format, or "" where there is none."""
    if figure.interval is None:
        return ""
    low, high = figure.interval.low, figure.interval.high
    return f"[{column.show(low)}, {column.show(high)}]".replace(" %,", ",")


def value_text(column: Column, figure: Figure) -> str:
    """The value in the column's format; a tied mode is shown whole."""
    if figure.value is None:
        return "undefined"
    return " = ".join(column.show(value) for value in (figure.value, *figure.others))


def _records(table: OverviewTable) -> list[dict[str, object]]:
    records: list[dict[str, object]] = []
    for row in table.rows:
        for column in table.columns:
            figure = table.figure(row, column.key)
            interval = figure.interval
            records.append(
                {
                    "run": row.run_key,
                    "model": row.model,
                    "mode": row.mode,
                    "n_queries": row.n_queries,
                    "figure": column.key,
                    "value": figure.value,
                    "low": interval.low if interval else None,
                    "high": interval.high if interval else None,
                    "n_cases": figure.n_cases,
                    "cases": column.cases,
                    "good": column.good,
                    "mark": table.mark(row, column.key),
                }
            )
    return records


def _head(column: Column) -> str:
    return f"{column.title} {ARROW[column.good]}".rstrip()


def _cell(table: OverviewTable, row: OverviewRow, column: Column, marks: bool = True) -> str:
    figure = table.figure(row, column.key)
    if figure.value is None:
        return "undefined"
    mark = MARK[table.mark(row, column.key)] if marks else ""
    parts = [value_text(column, figure) + mark, interval_text(column, figure)]
    return " ".join([*filter(None, parts), f"({figure.n_cases:,})"])


def _latex_cell(table: OverviewTable, row: OverviewRow, column: Column) -> str:
    figure = table.figure(row, column.key)
    if figure.value is None:
        return r"\textit{undefined}"
    text = latex_text(value_text(column, figure))
    mark = table.mark(row, column.key)
    shown = {"best": rf"\textbf{{{text}}}", "worst": rf"\underline{{{text}}}", "": text}[mark]
    interval = interval_text(column, figure)
    return f"{shown} {{\\scriptsize {latex_text(interval)}}}" if interval else shown


def _markdown(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|~$" else c for c in text)
