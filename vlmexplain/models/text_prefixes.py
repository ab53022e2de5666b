"""Texts that begin alike share their work: each distinct prefix goes through the tower once.

In a causal text transformer what stands at a position depends on the tokens up to there and on
nothing else. The texts of a batch are therefore laid over each other as a tree of tokens: norms
and matrix products are done once for each node, which leaves out padding too, and only the
attention is done text by text. Captions and their perturbations begin alike very often.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.nn.functional import linear, scaled_dot_product_attention


@dataclass(frozen=True, slots=True)
class PrefixTree:
    """The distinct prefixes of a batch of texts.

    Attributes:
        node: int64 [n, L], the node of each text's position; beyond a text's end mark it is some
            node or other, which nothing before the mark looks at.
        text, position: int64 [n_nodes], a text that has the node, and where.
    """

    node: torch.Tensor
    text: torch.Tensor
    position: torch.Tensor


def prefix_tree(ids: torch.Tensor, ends: torch.Tensor) -> PrefixTree:
    """The distinct prefixes of token ids int64 [n, L], each text up to its end mark.

    >>> prefix_tree(torch.tensor([[1, 5, 9], [1, 5, 9], [1, 6, 9]]), torch.tensor([2, 2, 2])).node
    tensor([[0, 1, 2],
            [0, 1, 2],
            [0, 3, 4]])
    """
    found, last = ids.numpy(), ends.numpy()
    order = np.lexsort(found.T[::-1])  # texts that begin alike stand together
    rows, columns = found[order], np.arange(found.shape[1])
    differs = np.ones(rows.shape, dtype=bool)  # from the row above, at this place or before
    differs[1:] = np.logical_or.accumulate(rows[1:] != rows[:-1], axis=1)
    fresh = differs & (columns <= last[order][:, None])
    number = np.zeros(rows.shape, dtype=np.int64)
    number[fresh] = np.arange(int(fresh.sum()))
    row = np.where(fresh, np.arange(len(rows))[:, None], 0)
    node = np.empty_like(number)
    node[order] = number[np.maximum.accumulate(row, axis=0), columns]
    text, position = np.nonzero(fresh)
    return PrefixTree(
        torch.from_numpy(node), torch.from_numpy(order[text]), torch.from_numpy(position)
    )


def can_share(transformer: Any) -> bool:
    """Whether every block is open_clip's plain one, whose steps are repeated here."""
    from open_clip.transformer import ResidualAttentionBlock

    return transformer.batch_first and all(
        type(block) is ResidualAttentionBlock
        and not hasattr(block, "ln_1_kv")
        and type(block.attn) is torch.nn.MultiheadAttention
        and block.attn.in_proj_weight is not None
        and block.attn.bias_k is None
        and not block.attn.add_zero_attn
        for block in transformer.resblocks
    )


def at_ends(
    transformer: Any, x: torch.Tensor, tree: PrefixTree, ends: torch.Tensor
) -> torch.Tensor:
    """What the transformer makes of x [n_nodes, width] at the end marks, [n, width].

    The last block is asked for that one position only.
    """
    for block in transformer.resblocks[:-1]:
        x = x + block.ls_1(_attention(block.attn, block.ln_1(x), tree))
        x = x + block.ls_2(block.mlp(block.ln_2(x)))
    last = transformer.resblocks[-1]
    end_nodes = tree.node[torch.arange(len(ends)), ends]
    y = x[end_nodes] + last.ls_1(_end_attention(last.attn, last.ln_1(x), tree, ends, end_nodes))
    found: torch.Tensor = y + last.ls_2(last.mlp(last.ln_2(y)))
    return found


def _attention(attn: Any, x: torch.Tensor, tree: PrefixTree) -> torch.Tensor:
    """Causal attention of every node to the nodes before it, [n_nodes, width]."""
    every = linear(x, attn.in_proj_weight, attn.in_proj_bias)[tree.node]
    query, key, value = (_heads(part, attn) for part in every.chunk(3, dim=-1))
    attended = scaled_dot_product_attention(query, key, value, is_causal=True).transpose(1, 2)
    found: torch.Tensor = attn.out_proj(attended[tree.text, tree.position].flatten(1))
    return found


def _end_attention(
    attn: Any, x: torch.Tensor, tree: PrefixTree, ends: torch.Tensor, end_nodes: torch.Tensor
) -> torch.Tensor:
    """The same for the end marks alone, [n, width]."""
    width = x.shape[1]
    weight, bias = attn.in_proj_weight, attn.in_proj_bias
    query = _heads(linear(x[end_nodes], weight[:width], bias[:width])[:, None], attn)
    both = linear(x, weight[width:], bias[width:])[tree.node]
    key, value = (_heads(part, attn) for part in both.chunk(2, dim=-1))
    upto = torch.arange(tree.node.shape[1]) <= ends[:, None]
    attended = scaled_dot_product_attention(query, key, value, attn_mask=upto[:, None, None])
    found: torch.Tensor = attn.out_proj(attended.flatten(1))
    return found


def _heads(x: torch.Tensor, attn: Any) -> torch.Tensor:
    """[n, L, width] as [n, heads, L, width of a head]."""
    return x.unflatten(-1, (attn.num_heads, -1)).transpose(1, 2)
