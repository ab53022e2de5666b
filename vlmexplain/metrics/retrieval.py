"""Retrieval figures of one query, from the rank of its ground truth."""

from __future__ import annotations


def reciprocal_rank(rank_1based: int) -> float:
    """1 / rank, in (0, 1], high is good.

    >>> round(reciprocal_rank(294), 4)
    0.0034
    """
    assert rank_1based >= 1
    return 1.0 / rank_1based


def recall_at(rank_1based: int, k: int) -> float:
    """1.0 when the ground truth is among the first k images, else 0.0.

    >>> recall_at(6, 5), recall_at(6, 10)
    (0.0, 1.0)
    """
    assert rank_1based >= 1
    return float(rank_1based <= k)
