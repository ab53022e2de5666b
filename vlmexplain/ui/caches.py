"""What is kept between reruns: bounded, shared by all sessions, each a core function wrapped."""

from __future__ import annotations

import threading

import streamlit as st

from vlmexplain.concepts.mentions import mentions_in
from vlmexplain.concepts.wordnet import WordNet, load_wordnet
from vlmexplain.example import EXAMPLE, explain_example_pair
from vlmexplain.metrics.pair import PairExplanation
from vlmexplain.records import Mention, MetricOptions, PathStep
from vlmexplain.ui.schematic import draw_schematic

_wordnet_lock = threading.Lock()


def wordnet() -> WordNet:
    """WordNet's compact tables; the first call of a process reads them."""
    with _wordnet_lock:
        return load_wordnet()


@st.cache_data(max_entries=512, show_spinner=False)
def wordnet_path(left: str, right: str) -> tuple[PathStep, ...]:
    """The path between two synsets through their nearest common ancestor, with glosses."""
    return wordnet().path(left, right)


@st.cache_data(max_entries=2, show_spinner=False)
def example_drawings() -> tuple[bytes, bytes]:
    """The worked example's two images as SVG drawings."""
    return draw_schematic(EXAMPLE.ground_truth), draw_schematic(EXAMPLE.retrieved)


@st.cache_data(max_entries=2, show_spinner=False)
def example_mentions() -> tuple[Mention, ...]:
    """Which words of the worked example's caption name its concepts."""
    concepts = {i.synset for i in EXAMPLE.ground_truth.instances if i.synset}
    return mentions_in(EXAMPLE.query, concepts, wordnet())


def example_pair(options: MetricOptions, mentioned: frozenset[str] | None) -> PairExplanation:
    """The worked example's metrics under these options."""
    return explain_example_pair(wordnet(), options, mentioned)
