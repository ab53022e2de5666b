"""Boxes lie in the picture and are tight within a pixel, against a second way of finding them."""

from __future__ import annotations

import numpy as np
import pytest

from drawn_world import render
from drawn_world.annotate import annotate, label_synsets
from drawn_world.sample import sample_scene
from drawn_world.svg import rect
from vlmexplain.concepts.wordnet import load_wordnet

SIZE = 320


def visible_mask(scene, row: int) -> np.ndarray:
    """Pixels that change when a thing is painted in another flat colour: no id buffer involved."""
    stack = render.layers(scene)
    definitions = "".join(layer.definitions for layer in stack)
    number = next(n for n, layer in enumerate(stack) if layer.item == row)

    def picture(colour: int) -> np.ndarray:
        body = "".join(
            render._flat(layer.svg, colour if n == number else 0x202020)
            for n, layer in enumerate(stack)
        )
        backdrop = rect(0, 0, SIZE, SIZE, "#202020")
        return render._rasterise(render._document(definitions, backdrop + body), SIZE).astype(int)

    return np.abs(picture(0xFF00FF) - picture(0x00FF00)).sum(axis=2) > 200  # a quarter covered


@pytest.mark.parametrize("index", range(6))
def test_boxes_of_things_are_tight_within_a_pixel(index):
    scene = sample_scene(41, index, "test")
    things = [found for found in annotate(scene) if found.kind == "thing"]
    assert [found.item for found in things] == list(range(len(scene.items)))
    for found in things[:4]:
        mask = visible_mask(scene, found.item)
        columns, rows = np.nonzero(mask.any(axis=0))[0], np.nonzero(mask.any(axis=1))[0]
        x, y, width, height = found.box_xywh_px
        assert abs(x - columns[0]) <= 1 and abs(x + width - 1 - columns[-1]) <= 1
        assert abs(y - rows[0]) <= 1 and abs(y + height - 1 - rows[-1]) <= 1
        assert 0.7 < found.area_px / mask.sum() < 1.2


@pytest.mark.parametrize("index", range(12))
def test_boxes_lie_in_the_picture_and_hold_their_pixels(index):
    scene = sample_scene(42, index, "test")
    found = annotate(scene)
    for one in found:
        x, y, width, height = one.box_xywh_px
        assert x >= 0 and y >= 0 and x + width <= SIZE and y + height <= SIZE
        assert 0 < one.area_px <= width * height
    assert sum(one.kind == "setting" for one in found) == 1
    assert all(one.name in label_synsets() for one in found)


def test_no_thing_is_all_but_hidden():
    for index in range(10):
        found = annotate(sample_scene(43, index, "test"))
        assert min(one.area_px for one in found if one.kind == "thing") > 60


def test_every_label_has_a_synset_of_wordnet():
    wordnet = load_wordnet()
    for name, (_, synset) in label_synsets().items():
        assert wordnet.has(synset), name
