"""Encoding token matrices with open_clip text towers, cut to their longest caption."""

from __future__ import annotations

from typing import Any

import torch

from vlmexplain.models.text_prefixes import at_ends, can_share, prefix_tree


def tower_of(model: Any) -> Any | None:
    """The plain causal text transformer of a model, or None when it has none of that kind.

    Only such a tower may be cut: each position looks back only, and the text is read off at
    its end mark, so that padding after it changes nothing. SigLIP, CoCa and Hugging Face
    towers look at the padding and are given all of it.
    """
    from open_clip.coca_model import CoCa
    from open_clip.model import CLIP, CustomTextCLIP
    from open_clip.transformer import TextTransformer

    if isinstance(model, CoCa):
        return None
    if type(model) is CLIP:
        return model if _cuttable(model, _pool_of(model)) else None
    if type(model) is CustomTextCLIP and type(model.text) is TextTransformer:
        tower = model.text
        if getattr(tower, "cls_emb", None) is not None or getattr(tower, "use_pad_mask", False):
            return None
        return tower if _cuttable(tower, _pool_of(tower)) else None
    return None


def _pool_of(tower: Any) -> str:
    return str(getattr(tower, "text_pool_type", getattr(tower, "pool_type", "")))


def _cuttable(tower: Any, pool: str) -> bool:
    mask = getattr(tower, "attn_mask", None)
    if pool not in ("argmax", "eos") or mask is None or getattr(tower, "output_tokens", False):
        return False
    length = tower.positional_embedding.shape[0]
    causal = torch.full((length, length), float("-inf")).triu_(1)
    return mask.shape == causal.shape and bool(torch.equal(mask.float().cpu(), causal))


def end_places(tower: Any, ids: torch.Tensor) -> torch.Tensor:
    """Where each text is read off, int64 [n]: its first end mark."""
    if _pool_of(tower) == "eos":
        end = getattr(tower, "text_eos_id", getattr(tower, "eos_id", None))
        return (ids == end).int().argmax(dim=-1)
    return ids.argmax(dim=-1)


def encode_cut(tower: Any, ids: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    """The text features of ids [n, L], computed on the first max(ends) + 1 columns only.

    The same steps as open_clip's own ``encode_text``, with position table and mask cut to match.
    On a CPU, texts that begin alike share the work; on a GPU there is too little of it to save.
    """
    length = int(ends.max()) + 1
    kind = tower.transformer.get_cast_dtype()
    ids, places = ids[:, :length], tower.positional_embedding[:length].to(kind)
    if ids.device.type == "cpu" and can_share(tower.transformer):
        tree = prefix_tree(ids, ends)
        x = tower.token_embedding(ids[tree.text, tree.position]).to(kind) + places[tree.position]
        x = at_ends(tower.transformer, x, tree, ends)
    else:
        x = tower.token_embedding(ids).to(kind) + places
        x = _at_ends(tower.transformer, x, tower.attn_mask[:length, :length], ends.to(x.device))
    # The norm works on each position alone, so it may come after picking the one that counts.
    x = tower.ln_final(x)
    projection = tower.text_projection
    if projection is None:
        return x
    features: torch.Tensor = (
        projection(x) if isinstance(projection, torch.nn.Linear) else x @ projection
    )
    return features


def _at_ends(
    transformer: Any, x: torch.Tensor, mask: torch.Tensor, ends: torch.Tensor
) -> torch.Tensor:
    """What the transformer makes of x [n, L, width] at the end marks, [n, width].

    The last block is asked for that one position only, which saves most of its work.
    """
    from open_clip.transformer import ResidualAttentionBlock

    rows = torch.arange(len(x), device=x.device)
    last = transformer.resblocks[-1]
    if type(last) is not ResidualAttentionBlock or not transformer.batch_first:
        every: torch.Tensor = transformer(x, attn_mask=mask)
        return every[rows, ends]
    for block in transformer.resblocks[:-1]:
        x = block(x, attn_mask=mask)
    normed = last.ln_1(x)
    beyond = torch.arange(x.shape[1], device=x.device) > ends[:, None]
    attended = last.attn(
        normed[rows, ends][:, None], normed, normed, need_weights=False, key_padding_mask=beyond
    )[0]
    y: torch.Tensor = x[rows, ends] + last.ls_1(attended[:, 0])
    return y + last.ls_2(last.mlp(last.ln_2(y)))
