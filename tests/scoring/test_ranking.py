"""`rank` against a naive ranking by a full sort in float64."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vlmexplain.errors import Cancelled
from vlmexplain.records import Progress
from vlmexplain.scoring import ranking as ranking_module
from vlmexplain.scoring.image_index import index_captions, index_images
from vlmexplain.scoring.ranking import TIE_WITHIN, rank
from vlmexplain.scoring.tiles import Tiles


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def naive_scores(queries, vectors) -> np.ndarray:
    """float32 of float64 cosines, one pair at a time."""
    table = np.empty((len(queries), len(vectors)), dtype=np.float32)
    for i, query in enumerate(queries.astype(np.float64)):
        for j, vector in enumerate(vectors.astype(np.float64)):
            table[i, j] = (query * vector).sum()
    return table


def check(ranking, table: np.ndarray, targets: np.ndarray, k: int) -> None:
    """``table`` is [Q, n_images], NaN where an image has no score."""
    for i, scores in enumerate(table.astype(np.float64)):
        order = sorted(
            (j for j in range(len(scores)) if not np.isnan(scores[j])),
            key=lambda j: (-scores[j], j),
        )
        assert ranking.n_ranked[i] == len(order)
        kept = order[:k]
        assert ranking.top_k_images[i].tolist() == kept + [-1] * (k - len(kept))
        np.testing.assert_array_equal(ranking.top_k_scores[i, : len(kept)], table[i, kept])
        assert np.isnan(ranking.top_k_scores[i, len(kept) :]).all()
        target = targets[i]
        if target < 0 or np.isnan(scores[target]):
            assert ranking.rank_1based[i] == 0 and ranking.n_tied[i] == 0
            assert np.isnan(ranking.target_score[i])
        else:
            assert ranking.rank_1based[i] == order.index(target) + 1
            assert ranking.target_score[i] == table[i, target]
            near = np.abs(scores[order] - scores[target]) <= TIE_WITHIN
            assert ranking.n_tied[i] == near.sum() - 1


def vectors_with_ties(rng, n: int, d: int, noise: float) -> np.ndarray:
    """Unit vectors, a third of them copies of others, up to a little noise."""
    rows = rng.standard_normal((n, d))
    for copy in range(0, n, 3):
        rows[copy] = rows[rng.integers(n)] + noise * rng.standard_normal(d)
    return unit(rows)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 300),
    d=st.sampled_from([1, 3, 64]),
    k=st.sampled_from([1, 3, 10, 70]),
    noise=st.sampled_from([0.0, 1e-8, 3e-7, 1e-5]),
)
def test_images_as_a_full_sort(seed, n, d, k, noise) -> None:
    rng = np.random.default_rng(seed)
    vectors = vectors_with_ties(rng, n, d, noise)
    queries = unit(rng.standard_normal((40, d)))
    queries[:5] = vectors[rng.integers(n, size=5)]
    rankable = rng.random(n) < 0.9
    targets = rng.integers(-1, n, size=40).astype(np.int32)
    got = rank(queries, index_images(vectors, rankable), targets, k=k, chunk_queries=16)
    table = naive_scores(queries, vectors)
    table[:, ~rankable] = np.nan
    check(got, table, targets, k)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n_images=st.integers(1, 120),
    n_captions=st.integers(1, 250),
    n_texts=st.integers(1, 150),
    k=st.sampled_from([1, 10]),
)
def test_captions_as_a_full_sort(seed, n_images, n_captions, n_texts, k) -> None:
    rng = np.random.default_rng(seed)
    text_vectors = vectors_with_ties(rng, n_texts, 16, 0.0)
    text_of_caption = rng.integers(n_texts, size=n_captions).astype(np.int32)
    image_of_caption = np.sort(rng.integers(n_images, size=n_captions)).astype(np.int32)
    index = index_captions(text_vectors, text_of_caption, image_of_caption, n_images)
    got = rank(
        text_vectors[text_of_caption],
        index,
        image_of_caption,
        texts=text_of_caption,
        k=k,
        chunk_queries=64,
    )
    cosines = naive_scores(text_vectors, text_vectors)
    table = np.full((n_captions, n_images), np.nan, dtype=np.float32)
    for query, own in enumerate(text_of_caption):
        for text, image in zip(text_of_caption, image_of_caption, strict=True):
            if text != own:
                table[query, image] = np.fmax(table[query, image], cosines[own, text])
    check(got, table, image_of_caption, k)


def test_several_tiles_and_many_equal_images(monkeypatch) -> None:
    monkeypatch.setattr(
        ranking_module, "Tiles", lambda index, queries: Tiles(index, queries, tile_images=128)
    )
    rng = np.random.default_rng(5)
    vectors = unit(rng.standard_normal((1000, 8)))
    vectors[200:700] = vectors[200]
    queries = np.concatenate((vectors[[200, 3]], unit(rng.standard_normal((30, 8)))))
    targets = rng.integers(1000, size=32).astype(np.int32)
    targets[0] = 699
    got = rank(queries, index_images(vectors, np.ones(1000, dtype=bool)), targets, k=10)
    check(got, naive_scores(queries, vectors), targets, 10)
    assert got.rank_1based[0] == 500 and got.n_tied[0] == 499
    assert got.top_k_images[0].tolist() == list(range(200, 210))


class NoisyTiles(Tiles):
    """A product that is as wrong as a product may be: 8 √d 2⁻²⁴, d = 64."""

    def of(self, queries, texts):
        rng = np.random.default_rng(len(queries))
        for start, scores in super().of(queries, texts):
            noise = rng.uniform(-1, 1, size=scores.shape) * 8 * 8 * 2.0**-24
            yield start, (scores + noise).astype(np.float32)


@pytest.mark.parametrize("seed", range(5))
def test_the_error_of_the_product_changes_nothing(monkeypatch, seed: int) -> None:
    monkeypatch.setattr(
        ranking_module, "Tiles", lambda index, queries: NoisyTiles(index, queries, tile_images=64)
    )
    rng = np.random.default_rng(seed)
    centre = unit(rng.standard_normal((1, 64)))
    # Scores a few millionths apart, all within the error.
    vectors = unit(centre + 3e-6 * rng.standard_normal((300, 64)))
    vectors[250:] = vectors[:50]
    queries = unit(rng.standard_normal((40, 64)))
    targets = rng.integers(300, size=40).astype(np.int32)
    got = rank(queries, index_images(vectors, np.ones(300, dtype=bool)), targets, k=10)
    check(got, naive_scores(queries, vectors), targets, 10)


def test_equal_embeddings_have_equal_scores_wherever_they_are() -> None:
    rng = np.random.default_rng(1)
    vectors = unit(rng.standard_normal((4099, 512)))
    vectors[4098] = vectors[1]
    queries = unit(vectors[:1] + 2 * vectors[1:2]).repeat(3, axis=0)
    got = rank(queries, index_images(vectors, np.ones(4099, dtype=bool)), np.array([1, 4098, 0]))
    assert got.target_score[0] == got.target_score[1]
    assert got.n_tied[:2].tolist() == [1, 1]
    assert got.rank_1based[1] == got.rank_1based[0] + 1


def test_the_result_does_not_depend_on_the_chunks() -> None:
    rng = np.random.default_rng(2)
    vectors, queries = unit(rng.standard_normal((500, 32))), unit(rng.standard_normal((77, 32)))
    index = index_images(vectors, np.ones(500, dtype=bool))
    targets = rng.integers(500, size=77).astype(np.int32)
    one, other = (rank(queries, index, targets, chunk_queries=c) for c in (1, 1024))
    for name in ("rank_1based", "n_tied", "target_score", "top_k_images", "top_k_scores"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_no_image_can_be_ranked() -> None:
    index = index_images(np.zeros((3, 4), dtype=np.float32), np.zeros(3, dtype=bool))
    got = rank(unit(np.ones((2, 4))), index, np.array([0, 1], dtype=np.int32), k=2)
    assert got.rank_1based.tolist() == [0, 0] and (got.top_k_images == -1).all()
    assert got.n_ranked.tolist() == [0, 0]


def test_progress_counts_queries_and_may_cancel() -> None:
    index = index_images(unit(np.eye(4)), np.ones(4, dtype=bool))
    seen: list[Progress] = []

    def stop_after_two(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) == 2:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        rank(
            unit(np.ones((9, 4))),
            index,
            np.zeros(9, dtype=np.int32),
            progress=stop_after_two,
            chunk_queries=4,
        )
    assert [(p.done, p.total) for p in seen] == [(4, 9), (8, 9)]
