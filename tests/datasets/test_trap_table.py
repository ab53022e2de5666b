"""Every row of the trap table on its own files; `handmade` has twins that always run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from handmade import encoded, picture

from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.datasets.images import PictureTooLarge, inspect_picture, read_rgb
from vlmexplain.datasets.visual_genome import import_vg
from vlmexplain.errors import DataError


@pytest.fixture
def cases(shared: Path) -> Path:
    if not (shared / "cases" / "images").is_dir():
        pytest.skip("needs ../shared/cases, which is not here")
    return shared / "cases"


@pytest.fixture
def traps(cases: Path, fresh_home: Path) -> Gallery:
    return import_coco(
        cases / "instances_traps.json",
        cases / "captions_traps.json",
        cases / "images",
        name="traps",
    )


def test_the_pictures_that_can_be_scored_are_taken(traps: Gallery) -> None:
    ids = traps.images_table.column("image_id").to_pylist()
    assert ids == ["1", "2", "3", "4", "5", "6", "10"]
    for index, image_id in enumerate(ids):
        shown = traps.read_rgb(index)
        size = (200, 320) if image_id == "2" else (320, 200)
        assert (shown.mode, shown.size) == ("RGB", size)
        assert (traps.image(index).width_px, traps.image(index).height_px) == size


def test_each_broken_picture_is_left_out_with_its_reason(traps: Gallery) -> None:
    found = {f.code: f.ids for f in traps.checks().of("left-out") if f.check.about == "image"}
    assert found == {
        "image-truncated": ("7 (7_truncated.jpg)",),
        "image-not-a-picture": ("8 (8_not_an_image.jpg)",),
        "image-empty": ("9 (9_empty.jpg)",),
        "image-too-large": ("11 (11_bomb_30000x30000.png)",),
        "image-missing": ("12 (12_missing.jpg)",),
    }
    assert traps.checks().count("annotation-of-left-out-image") == 10


def test_the_picture_is_upright_and_its_boxes_with_it(traps: Gallery) -> None:
    # As stored: ball (40, 60, 70, 70), sign (180, 90, 80, 60) in 320 x 200.
    # Turned by 90 degrees: x' = 200 - (y + h), y' = x.
    boxes = {i.name: i.box_xywh_px for i in traps.annotations(1).instances}
    assert boxes == {"sports ball": (70, 40, 70, 70), "stop sign": (50, 180, 60, 80)}
    # The ball is red in the middle of its box, in the turned picture as in the plain one.
    plain, turned = traps.read_rgb(0), traps.read_rgb(1)
    red = np.array(plain.getpixel((75, 95)), int)
    assert red[0] > 150 > red[1]
    assert np.abs(np.array(turned.getpixel((105, 75)), int) - red).max() < 30
    assert traps.checks().ids("image-rotated") == ("2",)


def test_odd_pixel_formats_show_the_same_scene(traps: Gallery) -> None:
    plain = np.asarray(traps.read_rgb(0), int)
    for index in (2, 5):  # CMYK, and opaque where the scene is
        other = np.asarray(traps.read_rgb(index), int)
        assert np.median(np.abs(other - plain)) < 12, traps.image(index).file_name
    gray = np.asarray(traps.read_rgb(3))
    assert (gray[..., 0] == gray[..., 1]).all()
    assert traps.read_rgb(4).getpixel((5, 5)) == (255, 255, 255)  # transparency on white
    deep = np.asarray(traps.read_rgb(6))
    assert len(np.unique(deep)) > 50 and deep.max() > deep.min()  # scaled, not clipped


def test_the_bomb_is_refused_with_flat_memory(cases: Path) -> None:
    for read in (read_rgb, inspect_picture):
        with pytest.raises(PictureTooLarge, match="pixels and is not decoded"):
            read(cases / "images", "11_bomb_30000x30000.png")
    script = """
import resource, sys
from pathlib import Path
from vlmexplain.datasets.images import PictureError, inspect_picture
folder = Path(sys.argv[1])
inspect_picture(folder, "1_plain.jpg")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    inspect_picture(folder, "11_bomb_30000x30000.png")
except PictureError:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(cases / "images")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) < 4096  # KiB


def test_instances(traps: Gallery) -> None:
    checks = traps.checks()
    for code, ids in {
        "box-zero": ("25",),
        "box-negative": ("26",),
        "box-past-edge": ("27",),
        "box-malformed": ("28",),
        "box-missing": ("29",),
        "annotation-unknown-category": ("30",),
        "annotation-unlisted-image": ("31",),
        "box-of-crowd": ("32",),
    }.items():
        assert checks.ids(code) == ids, code
    names = [i.name for i in traps.annotations(0).instances]
    assert names == ["sports ball", "stop sign", *["person"] * 6]  # by id, not by position
    rows = {row["instance_id"]: row for row in traps.instances_table.to_pylist()}
    for without_size in (25, 26, 28, 29, 32):
        assert np.isnan(rows[without_size]["area_px"])
    assert rows[27]["area_px"] == (320 - 300) * (200 - 150)
    assert rows[32]["crowd"] and sum(row["crowd"] for row in rows.values()) == 1


def test_captions(traps: Gallery) -> None:
    assert [c.text for c in traps.captions_of(0)] == [
        "Two $5 and $10 <b>cakes</b> :balloon: next to a ball",
        "a red ball  \nand a yellow sign",
        "a red ball and a yellow sign",
        "A BALL",
    ]
    assert traps.captions_of(5)[0].text == "Ein roter Ball — 红色的球 — 🎈"
    checks = traps.checks()
    assert checks.ids("caption-trimmed") == ("2",)
    assert checks.ids("caption-repeated") == ("4",)
    assert checks.ids("caption-empty") == ("11",)
    assert checks.ids("image-no-captions") == ("10",)


def test_captions_for_instances_and_the_reverse(cases: Path, fresh_home: Path) -> None:
    instances, captions = cases / "instances_traps.json", cases / "captions_traps.json"
    for given, said in (
        ((captions, captions), "this is COCO captions; expected COCO instances"),
        ((instances, instances), "this is COCO instances .*; expected COCO captions"),
    ):
        with pytest.raises(DataError, match=said) as caught:
            import_coco(*given, cases / "images", name="x")
        assert "\n" not in str(caught.value)


def test_visual_genome(cases: Path, fresh_home: Path, tmp_path: Path) -> None:
    for number in range(1, 5):
        (tmp_path / f"{number}.jpg").write_bytes(encoded(picture(seed=number), "JPEG"))
    gallery = import_vg(
        cases / "vg_objects_traps.json",
        cases / "vg_image_data_traps.json",
        tmp_path,
        name="vg traps",
    )
    checks = gallery.checks()
    for code, ids in {
        "image-no-coco-image": ("1", "2"),
        "image-shares-coco-image": ("3 (COCO 139)",),
        "image-second-of-coco-image": ("4 (COCO 139)",),
        "synset-by-name": ("3",),
        "synset-several": ("4",),
        "synset-unknown": ("5",),
        "possible-duplicate": ("1", "2"),
        "annotation-unlisted-image": ("8",),
        "box-past-edge": ("6",),
    }.items():
        assert checks.ids(code) == ids, code
    found = [(i.synset, i.box_xywh_px) for i in gallery.annotations(0).instances]
    assert [synset for synset, _ in found].count("zebra.n.01") == 2  # counted as annotated
    # 1024 x 768 in Visual Genome, 64 x 40 as shown
    assert found[0][1] == pytest.approx((10 / 16, 10 * 40 / 768, 100 / 16, 80 * 40 / 768))
    assert found[3] == ("tree.n.01", (0, 0, 64, 40)) and found[4][0] is None
