"""The query, the words it rests on, and where its ground truth came."""

from __future__ import annotations

from vlmexplain.records import Mention
from vlmexplain.ui.pages.explore.failure import Failure
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.words import drawn_pill, place_text, short_name


def query_text(failure: Failure) -> Html:
    """The caption, literally; when query-informed, its words that name concepts are marked."""
    found = failure.explanation
    mentions = found.mentions if found.query_informed else ()
    return tag(
        "div",
        tag(
            "div",
            tag("blockquote", marked(found.query, mentions)),
            tag(
                "p",
                [drawn_pill(), " "] if found.drawn else None,
                failure.about,
                class_="about",
            ),
            tag("p", _rests_on(mentions), class_="about") if found.query_informed else None,
            class_="query",
        ),
        class_="vx",
    )


def marked(caption: str, mentions: tuple[Mention, ...]) -> list[object]:
    """The caption in pieces, each mentioned span marked once."""
    pieces: list[object] = []
    end = 0
    for mention in sorted(mentions, key=lambda m: (m.start, -m.end)):
        if mention.start < end:
            continue
        same = [m for m in mentions if (m.start, m.end) == (mention.start, mention.end)]
        named = ", ".join(sorted({m.concept for m in same}))
        pieces += [
            caption[end : mention.start],
            tag("mark", caption[mention.start : mention.end], title=named),
        ]
        end = mention.end
    return [*pieces, caption[end:]]


def _rests_on(mentions: tuple[Mention, ...]) -> str:
    if not mentions:
        return "Query-informed: no word of the caption names an annotated concept."
    named: dict[str, list[str]] = {}
    for mention in mentions:
        names = named.setdefault(mention.text.lower(), [])
        if short_name(mention.concept) not in names:
            names.append(short_name(mention.concept))
    listed = "; ".join(f"“{word}” names {', '.join(names)}" for word, names in named.items())
    return f"Query-informed: only what the caption mentions counts. {listed}."


def rank_facts(failure: Failure) -> Html:
    """Rank, reciprocal rank and recalls of the ground truth; a tie is shown as one."""
    found = failure.explanation
    rank = found.rank_1based
    if rank is None:
        return tag(
            "div",
            tag("span", "unranked", class_="undefined"),
            f": {found.unranked_because}.",
            class_="vx",
        )
    of = f" of {found.n_ranked:,}" if found.n_ranked else ""
    facts = [
        ("Rank of the ground truth", f"{rank:,}{of}", "rank"),
        ("Reciprocal rank", f"1/{rank} = {found.reciprocal_rank:.4f}", "rr"),
        *[(f"R@{k}", "1 ✓" if hit else "0 ✗", f"r{k}") for k, hit in found.recall.items()],
    ]
    tie = None
    if found.n_tied:
        others = "1 other image has" if found.n_tied == 1 else f"{found.n_tied} others have"
        tie = tag(
            "p",
            f"Tie: {others} the same score as the ground truth; gallery order puts it "
            f"{place_text(rank)}.",
            class_="quiet small",
            style="margin:6px 0 0",
        )
    return tag(
        "div",
        tag(
            "div",
            [
                tag(
                    "div",
                    tag("div", name, class_="k"),
                    tag("div", value, class_="v", data_rank=key),
                )
                for name, value, key in facts
            ],
            class_="ranks",
        ),
        tie,
        class_="vx",
    )
