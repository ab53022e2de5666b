"""What the rules may look at when a caption of a gallery is perturbed."""

from __future__ import annotations

import re
import threading
from functools import lru_cache

import pyarrow.compute as pc

from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.live.remembered_lexicon import RememberedLexicon
from vlmexplain.perturb.colours import colours_in, named_colours
from vlmexplain.perturb.engine import Surroundings
from vlmexplain.perturb.english import article
from vlmexplain.perturb.facts import ImageFacts

LOOKED_AT = 20
"""How many captions with a colour's name are read before it is taken to be no colour here."""


class GallerySurroundings:
    """The surroundings of a gallery's images; what is the same for all is worked out once."""

    def __init__(self, gallery: Gallery):
        self._gallery = gallery
        self._vocabulary = frozenset(gallery.concepts)
        self._colours: tuple[str, ...] | None = None
        self._lock = threading.Lock()

    def of(self, image: int | None, own_text: str | None = None) -> Surroundings:
        """For captions of this image; None for a caption of no image.

        Args:
            image: place in the gallery; its annotations and captions are the ground on which a
                flip is called false.
            own_text: the user's own text, for the rule that takes it.
        """
        facts = None
        if image is not None:
            facts = ImageFacts(
                self._gallery.annotations(image).instances,
                self._vocabulary,
                tuple(caption.text for caption in self._gallery.captions_of(image)),
            )
        return Surroundings(facts, remembered_wordnet(), self.colours(), own_text)

    def prepare(self) -> None:
        """Do now what takes long the first time: WordNet, grammar, and the gallery's colours."""
        remembered_wordnet()
        article("dog")
        self.colours()

    def colours(self) -> tuple[str, ...]:
        """The named colours that the gallery's captions use, sorted."""
        with self._lock:
            if self._colours is None:
                self._colours = colours_of(self._gallery)
            return self._colours


@lru_cache(maxsize=1)
def remembered_wordnet() -> RememberedLexicon:
    """WordNet as the rules ask it, one for the process."""
    return RememberedLexicon(load_wordnet())


def colours_of(gallery: Gallery) -> tuple[str, ...]:
    """The named colours that the captions use as colours, sorted.

    Of the captions that hold a colour's name the first `LOOKED_AT` are read.
    """
    texts = pc.utf8_lower(gallery.captions_table.column("text"))
    found: set[str] = set()
    for name in named_colours():
        spelt = re.escape(name).replace("gray", "gr[ae]y")
        holds = pc.match_substring_regex(texts, rf"\b{spelt}\b")
        some = texts.filter(holds).slice(0, LOOKED_AT).to_pylist()
        found |= {colour for text in some for colour in colours_in([text])}
    return tuple(sorted(found))
