"""The confusion network, drawn: who is taken for whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from vlmexplain.overview.concept_errors import Confusion
from vlmexplain.overview.confusion_network import ConfusionNetwork, confusion_network
from vlmexplain.overview.slices import Slice
from vlmexplain.scoring.run_store import Run
from vlmexplain.ui.pages.overview.address import OVERVIEW
from vlmexplain.ui.pages.overview.behind_view import behind_link
from vlmexplain.ui.shared.components.mount import register
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.scope import parts_of
from vlmexplain.ui.shared.words import short_name

MOST_EDGES = 30

_component = register("network")


def draw_network(confusions: Sequence[Confusion], run: Run) -> None:
    """The most frequent confusions as arrows, the most frequent the thickest."""
    found = confusion_network(confusions[:MOST_EDGES])
    if not found.edges:
        return
    of = f"of {len(confusions):,} confusions"
    said = (
        f"The {len(found.edges):,} most frequent {of}. An arrow leads from a concept of the ground "
        "truth to the concept of the retrieved image that it was matched with; its number, and "
        "its width, is in how many failures. Choose a number to list them, a concept for its slice."
    )
    st.html(tag("div", tag("h3", "Confusion network"), tag("p", said, class_="quiet small"),
                class_="vx"))  # fmt: skip
    _component(key="network", data=network_data(found, run.key))


def network_data(found: ConfusionNetwork, run_key: str) -> dict[str, Any]:
    """What the network component draws; positions and sizes in the unit of the drawing."""
    at = {node.concept: node for node in found.nodes}
    most = max(edge.count for edge in found.edges)
    return {
        "width": found.width,
        "height": found.height,
        "nodes": [
            {
                "x": round(node.x, 1),
                "y": round(node.y, 1),
                "label": short_name(node.concept),
                "title": f"{node.concept}: in {node.total:,} of these confusions",
                "strong": node.total * 3 >= max(n.total for n in found.nodes),
                "href": OVERVIEW.here(**parts_of(Slice(concept=node.concept)), view="slices", at=0),
            }
            for node in found.nodes
        ],
        "edges": [
            {
                "x1": round(at[edge.ground_truth].x, 1),
                "y1": round(at[edge.ground_truth].y, 1),
                "x2": round(at[edge.retrieved].x, 1),
                "y2": round(at[edge.retrieved].y, 1),
                "count": f"{edge.count:,}",
                "width": round(1.2 + 6 * (edge.count / most) ** 0.5, 2),
                "bent": (edge.retrieved, edge.ground_truth) in found.pairs,
                "title": f"{short_name(edge.ground_truth)} → {short_name(edge.retrieved)}: "
                f"{edge.count:,} failures, path similarity {edge.ps:.3f}",
                "href": behind_link(run_key, f"confused:{edge.ground_truth}|{edge.retrieved}"),
            }
            for edge in found.edges
        ],
    }
