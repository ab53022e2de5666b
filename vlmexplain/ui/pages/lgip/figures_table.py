"""Every result's figures with the triples they rest on, and positive rates by flip type."""

from __future__ import annotations

from collections.abc import Sequence

from vlmexplain.lgip.figures import Sensitivity
from vlmexplain.lgip.result import LgipManifest
from vlmexplain.ui.shared.address import short
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.lgip_address import FLIPS, LGIP, PARAPHRASES
from vlmexplain.ui.shared.lgip_names import TYPE_NAMES, source_name
from vlmexplain.ui.shared.numbers import similarity_text
from vlmexplain.ui.shared.words import drawn_pill, percent


def figures_table(results: Sequence[LgipManifest], chosen: str) -> Html:
    """One row a result."""
    titles = [
        ("Model", ""),
        ("Perturbations", ""),
        ("Invariance error", "r"),
        ("Sensitivity gap", "r"),
        ("Positive rate", "r"),
        ("… of seen flips", "r"),
        ("… of verified flips", "r"),
        ("Images", "r"),
        ("Not seen", "r"),
    ]
    head = tag("tr", [tag("th", text, scope="col", class_=side or None) for text, side in titles])
    return tag(
        "div",
        tag(
            "table",
            tag("thead", head),
            tag("tbody", [_row(each, each.key == chosen) for each in results]),
        ),
        class_="wide",
        tabindex=0,
        role="region",
        aria_label="Figures of every result",
    )


def rates_view(results: Sequence[LgipManifest]) -> Html:
    """Positive rates by flip type, a bar a result; the line is at a half: no better than chance."""
    kinds = dict.fromkeys(kind for each in results for kind in each.figures.by_type)
    groups = []
    for kind in kinds:
        bars = [
            _bar(each, each.figures.by_type.get(kind, Sensitivity(None, None, 0)), kind)
            for each in results
        ]
        groups.append(
            tag("div", tag("h4", f"{TYPE_NAMES.get(kind, kind)} flips"), bars, class_="rate-group")
        )
    return tag("div", groups, class_="rates")


def _row(result: LgipManifest, chosen: bool) -> Html:
    figures = result.figures
    sensitivity = figures.sensitivity
    return tag(
        "tr",
        tag(
            "th",
            result.model.name,
            " ",
            drawn_pill() if result.drawn else None,
            scope="row",
        ),
        tag("td", source_name(result)),
        tag(
            "td",
            _number(result, PARAPHRASES, figures.invariance_error, figures.n_invariance),
            class_="r",
        ),
        tag("td", _number(result, FLIPS, sensitivity.gap_mean, sensitivity.count), class_="r"),
        tag(
            "td",
            _number(result, FLIPS, sensitivity.positive_rate, sensitivity.count, share=True),
            tag("small", f" {sensitivity.ties:,} ties", class_="quiet")
            if sensitivity.ties
            else None,
            class_="r",
        ),
        tag("td", _part(figures.seen), class_="r"),
        tag("td", _part(figures.verified), class_="r"),
        tag("td", f"{figures.n_samples:,}", class_="r"),
        tag("td", f"{figures.not_seen:,}", class_="r"),
        class_="chosen" if chosen else None,
        data_result=result.key[:12],
    )


def _number(
    result: LgipManifest, cases: str, value: float | None, count: int, share: bool = False
) -> list[object]:
    if value is None:
        return [tag("span", "undefined", class_="undefined"), tag("small", " no triple")]
    shown = percent(value) if share else similarity_text(value)
    return [_opens(result, cases, shown), tag("small", f" {count:,}", class_="quiet")]


def _part(found: Sensitivity | None) -> list[object]:
    """The positive rate over a part of the flips."""
    if found is None:
        return [tag("span", "not recorded", class_="quiet", title="Run LGIP again to have it.")]
    if found.positive_rate is None:
        return [tag("span", "undefined", class_="undefined"), tag("small", " no triple")]
    return [percent(found.positive_rate), tag("small", f" {found.count:,}", class_="quiet")]


def _opens(result: LgipManifest, cases: str, shown: str) -> Html:
    """A figure as a link to the triples behind it, the worst first."""
    link = LGIP.here(lgip=short(result.key), cases=cases, cases_at=0)
    title = "open the triples behind it"
    return tag("b", tag("a", shown, href=link, title=title, data_show="cases"))


def _bar(result: LgipManifest, found: Sensitivity, kind: str) -> Html:
    name = f"{result.model.name}, {source_name(result)}"
    if found.positive_rate is None:
        shown: list[object] = [tag("span", "undefined", class_="undefined"), ": no triple"]
        return tag("div", tag("span", name, class_="of"), tag("span"), tag("span", shown))
    share = 100 * found.positive_rate
    return tag(
        "div",
        tag("span", name, class_="of"),
        tag(
            "span",
            tag("i", style=f"width:{share:.1f}%"),
            tag("u"),
            class_="track",
            aria_hidden="true",
        ),
        tag(
            "span",
            _opens(result, kind, percent(found.positive_rate)),
            tag("small", f" of {found.count:,}", class_="quiet"),
            class_="num",
        ),
    )
