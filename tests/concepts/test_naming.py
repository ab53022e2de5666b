"""Names of objects to synsets: found, and how; or not guessed."""

from __future__ import annotations

import pytest

from vlmexplain.concepts.naming import (
    DECIDED_BY,
    NameUses,
    alternatives,
    find_synset,
    object_names,
    plain_name,
    read_aliases,
    synset_for_name,
)
from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.errors import DataError

ALIASES = {
    "bikes are": ("bike", "bikes", "bikes are"),
    "telly set": ("telly sets", "telly set", "TVs"),
}


@pytest.fixture(scope="module")
def wordnet():
    return load_wordnet()


@pytest.mark.parametrize(
    ("name", "synset", "how"),
    [
        ("aardvark", "aardvark.n.01", "only-sense"),
        ("  Aardvarks ", "aardvark.n.01", "singular"),
        ("tennis  Rackets", "tennis_racket.n.01", "table"),
        ("a tree", "tree.n.01", "sense"),
        ("t-shirt", "jersey.n.03", "only-sense"),
        ("t shirts", "jersey.n.03", "singular"),
        ("polar-bear", "ice_bear.n.01", "only-sense"),
        ("geese", "goose.n.01", "singular"),
        ("bikes are", "bicycle.n.01", "alias"),
        ("telly set", "television_receiver.n.01", "alias"),
        ("purple zebra", "zebra.n.01", "head"),
        ("black hair", "hair.n.01", "head"),
        # a plural is the concept of its singular, whatever else WordNet lists the form for
        ("windows", "window.n.01", "singular"),
        ("shoes", "shoe.n.01", "singular"),
        ("plates", "plate.n.04", "table"),
        ("men", "man.n.01", "singular"),
        ("women", "woman.n.01", "singular"),
        ("hands", "hand.n.01", "singular"),
        ("eyes", "eye.n.01", "singular"),
        ("arms", "arm.n.01", "singular"),
        ("skis", "ski.n.01", "table"),
        ("leaves", "leaf.n.01", "singular"),
        ("people", "person.n.01", "table"),
        ("jeans", "jean.n.01", "singular"),
        # true plural nouns, and words that only look like plurals, stay
        ("glasses", "spectacles.n.01", "table"),
        ("scissors", "scissors.n.01", "table"),
        ("species", "species.n.01", "sense"),
        ("boss", "foreman.n.01", "sense"),
        ("glass", "glass.n.01", "sense"),
        # the thing, not the abstraction, the person or the place of the name
        ("Mouse", "mouse.n.04", "table"),
        ("Potted_Plant", "pot_plant.n.01", "table"),
        ("hot-dog", "hotdog.n.02", "table"),
        ("light", "light.n.02", "table"),
        ("jersey", "jersey.n.03", "table"),
        ("dish", "dish.n.01", "sense"),
        ("clouds", "cloud.n.02", "table"),
        ("bow_(weapon)", "bow.n.04", "sense"),
        ("bow_(decorative_ribbons)", "bow.n.08", "sense"),
    ],
)
def test_found(wordnet, name, synset, how):
    found = find_synset(name, wordnet, ALIASES)
    assert found and (found.synset, found.decided_by) == (synset, how)
    assert synset_for_name(name, wordnet, ALIASES) == synset
    assert how in DECIDED_BY


def test_the_table_is_of_plain_names_and_canonical_synsets(wordnet):
    table = object_names()
    assert len(table) > 400
    for name, synset in table.items():
        assert plain_name(name) == name
        assert wordnet.canonical(synset) == synset, name


def test_what_the_data_set_calls_by_a_name_decides_first(wordnet):
    uses = NameUses()
    uses.add("Windows", "windowpane.n.01", 2)
    uses.add("window", "window.n.08", 3)
    uses.add("window", "window.n.01", 3)
    assert find_synset("windows", wordnet, uses=uses).synset == "windowpane.n.01"
    # of equals the first by letters; a plural without uses of its own has its singular's
    assert find_synset("a window", wordnet, uses=uses).synset == "window.n.01"
    uses.add("plate", "china.n.01")
    found = find_synset("plates", wordnet, uses=uses)
    assert (found.synset, found.decided_by) == ("china.n.01", "data-set")


def test_alternatives_are_other_senses_things_first(wordnet):
    others = alternatives("plates", "plate.n.04", wordnet)
    assert "home_plate.n.01" in others and "plate.n.04" not in others and len(others) <= 8
    assert alternatives("qwertz", None, wordnet) == ()


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "the",
        "in",
        "a",
        "it",
        "sea zebra",
        "qwertz",
        "x" * 10_000,
        "🦓",
        "\x00",
        "quickly",
    ],
)
def test_unknown_is_not_guessed(wordnet, name):
    assert synset_for_name(name, wordnet, ALIASES) is None


def test_an_alias_may_be_one_name(wordnet):
    assert synset_for_name("doggo", wordnet, {"doggo": "dog"}) == "dog.n.01"


def test_aliases_are_read(tmp_path):
    path = tmp_path / "object_alias.txt"
    path.write_text("bike,Bikes,bikes are\n\n bikes ,other\n,,\n", encoding="utf-8")
    line = ("bike", "bikes", "bikes are")
    assert read_aliases(path) == {
        "bike": line,
        "bikes": line,
        "bikes are": line,
        "other": ("bikes", "other"),
    }


def test_a_bad_alias_file(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_aliases(tmp_path / "none.txt")
    (tmp_path / "bad.txt").write_bytes(b"\xff")
    with pytest.raises(DataError, match="not UTF-8"):
        read_aliases(tmp_path / "bad.txt")


def test_visual_genomes_own_aliases(wordnet, shared):
    aliases = read_aliases(shared / "data/visual_genome/object_alias.txt")
    assert "bikes are" in aliases and aliases["bikes are"][0] == "bike"
    found = find_synset("of railing", wordnet, aliases)
    assert found and found.lemma == "railing"
