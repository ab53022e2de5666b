"""What the address says about the Explore page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from vlmexplain.records import RelativeTo
from vlmexplain.ui.shared.address import (
    LONGEST,
    Codec,
    PageAddress,
    flag,
    number,
    one_of,
    part,
    short,
    text,
    whole,
)

MOST_THRESHOLD = 1e9
SORT_KEYS = ("query", "text", "rank", "margin", "score", "ca", "ncs", "ce", "sd", "sd_raw")
FILTER_METRICS = ("ca", "ncs", "ce", "sd")
_bounded = number(-MOST_THRESHOLD, MOST_THRESHOLD)
_metric = one_of("", *FILTER_METRICS)
_relative = one_of(*get_args(RelativeTo))


@dataclass(frozen=True, slots=True)
class ExploreAddress(PageAddress):
    """The state of the Explore page.

    Attributes:
        query: place of the caption in the gallery, or None for the first of the list.
        place: which image of the ranking stands on the right, 1-based.
        threshold: T_D.
        relative_to: what area differences are relative to.
        informed: whether the metrics look only at what the query mentions.
        concept: the concept kept lit.
        pair: which matched pair's WordNet path is shown, 0-based.
        search, failures, rank_from, rank_to, has, got, metric, low, high, undefined: the filter.
        sort, up: the order of the list.
        page: which page of the list, 0-based.
    """

    query: int | None = part(None, whole())
    place: int = part(1, whole(1))
    threshold: float = part(1.0, number(0, MOST_THRESHOLD))
    relative_to: RelativeTo = part("smaller", _relative)
    informed: bool = part(False, flag)
    concept: str = part("", text(LONGEST))
    pair: int = part(0, whole())
    search: str = part("", text(500))
    failures: bool = part(True, flag)
    rank_from: int = part(1, whole(1))
    rank_to: int | None = part(None, whole(1))
    has: str = part("", text(LONGEST))
    got: str = part("", text(LONGEST))
    metric: str = part("", _metric)
    low: float | None = part(None, _bounded)
    high: float | None = part(None, _bounded)
    undefined: str = part("", _metric)
    sort: str = part("rank", one_of(*SORT_KEYS))
    up: bool = part(False, flag)
    page: int = part(0, whole())


EXPLORE = Codec(ExploreAddress, "")


def query_link(gallery_id: str, run_key: str, query: int) -> str:
    """A query of a run on the Explore page, a failure or not.

    >>> query_link("abcdef", "123456", 7)
    './?gallery=abcdef&run=123456&query=7&failures=no'
    """
    run = short(run_key)
    return EXPLORE.link(gallery=short(gallery_id), run=run, query=query, failures=False)
