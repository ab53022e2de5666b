"""The signs that look at what captions mention, against a plain loop; and the mentions kept."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from run_world import random_columns
from scipy import sparse

from vlmexplain.concepts.mentions import mentions_in
from vlmexplain.concepts.wordnet import WordNet, load_wordnet
from vlmexplain.errors import Cancelled
from vlmexplain.overview import gallery_mentions
from vlmexplain.overview.audit import NAMED_BY, AuditSource, find_sign
from vlmexplain.overview.gallery_facts import GalleryFacts
from vlmexplain.overview.gallery_mentions import GalleryMentions, find_mentions, stored_mentions

CONCEPTS = ("animal.n.01", "bus.n.01", "car.n.01", "cat.n.01", "dog.n.01", "vehicle.n.01")
N_IMAGES, N_CAPTIONS = 12, 80


@pytest.fixture(scope="module")
def wordnet() -> WordNet:
    return load_wordnet()


def random_source(seed: int, wordnet: WordNet) -> AuditSource:
    rng = np.random.default_rng(seed)
    columns = random_columns(N_CAPTIONS, N_IMAGES, seed)
    counts = sparse.csr_matrix(
        rng.integers(0, 3, (N_IMAGES, 6)) * (rng.random((N_IMAGES, 6)) < 0.3)
    )
    counts.eliminate_zeros()
    facts = GalleryFacts(CONCEPTS, counts, counts > 9, counts.sum(axis=1))
    # most captions of an image say the same, so that some concept is named by all of them
    common = rng.integers(0, 6, N_IMAGES)
    said = [
        sorted({int(common[image]), *rng.integers(0, 6, rng.integers(0, 2)).tolist()})
        if rng.random() < 0.9
        else []
        for image in columns.image_index.tolist()
    ]
    sizes = [0, *(len(each) for each in said)]
    mentions = GalleryMentions(
        np.cumsum(sizes), np.array([place for each in said for place in each], np.int32)
    )
    gallery: Any = SimpleNamespace(n_images=N_IMAGES)
    return AuditSource(gallery, columns, facts, wordnet, mentions)


def said_by(source: AuditSource, caption: int) -> set[int]:
    mentions = source.mentions
    assert mentions is not None
    return set(mentions.places[mentions.offsets[caption] : mentions.offsets[caption + 1]].tolist())


def naive_mentions_nothing(source: AuditSource) -> list[int]:
    rank, image = source.columns.rank_1based.tolist(), source.columns.image_index.tolist()
    found = []
    for caption in range(len(image)):
        own = set(np.flatnonzero(source.facts.counts[image[caption]].toarray()[0]).tolist())
        if rank[caption] > 1 and own and not own & said_by(source, caption):
            found.append(caption)
    return sorted(found, key=lambda caption: (-rank[caption], caption))


def naive_named_but_missing(source: AuditSource) -> list[int]:
    rank, image = source.columns.rank_1based.tolist(), source.columns.image_index.tolist()
    closure = source.wordnet.hypernym_closure

    def near(one: str, other: str) -> bool:
        return one == other or one in closure(other) or other in closure(one)

    found = []
    for each in range(N_IMAGES):
        captions = [n for n in range(len(image)) if image[n] == each]
        if len(captions) < NAMED_BY:
            continue
        own = np.flatnonzero(source.facts.counts[each].toarray()[0]).tolist()
        named = set.intersection(*(said_by(source, n) for n in captions))
        if any(not any(near(CONCEPTS[n], CONCEPTS[m]) for m in own) for n in named):
            found.append((-max(rank[n] for n in captions), each, captions[0]))
    return [caption for _, _, caption in sorted(found)]


@pytest.mark.parametrize("seed", range(6))
def test_signs_are_those_of_the_plain_loop(seed: int, wordnet: WordNet) -> None:
    source = random_source(seed, wordnet)
    assert find_sign("mentions-nothing", source) == tuple(naive_mentions_nothing(source))
    assert find_sign("named-not-annotated", source) == tuple(naive_named_but_missing(source))


def test_both_signs_are_found_somewhere(wordnet: WordNet) -> None:
    """The comparison above would pass on empty lists."""
    for sign in ("mentions-nothing", "named-not-annotated"):
        assert any(find_sign(sign, random_source(seed, wordnet)) for seed in range(6))


def world(texts: list[str]) -> Any:
    return SimpleNamespace(
        id="a" * 64,
        name="made",
        n_captions=len(texts),
        concepts=CONCEPTS,
        captions_table=pa.table({"text": texts}),
    )


TEXTS = ["A dog in a car", "nothing at all", "two cats beside a bus", "a puppy"]


def test_mentions_are_those_of_each_caption_and_kept(
    fresh_home: Path, wordnet: WordNet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery_mentions, "CAPTIONS_AT_ONCE", 3)
    gallery = world(TEXTS)
    assert stored_mentions(gallery) is None
    found = find_mentions(gallery, wordnet)
    for n, text in enumerate(TEXTS):
        places = found.places[found.offsets[n] : found.offsets[n + 1]]
        assert {CONCEPTS[p] for p in places} == {
            m.concept for m in mentions_in(text, CONCEPTS, wordnet)
        }
    kept = stored_mentions(gallery)
    assert kept is not None
    assert np.array_equal(kept.places, found.places)
    assert np.array_equal(kept.captions, found.captions)


def test_mentions_can_be_stopped_and_leave_nothing(fresh_home: Path, wordnet: WordNet) -> None:
    def stop(_: object) -> None:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        find_mentions(world(TEXTS), wordnet, stop)
    assert stored_mentions(world(TEXTS)) is None


def test_a_read_only_server_keeps_nothing(
    fresh_home: Path, wordnet: WordNet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VLMEXPLAIN_READONLY", "1")
    assert len(find_mentions(world(TEXTS), wordnet).places)
    assert stored_mentions(world(TEXTS)) is None
