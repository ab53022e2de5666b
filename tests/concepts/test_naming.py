"""Names of objects to synsets: found, and how; or not guessed."""

from __future__ import annotations

import pytest

from vlmexplain.concepts.naming import find_synset, read_aliases, synset_for_name
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
        ("zebra", "zebra.n.01", "name"),
        ("  Zebras ", "zebra.n.01", "base form"),
        ("tennis  Rackets", "tennis_racket.n.01", "base form"),
        ("a tree", "tree.n.01", "name"),
        ("t-shirt", "jersey.n.03", "name"),
        ("t shirts", "jersey.n.03", "base form"),
        ("polar-bear", "ice_bear.n.01", "name"),
        ("geese", "goose.n.01", "base form"),
        ("bikes are", "motorcycle.n.01", "alias"),
        ("telly set", "television.n.01", "base form of an alias"),
    ],
)
def test_found(wordnet, name, synset, how):
    found = find_synset(name, wordnet, ALIASES)
    assert found and (found.synset, found.how) == (synset, how)
    assert synset_for_name(name, wordnet, ALIASES) == synset
    assert wordnet.senses(found.lemma)[0] == synset


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "the",
        "in",
        "a",
        "it",
        "purple zebra",
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
