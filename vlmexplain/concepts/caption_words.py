"""Words of captions beside WordNet's own: compounds of data sets, people that WordNet lacks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from types import MappingProxyType

from vlmexplain.concepts.naming import object_names


@lru_cache(maxsize=1)
def own_words() -> Mapping[str, str]:
    """Word, blanks written ``_`` -> the synset it names beside those WordNet gives it.

    >>> own_words()["snowboarder"], own_words()["stuffed_animal"]
    ('person.n.01', 'plaything.n.01')
    """
    text = resources.files(__package__).joinpath("caption_words.tsv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    named = dict(object_names()) | dict(line.split("\t") for line in lines)
    return MappingProxyType({word.replace(" ", "_"): synset for word, synset in named.items()})
