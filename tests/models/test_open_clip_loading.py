"""Loading open_clip models: all weights from the file and nothing but weights, or an error."""

from __future__ import annotations

import copy
import json
import os
import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import save_file
from tiny_open_clip import TINY, random_tensors

from vlmexplain.errors import ModelError, UnknownName
from vlmexplain.models import hub
from vlmexplain.models.load import identify, load_model
from vlmexplain.models.open_clip_build import build_model
from vlmexplain.models.open_clip_source import built_in_config, read_source
from vlmexplain.models.open_clip_tags import with_activation
from vlmexplain.models.protocol import Encoder

Folder = Callable[..., Path]


def test_a_folder_gives_the_numbers_of_open_clip_itself(tiny_folder: Folder) -> None:
    import open_clip

    folder = tiny_folder()
    ours = load_model(str(folder))
    assert isinstance(ours, Encoder) and ours.mode == "image-text"
    assert (ours.dimension, ours.context_length) == (16, 32)

    open_clip.add_model_config(folder / "tiny.json")
    theirs, _, transform = open_clip.create_model_and_transforms(
        "tiny", pretrained=str(folder / "model.safetensors")
    )
    theirs.eval()
    tokenizer = open_clip.get_tokenizer("tiny")
    texts = ["two dogs on a lawn", "a", "", "a red bus " * 20]
    noise = np.random.default_rng(0).integers(0, 255, (50, 70, 3), dtype=np.uint8)
    images = [Image.new("RGB", (40, 60), "orange"), Image.fromarray(noise)]
    with torch.no_grad():
        texts_of_theirs = theirs.encode_text(tokenizer(texts), normalize=True).numpy()
        pixels = torch.stack([transform(image) for image in images])
        images_of_theirs = theirs.encode_image(pixels, normalize=True).numpy()
    assert np.abs(ours.encode_texts(texts) - texts_of_theirs).max() < 1e-6
    assert np.abs(ours.encode_images(images) - images_of_theirs).max() < 1e-6
    assert ours.encode_texts(texts).dtype == np.float32
    assert ours.encode_images([]).shape == ours.encode_texts([]).shape == (0, 16)


def test_missing_left_over_and_misshapen_weights_are_named(tiny_folder: Folder) -> None:
    tensors = random_tensors(TINY)
    tensors["extra.weight"] = torch.zeros(2)
    del tensors["ln_final.bias"]
    tensors["text_projection"] = torch.zeros(32, 8)
    with pytest.raises(ModelError) as caught:
        load_model(str(tiny_folder(tensors=tensors)))
    said = str(caught.value)
    assert "missing: ln_final.bias" in said
    assert "not of this architecture: extra.weight" in said
    assert "text_projection is [32, 8], expected [32, 16]" in said
    assert "model.safetensors" in said


def test_a_shorter_position_table_is_not_stretched_in_silence(tiny_folder: Folder) -> None:
    tensors = random_tensors(TINY)
    tensors["positional_embedding"] = tensors["positional_embedding"][:20].contiguous()
    with pytest.raises(ModelError, match=r"positional_embedding is \[20, 32\], expected \[32"):
        load_model(str(tiny_folder(tensors=tensors)))


@pytest.mark.parametrize("keep", [0, 5, 2000])
def test_a_truncated_file_is_refused(tiny_folder: Folder, keep: int) -> None:
    folder = tiny_folder()
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:keep])
    with pytest.raises(ModelError, match=r"model\.safetensors.*damaged"):
        load_model(str(folder))


class Malicious:
    """Unpickling it makes a file."""

    def __init__(self, target: Path):
        self.target = target

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.target}",)


def test_pickled_code_is_not_run(tmp_path: Path, tiny_folder: Folder) -> None:
    folder, mark = tiny_folder(), tmp_path / "was-run"
    checkpoint = tmp_path / "evil.pt"
    torch.save({"state_dict": {"a": Malicious(mark)}}, checkpoint)
    (tmp_path / "evil.bin").write_bytes(pickle.dumps(Malicious(mark)))
    for path in (checkpoint, tmp_path / "evil.bin"):
        with pytest.raises(ModelError, match="more than plain weights"):
            load_model(f"{folder / 'tiny.json'}@{path}")
    assert not mark.exists()
    torch.load(checkpoint, weights_only=False)
    assert mark.exists(), "the file would have been harmless: the test shows nothing"


def test_a_plain_pt_file_and_its_wrappings_load(tmp_path: Path, tiny_folder: Folder) -> None:
    folder = tiny_folder()
    tensors = random_tensors(TINY)
    checkpoint = tmp_path / "epoch_1.pt"
    torch.save({"state_dict": {f"module.{k}": v for k, v in tensors.items()}}, checkpoint)
    expected = load_model(str(folder)).encode_texts(["a dog"])
    found = load_model(f"open_clip:{folder / 'tiny.json'}@{checkpoint}")
    assert found.identity.name == "tiny@epoch_1.pt"
    assert np.array_equal(found.encode_texts(["a dog"]), expected)


def test_a_half_precision_file_loads_into_a_full_precision_model(tiny_folder: Folder) -> None:
    full = random_tensors(TINY)
    half = {key: value.half() for key, value in full.items()}
    a = load_model(str(tiny_folder(tensors=full, name="full")))
    b = load_model(str(tiny_folder(tensors=half, name="half")))
    assert np.abs(a.encode_texts(["a dog"]) - b.encode_texts(["a dog"])).max() < 0.01
    assert a.identity.digest != b.identity.digest
    assert ("Precision", "float32") in b.identity.facts


def test_an_architecture_without_weights_is_never_random() -> None:
    with pytest.raises(ModelError, match="random weights"):
        load_model("open_clip:ViT-B-32")
    with pytest.raises(UnknownName, match="Did you mean 'ViT-B-16'"):
        load_model("open_clip:ViT-B16/openai")
    with pytest.raises(UnknownName, match=r"pretrained tag of ViT-B-16.*Did you mean 'openai'"):
        load_model("ViT-B-16/opnai")


def test_missing_files_are_named(tmp_path: Path, tiny_folder: Folder) -> None:
    folder = tiny_folder()
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"one \*\.safetensors file, found 0"):
        load_model(str(folder))
    with pytest.raises(ModelError, match="no such checkpoint file"):
        load_model("ViT-B-32@/nowhere/model.safetensors")
    (folder / "tiny.json").write_text("{}")
    with pytest.raises(ModelError, match="one architecture JSON"):
        load_model(str(folder))
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match="holds no model"):
        load_model(str(tmp_path / "empty"))


@pytest.mark.parametrize(
    ("spec", "repository"),
    [
        ("ViT-B-16/openai", "timm/vit_base_patch16_clip_224.openai"),
        ("hf-hub:laion/CLIP-ViT-B-32-laion2B-s34B-b79K", "laion/CLIP-ViT-B-32-laion2B-s34B-b79K"),
    ],
)
def test_without_network_the_missing_file_is_named(
    spec: str, repository: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelError) as caught:
        load_model(spec)
    said = str(caught.value)
    assert repository in said and "HF_HUB_OFFLINE" in said
    assert "open_clip_" in said and "local folder" in said


def test_an_unreachable_hub_fails_quickly_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    def unreachable(repository: str, name: str, **options: Any) -> str:
        if options.get("local_files_only"):
            raise huggingface_hub.errors.LocalEntryNotFoundError("not here")
        assert options["etag_timeout"] <= 10
        raise ConnectionError("no route")

    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", unreachable)
    monkeypatch.setattr(hub, "hub_answers", lambda: True)
    with pytest.raises(ModelError, match=r"cannot be reached \(ConnectionError\)"):
        load_model("ViT-B-16/openai")
    monkeypatch.setattr(hub, "hub_answers", lambda: False)
    started = time.monotonic()
    for spec in ("ViT-B-16/openai", "hf-hub:ORG/NAME", "all-mpnet-base-v2"):
        with pytest.raises(ModelError, match=r"cannot be reached\. Run once with network"):
            load_model(spec)
    assert time.monotonic() - started < 5


def test_the_activation_is_the_one_the_weights_were_trained_with() -> None:
    config, note = with_activation(built_in_config("ViT-B-32"), {"quick_gelu": True}, "openai")
    assert config["quick_gelu"] is True and "openai was trained with it" in note
    config, _ = with_activation(built_in_config("ViT-B-32"), {}, "laion2b_s34b_b79k")
    assert not config.get("quick_gelu")


def test_the_activation_reaches_the_model_and_the_identity(tiny_folder: Folder) -> None:
    from open_clip.transformer import QuickGELU

    quick = tiny_folder({**TINY, "quick_gelu": True}, random_tensors(TINY), name="quick")
    plain = tiny_folder(tensors=random_tensors(TINY), name="plain")
    source = read_source(str(quick))
    assert source is not None
    model, _ = build_model(source)
    assert any(isinstance(part, QuickGELU) for part in model.transformer.modules())
    assert ("Activation", "QuickGELU") in identify(str(quick)).facts
    assert ("Activation", "GELU") in identify(str(plain)).facts
    assert identify(str(quick)).digest != identify(str(plain)).digest


def test_identity_follows_content_not_place(tiny_folder: Folder) -> None:
    a, b = tiny_folder(name="a"), tiny_folder(name="b")
    assert identify(str(a)).digest == identify(str(b)).digest == load_model(str(a)).identity.digest
    assert (identify(str(a)).name, identify(str(a)).drawn) == ("a", False)
    before = identify(str(a))

    config = copy.deepcopy(TINY)
    (a / "a.json").write_text(json.dumps({**config, "preprocess_cfg": {"mean": [0.5, 0.5, 0.5]}}))
    assert identify(str(a)).digest != before.digest
    (a / "a.json").write_text(json.dumps({**config, "vlmexplain": {"drawn_world": True}}))
    assert identify(str(a)).drawn and identify(str(a)).digest == before.digest
    assert load_model(str(a)).identity.drawn

    tensors = random_tensors(TINY)
    tensors["logit_scale"] = tensors["logit_scale"] + 1
    save_file(tensors, a / "model.safetensors")
    assert identify(str(a)).digest != before.digest


def test_preprocessing_is_as_stated(tiny_folder: Folder) -> None:
    stated = {"mean": [0.5] * 3, "std": [0.25] * 3, "resize_mode": "squash"}
    model = load_model(str(tiny_folder(preprocess_cfg=stated)))
    array = model.preprocess(Image.new("RGB", (64, 20), (255, 255, 255)))
    assert array.shape == (3, 32, 32) and array.dtype == np.float32
    assert array == pytest.approx(np.full((3, 32, 32), 2.0), abs=1e-5)


def compact(tensors: dict[str, Any], ids: list[int]) -> dict[str, Any]:
    table = tensors["token_embedding.weight"]
    unknown = torch.full((1, table.shape[1]), 0.05)
    return {
        **tensors,
        "token_embedding.weight": torch.cat([table[ids], unknown]),
        "vlmexplain.known_token_ids": torch.tensor(ids, dtype=torch.int32),
    }


def test_a_compact_vocabulary_is_expanded(tiny_folder: Folder) -> None:
    from open_clip.tokenizer import SimpleTokenizer

    full, bpe = random_tensors(TINY), SimpleTokenizer()
    ids = [49407, 49406, *bpe.encode("a red bus on the street")]
    small = load_model(str(tiny_folder(tensors=compact(full, ids), name="small")))
    large = load_model(str(tiny_folder(tensors=full, name="large")))
    known, unknown, other = "the red bus", "the red zebra", "the red giraffe"
    assert np.array_equal(small.encode_texts([known]), large.encode_texts([known]))
    assert not np.allclose(small.encode_texts([unknown]), large.encode_texts([unknown]))
    assert np.array_equal(small.encode_texts([unknown]), small.encode_texts([other]))
    assert [token.known for token in small.tokens(unknown)] == [True, True, False]
    assert all(token.known for token in large.tokens(unknown))


@pytest.mark.parametrize("ids", [[5, 5, 6], [5, 6, 49408], [5, 6, -1], [5, 6]])
def test_a_compact_vocabulary_that_does_not_fit_is_refused(
    tiny_folder: Folder, ids: list[int]
) -> None:
    tensors = compact(random_tensors(TINY), [5, 6, 7])
    tensors["vlmexplain.known_token_ids"] = torch.tensor(ids, dtype=torch.int32)
    with pytest.raises(ModelError, match="compact token table"):
        load_model(str(tiny_folder(tensors=tensors)))


def test_a_timm_tower_loads_without_asking_for_its_own_weights(tiny_folder: Folder) -> None:
    config = {
        **TINY,
        "embed_dim": 192,
        "custom_text": True,
        "vision_cfg": {
            "image_size": 224,
            "timm_model_name": "vit_tiny_patch16_224",
            "timm_model_pretrained": False,
            "timm_pool": "token",
            "timm_proj": None,
        },
    }
    folder = tiny_folder(config)
    asking = json.loads((folder / "tiny.json").read_text())
    asking["vision_cfg"]["timm_model_pretrained"] = True
    (folder / "tiny.json").write_text(json.dumps(asking))
    model = load_model(str(folder))
    assert model.preprocess(Image.new("RGB", (50, 40))).shape == (3, 224, 224)
    assert model.encode_images([Image.new("RGB", (50, 40))]).shape == (1, 192)
    assert "vit_tiny_patch16_224" in dict(model.identity.facts)["Architecture"]
