"""Sessions from a run of the demo gallery, rated with what the run computed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.gallery import open_gallery
from vlmexplain.errors import DataError, GalleryError, UnknownName
from vlmexplain.ratings.plan.items import RatingItem, check_items
from vlmexplain.ratings.plan.sampling import sample_items
from vlmexplain.ratings.plan.spec import SessionSpec
from vlmexplain.ratings.plan.spec_toml import ItemRequest, SessionPlan, read_plan
from vlmexplain.run_items import (
    asked_captions,
    fitting_captions,
    items_of_queries,
    planned_session,
    session_of_items,
)
from vlmexplain.scoring.queries import QueryTable
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
        assert type(item.other_image) is int, "a database takes no other"
    for kind, other in (("choice", ""), ("rating", f"other_run = '{second.key}'\n")):
        path = plan(tmp_path, f"kind = '{kind}'\nrun = '{first.key}'\n{other}")
        with pytest.raises(DataError, match="other_run"):
            planned_session(read_plan(path), tmp_path)


def test_fitting_queries_are_those_found_one_by_one(runs: tuple[Run, Run]) -> None:
    first, second = runs
    table = QueryTable(first, open_gallery(first.gallery_id))
    rows = [table.row(caption) for caption in range(len(first.top_k_images))]
    failures = [row.caption_index for row in rows if row.failure]
    assert fitting_captions(first).tolist() == failures
    assert fitting_captions(first, failures_only=False).tolist() == list(range(len(rows)))
    differ = first.top_k_images[:, 0] != second.top_k_images[:, 0]
    assert fitting_captions(first, second).tolist() == [n for n in failures if differ[n]]
    assert fitting_captions(first, None, True, (5, 2)).tolist() == [5, 2]
    with pytest.raises(GalleryError, match="no caption 99"):
        fitting_captions(first, None, True, (5, 99))
    with pytest.raises(GalleryError, match=f"no caption {2**70}"):
        fitting_captions(first, None, True, (5, 2**70))
    request = ItemRequest(sample=6, seed=3, stratify_by="ca", strata=3)
    items = items_of_queries([rows[n] for n in failures])
    wanted = [item.caption_index for item in sample_items(items, 6, 3, "ca", 3)]
    assert asked_captions(first, None, request).tolist() == wanted
    with pytest.raises(UnknownName, match="caption_index"):
        asked_captions(first, None, ItemRequest(sample=6, stratify_by="caption_index"))


def test_items_of_another_gallery_are_refused(runs: tuple[Run, Run]) -> None:
    first, _ = runs
    plan = SessionPlan(SessionSpec("x", gallery=first.gallery_id), ItemRequest())
    fits = RatingItem(0, "q", 0, 1)
    assert session_of_items(plan, [fits])[1] == (fits,)
    for bad in (RatingItem(0, "q", 0, N_IMAGES), RatingItem(N_IMAGES, "q", 0, 1)):
        with pytest.raises(DataError, match="item 1"):
            session_of_items(plan, [fits, bad])


def test_an_unknown_run(fresh_home: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownName):
        planned_session(read_plan(plan(tmp_path, "run = 'nosuchrun'\n")), tmp_path)
