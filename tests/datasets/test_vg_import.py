from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from handmade import BALL, HEIGHT, WIDTH, encoded, picture

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.datasets.visual_genome import import_vg
from vlmexplain.errors import DataError

pytestmark = pytest.mark.usefixtures("fresh_home")
Import = Callable[..., Gallery]


def thing(number: int, box: Any = BALL, **more: Any) -> dict[str, Any]:
    x, y, w, h = box
    named = {"names": ["zebra"], "synsets": ["zebra.n.01"], "merged_object_ids": []}
    return {"object_id": number, "x": x, "y": y, "w": w, "h": h} | named | more


def about(number: int, **more: Any) -> dict[str, Any]:
    url = f"https://example.org/rak248/VG_100K_2/{number}.jpg"
    size = {"width": WIDTH, "height": HEIGHT}
    return {"image_id": number, "coco_id": None, "flickr_id": None, "url": url} | size | more


@pytest.fixture
def vg(tmp_path: Path) -> Import:
    """Writes Visual Genome files with pictures 1 to 4 and imports them."""
    images = tmp_path / "images"
    images.mkdir()
    for number in range(1, 5):
        (images / f"{number}.jpg").write_bytes(encoded(picture(seed=number), "JPEG"))

    def write(objects: Any, image_data: Any, name: str = "vg", **extra: Any) -> Gallery:
        paths = {}
        for key, value in {"objects": objects, "image_data": image_data, **extra}.items():
            paths[key] = tmp_path / (f"{key}.txt" if key == "aliases" else f"{key}.json")
            text = value if isinstance(value, str) else json.dumps(value)
            paths[key].write_text(text, "utf-8")
        return import_vg(paths.pop("objects"), paths.pop("image_data"), images, name=name, **paths)

    return write


def test_boxes_are_scaled_from_vg_to_shown_pixels(vg: Import) -> None:
    objects = [{"image_id": 1, "objects": [thing(1, (8, 12, 28, 42))]}]
    gallery = vg(objects, [about(1, width=2 * WIDTH, height=3 * HEIGHT)])
    assert gallery.annotations(0).instances[0].box_xywh_px == (4, 4, 14, 14)
    assert gallery.checks().ids("image-size-differs") == ("1",)
    assert gallery.image(0).source_url.endswith("/VG_100K_2/1.jpg")
    assert gallery.image(0).file_name == "1.jpg"


def test_synsets_first_given_by_name_or_none(vg: Import) -> None:
    objects = [{"image_id": 1, "objects": [
        thing(1),
        thing(2, names=["tree", "trees"], synsets=["tree.n.01", "tree.n.02"]),
        thing(3, names=["Zebras"], synsets=[]),
        thing(4, names=["wugwug"], synsets=[]),
        thing(5, names=["frob"], synsets=["frobnicate.n.07"]),
        thing(6, names=["wugwugs", "dog"], synsets=None),
        thing(7, names=["saver"], synsets=[]),
        thing(8, names=[], synsets=["automobile.n.01"]),
        thing(9, names=["dog", "dog"], synsets=["dog.n.01", "dog.n.01"]),
    ]}]  # fmt: skip
    gallery = vg(objects, [about(1)], aliases="wugwug,zebra\n")
    synsets = [i.synset for i in gallery.annotations(0).instances]
    assert synsets[:6] == [
        "zebra.n.01", "tree.n.01", "zebra.n.01", "zebra.n.01", None, "dog.n.01",
    ]  # fmt: skip
    assert synsets[7:] == ["car.n.01", "dog.n.01"]
    checks = gallery.checks()
    assert checks.ids("synset-several") == ("2",)
    assert set(checks.ids("synset-by-name")) >= {"3", "4", "6"}
    assert checks.ids("synset-unknown") == ("5",)
    for wrong in ('{"1": []}', "\ufeff [1]", "wugwug\0"):  # another file, or a damaged one
        with pytest.raises(DataError, match=r"aliases\.txt: this is not a file of aliases"):
            vg(objects, [about(1)], aliases=wrong, name="wrong")
    without = vg(objects, [about(1)], name="without aliases")
    assert without.checks().ids("synset-none") == ("4",)
    assert {s.role for s in gallery.manifest.sources} == {"objects", "image_data", "aliases"}


def test_near_identical_boxes_are_flagged_and_counted(vg: Import) -> None:
    objects = [{"image_id": 1, "objects": [
        thing(1, (10, 10, 30, 20)), thing(2, (10, 10, 30, 21)), thing(3, (30, 10, 30, 20)),
        thing(4, (10, 10, 30, 20), synsets=["dog.n.01"]),
    ]}]  # fmt: skip
    gallery = vg(objects, [about(1)])
    assert gallery.n_instances == 4
    assert gallery.checks().ids("possible-duplicate") == ("1", "2")


def test_null_minus_one_and_absent_are_no_coco_image(vg: Import) -> None:
    objects = [{"image_id": n, "objects": [thing(n)]} for n in (1, 2, 3, 4)]
    data = [about(1), about(2, coco_id=-1), about(3, coco_id=7), about(4)]
    del data[3]["coco_id"]
    captions = {"annotations": [{"id": 1, "image_id": 7, "caption": "seven"},
                                {"id": 2, "image_id": 8, "caption": "eight"}]}  # fmt: skip
    gallery = vg(objects, data, captions=captions)
    assert gallery.checks().ids("image-no-coco-image") == ("1", "2", "4")
    assert gallery.checks().ids("caption-unlisted-image") == ("2",)
    assert [c.text for c in gallery.captions_of(2)] == ["seven"]
    assert gallery.image(2).coco_id == 7 and gallery.image(0).coco_id is None


def test_of_two_images_on_one_coco_image_the_lowest_id_is_taken(vg: Import) -> None:
    objects = [{"image_id": n, "objects": [thing(n)]} for n in (4, 3, 2)]
    data = [about(n, coco_id=7) for n in (3, 4, 2)]
    captions = {"annotations": [{"id": 1, "image_id": 7, "caption": "seven"}]}
    gallery = vg(objects, data, captions=captions)
    assert gallery.images_table.column("image_id").to_pylist() == ["2"]
    checks = gallery.checks()
    assert checks.ids("image-shares-coco-image") == ("2 (COCO 7)",)
    assert checks.ids("image-second-of-coco-image") == ("3 (COCO 7)", "4 (COCO 7)")
    assert checks.count("annotation-of-left-out-image") == 2
    assert gallery.n_captions == 1


def test_the_coco_map_fills_what_is_missing(vg: Import) -> None:
    objects = [{"image_id": n, "objects": [thing(n)]} for n in (1, 2)]
    captions = {"annotations": [{"id": n, "image_id": n, "caption": f"c{n}"} for n in (5, 6)]}
    gallery = vg(
        objects, [about(1, coco_id=-1), about(2, coco_id=6)],
        captions=captions, coco_map={"5": [1, 2], "9": ["x"]},
    )  # fmt: skip
    assert [gallery.image(i).coco_id for i in range(2)] == [5, 6]
    assert gallery.checks().ids("image-coco-id-disagrees") == ("2 (COCO 6, map 5)",)
    assert [c.text for i in range(2) for c in gallery.captions_of(i)] == ["c5", "c6"]


def test_objects_of_an_unlisted_image_and_hostile_records(vg: Import) -> None:
    objects = [
        {"image_id": 77, "objects": [thing(8), thing(9)]},
        {"image_id": 1, "objects": [
            thing(1), thing(2, ("a", 1, 2, 3)), thing(3, (1, None, 2, 3)),
            thing(4, (None,) * 4), thing(5, (1, 1, 0, 5)), thing(6, names=None, synsets=[3]),
            thing(7, names=[5, "cat"], synsets="cat.n.01"), "x", thing(1),
        ]},
        {"objects": []}, {"image_id": 2, "objects": None}, 7,
    ]  # fmt: skip
    gallery = vg(objects, [about(1), about(1), about(2), {"width": 3, "image_id": None}, []])
    checks = gallery.checks()
    assert checks.ids("annotation-unlisted-image") == ("8", "9")
    assert checks.count("annotation-incomplete") == 4
    assert checks.ids("annotation-repeated") == ("1",)
    assert checks.ids("box-malformed") == ("2", "3")
    assert checks.ids("box-missing") == ("4",)
    assert checks.ids("box-zero") == ("5",)
    assert checks.ids("synset-none") == ("6",)
    assert checks.ids("image-repeated") == ("1",)
    assert checks.count("image-incomplete") == 2
    last = gallery.annotations(0).instances[-1]
    assert (last.name, last.synset) == ("cat", "cat.n.01")


def test_scene_graphs_are_told_by_content_and_give_the_same(vg: Import) -> None:
    objects = [{"image_id": n, "objects": [thing(n)]} for n in (1, 2)]
    graphs = [record | {"relationships": []} for record in objects]
    one = vg(objects, [about(1), about(2)])
    assert vg(graphs, [about(2), about(1)], name="graphs").id == one.id


def test_pictures_in_the_official_sub_folders_are_found(vg: Import, tmp_path: Path) -> None:
    for number, folder in ((1, "VG_100K"), (2, "VG_100K_2")):
        (tmp_path / "images" / folder).mkdir()
        (tmp_path / "images" / f"{number}.jpg").rename(
            tmp_path / "images" / folder / f"{number}.jpg"
        )
    gallery = vg([], [about(n, url=None) for n in (1, 2, 3)])
    assert gallery.images_table.column("file_name").to_pylist() == [
        "VG_100K/1.jpg", "VG_100K_2/2.jpg", "3.jpg",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"objects": [about(1)]}, "this is Visual Genome image_data; expected Visual Genome obj"),
        ({"image_data": [{"image_id": 1, "objects": []}]}, "this is Visual Genome objects; exp"),
        ({"objects": [{"image_id": 1, "relationships": []}]}, "this is Visual Genome relationsh"),
        ({"objects": [{"image_id": 1, "attributes": []}]}, "this is Visual Genome attributes"),
        ({"objects": {"annotations": [{"caption": "x"}]}}, "this is COCO captions; expected Vis"),
        ({"coco_map": [about(1)]}, "image_data; expected a map of COCO ids"),
        ({"coco_map": {"a": [1]}}, "expected a map of COCO ids"),
        ({"coco_map": '{"1": [2'}, "is not JSON"),
        ({"captions": [about(1)]}, "image_data; expected COCO captions"),
        ({"objects": '[{"image_id": 1, "obj'}, "breaks off"),
    ],
)
def test_a_wrong_file_is_told_in_one_line(vg: Import, change: dict[str, Any], said: str) -> None:
    files: dict[str, Any] = {"objects": [{"image_id": 1, "objects": []}], "image_data": [about(1)]}
    with pytest.raises(DataError) as caught:
        vg(**(files | change))
    assert said in str(caught.value) and "\n" not in str(caught.value)
