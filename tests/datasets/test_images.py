from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from handmade import GRASS, HEIGHT, RED, WIDTH, bomb_png, encoded, exif_bytes, picture
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps

from vlmexplain.datasets import images
from vlmexplain.datasets.orientation import TRANSPOSES, stored_to_upright, upright_boxes

BROKEN = {
    "truncated.jpg": "image-truncated",
    "not_an_image.jpg": "image-not-a-picture",
    "empty.jpg": "image-empty",
    "missing.jpg": "image-missing",
    "bomb.png": "image-too-large",
}
SOUND = ["plain.jpg", "cmyk.jpg", "gray.jpg", "palette.png", "rgba.png", "16bit.png"]


def near(pixel: tuple[int, ...], wanted: tuple[int, ...], tolerance: int = 12) -> bool:
    return all(abs(a - b) <= tolerance for a, b in zip(pixel, wanted, strict=True))


@pytest.mark.parametrize("name", SOUND)
def test_sound_pictures_are_read_as_rgb_of_their_size(pictures: Path, name: str) -> None:
    image = images.read_rgb(pictures, name)
    assert (image.mode, image.size) == ("RGB", (WIDTH, HEIGHT))
    facts = images.inspect_picture(pictures, name)
    assert (facts.width_px, facts.height_px, facts.orientation) == (WIDTH, HEIGHT, 1)
    assert facts.converted == (name != "plain.jpg")


def test_colours_are_what_they_should_be(pictures: Path) -> None:
    for name in ("plain.jpg", "cmyk.jpg"):
        image = images.read_rgb(pictures, name)
        assert near(image.getpixel((14, 18)), RED), name
        assert near(image.getpixel((2, 2)), GRASS), name
    # The palette's first colour is clear, so the grass is white and the ball is not.
    palette = images.read_rgb(pictures, "palette.png")
    assert palette.getpixel((2, 2)) == (255, 255, 255)
    assert near(palette.getpixel((14, 18)), RED)
    # Half-clear: halfway to white. 90 * 128/255 + 255 * 127/255 = 172
    assert near(images.read_rgb(pictures, "rgba.png").getpixel((2, 2)), (172, 202, 162), 2)
    # 257 * 100 of 65535 is 100 of 255: scaled, not clipped to 255.
    assert images.read_rgb(pictures, "16bit.png").getpixel((5, 5)) == (100, 100, 100)


def test_16_bit_transparency_is_white(tmp_path: Path) -> None:
    gray = Image.fromarray(np.array([[0, 65535], [300, 32768]], np.uint16))
    (tmp_path / "a.png").write_bytes(encoded(gray, "PNG", transparency=300))
    rgb = np.asarray(images.read_rgb(tmp_path, "a.png"))
    assert rgb[:, :, 0].tolist() == [[0, 255], [255, 128]]


@pytest.mark.parametrize(("name", "code"), BROKEN.items())
def test_broken_pictures_are_named(pictures: Path, name: str, code: str) -> None:
    for read in (images.read_rgb, images.browser_bytes, images.inspect_picture):
        if name == "truncated.jpg" and read is images.browser_bytes:
            continue  # own bytes are sent undecoded
        with pytest.raises(images.PictureError) as caught:
            read(pictures, name)
        assert caught.value.code == code
        assert name in str(caught.value)


def test_header_only_does_not_decode(pictures: Path) -> None:
    assert images.inspect_picture(pictures, "truncated.jpg", "header").width_px == WIDTH


def test_a_picture_cut_in_its_header_breaks_off_too(pictures: Path) -> None:
    (pictures / "cut.jpg").write_bytes((pictures / "plain.jpg").read_bytes()[:100])
    with pytest.raises(images.TruncatedPicture):
        images.inspect_picture(pictures, "cut.jpg", "header")


def test_32_bit_pixels_are_refused(tmp_path: Path) -> None:
    class Opened:
        mode, format = "F", "BMP"

    with pytest.raises(images.PixelFormatUnsupported):
        images._refuse_unknown_range(Opened(), "x")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name",
    ["", "../plain.jpg", "a/../../plain.jpg", "/etc/hostname", "C:\\x.jpg", "\\\\host\\x",
     "..\\plain.jpg", "plain.jpg\0", "out.jpg", "folder/plain.jpg"],
)  # fmt: skip
def test_nothing_outside_the_folder_is_read(pictures: Path, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "plain.jpg").write_bytes((pictures / "plain.jpg").read_bytes())
    (pictures / "out.jpg").symlink_to(outside / "plain.jpg")
    (pictures / "folder").symlink_to(outside, target_is_directory=True)
    with pytest.raises(images.PictureOutsideFolder):
        images.safe_path(pictures, name)


def test_links_within_the_folder_and_of_the_folder_itself_are_fine(
    pictures: Path, tmp_path: Path
) -> None:
    (pictures / "alias.jpg").symlink_to("plain.jpg")
    assert images.safe_path(pictures, "alias.jpg").name == "plain.jpg"
    (tmp_path / "link").symlink_to(pictures, target_is_directory=True)
    assert images.read_rgb(tmp_path / "link", "plain.jpg").size == (WIDTH, HEIGHT)


def test_strange_names_are_missing_and_strange_files_are_not_read(pictures: Path) -> None:
    (pictures / "loop").symlink_to("loop")
    for name in ("x" * 5000, "\ud800.jpg", "loop", "plain.jpg/x"):
        with pytest.raises(images.MissingPicture):
            images.safe_path(pictures, name)
    (pictures / "sub").mkdir()
    os.mkfifo(pictures / "pipe.jpg")  # reading it would wait for ever
    for name in ("sub", "pipe.jpg", "."):
        with pytest.raises(images.NotAPicture):
            images.safe_path(pictures, name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_named(pictures: Path) -> None:
    (pictures / "plain.jpg").chmod(0)
    with pytest.raises(images.PictureError, match="cannot be read"):
        images.read_rgb(pictures, "plain.jpg")


def test_a_bomb_leaves_memory_flat(pictures: Path) -> None:
    for width, height in ((30_000, 30_000), (10_000, 10_000), (20_000, 6_000)):
        (pictures / f"{width}.png").write_bytes(bomb_png(width, height))
    script = """
import resource, sys
from pathlib import Path
from vlmexplain.datasets import images
folder = Path(sys.argv[1])
images.read_rgb(folder, "plain.jpg")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for name in sys.argv[2:]:
    for read in (images.read_rgb, images.inspect_picture, images.browser_bytes):
        try:
            read(folder, name)
        except images.PictureTooLarge:
            continue
        raise SystemExit(f"{name} was read")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    names = ["bomb.png", "30000.png", "10000.png", "20000.png"]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, str(pictures), *names],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 4096  # KiB


@pytest.mark.parametrize("orientation", range(1, 9))
def test_pictures_are_upright_as_pillow_turns_them(tmp_path: Path, orientation: int) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(encoded(picture(), "JPEG", quality=95, exif=exif_bytes(orientation)))
    with Image.open(path) as stored:
        wanted = ImageOps.exif_transpose(stored)
        assert np.array_equal(np.asarray(images.read_rgb(tmp_path, "a.jpg")), np.asarray(wanted))
    facts = images.inspect_picture(tmp_path, "a.jpg")
    assert (facts.width_px, facts.height_px, facts.orientation) == (WIDTH, HEIGHT, orientation)
    assert images.upright_size(WIDTH, HEIGHT, orientation) == wanted.size


def test_boxes_turn_by_hand_computed_numbers() -> None:
    # 320 x 200, box with left 40, top 60, 70 wide, 50 high; its far corner is (110, 110).
    box, size = (40, 60, 70, 50), (320, 200)
    assert stored_to_upright(box, *size, 1) == (40, 60, 70, 50)
    assert stored_to_upright(box, *size, 2) == (210, 60, 70, 50)  # 320 - 110
    assert stored_to_upright(box, *size, 3) == (210, 90, 70, 50)  # 320 - 110, 200 - 110
    assert stored_to_upright(box, *size, 4) == (40, 90, 70, 50)
    assert stored_to_upright(box, *size, 5) == (60, 40, 50, 70)
    assert stored_to_upright(box, *size, 6) == (90, 40, 50, 70)  # 200 - 110
    assert stored_to_upright(box, *size, 7) == (90, 210, 50, 70)
    assert stored_to_upright(box, *size, 8) == (60, 210, 50, 70)


@given(
    st.integers(1, 8), st.integers(0, 10), st.integers(0, 6), st.integers(1, 5), st.integers(1, 4)
)
def test_boxes_turn_as_the_pixels_do(orientation: int, x: int, y: int, w: int, h: int) -> None:
    stored = np.zeros((10, 15), np.uint8)
    stored[y : y + h, x : x + w] = 1
    image = Image.fromarray(stored)
    turn = TRANSPOSES.get(orientation)
    shown = np.asarray(image if turn is None else image.transpose(turn))
    rows, columns = np.nonzero(shown)
    wanted = (
        columns.min(), rows.min(),
        columns.max() - columns.min() + 1, rows.max() - rows.min() + 1,
    )  # fmt: skip
    assert stored_to_upright((x, y, w, h), 15, 10, orientation) == wanted
    many = upright_boxes(
        np.array([[x, y, w, h]], float), np.array([15.0]), np.array([10.0]),
        np.array([orientation], np.int8),
    )  # fmt: skip
    assert tuple(many[0]) == wanted


def test_senseless_orientations_are_none(tmp_path: Path) -> None:
    for n, exif in enumerate((exif_bytes(9), exif_bytes(0), b"Exif\0\0broken", b"x")):
        (tmp_path / f"{n}.jpg").write_bytes(encoded(picture(), "JPEG", exif=exif))
        assert images.inspect_picture(tmp_path, f"{n}.jpg").orientation == 1


@pytest.mark.parametrize("name", [*SOUND, "rotate90.jpg"])
def test_a_browser_sees_what_the_encoder_sees(pictures: Path, name: str) -> None:
    content, mime = images.browser_bytes(pictures, name)
    own = content == (pictures / name).read_bytes()
    assert own == (name in ("plain.jpg", "gray.jpg", "rotate90.jpg"))
    with Image.open(io.BytesIO(content)) as sent:
        assert sent.mode in ("RGB", "L") and Image.MIME[str(sent.format)] == mime
        shown = ImageOps.exif_transpose(sent).convert("RGB")  # what a browser does by itself
    ours = images.read_rgb(pictures, name)
    difference = np.asarray(shown).astype(int) - np.asarray(ours).astype(int)
    assert shown.size == ours.size and np.abs(difference).max() <= 16


def test_what_a_browser_would_show_otherwise_is_encoded_anew(tmp_path: Path) -> None:
    for n, options in enumerate(({"exif": exif_bytes(6)}, {"icc_profile": b"no sRGB"})):
        (tmp_path / f"{n}.png").write_bytes(encoded(picture(), "PNG", **options))
        content, mime = images.browser_bytes(tmp_path, f"{n}.png")
        assert mime == "image/png" and content != (tmp_path / f"{n}.png").read_bytes()
        with Image.open(io.BytesIO(content)) as sent:
            assert not sent.info.get("icc_profile")
            assert sent.size == images.read_rgb(tmp_path, f"{n}.png").size
    frames = [picture(seed=n).quantize(8) for n in range(2)]
    (tmp_path / "a.gif").write_bytes(
        encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    )
    assert images.browser_bytes(tmp_path, "a.gif")[1] == "image/png"


def test_a_changed_picture_is_noticed(pictures: Path) -> None:
    digest = images.inspect_picture(pictures, "plain.jpg").content_sha256
    images.read_rgb(pictures, "plain.jpg", digest)
    (pictures / "plain.jpg").write_bytes((pictures / "gray.jpg").read_bytes())
    for read in (images.read_rgb, images.browser_bytes):
        with pytest.raises(images.PictureChanged):
            read(pictures, "plain.jpg", digest)
