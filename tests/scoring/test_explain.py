"""`explain_query` against the stored run, and the worked example in the same form."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError, GalleryError
from vlmexplain.explain import explain_example, explain_query, to_json
from vlmexplain.metrics.pair import CONCEPT_KEYS
from vlmexplain.records import MetricOptions
from vlmexplain.scoring.queries import QueryTable
from vlmexplain.scoring.run import run
from vlmexplain.scoring.similarity import GallerySimilarity

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("spec", ["fake", "fake-text"])
@pytest.mark.parametrize("informed", [False, True])
def test_an_explanation_has_the_stored_numbers(gallery: Gallery, spec: str, informed: bool) -> None:
    finished = run(gallery, spec, k=5)
    table = QueryTable(finished, gallery)
    failures = 0
    for query in range(gallery.n_captions):
        row = table.row(query)
        found = explain_query(gallery, finished, query, query_informed=informed, table=table)
        assert found.query == row.text and found.failure == row.failure
        assert found.rank_1based == row.rank_1based
        assert found.ground_truth.image_index == row.image_index
        assert found.ground_truth.score == row.own_score
        assert [i.place_1based for i in found.strip] == [1, 2, 3, 4, 5]
        assert [i.image_index for i in found.strip] == finished.top_k_images[query].tolist()
        assert found.retrieved is not None and found.pair is not None
        assert found.retrieved.image_index == row.retrieved_image_index
        assert len(found.ground_truths) == row.n_ground_truths
        if row.rank_1based is not None:
            assert found.ground_truths[0].place_1based == row.rank_1based
            assert found.recall[5] == float(row.rank_1based <= 5)
        if row.failure:
            failures += 1
            for key in CONCEPT_KEYS:
                stored = row.metrics[("q_" if informed else "") + key]
                shown = found.pair.result(key)
                assert shown.value == (None if stored is None else pytest.approx(stored, abs=1e-12))
                if stored is None:
                    reason = row.undefined[("q_" if informed else "") + key]
                    assert shown.undefined_because == reason
        json.dumps(to_json(found), allow_nan=False)
    assert failures > 10


def test_another_place_is_compared(gallery: Gallery) -> None:
    finished = run(gallery, "fake", k=5)
    found = explain_query(gallery, finished, 0, retrieved_place_1based=3)
    assert found.retrieved is not None
    assert found.retrieved.image_index == finished.top_k_images[0, 2]
    assert found.retrieved.place_1based == 3
    for place in (0, 6):
        with pytest.raises(DataError, match="expected 1 to 5"):
            explain_query(gallery, finished, 0, retrieved_place_1based=place)
    with pytest.raises(GalleryError):
        explain_query(gallery, finished, gallery.n_captions)


def test_options_reach_the_metrics(gallery: Gallery) -> None:
    finished = run(gallery, "fake")
    options = MetricOptions(size_threshold=0.01, relative_to="image")
    found = explain_query(gallery, finished, 0, options)
    assert found.pair is not None and found.pair.options == options


def test_ties_are_shown(make_gallery) -> None:
    made = make_gallery(
        [["a dog"], ["a cat"], ["a man"]], colours=[(5, 5, 5), (5, 5, 5), (90, 1, 7)]
    )
    finished = run(made, "fake", k=1)
    found = explain_query(made, finished, 1)
    assert found.n_tied == 1
    if found.strip[0].image_index == 0:
        # The ground truth is outside the strip and ties with the image in it.
        assert found.strip[0].is_tied and found.ground_truths[0].is_tied
        assert found.margin == 0.0


def test_no_image_has_a_score(make_gallery) -> None:
    made = make_gallery([["a dog"], []])
    finished = run(made, "fake-text")
    found = explain_query(made, finished, 0)
    assert found.retrieved is None and found.pair is None and found.strip == ()
    assert found.unranked_because and not found.failure
    json.dumps(to_json(found), allow_nan=False)


def test_all_images_that_carry_the_caption_are_ground_truths(gallery: Gallery) -> None:
    finished = run(gallery, "fake", k=3)
    query = next(
        q for q in range(gallery.n_captions) if gallery.caption(q).text == "A dog and a cat"
    )
    found = explain_query(gallery, finished, query)
    assert {image.image_index for image in found.ground_truths} == {8, 9, 21}
    places = [image.place_1based for image in found.ground_truths]
    assert places == sorted(places)
    in_strip = {i.image_index for i in found.strip if i.is_ground_truth}
    assert in_strip == {i.image_index for i in found.strip} & {8, 9, 21}


def test_stored_path_lengths_are_wordnets(gallery: Gallery) -> None:
    names = list(gallery.concepts)
    stored = GallerySimilarity(gallery).matrix(names, names[::-1])
    np.testing.assert_allclose(stored, load_wordnet().matrix(names, names[::-1]), atol=1e-15)


def test_the_worked_example() -> None:
    found = explain_example()
    assert found.pair is not None
    assert found.pair.ca.value == 3 / 11
    assert found.pair.ncs.value == pytest.approx((1 / 9 + 1 / 6) / 2, abs=1e-12)
    assert found.pair.ce.value == 6
    assert found.pair.sd.value == pytest.approx(2 / 6)
    assert found.rank_1based == 294 and found.reciprocal_rank == 1 / 294
    assert found.recall == {1: 0.0, 5: 0.0, 10: 0.0}
    value = to_json(found)
    assert value["metrics"]["ce"] == 6 and value["model"] is None
    json.dumps(value, allow_nan=False)
    informed = explain_example(query_informed=True)
    assert informed.pair is not None and informed.pair.mentioned
    assert "zebra.n.01" in informed.pair.mentioned


def test_explaining_needs_no_model_and_no_nltk() -> None:
    code = (
        "import sys; from vlmexplain.explain import explain_example; explain_example();"
        "print([m for m in ('torch', 'nltk', 'streamlit', 'transformers', 'open_clip')"
        " if m in sys.modules])"
    )
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert output.stdout == "[]\n"
