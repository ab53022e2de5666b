"""Official files and photos, checked against pycocotools and a reading by hand."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from handmade import encoded, picture
from PIL import Image

from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.datasets.visual_genome import import_vg


@pytest.fixture
def photos(shared: Path, fresh_home: Path) -> tuple[Path, Gallery]:
    data = shared / "data" / "coco"
    if not data.is_dir():
        pytest.skip("needs ../shared/data, which is not here")
    annotations = data / "annotations"
    gallery = import_coco(
        annotations / "instances_val2017.json",
        annotations / "captions_val2017.json",
        data / "images",
        name="photos",
    )
    return data, gallery


def official(path: Path) -> Any:
    coco = pytest.importorskip("pycocotools.coco")
    with contextlib.redirect_stdout(io.StringIO()):
        return coco.COCO(str(path))


def test_the_gallery_is_what_pycocotools_reads(photos: tuple[Path, Gallery]) -> None:
    data, gallery = photos
    reference = official(data / "annotations" / "instances_val2017.json")
    spoken = official(data / "annotations" / "captions_val2017.json")
    ids = sorted(reference.getImgIds())
    assert [int(i) for i in gallery.images_table.column("image_id").to_pylist()] == ids
    licences = {one["id"]: one["name"] for one in reference.dataset["licenses"]}
    for index, image_id in enumerate(ids):
        (record,) = reference.loadImgs([image_id])
        image = gallery.image(index)
        assert (image.file_name, image.source_url) == (record["file_name"], record["flickr_url"])
        assert image.licence == licences[record["license"]]
        with Image.open(data / "images" / image.file_name) as photo:
            assert (image.width_px, image.height_px) == photo.size
        wanted = sorted(reference.imgToAnns[image_id], key=lambda a: a["id"])
        found = gallery.annotations(index).instances
        assert [i.box_xywh_px for i in found] == [tuple(a["bbox"]) for a in wanted]
        assert [i.crowd for i in found] == [bool(a["iscrowd"]) for a in wanted]
        assert [i.name for i in found] == [reference.cats[a["category_id"]]["name"] for a in wanted]
        texts = sorted(spoken.imgToAnns[image_id], key=lambda a: a["id"])
        assert [c.text for c in gallery.captions_of(index)] == [a["caption"].strip() for a in texts]


def test_counts_and_checks_of_the_real_photos(photos: tuple[Path, Gallery]) -> None:
    _, gallery = photos
    assert (gallery.n_images, gallery.n_captions, gallery.n_instances) == (160, 800, 1456)
    assert len(gallery.concepts) == 80 and (gallery.concept_index >= 0).all()
    checks = gallery.checks()
    assert checks.count("box-of-crowd") == 19
    assert not checks.of("left-out")
    area = gallery.instances_table.column("area_px").to_numpy()
    crowd = gallery.instances_table.column("crowd").to_numpy(zero_copy_only=False)
    assert np.array_equal(np.isnan(area), crowd)


def test_captions_of_other_images_are_counted(photos: tuple[Path, Gallery]) -> None:
    data, gallery = photos
    whole = data / "captions_val2017_full.json"
    again = import_coco(
        data / "annotations" / "instances_val2017.json", whole, data / "images", name="whole",
        verify="header",
    )  # fmt: skip
    captions = json.loads(whole.read_text())["annotations"]
    ids = set(gallery.images_table.column("image_id").to_pylist())
    elsewhere = sum(str(a["image_id"]) not in ids for a in captions)
    assert again.checks().count("caption-unlisted-image") == elsewhere > 20_000
    assert again.n_captions + again.checks().count("caption-repeated") == len(captions) - elsewhere


def test_official_scene_graphs(shared: Path, fresh_home: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "visual_genome"
    graphs = folder / "scene_graphs_1_to_10.json"
    if not graphs.is_file():
        pytest.skip("needs ../shared/data/visual_genome, which is not here")
    images = tmp_path / "images"
    images.mkdir()
    records = json.loads(graphs.read_text())
    for record in records:
        name = f"{record['image_id']}.jpg"
        (images / name).write_bytes(encoded(picture(seed=record["image_id"]), "JPEG"))
    image_data = tmp_path / "image_data.json"
    image_data.write_text(json.dumps(
        [{"image_id": r["image_id"], "width": 1280, "height": 800} for r in records]
    ))  # fmt: skip
    gallery = import_vg(
        graphs, image_data, images, aliases=folder / "object_alias.txt",
        coco_map=folder / "coco_id_to_vg_ids.json", name="graphs",
    )  # fmt: skip
    objects = [o for record in records for o in record["objects"]]
    assert gallery.n_instances == len(objects) == 376
    without = [o for o in objects if not o["synsets"]]
    checks = gallery.checks()
    named = checks.count("synset-by-name") + checks.count("synset-none")
    assert named == len(without) == 21
    assert checks.count("synset-several") == sum(len(set(o["synsets"])) > 1 for o in objects)
    first = min(records[0]["objects"], key=lambda o: o["object_id"])
    box = gallery.annotations(0).instances[0].box_xywh_px
    assert box == pytest.approx([first[axis] / 20 for axis in "xywh"])  # 1280 x 800 to 64 x 40
