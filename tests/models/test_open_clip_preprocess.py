"""The quick image transform gives what open_clip's own gives, to the bit."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tiny_open_clip import TINY

from vlmexplain.models import open_clip_preprocess
from vlmexplain.models.load import load_model
from vlmexplain.models.open_clip_build import build_transform
from vlmexplain.models.open_clip_preprocess import MOST_RESIZED_PX, build_preprocess
from vlmexplain.models.open_clip_source import read_source
from vlmexplain.models.protocol import UnfitPicture

STATED: dict[str, dict[str, Any]] = {
    "as CLIP": {},
    "bilinear": {"interpolation": "bilinear"},
    "squash": {"resize_mode": "squash"},
    "longest, padded": {"resize_mode": "longest", "fill_color": 127},
    "as SigLIP": {"resize_mode": "squash", "mean": [0.5] * 3, "std": [0.5] * 3},
}


def random_picture(rng: np.random.Generator, mode: str = "RGB") -> Image.Image:
    width, height = rng.integers(3, 400, size=2).tolist()
    pixels = rng.integers(256, size=(height, width, 3)).astype(np.uint8)
    return Image.fromarray(pixels).convert(mode)


@pytest.mark.parametrize("name", STATED)
@pytest.mark.parametrize("size", [32, [32, 48]], ids=["square", "oblong"])
def test_equal_to_open_clips_own(tiny_folder, name: str, size: object) -> None:
    config = {**TINY, "vision_cfg": {**TINY["vision_cfg"], "image_size": size}}
    folder = tiny_folder(config, preprocess_cfg=STATED[name])
    source = read_source(str(folder))
    assert source is not None
    naive, quick = build_transform(source), build_preprocess(source)
    rng = np.random.default_rng(0)
    sent = pickle.loads(pickle.dumps(quick))
    for picture in [random_picture(rng) for _ in range(20)]:
        found = quick(picture)
        np.testing.assert_array_equal(sent(picture), found)
        assert found.dtype == np.float32 and found.flags.c_contiguous
        np.testing.assert_array_equal(found, naive(picture).numpy())


@pytest.mark.parametrize("mode", ["L", "RGBA", "P", "CMYK"])
def test_other_kinds_of_pixels_are_made_rgb_first(tiny_folder, mode: str) -> None:
    model = load_model(str(tiny_folder()))
    picture = random_picture(np.random.default_rng(1), mode)
    rgb = picture.convert("RGB")
    np.testing.assert_array_equal(model.preprocess(picture), model.preprocess(rgb))


def test_a_picture_so_oblong_that_it_would_fill_the_memory_is_refused(tiny_folder) -> None:
    source = read_source(str(tiny_folder()))
    assert source is not None
    quick = build_preprocess(source)
    size = quick(Image.new("RGB", (40, 30))).shape[1]
    longest = MOST_RESIZED_PX // size**2
    for fits in [(longest, 1), (1, longest), (2 * longest, 2)]:
        assert quick(Image.new("RGB", fits)).shape == (3, size, size)
    for oblong in [(longest + 1, 1), (1, longest + 1)]:
        with pytest.raises(UnfitPicture, match="too oblong for the model"):
            quick(Image.new("RGB", oblong))
    squash = {**source.preprocessing, "resize_mode": "squash"}
    whole = build_preprocess(replace(source, preprocessing=squash))(
        Image.new("RGB", (longest + 1, 1))
    )
    assert whole.shape == (3, size, size)


@pytest.mark.parametrize("last", ["another step", "other numbers"])
def test_a_transform_that_ends_otherwise_is_asked_whole(
    tiny_folder, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    source = read_source(str(tiny_folder()))
    assert source is not None
    own = build_transform(source)
    if last == "another step":
        own.transforms.append(lambda pixels: pixels * 2)  # type: ignore[attr-defined]
    else:
        step = own.transforms[-1]  # type: ignore[attr-defined]
        monkeypatch.setattr(step, "forward", lambda pixels: pixels * 3)
    monkeypatch.setattr(open_clip_preprocess, "build_transform", lambda _: own)
    made = build_preprocess(source)
    picture = random_picture(np.random.default_rng(2))
    for whole in (made, pickle.loads(pickle.dumps(made))):
        np.testing.assert_array_equal(whole(picture), own(picture).numpy())
