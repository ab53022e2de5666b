"""How often a flip is grammatical and contradicts its caption, read by hand and kept up to date.

The records hold no caption, only its id and a digest of the flipped text: when the engine makes
another text for one of the 300 captions, it has to be read again.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections import defaultdict
from functools import lru_cache
from pathlib import Path

import pytest

from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.perturb.engine import Surroundings, perturb
from vlmexplain.perturb.facts import ImageFacts
from vlmexplain.perturb.perturbation import NotApplicable, apply
from vlmexplain.perturb.rules import Mode

HERE = Path(__file__).parent
CAPTIONS = HERE.parents[1].parent / "shared" / "data" / "coco" / "captions_val2017_full.json"
SEED_TEXT = "careful precision 2026"
N_CAPTIONS = 300
FLIPS = ("object", "color", "number")


def record(mode: str) -> list[dict[str, str]]:
    lines = (HERE / f"precision_{mode}.tsv").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith("#")]
    return list(csv.DictReader(kept, delimiter="\t", quoting=csv.QUOTE_NONE))


def share(rows: list[dict[str, str]]) -> float:
    good = [row for row in rows if row["grammatical"] == row["contradicts"] == "y"]
    return len(good) / len(rows)


def test_careful_flips_are_right_at_least_95_times_in_100() -> None:
    rows = record("careful")
    assert len(rows) == 190
    assert share(rows) == pytest.approx(186 / 190)
    assert share(rows) >= 0.95


def test_paper_flips_are_right_less_often() -> None:
    rows = record("paper")
    assert len(rows) == 126
    assert share(rows) == pytest.approx(107 / 126)


@pytest.mark.parametrize("mode", ["careful", "paper"])
def test_every_judgement_is_filled_in(mode: str) -> None:
    for row in record(mode):
        assert row["grammatical"] in "yn" and row["contradicts"] in "yn" and row["reason"]


@lru_cache(maxsize=1)
def captions() -> list[tuple[int, str, tuple[str, ...]]]:
    """Id, caption and all captions of its image, of the 300 drawn."""
    annotations = json.loads(CAPTIONS.read_text())["annotations"]
    of_image: dict[int, list[str]] = defaultdict(list)
    for one in annotations:
        of_image[one["image_id"]].append(one["caption"])

    def place(one: dict[str, object]) -> str:
        return hashlib.sha256(f"{SEED_TEXT} {one['id']}".encode()).hexdigest()

    drawn = sorted(annotations, key=place)[:N_CAPTIONS]
    return [(one["id"], one["caption"], tuple(of_image[one["image_id"]])) for one in drawn]


@pytest.mark.skipif(not CAPTIONS.exists(), reason="the real captions are not here")
@pytest.mark.parametrize("mode", ["careful", "paper"])
def test_what_was_read_is_what_the_engine_makes(mode: Mode) -> None:
    made: set[tuple[str, str, str]] = set()
    wordnet = load_wordnet()
    for caption_id, caption, others in captions():
        surroundings = Surroundings(facts=ImageFacts(captions=others), lexicon=wordnet)
        for name in FLIPS:
            found = perturb(caption, name, mode=mode, surroundings=surroundings)
            for one in () if isinstance(found, NotApplicable) else found:
                text = apply(caption, one.edits).strip()
                digest = hashlib.sha256(text.encode()).hexdigest()[:16]
                made.add((str(caption_id), f"{mode}-{name}", digest))
    read = {(row["caption_id"], row["rule"], row["text_sha256_16"]) for row in record(mode)}
    assert made == read
