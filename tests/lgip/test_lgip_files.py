"""The benchmark's files are read and written; SugarCrepe's are read; wrong ones are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError, StoreError, UnknownName
from vlmexplain.lgip.bulk import run_lgip
from vlmexplain.lgip.figures import metrics_document, read_metrics
from vlmexplain.lgip.generate import perturb_captions_file, perturb_gallery, perturb_text
from vlmexplain.lgip.sample_files import read_samples, sample_line, write_samples
from vlmexplain.lgip.samples import Flip, Sample, SampleCounts

SHARED = Path(__file__).parents[2].parent / "shared"
FULL = SHARED / "data" / "coco" / "captions_val2017_full.json"
TRAPS = SHARED / "cases" / "captions_traps.json"

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
flips = st.builds(
    Flip,
    texts,
    st.sampled_from(["color", "number", "object"]),
    st.sampled_from([True, False, None]),
)


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    captions = draw(st.lists(texts, max_size=3))
    same = [tuple(draw(st.lists(texts, max_size=3))) for _ in captions]
    own = [tuple(draw(st.lists(flips, max_size=4, unique_by=lambda f: f.text))) for _ in captions]
    return Sample(draw(texts), tuple(captions), tuple(same), tuple(own))


@given(st.lists(samples(), min_size=1, max_size=4))
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, made: list[Sample]
) -> None:
    path = tmp_path_factory.mktemp("s") / "s.jsonl"
    write_samples(made, path)
    assert list(read_samples(path)) == made


def test_the_benchmarks_own_form_is_read(tmp_path: Path) -> None:
    line = {
        "image_path": "train2017/train2017/000000000009.jpg",
        "orig_captions": ["a red dog", "two cats"],
        "same_caps": {"0": ["a photo of a red dog"], "1": []},
        "diff_caps": {"0": ["a blue dog", "a red cat"], "1": ["five cats"]},
        "diff_caps_color": {"0": ["a blue dog"], "1": []},
        "diff_caps_number": {"0": [], "1": ["five cats"]},
        "diff_caps_object": {"0": ["a red cat"], "1": []},
    }
    path = tmp_path / "lgip.jsonl"
    path.write_text(json.dumps(line) + "\n\n")
    (sample,) = read_samples(path)
    assert sample.same == (("a photo of a red dog",), ())
    assert sample.flips[0] == (Flip("a blue dog", "color"), Flip("a red cat", "object"))
    assert json.loads(sample_line(sample)) == line


def test_flips_without_types_are_of_no_type(tmp_path: Path) -> None:
    line = {"image_path": "a.jpg", "orig_captions": ["x"], "diff_caps": {"0": ["y"]}}
    (tmp_path / "s.jsonl").write_text(json.dumps(line))
    (sample,) = read_samples(tmp_path / "s.jsonl")
    assert sample.flips == ((Flip("y", None),),)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"image_path": "a.jpg", "orig_captions": "x"}', "s.jsonl:1: expected a list of texts"),
        ('{"image_path": 5, "orig_captions": []}', "image_path is 5"),
        ('{"image_path": "a", "orig_captions": ["x"], "same_caps": {"1": []}}', "index '1'"),
        ('{"image_path": "a", "orig_captions": ["x"], "diff_caps": []}', "diff_caps is no object"),
        ('{"image_path": "a", "orig_captions": []}\nnot json', "s.jsonl:2: is no JSON"),
        ("not json", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ('{"image_path": ' + "[" * 100_000, "s.jsonl:1: is no JSON"),
        ('{"image_path": ' + "7" * 5_000, "s.jsonl:1: is no JSON"),
        ("[]", "has no items"),
        ("{}", "has no items"),
        ("7", "has no items"),
        ('{"0": {"caption": "x", "negative_caption": "y"}}', "filename is None"),
        ('{"0": 3}', "item 0: is no object"),
    ],
)
def test_a_wrong_file_is_named_with_the_place(tmp_path: Path, content: str, says: str) -> None:
    (tmp_path / "s.jsonl").write_text(content)
    with pytest.raises(DataError) as error:
        list(read_samples(tmp_path / "s.jsonl"))
    assert says in str(error.value)


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="UTF-8"):
        list(read_samples(tmp_path / "s.jsonl"))


def test_sugarcrepe_is_taken_as_flips(gallery: Gallery, tmp_path: Path) -> None:
    items = {
        "0": {"filename": "000.png", "caption": "a dog", "negative_caption": "a cat"},
        "1": {"filename": "003.png", "caption": "a horse", "negative_caption": "a red horse"},
    }
    path = tmp_path / "replace_obj.json"
    path.write_text(json.dumps(items))
    result = run_lgip(gallery, "fake", path)
    assert result.metrics["num_sensitivity_pairs"] == 2
    assert result.metrics["invariance_error_mean"] is None
    assert result.metrics["by_flip_type"]["replace_obj"]["count"] == 2
    path.write_text(json.dumps(list(items.values())))
    assert [s.flips[0][0].text for s in read_samples(path)] == ["a cat", "a red horse"]


def test_paths_are_matched_in_full_or_by_their_last_part(gallery: Gallery, tmp_path: Path) -> None:
    made = [
        Sample("000.png", ("x",), (("y",),), ((),)),
        Sample("some/where/001.png", ("x",), (("y",),), ((),)),
        Sample("some/where/other.png", ("x",), (("y",),), ((),)),
    ]
    write_samples(made, tmp_path / "s.jsonl")
    result = run_lgip(gallery, "fake", tmp_path / "s.jsonl")
    assert [one.image_index for one in result.triples()] == [0, 1]
    assert result.manifest.not_in_gallery == 1


def test_metrics_are_read_back(gallery: Gallery) -> None:
    metrics = run_lgip(gallery, "fake").metrics
    assert metrics_document(read_metrics(metrics), "fake") == metrics


def test_a_captions_file_needs_no_gallery(tmp_path: Path) -> None:
    coco = {
        "images": [{"id": 2, "file_name": "b.jpg"}, {"id": 1, "file_name": "a.jpg"}],
        "annotations": [
            {"id": 1, "image_id": 1, "caption": " a red dog "},
            {"id": 2, "image_id": 2, "caption": "two cats"},
            {"id": 3, "image_id": 1, "caption": " a red dog "},
        ],
    }
    (tmp_path / "c.json").write_text(json.dumps(coco))
    made = list(perturb_captions_file(tmp_path / "c.json", "paper"))
    assert [s.image_path for s in made] == ["b.jpg", "a.jpg"]
    assert made[1].captions == (" a red dog ", " a red dog ")
    assert made[1].same[0] == made[1].same[1]
    lines = [json.dumps({"image_path": s.image_path, "orig_captions": s.captions}) for s in made]
    (tmp_path / "c.jsonl").write_text("\n".join(lines))
    assert list(perturb_captions_file(tmp_path / "c.jsonl", "paper")) == made


@pytest.mark.parametrize(
    "content",
    ["{}", "[]", "nonsense", '{"images": [], "annotations": [1]}', "[" * 100_000, "7" * 5_000],
    ids=lambda content: content[:40],
)
def test_what_is_no_captions_file_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "c.json").write_text(content)
    with pytest.raises(DataError, match=r"c\.json"):
        list(perturb_captions_file(tmp_path / "c.json", "paper"))


def test_a_line_ends_where_json_lines_end(tmp_path: Path) -> None:
    caption = "a red dog\u2028and\x85a cat"  # `str.splitlines` would part it
    sample = {"image_path": "a.jpg", "orig_captions": [caption]}
    path = tmp_path / "c.jsonl"
    path.write_text("\ufeff" + json.dumps(sample, ensure_ascii=False) + "\n", encoding="utf-8")
    [made] = perturb_captions_file(path, "paper")
    assert made.captions == (caption,)
    assert [read.captions for read in read_samples(path)] == [(caption,)]


@pytest.mark.skipif(not FULL.exists(), reason="the real captions are not here")
def test_golden_counts_of_the_whole_file() -> None:
    counts = SampleCounts()
    for sample in perturb_captions_file(FULL, "paper"):
        counts.add(sample)
    assert counts.to_json() == {
        "images": 5_000,
        "captions": 25_014,
        "paraphrases": 150_084,
        "flips": 10_202,
        "flips_by_type": {"color": 4_051, "number": 1_362, "object": 4_789},
        "verified_by_type": {"color": 0, "number": 0, "object": 0},
    }


@pytest.mark.skipif(not TRAPS.exists(), reason="the trap cases are not here")
@pytest.mark.parametrize("mode", ["paper", "careful"])
def test_the_trap_captions_go_through(mode: str) -> None:
    for sample in perturb_captions_file(TRAPS, mode):
        for caption, same in zip(sample.captions, sample.same, strict=True):
            assert bool(same) == bool(caption.strip())


def test_one_text_gives_every_rule_an_answer(fresh_home: Path) -> None:
    document = perturb_text("A red bus <b>& two dogs</b>", "careful")
    keys = [rule["rule"] for rule in document["rules"]]
    assert "careful-object" in keys and "antonym" in keys and "paper-object" not in keys
    for rule in document["rules"]:
        assert rule["perturbations"] or rule["not_applicable_because"]
    json.dumps(document, allow_nan=False)
    only = perturb_text("A red bus", "paper", "color", 3)
    assert [rule["rule"] for rule in only["rules"]] == ["paper-color"]
    with pytest.raises(UnknownName, match="careful-number"):
        perturb_text("x", rule="careful-numbr")
    with pytest.raises(UnknownName, match="mode"):
        perturb_text("x", "careless")  # type: ignore[arg-type]


def test_alone_and_in_a_batch_are_the_same(gallery: Gallery, tmp_path: Path) -> None:
    perturb_gallery(gallery, "paper", tmp_path / "p.jsonl", seed=4)
    for sample in read_samples(tmp_path / "p.jsonl"):
        for caption, same, own in zip(sample.captions, sample.same, sample.flips, strict=True):
            alone = perturb_text(caption, "paper", seed=4)["rules"]
            by_rule = {r["rule"]: [p["text"] for p in r["perturbations"]] for r in alone}
            assert list(same) == by_rule["paper-paraphrase"]
            flips = [*by_rule["paper-color"], *by_rule["paper-number"], *by_rule["paper-object"]]
            assert [flip.text for flip in own] == flips


def test_where_nothing_can_be_written_it_is_said(gallery: Gallery, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file" / "p.jsonl", tmp_path):
        with pytest.raises(StoreError, match="cannot be written"):
            perturb_gallery(gallery, "paper", out)


def test_an_interrupted_file_is_not_there(gallery: Gallery, tmp_path: Path) -> None:
    def stop(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        perturb_gallery(gallery, "paper", tmp_path / "p.jsonl", progress=stop)
    assert list(tmp_path.glob("*p.jsonl*")) == []
