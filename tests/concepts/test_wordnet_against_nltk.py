"""Our tables against NLTK's reader over the same files."""

from __future__ import annotations

import random
import warnings

import numpy as np
import pytest

from vlmexplain.concepts.coco_categories import shipped_table
from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.concepts.wordnet_files import set_up_wordnet

SAMPLE = 400


@pytest.fixture(scope="module")
def wordnet():
    return load_wordnet()


@pytest.fixture(scope="module")
def nltk_wordnet(wordnet):
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    root = str(set_up_wordnet().parents[1])
    nltk.data.path.insert(0, root)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield WordNetCorpusReader(nltk.data.find("corpora/wordnet"), None)
    finally:
        nltk.data.path.remove(root)


def nltk_name(synset, nltk_wordnet) -> str:
    """The synset's name, satellites numbered among all adjectives (see wordnet_tables)."""
    if synset.pos() != "s":
        return synset.name()
    lemma = synset.lemma_names()[0].lower()
    offsets = nltk_wordnet._lemma_pos_offset_map[lemma]["a"]
    return f"{lemma}.s.{offsets.index(synset.offset()) + 1:02d}"


def nltk_synset(name: str, nltk_wordnet):
    lemma, pos, number = name.rsplit(".", 2)
    return nltk_wordnet.synset(f"{lemma}.{'a' if pos == 's' else pos}.{number}")


def sample(wordnet, pos: str, n: int = SAMPLE) -> list[str]:
    names = [n for n in wordnet.names() if n.rsplit(".", 2)[1] == pos]
    return random.Random(pos).sample(names, n)


@pytest.mark.parametrize("pos", "nvasr")
def test_synsets(wordnet, nltk_wordnet, pos):
    for name in sample(wordnet, pos):
        ours, theirs = wordnet.synset(name), nltk_synset(name, nltk_wordnet)
        assert ours.name == name == nltk_name(theirs, nltk_wordnet)
        assert ours.pos == theirs.pos() == pos
        assert ours.gloss == theirs.definition()
        assert list(ours.examples) == theirs.examples()
        assert list(ours.lemmas) == theirs.lemma_names()
        above = theirs.hypernyms() + theirs.instance_hypernyms()
        assert sorted(ours.hypernyms) == sorted(nltk_name(h, nltk_wordnet) for h in above)


def test_every_noun_is_there_in_the_same_order(wordnet, nltk_wordnet):
    ours = [n for n in wordnet.names() if n.rsplit(".", 2)[1] == "n"]
    assert len(ours) == 82_115 and len(wordnet.names()) == 117_659
    assert len(set(wordnet.names())) == 117_659


@pytest.mark.parametrize("pos", "nvar")
def test_senses(wordnet, nltk_wordnet, pos):
    lemmas = [m for m, by_pos in nltk_wordnet._lemma_pos_offset_map.items() if by_pos.get(pos)]
    for lemma in random.Random(pos).sample(sorted(lemmas), SAMPLE):
        theirs = [
            nltk_name(nltk_wordnet.synset_from_pos_and_offset(pos, offset), nltk_wordnet)
            for offset in nltk_wordnet._lemma_pos_offset_map[lemma][pos]
        ]
        assert list(wordnet.senses(lemma, pos)) == theirs
    assert wordnet.senses("qwertz", pos) == ()


@pytest.mark.parametrize("pos", "nvar")
def test_base_forms(wordnet, nltk_wordnet, pos):
    draw = random.Random(pos)
    words = sorted(m for m, by_pos in nltk_wordnet._lemma_pos_offset_map.items() if pos in by_pos)
    endings = [
        "s",
        "es",
        "ies",
        "ves",
        "ses",
        "xes",
        "zes",
        "ches",
        "shes",
        "men",
        "ed",
        "ing",
        "er",
        "est",
    ]
    forms = [w[: len(w) - draw.randrange(3)] + draw.choice(["", *endings]) for w in words]
    forms = (
        draw.sample(forms, min(len(forms), 20 * SAMPLE))
        + sorted(nltk_wordnet._exception_map[pos])
        + words[:500]
    )
    for form in forms:
        assert list(wordnet.lemmatize(form, pos)) == nltk_wordnet._morphy(form, pos), form


def similarities(names, others, nltk_wordnet):
    left = [nltk_synset(n, nltk_wordnet) for n in names]
    right = [nltk_synset(n, nltk_wordnet) for n in others]
    found = [[a.path_similarity(b, simulate_root=False) for b in right] for a in left]
    return np.array(found, dtype=float)  # None becomes NaN


@pytest.mark.parametrize("pos", "nvar")
def test_path_similarity_of_random_pairs(wordnet, nltk_wordnet, pos):
    names = sample(wordnet, pos, 40)
    left, right = names[:25], names[15:]  # some in both
    theirs = similarities(left, right, nltk_wordnet)
    np.testing.assert_allclose(wordnet.matrix(left, right), theirs, rtol=0, atol=1e-12)
    if pos == "n":
        assert not np.isnan(theirs).any()
    else:
        assert np.isnan(theirs).any()


def test_path_similarity_of_all_coco_pairs(wordnet, nltk_wordnet):
    names = sorted(shipped_table().values())
    synsets = [nltk_wordnet.synset(n) for n in names]
    ours = wordnet.matrix(names, names)
    for i, a in enumerate(synsets):
        for j, b in enumerate(synsets[i:], i):
            # The default simulates a root; for nouns it changes nothing.
            assert abs(ours[i, j] - a.path_similarity(b)) <= 1e-12
            assert ours[j, i] == ours[i, j]


def test_closures(wordnet, nltk_wordnet):
    for pos in "nv":
        for name in sample(wordnet, pos, 100):
            theirs = nltk_synset(name, nltk_wordnet)._shortest_hypernym_paths(False)
            assert wordnet.hypernym_closure(name) == {s.name(): d for s, d in theirs.items()}


def test_counts(wordnet, nltk_wordnet):
    for lemma in ["dog", "white", "orange", "run", "bank", "person", "zebra"]:
        for pos in "nva":
            lemmas = [
                found
                for synset in nltk_wordnet.synsets(lemma, pos)
                for found in synset.lemmas()
                if found.name().lower() == lemma
            ]
            assert wordnet.count(lemma, pos) == sum(found.count() for found in lemmas)


def test_direct_antonyms(wordnet, nltk_wordnet):
    for word in [
        "big",
        "small",
        "wet",
        "happy",
        "long",
        "open",
        "white",
        "old",
        "full",
        "empty",
        "dark",
        "young",
    ]:
        theirs = {
            opposite.name().lower()
            for synset in nltk_wordnet.synsets(word, "a", check_exceptions=False)
            for lemma in synset.lemmas()
            if lemma.name().lower() == word
            for opposite in lemma.antonyms()
        }
        assert theirs
        assert {a.word.lower() for a in wordnet.antonyms(word) if a.direct} == theirs
