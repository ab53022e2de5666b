"""What ships in data/: checksums, and a model that loads offline and is as good as it says."""

from __future__ import annotations

import hashlib
import socket
import sys
from pathlib import Path

import numpy as np
import pytest

from drawn_world.checksums import SUMS, checksum_lines
from drawn_world.evaluate import evaluate
from drawn_world.testset import open_test_set
from vlmexplain.models.load import load_model

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
MODELS = ("drawn-clip", "drawn-clip-plain")

sys.path.insert(0, str(ROOT / "benchmarks"))
from bench_demo_model import flip, paraphrases  # noqa: E402


def test_checksums_match():
    assert (DATA / SUMS).read_text().splitlines() == checksum_lines(DATA)
    readme = (DATA / "README.md").read_text()
    assert hashlib.sha256((DATA / SUMS).read_bytes()).hexdigest() in readme
    for name in MODELS:
        weights = DATA / "models" / name / "model.safetensors"
        assert hashlib.sha256(weights.read_bytes()).hexdigest() in readme
        assert weights.stat().st_size <= 10_000_000


def test_checkout_stays_small():
    assert sum(p.stat().st_size for p in DATA.rglob("*") if p.is_file()) < 36_000_000


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)


#: Score -> the band on 300 seeded pictures; fewer pictures make R@1 easier than on the gallery.
BANDS = {
    "R@1": 0.68,
    "R@10": 0.94,
    "positive rate, object flips": 0.86,
    "positive rate, color flips": 0.86,
    "positive rate, number flips": 0.74,
}


def test_model_loads_offline_and_meets_its_band(no_network):
    whole = open_test_set(DATA / "demo")
    rows = np.random.default_rng(300).choice(len(whole.files), 300, replace=False)
    sample = whole.chosen([int(row) for row in sorted(rows)])
    model = load_model(str(DATA / "models" / "drawn-clip"), "cpu")
    scores = {s.name: s.value for s in evaluate(model, sample, flip, paraphrases)}
    for name, least in BANDS.items():
        assert scores[name] >= least, (name, scores[name])
    assert scores["invariance error"] <= 0.022
    assert scores["mAP of short queries"] >= 0.70
    assert scores["swapped colours told apart"] >= 0.66


def test_both_models_know_which_words_they_do_not_know(no_network):
    for name in MODELS:
        model = load_model(str(DATA / "models" / name), "cpu")
        assert model.context_length == 32
        assert [token.known for token in model.tokens("two red dogs")] == [True, True, True]
        assert [token.known for token in model.tokens("a zebra")] == [True, False]
