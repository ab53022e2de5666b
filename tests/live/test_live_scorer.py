"""The live scorer against naive computation, and against the run."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vlmexplain.errors import ModelError
from vlmexplain.lgip.text_cache import TextCache
from vlmexplain.live.scorer import LiveScorer
from vlmexplain.models.fake import FakeEncoder
from vlmexplain.scoring.queries import QueryTable

NEVER_RUN = 5
"""The seed of a fake model that no run was made with."""

WORDS = ["red", "dog", "dogs", "two", "cat", "bus", "the", "a", "on", "straße"]
texts_of_words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)


class CountingEncoder(FakeEncoder):
    """Remembers what it was asked to encode."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.calls: list[list[str]] = []

    def encode_texts(self, texts: Sequence[str]) -> Any:
        self.calls.append(list(texts))
        return super().encode_texts(texts)


def naive_ranking(gallery: Any, encoder: Any, text: str, targets: Sequence[int]) -> Any:
    """Rank, ties and order by sorting every exact score."""
    vector = encoder.encode_texts([text])[0].astype(np.float64)
    images = encoder.encode_images([gallery.read_rgb(i) for i in range(gallery.n_images)])
    scores = (images.astype(np.float64) * vector).sum(axis=1).astype(np.float32)
    order = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    best = min(targets, key=order.index)
    tied = [
        i for i in range(len(scores))
        if i not in targets and abs(float(scores[i]) - float(scores[best])) <= 1e-6
    ]  # fmt: skip
    return scores, order, order.index(best) + 1, len(tied)


@settings(max_examples=25, deadline=None)
@given(texts=st.lists(texts_of_words, min_size=1, max_size=4), target=st.sampled_from([0, 3, 6, 7]))
def test_retrieval_is_what_sorting_gives(live_world: Any, texts: list[str], target: int) -> None:
    scorer = LiveScorer(live_world.gallery, FakeEncoder())
    found = scorer.retrieve(texts, [target, 2], k=5)
    assert found is not None
    similarities = scorer.similarities(texts, range(live_world.gallery.n_images))
    for text, one, row in zip(texts, found, similarities, strict=True):
        scores, order, rank, tied = naive_ranking(
            live_world.gallery, scorer.encoder, text, [target, 2]
        )
        assert np.allclose(row, scores, atol=1e-6)
        assert (one.rank_1based, one.n_tied) == (rank, tied)
        assert one.top_images == tuple(order[:5])
        assert np.allclose(one.top_scores, scores[order[:5]], atol=1e-6)
        assert one.n_ranked == live_world.gallery.n_images


def test_a_tie_follows_gallery_order(live_world: Any) -> None:
    scorer = LiveScorer(live_world.gallery, FakeEncoder())
    first, second = (scorer.retrieve(["a red dog"], [image]) for image in (0, 6))
    assert first is not None and second is not None
    assert first[0].n_tied == second[0].n_tied == 1
    assert second[0].rank_1based == first[0].rank_1based + 1


@pytest.mark.parametrize("mode", ["image-text", "text-text"])
def test_ranks_of_the_gallerys_captions_are_those_of_the_run(live_world: Any, mode: Any) -> None:
    run = live_world.run if mode == "image-text" else live_world.text_run
    table = QueryTable(run, live_world.gallery)
    scorer = LiveScorer(live_world.gallery, FakeEncoder(mode=mode))
    for query in range(live_world.gallery.n_captions):
        row = table.row(query)
        truths = [other.image_index for other in table.same_text(row.text_index)]
        found = scorer.retrieve([row.text], truths, own_text=row.text, k=3)
        assert found is not None
        assert found[0].rank_1based == row.rank_1based
        assert found[0].n_tied == (row.n_tied or 0)
        assert found[0].n_ranked == row.n_ranked
        assert list(found[0].top_images) == [i for i in run.top_k_images[query][:3] if i >= 0]


def test_a_typed_text_meets_all_captions_of_a_text_model(live_world: Any) -> None:
    scorer = LiveScorer(live_world.gallery, FakeEncoder(mode="text-text"))
    found = scorer.retrieve(["something typed"], [3])
    assert found is not None and found[0].n_ranked == live_world.gallery.n_images - 1
    naive = [
        max(
            float(scorer.vectors([c.text])[0] @ scorer.vectors(["something typed"])[0])
            for c in live_world.gallery.captions_of(image)
        )
        for image in range(7)
    ]
    assert np.allclose(scorer.similarities(["something typed"], range(7))[0], naive, atol=1e-6)
    assert np.isnan(scorer.similarities(["something typed"], [7])[0, 0])
    assert scorer.unscored_because(7) == "the image has no caption but the query itself"
    assert scorer.unscored_because(3, "a green bird in a tree") is not None
    with pytest.raises(ModelError, match="reads no images"):
        scorer.occlude(0, 3)


def test_without_a_run_two_images_are_scored_and_nothing_is_ranked(live_world: Any) -> None:
    scorer = LiveScorer(live_world.gallery, FakeEncoder(NEVER_RUN))
    assert not scorer.can_rank and scorer.retrieve(["a dog"], [0]) is None
    encoder = FakeEncoder(NEVER_RUN)
    images = encoder.encode_images([live_world.gallery.read_rgb(i) for i in (0, 3)])
    expected = encoder.encode_texts(["a dog"]).astype(np.float64) @ images.T
    assert np.allclose(scorer.similarities(["a dog"], [0, 3]), expected, atol=1e-7)


def test_a_run_made_later_is_found(live_world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from vlmexplain.live import scorer as module
    from vlmexplain.scoring.run import run

    monkeypatch.setattr(module, "LOOK_AGAIN_S", 0.0)
    scorer = LiveScorer(live_world.gallery, FakeEncoder(77))
    assert not scorer.can_rank
    run(live_world.gallery, "fake:77")
    assert scorer.can_rank


def test_each_text_is_encoded_once_in_one_call(live_world: Any) -> None:
    encoder = CountingEncoder(NEVER_RUN)
    scorer = LiveScorer(live_world.gallery, encoder)
    scorer.vectors(["a red dog", "b", "b", "c"])
    scorer.similarities(["c", "b"], [0])
    assert encoder.calls == [["a red dog", "b", "c"]]


def test_captions_of_an_embedded_gallery_are_not_encoded_again(live_world: Any) -> None:
    encoder = CountingEncoder()
    scorer = LiveScorer(live_world.gallery, encoder)
    scorer.retrieve(["a red dog"], [6])
    assert encoder.calls == []


def test_a_cache_is_shared_by_models_and_tells_them_apart(live_world: Any) -> None:
    cache = TextCache()
    one = LiveScorer(live_world.gallery, FakeEncoder(3), cache)
    other = LiveScorer(live_world.gallery, FakeEncoder(4), cache)
    assert not np.allclose(one.vectors(["x"]), other.vectors(["x"]))
    assert np.array_equal(other.vectors(["x"]), FakeEncoder(4).encode_texts(["x"]))


def test_many_threads_get_the_same_numbers(live_world: Any) -> None:
    scorer = LiveScorer(live_world.gallery, FakeEncoder())
    expected = LiveScorer(live_world.gallery, FakeEncoder()).similarities(WORDS, [0, 1, 2])
    found: list[Any] = []
    threads = [
        threading.Thread(target=lambda: found.append(scorer.similarities(WORDS, [0, 1, 2])))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and all(np.array_equal(one, expected) for one in found)


def test_a_missing_picture_has_a_reason(live_world: Any, tmp_path: Any) -> None:
    from dataclasses import replace as changed

    from vlmexplain.datasets.gallery import Gallery

    folder = tmp_path / "elsewhere"
    folder.mkdir()
    manifest = changed(live_world.gallery.manifest, images_folder=str(folder))
    scorer = LiveScorer(Gallery(live_world.gallery.folder, manifest), FakeEncoder(NEVER_RUN))
    (folder / "0.png").write_bytes(b"no picture")
    assert np.isnan(scorer.similarities(["a dog"], [0])).all()
    assert scorer.unscored_because(0)
