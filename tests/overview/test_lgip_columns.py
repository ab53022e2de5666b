"""LGIP in the overview table, from a real result, over all captions and over some."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "ui"))

from ui_world import write_world

from vlmexplain.cli import main
from vlmexplain.datasets.coco import import_coco
from vlmexplain.lgip.bulk import run_lgip
from vlmexplain.lgip.samples import FLIP_TYPES
from vlmexplain.models.catalogue import list_models
from vlmexplain.overview.gallery_table import gallery_table
from vlmexplain.overview.lgip_figures import lgip_overview
from vlmexplain.overview.marks import mark
from vlmexplain.overview.saved_slices import save_slice
from vlmexplain.overview.slices import Slice
from vlmexplain.scoring.run import run


@pytest.fixture
def probed(fresh_home: Path, tmp_path: Path) -> Any:
    """A gallery with a run and an LGIP result of the same model, and a run without one."""
    gallery = import_coco(**write_world(tmp_path / "world"), name="made")
    return gallery, run(gallery, "fake"), run(gallery, "fake-text"), run_lgip(gallery, "fake")


def plain(rows: list[dict[str, Any]]) -> dict[str, tuple[float | None, int]]:
    def mean(values: list[float]) -> tuple[float | None, int]:
        return (sum(values) / len(values) if values else None), len(values)

    same = [abs(r["gap"]) for r in rows if r["kind"] == "same"]
    found = {"lgip_invariance": mean(same)}
    for name, kinds in (("", None), *((f"_{kind}", kind) for kind in FLIP_TYPES)):
        flips = [r["gap"] for r in rows
                 if r["kind"] == "flip" and (kinds is None or r["flip_type"] == kinds)]  # fmt: skip
        found[f"lgip_gap{name}"] = mean(flips)
        found[f"lgip_positive{name}"] = mean([float(gap > 0) for gap in flips])
    return found


def test_all_and_some_captions_equal_plain_python(probed: Any) -> None:
    gallery, _, _, result = probed
    rows = pq.read_table(result.triples_path).to_pylist()
    chosen = np.arange(gallery.n_captions) % 3 > 0
    for some in (None, chosen, np.zeros(gallery.n_captions, dtype=bool)):
        kept = [r for r in rows if some is None or some[r["caption_index"]]]
        expected = plain(kept)
        found = {figure.key: figure for figure in lgip_overview(result, chosen=some)}
        assert set(found) == set(expected)
        for key, (value, n) in expected.items():
            assert found[key].n_cases == n, key
            assert found[key].value == (None if value is None else pytest.approx(value)), key
            assert (found[key].interval is None) or value is not None
    assert 0 < sum(chosen[r["caption_index"]] for r in rows) < len(rows)


def test_the_table_has_them_for_the_probed_model_alone(probed: Any) -> None:
    gallery, one, other, result = probed
    table = gallery_table(gallery.id)
    keys = [column.key for column in table.columns if column.group == "lgip"]
    assert keys == [figure.key for figure in lgip_overview(result)]
    by_run = {row.run_key: row for row in table.rows}
    assert by_run[one.key].lgip_key == result.key and by_run[other.key].lgip_key == ""
    assert table.figure(by_run[one.key], "lgip_gap").n_cases > 0
    assert table.figure(by_run[other.key], "lgip_gap").value is None


def test_the_command_takes_a_slice_and_leaves_marks_out(
    probed: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    gallery = probed[0]
    save_slice(gallery, "dogs", Slice(concept="dog.n.01"))
    mark(gallery, 0, "caption-wrong")
    mark(gallery, 1, "fine")
    counts = []
    for more in ([], ["--slice", "dogs"], ["--without-marked"], ["--slice", "dogs",
                 "--without-marked"]):  # fmt: skip
        assert main(["table", "--gallery", "made", "--format", "csv", *more]) == 0
        lines = capsys.readouterr().out.splitlines()
        counts.append({int(line.split(",")[3]) for line in lines[1:]})
    n_dogs = 6  # two captions of each of the three images with a dog
    n = gallery.n_captions
    assert counts == [{n}, {n_dogs}, {n - 1}, {n_dogs - 1}]
    assert main(["table", "--gallery", "made", "--slice", "dog"]) == 1
    assert "Did you mean 'dogs'" in capsys.readouterr().err


@pytest.mark.parametrize("spec", ["drawn-clip"])
def test_with_the_demo_model(fresh_home: Path, tmp_path: Path, spec: str) -> None:
    entry = next((each for each in list_models() if each.spec == spec), None)
    if entry is None or entry.status != "available":
        pytest.skip(f"data/models/{spec} is not there yet")
    gallery = import_coco(**write_world(tmp_path / "world"), name="made")
    finished, result = run(gallery, spec), run_lgip(gallery, spec)
    (row,) = gallery_table(gallery.id).rows
    assert row.run_key == finished.key and row.lgip_key == result.key and row.drawn
    figure = row.figures["lgip_invariance"]
    assert figure.value == result.figures.invariance_error and figure.n_cases > 0
    expected = plain(pq.read_table(result.triples_path).to_pylist())
    for key, (value, n) in expected.items():
        assert row.figures[key].n_cases == n
        assert row.figures[key].value == (None if value is None else pytest.approx(value)), key
