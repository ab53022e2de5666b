"""The WordNet path of a matched pair: up to the nearest common ancestor and down again."""

from __future__ import annotations

from collections.abc import Sequence

from vlmexplain.records import PathStep
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.words import fraction, short_name


def path_list(steps: Sequence[PathStep], ps: float) -> Html:
    """Each synset of the path with its gloss; the turning point stands out."""
    n_edges = len(steps) - 1
    last = len(steps) - 1
    return tag(
        "div",
        tag(
            "p",
            tag("b", short_name(steps[0].synset)),
            " to ",
            tag("b", short_name(steps[-1].synset)),
            f": {n_edges} {'step' if n_edges == 1 else 'steps'}, "
            f"so ps = 1 / (1 + {n_edges}) = {fraction(ps)} = {ps:.3f}",
            class_="num",
            style="margin:0",
        ),
        tag("ol", [_step(step, i, last) for i, step in enumerate(steps)], class_="path"),
        class_="vx",
    )


def _step(step: PathStep, i: int, last: int) -> Html:
    kind = "end missed" if i == 0 else "end extra" if i == last else ""
    return tag(
        "li",
        tag("b", step.synset),
        tag("span", " nearest common ancestor", class_="pill") if step.is_ancestor else None,
        tag("span", f" {step.gloss}", class_="quiet"),
        class_=f"{kind} top" if step.is_ancestor else kind or None,
    )
