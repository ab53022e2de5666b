"""Each value as a sum; see `vlmexplain.wording.sums`."""

from __future__ import annotations

from vlmexplain.wording.sums import (
    MOST_TERMS,
    agreement_sum,
    counts_in_order,
    difference_text,
    enumeration_sum,
    similarity_sum,
    size_sum,
    sum_of,
    threshold_text,
)

__all__ = [
    "MOST_TERMS",
    "agreement_sum",
    "counts_in_order",
    "difference_text",
    "enumeration_sum",
    "similarity_sum",
    "size_sum",
    "sum_of",
    "threshold_text",
]
