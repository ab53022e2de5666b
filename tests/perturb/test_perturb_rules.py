"""Every rule: properties over any text, edits that apply and undo, and the interventions."""

from __future__ import annotations

from functools import lru_cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlmexplain.concepts.wordnet import WordNet, load_wordnet
from vlmexplain.errors import DataError, UnknownName
from vlmexplain.models.fake import FakeEncoder
from vlmexplain.perturb.colours import colours_in, named_colours, rgb_distance
from vlmexplain.perturb.diff import edits_between
from vlmexplain.perturb.draws import Draws
from vlmexplain.perturb.engine import Surroundings, perturb, perturb_all
from vlmexplain.perturb.facts import ImageFacts
from vlmexplain.perturb.perturbation import (
    Edit,
    NotApplicable,
    Outcome,
    Perturbation,
    apply,
    inverse,
    undo,
)
from vlmexplain.perturb.rules import RULES, find_rule, lgip_rules
from vlmexplain.perturb.seen import is_tie, visibility

WORD_LIST = """a an the A An two one Two dogs dog bus buses people person red orange Orange black
and white cat small big large tiny is are sits sit on in of with photo no or old hot train station
. , ! <b> & $5 :balloon: Ё 红色 🎈 é é ﬁ İ ß dog's two-story  sheep elephant"""
WORDS = WORD_LIST.split()
captions = st.one_of(
    st.text(),
    st.lists(st.sampled_from([*WORDS, " ", "\n"]), max_size=14).map(" ".join),
)


@lru_cache(maxsize=1)
def wordnet() -> WordNet:
    return load_wordnet()


def surroundings(text: str | None = None) -> Surroundings:
    return Surroundings(lexicon=wordnet(), colours=("red", "navy", "white"), text=text)


def some(outcome: Outcome) -> tuple[Perturbation, ...]:
    return () if isinstance(outcome, NotApplicable) else outcome


@given(captions, captions, st.integers(0, 3))
def test_every_rule_on_any_text(caption: str, own: str, seed: int) -> None:
    for key, outcome in perturb_all(caption, seed=seed, surroundings=surroundings(own)).items():
        rule = find_rule(key)
        if isinstance(outcome, NotApplicable):
            assert outcome.rule == key and outcome.because
            continue
        assert outcome
        for one in outcome:
            text = apply(caption, one.edits)
            assert text != caption
            assert undo(text, one.edits) == caption
            assert apply(text, inverse(one.edits)) == caption
            assert (one.rule, one.seed) == (key, seed) and one.note
            assert one.expects in (rule.expects, "unknown") and one.verified is None
            assert all(edit.before != edit.after for edit in one.edits)
            baseline = apply(caption, one.baseline)
            assert baseline != text and (key == "combined" or baseline == caption)
        assert any(one.drawn for one in outcome)
        alone = perturb(caption, key, seed=seed, surroundings=surroundings(own))
        assert alone == outcome


@given(st.text(), st.text())
def test_edits_between_any_two_texts_are_exact(before: str, after: str) -> None:
    edits = edits_between(before, after)
    assert apply(before, edits) == after and undo(after, edits) == before
    assert bool(edits) == (before != after)


def test_a_change_in_a_caption_that_repeats_itself_is_found_where_it_is() -> None:
    before = "a red car, a blue bird near a house " * 5
    place = before.index("red", 30)  # the second of five
    after = before[:place] + "black" + before[place + 3 :]
    assert edits_between(before, after) == (Edit(place, place + 3, "red", "black"),)


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    text = draw(st.text(max_size=30))
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pairs = list(zip(places[::2], places[1::2], strict=False))
    return text, [Edit(a, b, text[a:b], draw(st.text(max_size=4))) for a, b in pairs]


@given(edited())
def test_any_edits_apply_and_undo(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    expected = text
    for edit in reversed(edits):  # the plain way: from the end, so that places stay
        expected = expected[: edit.start] + edit.after + expected[edit.end :]
    assert apply(text, edits) == expected
    assert undo(expected, edits) == text


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(0, 3, "cat", "dog")],
        [Edit(0, 9, "a red bus", "")],
        [Edit(2, 5, "red", "x"), Edit(0, 1, "a", "b")],
        [Edit(0, 4, "a re", "x"), Edit(2, 5, "red", "y")],
        [Edit(5, 2, "", "x")],
        [Edit(-1, 0, "", "x")],
    ],
)
def test_edits_that_do_not_fit_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(DataError, match="does not fit"):
        apply("a red car", edits)


def test_draws_are_even_and_written_down() -> None:
    draws = [Draws("x", "r", seed).below(3) for seed in range(3000)]
    assert all(900 < draws.count(n) < 1100 for n in range(3))
    assert sorted(Draws("x", "r", 0).shuffled(range(9))) == list(range(9))
    first = Draws("a dog", "rule", 1)
    assert [first.below(100) for _ in range(4)] == [13, 68, 24, 28]
    assert Draws("\ud800", "r", 0).below(5) in range(5)  # half a surrogate pair


def test_the_table_is_whole() -> None:
    assert len({rule.key for rule in RULES}) == len(RULES) == 17
    for mode in ("paper", "careful"):
        rules = lgip_rules(mode)
        assert [rule.flip_type for rule in rules] == [None, "color", "number", "object"]
        assert [rule.expects for rule in rules] == ["same", "drop", "drop", "drop"]
    for rule in RULES:
        assert rule.title and rule.sentence.endswith(".")
        assert find_rule(rule.name, rule.mode or "paper") is rule
    with pytest.raises(UnknownName, match="antonym"):
        find_rule("antonim")
    with pytest.raises(UnknownName, match="rgb_threshold"):
        perturb("a red bus", "color-all", parameters={"threshold": 1})
    with pytest.raises(DataError, match="out of range"):
        perturb("a red bus", "color-all", parameters={"rgb_threshold": 500})


def text_of(caption: str, rule: str, **more: object) -> set[str]:
    found = perturb(caption, rule, surroundings=surroundings(), **more)  # type: ignore[arg-type]
    return {apply(caption, one.edits) for one in some(found)}


# --- antonyms ---


def test_all_antonyms_are_offered_and_one_is_drawn() -> None:
    caption = "An old man near a tall tree"
    found = some(perturb(caption, "antonym", surroundings=surroundings()))
    after = {one.edits[-1].after for one in found}
    assert {"young", "new", "short"} <= after
    for adjective in ("old", "tall"):
        drawn = [p for p in found if p.drawn and any(e.before == adjective for e in p.edits)]
        assert len(drawn) == 1
        assert drawn[0].edits[-1].after in ("young", "new", "short")
    assert "A young man near a tall tree" in {apply(caption, one.edits) for one in found}
    draws = {
        one.edits[-1].after
        for seed in range(20)
        for one in some(perturb(caption, "antonym", seed=seed, surroundings=surroundings()))
        if one.drawn
    }
    assert draws == {"young", "new", "short"}


def test_a_satellite_goes_through_its_head() -> None:
    found = some(perturb("A damp dog", "antonym", surroundings=surroundings()))
    assert "dry" in {one.edits[-1].after for one in found}
    assert all("through a similar adjective" in one.note for one in found)


@pytest.mark.parametrize(
    ("caption", "because"),
    [
        ("A dog on a sofa", "no adjective"),
        ("A ceramic table", "no adjective has an opposite in WordNet"),
        ("A man on top of a hill", "no adjective"),
    ],
)
def test_no_antonym_is_invented(caption: str, because: str) -> None:
    found = perturb(caption, "antonym", surroundings=surroundings())
    assert found == NotApplicable("antonym", because)


# --- colours ---


def test_the_named_colours_are_those_of_css() -> None:
    names = named_colours()
    assert len(names) == 141  # 148 names, seven of them "grey" for "gray"
    assert names["rebecca purple"] == (102, 51, 153)
    assert names["light goldenrod yellow"] == (250, 250, 210)
    from PIL import ImageColor

    assert {n.replace(" ", "") for n in names} == {
        n for n in ImageColor.colormap if "grey" not in n
    }
    assert all(len(part) >= 3 for name in names for part in name.split())


@given(st.sampled_from(sorted(named_colours())), st.sampled_from(sorted(named_colours())))
def test_distance_is_a_metric(one: str, other: str) -> None:
    assert rgb_distance(one, other) == rgb_distance(other, one) <= 441.7
    assert (rgb_distance(one, other) == 0) == (named_colours()[one] == named_colours()[other])


@pytest.mark.parametrize("threshold", [0.0, 150.0, 300.0])
def test_the_new_colour_is_at_least_the_threshold_away(threshold: float) -> None:
    for seed in range(30):
        made = perturb(
            "a red bus",
            "color-all",
            seed=seed,
            surroundings=surroundings(),
            parameters={"rgb_threshold": threshold},
        )
        (one,) = some(made)
        assert rgb_distance("red", one.edits[-1].after) >= threshold


def test_color_in_draws_only_from_the_data_set() -> None:
    found = {
        one.edits[-1].after
        for seed in range(30)
        for one in some(perturb("a red bus", "color-in", seed=seed, surroundings=surroundings()))
    }
    assert found == {"navy", "white"}
    none = perturb("a red bus", "color-in")
    assert none == NotApplicable("color-in", "no data set was given to take colours from")
    far = {"rgb_threshold": 440.0}
    found_none = perturb("a red bus", "color-in", surroundings=surroundings(), parameters=far)
    assert isinstance(found_none, NotApplicable) and "440 or more away" in found_none.because


def test_colours_of_a_data_set() -> None:
    captions = ["A red bus", "an orange on a plate", "a dark blue car", "A grey cat", "Red Sox"]
    assert colours_in(captions) == ("dark blue", "gray", "red")


# --- sizes, synonyms, order ---


def test_sizes_change_sides() -> None:
    assert text_of("An enormous dog", "size") == {
        f"A {size} dog" for size in ("small", "little", "minor", "tiny")
    }
    assert "An enormous dog" in text_of("A tiny dog", "size")
    assert text_of("a little bit of a mess and big ben", "size") == set()
    assert text_of("A dog", "size") == set()


def test_synonyms_are_of_the_words_sense() -> None:
    found = some(perturb("A sofa near the bicycles", "synonym", surroundings=surroundings()))
    texts = {apply("A sofa near the bicycles", one.edits) for one in found}
    assert "A couch near the bicycles" in texts and "A sofa near the bikes" in texts
    assert all(one.expects == "same" for one in found if "bicycles" in one.note)
    guessed = some(perturb("A plate near a bank", "synonym", surroundings=surroundings()))
    assert all(one.expects == "unknown" for one in guessed)
    for caption in (
        "Two men sitting on the street in front of a building.",
        "A giraffe in a field",
    ):
        made = perturb(caption, "synonym", surroundings=surroundings())
        for one in some(made):
            text = apply(caption, one.edits)
            assert not {"workforce", "hands", "camelopard"} & set(text.split()), text


def test_a_colour_flip_takes_no_colour_that_a_caption_of_the_image_has() -> None:
    caption = "A yellow and a green motorcycle parked by a wall."
    facts = ImageFacts(captions=(caption, "Two motorcycles, one with a red seat and a blue tank"))
    for seed in range(30):
        made = perturb(caption, "color", seed=seed, surroundings=Surroundings(facts=facts))
        for one in some(made):
            new = one.edits[-1].after
            assert new not in ("yellow", "green", "red", "blue")
    sky = perturb("a boat under a blue sky", "color")
    assert [one.expects for one in some(sky)] == ["unknown"]


def test_a_number_flip_exceeds_every_number_of_the_images_captions() -> None:
    facts = ImageFacts(captions=("two dogs on a beach", "five dogs run"))
    for seed in range(10):
        made = perturb("two dogs on a beach", "number", seed=seed, surroundings=Surroundings(facts))
        assert some(made)[0].edits[0].after in ("six", "seven", "eight")


def test_each_word_is_taken_out_once() -> None:
    assert text_of("A dog, and cat", "word-removed") == {
        "dog, and cat",
        "A, and cat",
        "A dog, cat",
        "A dog, and",
    }
    assert perturb("dog", "word-removed") == NotApplicable(
        "word-removed", "there are fewer than two words"
    )


def test_shuffled_words_are_the_same_words() -> None:
    for seed in range(20):
        (one,) = some(perturb("A dog, two dogs; cat.", "words-shuffled", seed=seed))
        text = apply("A dog, two dogs; cat.", one.edits)
        assert sorted(text.replace(",", "").replace(";", "").replace(".", "").split()) == sorted(
            ["A", "dog", "two", "dogs", "cat"]
        )
    assert isinstance(perturb("dog dog", "words-shuffled"), NotApplicable)


def test_own_text_is_the_users() -> None:
    around = Surroundings(text="a blue bus")
    (one,) = some(perturb("a red bus", "own-text", surroundings=around))
    assert one.edits == (Edit(2, 5, "red", "blue"),) and one.expects == "unknown"
    same = perturb("a blue bus", "own-text", surroundings=around)
    assert same == NotApplicable("own-text", "the text is the caption")


def test_a_combined_edit_is_scored_against_its_paraphrase() -> None:
    caption = "Two dogs on a red sofa."
    for seed in range(10):
        for one in some(perturb(caption, "combined", seed=seed, surroundings=surroundings())):
            base, text = apply(caption, one.baseline), apply(caption, one.edits)
            assert base != caption and text not in (base, caption)
            assert one.expects == "drop"
            assert len([e for e in edits_between(base, text) if e.before.strip()]) == 1


# --- what the model sees ---


def test_an_edit_past_the_cut_is_not_seen() -> None:
    encoder = FakeEncoder()
    start = "a b c d e f g h i j k l m n "  # the fake reads fourteen words
    assert visibility(f"{start}dog", f"{start}cat", encoder) == "past the cut"
    assert visibility(f"{start}dog", f"x {start}dog", encoder) == "seen"
    assert visibility("A BALL", "a ball", encoder) == "same tokens"
    assert visibility("a ball", "a bat", encoder) == "seen"
    assert visibility("é", "红色", encoder) == "same tokens"  # both unknown to it


def test_a_tie_is_within_a_millionth() -> None:
    assert is_tie(0.25, 0.2500009) and not is_tie(0.25, 0.2500021)
