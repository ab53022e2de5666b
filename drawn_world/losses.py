"""What training minimises: contrast with known truth, false twins, rephrasings, and auxiliary
questions."""

from __future__ import annotations

import torch
from torch import nn

from drawn_world.categories import CATEGORIES
from drawn_world.claims import FALSE, TRUE, SceneTable
from drawn_world.colours import COLOURS
from drawn_world.counting import CountingTask
from drawn_world.settings import SETTINGS, TIMES

__all__ = ["Auxiliary", "counting_loss", "known_truth_loss", "plain_loss", "twin_loss"]


def known_truth_loss(logits: torch.Tensor, truths: torch.Tensor) -> torch.Tensor:
    """Contrast of every true pair in a row against the false ones of that row.

    loss = mean over rows with a TRUE entry of the mean over its true entries p of
    log(1 + sum over FALSE entries n of exp(logit_n - logit_p)).
    UNSURE entries and other true entries take no part: a short text that is true of several
    pictures is not pushed away from any of them.

    Args:
        logits: shape (rows, columns), float32.
        truths: same shape, int8, values of `claims`.
    """
    false_sum = torch.logsumexp(
        logits.masked_fill(truths != FALSE, float("-inf")), dim=1, keepdim=True
    )
    terms = nn.functional.softplus(false_sum - logits)
    true = (truths == TRUE) & torch.isfinite(false_sum)
    per_row = torch.where(true, terms, torch.zeros_like(terms)).sum(dim=1) / true.sum(dim=1).clamp(
        min=1
    )
    return per_row.sum() / true.any(dim=1).sum().clamp(min=1)


def twin_loss(logits: torch.Tensor, twin_logits: torch.Tensor) -> torch.Tensor:
    """Mean of log(1 + exp(twin - original)) over false twins; both of shape (twins,)."""
    return nn.functional.softplus(twin_logits - logits).mean()


def counting_loss(
    scale: torch.Tensor, texts: torch.Tensor, images: torch.Tensor, task: CountingTask
) -> torch.Tensor:
    """Cross entropy of the right one among five number words, mean over the questions.

    `texts`: shape (5 n, d), `images`: shape (B, d), both of unit rows, float32.
    """
    pictures = images[torch.from_numpy(task.pictures)]
    logits = scale * (texts.view(len(pictures), 5, -1) * pictures[:, None]).sum(dim=2)
    return nn.functional.cross_entropy(logits, torch.from_numpy(task.answers))


def plain_loss(logits: torch.Tensor) -> torch.Tensor:
    """CLIP's symmetric cross entropy over a square matrix, partners on the diagonal."""
    target = torch.arange(len(logits))
    return (
        nn.functional.cross_entropy(logits, target) + nn.functional.cross_entropy(logits.T, target)
    ) / 2


class Auxiliary(nn.Module):  # type: ignore[misc]
    """Questions asked of the image embedding while training, thrown away afterwards.

    For each category: how many (0 to 5) and, where present, which colour; the setting; the time of
    day.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.count = nn.Linear(width, len(CATEGORIES) * 6)
        self.colour = nn.Linear(width, len(CATEGORIES) * len(COLOURS))
        self.place = nn.Linear(width, len(SETTINGS))
        self.time = nn.Linear(width, len(TIMES))

    def forward(self, embedding: torch.Tensor, table: SceneTable) -> torch.Tensor:
        """The mean cross entropy of the four questions; `embedding` has shape (n, width)."""
        count = torch.from_numpy(table.count).long()
        colour = torch.from_numpy(table.colour).long()
        counts = nn.functional.cross_entropy(
            self.count(embedding).view(-1, 6), count.view(-1), reduction="none"
        ).view_as(count)
        present = count > 0
        asked_count = counts[present].mean() + counts[~present].mean()
        names = self.colour(embedding).view(-1, len(CATEGORIES), len(COLOURS))
        asked_colour = nn.functional.cross_entropy(names[present], colour[present])
        place = nn.functional.cross_entropy(
            self.place(embedding), torch.from_numpy(table.setting).long()
        )
        time = nn.functional.cross_entropy(
            self.time(embedding), torch.from_numpy(table.time).long()
        )
        return (2 * asked_count + asked_colour + place + time) / 4
