"""The evidence of non-common concept similarity: the graph, its pairs, and a pair's path."""

from __future__ import annotations

import streamlit as st

from vlmexplain.metrics.pair import PairExplanation
from vlmexplain.ui.pages.explore.act import acting
from vlmexplain.ui.pages.explore.bipartite import graph_data, pairs_in_order
from vlmexplain.ui.pages.explore.metric_head import adds_up, draw_head
from vlmexplain.ui.pages.explore.path import path_list
from vlmexplain.ui.shared.caches import wordnet_path
from vlmexplain.ui.shared.components.mount import register
from vlmexplain.ui.shared.html import tag

_component = register("graph")


def draw_noncommon(pair: PairExplanation, chosen: int) -> None:
    """Heading and sum, the bipartite graph with its table, and the chosen pair's path."""
    evidence = pair.ncs.evidence
    draw_head(pair, "ncs")
    st.html(tag("div", adds_up(pair, "ncs"), class_="vx"))
    if not evidence.n_nodes:
        return
    pairs = pairs_in_order(evidence)
    shown = min(chosen, len(pairs) - 1) if pairs else None
    _component(key="graph", data=graph_data(evidence, shown), on_act_change=acting("graph"))
    if shown is not None:
        one = pairs[shown]
        st.html(path_list(wordnet_path(one.ground_truth, one.retrieved), one.ps))
