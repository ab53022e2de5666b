"""Comparison, word weights, image weights and reading, against plain computation."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageStat

from vlmexplain.errors import Cancelled
from vlmexplain.live.candidates import Candidates, candidates_of
from vlmexplain.live.comparison import compare
from vlmexplain.live.occlusion import grid_of, occlude
from vlmexplain.live.reading import can_tell_apart, read_text
from vlmexplain.live.scorer import LiveScorer
from vlmexplain.live.surroundings import GallerySurroundings, colours_of
from vlmexplain.live.word_weights import shortened, word_weights
from vlmexplain.models.fake import FakeEncoder
from vlmexplain.models.protocol import Token
from vlmexplain.perturb.colours import colours_in
from vlmexplain.perturb.diff import edits_between
from vlmexplain.perturb.perturbation import apply
from vlmexplain.perturb.rules import RULES
from vlmexplain.perturb.seen import visibility
from vlmexplain.records import Progress

CAPTION = "two red dogs and a small cat"


@pytest.fixture(scope="module")
def scorer(live_world: Any) -> LiveScorer:
    return LiveScorer(live_world.gallery, FakeEncoder())


@pytest.fixture(scope="module")
def careful(live_world: Any) -> Candidates:
    return candidates_of(CAPTION, "careful", GallerySurroundings(live_world.gallery).of(0))


def cosine(scorer: LiveScorer, text: str, image: int) -> float:
    picture = scorer.encoder.encode_images([scorer.gallery.read_rgb(image)])[0]
    return float(np.dot(scorer.encoder.encode_texts([text])[0].astype(np.float64), picture))


def test_every_rule_answers_once(careful: Candidates) -> None:
    made = {one.rule.key for one in (*careful.drawn, *careful.offered)}
    refused = {one.rule for one in careful.not_applicable}
    asked = {rule.key for rule in RULES if rule.mode in (None, "careful")}
    assert made | refused | {"word-removed"} == asked and not made & refused
    keys = [one.key for one in (*careful.drawn, *careful.offered)]
    assert len(set(keys)) == len(keys)
    assert careful.find(keys[0]) is careful.drawn[0] and careful.find("nothing.0") is None


def test_flips_are_checked_against_the_image(careful: Candidates) -> None:
    flips = [one for one in careful.drawn if one.rule.key == "careful-object"]
    assert flips and all(one.perturbation.verified for one in flips)


def test_comparison_is_plain_cosines(scorer: LiveScorer, careful: Candidates) -> None:
    found = compare(scorer, CAPTION, careful.drawn, (0, 3))
    assert found.scores == pytest.approx([cosine(scorer, CAPTION, i) for i in (0, 3)], abs=1e-6)
    for one in found.candidates:
        for side, image in enumerate((0, 3)):
            value = cosine(scorer, one.candidate.text, image)
            base = cosine(scorer, one.candidate.against, image)
            assert one.scored.scores[side] == pytest.approx(value, abs=1e-6)
            assert one.shifts[side] == pytest.approx(value - base, abs=1e-6)
            assert one.scored.ties[side] == (abs(value - base) <= 1e-6)
        assert one.retrieval is not None
    combined = [one for one in found.candidates if one.candidate.rule.key == "combined"]
    assert combined and all(one.candidate.against != CAPTION for one in combined)


def test_lgip_of_the_pair_is_the_means(scorer: LiveScorer, careful: Candidates) -> None:
    found = compare(scorer, CAPTION, (*careful.drawn, *careful.offered), (0,))
    gaps: dict[str | None, list[float]] = {}
    for one in found.candidates:
        if one.candidate.rule.mode == "careful" and one.candidate.perturbation.drawn:
            gaps.setdefault(one.candidate.rule.flip_type, []).append(one.scored.gaps[0])
    same = gaps.pop(None)
    flips = [gap for own in gaps.values() for gap in own]
    figures = found.figures
    assert figures.invariance_error == pytest.approx(np.mean(np.abs(same)))
    assert figures.sensitivity.gap_mean == pytest.approx(np.mean(flips))
    assert figures.sensitivity.positive_rate == np.mean([gap > 0 for gap in flips])
    for kind, own in gaps.items():
        assert kind is not None and figures.by_type[kind].count == len(own)


def test_an_edit_past_the_cut_is_not_seen(scorer: LiveScorer) -> None:
    long = " ".join(["word"] * 20) + " red dog"
    made = candidates_of(long, "paper", GallerySurroundings(scorer.gallery).of(0))
    flips = [one for one in made.drawn if one.rule.flip_type is not None]
    found = compare(scorer, long, flips, (0,))
    assert {one.scored.visibility for one in found.candidates} == {"past the cut"}
    assert found.figures.not_seen == len(flips) == 2
    assert all(one.scored.ties == (True,) for one in found.candidates)


def test_reading_tells_what_is_cut_and_unknown(scorer: LiveScorer) -> None:
    text = "a straße with " + " ".join(f"w{n}" for n in range(14))
    reading = read_text(text, scorer)
    assert (reading.n_tokens, reading.context_length, reading.n_cut) == (19, 16, 3)
    assert reading.cut_from is not None and text[reading.cut_from :] == "w11 w12 w13"
    assert [text[start:end] for start, end in reading.unknown] == ["straße"]
    assert read_text("a dog", scorer).cut_from is None


def test_an_unknown_word_before_the_cut_is_not_called_cut(scorer: LiveScorer) -> None:
    text = "a straße größe " + " ".join(["größe"] * 14)
    found = word_weights(scorer, text, (0,)).words
    assert [one.visibility for one in found[:2]] == ["seen", "same tokens"]
    assert found[-1].visibility == "past the cut"


@given(
    st.lists(st.sampled_from(["red", "dog", "größe", "straße", "a,", "two"]), min_size=1),
    st.integers(0, 40),
    st.sampled_from(["", "red", "dog cat", "größe"]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_what_the_cut_hides_is_told_as_by_reading_both_texts(
    scorer: LiveScorer, words: list[str], place: int, new: str
) -> None:
    one = " ".join(words)
    at = min(place, len(words) - 1)
    other = " ".join([*words[:at], *new.split(), *words[at + 1 :]])
    cut_from = read_text(one, scorer).cut_from
    first = min((edit.start for edit in edits_between(one, other)), default=0)
    plain = visibility(one, other, scorer)
    if plain == "past the cut" and cut_from is not None and first < cut_from:
        plain = "same tokens"
    assert can_tell_apart(one, other, (0.0,), scorer) == plain


def test_a_thousand_perturbations_past_the_cut_are_not_read(scorer: LiveScorer) -> None:
    caption = "a red dog and " * 143 + "a cat"
    made = candidates_of(caption, "careful", GallerySurroundings(scorer.gallery).of(0))
    read: list[str] = []

    class Counted:
        encoder = scorer.encoder

        def tokens(self, text: str) -> tuple[Token, ...]:
            read.append(text)
            return scorer.tokens(text)

    reader = Counted()
    found = [can_tell_apart(one.against, one.text, (0.0,), reader) for one in made.drawn]
    assert len(made.drawn) > 1000 and found.count("past the cut") > 900
    assert len(set(read)) < 100


def test_pieces_of_one_unknown_letter_are_one_span(
    scorer: LiveScorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = [(0, 1), (0, 1), (2, 4), (3, 4), (6, 7)]  # the bytes of one letter take two pieces
    tokens = tuple(Token("?", start, end, seen=True, known=False) for start, end in pieces)
    monkeypatch.setattr(scorer, "tokens", lambda text: tokens)
    assert read_text("ع xy é", scorer).unknown == ((0, 1), (2, 4), (6, 7))


def test_word_weights_leave_one_out(scorer: LiveScorer) -> None:
    found = word_weights(scorer, CAPTION, (0, 3))
    words = CAPTION.split()
    assert [one.text for one in found.words] == words
    for place, one in enumerate(found.words):
        rest = " ".join(words[:place] + words[place + 1 :])
        for side, image in enumerate((0, 3)):
            expected = cosine(scorer, CAPTION, image) - cosine(scorer, rest, image)
            assert one.weights[side] == pytest.approx(expected, abs=1e-6)
        assert CAPTION[one.start : one.end] == one.text


def test_word_weights_of_one_word_are_undefined(scorer: LiveScorer) -> None:
    found = word_weights(scorer, "dog", (0,))
    assert found.words == () and found.undefined_because == "there are fewer than two words"
    assert shortened("").texts == ()


def test_a_word_past_the_cut_says_so(scorer: LiveScorer) -> None:
    found = word_weights(scorer, " ".join(f"w{n}" for n in range(16)), (0,))
    assert [one.visibility for one in found.words[-2:]] == ["past the cut"] * 2
    assert found.words[0].visibility == "seen"


def test_occlusion_covers_one_part_at_a_time() -> None:
    encoder = FakeEncoder()
    pixels = np.random.default_rng(1).integers(0, 255, (30, 47, 3), dtype=np.uint8)
    picture = Image.fromarray(pixels)
    seen: list[Progress] = []
    made = occlude(encoder, picture, 3, seen.append)
    rows, columns = made.rows, made.columns
    assert (rows, columns) == (3, 5) and seen[-1].done == seen[-1].total == 15
    text = encoder.encode_texts(["a dog"])[0]
    colour = tuple(round(mean) for mean in ImageStat.Stat(picture).mean)
    whole = encoder.encode_images([picture])[0].astype(np.float64) @ text
    found = made.weights(text)
    for row, column in itertools.product(range(rows), range(columns)):
        other = picture.copy()
        for x, y in itertools.product(range(47), range(30)):
            inside_x = round(column * 47 / columns) <= x < round((column + 1) * 47 / columns)
            if inside_x and round(row * 10) <= y < round((row + 1) * 10):
                other.putpixel((x, y), colour)
        lost = whole - encoder.encode_images([other])[0].astype(np.float64) @ text
        assert found[row, column] == pytest.approx(lost, abs=1e-6)


def test_occlusion_is_kept_and_can_be_stopped(scorer: LiveScorer) -> None:
    def stop(_: Progress) -> None:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        scorer.occlude(2, 4, stop)
    assert scorer.occluded(2, 4) is None
    made = scorer.occlude(2, 4)
    assert scorer.occlude(2, 4, stop) is made


def test_grid_parts_are_nearly_square_and_bounded() -> None:
    assert grid_of(640, 480, 6) == (6, 8)
    assert grid_of(10_000, 100, 5) == (5, 20)
    assert grid_of(100, 100, 1) == (1, 1)


def test_colours_are_those_of_all_captions(live_world: Any) -> None:
    texts = live_world.gallery.captions_table.column("text").to_pylist()
    assert colours_of(live_world.gallery) == colours_in(texts)
    assert "red" in colours_of(live_world.gallery)


def test_own_text_is_compared_with_the_caption(live_world: Any) -> None:
    surroundings = GallerySurroundings(live_world.gallery).of(0, "two blue dogs and a small cat")
    made = candidates_of(CAPTION, "careful", surroundings)
    own = next(one for one in made.drawn if one.rule.key == "own-text")
    assert own.text == "two blue dogs and a small cat"
    assert apply(CAPTION, own.perturbation.edits) == own.text
