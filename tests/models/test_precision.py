"""Lower precision: asked for by name, part of the identity, near the exact numbers."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image
from tiny_open_clip import TINY

from vlmexplain.errors import ModelError, UnknownName
from vlmexplain.models import devices, load
from vlmexplain.models.devices import dtype_for, fastest_precision, has_precision
from vlmexplain.models.load import identify, load_model
from vlmexplain.models.precision_choice import with_precision
from vlmexplain.models.spec import parse_spec

CPU = torch.device("cpu")
TEXTS = ["a red bus", "two dogs on grass", "a cat", "an orange zebra near the green bus"] * 20

COSINE_TO_FP32 = 0.999
SCORE_WITHIN = 0.02
"""What docs/models.md promises of bf16 and fp16."""

GPU_WITHIN = 1e-5
"""What docs/models.md promises of a GPU in fp32: each number of an embedding."""

needs_bf16 = pytest.mark.skipif(
    not has_precision(CPU, "bf16"), reason="this CPU has no bfloat16 instructions"
)
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA GPU here")


def pictures(n: int = 24) -> list[Image.Image]:
    rng = np.random.default_rng(0)
    coarse = rng.integers(256, size=(n, 6, 8, 3)).astype(np.uint8)
    return [Image.fromarray(one).resize((160, 120), Image.Resampling.BICUBIC) for one in coarse]


def test_the_precision_is_part_of_the_name() -> None:
    parsed = parse_spec("ViT-B-16/openai#fp16")
    assert (parsed.kind, parsed.name, parsed.precision) == ("open_clip", "ViT-B-16/openai", "fp16")
    assert parse_spec("ViT-B-16/openai").precision == "fp32"
    assert parse_spec("ViT-B-16/openai#fp32") == parse_spec("ViT-B-16/openai")
    with pytest.raises(UnknownName, match="bf16"):
        parse_spec("ViT-B-16/openai#bf61")
    with pytest.raises(UnknownName, match="auto"):
        with_precision("drawn-clip", "half")


def test_a_folder_may_have_the_mark_in_its_name(tiny_folder) -> None:
    folder = tiny_folder(name="run#3")
    assert parse_spec(str(folder)).name == str(folder)
    assert parse_spec(f"{folder}#bf16").precision == "bf16"
    assert identify(f"{folder}#bf16").spec == f"{folder}#bf16"


@pytest.mark.parametrize("spec", ["drawn-clip", "all-MiniLM-L6-v2"])
def test_the_identity_says_so_and_exact_keys_stay(spec: str) -> None:
    exact, half = identify(spec), identify(f"{spec}#bf16")
    assert dict(exact.facts)["Precision"] == "float32"
    assert dict(half.facts)["Precision"] == "bfloat16"
    assert len({exact.digest, half.digest, identify(f"{spec}#fp16").digest}) == 3
    assert half.name == half.spec == f"{spec}#bf16"
    assert identify(f"{spec}#fp32") == exact
    rest = [fact for fact in exact.facts if fact[0] != "Precision"]
    assert rest == [fact for fact in half.facts if fact[0] != "Precision"]


def test_auto_is_exact_on_a_cpu_and_fast_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    assert with_precision("drawn-clip", "auto", "cpu") == "drawn-clip"
    gpu = torch.device("cuda")
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **_: True)
    assert fastest_precision(gpu) == "bf16"
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **_: False)
    assert fastest_precision(gpu) == "fp16"


def test_a_device_without_it_is_an_error_that_says_what_to_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    load._shelf.clear()
    monkeypatch.setattr(devices, "has_precision", lambda _, precision: precision == "fp32")
    for spec in ("drawn-clip#bf16", "drawn-clip-plain#fp16", "all-MiniLM-L6-v2#fp16"):
        with pytest.raises(ModelError, match=r"does not compute in .*--precision fp32"):
            load_model(spec, "cpu")
    with pytest.raises(ModelError, match="no precision to choose"):
        load_model("fake#bf16")


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_what_the_cpu_says_it_has_it_computes(precision: str) -> None:
    if not has_precision(CPU, precision):  # type: ignore[arg-type]
        pytest.skip(f"this CPU does not compute in {precision}")
    dtype = dtype_for(CPU, precision)  # type: ignore[arg-type]
    assert (torch.ones(4, 4, dtype=dtype) @ torch.ones(4, 4, dtype=dtype)).dtype == dtype


@needs_bf16
def test_bf16_of_an_image_text_model_is_near_fp32() -> None:
    exact, half = load_model("drawn-clip", "cpu"), load_model("drawn-clip#bf16", "cpu")
    assert half.identity == identify("drawn-clip#bf16")
    texts = [encoder.encode_texts(TEXTS) for encoder in (exact, half)]
    images = [encoder.encode_images(pictures()) for encoder in (exact, half)]
    for one, other in (texts, images):
        assert other.dtype == np.float32
        assert np.abs(np.linalg.norm(other, axis=1) - 1).max() < 1e-6
        assert not np.array_equal(one, other), "nothing was computed in another precision"
        assert (one * other).sum(axis=1).min() > COSINE_TO_FP32
    scores = [rows @ columns.T for rows, columns in zip(texts, images, strict=True)]
    assert np.abs(scores[0] - scores[1]).max() < SCORE_WITHIN


@needs_bf16
def test_bf16_of_a_sentence_encoder_is_near_fp32() -> None:
    exact, half = (load_model(f"all-MiniLM-L6-v2{mark}", "cpu") for mark in ("", "#bf16"))
    one, other = exact.encode_texts(TEXTS[:8]), half.encode_texts(TEXTS[:8])
    assert other.dtype == np.float32 and not np.array_equal(one, other)
    assert (one * other).sum(axis=1).min() > COSINE_TO_FP32


@needs_bf16
@pytest.mark.parametrize("custom", [False, True])
def test_cut_texts_equal_fully_padded_ones_in_bf16(tiny_folder, custom: bool) -> None:
    model = load_model(f"{tiny_folder({**TINY, 'custom_text': custom})}#bf16", "cpu")
    with torch.no_grad():
        ids = model._tokenizer(TEXTS[:4])
        padded = model._model.encode_text(ids, normalize=True).float().numpy()
    assert (model.encode_texts(TEXTS[:4]) * padded).sum(axis=1).min() > COSINE_TO_FP32


@needs_gpu
@pytest.mark.parametrize("spec", ["drawn-clip", "drawn-clip-plain"])
def test_a_gpu_gives_what_the_cpu_gives(spec: str) -> None:
    cpu, gpu = load_model(spec, "cpu"), load_model(spec, "cuda")
    assert np.abs(cpu.encode_texts(TEXTS) - gpu.encode_texts(TEXTS)).max() < GPU_WITHIN
    images = pictures()
    assert np.abs(cpu.encode_images(images) - gpu.encode_images(images)).max() < GPU_WITHIN


@needs_gpu
@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_low_precision_on_a_gpu_is_near_fp32_on_the_cpu(precision: str) -> None:
    exact, half = load_model("drawn-clip", "cpu"), load_model(f"drawn-clip#{precision}", "cuda")
    for one, other in (
        (exact.encode_texts(TEXTS), half.encode_texts(TEXTS)),
        (exact.encode_images(pictures()), half.encode_images(pictures())),
    ):
        assert (one * other).sum(axis=1).min() > COSINE_TO_FP32
