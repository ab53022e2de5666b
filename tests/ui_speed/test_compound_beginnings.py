"""The first words of WordNet's compounds, split quickly, against the regular expression."""

from __future__ import annotations

import re

from vlmexplain.concepts.caption_nouns import _compound_beginnings
from vlmexplain.concepts.wordnet import load_wordnet


def test_beginnings_are_those_of_a_split_by_expression() -> None:
    nouns = {**load_wordnet().nouns(), "a-b": 0, "_": 0, "a_b-c": 0, "a_b_c_d": 0, "plain": 0}
    split = [re.split(r"[_-]", lemma) for lemma in nouns]
    first = {words[0] for words in split if 2 <= len(words) <= 3}
    pairs = {(words[0], words[1]) for words in split if len(words) == 3}
    assert ("a", "b") in pairs and len(first) > 1000
    assert _compound_beginnings(nouns) == (first, pairs)
