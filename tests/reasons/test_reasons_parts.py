"""Controls, fills, masks, words and rules, each against a plain twin or by hand."""

from __future__ import annotations

import numpy as np
import pytest
from colour_world import MeanColourEncoder
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from vlmexplain.concepts.mentions import mentions_in
from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.reasons.caption_edits import flips, to_the_front, without_negation, without_span
from vlmexplain.reasons.control_places import MOST_COVERED, control_masks
from vlmexplain.reasons.fills import fill_inpaint, fill_mean
from vlmexplain.reasons.first_cause import first_cause
from vlmexplain.reasons.model_input import model_input
from vlmexplain.reasons.picture_test import hidden_part
from vlmexplain.reasons.reason import Reason, Test
from vlmexplain.reasons.said import what_is_said
from vlmexplain.reasons.verdicts import pull_verdict, unused_verdict

SIDE = 40
numbers = st.floats(-0.5, 0.5).map(lambda value: round(value, 3))


def box(top: int, left: int, height: int, width: int) -> np.ndarray:
    mask = np.zeros((SIDE, SIDE), dtype=bool)
    mask[top : top + height, left : left + width] = True
    return mask


@given(st.integers(0, 25), st.integers(0, 25), st.integers(2, 15), st.integers(2, 15))
def test_controls_are_as_large_and_keep_off(top: int, left: int, height: int, width: int) -> None:
    own = box(top, left, height, width)
    spare = box(30, 30, 8, 8) & ~own
    for control in control_masks([own], spare):
        assert control.sum() == own.sum()
        assert (control & own).sum() <= MOST_COVERED * own.sum()
        assert (control & spare).sum() <= MOST_COVERED * spare.sum()


def test_controls_have_no_seed_and_are_all_different() -> None:
    shapes = [box(3, 3, 8, 8), box(20, 4, 6, 10)]
    spare = np.zeros((SIDE, SIDE), dtype=bool)
    one, again = control_masks(shapes, spare), control_masks(shapes, spare)
    assert len(one) == 6
    assert all(np.array_equal(a, b) for a, b in zip(one, again, strict=True))
    assert len({mask.tobytes() for mask in one}) == 6


@pytest.mark.parametrize(
    ("shape", "because"),
    [
        (box(0, 0, 0, 0), "no box of it"),
        (box(0, 0, 2, 2), "only 0.25%"),
        (box(0, 0, 30, 30), "56%"),
        (box(2, 0, 26, 30), "control"),
    ],
)
def test_what_cannot_be_tested_says_why(shape: np.ndarray, because: str) -> None:
    found = hidden_part([shape], np.zeros((SIDE, SIDE), dtype=bool))
    assert found.untestable is not None and because in found.untestable


def test_fills_change_only_what_is_hidden_and_the_input_comes_back() -> None:
    pixels = np.random.default_rng(0).integers(0, 255, (32, 32, 3), dtype=np.uint8)
    seen = model_input(Image.fromarray(pixels), MeanColourEncoder())
    mask = np.zeros((32, 32), dtype=bool)
    mask[5:15, 8:20] = True
    assert np.array_equal(seen.rgb, pixels)
    for fill in (fill_mean, fill_inpaint):
        edited = fill(seen, mask)
        assert np.array_equal(edited[:, ~mask], seen.prepared[:, ~mask])
        assert not np.array_equal(edited[:, mask], seen.prepared[:, mask])
    assert fill_mean(seen, mask)[:, 5, 8] == pytest.approx(seen.prepared.mean(axis=(1, 2)))


def naive_pull(tests: list[Test]) -> str:
    above = all(all(t.effect > c + 1e-6 for c in t.controls) for t in tests)
    below = all(all(t.effect < c - 1e-6 for c in t.controls) for t in tests)
    if above:
        return "causal" if all(t.effect > 1e-6 for t in tests) else "undecided"
    if below:
        return "opposite"
    within = all(
        any(t.effect <= c + 1e-6 for c in t.controls)
        and any(t.effect >= c - 1e-6 for c in t.controls)
        for t in tests
    )
    return "bystander" if within else "undecided"


@given(
    st.lists(st.tuples(numbers, st.lists(numbers, min_size=1, max_size=4)), min_size=2, max_size=2)
)
def test_pull_verdicts_are_those_of_the_plain_rule(made: list[tuple[float, list[float]]]) -> None:
    tests = [Test("P", "mean", effect, tuple(controls), 1, False) for effect, controls in made]
    assert pull_verdict(tests) == naive_pull(tests)


def test_unused_by_hand() -> None:
    def words(effect: float) -> Test:
        return Test("C", None, effect, (0.02, -0.03, 0.05), 2, False)

    within = Test("P", "mean", 0.1, (0.0, 0.2), 2, False)
    beyond = Test("P", "mean", 0.3, (0.0, 0.2), 2, False)
    assert unused_verdict(words(-0.01)) == "unused"
    assert unused_verdict(words(0.02)) == "unused"  # a tie counts as less
    assert unused_verdict(words(-0.06)) == "used"
    assert unused_verdict(words(0.04)) == "undecided"
    assert unused_verdict(words(0.01), [within, within]) == "unused"
    assert unused_verdict(words(0.01), [within, beyond]) == "undecided"
    assert unused_verdict(Test("C", None, 0.0, (), 2, False)) == "untestable"


def test_the_first_cause_follows_the_order() -> None:
    def reason(kind: str, verdict: str, effect: float = 0.0, fixes: bool = False) -> Reason:
        tests = (Test("P", "inpaint", effect, (0.0,), 1, fixes),) if effect else ()
        return Reason(kind, "it", "retrieved", verdict, "", tests)  # type: ignore[arg-type]

    hub, unused = reason("hub", "certain"), reason("colour", "unused")
    causal, fixing = reason("count", "causal", 0.9), reason("size", "causal", 0.1, True)
    larger = reason("shown_instead", "causal", 0.2, True)
    accepted = reason("fits_too", "certain")
    assert first_cause([causal, unused, hub, fixing, larger, accepted]) == 5
    assert first_cause([causal, unused, hub, fixing, larger]) == 4
    assert first_cause([causal, unused, hub]) == 2
    assert first_cause([causal, unused]) == 1
    assert first_cause([causal]) == 0
    assert first_cause([reason("not_annotated", "unused"), reason("size", "bystander")]) is None


def test_what_a_caption_says() -> None:
    text = "Two small dogs and an orange cup, without a red ball"
    concepts = ["dog.n.01", "cup.n.01", "ball.n.01"]
    said = what_is_said(text, mentions_in(text, concepts, load_wordnet()))
    found = {(one.kind, one.value, *one.concepts) for one in said.sayings}
    assert found >= {
        ("count", "2", "dog.n.01"), ("size", "small", "dog.n.01"),
        ("colour", "orange", "cup.n.01"), ("negated", "without", "ball.n.01"),
    }  # fmt: skip
    (cup,) = [one for one in said.of_kind("colour") if one.value == "orange"]
    made = flips(said, cup, "blue")
    assert made[0] == "Two small dogs and a blue cup, without a red ball"
    assert len(made) > 3 and len(set(made)) == len(made) and text not in made
    (two,) = said.of_kind("count")
    assert flips(said, two, "1")[0].startswith("One small dog and")
    (no,) = said.of_kind("negated")
    assert without_negation(said, no).endswith("with a red ball")


def test_words_are_taken_out_with_their_article() -> None:
    assert without_span("An orange cup on a table", (3, 9)) == "A cup on a table"
    assert without_span("a cup on a table", (11, 16)) == "a cup on"
    assert to_the_front("a dog and a cat.", 10) == "a cat, a dog and"
