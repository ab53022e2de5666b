"""WordNet that remembers its answers: the same words are asked about at every keystroke."""

from __future__ import annotations

from functools import lru_cache

from vlmexplain.perturb.lexicon import Lexicon

KEPT = 1 << 16


class RememberedLexicon:
    """Answers as another lexicon does, each question asked of it once; safe between threads.

    Implements `vlmexplain.perturb.lexicon.Lexicon`. Answers are shared: they are not to be changed.
    """

    def __init__(self, lexicon: Lexicon):
        keep = lru_cache(maxsize=KEPT)
        self.has = keep(lexicon.has)
        self.senses = keep(lexicon.senses)
        self.count = keep(lexicon.count)
        self.lemmatize = keep(lexicon.lemmatize)
        self.lemmas = keep(lexicon.lemmas)
        self.hypernym_closure = keep(lexicon.hypernym_closure)
        self.antonyms = keep(lexicon.antonyms)
