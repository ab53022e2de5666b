"""The nine models of the paper: which can be probed here, and why not the others."""

from __future__ import annotations

from vlmexplain.models.catalogue import ModelEntry, list_models
from vlmexplain.ui.shared.html import Html, tag

SIGN = {"available": "✓", "downloadable": "↓", "missing": "✗"}
KIND = {"available": "good", "downloadable": None, "missing": "bad"}


def paper_models_view(probed: frozenset[str]) -> Html:
    """A row a model of the paper.

    Args:
        probed: names of the models that have a result on this data set.
    """
    entries = [entry for entry in list_models() if entry.lgip]
    head = tag(
        "tr",
        [tag("th", t, scope="col") for t in ("Model (open_clip tag)", "Here", "Why", "About")],
    )
    return tag(
        "div",
        tag(
            "table",
            tag("thead", head),
            tag("tbody", [_row(entry, entry.spec in probed) for entry in entries]),
            class_="paper-models",
        ),
        class_="wide",
        tabindex=0,
        role="region",
        aria_label="The nine models of the paper",
    )


def _row(entry: ModelEntry, probed: bool) -> Html:
    return tag(
        "tr",
        tag("th", tag("code", entry.spec), scope="row"),
        tag(
            "td",
            tag("b", f"{SIGN[entry.status]} {entry.status}", class_=KIND[entry.status]),
            tag("small", " probed here", class_="quiet") if probed else None,
            data_model=entry.spec,
            style="white-space:nowrap",
        ),
        tag("td", entry.because),
        tag("td", entry.note, class_="quiet small"),
    )
