"""Careful perturbations: every trap of the specification, and what the annotations allow."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import lru_cache
from pathlib import Path

import pytest

from vlmexplain.concepts.coco_categories import shipped_table
from vlmexplain.concepts.wordnet import WordNet, load_wordnet
from vlmexplain.perturb.engine import Surroundings, perturb
from vlmexplain.perturb.facts import ImageFacts
from vlmexplain.perturb.objects import THINGS
from vlmexplain.perturb.perturbation import NotApplicable, Perturbation, apply
from vlmexplain.records import Instance

SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "coco"
VOCABULARY = frozenset(shipped_table().values())
SEEDS = range(12)


@lru_cache(maxsize=1)
def wordnet() -> WordNet:
    return load_wordnet()


def made(
    caption: str, rule: str, seed: int = 0, facts: ImageFacts | None = None
) -> tuple[Perturbation, ...]:
    found = perturb(
        caption, f"careful-{rule}", seed=seed, surroundings=Surroundings(facts, wordnet())
    )
    return () if isinstance(found, NotApplicable) else found


def texts(caption: str, rule: str, facts: ImageFacts | None = None) -> set[str]:
    """Every text of twelve seeds."""
    return {apply(caption, p.edits) for seed in SEEDS for p in made(caption, rule, seed, facts)}


def facts_of(*categories: str, crowd: str = "", captions: tuple[str, ...] = ()) -> ImageFacts:
    table = shipped_table()
    instances = tuple(Instance(table[name], None, name == crowd, name) for name in categories)
    return ImageFacts(instances, VOCABULARY, captions)


# --- colour ---


def test_an_orange_is_not_recoloured_but_an_orange_cup_is() -> None:
    found = texts("an orange on a white plate next to an orange cup", "color")
    assert found
    for text in found:
        assert text.startswith("an orange on a ")
    cups = {t.split(" next to ")[1] for t in found} - {"an orange cup"}
    assert cups and all(cup.startswith("a ") for cup in cups)


@pytest.mark.parametrize(
    "caption",
    [
        "A sliced orange and a banana",
        "A glass of orange juice",
        "an orange growing on a tree",
        "Red Sox players on a field",
        "The White House in winter",
        "A black and white photo of a dog",
        "A dog in black and white",
        "A plate of green beans",
        "A glass of red wine on the table",  # one entry of WordNet
        "A black bear in the woods",
        "A black man on a bench",
        "A car that is not red",
        "A red or blue bus",
        "An off white wall",
        "A snow covered hill",
        "A tomato slice and wheat bread",
        "a two-story blue-green house",
        "Mr. Brown eats",
    ],
)
def test_what_is_not_a_colour_to_change_is_left(caption: str) -> None:
    assert made(caption, "color") == ()


def test_every_colour_is_offered_and_none_put_twice() -> None:
    caption = "a red bus next to a red car"
    for seed in SEEDS:
        first, second = made(caption, "color", seed)
        assert apply(caption, first.edits).endswith("next to a red car")
        assert apply(caption, second.edits).startswith("a red bus")
    assert all("white and" not in t.split("cat")[0][2:7] for t in texts("A white cat", "color"))


def test_a_colour_change_is_far_enough_and_never_called_verified() -> None:
    for seed in SEEDS:
        for one in made("a gray cat on a red sofa", "color", seed, facts_of("cat", "couch")):
            assert one.verified is None and "not verified" in one.note
    assert {t.split()[1] for t in texts("a red ball", "color")}.isdisjoint({"orange", "brown"})


def test_case_and_article_follow_the_word() -> None:
    assert {t.split()[0] for t in texts("An orange cup", "color")} == {"A"}
    assert "AN ORANGE BUS" in texts("A BLUE BUS", "color")
    assert "Orange plate on a table" in texts("White plate on a table", "color")


# --- object ---


@pytest.mark.parametrize(
    ("caption", "word"),
    [
        ("Two dogs on a sofa", "dogs"),
        ("A herd of sheep graze", "sheep"),
        ("BUSES ARE PARKED", "BUSES"),
        ("Some people sit", "people"),
        ("An elephant walks", "elephant"),
    ],
)
def test_number_case_and_article_are_kept(caption: str, word: str) -> None:
    found = texts(caption, "object")
    assert found
    plurals = {thing.many for thing in THINGS} - {"sheep"}
    for text in found:
        assert word not in text
        new = next(w for w in text.split() if w.lower() in plurals | {t.one for t in THINGS})
        if word != "elephant":
            assert new.lower() in plurals | {"sheep"}
            assert new.isupper() == word.isupper()
        else:
            assert text.startswith(f"A {new}")


@pytest.mark.parametrize(
    "caption",
    [
        "A man eats a hot dog",
        "A dog with mustard and ketchup on a bun",
        "A train station at night",
        "Cars at a bus stop",
        "A city bus driver",
        "A toy fire truck",
        "A teddy bear on a bed",
        "Commuters on a train ride",
        "No dogs allowed, and no cats",
        "A room without a cat",
        "A dog or a cat",
        "A dog and another dog",
        "A couple of bird on a wire",
        "A large trains at the station",
        "The dog's bowl",
    ],
)
def test_what_is_not_an_object_to_change_is_left(caption: str) -> None:
    dropped = [word for word in ("Cars", "and no cats", "a cat") if word in caption]
    for one in made(caption, "object"):
        assert "Cars" in dropped and one.edits[0].before == "Cars"


def test_the_stop_sign_trap() -> None:
    caption = "one dog and a stop sign"
    assert all(t.endswith(" and a stop sign") for t in texts(caption, "object"))
    assert texts(caption, "number") == {
        f"{n} dogs and a stop sign" for n in ("two", "three", "four")
    }


def test_an_object_flip_is_absent_from_the_image() -> None:
    facts = facts_of("dog", "cat", "horse", "sheep", "cow", "bear", "zebra", "giraffe")
    for seed in SEEDS:
        (one,) = made("a dog runs", "object", seed, facts)
        assert one.edits[-1].after in ("bird", "elephant") and one.verified is True


def test_nothing_is_put_that_a_caption_of_the_image_names() -> None:
    others = ("A kitten and a pony", "pigeons, cows", "a goat, a panda, elephants")
    facts = facts_of("dog", captions=("a dog runs", *others))
    after = {made("a dog runs", "object", seed, facts)[0].edits[-1].after for seed in SEEDS}
    assert after <= {"zebra", "giraffe"}


def test_a_more_general_annotation_may_be_the_thing() -> None:
    facts = ImageFacts((Instance("animal.n.01"), Instance("dog.n.01")), VOCABULARY)
    found = perturb("a dog runs", "careful-object", surroundings=Surroundings(facts, wordnet()))
    assert isinstance(found, NotApplicable)
    assert found.because == "everything it could become is, or may be, in the image"
    narrow = ImageFacts((Instance("kitten.n.01"), Instance("lamb.n.01")), VOCABULARY)
    after = {text.split()[1] for text in texts("a dog runs", "object", narrow)}
    assert after and after.isdisjoint({"cat", "sheep"})


@pytest.mark.parametrize(
    "facts",
    [
        None,
        ImageFacts(),
        ImageFacts((), VOCABULARY),
        ImageFacts((Instance("dog.n.01"),), frozenset({"dog.n.01"})),
    ],
    ids=["no image", "no annotations", "nothing annotated", "not looked for"],
)
def test_unknown_is_not_verified(facts: ImageFacts | None) -> None:
    for rule, caption in (("object", "a dog runs"), ("number", "two cats sit")):
        (one,) = made(caption, rule, 0, facts)
        assert one.verified is None and one.note


def test_without_wordnet_nothing_is_verified() -> None:
    facts = facts_of("dog")
    found = perturb("a dog runs", "careful-object", surroundings=Surroundings(facts))
    assert isinstance(found, tuple) and found[0].verified is None


# --- number ---


@pytest.mark.parametrize(
    ("caption", "expected"),
    [
        ("One dog is on a sofa", {f"{n} dogs are on a sofa" for n in ("Two", "Three", "Four")}),
        ("There is one bus", {f"There are {n} buses" for n in ("two", "three", "four")}),
        ("One person sits", {f"{n} people sit" for n in ("Two", "Three", "Four")}),
        ("TWO DOGS", {f"{n} DOGS" for n in ("THREE", "FOUR", "FIVE")}),
        ("2 dogs", {f"{n} dogs" for n in (3, 4, 5)}),
        ("nine large white plates", {"ten large white plates"}),
    ],
)
def test_numbers_agree_with_what_they_count(caption: str, expected: set[str]) -> None:
    assert texts(caption, "number") == expected


@pytest.mark.parametrize(
    "caption",
    [
        "A two story building",
        "A two way street sign",
        "One of the dogs",
        "This one is red",
        "A dog and a small one",
        "One way sign on a pole",
        "Two dogs, one is black and the other is white",
        "one dog with its owner",
        "One man looks at another man",
        "One or two dogs",
        "bus number two",
        "two hours later",
        "one measly and underdeveloped tree",
        "Ten cats",
        "a one-eyed cat",
    ],
)
def test_what_does_not_count_is_left(caption: str) -> None:
    assert made(caption, "number") == ()


def test_a_number_exceeds_the_count_in_the_image() -> None:
    facts = facts_of("dog", "dog", "dog", "dog", "cat")
    for seed in SEEDS:
        (one,) = made("two dogs run", "number", seed, facts)
        assert one.edits[0].after in ("five", "six", "seven") and one.verified is True


def test_men_are_counted_among_persons_but_animals_are_not_counted() -> None:
    facts = facts_of("person", "person", "person", "dog", "cat")
    for seed in SEEDS:
        (one,) = made("two men talk", "number", seed, facts)
        assert one.edits[0].after in ("four", "five", "six") and one.verified is True
        (one,) = made("two animals play", "number", seed, facts)
        assert one.verified is None  # others than the annotators looked for may be there


def test_crowds_and_disagreeing_annotations_verify_nothing() -> None:
    (one,) = made("two people walk", "number", 0, facts_of("person", "person", crowd="person"))
    assert one.verified is None and "crowd" in one.note
    (one,) = made("two dogs run", "number", 0, facts_of("dog"))
    assert one.verified is None and "only 1" in one.note


# --- paraphrases ---


def test_a_phrase_takes_every_template_and_a_sentence_only_two() -> None:
    phrase = texts("A dog on a sofa.", "paraphrase")
    assert "A photo of a dog on a sofa." in phrase
    assert "A dog on a sofa in the scene." in phrase
    assert len(phrase) == 8
    assert texts("Two dogs sit on a sofa.", "paraphrase") == {
        "In this image, two dogs sit on a sofa.",
        "In the picture, two dogs sit on a sofa.",
    }


def test_a_capital_that_is_not_the_sentences_stays() -> None:
    assert "A photo of London at night" in texts("London at night", "paraphrase")
    assert "A photo of people at a table" in texts("People at a table", "paraphrase")
    assert "a photo of a dog" in texts("a dog", "paraphrase")
    assert "A PHOTO OF DOGS" not in texts("DOGS RUNNING", "paraphrase")


# --- on real annotations, by an independent look at the file ---


@pytest.mark.skipif(not SHARED.exists(), reason="the real annotations are not here")
def test_verified_flips_of_real_images_are_false_by_the_annotation_file() -> None:
    whole = json.loads((SHARED / "annotations" / "instances_val2017.json").read_text())
    name = {c["id"]: c["name"] for c in whole["categories"]}
    objects: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for one in whole["annotations"]:
        objects[one["image_id"]].append((name[one["category_id"]], one["iscrowd"]))
    captions: dict[int, list[str]] = defaultdict(list)
    for one in json.loads((SHARED / "annotations" / "captions_val2017.json").read_text())[
        "annotations"
    ]:
        captions[one["image_id"]].append(one["caption"])
    table = shipped_table()
    plural = {t.many: t.one for t in THINGS} | {t.one: t.one for t in THINGS}
    n_objects = n_numbers = 0
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    for image, own in captions.items():
        facts = ImageFacts(
            tuple(Instance(table[c], None, bool(crowd), c) for c, crowd in objects[image]),
            VOCABULARY,
            tuple(own),
        )
        present = [category for category, _ in objects[image]]
        for caption in own:
            for one in made(caption, "object", 0, facts):
                new = plural[one.edits[-1].after.lower()]
                assert new not in present
                assert not any(new in other.lower() for other in own)
                n_objects += one.verified is True
                assert one.verified is True or not present
            for one in made(caption, "number", 0, facts):
                if one.verified:
                    n_numbers += 1
                    new_number = words.index(one.edits[0].after.lower()) + 1
                    noun = apply(caption, one.edits).lower()
                    for category in ("dog", "cat", "horse", "zebra", "giraffe", "elephant", "bus"):
                        if f"{one.edits[0].after.lower()} {category}" in noun:
                            assert present.count(category) < new_number
    assert n_objects >= 200 and n_numbers >= 20, (n_objects, n_numbers)
