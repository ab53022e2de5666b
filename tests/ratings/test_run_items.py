"""Sessions from a run of the demo gallery, rated with what the run computed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from vlmexplain.datasets.coco import import_coco
from vlmexplain.errors import DataError, UnknownName
from vlmexplain.ratings.items import check_items
from vlmexplain.ratings.spec_toml import read_plan
from vlmexplain.run_items import planned_session
from vlmexplain.scoring.run import run
from vlmexplain.scoring.run_store import Run

N_IMAGES = 24
CATEGORIES = ("dog", "cat", "zebra", "person", "cup")


@pytest.fixture
def runs(fresh_home: Path, tmp_path: Path) -> tuple[Run, Run]:
    """A made gallery ranked by two models that know nothing."""
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    images, captions, instances = [], [], []
    for n in range(N_IMAGES):
        Image.new("RGB", (32, 24), (n * 10, 255 - n * 10, n)).save(pictures / f"{n}.png")
        images.append({"id": n, "file_name": f"{n}.png", "width": 32, "height": 24})
        captions.append({"id": n, "image_id": n, "caption": f"picture number {n}"})
        for k in range(1 + n % 3):
            box = [k, k, 8 + n % 5, 8]
            category = (n * (k + 1)) % len(CATEGORIES) + 1
            instances.append(
                {"id": 10 * n + k, "image_id": n, "category_id": category, "bbox": box}
            )
    categories = [{"id": n, "name": name} for n, name in enumerate(CATEGORIES, start=1)]
    files = {
        "instances": {"images": images, "annotations": instances, "categories": categories},
        "captions": {"images": images, "annotations": captions},
    }
    for name, document in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    gallery = import_coco(
        tmp_path / "instances.json", tmp_path / "captions.json", pictures, name="made"
    )
    return run(gallery, "fake:1"), run(gallery, "fake:2")


def plan(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "spec.toml"
    path.write_text(f"name = 'x'\n{text}")
    return path


def test_failures_of_a_run(runs: tuple[Run, Run], tmp_path: Path) -> None:
    first, _ = runs
    path = plan(tmp_path, f"run = '{first.key[:10]}'\n[items]\nsample = 9\nstratify_by = 'ca'\n")
    questions, items = planned_session(read_plan(path), tmp_path)
    assert (questions.run, questions.gallery) == (first.key, first.gallery_id)
    assert len(items) == 9
    check_items(items, "rating")
    for item in items:
        assert item.retrieved_image == first.top_k_images[item.caption_index, 0]
        assert item.retrieved_image != item.ground_truth_image
        assert (item.metrics["rank_1based"] or 0) > 1
        assert {"ca", "ncs", "ce", "sd", "score_retrieved"} <= set(item.metrics)
    assert planned_session(read_plan(path), tmp_path) == (questions, items)
    path = plan(tmp_path, f"run = '{first.key}'\n[items]\ncaptions = [7, 3]\n")
    _, items = planned_session(read_plan(path), tmp_path)
    assert [item.caption_index for item in items] == [7, 3]


def test_a_choice_between_two_runs(runs: tuple[Run, Run], tmp_path: Path) -> None:
    first, second = runs
    text = f"kind = 'choice'\nrun = '{first.key}'\nother_run = '{second.key}'\n"
    questions, items = planned_session(read_plan(plan(tmp_path, text)), tmp_path)
    assert questions.other_run == second.key
    check_items(items, "choice")
    for item in items:
        assert item.other_image == second.top_k_images[item.caption_index, 0]
    for kind, other in (("choice", ""), ("rating", f"other_run = '{second.key}'\n")):
        path = plan(tmp_path, f"kind = '{kind}'\nrun = '{first.key}'\n{other}")
        with pytest.raises(DataError, match="other_run"):
            planned_session(read_plan(path), tmp_path)


def test_an_unknown_run(fresh_home: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownName):
        planned_session(read_plan(plan(tmp_path, "run = 'nosuchrun'\n")), tmp_path)
