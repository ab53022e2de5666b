"""LGIP of one caption and its image, beside the model's over the whole gallery."""

from __future__ import annotations

from collections.abc import Callable

from vlmexplain.lgip.figures import LgipFigures, Sensitivity
from vlmexplain.lgip.result import LgipManifest, list_lgip
from vlmexplain.perturb.rules import Mode
from vlmexplain.ui.html import Html, tag
from vlmexplain.ui.perturb.numbers import similarity_text
from vlmexplain.ui.words import percent

TYPE_NAMES = {"color": "colour", "number": "number", "object": "object"}
Cell = tuple[float | None, int]


def stored_figures(gallery_id: str, digest: str, mode: Mode) -> LgipManifest | None:
    """The latest LGIP result of a model on a gallery in this mode, if there is one."""
    for each in list_lgip(gallery_id):
        if each.model.digest == digest and each.perturbations.get("mode") == mode:
            return each
    return None


def pair_lgip_view(
    figures: LgipFigures, whole: LgipManifest | None, mode: Mode, model: str
) -> Html:
    """A row a figure: of this pair, and of the gallery where a result is stored."""
    beside = whole.figures if whole is not None else None
    rows = [
        _row(
            "Invariance error",
            "low is good",
            figures,
            beside,
            lambda f: (f.invariance_error, f.n_invariance),
        ),
        _row(
            "Sensitivity gap",
            "high is good",
            figures,
            beside,
            lambda f: (f.sensitivity.gap_mean, f.sensitivity.count),
        ),
        _row(
            "Positive rate",
            "high is good",
            figures,
            beside,
            lambda f: (f.sensitivity.positive_rate, f.sensitivity.count),
            share=True,
        ),
    ]
    for kind in figures.by_type:
        rows += _rows_of_type(kind, figures, beside)
    notes = [
        f"{figures.not_seen} of these triples change nothing that the model reads: they are part "
        "of the figures, as in the benchmark, and say nothing about sensitivity."
        if figures.not_seen
        else None,
        None
        if whole is not None
        else f"No {mode} LGIP result of {model} on this data set yet: make one on the LGIP page, "
        "and it stands beside this pair's.",
    ]
    titles = [
        tag("th", "", scope="col"),
        tag("th", "This caption and its ground truth", scope="col", class_="r"),
        tag("th", "The whole data set", scope="col", class_="r"),
    ]
    return tag(
        "div",
        tag(
            "div",
            tag("table", tag("thead", tag("tr", titles)), tag("tbody", rows)),
            class_="wide",
        ),
        [tag("p", note, class_="quiet small") for note in notes if note],
        class_="vx stack",
    )


def _rows_of_type(kind: str, figures: LgipFigures, beside: LgipFigures | None) -> list[Html]:
    def of(found: LgipFigures) -> Sensitivity:
        return found.by_type.get(kind, Sensitivity(None, None, 0))

    name = TYPE_NAMES.get(kind, kind)
    return [
        _row(f"… gap, {name}", "", figures, beside, lambda f: (of(f).gap_mean, of(f).count)),
        _row(
            f"… positive rate, {name}",
            "",
            figures,
            beside,
            lambda f: (of(f).positive_rate, of(f).count),
            share=True,
        ),
    ]


def _row(
    name: str,
    direction: str,
    own: LgipFigures,
    whole: LgipFigures | None,
    read: Callable[[LgipFigures], Cell],
    share: bool = False,
) -> Html:
    label = tag("th", name, tag("small", f" {direction}", class_="quiet"), scope="row")
    cells = [
        tag("td", _shown(None if found is None else read(found), share), class_="r")
        for found in (own, whole)
    ]
    return tag("tr", label, cells)


def _shown(cell: Cell | None, share: bool) -> list[object]:
    if cell is None:
        return ["–"]
    value, count = cell
    if value is None:
        return [tag("span", "undefined", class_="undefined"), tag("small", " 0 triples")]
    text = percent(value) if share else similarity_text(value)
    noun = "triple" if count == 1 else "triples"
    return [tag("b", text), tag("small", f" {count:,} {noun}", class_="quiet")]
