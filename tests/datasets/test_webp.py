"""WebP pictures are read like any other, and refused by their size before decoding."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from vlmexplain.datasets.images import browser_bytes, inspect_picture, read_rgb
from vlmexplain.datasets.picture_errors import PictureTooLarge, TruncatedPicture
from vlmexplain.datasets.webp_size import webp_size


def encoded(mode: str = "RGB", size: tuple[int, int] = (50, 31), **options: object) -> bytes:
    out = io.BytesIO()
    Image.new(mode, size, (200, 30, 60, 128)[: len(mode)]).save(out, "WEBP", **options)
    return out.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        encoded(),
        encoded(lossless=True),
        encoded("RGBA"),
        encoded(exif=Image.Exif().tobytes()),
        encoded(size=(1, 700)),
    ],
    ids=["lossy", "lossless", "alpha", "extended", "narrow"],
)
def test_stated_size_is_pillows(content: bytes) -> None:
    assert webp_size(content) == Image.open(io.BytesIO(content)).size


def test_webp_is_read_and_shown_as_it_is(tmp_path: Path) -> None:
    content = encoded(quality=95)
    (tmp_path / "a.webp").write_bytes(content)
    facts = inspect_picture(tmp_path, "a.webp")
    assert (facts.width_px, facts.height_px) == (50, 31)
    assert read_rgb(tmp_path, "a.webp").mode == "RGB"
    assert browser_bytes(tmp_path, "a.webp") == (content, "image/webp")


def test_a_large_canvas_is_refused_unopened(tmp_path: Path) -> None:
    header = b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + b"\xff\x3f\0" * 2
    (tmp_path / "bomb.webp").write_bytes(header + bytes(20))
    with pytest.raises(PictureTooLarge):
        inspect_picture(tmp_path, "bomb.webp")


def test_half_a_webp_is_damaged(tmp_path: Path) -> None:
    content = encoded(size=(400, 400), quality=100)
    (tmp_path / "half.webp").write_bytes(content[: len(content) // 2])
    with pytest.raises(TruncatedPicture):
        inspect_picture(tmp_path, "half.webp")


@pytest.mark.parametrize("content", [b"", b"RIFF", b"RIFF____WAVE" + bytes(30)])
def test_other_bytes_are_no_webp(content: bytes) -> None:
    assert webp_size(content) is None
