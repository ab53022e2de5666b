"""What decides the numbers of an open_clip model, read from its files; no torch here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vlmexplain.models.digests import file_digest
from vlmexplain.models.open_clip_source import OpenClipSource
from vlmexplain.models.precision import FULL_NAMES, Precision
from vlmexplain.models.precision_choice import with_precision
from vlmexplain.records import ModelIdentity
from vlmexplain.storage import content_key


def identify_source(source: OpenClipSource, precision: Precision = "fp32") -> ModelIdentity:
    """The identity of an open_clip model from its files; builds no model."""
    weights = file_digest(source.weights)
    text = source.config["text_cfg"]
    tokenizer: dict[str, Any] = {
        "name": text.get("hf_tokenizer_name") or "open_clip BPE, lower case",
        "options": text.get("tokenizer_kwargs") or {},
    }
    if text.get("hf_tokenizer_name") and source.tokenizer_folder:
        tokenizer["files"] = file_digest(source.tokenizer_folder / "tokenizer.json")
    digest = content_key(
        {
            "open_clip": 1,
            "weights": weights,
            "architecture": dict(source.config),
            "activation": source.activation,
            "precision": FULL_NAMES[precision],
            "preprocessing": dict(source.preprocessing),
            "tokenizer": tokenizer,
            "context_length": source.context_length,
        }
    )
    activation = source.activation + (
        f" ({source.activation_note})" if source.activation_note else ""
    )
    facts = (
        ("Family", "open_clip"),
        ("Source", source.origin),
        ("Weights (sha256)", f"{source.weights.name} {weights}"),
        ("Architecture", _architecture_fact(source.config)),
        ("Activation", activation),
        ("Precision", FULL_NAMES[precision]),
        ("Preprocessing", _preprocessing_fact(source.preprocessing)),
        ("Tokenizer", str(tokenizer["name"])),
        ("Context length", str(source.context_length)),
        *source.facts,
    )
    return ModelIdentity(
        name=with_precision(source.name, precision),
        kind="open_clip",
        digest=digest,
        facts=facts,
        drawn=source.drawn,
    )


def _architecture_fact(config: Mapping[str, Any]) -> str:
    vision, text = config["vision_cfg"], config["text_cfg"]
    image = vision.get("timm_model_name") or (
        f"{'ResNet' if isinstance(vision.get('layers'), list) else 'ViT'} "
        f"layers {vision.get('layers', 12)} width {vision.get('width', 768)}"
    )
    words = text.get("hf_model_name") or (
        f"transformer layers {text.get('layers', 12)} width {text.get('width', 512)}"
    )
    return f"image: {image}; text: {words}; embedding {config['embed_dim']}"


def _preprocessing_fact(cfg: Mapping[str, Any]) -> str:
    def numbers(key: str) -> str:
        return ", ".join(f"{value:.4g}" for value in cfg[key])

    return (
        f"{cfg['size'][0]}x{cfg['size'][1]} px, resize {cfg['resize_mode']}, "
        f"{cfg['interpolation']}, mean {numbers('mean')}, std {numbers('std')}"
    )
