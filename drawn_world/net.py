"""The small CLIP, built by open_clip from the shipped architecture file, over the compact
vocabulary."""

from __future__ import annotations

from typing import Any

import open_clip
import torch
from torch import nn

__all__ = ["ARCHITECTURE", "SmallClip"]

#: open_clip's model configuration, as written to `<model name>.json`.
ARCHITECTURE: dict[str, Any] = {
    "embed_dim": 256,
    "vision_cfg": {"image_size": 128, "layers": [1, 2, 2, 1], "width": 24, "patch_size": None},
    "text_cfg": {"context_length": 32, "vocab_size": 49408, "width": 160, "heads": 4, "layers": 3},
}


class SmallClip(nn.Module):  # type: ignore[misc]
    """An `open_clip.CLIP` whose token table has only the known tokens and one row for all
    others."""

    def __init__(self, known_tokens: int) -> None:
        super().__init__()
        text = {**ARCHITECTURE["text_cfg"], "vocab_size": known_tokens + 1}
        self.clip = open_clip.CLIP(
            ARCHITECTURE["embed_dim"], dict(ARCHITECTURE["vision_cfg"]), text
        )
        self.clip.visual = self.clip.visual.to(memory_format=torch.channels_last)

    def images(self, pictures: torch.Tensor) -> torch.Tensor:
        """Unit image embeddings, shape (n, 256), float32, of normalised pictures (n, 3, 128,
        128)."""
        return nn.functional.normalize(self.clip.visual(pictures).float(), dim=-1)

    def images_and_maps(
        self, pictures: torch.Tensor
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
        """As `images`, with the maps of the third and fourth stage: (n, 384, 8, 8), (n, 768, 4,
        4)."""
        tower = self.clip.visual
        third = tower.layer3(tower.layer2(tower.layer1(tower.stem(pictures))))
        fourth = tower.layer4(third)
        pooled = nn.functional.normalize(tower.attnpool(fourth).float(), dim=-1)
        return pooled, (third, fourth)

    def _texts(self, ids: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
        length = ids.shape[1]
        hidden = self.clip.token_embedding(ids) + self.clip.positional_embedding[:length]
        hidden = self.clip.ln_final(
            self.clip.transformer(hidden, attn_mask=self.clip.attn_mask[:length, :length])
        )
        pooled = hidden[torch.arange(len(ids)), ends] @ self.clip.text_projection
        return nn.functional.normalize(pooled.float(), dim=-1)

    def texts(self, ids: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
        """Unit text embeddings, shape (n, 256), float32. Short texts run apart from long ones,
        which is faster.

        `ids`: compact ids, shape (n, longest), int64; `ends`: end marker positions, shape (n,),
        int64.
        """
        order = torch.argsort(ends)
        chunks = [rows for rows in torch.tensor_split(order, 4) if len(rows)]
        parts = [self._texts(ids[rows, : int(ends[rows].max()) + 1], ends[rows]) for rows in chunks]
        return torch.cat(parts)[torch.argsort(order)]
