from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from handmade import coco_files, encoded, picture

from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.checks import CHECKS, IDS_KEPT, CheckLog, ImportSummary, InstanceFlag
from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.gallery import Gallery, list_galleries, open_gallery
from vlmexplain.datasets.gallery_manifest import write_manifest
from vlmexplain.datasets.gallery_names import rename_gallery
from vlmexplain.datasets.images import MissingPicture, PictureChanged
from vlmexplain.datasets.relocation import relocate_gallery
from vlmexplain.errors import DataError, GalleryError, UnknownName

Write = Callable[..., tuple[Path, Path, Path]]


@pytest.fixture
def small(fresh_home: Path, coco_folder: Write) -> Gallery:
    instances, captions, content = coco_files(3)
    instances["categories"].append({"id": 1, "name": "dog"})
    instances["annotations"] += [
        {"id": 1, "image_id": 2, "category_id": 1, "bbox": [1, 2, 3, 4]},
        {"id": 2, "image_id": 2, "category_id": 1, "bbox": None},
    ]
    return import_coco(*coco_folder(instances, captions, content), name="small")


def test_columns_are_mapped_not_copied_and_agree_with_the_rows(small: Gallery) -> None:
    assert small.concept_index.dtype == np.int32 and not small.concept_index.flags.owndata
    assert small.image_of_caption.dtype == np.int32
    assert small.instance_offsets.tolist() == [0, 1, 4, 5]
    assert small.caption_offsets.tolist() == [0, 2, 4, 6]
    assert small.concepts == ("ball.n.01", "dog.n.01")
    assert small.concept_index.tolist() == [0, 1, 1, 0, 0]
    assert [i.synset for i in small.annotations(1).instances] == [
        "dog.n.01", "dog.n.01", "ball.n.01",
    ]  # fmt: skip
    assert small.annotations(1).instances[1].box_xywh_px is None
    table = small.concepts_table.to_pydict()
    assert (table["n_images"], table["n_instances"]) == ([3, 1], [3, 2])
    assert table["lemma"] == ["ball", "dog"]
    assert table["gloss"][0] == load_wordnet().synset("ball.n.01").gloss
    wanted = load_wordnet().path_lengths(small.concepts, small.concepts)
    assert isinstance(small.path_lengths, np.memmap) and small.path_lengths.dtype == np.uint8
    assert np.array_equal(small.path_lengths, wanted)
    assert small.caption(3) == small.captions_of(1)[1]


def test_places_outside_are_refused(small: Gallery) -> None:
    for read in (small.image, small.captions_of, small.annotations, small.read_rgb):
        for index in (-1, 3):
            with pytest.raises(GalleryError, match="no image"):
                read(index)
    with pytest.raises(GalleryError, match="no caption 6"):
        small.caption(6)


def test_galleries_are_opened_by_name_id_or_prefix(small: Gallery) -> None:
    for name in ("small", small.id, small.id[:8]):
        assert open_gallery(name).id == small.id
    with pytest.raises(UnknownName, match="Did you mean 'small'"):
        open_gallery("smal")
    for odd in ("", "../small", "x" * 300, small.id[:3]):
        with pytest.raises(UnknownName):
            open_gallery(odd)


def test_one_name_is_one_gallery(small: Gallery, coco_folder: Write) -> None:
    newer = coco_folder(*coco_files(2), name="newer")
    with pytest.raises(DataError, match=f"taken by another gallery, {small.id[:12]}"):
        import_coco(*newer, name="small")
    assert [m.id for m in list_galleries()] == [small.id]
    other = import_coco(*newer, name="other")
    with pytest.raises(DataError, match="taken"):
        rename_gallery("other", "small")
    assert rename_gallery(small.id, "first").name == "first"
    assert rename_gallery("other", "small").id == other.id == open_gallery("small").id
    with pytest.raises(UnknownName):
        open_gallery("other")


def test_a_name_that_two_old_galleries_have_is_refused_with_both_ids(
    small: Gallery, coco_folder: Write
) -> None:
    other = import_coco(*coco_folder(*coco_files(2), name="newer"), name="other")
    write_manifest(other.folder, replace(other.manifest, names=("small",)))
    with pytest.raises(GalleryError) as caught:
        open_gallery("small")
    assert small.id[:12] in str(caught.value) and other.id[:12] in str(caught.value)
    assert open_gallery(other.id[:8]).id == other.id


def test_the_same_content_under_another_name_is_one_gallery(
    fresh_home: Path, coco_folder: Write
) -> None:
    paths = coco_folder(*coco_files(2))
    one = import_coco(*paths, name="one")
    other = import_coco(*paths, name="other", verify="header")
    again = import_coco(*paths, name="one")
    assert one.id == other.id == again.id
    assert len(list_galleries()) == 1
    assert again.name == "one" and set(again.manifest.names) == {"one", "other"}
    assert open_gallery("other").id == one.id


def test_a_newer_format_says_so(small: Gallery) -> None:
    path = small.folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 99}))
    assert list_galleries() == []
    with pytest.raises(GalleryError, match="has format 99; this version reads up to 1"):
        open_gallery(small.id)


def test_damage_is_named_and_an_import_mends_it(
    small: Gallery, coco_folder: Write, tmp_path: Path
) -> None:
    for name in ("images.arrow", "path_lengths.npy", "checks.json", "captions.arrow"):
        (small.folder / name).write_bytes(b"")
    broken = open_gallery("small")
    for read in (
        lambda: broken.image(0),
        lambda: broken.path_lengths,
        lambda: broken.checks(),
        lambda: broken.caption(0),
    ):
        with pytest.raises(GalleryError, match=r"missing or damaged.*Import the data again"):
            read()
    data = tmp_path / "data"
    files = data / "instances.json", data / "captions.json", data / "images"
    for name in ("images.arrow", "captions.arrow", "path_lengths.npy", "checks.json"):
        (small.folder / name).write_bytes((small.folder / name).read_bytes()[:-20])
        mended = import_coco(*files, name="small")
        assert mended.id == small.id and mended.image(0).image_id == "1"
        assert mended.caption(0).text and mended.checks().findings is not None
        assert mended.path_lengths.shape == (len(mended.concepts),) * 2
    (small.folder / "manifest.json").write_text("{}")
    with pytest.raises(GalleryError, match="manifest is missing or damaged"):
        open_gallery(small.id)


def test_a_changed_or_missing_picture_is_noticed(small: Gallery) -> None:
    paths = sorted(small.images_folder.iterdir())
    paths[0].write_bytes(encoded(picture(seed=99), "PNG"))
    paths[1].unlink()
    for read in (small.read_rgb, small.browser_bytes):
        with pytest.raises(PictureChanged):
            read(0)
        with pytest.raises(MissingPicture):
            read(1)
        read(2)


def test_a_moved_folder_is_told_and_can_be_named(small: Gallery, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    shutil.move(small.images_folder, moved)
    with pytest.raises(GalleryError) as caught:
        small.read_rgb(0)
    assert str(small.images_folder) in str(caught.value)
    assert "vlmexplain gallery relocate small --images DIR" in str(caught.value)
    found = relocate_gallery("small", moved)
    assert found.id == small.id and found.read_rgb(0).size
    assert open_gallery("small").images_folder == moved


def test_only_the_same_pictures_are_taken_for_it(small: Gallery, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="3 of 3 are not there"):
        relocate_gallery("small", tmp_path / "empty")
    other = tmp_path / "other"
    shutil.copytree(small.images_folder, other)
    next(other.iterdir()).write_bytes(encoded(picture(seed=50), "PNG"))
    with pytest.raises(DataError, match="another content"):
        relocate_gallery("small", other)
    with pytest.raises(DataError, match="no such folder"):
        relocate_gallery("small", tmp_path / "none")
    with pytest.raises(UnknownName):
        relocate_gallery("none", other)


def test_sixteen_threads_read_the_same(small: Gallery) -> None:
    wanted = [small.annotations(i) for i in range(3)], [small.captions_of(i) for i in range(3)]
    fresh, found, start = open_gallery("small"), [], threading.Barrier(16)

    def read() -> None:
        start.wait()
        for _ in range(5):
            got = [fresh.annotations(i) for i in range(3)], [fresh.captions_of(i) for i in range(3)]
            found.append(got == wanted and fresh.read_rgb(1).size == (64, 40))

    threads = [threading.Thread(target=read) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80 and all(found)


def test_every_flag_and_every_check_is_declared_once() -> None:
    assert {flag.code for flag in InstanceFlag} <= set(CHECKS)
    for code, check in CHECKS.items():
        assert code == check.code and check.sentence.endswith(".")
        assert not check.remedy or check.remedy.endswith(".")


def test_counts_are_exact_and_ids_capped() -> None:
    log = CheckLog()
    for n in range(IDS_KEPT + 5):
        log.add("box-zero", n)
    log.add_many("box-zero", 7, range(7))
    log.add_many("box-negative", 0, [])
    log.add("image-empty", "half \ud83d" + "x" * 500)
    summary = log.summary(images=2)
    assert summary.count("box-zero") == IDS_KEPT + 12
    assert len(summary.ids("box-zero")) == IDS_KEPT
    assert summary.count("box-negative") == 0
    assert [f.code for f in summary.of("flagged")] == ["box-zero"]
    assert len(summary.ids("image-empty")[0]) == 100
    back = ImportSummary.from_json(json.loads(json.dumps(summary.to_json())))
    assert back == summary
    assert "..." in summary.text() and "1,012  box-zero" in summary.text()
