"""Figures as cells: a value with what it rests on, or "n/a" with the reason."""

from __future__ import annotations

from vlmexplain.ratings.analysis.figure import Figure, Interval
from vlmexplain.ui.shared.html import Html, tag, wide


def tiles(*shown: tuple[str, Figure, str]) -> Html:
    """A row of figures; each a name, the figure, and ``number`` or ``share``."""
    return tag(
        "div",
        [
            tag("div", tag("div", name, class_="k"), tag("div", value(figure, unit), class_="v"),
                tag("div", rests_on(figure), class_="n"))
            for name, figure, unit in shown
        ],
        class_="tiles",
    )  # fmt: skip


def value(figure: Figure, unit: str = "number") -> Html | str:
    """The value alone.

    >>> value(Figure(0.25, 8), "share"), value(Figure(0.25, 8))
    ('25.00 %', '0.250')
    """
    if figure.value is None:
        return tag("span", "n/a", class_="undefined", title=figure.undefined_because)
    return f"{100 * figure.value:.2f} %" if unit == "share" else f"{figure.value:.3f}"


def rests_on(figure: Figure) -> str:
    """How many cases it rests on, or why there is none.

    >>> rests_on(Figure(0.25, 8)), rests_on(Figure(None, 0, "no answers"))
    ('n = 8', 'no answers')
    """
    return figure.undefined_because or f"n = {figure.n:,}"


def interval_cells(interval: Interval) -> tuple[Html | str, str, str]:
    """Value, 95 % interval and what it rests on.

    >>> interval_cells(Interval(0.5, 0.25, 0.75, 12))
    ('0.500', '0.250 to 0.750', 'n = 12')
    """
    if interval.value is None:
        return tag("span", "n/a", class_="undefined"), "", interval.undefined_because or ""
    if interval.low is None or interval.high is None:
        because = interval.interval_undefined_because or ""
        return f"{interval.value:.3f}", "n/a", f"n = {interval.n:,}; {because}"
    return (
        f"{interval.value:.3f}",
        f"{interval.low:.3f} to {interval.high:.3f}",
        f"n = {interval.n:,}",
    )


def table(heads: list[str], rows: list[list[object]], left: int = 1) -> Html:
    """A table; the first ``left`` columns are words, the others numbers."""

    def cell(kind: str, n: int, content: object) -> Html:
        scope = {"scope": "col"} if kind == "th" else {}
        return tag(kind, content, class_=None if n < left else "r", **scope)

    return wide(
        heads[0],
        tag("table",
            tag("thead", tag("tr", [cell("th", n, head) for n, head in enumerate(heads)])),
            tag("tbody", [tag("tr", [cell("td", n, one) for n, one in enumerate(row)])
                          for row in rows])),
        also="rows",
    )  # fmt: skip


def share(figure: Figure) -> Html:
    """A share with a bar."""
    if figure.value is None:
        return tag("span", "n/a", class_="undefined", title=figure.undefined_because)
    bar = tag("span", tag("i", style=f"width:{100 * figure.value:.1f}%"), class_="meterbar",
              aria_hidden="true")  # fmt: skip
    return tag("span", bar, tag("span", f"{100 * figure.value:.2f} %", class_="percent"))
