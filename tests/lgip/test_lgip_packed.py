"""What ships of the demo: packed LGIP results give the triples back, and old ones give way."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from vlmexplain import demo_setup
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.demo_setup import Demo, prepare_demo
from vlmexplain.errors import StoreError
from vlmexplain.lgip.bulk import run_lgip
from vlmexplain.lgip.packed import pack, place_packed
from vlmexplain.lgip.result import LgipResult, open_lgip, results_folder
from vlmexplain.lgip.triples import figures_of
from vlmexplain.scoring.run_store import list_runs


def packed(results: list[LgipResult], folder: Path) -> Path:
    """The results packed into a folder, and gone from the store."""
    for result in results:
        pack(result, folder)
    shutil.rmtree(results_folder())
    return folder


@pytest.mark.parametrize("mode", ["paper", "careful"])
def test_packed_triples_come_back(gallery: Gallery, mode: str, tmp_path: Path) -> None:
    result = run_lgip(gallery, "fake", mode=mode)
    before, schema = result.triples(limit=10_000), pq.read_schema(result.triples_path)
    assert place_packed(packed([result], tmp_path / "packed")) == (result.key,)
    placed = open_lgip(result.key)
    assert pq.read_schema(placed.triples_path).names == schema.names
    assert pq.read_schema(placed.triples_path).types == schema.types
    assert placed.manifest == result.manifest and placed.metrics == result.metrics
    after = placed.triples(limit=10_000)
    assert len(after) == len(before) > 20
    near = ("score_caption", "score_text", "gap")
    for old, new in zip(before, after, strict=True):
        left, right = asdict(old), asdict(new)
        for name in near:
            assert left.pop(name) == pytest.approx(right.pop(name), abs=1e-7)
        assert left == right
        assert (old.gap > 0) == (new.gap > 0)  # the positive rate stays what it is
    found, stored = figures_of(placed.triples_path), result.figures
    assert found.invariance_error == pytest.approx(stored.invariance_error, abs=1e-8)
    assert found.sensitivity.positive_rate == stored.sensitivity.positive_rate


def test_models_share_their_texts_and_a_second_time_does_nothing(
    gallery: Gallery, tmp_path: Path
) -> None:
    results = [run_lgip(gallery, model, mode="paper") for model in ("fake", "fake:1")]
    folder = packed(results, tmp_path / "packed")
    assert len(list(folder.glob("texts-*"))) == 1
    assert set(place_packed(folder)) == {one.key for one in results}
    times = {path: path.stat().st_mtime_ns for path in results_folder().rglob("*.parquet")}
    place_packed(folder)
    assert times == {path: path.stat().st_mtime_ns for path in results_folder().rglob("*.parquet")}
    assert len(times) == 2


@pytest.mark.parametrize("harm", ["texts gone", "scores cut"])
def test_a_damaged_one_is_named_and_not_placed(gallery: Gallery, harm: str, tmp_path: Path) -> None:
    result = run_lgip(gallery, "fake", mode="paper")
    folder = packed([result], tmp_path / "packed")
    if harm == "texts gone":
        next(folder.glob("texts-*")).unlink()
    else:
        scores = folder / result.key / "scores.parquet"
        scores.write_bytes(scores.read_bytes()[:40])
    with pytest.raises(StoreError, match=r"scores\.parquet"):
        place_packed(folder)
    assert not (results_folder() / result.key).exists()


def test_preparing_writes_what_ships_and_clears_what_was(
    gallery: Gallery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_setup, "set_up_demo", lambda *_: Demo(gallery, (), ()))
    monkeypatch.setattr(demo_setup, "MODELS", ("fake", "fake:1"))
    old = [tmp_path / "runs" / ("0" * 64), tmp_path / "lgip" / ("f" * 64)]
    others = [tmp_path / "runs" / "mine", tmp_path / "lgip" / "texts-of-mine.parquet"]
    for folder in (*old, *others):
        folder.mkdir(parents=True)
    texts = tmp_path / "lgip" / f"texts-{'0' * 16}.parquet"
    texts.touch()
    prepare_demo(tmp_path)
    assert not any(path.exists() for path in (*old, texts))
    assert all(path.is_dir() for path in others)  # what it did not make it leaves
    made = {path.parent.name for path in tmp_path.glob("lgip/*/scores.parquet")}
    assert len(made) == 4  # two models, two modes
    assert {path.parent.name for path in tmp_path.glob("runs/*/manifest.json")} == {
        each.key for each in list_runs(gallery.id)
    }
    assert {open_lgip(key).manifest.model.spec for key in made} == {"fake", "fake:1"}
    kinds = [path.read_text("utf-8") for path in tmp_path.glob("embeddings/*/manifest.json")]
    assert len(kinds) == 2 and all('"kind": "images"' in text for text in kinds)
    shutil.rmtree(results_folder())
    assert set(place_packed(tmp_path / "lgip")) == made
