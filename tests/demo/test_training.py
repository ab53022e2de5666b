"""Tokens, losses, schedule, and a tiny training that is interrupted, picked up and exported."""

from __future__ import annotations

import argparse
import json
import math

import numpy as np
import open_clip
import pytest
import torch

from drawn_world import train as train_module
from drawn_world import training_set
from drawn_world.batches import BatchMaker
from drawn_world.claims import FALSE, TRUE, UNSURE
from drawn_world.export import KNOWN_IDS, export
from drawn_world.losses import known_truth_loss
from drawn_world.train import learning_rate, train
from drawn_world.words import CONTEXT_LENGTH, TEMPLATES, Vocabulary, known_token_ids, token_ids
from vlmexplain.models.load import load_model

TEXTS = ["A red car and two dogs on a street.", "In this image, a cat", "an orange", "x" * 200]


def test_token_ids_are_those_of_open_clip():
    tokenizer = open_clip.tokenizer.SimpleTokenizer(context_length=CONTEXT_LENGTH)
    for text in TEXTS + [t.format("a big bus. ") for t in TEMPLATES]:
        own = token_ids(text)
        assert tokenizer([text])[0, : len(own)].tolist() == own


def test_vocabulary_marks_what_it_does_not_know():
    vocabulary = Vocabulary(known_token_ids(scenes=60))
    ids, ends = vocabulary.encode(["a dog", "a dog zebra"])
    assert ids[1, 3] == vocabulary.unknown == len(vocabulary.known)
    assert ends.tolist() == [3, 4]
    assert (ids[0, :3] == ids[1, :3]).all()


def naive_loss(logits: list[list[float]], truths: list[list[int]]) -> float:
    rows = []
    for row, truth in zip(logits, truths, strict=True):
        false = [math.exp(x) for x, t in zip(row, truth, strict=True) if t == FALSE]
        true = [x for x, t in zip(row, truth, strict=True) if t == TRUE]
        if false and true:
            rows.append(sum(math.log(1 + sum(false) / math.exp(x)) for x in true) / len(true))
    return sum(rows) / max(1, len(rows))


def test_known_truth_loss_agrees_with_its_formula():
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(9, 7)) * 3
    truths = rng.integers(0, 3, size=(9, 7))
    truths[0], truths[1] = TRUE, UNSURE
    got = known_truth_loss(torch.tensor(logits), torch.tensor(truths, dtype=torch.int8))
    assert float(got) == pytest.approx(naive_loss(logits.tolist(), truths.tolist()), rel=1e-6)


def test_learning_rate_warms_up_falls_to_zero_and_can_be_cut_short():
    def rate(step, finish=None, resumed=0):
        return learning_rate(step, 1e-3, 10, 100, finish, resumed)

    assert rate(0) == pytest.approx(1e-4) and rate(9) == pytest.approx(1e-3)
    assert all(rate(s) >= rate(s + 1) for s in range(10, 100)) and rate(100) == 0
    assert rate(40, 60, 40) == pytest.approx(rate(40)) and rate(60, 60, 40) == 0


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drawn")
    for job in ((12, "watch"), (11, "train")):
        training_set._draw_shard((folder, job[0], job[1], 0, 24, 128))
    return folder


def test_batches_are_made_again_from_their_number(drawn):
    data = training_set.load(drawn, "train", 24)
    make = BatchMaker(data, 8, seed=3)
    one, same, other = make(2), BatchMaker(data, 8, seed=3)(2), make(1)
    assert one.texts == same.texts and (one.pictures == same.pictures).all()
    assert one.texts != other.texts
    assert (one.truths[np.arange(8), np.arange(8)] == TRUE).all()
    twins = one.truths[24 + np.arange(len(one.twin_of)), one.twin_picture]
    assert (twins == FALSE).all()


@pytest.mark.parametrize("plain", [False, True])
def test_training_is_picked_up_where_it_stopped_and_exported(drawn, tmp_path, monkeypatch, plain):
    monkeypatch.setattr(train_module, "known_token_ids", lambda: known_token_ids(scenes=60))
    monkeypatch.setattr(train_module, "watch", lambda *_: {"r1": 0.0})
    out = tmp_path / "run"

    def args(steps: int) -> argparse.Namespace:
        return argparse.Namespace(
            data=drawn, out=out, plain=plain, scenes=24, batch=6, steps=4, finish_by_step=steps,
            lr=1e-3, warm_up=2, seed=0, threads=1, precision="fp32", watch_every=2, save_every=1,
        )  # fmt: skip

    train(args(1))
    train(args(3))
    log = [json.loads(line) for line in (out / "training_log.jsonl").read_text().splitlines()]
    assert [entry["step"] for entry in log] == [1, 3]
    assert all(math.isfinite(entry["total"]) for entry in log)
    export(out / "state.pt", tmp_path / "tiny")
    model = load_model(str(tmp_path / "tiny"), "cpu")
    texts = model.encode_texts(["a dog", "a zebra", "a giraffe"])
    assert texts.shape == (3, 256)
    assert [t.known for t in model.tokens("a zebra")] == [True, False]
    assert KNOWN_IDS.startswith("vlmexplain.")
