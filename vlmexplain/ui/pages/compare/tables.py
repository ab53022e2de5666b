"""The four quadrants, and how the metrics differ, as tables."""

from __future__ import annotations

from vlmexplain.metrics.table import METRIC
from vlmexplain.overview.bootstrap import DRAWS, LEVEL
from vlmexplain.overview.comparison import Comparison, PairedDifference, Quadrant
from vlmexplain.overview.table_text import ARROW
from vlmexplain.ui.pages.compare.address import ALL, COMPARE
from vlmexplain.ui.shared.html import Html, tag, wide


def quadrant_table(found: Comparison, a: str, b: str) -> Html:
    """Who is right where: a table of two by two, each cell a link to its queries."""
    total = sum(found.counts.values())

    def cell(name: Quadrant) -> Html:
        n = found.counts[name]
        share = f"{100 * n / total:.1f} %" if total else "–"
        link = COMPARE.here(quadrant=name, at=0, side="", cquery=None)
        return tag("td", tag("div", tag("a", f"{n:,}", href=link), class_="value"),
                   tag("div", share, class_="rests"), data_quadrant=name, class_="r")  # fmt: skip

    rows = [
        tag("tr", tag("th", f"A right: {a}", scope="row"), cell("both-right"), cell("only-a")),
        tag("tr", tag("th", f"A wrong: {a}", scope="row"), cell("only-b"), cell("both-wrong")),
    ]
    head = tag("tr", tag("th", f"{total:,} queries that both ranked"),
               tag("th", f"B right: {b}", scope="col", class_="r"),
               tag("th", f"B wrong: {b}", scope="col", class_="r"))  # fmt: skip
    said = (
        "On no query is only one of them right."
        if found.right_p is None
        else f"Only A right {found.counts['only-a']:,}, only B right {found.counts['only-b']:,}: "
        f"two-sided exact sign test {p_text(found.right_p)}."
    )
    return tag(
        "div",
        wide("Who is right where", tag("table", tag("caption", "Who is right where", class_="sr"),
             tag("thead", head), tag("tbody", rows)), also="overview"),
        tag("p", said, class_="quiet small"),
        class_="vx",
    )  # fmt: skip


def difference_table(found: Comparison, a: str, b: str) -> Html:
    """Every metric over the queries where both have a value."""
    heads = ("Metric", "Queries:r", f"A: {a}:r", f"B: {b}:r", "B − A:r", "A better:r",
             "B better:r", "equal:r", "Sign test:r")  # fmt: skip
    titles = [
        tag("th", head.removesuffix(":r"), scope="col", class_="r" if head.endswith(":r") else None)
        for head in heads
    ]
    return tag(
        "div",
        wide("Paired differences", tag("table", tag("caption", "Paired differences", class_="sr"),
             tag("thead", tag("tr", titles)), tag("tbody", map(_line, found.differences))),
             also="rows"),
        tag("p", "Reciprocal rank over all queries that both ranked; the others over the queries "
            "that both failed. pp: percentage points. Differences: "
            f"{100 * LEVEL:.0f} % paired bootstrap, {DRAWS:,} draws of whole images. "
            "Sign test: two-sided, exact, ties left out; it takes queries as independent, though "
            "the captions of one image are not. Each number opens its queries.",
            class_="quiet small", style="margin-top:6px"),
        class_="vx",
    )  # fmt: skip


def _line(each: PairedDifference) -> Html:
    metric = METRIC[each.key]
    name = tag("td", metric.title, " ", tag("span", ARROW[metric.good], title=metric.good_text()))
    if each.difference is None or each.mean_a is None or each.mean_b is None:
        undefined = tag("span", "undefined", class_="undefined")
        return tag("tr", name, tag("td", "0", class_="r"), tag("td", undefined, colspan=7))
    interval = ""
    if each.interval:
        low, high = _signed(each, each.interval.low), _signed(each, each.interval.high)
        interval = f" [{low}, {high}]".replace(" pp,", ",")

    def opens(text: str, side: str = "any") -> Html:
        link = COMPARE.here(quadrant=ALL, by=each.key, side=side, at=0, cquery=None)
        return tag("a", text, href=link)

    cells = [
        opens(f"{each.n:,}"),
        opens(_mean(each, each.mean_a)),
        opens(_mean(each, each.mean_b)),
        [opens(_signed(each, each.difference)), interval],
        opens(f"{each.better_a:,}", "a"),
        opens(f"{each.better_b:,}", "b"),
        opens(f"{each.equal:,}", "equal"),
        "all equal" if each.sign_p is None else p_text(each.sign_p),
    ]
    return tag("tr", name, [tag("td", cell, class_="r") for cell in cells], data_metric=each.key)


def signed(value: float, digits: int = 3) -> str:
    """A difference with its sign, a true minus.

    >>> signed(0.5), signed(-0.25, 1)
    ('+0.500', '−0.2')
    """
    return f"{value:+.{digits}f}".replace("-", "−")


def p_text(p: float) -> str:
    """A p value as it is usually written.

    >>> p_text(0.0312), p_text(1e-9)
    ('p = 0.031', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _mean(each: PairedDifference, value: float) -> str:
    return f"{100 * value:.1f} %" if METRIC[each.key].unit == "share" else f"{value:.3f}"


def _signed(each: PairedDifference, value: float) -> str:
    share = METRIC[each.key].unit == "share"
    return f"{signed(100 * value, 1)} pp" if share else signed(value)
