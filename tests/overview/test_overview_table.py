"""The overview table: marks, the order of models, the formats, and the failures behind numbers."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from homes import at_home, new_home

from vlmexplain.cli import main
from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.gallery import open_gallery
from vlmexplain.explain import explain_query
from vlmexplain.overview.bootstrap import Interval
from vlmexplain.overview.columns import COLUMNS, column_of
from vlmexplain.overview.figures import Figure, run_figures
from vlmexplain.overview.gallery_table import gallery_table
from vlmexplain.overview.order import Disagreement, disagreements, order_lines
from vlmexplain.overview.run_columns import read_columns
from vlmexplain.overview.table import ONLY_WHERE_PRESENT, OverviewRow, OverviewTable
from vlmexplain.overview.table_text import (
    as_csv,
    as_latex,
    as_markdown,
    as_parquet,
    as_text,
    latex_text,
)
from vlmexplain.scoring.queries import NumberRange, QueryFilter, QueryTable
from vlmexplain.scoring.run import run
from vlmexplain.scoring.run_store import open_run

ROW = ["run", "model", "figure", "value", "undefined", "low", "high", "n"]
HOSTILE = "=a|b_<i>$x$ & 50 %"


def row(name: str, mode: str = "image-text", **values: float | None) -> OverviewRow:
    figures = {
        key: Figure(key, value, 0 if value is None else 9,
                    None if value is None else Interval(value - 0.01, value + 0.01))
        for key, value in values.items()
    }  # fmt: skip
    return OverviewRow(f"{name}-key", "gallery", name, name, mode, False, 9, figures)


def table(*rows: OverviewRow) -> OverviewTable:
    return OverviewTable(rows, tuple(c for c in COLUMNS if c.group != "lgip"))


def test_marks_follow_the_direction() -> None:
    made = table(row("a", ca=0.5, ce=4, hit=10), row("b", ca=0.2, ce=2, hit=30), row("c", ce=2))
    marks = {key: [made.mark(r, key) for r in made.rows] for key in ("ca", "ce", "hit", "sd")}
    assert marks["ca"] == ["best", "worst", ""]
    assert marks["ce"] == ["worst", "best", "best"]
    assert marks["hit"] == ["", "", ""] and marks["sd"] == ["", "", ""]


def test_nothing_is_best_of_one_or_of_equals() -> None:
    assert table(row("a", ca=0.5)).mark(row("a", ca=0.5), "ca") == ""
    same = table(row("a", ca=0.5), row("b", ca=0.5))
    assert [same.mark(r, "ca") for r in same.rows] == ["", ""]


def test_where_metrics_and_ranks_disagree() -> None:
    made = table(
        row("good", mrr=0.9, ca=0.3, ce=2.0, sd=0.2),
        row("bad", mrr=0.2, ca=0.6, ce=2.005, sd=None),
        row("middle", mrr=0.5, ca=0.4, ce=1.995, sd=0.2),
    )
    found = disagreements(made)
    assert Disagreement("ca", "good", "bad", clear=True) in found
    assert Disagreement("ca", "good", "middle", clear=True) in found
    assert Disagreement("ce", "good", "middle", clear=False) in found
    assert not [d for d in found if d.key == "sd"]
    assert len(found) == 4
    lines = order_lines(made)
    assert lines[0] == "By MRR: good > middle > bad."
    assert "CA puts bad before good, against MRR." in lines
    assert "CA, CE mean* put middle before good, against MRR." in lines


def test_agreement_is_said_and_one_run_says_nothing() -> None:
    assert order_lines(table(row("a", mrr=0.1))) == ()
    lines = order_lines(
        table(row("a", mrr=0.9, ca=0.9), row("b", mode="text-text", mrr=0.1, ca=0.1))
    )
    assert "the same order" in lines[1]
    assert "caption with caption" in lines[-1]


def test_formats_say_the_same_and_hold_hostile_names() -> None:
    made = table(row(HOSTILE, ca=3 / 11, ce=None), row("b", ca=0.1, ce=2.0))
    text = as_text(made)
    assert "27.27 %▲ [26.27, 28.27 %] (9)" in text and "undefined" in text
    records = list(csv.DictReader(io.StringIO(as_csv(made))))
    assert records[0]["model"] == f"'{HOSTILE}"
    by = {(r["run"], r["figure"]): r for r in records}
    assert float(by["b-key", "ca"]["value"]) == 0.1
    assert by[f"'{HOSTILE}-key", "ce"]["value"] == ""
    assert by["b-key", "ca"]["mark"] == "worst"
    markdown = as_markdown(made)
    assert "=a\\|b\\_\\<i\\>\\$x\\$ & 50 %" in markdown
    assert "**27.27 % [26.27, 28.27 %] (9)**" in markdown
    latex = as_latex(made)
    assert latex_text(HOSTILE) in latex
    assert r"\textbf{27.27 \%} {\scriptsize [26.27, 28.27 \%]}" in latex
    assert r"\textit{undefined}" in latex
    rows = [line for line in latex.splitlines() if line.endswith(r"\\")]
    assert {line.count(" & ") for line in rows[1:]} == {2}


def test_parquet_has_types_and_nulls() -> None:
    made = table(row("a", ca=0.25, ce=None))
    read = pq.read_table(io.BytesIO(as_parquet(made))).to_pylist()
    assert len(read) == len(made.columns)
    by = {r["figure"]: r for r in read}
    assert by["ca"]["value"] == 0.25 and by["ca"]["n_cases"] == 9
    assert by["ce"]["value"] is None and by["ce"]["low"] is None


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A made gallery with two runs of fake models, in a home of its own."""
    import sys

    sys.path.insert(0, str(Path(__file__).parents[1] / "ui"))
    from ui_world import write_world

    folder = tmp_path_factory.mktemp("overview")
    home = new_home(folder / "home")
    with at_home(home):
        gallery = import_coco(**write_world(folder / "world"), name="made")
        runs = [run(gallery, "fake"), run(gallery, "fake-text")]
        yield gallery, runs


def test_figures_equal_those_that_the_run_stores(stored: Any) -> None:
    for each in stored[1]:
        kept = {f.key: f for f in open_run(each.key).manifest.figures}
        for figure in run_figures(read_columns(each)):
            if figure.key.startswith("q_"):  # those are not in the manifest
                continue
            assert figure.value == (
                None if kept[figure.key].value is None else pytest.approx(kept[figure.key].value)
            ), figure.key
            assert figure.others == kept[figure.key].others
            if figure.key != "n_failures":
                assert figure.n_cases == kept[figure.key].n_cases, figure.key


def test_informed_figures_equal_the_explanations_averaged(stored: Any) -> None:
    gallery, runs = stored
    for each in runs:
        columns = read_columns(each)
        found = {f.key: f for f in run_figures(columns)}
        pairs = [
            explain_query(gallery, each, int(index), query_informed=True).pair
            for index in np.flatnonzero(columns.failure)
        ]
        for key, metric in (("q_ca", "ca"), ("q_ncs", "ncs"), ("q_ce", "ce"), ("q_sd", "sd")):
            values = [v for pair in pairs if (v := pair.result(metric).value) is not None]
            assert found[key].n_cases == len(values)
            assert found[key].value == (
                pytest.approx(sum(values) / len(values)) if values else None
            )


def test_every_number_opens_the_queries_it_rests_on(stored: Any) -> None:
    gallery, runs = stored
    for each in runs:
        queries = QueryTable(each, gallery)
        for figure in run_figures(read_columns(each)):
            column = column_of(figure.key)
            if column.cases != "failures" or "metric" not in column.opens:
                continue
            asked = column.opens
            metric = ("q_" if "informed" in asked else "") + asked["metric"]
            chosen = QueryFilter(
                failures_only=True, ranges=(NumberRange(metric, float(asked["low"])),)
            )
            behind = queries.page(chosen).total
            expected = figure.n_cases
            assert behind == expected or figure.key == "n_matchings", figure.key


def test_command_prints_each_format(stored: Any, capsys: pytest.CaptureFixture[str],
                                    tmp_path: Path) -> None:  # fmt: skip
    assert main(["table", "--gallery", "made", "--parquet", str(tmp_path / "t.parquet")]) == 0
    assert capsys.readouterr().out.startswith(" ")
    assert pq.read_table(tmp_path / "t.parquet").num_rows == 2 * len(
        [c for c in COLUMNS if c.group not in ONLY_WHERE_PRESENT]
    )
    for name, start in (("csv", "run,"), ("markdown", "|  |"), ("latex", "\\begin{tabular}")):
        assert main(["table", "--gallery", "made", "--format", name]) == 0
        assert capsys.readouterr().out.startswith(start)
    assert main(["table", "--gallery", "made", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert all(list(row) == ROW for row in rows)
    assert all((row["value"] is None) == bool(row["undefined"]) for row in rows)
    found = {(row["run"], row["figure"]): row for row in rows}
    for run_key in {row["run"] for row in rows}:
        for figure in run_figures(read_columns(open_run(run_key))):
            row = found[run_key, figure.key]
            assert (row["value"], row["n"]) == (figure.value, figure.n_cases)
        assert found[run_key, "r1_corrected"]["undefined"].startswith("no source of positives")
    assert main(["table", "--gallery", "mad"]) == 1
    assert "Did you mean 'made'?" in capsys.readouterr().err


def test_gallery_without_runs(stored: Any, fresh_home: Path) -> None:
    made = gallery_table("0" * 64)
    assert made.rows == ()
    assert as_text(made) == "no finished run"
    assert as_csv(made).count("\n") == 1
    json.dumps(as_latex(made))
    assert open_gallery is not None
