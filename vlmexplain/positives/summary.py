"""The sources of a gallery in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import VlmexplainError
from vlmexplain.positives.accepted import GalleryPositives, joined
from vlmexplain.positives.judgements import Judgements
from vlmexplain.positives.store import KeptSource, judgements_of_source, list_sources


@dataclass(frozen=True, slots=True)
class SourceSummary:
    """One source.

    Attributes:
        n_queries: that it listed, or has a judgement on.
        n_positives: pairs it accepts, the queries' own images left out.
        n_negatives: pairs it rejects.
        n_disputed: pairs that it accepts and someone rejects, or the other way round.
        unreadable: why it cannot be read now; "" when it can.
    """

    source: KeptSource
    n_queries: int
    n_positives: int
    n_negatives: int
    n_disputed: int
    unreadable: str = ""

    @property
    def added(self) -> str:
        """When it was added: a date and time in UTC."""
        return datetime.fromtimestamp(self.source.added_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class GallerySummary:
    """All sources of a gallery.

    Attributes:
        n_queries: captions of the gallery.
        n_judged: those that a source set out to judge.
        n_positives: accepted pairs, the queries' own images left out.
        n_disputed: pairs that are accepted and rejected.
    """

    sources: tuple[SourceSummary, ...]
    n_queries: int
    n_judged: int
    n_positives: int
    n_disputed: int


def gallery_summary(gallery: Gallery) -> GallerySummary:
    """Count what each source says; one that cannot be read is listed with the reason.

    Raises:
        StoreError: the list of sources is damaged.
    """
    said: list[tuple[KeptSource, Judgements]] = []
    reasons: dict[str, str] = {}
    for kept in list_sources(gallery.id):
        try:
            said.append((kept, judgements_of_source(gallery, kept)))
        except VlmexplainError as error:
            reasons[kept.name] = str(error)
    found = joined(gallery, said)
    counted = {kept.name: _counted(found, n, kept, one) for n, (kept, one) in enumerate(said, 1)}
    return GallerySummary(
        tuple(
            counted.get(kept.name) or SourceSummary(kept, 0, 0, 0, 0, reasons[kept.name])
            for kept in list_sources(gallery.id)
        ),
        gallery.n_captions,
        int(np.count_nonzero(found.listed)),
        int(np.count_nonzero((found.accepted > 0) & (found.accepted & 1 == 0))),
        found.n_disputed,
    )


def _counted(
    found: GalleryPositives, bit: int, kept: KeptSource, said: Judgements
) -> SourceSummary:
    own = found.accepted & 1 > 0
    accepts, rejects = found.accepted >> bit & 1 > 0, found.rejected >> bit & 1 > 0
    disputed = (accepts | rejects) & (found.accepted > 0) & (found.rejected > 0)
    return SourceSummary(
        kept,
        len(np.union1d(said.listed, said.caption_index)),
        int(np.count_nonzero(accepts & ~own)),
        int(np.count_nonzero(rejects)),
        int(np.count_nonzero(disputed)),
    )
