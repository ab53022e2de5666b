from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from handmade import HEIGHT, WIDTH, coco_files, encoded, picture
from PIL import Image, features

from vlmexplain.cli import main
from vlmexplain.datasets.forms.draft import Columns
from vlmexplain.datasets.gallery import Gallery, list_galleries
from vlmexplain.datasets.import_path import Asked, import_path
from vlmexplain.datasets.picture_errors import NoPictures
from vlmexplain.errors import Cancelled, DataError, UnknownName, VlmexplainError
from vlmexplain.scoring.run import run

pytestmark = pytest.mark.usefixtures("fresh_home")
NAMES = ("a.jpg", "b.jpg")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two pictures."""
    where = tmp_path / "set"
    where.mkdir()
    for n, name in enumerate(NAMES):
        (where / name).write_bytes(encoded(picture(seed=n), "JPEG"))
    return where


def taken(path: Path, content: Any, **asked: Any) -> Gallery:
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, "utf-8")
    return import_path(path, name=path.stem, asked=Asked(**asked))


def spoken(gallery: Gallery) -> dict[str, list[str]]:
    files = gallery.images_table.column("file_name").to_pylist()
    return {name: [c.text for c in gallery.captions_of(n)] for n, name in enumerate(files)}


def coco(file_name: Any, **image: Any) -> dict[str, Any]:
    record = {"id": 1, "width": WIDTH, "height": HEIGHT} | image
    return {
        "images": [record | ({"file_name": file_name} if file_name else {})],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 1, 9, 9]}],
        "categories": [{"id": 1, "name": "dog"}],
    }


@pytest.mark.parametrize(
    ("file_name", "there", "repairs"),
    [
        ("a.jpg", "a.jpg", []),
        ("set\\a.jpg", "a.jpg", ["name-separator", "name-leading-folders"]),
        ("C:\\data\\a.jpg", "a.jpg", ["name-separator", "name-leading-folders"]),
        ("/data/set/a.jpg", "a.jpg", ["name-leading-folders"]),
        ("A.JPG", "a.jpg", ["name-letter-case"]),
        ("https://example.org/val/a.jpg?x=1", "a.jpg", ["name-address"]),
        ("below.jpg", "deep/below.jpg", ["name-one-level-down"]),
        (unicodedata.normalize("NFD", "é.jpg"), "é.jpg", ["name-unicode-form"]),
    ],
)
def test_a_picture_is_found_by_the_obvious_repair(
    folder: Path, file_name: str, there: str, repairs: list[str]
) -> None:
    (folder / "deep").mkdir()
    for name in ("deep/below.jpg", "é.jpg"):
        (folder / name).write_bytes(encoded(picture(), "JPEG"))
    gallery = taken(folder / "x.json", coco(file_name))
    assert gallery.image(0).file_name == there
    found = [f.code for f in gallery.checks().findings if f.code.startswith("name-")]
    assert sorted(found) == sorted(repairs)
    assert all(gallery.checks().count(code) == 1 for code in repairs)


@pytest.mark.parametrize("file_name", ["../set/a.jpg", "twice.jpg", "c.jpg"])
def test_nothing_is_guessed(folder: Path, file_name: str) -> None:
    for below in ("one", "two"):
        (folder / below).mkdir()
        (folder / below / "twice.jpg").write_bytes(encoded(picture(), "JPEG"))
    with pytest.raises(DataError) as caught:
        taken(folder / "x.json", coco(file_name), images=folder)
    assert repr(file_name) in str(caught.value) and "'a.jpg'" in str(caught.value)
    assert list_galleries() == []


def test_lvis_has_an_address_and_its_own_synsets(folder: Path) -> None:
    data = coco(None, coco_url="http://example.org/val2017/a.jpg", neg_category_ids=[])
    data["categories"] = [{"id": 1, "name": "stop_sign", "synset": "street_sign.n.01"}]
    gallery = taken(folder / "lvis.json", data)
    assert gallery.concepts == ("street_sign.n.01",)
    assert gallery.manifest.options["form"] == "lvis"
    assert not gallery.checks().count("name-leading-folders")


def test_panoptic_things_count_and_stuff_is_only_there(folder: Path) -> None:
    segments = [{"id": 7, "category_id": c, "bbox": [1, 1, 9, 9], "iscrowd": 0} for c in (1, 1, 2)]
    data = coco("a.jpg") | {
        "annotations": [{"image_id": 1, "file_name": "a.png", "segments_info": segments}],
        "categories": [
            {"id": 1, "name": "dog", "isthing": 1},
            {"id": 2, "name": "sky", "isthing": 0},
        ],
    }
    found = taken(folder / "panoptic.json", data).annotations(0).instances
    # The two dogs are one record twice, but segments have no id by which to tell.
    assert sorted((i.name, i.crowd) for i in found) == [
        ("dog", False), ("dog", False), ("sky", True),
    ]  # fmt: skip


def karpathy(n: int, split: Any) -> dict[str, Any]:
    return {"images": [
        {"filename": NAMES[k % 2], "filepath": "val2014", "imgid": k, "split": split(k),
         "sentences": [{"raw": f"caption {k}", "sentid": k, "tokens": []}]}
        for k in range(n)
    ]}  # fmt: skip


def test_karpathy_splits(folder: Path) -> None:
    data = karpathy(6, lambda k: ("test", "restval", "train")[k % 3])
    path = folder / "dataset_coco.json"
    gallery = taken(path, data, split="train")
    assert [gallery.caption(q).text for q in range(4)] == [f"caption {k}" for k in (1, 2, 4, 5)]
    assert gallery.checks().count("image-not-chosen") == 2
    with pytest.raises(UnknownName, match="tset"):
        taken(path, data, split="tset")


def test_karpathy_folds_of_a_thousand(folder: Path) -> None:
    data = karpathy(2500, lambda k: "test")
    third = taken(folder / "dataset_coco.json", data, split="test-1k-3", no_images=True)
    assert third.n_images == 500 and third.image(0).image_id == "2000"
    with pytest.raises(DataError, match="2,500 images"):
        taken(folder / "dataset_coco.json", data, split="test-1k-4", no_images=True)


CSV = 'image,caption\na.jpg,"A dog, running."\nb.jpg,A house.\na.jpg,Fast.\n'
BAR = 'image_name| comment_number| comment\na.jpg| 0| A "dog .\nb.jpg| 0| A house .\n'
LINES = '{"file_name": "a.jpg", "text": "A dog."}\n{"file_name": "b.jpg", "text": ["x", "y"]}\n'


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("t.csv", CSV, {"a.jpg": ["A dog, running.", "Fast."], "b.jpg": ["A house."]}),
        ("t.tsv", CSV.replace(",", "\t", 1).replace("jpg,", "jpg\t"),
         {"a.jpg": ["A dog, running.", "Fast."], "b.jpg": ["A house."]}),
        ("t.csv", BAR, {"a.jpg": ['A "dog .'], "b.jpg": ["A house ."]}),
        ("t.token", "a.jpg#0\tA dog .\na.jpg#1\tB .\nb.jpg#0\tC\n",
         {"a.jpg": ["A dog .", "B ."], "b.jpg": ["C"]}),
        ("metadata.jsonl", LINES, {"a.jpg": ["A dog."], "b.jpg": ["x", "y"]}),
    ],
)  # fmt: skip
def test_tables_of_captions(
    folder: Path, name: str, text: str, wanted: dict[str, list[str]]
) -> None:
    gallery = taken(folder / name, text)
    assert spoken(gallery) == wanted
    assert gallery.n_instances == 0


@pytest.mark.parametrize("as_struct", [False, True])
def test_parquet(folder: Path, as_struct: bool) -> None:
    images = [{"bytes": b"", "path": n} for n in NAMES] if as_struct else list(NAMES)
    table = pa.table({"image": images, "caption": ["x", "y"], "split": ["train", "test"]})
    pq.write_table(table, folder / "t.parquet")
    gallery = import_path(folder / "t.parquet", name="t", asked=Asked(split="test"))
    assert spoken(gallery) == {"b.jpg": ["y"]}


def test_a_table_without_known_columns_names_them(folder: Path) -> None:
    text = "foo,bar\na.jpg,A dog.\n"
    with pytest.raises(DataError, match=r"'foo', 'bar'.*--image-column"):
        taken(folder / "t.csv", text)
    gallery = taken(folder / "t.csv", text, columns=Columns("foo", "bar"))
    assert spoken(gallery) == {"a.jpg": ["A dog."]}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (f"image,caption\n{NAMES[0]},a dog\n", "says nothing of splits"),
        (f"image,caption,split\n{NAMES[0]},a dog,train\n", "unknown split 'val'"),
    ],
)
def test_a_split_that_is_not_there_is_refused(folder: Path, text: str, error: str) -> None:
    (folder / "t.csv").write_text(text)
    with pytest.raises(VlmexplainError, match=error):
        import_path(folder / "t.csv", name="t", asked=Asked(split="val"))


def test_a_folder_of_coco_files_asks_for_the_split(tmp_path: Path) -> None:
    instances, captions, content = coco_files(3)
    (tmp_path / "annotations").mkdir()
    (tmp_path / "val2017").mkdir()
    for name, data in content.items():
        (tmp_path / "val2017" / name).write_bytes(data)
    for split in ("val2017", "train2017"):
        for kind, value in (("instances", instances), ("captions", captions)):
            (tmp_path / "annotations" / f"{kind}_{split}.json").write_text(json.dumps(value))
    with pytest.raises(DataError, match="train2017, val2017"):
        import_path(tmp_path, name="x")
    gallery = import_path(tmp_path, name="x", asked=Asked(split="val"))
    assert (gallery.n_images, gallery.n_captions, gallery.n_instances) == (3, 6, 3)
    assert gallery.manifest.options["form"] == "coco-captions+coco-instances"
    assert gallery.checks().count("name-one-level-down") == 3


def test_a_folder_of_pictures_alone(folder: Path) -> None:
    gallery = import_path(folder, name="alone")
    assert spoken(gallery) == {"a.jpg": [], "b.jpg": []}


def test_visual_genome_folder_with_regions(folder: Path) -> None:
    thing = {"object_id": 1, "x": 1, "y": 1, "w": 5, "h": 5, "names": ["dog"],
             "synsets": ["dog.n.01"]}  # fmt: skip
    files = {
        "image_data": [
            {"image_id": 1, "width": WIDTH, "height": HEIGHT, "url": "http://x.y/a.jpg"}
        ],
        "objects": [{"image_id": 1, "objects": [thing]}],
        "attributes": [{"image_id": 1, "attributes": [thing | {"attributes": ["brown"]}]}],
        "region_descriptions": [{"id": 1, "regions": [{"region_id": 5, "phrase": "a dog"}]}],
    }
    for name, value in files.items():
        (folder / f"{name}.json").write_text(json.dumps(value))
    gallery = import_path(folder, name="vg")
    assert spoken(gallery) == {"a.jpg": ["a dog"]}
    assert gallery.concepts == ("dog.n.01",) and gallery.n_instances == 1


def test_relationships_give_each_object_once(folder: Path) -> None:
    dog, cat = ({"object_id": n, "x": 1, "y": 1, "w": 5, "h": 5, "name": name,
                 "synsets": [f"{name}.n.01"]} for n, name in ((1, "dog"), (2, "cat")))  # fmt: skip
    both = [{"predicate": "on", "subject": dog, "object": cat},
            {"predicate": "under", "subject": cat, "object": dog}]  # fmt: skip
    data = [{"image_id": 9, "relationships": both}]
    gallery = taken(folder / "relationships.json", data, no_images=True)
    assert gallery.n_instances == 2 and gallery.checks().count("image-size-unknown") == 1
    assert (gallery.image(0).width_px, gallery.image(0).height_px) == (6, 6)


def test_without_pictures_boxes_stand_on_an_empty_frame(folder: Path) -> None:
    gallery = taken(folder / "x.json", coco("nowhere.jpg"), no_images=True)
    assert not gallery.has_pictures and gallery.n_instances == 1
    assert gallery.shown_rgb(0).size == (WIDTH, HEIGHT)
    assert gallery.browser_bytes(0)[1] == "image/png"
    with pytest.raises(NoPictures, match="without pictures"):
        gallery.read_rgb(0)


def test_only_the_images_asked_for(folder: Path) -> None:
    (folder / "ids.lst").write_text("b.jpg\nnobody.jpg\n")
    gallery = taken(folder / "t.csv", CSV, only_images=folder / "ids.lst")
    assert spoken(gallery) == {"b.jpg": ["A house."]}
    counts = {f.code: f.count for f in gallery.checks().of("left-out")}
    assert counts == {"image-not-chosen": 1, "image-asked-in-vain": 1}


def test_it_says_what_it_found_and_leaves_nothing_when_told_no(folder: Path) -> None:
    (folder / "t.csv").write_text(CSV)
    seen: list[Any] = []
    with pytest.raises(Cancelled):
        import_path(folder / "t.csv", name="t", confirm=lambda found: seen.append(found) or False)
    assert (seen[0].n_images, seen[0].n_captions, seen[0].images_folder) == (2, 3, folder)
    assert list_galleries() == []


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.json", '{"a": 1}', "none of the forms"),
        ("x.json", "", "empty"),
        ("x.csv", "image,caption\n", "no row"),
        ("x.jsonl", '{"file_name": "a.jpg"}\nnonsense', "line 2 is not JSON"),
        ("x.csv", "image,caption\nq.jpg,text\n", r"tried 'q.jpg'.*'a.jpg'.*--no-images"),
    ],
)
def test_what_cannot_be_imported_says_why(folder: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        taken(folder / name, text)


def test_the_command_prints_the_contract(folder: Path, capsys: Any) -> None:
    (folder / "t.csv").write_text(CSV)
    assert main(["import", str(folder / "t.csv"), "--name", "t", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["gallery"] == list_galleries()[0].id and document["form"] == "table"
    assert [document[k] for k in ("images", "captions", "instances")] == [2, 3, 0]
    assert document["repairs"] == {} and document["left_out"] == {}
    assert main(["gallery", "ids", "t", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "captions": ["0", "2", "1"], "images": ["a.jpg", "b.jpg"],
    }  # fmt: skip


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_tiff_is_upright_like_a_jpeg(folder: Path, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture().save(folder / "a.tif", exif=exif)
    picture().save(folder / "c.png", exif=exif)
    for name in ("a.tif", "c.png"):
        gallery = taken(folder / f"{name}.json", coco(name), images=folder)
        box = gallery.annotations(0).instances[0].box_xywh_px
        assert gallery.image(0).orientation == orientation
        shown = np.asarray(gallery.read_rgb(0))
        if name == "a.tif":
            first, pixels = box, shown
    assert box == first and np.array_equal(pixels, shown)


def test_an_image_model_says_that_there_are_no_pictures(folder: Path) -> None:
    gallery = taken(folder / "t.csv", CSV, no_images=True)
    with pytest.raises(DataError, match="without pictures"):
        run(gallery, "fake")
    assert run(gallery, "fake-text").manifest.n_queries == 3


@pytest.mark.skipif(not features.check("avif"), reason="this Pillow reads no AVIF")
def test_avif_is_read(folder: Path) -> None:
    picture().save(folder / "a.avif", quality=100)
    gallery = taken(folder / "x.json", coco("a.avif"), images=folder)
    assert gallery.read_rgb(0).size == (WIDTH, HEIGHT)
    assert gallery.browser_bytes(0)[1] == "image/avif"


SECOND = (
    ("coco_file_name_backslash.json", "coco-instances", (1, 0, 9)),
    ("coco_file_name_folder.json", "coco-instances", (1, 0, 9)),
    ("coco_file_name_upper.json", "coco-instances", (1, 0, 9)),
    ("coco_file_name_url.json", "coco-instances", (1, 0, 9)),
    ("lvis_like.json", "lvis", (1, 0, 1)),
    ("coco_panoptic_like.json", "coco-panoptic", (1, 0, 1)),
    ("karpathy_like.json", "karpathy", (2, 3, 0)),
    ("flickr_like.token", "flickr-token", (2, 3, 0)),
    ("flickr_like.csv", "table", (2, 2, 0)),
    ("plain.csv", "table", (2, 2, 0)),
    ("metadata.jsonl", "table", (2, 2, 0)),
)


@pytest.mark.parametrize(("name", "form", "counts"), SECOND)
def test_the_second_cases(shared: Path, name: str, form: str, counts: tuple[int, ...]) -> None:
    if not (shared / "cases/second").is_dir():
        pytest.skip("needs ../shared/cases/second, which is not here")
    images = shared / "cases/images"
    gallery = import_path(shared / "cases/second" / name, name="x", asked=Asked(images=images))
    assert gallery.manifest.options["form"] == form
    assert (gallery.n_images, gallery.n_captions, gallery.n_instances) == counts
