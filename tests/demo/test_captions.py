"""Captions are true of their scenes: checked by a reader that knows nothing of the grammar."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from drawn_world.captions import Description, caption, captions_of, short_query
from drawn_world.claims import FALSE, TRUE, UNSURE, Claim, SceneTable, truth
from drawn_world.edits import EDITS, edited, false_twin
from drawn_world.reading import Seen, contradicts, read_caption
from drawn_world.sample import sample_scene

seeds = st.integers(0, 2**31)
indices = st.integers(0, 10**6)


def seen(scene) -> Seen:
    things = {g.category: (g.count, g.colour, g.size) for g in scene.groups}
    return Seen(things, scene.setting, scene.time)


@settings(max_examples=120, deadline=None)
@given(seed=seeds, index=indices)
def test_captions_are_true_of_their_scene_and_fully_understood(seed, index):
    scene = sample_scene(seed, index, "train")
    for made in captions_of(scene, 5, np.random.default_rng([seed, index])):
        reading = read_caption(made.text)
        assert not reading.strange, made.text
        assert reading.things, made.text
        assert contradicts(reading, seen(scene)) is None, made.text
        assert made.text[0].isupper() and made.text.endswith(".")


@settings(max_examples=80, deadline=None)
@given(seed=seeds, index=indices)
def test_claims_say_what_the_text_says(seed, index):
    scene = sample_scene(seed, index, "train")
    made = caption(Description.of(scene), np.random.default_rng([seed, index]))
    reading = read_caption(made.text)
    assert (reading.setting, reading.time) == (made.claim.setting, made.claim.time)
    said = [(set(m.categories), m.colour, m.size) for m in made.claim.mentions]
    assert [(set(t.categories), t.colour, t.size) for t in reading.things] == said


@settings(max_examples=80, deadline=None)
@given(seed=seeds, index=indices)
def test_short_queries_are_never_false_of_their_scene(seed, index):
    scene = sample_scene(seed, index, "train")
    made = short_query(Description.of(scene), np.random.default_rng([seed, index]))
    assert truth([made.claim], SceneTable.of([scene]))[0, 0] in (TRUE, UNSURE), made.text


@settings(max_examples=60, deadline=None)
@given(seed=seeds, index=indices)
def test_false_twins_are_false(seed, index):
    scene = sample_scene(seed, index, "train")
    about, table = Description.of(scene), SceneTable.of([scene])
    twin = false_twin(about, caption, seed, table, np.random.default_rng(seed))
    if twin is not None:
        assert contradicts(read_caption(twin.text), seen(scene)) is not None, twin.text


def test_edits_change_one_thing():
    rng = np.random.default_rng(0)
    for index in range(60):
        about = Description.of(sample_scene(9, index, "train"))
        for kind in EDITS:
            other = edited(about, kind, rng)
            if other is None:
                continue
            assert other != about
            changed = sum(a != b for a, b in zip(about.groups, other.groups, strict=True))
            assert changed == {"setting": 0, "swap colours": 2}.get(kind, 1)


def naive_truth(claim: Claim, scene) -> int:
    """The definition, in plain words, for one claim and one scene."""
    result = TRUE
    sizes = ("small", "medium", "large")
    for mention in claim.mentions:
        exact = near = 0
        for group in scene.groups:
            if mention.categories and group.category not in mention.categories:
                continue
            if mention.colour not in (None, group.colour):
                continue
            steps = abs(sizes.index(mention.size or group.size) - sizes.index(group.size))
            exact += group.count * (steps == 0)
            near += group.count * (steps <= 1)
        if not mention.low <= exact <= mention.high:
            unsure = mention.low <= near <= mention.high or (mention.vague and near > 0)
            result = min(result, UNSURE if unsure else FALSE)
    if claim.setting not in (None, scene.setting) or claim.time not in (None, scene.time):
        result = FALSE
    return result


def test_truth_agrees_with_its_naive_twin():
    scenes = [sample_scene(10, index, "train") for index in range(60)]
    rng = np.random.default_rng(1)
    claims = [caption(Description.of(s), rng).claim for s in scenes]
    claims += [short_query(Description.of(s), rng).claim for s in scenes for _ in range(4)]
    got = truth(claims, SceneTable.of(scenes))
    want = [[naive_truth(claim, scene) for scene in scenes] for claim in claims]
    assert got.tolist() == want
    assert len(np.unique(got)) == 3
