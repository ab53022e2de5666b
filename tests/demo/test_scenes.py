"""The same seed gives the same scene, annotations and pixels; splits never share a combination."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from drawn_world.render import pixels
from drawn_world.sample import sample_scene, sample_scenes
from drawn_world.scene import combination_key
from drawn_world.split import SPLITS, split_of
from drawn_world.write import CAPTIONS_PER_SCENE, GALLERY_SCENES, GALLERY_SEED, documents

GALLERY = Path(__file__).parents[2] / "data" / "demo"


@pytest.fixture(scope="module")
def shipped() -> tuple[dict, dict]:
    return tuple(json.loads((GALLERY / f"{n}.json").read_text()) for n in ("instances", "captions"))


def test_annotations_of_the_gallery_can_be_made_again_byte_for_byte(shipped):
    scenes = list(sample_scenes(GALLERY_SEED, "test", 12, distinct=True))
    instances, captions = documents(scenes, GALLERY_SEED)
    again = json.dumps([instances["images"], instances["annotations"], captions["annotations"]])
    images = shipped[0]["images"][:12]
    last = images[-1]["id"]
    kept = [[a for a in d["annotations"] if a["image_id"] <= last] for d in shipped]
    assert again == json.dumps([images, *kept])
    assert instances["categories"] == shipped[0]["categories"]


def test_pictures_of_the_gallery_can_be_drawn_again():
    for row, scene in enumerate(sample_scenes(GALLERY_SEED, "test", 4, distinct=True), start=1):
        drawn = pixels(scene).astype(int)
        with Image.open(GALLERY / "images" / f"{row:06d}.webp") as image:
            stored = np.asarray(image.convert("RGB")).astype(int)
        assert np.abs(drawn - stored).mean() < 3.0, "lossy, but the same picture"


def test_pixels_are_the_same_each_time():
    scene = sample_scene(5, 17, "train")
    assert scene == sample_scene(5, 17, "train")
    assert pixels(scene).tobytes() == pixels(sample_scene(5, 17, "train")).tobytes()
    assert pixels(scene).shape == (320, 320, 3)
    assert (pixels(scene) != pixels(sample_scene(5, 18, "train"))).any()


def test_gallery_has_what_it_should(shipped):
    instances, captions = shipped
    assert len(instances["images"]) == GALLERY_SCENES == 1000
    assert len(captions["annotations"]) == GALLERY_SCENES * CAPTIONS_PER_SCENE
    texts: dict[int, set[str]] = {}
    for one in captions["annotations"]:
        texts.setdefault(one["image_id"], set()).add(one["caption"])
    assert all(len(own) == CAPTIONS_PER_SCENE for own in texts.values()), "five different captions"


def test_gallery_combinations_are_distinct_and_all_of_the_test_split():
    scenes = list(sample_scenes(GALLERY_SEED, "test", GALLERY_SCENES, distinct=True))
    keys = {combination_key(scene.setting, scene.groups) for scene in scenes}
    assert len(keys) == GALLERY_SCENES
    assert {split_of(key) for key in keys} == {"test"}


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**31), index=st.integers(0, 10**6), split=st.sampled_from(SPLITS))
def test_a_scene_is_of_the_split_that_was_asked_for(seed, index, split):
    scene = sample_scene(seed, index, split)
    assert split_of(combination_key(scene.setting, scene.groups)) == split
    assert len({group.category for group in scene.groups}) == len(scene.groups)
    assert len(scene.items) == sum(group.count for group in scene.groups)
    assert all(1 <= group.count <= 5 for group in scene.groups)


def test_a_combination_does_not_depend_on_the_order_of_groups():
    scene = next(s for s in sample_scenes(3, "train", 50) if len(s.groups) > 1)
    turned = tuple(reversed(scene.groups))
    assert combination_key(scene.setting, scene.groups) == combination_key(scene.setting, turned)
