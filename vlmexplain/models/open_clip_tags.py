"""open_clip's pretrained tags: what a tag states about its weights, and where they are."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from vlmexplain.errors import ModelError, UnknownName
from vlmexplain.models.hub import hub_file
from vlmexplain.models.open_clip_source import (
    HUB_WEIGHTS,
    OpenClipSource,
    built_in_config,
    full_preprocessing,
    needs_open_clip,
    read_source,
)


def resolve_source(name: str) -> OpenClipSource:
    """The source of any open_clip name; only a pretrained tag imports open_clip (and torch).

    Raises:
        MissingPackage, ModelError, UnknownName: as `open_clip_source.read_source`.
    """
    return read_source(name) or _from_tag(name)


def _from_tag(name: str) -> OpenClipSource:
    try:
        from open_clip.pretrained import get_pretrained_cfg, list_pretrained_tags_by_model
    except ImportError as error:
        raise needs_open_clip() from error
    architecture, _, tag = name.partition("/")
    stated: dict[str, Any] = get_pretrained_cfg(architecture, tag)
    if not stated:
        raise UnknownName(
            f"pretrained tag of {architecture}", tag, list_pretrained_tags_by_model(architecture)
        )
    config = built_in_config(architecture)
    config, note = with_activation(config, stated, tag)
    repository, files = weight_files(str(stated.get("hf_hub") or ""))
    if not repository:
        raise ModelError(
            f"open_clip has the weights of {name!r} at {stated.get('url') or 'no address'} only.",
            remedy=f"Download them and load {architecture}@/path/to/file.",
        )
    return OpenClipSource(
        name=name,
        config=config,
        weights=hub_file(repository, files),
        origin=f"hub {repository}",
        preprocessing=full_preprocessing(config, stated),
        activation_note=note,
    )


def with_activation(
    config: dict[str, Any], stated: dict[str, Any], tag: str
) -> tuple[dict[str, Any], str]:
    """The architecture with the activation its weights were trained with, and a note on it.

    open_clip only warns when the tag says QuickGELU and the architecture does not
    (``ViT-B-32/openai``) and goes on with the wrong one; here the tag wins, as with
    open_clip's own ``force_quick_gelu``.
    """
    by_tag, by_config = bool(stated.get("quick_gelu")), bool(config.get("quick_gelu"))
    if by_tag and not by_config:
        note = f"the tag {tag} was trained with it; the architecture file alone says GELU"
        return {**config, "quick_gelu": True}, note
    if by_config and not by_tag:
        return config, f"as the architecture states; the tag {tag} does not"
    return config, "architecture and tag agree"


def weight_files(location: str) -> tuple[str, tuple[str, ...]]:
    """Repository and file names, best first, of a tag's ``ORG/NAME/[FILE]``.

    >>> weight_files("apple/MobileCLIP-S1-OpenCLIP/a.bin")
    ('apple/MobileCLIP-S1-OpenCLIP', ('a.safetensors', 'a.bin'))
    """
    repository, _, file_name = location.rpartition("/")
    if not file_name:
        return repository, HUB_WEIGHTS
    safe = str(PurePosixPath(file_name).with_suffix(".safetensors"))
    return repository, tuple(dict.fromkeys((safe, file_name)))
