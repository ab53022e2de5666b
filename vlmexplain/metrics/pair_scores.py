"""The scores of many pairs as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class PairScores:
    """One row a pair, in the order the pairs were given.

    Attributes:
        ca, ncs, ce, sd, sd_raw: float64, NaN where undefined.
        ca_reason, ncs_reason, ce_reason, sd_reason: uint8, `undefined.DEFINED` or the code of
            the reason; that of ``sd`` holds for ``sd_raw`` too.
        n_common, n_only_ground_truth, n_only_retrieved: int32, the three sets of concepts.
        n_ncs_pairs: int32, matched non-common concepts; sum_ps: float64, their similarities.
        n_equal_multiplicity, n_different_multiplicity: int32, counted common concepts.
        n_crowd_not_counted: int32, common concepts left out as crowd.
        n_size_pairs, n_exceeding: int32, matched boxes, and those with D_A >= T_D.
        sum_difference: float64, sum of D_A over the matched boxes.
    """

    ca: NDArray[np.float64]
    ncs: NDArray[np.float64]
    ce: NDArray[np.float64]
    sd: NDArray[np.float64]
    sd_raw: NDArray[np.float64]
    ca_reason: NDArray[np.uint8]
    ncs_reason: NDArray[np.uint8]
    ce_reason: NDArray[np.uint8]
    sd_reason: NDArray[np.uint8]
    n_common: NDArray[np.int32]
    n_only_ground_truth: NDArray[np.int32]
    n_only_retrieved: NDArray[np.int32]
    n_ncs_pairs: NDArray[np.int32]
    sum_ps: NDArray[np.float64]
    n_equal_multiplicity: NDArray[np.int32]
    n_different_multiplicity: NDArray[np.int32]
    n_crowd_not_counted: NDArray[np.int32]
    n_size_pairs: NDArray[np.int32]
    n_exceeding: NDArray[np.int32]
    sum_difference: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.ca)

    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns by name, in order."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def take(self, rows: NDArray[Any]) -> PairScores:
        """The rows chosen by an index or a mask."""
        return PairScores(**{name: column[rows] for name, column in self.columns().items()})


def join_scores(parts: Sequence[PairScores]) -> PairScores:
    """The rows of all parts, one after the other."""
    assert parts
    return PairScores(
        **{
            name: np.concatenate([part.columns()[name] for part in parts])
            for name in parts[0].columns()
        }
    )
