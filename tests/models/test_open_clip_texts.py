"""Texts in open_clip models: padding, spans, cut marks, threads."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image
from tiny_open_clip import TINY

from vlmexplain.errors import ModelError
from vlmexplain.models import text_tower
from vlmexplain.models.load import load_model
from vlmexplain.models.open_clip_encoder import OpenClipEncoder
from vlmexplain.models.text_prefixes import prefix_tree

Folder = Callable[..., Path]
WORDS = [
    "a",
    "two",
    "red",
    "dogs",
    "and",
    "the",
    "green",
    "bus",
    "near",
    "an",
    "orange",
    "zebra",
    "on",
    "grass",
]


def captions(n: int, longest: int, seed: int = 0) -> list[str]:
    draw = np.random.default_rng(seed)
    return [" ".join(draw.choice(WORDS, draw.integers(0, longest))) for _ in range(n)]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenClipEncoder]:
    import json

    from safetensors.torch import save_file
    from tiny_open_clip import random_tensors

    folder = tmp_path_factory.mktemp("models") / "tiny"
    folder.mkdir()
    (folder / "tiny.json").write_text(json.dumps(TINY))
    save_file(random_tensors(TINY), folder / "model.safetensors")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VLMEXPLAIN_HOME", str(folder.parent))
        model = load_model(str(folder))
    assert isinstance(model, OpenClipEncoder)
    yield model


def fully_padded(model: Any, texts: list[str]) -> np.ndarray:
    with torch.no_grad():
        features = [
            model._model.encode_text(model._tokenizer([text]), normalize=True) for text in texts
        ]
    return torch.cat(features).numpy()


def test_cut_batches_equal_full_padding(tiny: OpenClipEncoder) -> None:
    texts = captions(150, 60)
    assert tiny._tower is not None
    assert np.abs(tiny.encode_texts(texts) - fully_padded(tiny, texts)).max() < 1e-6


@pytest.mark.parametrize("share", [True, False])
def test_short_texts_are_computed_on_few_columns(
    tiny: OpenClipEncoder, monkeypatch: pytest.MonkeyPatch, share: bool
) -> None:
    seen: list[torch.Size] = []
    monkeypatch.setattr(text_tower, "can_share", lambda _: share)
    norm = tiny._tower.transformer.resblocks[0].ln_1
    hook = norm.register_forward_hook(lambda _, given, made: seen.append(made.shape[:-1]))
    tiny.encode_texts(["a dog", "a bus"])
    hook.remove()
    # shared: start and "a" once, two words, two end marks; else two texts of four tokens
    assert seen == [(6,) if share else (2, 4)]


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_the_tree_holds_each_prefix_once(data: st.DataObject) -> None:
    end = 9
    texts = data.draw(st.lists(st.lists(st.integers(1, 3), max_size=5), min_size=1, max_size=12))
    length = max(map(len, texts)) + 2
    rows = [[0, *text, end, *[0] * (length - len(text) - 2)] for text in texts]
    ends = torch.tensor([len(text) + 1 for text in texts])
    tree = prefix_tree(torch.tensor(rows), ends)
    prefix = {
        int(tree.node[i, j]): tuple(row[: j + 1])
        for i, row in enumerate(rows)
        for j in range(len(texts[i]) + 2)
    }
    assert len(set(prefix.values())) == len(prefix) == len(tree.text)
    for i, row in enumerate(rows):
        for j in range(len(texts[i]) + 2):
            assert prefix[int(tree.node[i, j])] == tuple(row[: j + 1])
    for node, (i, j) in enumerate(zip(tree.text.tolist(), tree.position.tolist(), strict=True)):
        assert prefix[node] == tuple(rows[i][: j + 1])


def test_texts_that_begin_alike_get_their_own_numbers(
    tiny: OpenClipEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    same = "two red dogs and a green bus near the orange zebra"
    texts = [same, f"{same} on grass", same.replace("green", "red"), "", "two", same, "a " * 90]
    texts += [f"a photo of {text}" for text in texts] + captions(60, 12, seed=4)
    shared = tiny.encode_texts(texts)
    assert np.abs(shared - fully_padded(tiny, texts)).max() < 1e-6
    monkeypatch.setattr(text_tower, "can_share", lambda _: False)
    assert np.abs(shared - tiny.encode_texts(texts)).max() < 1e-6


def altered(**text: Any) -> dict[str, Any]:
    config = copy.deepcopy(TINY)
    config["text_cfg"].update(text)
    return config


@pytest.mark.parametrize(
    ("config", "is_cut"),
    [
        ({**copy.deepcopy(TINY), "custom_text": True}, True),
        ({**altered(pool_type="eos", eos_id=49407), "custom_text": True}, True),
        ({**altered(proj_bias=True), "custom_text": True}, True),
        ({**altered(no_causal_mask=True, pool_type="last"), "custom_text": True}, False),
        ({**altered(pool_type="last"), "custom_text": True}, False),
        ({**altered(embed_cls=True), "custom_text": True}, False),
    ],
    ids=["custom", "eos", "projection-bias", "siglip-like", "last", "class-token"],
)
def test_only_towers_that_allow_it_are_cut(
    tiny_folder: Folder, config: dict[str, Any], is_cut: bool
) -> None:
    model = load_model(str(tiny_folder(config)))
    assert isinstance(model, OpenClipEncoder)
    assert (model._tower is not None) is is_cut
    texts = captions(70, 40, seed=3)
    assert np.abs(model.encode_texts(texts) - fully_padded(model, texts)).max() < 1e-6


def test_a_text_is_the_same_alone_and_in_any_batch(tiny: OpenClipEncoder) -> None:
    texts = captions(130, 50, seed=1)
    batch = tiny.encode_texts(texts)
    for n in range(0, 130, 13):
        assert np.abs(tiny.encode_texts([texts[n]])[0] - batch[n]).max() < 1e-6
    order = np.random.default_rng(0).permutation(130)
    shuffled = tiny.encode_texts([texts[n] for n in order])
    assert np.abs(shuffled - batch[order]).max() < 1e-6
    assert np.linalg.norm(batch, axis=1) == pytest.approx(np.ones(130), abs=1e-6)


def test_an_image_is_the_same_alone_and_in_a_batch(tiny: OpenClipEncoder) -> None:
    draw = np.random.default_rng(0)
    images = [
        Image.fromarray(draw.integers(0, 255, (40, 30 + n, 3), dtype=np.uint8)) for n in range(37)
    ]
    batch = tiny.encode_images(images)
    alone = np.concatenate([tiny.encode_images([image]) for image in images])
    assert np.abs(batch - alone).max() < 1e-6
    prepared = np.stack([tiny.preprocess(image) for image in images])
    assert np.array_equal(tiny.encode_prepared(prepared), batch)


def test_a_resnet_runs_channels_last_with_the_same_numbers(tiny_folder: Folder) -> None:
    config = copy.deepcopy(TINY)
    config["vision_cfg"] = {
        "image_size": 64, "layers": [1, 1, 1, 1], "width": 16, "patch_size": None
    }  # fmt: skip
    model = load_model(str(tiny_folder(config)))
    assert isinstance(model, OpenClipEncoder) and model._format is torch.channels_last
    draw = np.random.default_rng(0)
    batch = draw.standard_normal((5, 3, 64, 64)).astype(np.float32)
    found = model.encode_prepared(batch)
    plain = model._model.to(memory_format=torch.contiguous_format)
    with torch.no_grad():
        expected = plain.encode_image(torch.from_numpy(batch), normalize=True).numpy()
    assert np.abs(found - expected).max() < 1e-5
    assert (
        np.abs(found - np.concatenate([model.encode_prepared(x[None]) for x in batch])).max() < 1e-6
    )


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80))
@example("A <b>bold</b> &amp; café DOG’s  naïve ☃ 😀 İstanbul ﬁne")
@example("<end_of_text> dog")
def test_pieces_are_the_tokenizers_own(text: str) -> None:
    model = READER()
    assert model.ids(text) == model._tokenizer.encode(text)
    assert model.count(text) == len(model.ids(text)) + 2
    for token in model.read(text):
        assert (token.start is None) == (token.end is None)
        if token.start is not None and token.end is not None:
            assert 0 <= token.start < token.end <= len(text)


def READER() -> Any:
    from open_clip.tokenizer import SimpleTokenizer

    from vlmexplain.models.token_readers import BpeReader

    if not hasattr(READER, "kept"):
        READER.kept = BpeReader(SimpleTokenizer(), 32, None)  # type: ignore[attr-defined]
    return READER.kept  # type: ignore[attr-defined]


def test_spans_point_into_the_text_as_given(tiny: OpenClipEncoder) -> None:
    text = "  Two   DOGS\tnear a Café, chasing frisbeeing&amp;co"
    spans = [(t.text, text[t.start : t.end]) for t in tiny.tokens(text) if t.start is not None]
    assert spans[:5] == [("two", "Two"), ("dogs", "DOGS"), ("near", "near"), ("a", "a"),
                         ("café", "Café")]  # fmt: skip
    assert all(piece == shown.lower() for piece, shown in spans)
    assert tiny.tokens(text)[-1].text == "co" and text[tiny.tokens(text)[-1].start :] == "co"


def test_what_is_cut_is_marked_and_changes_nothing(tiny: OpenClipEncoder) -> None:
    words = ["dog"] * 31
    text, changed = " ".join([*words, "zebra"]), " ".join([*words, "bus"])
    seen = [token.seen for token in tiny.tokens(text)]
    assert seen == [True] * 30 + [False] * 2
    assert tiny.count_tokens(text) == 34 > tiny.context_length
    assert np.array_equal(tiny.encode_texts([text]), tiny.encode_texts([changed]))
    seen_change = " ".join([*words[:29], "bus"])
    assert not np.allclose(tiny.encode_texts([text]), tiny.encode_texts([seen_change]))
    assert tiny.count_tokens("dog " * 30) == 32 and all(t.seen for t in tiny.tokens("dog " * 30))


def test_after_a_written_out_end_mark_nothing_is_seen(tiny: OpenClipEncoder) -> None:
    text = "a dog <end_of_text> a zebra"
    assert [t.seen for t in tiny.tokens(text)] == [True, True, True, False, False]
    assert np.array_equal(
        tiny.encode_texts([text]), tiny.encode_texts(["a dog <end_of_text> a bus"])
    )


def test_sixteen_threads_get_right_answers(tiny: OpenClipEncoder) -> None:
    texts = captions(64, 40, seed=5)
    images = [Image.new("RGB", (32, 32), (n * 3, 255 - n, n)) for n in range(16)]
    text_rows, image_rows = tiny.encode_texts(texts), tiny.encode_images(images)
    faults: list[str] = []
    start = threading.Barrier(16)

    def work(n: int) -> None:
        start.wait()
        for step in range(5):
            mine = texts[(n + step) % 8 :: 8]
            if np.abs(tiny.encode_texts(mine) - text_rows[(n + step) % 8 :: 8]).max() > 1e-6:
                faults.append(f"text {n} {step}")
            if np.abs(tiny.encode_images([images[n]])[0] - image_rows[n]).max() > 1e-6:
                faults.append(f"image {n} {step}")
            if tiny.count_tokens(mine[0]) != len(tiny.tokens(mine[0])) + 2:
                faults.append(f"tokens {n} {step}")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def test_a_hugging_face_tokenizer_beside_the_weights(tiny_folder: Folder) -> None:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    config = altered(
        hf_tokenizer_name="ORG/not-asked", tokenizer_kwargs={"clean": "canonicalize"},
        vocab_size=20, context_length=8, no_causal_mask=True, pool_type="last",
    )  # fmt: skip
    folder = tiny_folder({**config, "custom_text": True})
    vocabulary = {"<unk>": 0, "<pad>": 1, "</s>": 2, "a": 3, "red": 4, "bus": 5, "dog": 6}
    raw = Tokenizer(WordLevel(vocabulary, unk_token="<unk>"))
    raw.pre_tokenizer = Whitespace()
    raw.post_processor = TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 2)])
    PreTrainedTokenizerFast(
        tokenizer_object=raw, unk_token="<unk>", pad_token="<pad>", eos_token="</s>"
    ).save_pretrained(folder)

    model = load_model(str(folder))
    text = "A red, Zebra: bus a red bus dog dog"
    tokens = model.tokens(text)
    assert [text[t.start : t.end] for t in tokens] == text.replace(",", "").replace(":", "").split()
    assert [t.known for t in tokens] == [True, True, False] + [True] * 6
    assert [t.seen for t in tokens] == [True] * 7 + [False] * 2
    assert model.count_tokens(text) == 10
    rows = model.encode_texts(["a dog", text, "a red bus"])
    assert np.abs(rows[0] - model.encode_texts(["a dog"])[0]).max() < 1e-6


def test_a_tokenizer_larger_than_the_model_is_refused(tiny_folder: Folder) -> None:
    with pytest.raises(ModelError, match="49408 tokens, but the model has room for 100"):
        load_model(str(tiny_folder(altered(vocab_size=100))))
    with pytest.raises(ModelError, match="at random"):
        load_model(
            str(tiny_folder(altered(tokenizer_kwargs={"reduction_mask": "random"}), name="r"))
        )
