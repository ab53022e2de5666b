"""What this server keeps in memory, for the Gallery page."""

from __future__ import annotations

from vlmexplain.ui.shared.cache_use import MIB, CacheUse, cache_use, resident_bytes
from vlmexplain.ui.shared.html import Html, tag, wide


def memory_view() -> Html:
    """The caches against their limits, folded up: for whoever runs the server."""
    titles = tag(
        "tr",
        tag("th", "Cache", scope="col"),
        tag("th", "Now", scope="col", class_="r"),
        tag("th", "Limit", scope="col", class_="r"),
        tag("th", "What it holds", scope="col"),
        tag("th", "Set by", scope="col"),
    )
    return tag(
        "div",
        tag(
            "details",
            tag(
                "summary",
                "What this server keeps in memory",
                tag("span", _in_all(), class_="quiet num"),
            ),
            wide(
                "What is kept in memory",
                tag("table", tag("thead", titles), tag("tbody", [_row(u) for u in cache_use()])),
            ),
            style="margin-top:18px",
        ),
        class_="vx",
    )


def _in_all() -> str:
    held = resident_bytes()
    return "" if held is None else f" · {held / MIB:,.0f} MiB in all"


def _row(use: CacheUse) -> Html:
    return tag(
        "tr",
        tag("td", use.name.replace("_", " ")),
        tag("td", _amount(use.used, use), class_="r num"),
        tag("td", "all cores" if use.name == "duckdb_threads" and use.limit is None
            else _amount(use.limit, use), class_="r num"),
        tag("td", use.holds),
        tag("td", tag("code", use.variable) if use.variable else None),
    )  # fmt: skip


def _amount(amount: float | None, use: CacheUse) -> str:
    if amount is None:
        return "–"
    digits = 1 if use.unit == "MiB" and amount < 10 and amount != int(amount) else 0
    return f"{amount:,.{digits}f} {use.unit}"
