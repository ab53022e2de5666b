"""The drawn world is there at the first start: gallery, finished runs, nothing to compute."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from vlmexplain.datasets.gallery import open_gallery
from vlmexplain.demo_setup import GALLERY_NAME, LGIP_MODES, MODELS, demo_folder, set_up_demo
from vlmexplain.errors import DataError
from vlmexplain.lgip.result import list_lgip
from vlmexplain.models.load import load_model
from vlmexplain.scoring.embedding import stored_embeddings
from vlmexplain.scoring.ranking import TIE_WITHIN
from vlmexplain.scoring.run import run
from vlmexplain.scoring.run_store import list_runs, open_run

FIRST_START = """
import sys
from vlmexplain.demo_setup import LGIP_MODES, MODELS, set_up_demo
from vlmexplain.lgip.bulk import run_lgip
from vlmexplain.scoring.run import run
demo = set_up_demo()
made = [run(demo.gallery, model).manifest for model in MODELS]
assert sorted(manifest.key for manifest in made) == sorted(demo.runs), "shipped runs do not fit"
if demo.lgip:
    probed = [run_lgip(demo.gallery, model, mode=mode) for mode in LGIP_MODES for model in MODELS]
    assert sorted(each.key for each in probed) == sorted(demo.lgip), "shipped LGIP does not fit"
assert "torch" not in sys.modules, "something was computed"
"""


def test_first_start_computes_nothing(fresh_home: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_START], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_first_start_without_a_network(fresh_home: Path) -> None:
    cut_off = ["unshare", "--map-root-user", "--net"]
    if shutil.which("unshare") is None or subprocess.run([*cut_off, "true"]).returncode:
        pytest.skip("no process can be cut off from the network here")
    done = subprocess.run(
        [*cut_off, sys.executable, "-c", FIRST_START], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_gallery_and_runs_are_there_and_say_what_they_are(fresh_home: Path) -> None:
    first, second = set_up_demo(), set_up_demo()
    assert first.gallery.id == second.gallery.id and first.runs == second.runs
    assert (first.gallery.n_images, first.gallery.n_captions) == (1000, 5000)
    assert first.gallery.drawn and open_gallery(GALLERY_NAME).id == first.gallery.id
    runs = list_runs(first.gallery.id)
    assert {manifest.model.name for manifest in runs} == set(MODELS)
    assert all(manifest.drawn and manifest.n_queries == 5000 for manifest in runs)
    summary = first.gallery.checks()
    assert summary.of("left-out") == ()


@pytest.mark.parametrize("model", MODELS)
def test_shipped_run_is_what_the_model_gives(model: str, fresh_home: Path) -> None:
    demo = set_up_demo()
    shipped = run(demo.gallery, model)
    encoder = load_model(model)
    chosen = np.random.default_rng(5).choice(demo.gallery.n_captions, 60, replace=False)
    images = encoder.encode_images([demo.gallery.read_rgb(i) for i in range(120)])
    texts = encoder.encode_texts([demo.gallery.caption(int(q)).text for q in chosen])
    scores = texts.astype(np.float64) @ images.astype(np.float64).T
    for place, query in enumerate(chosen):
        for image, score in zip(
            shipped.top_k_images[query], shipped.top_k_scores[query], strict=True
        ):
            if image < len(images):
                assert abs(scores[place, image] - score) < 1e-5
        beaten = scores[place] > shipped.top_k_scores[query][-1] + 10 * TIE_WITHIN
        assert set(np.flatnonzero(beaten)) <= set(shipped.top_k_images[query].tolist())


def test_lgip_of_both_models_is_there(fresh_home: Path) -> None:
    if not (demo_folder() / "prepared" / "lgip").is_dir():
        pytest.skip("no LGIP results are shipped: `vlmexplain demo --prepare` makes them")
    demo = set_up_demo()
    results = list_lgip(demo.gallery.id)
    assert {each.key for each in results} == set(demo.lgip)
    found = {(each.model.spec, each.perturbations["mode"]) for each in results}
    assert found == {(model, mode) for model in MODELS for mode in LGIP_MODES}
    assert all(each.drawn and each.figures.n_samples == 1000 for each in results)
    assert results[0].perturbations["mode"] == "paper"  # what the LGIP page opens on


def test_another_checkout_is_followed(fresh_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_up_demo()
    elsewhere = fresh_home.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "demo").symlink_to(demo_folder())
    monkeypatch.setenv("VLMEXPLAIN_DATA", str(elsewhere))
    demo = set_up_demo()
    assert demo.gallery.images_folder == elsewhere / "demo" / "images"
    assert demo.gallery.read_rgb(0).size == (320, 320)


def test_missing_files_are_named(fresh_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLMEXPLAIN_DATA", str(fresh_home))
    with pytest.raises(DataError, match="VLMEXPLAIN_DATA"):
        set_up_demo()


def test_a_run_is_found_by_its_key(fresh_home: Path) -> None:
    demo = set_up_demo()
    assert {open_run(key).key for key in demo.runs} == set(demo.runs)


def test_shipped_images_are_enough_to_rank_a_typed_caption(fresh_home: Path) -> None:
    demo = set_up_demo()
    for manifest in list_runs(demo.gallery.id):
        found = stored_embeddings(demo.gallery, manifest.model, "image-text")
        assert found is not None and found.image_vectors is not None
        assert found.image_vectors.shape[0] == demo.gallery.n_images
        assert len(found.texts) == len(found.text_vectors) == 0
        assert (found.text_of_caption == -1).all()
