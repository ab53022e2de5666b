"""Names of a gallery: the second cases, the review of a table, what becomes of it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from handmade import encoded, picture

from vlmexplain.cli import main
from vlmexplain.concepts.wordnet import UnknownSynset, load_wordnet
from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.concept_names import NAMES_FILE, concept_names, name_counts
from vlmexplain.datasets.gallery import Gallery, open_gallery
from vlmexplain.datasets.integrity import damaged_tables
from vlmexplain.datasets.renaming import apply_table
from vlmexplain.datasets.visual_genome import import_vg
from vlmexplain.errors import DataError, UnknownName
from vlmexplain.metrics.concept_agreement import concept_agreement
from vlmexplain.metrics.inventory import take_inventory
from vlmexplain.scoring.run import list_runs, run

pytestmark = pytest.mark.usefixtures("fresh_home")


def pictures(folder: Path, names: list[str]) -> Path:
    folder.mkdir()
    for seed, name in enumerate(names):
        (folder / name).write_bytes(encoded(picture(seed=seed), "JPEG"))
    return folder


@pytest.fixture
def plurals(shared: Path, tmp_path: Path) -> Gallery:
    cases = shared / "cases/second"
    data = json.loads((cases / "vg_image_data_plurals.json").read_text())
    names = [f"{record['image_id']}.jpg" for record in data]
    return import_vg(
        cases / "vg_objects_plurals.json",
        cases / "vg_image_data_plurals.json",
        pictures(tmp_path / "images", names),
        name="plurals",
    )


def test_plurals_are_their_singulars_and_both_images_agree(plurals: Gallery) -> None:
    found = {i.name: i.synset for i in plurals.annotations(0).instances}
    assert found == {
        "windows": "window.n.01", "shoes": "shoe.n.01", "plates": "plate.n.04",
        "men": "man.n.01", "women": "woman.n.01", "hands": "hand.n.01", "eyes": "eye.n.01",
        "arms": "arm.n.01", "waters": "water.n.01", "marks": found["marks"],
        "boards": "board.n.02", "blinds": "blind.n.03", "glasses": "spectacles.n.01",
        "people": "person.n.01", "skis": "ski.n.01", "leaves": "leaf.n.01",
        "scissors": "scissors.n.01", "jeans": "jean.n.01",
    }  # fmt: skip
    left, right = (take_inventory(plurals.annotations(n)) for n in (1, 0))
    assert concept_agreement(left, right).value == 1
    rows = {row.name: row for row in concept_names(plurals, load_wordnet())}
    assert rows["shoes"].guessed and rows["shoes"].decided_by == "singular"
    assert rows["glasses"].decided_by == "table" and "glass.n.02" in rows["glasses"].alternatives
    by_name = next(f for f in plurals.checks().findings if f.code == "synset-by-name")
    assert by_name.count == plurals.n_instances and by_name.check.severity == "flagged"


@pytest.fixture
def mixed(shared: Path, tmp_path: Path) -> Gallery:
    images = pictures(tmp_path / "images", ["1_plain.jpg"])
    captions = tmp_path / "captions.json"
    records = [{"id": n, "image_id": 1, "caption": f"a mouse {n}"} for n in range(2)]
    captions.write_text(json.dumps({"images": [{"id": 1}], "annotations": records}))
    file = shared / "cases/second/coco_names_and_crowds.json"
    return import_coco(file, captions, images, name="mixed")


def test_case_and_separators_do_not_matter_and_a_crowd_is_understood(mixed: Gallery) -> None:
    instances = mixed.annotations(0).instances
    assert {i.name: i.synset for i in instances} == {
        "Mouse": "mouse.n.04", "Kite": "kite.n.03", "Potted Plant": "pot_plant.n.01",
        "cell_phone": "cellular_telephone.n.01", "TV": "television_receiver.n.01",
        "hot-dog": "hotdog.n.02", "Dining Table": "dining_table.n.01",
        "sports ball": "ball.n.01", "wine glass": "wineglass.n.01",
    }  # fmt: skip
    crowds = {i.name for i in instances if i.crowd}
    assert crowds == {"TV", "hot-dog", "Dining Table", "sports ball"}
    assert mixed.checks().ids("crowd-unknown") == ("6",)
    assert {row.decided_by for row in concept_names(mixed, load_wordnet())} == {"table"}


def names_file(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_review_makes_a_new_gallery_and_its_runs_come_along(
    mixed: Gallery, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = run(mixed, "fake-text", k=1)
    out = tmp_path / "names.csv"
    assert main(["concepts", "mixed", "--out", str(out)]) == 0
    rows = list(csv.DictReader(out.open()))
    assert list(rows[0])[:5] == ["name", "synset", "decided_by", "instances", "alternatives"]
    mouse = next(row for row in rows if row["name"] == "Mouse")
    assert mouse["synset"] == "mouse.n.04" and mouse["instances"] == "1"
    assert "mouse.n.01" in mouse["alternatives"].split(" ")
    mouse["synset"] = "mouse.n.01"
    names_file(out, rows)
    capsys.readouterr()
    assert main(["concepts", "mixed", "--apply", str(out)]) == 0
    made = open_gallery(capsys.readouterr().out.strip())
    assert made.id != mixed.id and made.name == "mixed, reviewed"
    assert {i.name: i.synset for i in made.annotations(0).instances}["Mouse"] == "mouse.n.01"
    assert ("Mouse", "mouse.n.01", "corrected") in name_counts(made)
    assert not list(damaged_tables(made, load_wordnet()))
    (after,) = list_runs(made.id)
    assert after.embeddings == before.manifest.embeddings and after.key != before.key
    assert run(made, "fake-text", k=1).key == after.key  # asked for again, it is a read
    # nothing changed: the same gallery; the old one is as it was
    assert apply_table(made, names_file(out, rows), load_wordnet()).gallery.id == made.id
    assert open_gallery(mixed.id).concepts == mixed.concepts


@pytest.mark.parametrize(
    ("row", "error", "says"),
    [
        ({"name": "Mouze", "synset": "mouse.n.04"}, UnknownName, "line 2: .*Mouse"),
        ({"name": "Mouse", "synset": "mouse.n.44"}, UnknownSynset, "line 2: .*mouse.n.01"),
        ({"name": "Mouse"}, DataError, "line 1: has no such columns"),
    ],
)
def test_a_wrong_table_is_refused_with_file_and_line(
    mixed: Gallery, tmp_path: Path, row: dict[str, str], error: type[Exception], says: str
) -> None:
    path = names_file(tmp_path / "wrong.csv", [row])
    with pytest.raises(error, match=rf"wrong\.csv, {says}"):
        apply_table(mixed, path, load_wordnet())


def test_rows_that_contradict_are_refused(mixed: Gallery, tmp_path: Path) -> None:
    rows = [{"name": "Mouse", "synset": s} for s in ("mouse.n.04", "mouse.n.01")]
    with pytest.raises(DataError, match=r"line 3: 'Mouse' is mouse.n.01 here and mouse.n.04 in"):
        apply_table(mixed, names_file(tmp_path / "two.csv", rows), load_wordnet())


def test_an_old_gallery_says_that_it_was_not_recorded(mixed: Gallery) -> None:
    (mixed.folder / NAMES_FILE).unlink()
    rows = concept_names(open_gallery(mixed.id), load_wordnet())
    assert {row.decided_by for row in rows} == {"not recorded"}
    assert sum(row.n_instances for row in rows) == mixed.n_instances
