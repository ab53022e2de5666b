"""The table of COCO categories, its printed form, and a user's changes to it."""

from __future__ import annotations

import json
import os
from importlib import resources
from pathlib import Path

import pytest

from vlmexplain.concepts.coco_categories import coco_synset_table, shipped_table
from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.errors import DataError, UnknownName

PAGE = Path(__file__).parents[2] / "docs" / "coco_synsets.md"
HEAD = """# COCO categories as WordNet 3.0 synsets

Printed by `tests/concepts/test_coco_synsets.py` from `vlmexplain/concepts/coco_synsets.tsv`;
each synset was chosen by its gloss. Write this page anew with
`UPDATE_DOCS=1 python -m pytest tests/concepts/test_coco_synsets.py`.

| category | synset | words | gloss | a kind of | why |
|---|---|---|---|---|---|
"""


@pytest.fixture(scope="module")
def wordnet():
    return load_wordnet()


def reasons() -> dict[str, str]:
    """The comment lines right above a category."""
    text = resources.files("vlmexplain.concepts").joinpath("coco_synsets.tsv").read_text("utf-8")
    found: dict[str, str] = {}
    comment = ""
    for line in text.splitlines()[2:]:
        if line.startswith("#"):
            comment = line.removeprefix("#").strip()
        else:
            found[line.split("\t")[0]], comment = comment, ""
    return found


def page(wordnet) -> str:
    rows = []
    why = reasons()
    for category, name in shipped_table().items():
        synset = wordnet.synset(name)
        words = ", ".join(synset.lemmas).replace("_", " ")
        above = ", ".join(f"`{h}`" for h in synset.hypernyms)
        cells = [category, f"`{name}`", words, synset.gloss, above, why[category]]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return HEAD + "\n".join(rows) + "\n"


def test_the_printed_table_is_up_to_date(wordnet):
    if os.environ.get("UPDATE_DOCS"):
        PAGE.write_text(page(wordnet), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page(wordnet)


def test_eighty_categories_of_single_noun_synsets(wordnet):
    table = coco_synset_table()
    assert len(table) == 80 and len(set(table.values())) == 80
    for name in table.values():
        assert wordnet.canonical(name) == name and ".n." in name


def test_the_names_are_cocos_own(shared):
    path = shared / "data/coco/annotations/instances_val2017.json"
    categories = json.loads(path.read_text())["categories"]
    assert [c["name"] for c in categories] == list(shipped_table())


@pytest.mark.parametrize(
    ("category", "ancestor"),
    [
        ("cow", "animal.n.01"),
        ("bear", "animal.n.01"),
        ("potted plant", "plant.n.02"),
        ("mouse", "electronic_device.n.01"),
        ("keyboard", "data_input_device.n.01"),
        ("remote", "device.n.01"),
        ("hot dog", "food.n.01"),
        ("kite", "plaything.n.01"),
        ("tie", "clothing.n.01"),
        ("sports ball", "game_equipment.n.01"),
        ("cell phone", "electronic_equipment.n.01"),
        ("tv", "electronic_equipment.n.01"),
        ("stop sign", "sign.n.02"),
        ("book", "artifact.n.01"),
        ("sink", "plumbing_fixture.n.01"),
        ("toilet", "plumbing_fixture.n.01"),
        ("toaster", "kitchen_appliance.n.01"),
        ("microwave", "kitchen_appliance.n.01"),
    ]
    + [(fruit, "edible_fruit.n.01") for fruit in ("apple", "banana", "orange")]
    + [(vegetable, "vegetable.n.01") for vegetable in ("broccoli", "carrot")]
    + [(vessel, "container.n.01") for vessel in ("wine glass", "cup", "bowl", "bottle", "vase")],
)
def test_each_is_the_kind_of_thing_coco_means(wordnet, category, ancestor):
    assert ancestor in wordnet.hypernym_closure(shipped_table()[category])


@pytest.mark.parametrize(
    "text",
    [
        "cow\tcattle.n.01\n",
        "# mine\n\n cow \t kine.n.01 ",
        '{"cow": "cattle.n.01"}',
        "\ufeffcow\tcattle.n.01",
    ],
)
def test_a_users_file_is_merged_over_ours(tmp_path, text):
    path = tmp_path / "mine.txt"
    path.write_text(text, encoding="utf-8")
    assert coco_synset_table(path) == {**shipped_table(), "cow": "cattle.n.01"}
    assert shipped_table()["cow"] == "cow.n.01"


def test_a_data_sets_own_categories_may_be_named(tmp_path):
    path = tmp_path / "mine.tsv"
    path.write_text("drone\tpilotless_aircraft.n.01\n")
    with pytest.raises(UnknownName, match="category 'drone'"):
        coco_synset_table(path)
    assert coco_synset_table(path, categories=["drone"])["drone"] == "drone.n.04"


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("# x\ncwo\tcow.n.01", UnknownName, r"mine.txt, line 2: unknown category 'cwo'.*'cow'"),
        ("dog\tdog.n.01\ncow\tcwo.n.01", UnknownName, r"line 2: unknown synset.*Did you mean"),
        ('{"dog": "dog.n.01",\n "cow": "cow.n.77"}', UnknownName, r"line 2: .*'cow.n.01'"),
        ("cow\tcow.n.01\ncow\tcow.n.02", DataError, r"line 2: .*twice, first in line 1"),
        ('{"cow": "cow.n.01",\n"cow": "cow.n.02"}', DataError, r"line 2: .*twice"),
        ("cow cow.n.01", DataError, r"line 1: not a category, a tab and a synset"),
        ('{"cow": 3}', DataError, r"line 1: .*not text"),
        ('{"cow": {"a": "b"}}', DataError, r"line 1: .*not text"),
        ('{"cow": \n', DataError, r"line 2: is not JSON"),
        ("[" * 100_000, DataError, r"is not JSON"),
        ('["cow"]', DataError, r"not a JSON object"),
    ],
)
def test_errors_name_file_and_line(tmp_path, text, error, says):
    path = tmp_path / "mine.txt"
    path.write_text(text)
    with pytest.raises(error, match=says):
        coco_synset_table(path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        coco_synset_table(tmp_path / "none.tsv")
    (tmp_path / "bad.tsv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="not UTF-8"):
        coco_synset_table(tmp_path / "bad.tsv")
