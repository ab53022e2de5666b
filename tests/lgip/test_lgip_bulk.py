"""LGIP in bulk equals LGIP the slow way, encodes each text once, and goes on after a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from naive_lgip import close, naive_metrics

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.demo_setup import set_up_demo
from vlmexplain.errors import DataError, ModelError, UnknownName
from vlmexplain.lgip import pair_scores, plan
from vlmexplain.lgip.bulk import Source, lgip_bulk, run_lgip
from vlmexplain.lgip.generate import gallery_samples, perturb_gallery
from vlmexplain.lgip.result import list_lgip, open_lgip, results_folder
from vlmexplain.lgip.sample_files import write_samples
from vlmexplain.lgip.samples import Flip, Sample
from vlmexplain.models.fake import FakeEncoder
from vlmexplain.scoring.embedding import embed_gallery

ROOT = Path(__file__).parents[2]


class CountingEncoder(FakeEncoder):
    """A fake that counts how often each text is encoded."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: Counter[str] = Counter()
        self.lengths: list[int] = []

    def encode_texts(self, texts: Sequence[str]) -> np.ndarray:
        self.asked.update(texts)
        self.lengths += [len(text) for text in texts]
        return super().encode_texts(texts)


def slow(gallery: Gallery, samples: Sequence[Sample]) -> dict[str, object]:
    encoder = FakeEncoder()
    vectors = embed_gallery(gallery, encoder).image_vectors
    names = {gallery.image(i).file_name: i for i in range(gallery.n_images)}
    return {"model_tag": "fake", **naive_metrics(encoder, vectors, names, samples)}


@pytest.mark.parametrize("mode", ["paper", "careful"])
def test_the_figures_equal_the_slow_ones(gallery: Gallery, mode: str) -> None:
    result = run_lgip(gallery, "fake", mode=mode)
    expected = slow(gallery, list(gallery_samples(gallery, mode)))
    assert close(result.metrics, expected), (result.metrics, expected)
    assert result.figures.n_samples == gallery.n_images
    keys = ["model_tag", "num_samples", "num_invariance_pairs", "num_sensitivity_pairs"]
    keys += ["invariance_error_mean", "sensitivity_gap_mean", "sensitivity_pos_rate"]
    assert list(result.metrics) == [*keys, "by_flip_type"]
    assert list(result.metrics["by_flip_type"]) == ["color", "number", "object"]


def test_random_samples_in_small_blocks(
    gallery: Gallery, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Texts shared by images, repeats, no triples, foreign images: still as the slow way."""
    monkeypatch.setattr(pair_scores, "TEXTS_A_BLOCK", 7)
    monkeypatch.setattr(pair_scores, "TEXT_BATCH", 3)
    monkeypatch.setattr(plan, "TRIPLES_AT_ONCE", 5)
    rng = np.random.default_rng(5)
    words = ["dog", "cat", "red", "blue", "é", "'", '"', "<b>", "红色", "$5"]

    def text() -> str:
        return " ".join(rng.choice(words, size=rng.integers(1, 22)))

    for round_ in range(6):
        samples = []
        for _ in range(int(rng.integers(1, 9))):
            captions = tuple(text() for _ in range(rng.integers(1, 4)))
            same = tuple(tuple(text() for _ in range(rng.integers(0, 4))) for _ in captions)
            flips = tuple(
                tuple(Flip(text(), str(rng.choice(["color", "object"]))) for _ in range(2))
                for _ in captions
            )
            image = f"{rng.integers(0, 8):03d}.png"  # two of these are not in the gallery
            samples.append(Sample(image, captions, same, flips))
        samples.append(Sample("000.png", ("dog",), (("red dog",),), ((),)))
        path = tmp_path / f"{round_}.jsonl"
        write_samples(samples, path)
        result = run_lgip(gallery, "fake", path)
        assert close(result.metrics, slow(gallery, samples))
        foreign = sum(s.image_path in ("006.png", "007.png") for s in samples)
        assert result.manifest.not_in_gallery == foreign


def test_each_distinct_text_is_encoded_once_in_order_of_length(gallery: Gallery) -> None:
    encoder = CountingEncoder()
    embed_gallery(gallery, encoder)
    known = set(encoder.asked)
    encoder.asked.clear()
    encoder.lengths.clear()
    samples = list(gallery_samples(gallery, "paper"))
    lgip_bulk(gallery, encoder.identity, lambda: encoder, Source({"n": 1}, lambda: samples))
    texts = {t for s in samples for own in s.same for t in own}
    texts |= {f.text for s in samples for own in s.flips for f in own}
    assert set(encoder.asked) == texts - known
    assert set(encoder.asked.values()) == {1}
    assert encoder.lengths == sorted(encoder.lengths)


def test_triples_open_down_to_the_caption(gallery: Gallery) -> None:
    result = run_lgip(gallery, "fake", mode="careful")
    table = pq.read_table(result.triples_path)
    assert table.num_rows == result.figures.n_invariance + result.figures.sensitivity.count
    every = result.triples(limit=10_000)
    assert [one.triple for one in every] == list(range(len(every)))
    for one in every:
        assert gallery.caption(one.caption_index).text == one.caption
        assert one.gap == pytest.approx(one.score_caption - one.score_text, abs=1e-12)
        assert one.tie == (abs(one.gap) <= 1e-6)
        assert (one.flip_type is None) == (one.kind == "same")
    worst = result.triples("same", sort="largest shift", limit=5)
    gaps = sorted((abs(one.gap) for one in every if one.kind == "same"), reverse=True)
    assert [abs(one.gap) for one in worst] == gaps[:5]
    preferred = result.triples("flip", "object", sort="lowest gap", limit=3)
    assert [one.gap for one in preferred] == sorted(
        one.gap for one in every if one.flip_type == "object"
    )[:3]
    assert sum(n for _, n in result.histogram("flip")) == result.figures.sensitivity.count
    assert any(one.verified for one in every)
    with pytest.raises(UnknownName, match="order"):
        result.triples(sort="backwards")  # type: ignore[arg-type]


def test_ties_and_edits_past_the_cut_are_told(gallery: Gallery, tmp_path: Path) -> None:
    long = "a dog " * 7  # the fake reads fourteen words
    flips = (Flip(f"{long}cat", "object"), Flip(f"{long.replace('dog', 'cat', 1)}dog", "object"))
    sample = Sample("000.png", (f"{long}dog",), ((f"{long.upper()}DOG",),), (flips,))
    write_samples([sample], tmp_path / "s.jsonl")
    result = run_lgip(gallery, "fake", tmp_path / "s.jsonl")
    same, cut, seen = result.triples()
    assert (same.seen, same.tie) == (False, True)
    assert (cut.seen, cut.tie) == (False, True)
    assert (seen.seen, seen.tie) == (True, False)
    figures = result.figures
    assert (figures.not_seen, figures.sensitivity.ties, figures.invariance_ties) == (2, 1, 1)
    assert (same.gap, cut.gap, cut.score_text) == (0.0, 0.0, cut.score_caption)  # exactly
    won = float(seen.gap > 0)
    assert figures.by_type["object"].positive_rate == won / 2  # a tie is not greater
    assert (figures.seen.count, figures.seen.positive_rate) == (1, won)
    assert figures.verified.count == 0 and figures.verified.gap_mean is None


def test_no_triples_are_undefined_not_zero(gallery: Gallery, tmp_path: Path) -> None:
    write_samples([Sample("000.png", ("dog",), (("a dog",),), ((),))], tmp_path / "s.jsonl")
    result = run_lgip(gallery, "fake", tmp_path / "s.jsonl")
    assert result.metrics["sensitivity_gap_mean"] is None
    assert result.metrics["sensitivity_pos_rate"] is None
    empty = {"gap_mean": None, "pos_rate": None, "count": 0}
    assert result.metrics["by_flip_type"]["color"] == empty
    assert result.figures.undefined_because == "no triple to average over"


def test_the_same_request_again_is_a_read(gallery: Gallery) -> None:
    first = run_lgip(gallery, "fake")
    before = (first.folder / "manifest.json").stat().st_mtime_ns
    again = run_lgip(gallery, "fake")
    assert again.key == first.key and again.manifest == first.manifest
    assert (again.folder / "manifest.json").stat().st_mtime_ns == before
    assert run_lgip(gallery, "fake", seed=1).key != first.key
    assert run_lgip(gallery, "fake:1").key != first.key
    assert [m.key for m in list_lgip(gallery.id)][-1] == first.key
    assert list_lgip("other") == []
    assert open_lgip(first.key[:10]).manifest == first.manifest
    with pytest.raises(UnknownName, match="LGIP result"):
        open_lgip("zzzz")


def test_a_file_gives_what_making_them_gives(gallery: Gallery, tmp_path: Path) -> None:
    counts = perturb_gallery(gallery, "careful", tmp_path / "p.jsonl")
    made = run_lgip(gallery, "fake", mode="careful")
    read = run_lgip(gallery, "fake", tmp_path / "p.jsonl")
    assert read.metrics == made.metrics
    assert read.triples(limit=10_000) == made.triples(limit=10_000)
    assert counts.paraphrases == made.figures.n_invariance
    assert counts.flips == made.figures.sensitivity.count


def test_what_cannot_be_done_is_said(gallery: Gallery, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no images"):
        run_lgip(gallery, "fake-text")
    with pytest.raises(UnknownName, match="mode"):
        run_lgip(gallery, "fake", mode="carefull")  # type: ignore[arg-type]
    write_samples([Sample("other.png", ("dog",), (("a dog",),), ((),))], tmp_path / "s.jsonl")
    with pytest.raises(DataError, match="none of the perturbations"):
        run_lgip(gallery, "fake", tmp_path / "s.jsonl")
    with pytest.raises(DataError, match="cannot be read"):
        run_lgip(gallery, "fake", tmp_path / "no.jsonl")
    (tmp_path / "broken.jsonl").write_text('{"image_path": "000.png", "orig_captions": [}')
    with pytest.raises(DataError, match="is no JSON"):
        run_lgip(gallery, "fake", tmp_path / "broken.jsonl")
    assert not [p for p in results_folder().glob("*") if not p.name.endswith(".lock")]


_KILLED = """
import time
from vlmexplain.lgip import pair_scores
from vlmexplain.lgip.bulk import run_lgip
from vlmexplain.lgip.result import results_folder
from vlmexplain.datasets.gallery import open_gallery
from vlmexplain.models.fake import FakeEncoder
pair_scores.TEXTS_A_BLOCK = 10
encode = FakeEncoder.encode_texts
def slowly(self, texts):
    while len(list(results_folder().glob(".unfinished-*/scores-*.parquet"))) >= 2:
        time.sleep(1)  # it is killed here
    return encode(self, texts)
FakeEncoder.encode_texts = slowly
run_lgip(open_gallery("made"), "fake")
"""


def test_a_killed_run_goes_on_where_it_was(
    gallery: Gallery, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _KILLED],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    )
    deadline = time.monotonic() + 200
    while time.monotonic() < deadline:
        blocks = list(results_folder().glob(".unfinished-*/scores-*.parquet"))
        if len(blocks) >= 2:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert len(blocks) >= 2 and not list_lgip()
    kept = len(list(results_folder().glob(".unfinished-*/scores-*.parquet")))
    times = {path: path.stat().st_mtime_ns for path in blocks}

    monkeypatch.setattr(pair_scores, "TEXTS_A_BLOCK", 10)
    encoder = CountingEncoder()
    monkeypatch.setattr("vlmexplain.lgip.bulk.load_model", lambda *_: encoder)
    seen: dict[Path, int] = {}

    def look(_: object) -> None:
        for path in times:
            if path.exists():
                seen[path] = path.stat().st_mtime_ns

    result = run_lgip(gallery, "fake", progress=look)
    assert close(result.metrics, slow(gallery, list(gallery_samples(gallery, "paper"))))
    assert seen == times  # the finished blocks were not made again
    n_texts = len({one.text for one in result.triples(limit=10_000)})
    assert sum(encoder.asked.values()) <= n_texts - 10 * (kept - 1)
    assert not list(results_folder().glob(".unfinished-*"))


def test_a_damaged_result_is_named_not_served(gallery: Gallery) -> None:
    result = run_lgip(gallery, "fake")
    path = result.folder / "manifest.json"
    value = json.loads(path.read_bytes())
    del value["figures"]
    path.write_text(json.dumps(value))
    with pytest.raises(Exception, match="damaged"):
        open_lgip(result.key)
    assert list_lgip() == []


def test_words_the_model_does_not_know_win_nothing(fresh_home: Path, shared: Path) -> None:
    """Three of the five flips have the caption's tokens: ties with a gap of exactly 0."""
    path = shared / "cases" / "second" / "lgip_unseen_flip.jsonl"
    result = run_lgip(set_up_demo().gallery, "drawn-clip", path)
    unseen = [one for one in result.triples("flip") if not one.seen]
    assert len(unseen) == 3
    assert {(one.gap, one.tie) for one in unseen} == {(0.0, True)}
    figures = result.figures
    assert (figures.sensitivity.count, figures.seen.count, figures.not_seen) == (5, 2, 3)
    won = sum(one.gap > 0 for one in result.triples("flip"))
    assert figures.sensitivity.positive_rate == won / 5
    assert figures.seen.positive_rate == won / 2
