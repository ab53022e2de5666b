"""The benchmark's generator, exactly: its counts on the real captions come out."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlmexplain.perturb.engine import perturb
from vlmexplain.perturb.paper import TEMPLATES, WORDS
from vlmexplain.perturb.perturbation import NotApplicable, apply, undo
from vlmexplain.perturb.rules import lgip_rules

ROOT = Path(__file__).parents[2]
CAPTIONS = ROOT.parent / "shared" / "data" / "coco" / "captions_val2017_full.json"
PAPER = [rule.key for rule in lgip_rules("paper")]


def texts(caption: str, rule: str, seed: int = 0) -> list[str]:
    made = perturb(caption, rule, seed=seed)
    return [] if isinstance(made, NotApplicable) else [apply(caption, one.edits) for one in made]


@pytest.mark.skipif(not CAPTIONS.exists(), reason="the real captions are not here")
def test_golden_counts_of_val2017() -> None:
    captions = [a["caption"] for a in json.loads(CAPTIONS.read_text())["annotations"]]
    counts: Counter[str] = Counter()
    for caption in captions:
        for rule in PAPER:
            counts[rule] += len(texts(caption, rule))
    assert len(captions) == 25_014
    assert counts == {
        "paper-paraphrase": 150_084,
        "paper-object": 4_789,
        "paper-color": 4_051,
        "paper-number": 1_362,
    }


def test_paraphrases_are_six_of_eight_with_the_caption_as_it_is() -> None:
    caption = "A dog, on a RED sofa."
    made = texts(caption, "paper-paraphrase")
    assert len(set(made)) == 6
    assert set(made) <= {template.format(caption) for template in TEMPLATES}


def test_blanks_at_the_ends_are_trimmed_from_the_text() -> None:
    caption = "  a red ball  \nand a yellow sign "
    for text in [*texts(caption, "paper-paraphrase"), *texts(caption, "paper-color")]:
        assert text == text.strip()
        assert "ball  \nand" in text


@pytest.mark.parametrize(
    ("caption", "rule", "because"),
    [
        ("Red Dogs", "paper-color", "no colour word"),
        ("Two dogs", "paper-number", "no number word"),
        ("dogs buses people", "paper-object", "no object word"),
        ("dog", "paper-object", "the result has under 5 characters"),
        ("", "paper-paraphrase", "the caption is empty"),
        (" \n", "paper-paraphrase", "the caption is empty"),
    ],
)
def test_what_does_not_apply_says_why(caption: str, rule: str, because: str) -> None:
    made = perturb(caption, rule)
    if because == "the result has under 5 characters":  # depends on the word drawn
        seen = {getattr(perturb(caption, rule, seed=s), "because", None) for s in range(40)}
        assert because in seen
    else:
        assert made == NotApplicable(rule, because)


def test_only_the_first_match_changes_and_always_to_another_word() -> None:
    for seed in range(30):
        (text,) = texts("a red bus next to a red car", "paper-color", seed)
        assert text.endswith("bus next to a red car")
        assert text.split()[1] in set(WORDS["color"]) - {"red"}


def test_the_benchmark_keeps_its_faults() -> None:
    (text,) = texts("an orange on a white plate next to an orange cup", "paper-color")
    assert text.startswith("an ")
    assert text.endswith("on a white plate next to an orange cup")
    (text,) = texts("one dog and a stop sign", "paper-number")
    assert text.split()[1] == "dog"


def test_draws_do_not_change_with_hash_seed_or_process() -> None:
    code = (
        "from vlmexplain.perturb.engine import perturb; from vlmexplain.perturb.perturbation "
        "import apply; c='one red dog'; print([apply(c, p.edits) for r in "
        f"{PAPER!r} for p in perturb(c, r, seed=7)])"
    )
    here = [text for rule in PAPER for text in texts("one red dog", rule, 7)]
    for hash_seed in ("1", "2"):
        made = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env={"PYTHONHASHSEED": hash_seed, "PATH": ""},
        )
        assert made.stdout.strip() == repr(here)


def test_draws_of_a_known_caption_stay_what_they_are() -> None:
    """Written down once: a change of the construction would change every stored result."""
    assert texts("a red bus", "paper-color") == ["a white bus"]
    assert texts("one dog", "paper-number", 3) == ["four dog"]


@given(st.text(), st.integers(0, 3), st.sampled_from(PAPER))
def test_any_text_can_be_perturbed_and_undone(caption: str, seed: int, rule: str) -> None:
    made = perturb(caption, rule, seed=seed)
    assert made == perturb(caption, rule, seed=seed)
    if isinstance(made, NotApplicable):
        return
    for one in made:
        text = apply(caption, one.edits)
        assert text != caption
        assert undo(text, one.edits) == caption


@given(st.lists(st.sampled_from([*WORDS["color"], *WORDS["number"], *WORDS["object"], "  ", "é"])))
def test_captions_full_of_its_words_keep_the_rules(words: list[str]) -> None:
    caption = " ".join(words)
    for rule in PAPER[1:]:
        made = perturb(caption, rule)
        kind = rule.removeprefix("paper-")
        first = next((w for w in words if w in WORDS[kind]), None)
        if isinstance(made, NotApplicable):
            assert first is None or len(caption.strip()) < 5 + 7
            continue
        (one,) = made
        changed = [e for e in one.edits if e.after]
        assert [e.before for e in changed] == [first]
        assert changed[0].after in set(WORDS[kind]) - {first}
