from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from handmade import BALL, HEIGHT, WIDTH, coco_files, encoded, exif_bytes, picture

from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import Cancelled, DataError, UnknownName
from vlmexplain.records import Progress

Write = Callable[..., tuple[Path, Path, Path]]
pytestmark = pytest.mark.usefixtures("fresh_home")


def imported(paths: tuple[Path, Path, Path], name: str = "small", **options: Any) -> Gallery:
    return import_coco(*paths, name=name, **options)


def annotation(number: int, box: Any = BALL, **more: Any) -> dict[str, Any]:
    return {"id": number, "image_id": 1, "category_id": 37, "bbox": box, "iscrowd": 0} | more


def with_annotations(coco_folder: Write, annotations: list[Any], **changes: Any) -> Gallery:
    instances, captions, content = coco_files(2, annotations=annotations, **changes)
    return imported(coco_folder(instances, captions, content))


def test_a_sound_import_takes_everything(coco_folder: Write) -> None:
    gallery = imported(coco_folder(*coco_files()))
    assert (gallery.n_images, gallery.n_captions, gallery.n_instances) == (3, 6, 3)
    assert gallery.concepts == ("ball.n.01",) and not gallery.drawn
    assert dict(gallery.checks().taken) == {
        "images": 3, "captions": 6, "annotations": 3, "concepts": 1,
    }  # fmt: skip
    assert gallery.checks().findings == ()
    image = gallery.image(0)
    assert (image.image_id, image.width_px, image.coco_id) == ("1", WIDTH, 1)
    assert (image.licence, image.licence_url) == ("Attribution License", "http://example.org/by")
    assert gallery.annotations(0).instances[0].name == "sports ball"  # by id, not by position
    assert [c.text for c in gallery.captions_of(2)] == [
        f"a ball, number 3, view {k}" for k in range(2)
    ]
    assert gallery.read_rgb(1).size == (WIDTH, HEIGHT)


def test_the_id_does_not_depend_on_the_order_of_records(coco_folder: Write) -> None:
    def shuffled(value: Any, seed: int) -> Any:
        value = json.loads(json.dumps(value))
        for key in list(value):
            if isinstance(value[key], list):
                random.Random(seed).shuffle(value[key])
        keys = list(value)
        random.Random(seed).shuffle(keys)
        return {key: value[key] for key in keys}

    instances, captions, content = coco_files(12)
    instances["annotations"] += [
        annotation(500, None), annotation(501, [1, 2, 3]), annotation(502), annotation(502),
        annotation(503, [0, 0, 5, 5]), annotation(503, [0, 0, 6, 6]), annotation("x"),
    ]  # fmt: skip
    captions["annotations"] += [{"id": 9, "image_id": 1, "caption": " a ball, number 1, view 0"}]
    found = set()
    for seed in range(5):
        paths = coco_folder(
            shuffled(instances, seed), shuffled(captions, seed), content, name=f"data{seed}"
        )
        found.add(imported(paths, name=f"small {seed}").id)
    assert len(found) == 1
    instances["annotations"][0]["bbox"] = [1, 1, 2, 2]
    assert imported(coco_folder(instances, captions, content, name="other")).id not in found


@pytest.mark.parametrize(
    ("box", "code", "kept"),
    [
        ([10, 10, 50, 0.0], "box-zero", (10, 10, 50, 0)),
        ([50, 20, -20, 10], "box-negative", (50, 20, -20, 10)),
        ([5, 5, 20], "box-malformed", None),
        (["1", "2", "3", "4"], "box-malformed", None),
        (None, "box-missing", None),
        ([float("nan"), 1, 2, 3], "box-out-of-range", None),
        ([1, 1, float("inf"), 3], "box-out-of-range", None),
        ([1, 1, 1e300, 3], "box-out-of-range", None),
        ([200, 10, 5, 5], "box-outside", (200, 10, 5, 5)),
    ],
)
def test_an_instance_without_a_size_is_kept_and_named(
    coco_folder: Write, box: Any, code: str, kept: Any
) -> None:
    gallery = with_annotations(coco_folder, [annotation(7, box), annotation(8)])
    assert gallery.n_instances == 2
    assert gallery.checks().ids(code) == ("7",)
    instance = gallery.annotations(0).instances[0]
    assert instance.box_xywh_px == kept and instance.synset == "ball.n.01"
    area = gallery.instances_table.column("area_px").to_numpy()
    assert np.isnan(area[0]) and area[1] == BALL[2] * BALL[3]


def test_a_box_past_the_edge_is_clipped_for_area(coco_folder: Write) -> None:
    gallery = with_annotations(coco_folder, [annotation(1, [60, 30, 20, 20]), annotation(2)])
    assert gallery.checks().ids("box-past-edge") == ("1",)
    assert gallery.instances_table.column("area_px")[0].as_py() == 4 * 10
    assert gallery.annotations(0).instances[0].box_xywh_px == (60, 30, 20, 20)


def test_a_crowd_region_has_no_size(coco_folder: Write) -> None:
    run_lengths = {"size": [HEIGHT, WIDTH], "counts": [0, WIDTH * HEIGHT]}
    crowd = annotation(3, iscrowd=1, segmentation=run_lengths)
    gallery = with_annotations(coco_folder, [crowd])
    assert gallery.annotations(0).instances[0].crowd
    assert gallery.annotations(0).instances[0].box_xywh_px == BALL
    assert np.isnan(gallery.instances_table.column("area_px")[0].as_py())
    assert gallery.checks().count("box-of-crowd") == 1


def test_what_belongs_nowhere_is_counted_and_left_out(coco_folder: Write) -> None:
    gallery = with_annotations(
        coco_folder,
        [
            annotation(1), annotation(2, category_id=77), annotation(3, image_id=999),
            annotation(4, category_id=None), {"id": 5, "category_id": 37, "bbox": [1, 2, 3, 4]},
            "not a record", annotation(6, image_id=True),
        ],
    )  # fmt: skip
    checks = gallery.checks()
    assert gallery.n_instances == 1
    assert checks.ids("annotation-unknown-category") == ("2", "4")
    assert checks.ids("annotation-unlisted-image") == ("3",)
    assert checks.count("annotation-incomplete") == 3
    assert checks.ids("image-no-annotations") == ("2",)


def test_repeated_annotations_and_reused_ids(coco_folder: Write) -> None:
    huge = 10**30
    gallery = with_annotations(
        coco_folder,
        [annotation(1), annotation(1), annotation(2), annotation(2, [0, 0, 3, 3]),
         annotation(huge), annotation(huge)],
    )  # fmt: skip
    checks = gallery.checks()
    assert checks.ids("annotation-repeated") == ("1",)
    assert checks.ids("annotation-id-reused") == ("2", "2")
    assert gallery.n_instances == 5  # an id beyond 64 bits is not kept, its annotations are
    assert gallery.instances_table.column("instance_id").to_pylist().count(None) == 2


def test_repeated_image_ids(coco_folder: Write) -> None:
    instances, captions, content = coco_files(3)
    first, second, third = instances["images"]
    instances["images"] = [first, dict(first), second, second | {"file_name": third["file_name"]},
                           third | {"id": "3"}]  # fmt: skip
    gallery = imported(coco_folder(instances, captions, content))
    checks = gallery.checks()
    assert checks.ids("image-repeated") == ("1",)
    assert checks.ids("image-id-conflict") == ("2",)
    assert checks.count("annotation-unlisted-image") == 1
    assert gallery.images_table.column("image_id").to_pylist() == ["1", "3"]
    assert gallery.annotations(1).instances  # "3" and 3 are one id


def test_images_in_order_of_their_number_then_by_letters(coco_folder: Write) -> None:
    instances, captions, content = coco_files(4)
    for record, image_id in zip(instances["images"], (10**25, "zebra", 9, "été"), strict=True):
        record["id"] = image_id
    gallery = imported(coco_folder(instances, captions, content))
    ids = gallery.images_table.column("image_id").to_pylist()
    assert ids == ["9", str(10**25), "zebra", "été"]
    assert gallery.image(1).coco_id is None


def test_same_picture_twice_is_flagged(coco_folder: Write) -> None:
    instances, captions, content = coco_files(3)
    names = sorted(content)
    content[names[2]] = content[names[0]]
    gallery = imported(coco_folder(instances, captions, content))
    assert gallery.checks().ids("image-same-picture") == ("3 = 1",)


def test_incomplete_images_and_strange_values(coco_folder: Write) -> None:
    instances, captions, content = coco_files(2)
    instances["images"] += [
        {"file_name": "x.png"}, {"id": 5}, {"id": 6, "file_name": 7}, None,
        {"id": 8, "file_name": "../images/000000000001.png"},
        {"id": 9, "file_name": "\ud800.png"},
    ]  # fmt: skip
    instances["images"][0] |= {"width": "64", "height": None, "license": [], "coco_url": "ftp://x",
                               "flickr_url": "javascript:alert(1)"}  # fmt: skip
    gallery = imported(coco_folder(instances, captions, content))
    checks = gallery.checks()
    assert checks.count("image-incomplete") == 4
    assert checks.count("image-outside-folder") == 1
    assert checks.count("image-missing") == 1
    assert checks.ids("image-link-dropped") == ("1", "1")
    image = gallery.image(0)
    assert (image.licence, image.source_url, image.coco_url) == ("", "", "")
    assert gallery.annotations(0).instances[0].box_xywh_px == BALL  # size not said: as stored


def test_another_size_scales_boxes(coco_folder: Write) -> None:
    instances, captions, content = coco_files(2)
    instances["images"][0] |= {"width": 2 * WIDTH, "height": 4 * HEIGHT}
    gallery = imported(coco_folder(instances, captions, content))
    assert gallery.checks().ids("image-size-differs") == ("1",)
    assert gallery.annotations(0).instances[0].box_xywh_px == (4, 3, 7, 3.5)


@pytest.mark.parametrize(
    ("size", "box", "codes"),
    [
        # 64 x 40 as stored, 40 x 64 as shown: x' = 40 - (12 + 14), y' = 8
        ((WIDTH, HEIGHT), (14, 8, 14, 14), ["image-rotated"]),
        ((HEIGHT, WIDTH), BALL, ["image-rotated", "image-boxes-upright"]),
        ((2 * WIDTH, 2 * HEIGHT), (27, 4, 7, 7), ["image-rotated", "image-size-differs"]),
        ((2 * HEIGHT, 2 * WIDTH), (4, 6, 7, 7),
         ["image-rotated", "image-size-differs", "image-boxes-upright"]),
    ],
)  # fmt: skip
def test_boxes_follow_the_rotation(
    coco_folder: Write, size: tuple[int, int], box: Any, codes: list[str]
) -> None:
    instances, captions, content = coco_files(1)
    instances["images"][0] |= {"width": size[0], "height": size[1]}
    name = instances["images"][0]["file_name"]
    content[name] = encoded(picture(), "JPEG", exif=exif_bytes(6))
    gallery = imported(coco_folder(instances, captions, content))
    assert (gallery.image(0).width_px, gallery.image(0).height_px) == (HEIGHT, WIDTH)
    assert gallery.annotations(0).instances[0].box_xywh_px == box
    assert sorted(f.code for f in gallery.checks().findings) == sorted(codes)
    if size == (WIDTH, HEIGHT):  # the turned box is where the turned ball is
        x, y, w, h = map(int, box)
        assert gallery.read_rgb(0).getpixel((x + w // 2, y + h // 2))[0] > 150


def test_captions_are_kept_literally(coco_folder: Write) -> None:
    instances, captions, content = coco_files(2)
    texts: list[Any] = [
        "Two $5 and $10 <b>cakes</b> :balloon:", "  a ball  \nand a sign \n", "a ball", "a ball ",
        "", " \n ", None, 7, "Ein Ball — 红色的球 — 🎈", "half \ud83d emoji", "A BALL",
    ]  # fmt: skip
    captions["annotations"] = [
        {"id": n, "image_id": 1, "caption": text} for n, text in enumerate(texts)
    ] + [{"id": 50, "image_id": 77, "caption": "x"}, {"id": 51, "caption": "x"}, 3]
    gallery = imported(coco_folder(instances, captions, content))
    assert [c.text for c in gallery.captions_of(0)] == [
        texts[0], "a ball  \nand a sign", "a ball", texts[8], "half \ufffd emoji", "A BALL",
    ]  # fmt: skip
    checks = gallery.checks()
    assert checks.ids("caption-trimmed") == ("1", "3")
    assert checks.ids("caption-repeated") == ("3",)
    assert checks.ids("caption-empty") == ("4", "5")
    assert checks.ids("caption-not-text") == ("6", "7")
    assert checks.ids("caption-damaged-text") == ("9",)
    assert checks.ids("caption-unlisted-image") == ("50",)
    assert checks.count("caption-incomplete") == 2
    assert checks.ids("image-no-captions") == ("2",)


def test_a_caption_id_used_twice_is_flagged(coco_folder: Write) -> None:
    instances, captions, content = coco_files(2)
    for record in captions["annotations"]:
        record["id"] = 1
    gallery = imported(coco_folder(instances, captions, content))
    assert gallery.n_captions == 4
    assert gallery.checks().ids("caption-id-reused") == ("1",)


def test_a_category_may_bring_its_own_synset(coco_folder: Write, tmp_path: Path) -> None:
    categories = [
        {"id": 37, "name": "sports ball", "synset": "zebra.n.01"},
        {"id": 2, "name": "armadillo"}, {"id": 3, "name": "qwertzuiop"},
        {"id": 4, "name": "frob", "synset": "frob.n.09"}, {"id": 5}, {"name": "x"},
        {"id": 6, "name": "automobile", "synset": "automobile.n.01"},
        {"id": 7, "name": "car"}, {"id": 8, "name": "a"}, {"id": 8, "name": "b"},
    ]  # fmt: skip
    annotations = [annotation(n, category_id=n) for n in (37, 2, 3, 4, 6, 7, 8)]
    gallery = with_annotations(coco_folder, annotations, categories=categories)
    found = {i.name: i.synset for i in gallery.annotations(0).instances}
    assert found == {
        "sports ball": "zebra.n.01", "armadillo": "armadillo.n.01", "qwertzuiop": None,
        "frob": None, "automobile": "car.n.01", "car": "car.n.01",
    }  # fmt: skip
    checks = gallery.checks()
    assert checks.ids("category-synset-by-name") == ("2 (armadillo): armadillo.n.01",)
    assert checks.ids("category-synset-none") == ("3 (qwertzuiop)",)
    assert checks.ids("category-synset-unknown") == ("4 (frob): frob.n.09",)
    assert checks.ids("category-id-conflict") == ("8",)
    assert checks.count("category-incomplete") == 2
    assert checks.ids("annotation-unknown-category") == ("8",)


def test_a_table_of_the_users_own_overrides(coco_folder: Write, tmp_path: Path) -> None:
    paths = coco_folder(*coco_files(2))
    table = tmp_path / "own.tsv"
    table.write_text("sports ball\tzebra.n.01\n")
    assert imported(paths, synset_table=table).concepts == ("zebra.n.01",)
    table.write_text("sport ball\tzebra.n.01\n")
    with pytest.raises(UnknownName, match="sports ball"):
        imported(paths, synset_table=table)
    with pytest.raises(DataError, match="no such file"):
        imported(paths, synset_table=tmp_path / "none.tsv")


def test_drawn_worlds_say_so(coco_folder: Write) -> None:
    drawn = coco_files(2, info={"drawn_world": True})
    one, other = imported(coco_folder(*coco_files(2))), imported(coco_folder(*drawn), "b")
    assert other.drawn and not one.drawn and one.id != other.id


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda i, c: (c, i), ["this is COCO captions", "expected COCO instances"]),
        (lambda i, c: (i, i), ["this is COCO instances", "expected COCO captions"]),
        (lambda i, c: ([{"image_id": 1, "objects": []}], c), ["this is Visual Genome objects"]),
        (lambda i, c: (i, [{"image_id": 1, "width": 3}]), ["image_data", "expected COCO captions"]),
        (lambda i, c: ({k: i[k] for k in ("images",)}, c), ["without annotations"]),
        (lambda i, c: (json.dumps(i)[:-20], c), ["breaks off"]),
        (lambda i, c: (i, json.dumps(c)[:300]), ["breaks off"]),
        (lambda i, c: ("", c), ["an empty file", "expected COCO instances"]),
        (lambda i, c: ("PK\x03\x04", c), ["a ZIP archive"]),
        (lambda i, c: ("[1, 2", c), ["a JSON list of numbers"]),
        (lambda i, c: (i | {"images": []}, c), ["list no image"]),
        (lambda i, c: (i, {"images": []}), ["without annotations", "expected COCO captions"]),
    ],
)  # fmt: skip
def test_a_wrong_file_is_told_in_one_line(
    coco_folder: Write, change: Callable[[Any, Any], Any], said: list[str], fresh_home: Path
) -> None:
    instances, captions, content = coco_files(2)
    with pytest.raises(DataError) as caught:
        imported(coco_folder(*change(instances, captions), content))
    message = str(caught.value)
    assert all(part in message for part in said), message
    assert "\n" not in message and len(message) < 400
    assert not list((fresh_home / "galleries").glob("[!.]*"))


def test_wrong_paths_and_names_are_told(coco_folder: Write, tmp_path: Path) -> None:
    instances, captions, images = coco_folder(*coco_files(2))
    for paths, said in (
        ((tmp_path / "none.json", captions, images), "no such file; expected COCO instances"),
        ((images, captions, images), "this is a folder"),
        ((instances, captions, tmp_path / "none"), "no such folder"),
        ((instances, captions, captions), "this is a file; expected the image folder"),
    ):
        with pytest.raises(DataError, match=said):
            imported(paths)
    for name in ("", "  ", "a\nb", "x" * 101):
        with pytest.raises(DataError, match="gallery's name"):
            imported((instances, captions, images), name=name)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"none of the 2 pictures .*image-missing 2"):
        imported((instances, captions, tmp_path / "empty"))


def test_progress_and_cancelling(coco_folder: Write, fresh_home: Path) -> None:
    paths, seen = coco_folder(*coco_files(3)), []
    imported(paths, progress=seen.append)
    stages = list(dict.fromkeys(p.stage for p in seen))
    assert stages[:3] == ["Reading instances.json", "Reading captions.json",
                          "Looking at the pictures"]  # fmt: skip
    assert all(0 <= p.done <= p.total for p in seen)

    def stop(progress: Progress) -> None:
        if progress.stage == "WordNet paths":
            raise Cancelled("stopped")

    instances, captions, content = coco_files(4)
    with pytest.raises(Cancelled):
        imported(coco_folder(instances, captions, content, name="b"), "b", progress=stop)
    assert len(list((fresh_home / "galleries").glob("[!.]*"))) == 1
    assert not list((fresh_home / "galleries").glob(".partial-*"))


def test_summaries_as_text(coco_folder: Write) -> None:
    gallery = with_annotations(coco_folder, [annotation(1, None), annotation(2, image_id=9)])
    text = gallery.checks().text()
    assert text.startswith("Taken: 2 images, 4 captions, 1 annotations, 1 concepts.")
    assert "annotation-unlisted-image: Its image is not listed. [annotation 2]" in text
    assert "box-missing" in text and "Left out:" in text
