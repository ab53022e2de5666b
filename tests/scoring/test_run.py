"""A whole run against plain Python, and what makes it safe to ask for twice."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import Cancelled, DataError, StoreError, UnknownName
from vlmexplain.metrics.pair import CONCEPT_KEYS, explain_pair
from vlmexplain.models.fake import FakeEncoder
from vlmexplain.models.load import load_model
from vlmexplain.models.protocol import Encoder
from vlmexplain.records import MetricOptions, Progress
from vlmexplain.scoring import run as run_module
from vlmexplain.scoring.engine import LocalEngine
from vlmexplain.scoring.query_columns import UNRANKED
from vlmexplain.scoring.run import list_runs, open_run, run
from vlmexplain.scoring.similarity import GallerySimilarity

ROOT = Path(__file__).parents[2]


def naive_scores(gallery: Gallery, model: Encoder, text: str) -> list[float | None]:
    """The score of every image for a caption; None where it has none."""

    def cosine(a: np.ndarray, b: np.ndarray) -> float:
        return float(np.float32((a.astype(np.float64) * b.astype(np.float64)).sum()))

    query = model.encode_texts([text])[0]
    scores: list[float | None] = []
    for image in range(gallery.n_images):
        if model.mode == "image-text":
            scores.append(cosine(query, model.encode_images([gallery.read_rgb(image)])[0]))
        else:
            others = [c.text for c in gallery.captions_of(image) if c.text != text]
            values = [cosine(query, model.encode_texts([other])[0]) for other in others]
            scores.append(max(values, default=None))
    return scores


@pytest.mark.parametrize("spec", ["fake", "fake-text"])
def test_a_run_as_plain_python_has_it(gallery: Gallery, spec: str) -> None:
    model = load_model(spec)
    finished = run(gallery, spec, k=4)
    rows = pq.read_table(finished.queries_path).to_pylist()
    assert [row["caption_index"] for row in rows] == list(range(gallery.n_captions))
    failures = 0
    for row in rows:
        caption = gallery.caption(row["caption_index"])
        assert row["text"] == caption.text and row["image_index"] == caption.image_index
        scores = naive_scores(gallery, model, caption.text)
        order = sorted((i for i in range(len(scores)) if scores[i] is not None),
                       key=lambda i: (-scores[i], i))  # fmt: skip
        carriers = {
            c.image_index
            for c in map(gallery.caption, range(gallery.n_captions))
            if c.text == caption.text
        }
        assert row["n_ranked"] == len(order) and row["n_ground_truths"] == len(carriers)
        kept = finished.top_k_images[caption.index].tolist()
        assert kept == order[:4] + [-1] * (4 - len(order[:4]))
        assert row["retrieved_image_index"] == order[0]
        places = [order.index(i) + 1 for i in carriers if i in order]
        if not places:
            assert row["rank_1based"] is None and not row["failure"]
            assert row["unranked_because"] in UNRANKED
            continue
        assert row["rank_1based"] == min(places)
        assert row["reciprocal_rank"] == 1 / min(places)
        best = order[min(places) - 1]
        assert row["ground_truth_index"] == best
        assert row["score_ground_truth"] == scores[best]
        rivals = set(order) - carriers
        assert row["n_tied"] == sum(abs(scores[i] - scores[best]) <= 1e-6 for i in rivals)
        own = order.index(caption.image_index) + 1 if caption.image_index in order else None
        assert row["own_rank_1based"] == own
        assert row["failure"] == (order[0] not in carriers)
        failures += row["failure"]
        _check_metrics(gallery, row)
    assert failures == finished.manifest.n_failures > 10
    assert finished.manifest.n_ranked == sum(row["rank_1based"] is not None for row in rows)


def _check_metrics(gallery: Gallery, row: dict) -> None:
    if not row["failure"]:
        assert all(row[prefix + key] is None for key in CONCEPT_KEYS for prefix in ("", "q_"))
        assert row["ca_undefined"] is None
        return
    expected = explain_pair(
        gallery.annotations(row["image_index"]),
        gallery.annotations(row["retrieved_image_index"]),
        GallerySimilarity(gallery),
    )
    for key in CONCEPT_KEYS:
        value = expected.result(key).value
        if value is None:
            assert row[key] is None and row[f"{key.removesuffix('_raw')}_undefined"] > 0
        else:
            assert row[key] == pytest.approx(value, abs=1e-12)


def test_the_same_request_is_a_read(gallery: Gallery, monkeypatch) -> None:
    first = run(gallery, "fake")
    monkeypatch.setattr(run_module, "load_model", lambda *_: pytest.fail("a model was loaded"))
    monkeypatch.setattr(LocalEngine, "embed", lambda *_: pytest.fail("embeddings were read"))
    assert run(gallery, "fake").key == first.key
    assert open_run(first.key[:8]).manifest == first.manifest
    assert [m.key for m in list_runs(gallery.id)] == [first.key]
    assert list_runs("another gallery") == []


def test_what_is_asked_for_is_in_the_key(gallery: Gallery) -> None:
    keys = {
        run(gallery, "fake").key,
        run(gallery, "fake", k=3).key,
        run(gallery, "fake:1").key,
        run(gallery, "fake-text").key,
        run(gallery, "fake", options=MetricOptions(size_threshold=0.5)).key,
    }
    assert len(keys) == 5


def test_a_picture_left_out_is_never_ranked(gallery: Gallery) -> None:
    (gallery.images_folder / "0003.png").write_bytes(b"changed")
    finished = run(gallery, "fake", k=50)
    assert finished.manifest.left_out[3][0] == "image-changed"
    assert finished.manifest.n_images_ranked == gallery.n_images - 1
    assert not (finished.top_k_images == 3).any()
    rows = pq.read_table(finished.queries_path).to_pylist()
    lost = [row for row in rows if row["image_index"] == 3 and row["n_ground_truths"] == 1]
    assert lost and all(row["unranked_because"] == "ground-truth-left-out" for row in lost)
    assert finished.manifest.n_unranked == {"ground-truth-left-out": len(lost)}
    figures = {figure.key: figure for figure in finished.manifest.figures}
    assert figures["mrr"].n_cases == gallery.n_captions - len(lost)


def test_a_picture_that_comes_back_makes_another_run(gallery: Gallery) -> None:
    path = gallery.images_folder / "0003.png"
    content = path.read_bytes()
    path.write_bytes(b"changed")
    without = run(gallery, "fake")
    path.write_bytes(content)
    whole = run(gallery, "fake")
    assert without.key != whole.key and whole.manifest.left_out == {}


def test_no_failures(make_gallery) -> None:
    made = make_gallery([["a dog", "dog a"], ["two cats", "cats two"]])
    finished = run(made, "fake-text")
    assert finished.manifest.n_failures == 0
    figures = {figure.key: figure for figure in finished.manifest.figures}
    assert figures["ca"].value is None and figures["ca"].n_cases == 0
    assert figures["r1"].value == 1.0


def test_one_image(make_gallery) -> None:
    made = make_gallery([["a dog", "the dog"]], concepts=[[0]])
    for spec in ("fake", "fake-text"):
        finished = run(made, spec)
        assert finished.manifest.n_ranked == 2 and finished.manifest.n_failures == 0


def test_one_caption_has_nothing_to_be_found_by(make_gallery) -> None:
    made = make_gallery([["a dog"], [], ["a cat", "the cat"]])
    finished = run(made, "fake-text")
    rows = pq.read_table(finished.queries_path).to_pylist()
    assert rows[0]["rank_1based"] is None
    assert rows[0]["unranked_because"] == "no-other-caption"
    assert rows[0]["n_ranked"] == 1 and rows[0]["retrieved_image_index"] == 2
    assert 1 not in finished.top_k_images
    assert finished.manifest.n_images_ranked == 2


def test_nothing_to_rank_is_refused(make_gallery, gallery: Gallery) -> None:
    with pytest.raises(DataError, match="no caption"):
        run(make_gallery([[], []], name="silent"), "fake")
    with pytest.raises(DataError, match="k is 0"):
        run(gallery, "fake", k=0)
    with pytest.raises(DataError, match="threshold"):
        run(gallery, "fake", options=MetricOptions(size_threshold=-1))
    with pytest.raises(UnknownName, match="Did you mean 'fake'"):
        run(gallery, "fakee")


def test_images_without_objects(make_gallery) -> None:
    made = make_gallery([["a dog"], ["a cat"], ["a man"]], concepts=[[], [], []])
    finished = run(made, "fake")
    rows = pq.read_table(finished.queries_path).to_pylist()
    assert all(row["ca"] is None for row in rows)
    assert all(row["ca_undefined"] for row in rows if row["failure"])


def test_cancelled_between_the_steps(gallery: Gallery) -> None:
    for stage in ("embed texts", "embed images", "rank", "find mentions", "score failures"):

        def stop(progress: Progress, stage: str = stage) -> None:
            if progress.stage == stage:
                raise Cancelled("stopped")

        with pytest.raises(Cancelled):
            run(gallery, "fake", progress=stop)
        assert list_runs() == []
    assert run(gallery, "fake").manifest.n_failures > 0


def test_a_damaged_run(gallery: Gallery) -> None:
    first = run(gallery, "fake")
    (first.folder / "rows.arrow").unlink()
    again = run(gallery, "fake")
    assert again.key == first.key and (again.folder / "rows.arrow").is_file()
    (again.folder / "manifest.json").write_text("{}")
    with pytest.raises(StoreError, match="missing or damaged"):
        open_run(again.key)
    assert list_runs() == []
    assert run(gallery, "fake").manifest.n_queries == gallery.n_captions


def test_a_newer_format_is_refused(gallery: Gallery) -> None:
    first = run(gallery, "fake")
    path = first.folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 99}))
    for ask in (lambda: open_run(first.key), lambda: run(gallery, "fake")):
        with pytest.raises(StoreError, match="format 99"):
            ask()


def test_unknown_and_ambiguous_keys(gallery: Gallery) -> None:
    with pytest.raises(UnknownName):
        open_run("feedbeef")
    with pytest.raises(UnknownName):
        open_run("../../etc")
    first = run(gallery, "fake")
    (first.folder.with_name(first.key[:8] + "0" * 56)).mkdir()
    (first.folder.with_name(first.key[:8] + "0" * 56) / "manifest.json").write_text("{}")
    with pytest.raises(StoreError, match="fits 2 runs"):
        open_run(first.key[:8])


CHILD = """
import sys, time
from vlmexplain.datasets.gallery import open_gallery
from vlmexplain.scoring import ranking, run

def say(progress):
    print(progress.stage, flush=True)
    time.sleep(0.05)

print("ready", flush=True)
ranking.rank.__kwdefaults__["chunk_queries"] = 8
print("key", run.run(open_gallery("made"), "fake", progress=say).key, flush=True)
"""


def child() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_a_killed_run_leaves_nothing_and_is_made_again(gallery: Gallery) -> None:
    rng = random.Random(1)
    for _ in range(3):
        process = child()
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(rng.uniform(0.05, 0.6))
        process.kill()
        process.communicate()
        assert len(list_runs()) <= 1
    output, _ = (last := child()).communicate(timeout=200)
    assert last.returncode == 0
    killed = run(gallery, "fake")
    assert f"key {killed.key}" in output
    table = pq.read_table(killed.queries_path)
    images = np.array(killed.top_k_images)
    # The same, made in one go in this process.
    other = Path(os.environ["VLMEXPLAIN_HOME"]) / "runs"
    other.rename(other.with_name("runs-before"))
    whole = run(gallery, "fake")
    assert whole.key == killed.key
    assert pq.read_table(whole.queries_path).equals(table)
    np.testing.assert_array_equal(whole.top_k_images, images)


def test_two_processes_make_a_run_once(gallery: Gallery) -> None:
    outputs = [process.communicate(timeout=200)[0] for process in [child(), child()]]
    assert sum("find mentions" in output for output in outputs) == 1
    assert len({output.split()[-1] for output in outputs}) == 1


@pytest.mark.slow
def test_real_photos_with_the_fake(shared: Path, fresh_home: Path) -> None:
    from vlmexplain.datasets.coco import import_coco

    coco = shared / "data" / "coco"
    photos = import_coco(
        coco / "annotations" / "instances_val2017.json",
        coco / "annotations" / "captions_val2017.json",
        coco / "images",
        name="photos",
        verify="header",
    )
    finished = run(photos, "fake-text")
    assert finished.manifest.n_queries == 800 and finished.manifest.n_ranked == 800
    assert FakeEncoder(mode="text-text").identity == finished.model


def test_the_guide_for_python_runs(gallery: Gallery, capsys: pytest.CaptureFixture[str]) -> None:
    guide = Path(__file__).parents[2] / "docs" / "python.md"
    code = guide.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {}
    exec(code.replace('"val"', '"made"').replace("ViT-B-32/openai", "fake"), names)
    assert capsys.readouterr().out.startswith("<Explanation ") and names["truth"]
