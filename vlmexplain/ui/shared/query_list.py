"""Which queries a list shows, and in which order: from the address to a filter."""

from __future__ import annotations

from vlmexplain.scoring.queries import NumberRange, QueryFilter, QuerySort
from vlmexplain.ui.shared.explore_address import SORT_KEYS, ExploreAddress

SORT_NAMES = {
    "rank": "Rank of the ground truth",
    "margin": "Margin of the scores",
    "score": "Score of the retrieved image",
    "ca": "CA",
    "ncs": "NCS",
    "ce": "CE",
    "sd": "SD",
    "sd_raw": "SD, raw",
    "query": "Order of the gallery",
    "text": "Caption",
}
assert set(SORT_NAMES) == set(SORT_KEYS)

_COLUMNS = {
    "rank": "rank_1based",
    "score": "score_retrieved",
    "query": "caption_index",
    "text": "text",
    "margin": "margin",
}


def filter_of(address: ExploreAddress) -> QueryFilter:
    """The filter that the address asks for."""
    ranges = []
    if address.rank_from > 1 or address.rank_to is not None:
        ranges.append(NumberRange("rank_1based", address.rank_from, address.rank_to))
    if address.metric and (address.low is not None or address.high is not None):
        ranges.append(NumberRange(column(address.metric, address), address.low, address.high))
    return QueryFilter(
        text=address.search,
        failures_only=address.failures,
        ranges=tuple(ranges),
        in_ground_truth=(address.has,) if address.has else (),
        in_retrieved=(address.got,) if address.got else (),
        undefined=(column(address.undefined, address),) if address.undefined else (),
    )


def sort_of(address: ExploreAddress) -> QuerySort:
    """The order that the address asks for."""
    return QuerySort(column(address.sort, address), not address.up)


def column(key: str, address: ExploreAddress) -> str:
    """The stored column behind a key; metrics have one more for the query-informed."""
    return _COLUMNS.get(key) or (f"q_{key}" if address.informed else key)
