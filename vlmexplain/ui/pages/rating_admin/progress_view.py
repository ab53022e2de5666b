"""How far a session is while raters go on: by rater and by item."""

from __future__ import annotations

import time
from collections import Counter

import streamlit as st

from vlmexplain.ratings.organiser.sessions import Session
from vlmexplain.ratings.organiser.watch import ItemProgress, SessionProgress, watch_session
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.ui.pages.rating_admin.access import require_organiser
from vlmexplain.ui.pages.rating_admin.session_list import day
from vlmexplain.ui.shared.html import Html, tag, wide
from vlmexplain.ui.shared.messages import told

EVERY_S = 5
MOST_RATERS, MOST_ITEMS = 100, 50


def draw_progress(store: RatingStore, session: Session) -> None:
    """Counts and two tables, drawn anew every few seconds while the session is open."""

    @st.fragment(run_every=EVERY_S if session.state == "open" else None)
    def draw() -> None:
        with told():
            require_organiser()
            found = watch_session(store, session.id)
            st.html(tag("div", _tiles(session, found), class_="vx"))
            st.html(_raters(found))
            with st.expander(f"Items ({len(found.items):,})", key=f"items-{session.id}"):
                st.html(_items(found))

    draw()


def _tiles(session: Session, found: SessionProgress) -> Html:
    wanted = found.wanted_per_item * len(found.items)
    share = f"of {wanted:,} wanted" if wanted else "nobody has joined"
    waiting = sum(item.n_reserved for item in found.items)
    tiles = (
        ("Answers", f"{found.n_answers:,}", share),
        ("Items done", f"{found.n_items_done:,}", f"of {len(found.items):,}"),
        ("Raters", f"{len(found.raters):,}", f"{waiting:,} items before them now"),
    )
    width = f"width:{100 * min(1, found.n_answers / wanted) if wanted else 0:.1f}%"
    live = "drawn anew every few seconds" if session.state == "open" else "as it stands"
    return tag(
        "div",
        tag("div", [tag("div", tag("div", k, class_="k"), tag("div", v, class_="v"),
                        tag("div", n, class_="n")) for k, v, n in tiles], class_="tiles"),
        tag("div", tag("i", style=width), class_="meter", role="img", style="margin:10px 0 4px",
            aria_label=f"{found.n_answers} of {wanted} answers"),
        tag("p", f"Progress, {live}.", class_="quiet small"),
    )  # fmt: skip


def _raters(found: SessionProgress) -> Html | str:
    if not found.raters:
        return tag("div", tag("p", "Nobody has joined yet.", class_="quiet"), class_="vx")
    newest_first = sorted(found.raters, key=lambda one: -(one.last_at or one.joined_at))
    rows = [
        tag("tr", tag("td", one.name), tag("td", f"{one.n_answers:,}", class_="r"),
            tag("td", f"{one.n_repeated:,}", class_="r wide-only"),
            tag("td", f"{one.n_skipped:,}", class_="r"),
            tag("td", _ago(one.last_at), class_="r", title=day(one.last_at or one.joined_at)))
        for one in newest_first[:MOST_RATERS]
    ]  # fmt: skip
    heads = [("Rater", ""), ("Answers", "r"), ("Repeated", "r wide-only"), ("Skipped", "r"),
             ("Last answer", "r")]  # fmt: skip
    more = len(found.raters) - MOST_RATERS
    return tag("div", _table(heads, rows),
               tag("p", f"and {more:,} more", class_="quiet small") if more > 0 else None,
               class_="vx")  # fmt: skip


def _items(found: SessionProgress) -> Html:
    counted = Counter(item.n_answers for item in found.items)
    spread = " · ".join(f"{n} answers: {counted[n]:,} items" for n in sorted(counted))
    fewest = sorted(found.items, key=lambda item: (item.n_answers, -item.n_skipped, item.item))
    heads = [
        ("Item", ""),
        ("Query", ""),
        ("Answers", "r"),
        ("Skipped", "r"),
        ("Before a rater", "r"),
    ]
    more = len(fewest) - MOST_ITEMS
    return tag(
        "div",
        tag("p", spread, class_="num"),
        _table(heads, [_item(item) for item in fewest[:MOST_ITEMS]]),
        tag("p", f"The {MOST_ITEMS} with the fewest answers; {more:,} more.", class_="quiet small")
        if more > 0 else None,
        class_="vx",
    )  # fmt: skip


def _item(item: ItemProgress) -> Html:
    return tag("tr", tag("td", f"{item.item + 1:,}"), tag("td", item.query),
               tag("td", f"{item.n_answers:,}", class_="r"),
               tag("td", f"{item.n_skipped:,}", class_="r"),
               tag("td", f"{item.n_reserved:,}", class_="r"))  # fmt: skip


def _table(heads: list[tuple[str, str]], rows: list[Html]) -> Html:
    titles = [tag("th", head, scope="col", class_=kind or None) for head, kind in heads]
    table = tag("table", tag("thead", tag("tr", titles)), tag("tbody", rows))
    return wide(heads[0][0], table, also="rows")


def _ago(moment: float | None) -> str:
    if moment is None:
        return "none yet"
    seconds = max(0, time.time() - moment)
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit} ago"
    return "just now"
