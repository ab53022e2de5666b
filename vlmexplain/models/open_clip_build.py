"""Build an open_clip model, its tokenizer and its image transform from what its files say."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import torch
from PIL import Image

from vlmexplain.errors import ModelError
from vlmexplain.models.checkpoint import expand_vocabulary, fill_model, read_tensors
from vlmexplain.models.open_clip_source import OpenClipSource, needs_open_clip

# OpenAI's own files keep these numbers beside the weights.
_NOT_WEIGHTS = ("input_resolution", "context_length", "vocab_size")
_POSITION_IDS = "text.transformer.embeddings.position_ids"


def build_model(source: OpenClipSource) -> tuple[Any, frozenset[int] | None]:
    """The model in float32 with every weight from the file, and the token ids it knows.

    The second value is None when it knows the whole vocabulary.

    Raises:
        MissingPackage: open_clip is not installed.
        ModelError: it cannot be built, or the weights do not fit it.
    """
    tensors = read_tensors(source.weights)
    vocabulary = int(source.config["text_cfg"].get("vocab_size", 49408))
    known = expand_vocabulary(tensors, vocabulary, source.weights)
    model = _empty_model(source)
    fill_model(model, _as_this_model(model, tensors), source.weights)
    shown = list(source.preprocessing["size"])
    size = getattr(model.visual, "image_size", shown)
    actual = [size, size] if isinstance(size, int) else list(size)
    if actual != shown:
        raise ModelError(
            f"the image tower takes {actual} px, but the architecture states {shown}.",
            where=source.name,
            remedy="State vision_cfg.image_size in the architecture JSON.",
        )
    return model, known


def _empty_model(source: OpenClipSource) -> Any:
    """The architecture with weights still to come; never handed out like this."""
    try:
        from open_clip.coca_model import CoCa
        from open_clip.model import CLIP, CustomTextCLIP
    except ImportError as error:
        raise needs_open_clip() from error
    config = deepcopy(dict(source.config))
    text, vision = config["text_cfg"], config["vision_cfg"]
    if "timm_model_name" in vision:
        vision["timm_model_pretrained"] = False
    if "hf_model_name" in text:
        text["hf_model_pretrained"] = False
    custom = config.pop("custom_text", False) or "hf_model_name" in text
    family = (CoCa if "multimodal_cfg" in config else CustomTextCLIP) if custom else CLIP
    try:
        with torch.random.fork_rng(devices=[]):
            return family(**config)
    except Exception as error:  # a wrong architecture fails in as many ways as there are layers
        raise ModelError(
            f"open_clip cannot build this architecture ({type(error).__name__}: {error}).",
            where=source.name,
            remedy="Check the architecture JSON; parts from the hub need network access once.",
        ) from error


def _as_this_model(model: Any, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Old and foreign names of the same weights, as open_clip itself translates them."""
    from open_clip.convert import convert_state_dict
    from open_clip.model import convert_to_custom_text_state_dict

    own = model.state_dict()
    for key in _NOT_WEIGHTS:
        tensors.pop(key, None)
    tensors = convert_state_dict(model, tensors)
    if "positional_embedding" in tensors and not hasattr(model, "positional_embedding"):
        tensors = convert_to_custom_text_state_dict(tensors)
    if _POSITION_IDS in tensors and _POSITION_IDS not in own:
        del tensors[_POSITION_IDS]
    for key in ("logit_scale", "logit_bias"):
        if key in tensors and key in own and tensors[key].numel() == own[key].numel():
            tensors[key] = tensors[key].reshape(own[key].shape)
    return tensors


def build_tokenizer(source: OpenClipSource) -> Any:
    """open_clip's tokenizer for this model, reading at most its context length.

    Raises:
        ModelError: its files are missing, it is random, or it knows more tokens than the model.
    """
    from open_clip.tokenizer import HFTokenizer, SimpleTokenizer

    text = source.config["text_cfg"]
    options = dict(text.get("tokenizer_kwargs") or {})
    if options.get("reduction_mask"):
        raise ModelError(
            f"its tokenizer drops words at random (reduction_mask {options['reduction_mask']!r}); "
            "no number would be the same twice.",
            where=source.name,
            remedy="Remove reduction_mask from the architecture's tokenizer_kwargs.",
        )
    name = text.get("hf_tokenizer_name")
    if not name:
        tokenizer: Any = SimpleTokenizer(context_length=source.context_length, **options)
        size = int(tokenizer.vocab_size)
    else:
        place = str(source.tokenizer_folder or name)
        try:
            tokenizer = HFTokenizer(
                place,
                context_length=source.context_length,
                tokenizer_mode=text.get("tokenizer_mode"),
                **options,
            )
        except Exception as error:  # the hub's client and tokenizers raise many kinds
            raise ModelError(
                f"its tokenizer {place!r} is not on this machine, or is damaged "
                f"({type(error).__name__}).",
                where=source.name,
                remedy="Run once with network access, or put its tokenizer.json and "
                "tokenizer_config.json beside the weights.",
            ) from error
        size = len(tokenizer.tokenizer)
    rows = int(text.get("vocab_size", 49408))
    if size > rows and not text.get("hf_model_name"):
        raise ModelError(
            f"the tokenizer has {size} tokens, but the model has room for {rows}.",
            where=source.name,
            remedy="Set text_cfg.vocab_size to what the checkpoint has.",
        )
    return tokenizer


def build_transform(source: OpenClipSource) -> Callable[[Image.Image], torch.Tensor]:
    """open_clip's image transform with this model's size, mean, std and way to resize."""
    from open_clip.transform import PreprocessCfg, image_transform_v2

    fields = {k: tuple(v) if isinstance(v, list) else v for k, v in source.preprocessing.items()}
    transform: Callable[[Image.Image], torch.Tensor] = image_transform_v2(
        PreprocessCfg(**fields), is_train=False
    )
    return transform


def is_convolutional(model: Any) -> bool:
    """Whether the image tower is open_clip's ResNet."""
    from open_clip.modified_resnet import ModifiedResNet

    return isinstance(model.visual, ModifiedResNet)
