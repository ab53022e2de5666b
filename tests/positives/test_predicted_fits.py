"""Predicted "fits too": on judged failures only, and measured on images that were not seen."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError
from vlmexplain.positives.accepted import GalleryPositives, gallery_positives
from vlmexplain.positives.comparison import compare_corrected, unequal_judging
from vlmexplain.positives.features import FEATURES, failure_source, feature_table
from vlmexplain.positives.predict import FOLDS, fitted, judged_failures, predict_fits, qualities
from vlmexplain.positives.store import add_source
from vlmexplain.ratings.store.fit_marks import write_fit_mark
from vlmexplain.scoring.run import run
from vlmexplain.scoring.run_store import Run


def accepted_first(gallery: Gallery, made_run: Run, folder: Path, every: int) -> GalleryPositives:
    """A file of all queries that accepts the first image of every so many."""
    ids = gallery.captions_table.column("caption_id").to_pylist()
    first = made_run.top_k_images[:, 0].tolist()
    listed = {caption: [100 + first[q]] if q % every == 0 else [] for q, caption in enumerate(ids)}
    (folder / "first.json").write_text(json.dumps(listed), encoding="utf-8")
    add_source(gallery, str(folder / "first.json"))
    return gallery_positives(gallery)


def test_every_failure_has_a_score_and_its_worth(
    gallery: Gallery, made_run: Run, tmp_path: Path
) -> None:
    found = predict_fits(gallery, made_run, accepted_first(gallery, made_run, tmp_path, 3))
    assert found.undefined_because is None
    assert len(found.score) == made_run.manifest.n_failures == found.n_judged
    assert ((found.score > 0) & (found.score < 1)).all()
    assert found.auc.value is not None and found.auc.low is not None
    assert set(found.used) | set(found.unknown) == {feature.key for feature in FEATURES}
    assert {"q_ca", "best_caption", "agreement"} <= set(found.unknown)
    likely = found.likely().tolist()
    assert [q for q in likely if found.score[found.captions.tolist().index(q)] < 0.5] == []


def test_too_few_judgements_predict_nothing(gallery: Gallery, made_run: Run) -> None:
    add_source(gallery, "marks")
    failed = failure_source(gallery, made_run)
    for n in range(4):
        write_fit_mark(gallery.id, int(failed.captions[n]), int(failed.retrieved[n]), True)
    positives = gallery_positives(gallery)
    known, fits = judged_failures(failed, positives)
    assert known.sum() == fits.sum() == 4, "what was not looked at is not known"
    found = predict_fits(gallery, made_run, positives)
    assert np.isnan(found.score).all() and found.auc.value is None
    assert "of 4 judged failures 4 fit" in (found.undefined_because or "")


def test_no_model_saw_the_image_it_is_measured_on() -> None:
    """Labels that only the image tells, at random: nothing can be learned but by leaking."""
    rng = np.random.default_rng(1)
    image = np.repeat(np.arange(60), 4).astype(np.int32)
    label = (rng.random(60) < 0.5)[image]
    table = np.eye(60)[image]  # the feature is the image itself
    fit = fitted(table, np.ones(240, dtype=bool), label, image, np.arange(240, dtype=np.int32))
    assert fit.score.shape == (240, FOLDS)
    for one in range(60):
        assert len(set(fit.fold[image == one].tolist())) == 1, "an image is whole in a fold"
    own = fit.score[np.arange(240), fit.fold]
    auc, _, _ = qualities(own, label, image, 0)
    assert auc.value is not None and abs(auc.value - 0.5) < 0.2
    seen = fit.score[np.arange(240), (fit.fold + 1) % FOLDS]
    leaked, _, _ = qualities(seen, label, image, 0)
    assert leaked.value == 1


def test_quality_by_counting() -> None:
    score = np.array([0.9, 0.6, 0.6, 0.2, 0.7])
    fits = np.array([True, True, False, True, False])
    auc, precision, recall = qualities(score, fits, np.arange(5), 0)
    pairs = [(a > b) + 0.5 * (a == b) for a in score[fits] for b in score[~fits]]
    assert auc.value == pytest.approx(sum(pairs) / len(pairs))
    assert (precision.value, recall.value) == (2 / 4, 2 / 3)
    assert auc.low is None, "no interval of five images"


def test_features_are_what_they_say(gallery: Gallery) -> None:
    one, other = run(gallery, "fake-text:1"), run(gallery, "fake-text:2")
    source = failure_source(gallery, one)
    table = dict(zip((f.key for f in FEATURES), feature_table(source).T, strict=True))
    same = one.top_k_images[source.captions, 0] == other.top_k_images[source.captions, 0]
    assert np.array_equal(table["agreement"], same.astype(float))
    words = [len(gallery.caption(int(q)).text.split()) for q in source.captions]
    assert table["n_words"].tolist() == words
    assert (table["margin"] >= 0).all()


def test_two_runs_are_compared_on_the_same_queries(gallery: Gallery, tmp_path: Path) -> None:
    a, b = run(gallery, "fake-text:1"), run(gallery, "fake-text:2")
    positives = accepted_first(gallery, a, tmp_path, 2)
    found = compare_corrected(gallery, a, b, positives)
    assert np.array_equal(found.a.captions, found.b.captions)
    gain = (found.b.mean("r1_corrected") or 0) - (found.a.mean("r1_corrected") or 0)
    assert found.differences["r1_corrected"].mean() == pytest.approx(gain)
    assert found.judged_first_a is not None and found.judged_first_b is not None
    assert found.judged_first_a > found.judged_first_b
    assert "A's failures are judged more often" in found.warning
    assert unequal_judging(None, 0.3) == ""


def test_runs_of_two_galleries_are_not_compared(gallery: Gallery, made_run: Run) -> None:
    class Elsewhere:
        gallery_id = "other"

    with pytest.raises(DataError, match="not of one gallery"):
        compare_corrected(gallery, made_run, Elsewhere(), gallery_positives(gallery))  # type: ignore[arg-type]
