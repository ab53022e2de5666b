"""A caption as words with their places, and what stands beside them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from vlmexplain.perturb.perturbation import Edit

_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a caption; hyphens and apostrophes within are part of it ("two-story")."""

    start: int
    end: int
    text: str
    lower: str


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a caption in order.

    Attributes:
        caption: the caption.
        all: its words.
    """

    caption: str
    all: tuple[Word, ...]

    def after(self, i: int) -> str:
        """The lower-cased word right after word i; empty at an end or a punctuation mark."""
        j = i + 1
        return self.all[j].lower if j < len(self.all) and self.joined(i) else ""

    def before(self, i: int) -> str:
        """The lower-cased word right before word i; empty at the start or a punctuation mark."""
        return self.all[i - 1].lower if i > 0 and self.joined(i - 1) else ""

    def joined(self, i: int) -> bool:
        """Whether only blanks stand between word i and the next."""
        return not self.caption[self.all[i].end : self.all[i + 1].start].strip()

    def has(self, words: Collection[str]) -> bool:
        """Whether any word of the caption is one of these."""
        return any(word.lower in words for word in self.all)

    def starts_sentence(self, i: int) -> bool:
        """Whether word i opens the caption or a sentence of it."""
        head = self.caption[: self.all[i].start].rstrip(" \t\n\"'“‘([")
        return not head or head[-1] in ".!?:;"

    @property
    def shouting(self) -> bool:
        """Whether the caption is all in capitals."""
        return self.caption.isupper()


@lru_cache(maxsize=4096)  # a flip asks of every thing it may become whether a caption names it
def words_of(caption: str) -> Words:
    """The words of a caption.

    >>> [word.text for word in words_of("A dog's two-story house.").all]
    ['A', "dog's", 'two-story', 'house']
    """
    found = _WORD.finditer(caption)
    return Words(
        caption, tuple(Word(m.start(), m.end(), m.group(), m.group().lower()) for m in found)
    )


def in_case_of(model: str, word: str) -> str:
    """The word with the capitals of another.

    >>> in_case_of("Dog", "horse"), in_case_of("DOG", "horse"), in_case_of("dog", "horse")
    ('Horse', 'HORSE', 'horse')
    """
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word


def replace(word: Word, new: str) -> Edit:
    """The edit that puts ``new`` in a word's place, with its capitals."""
    return Edit(word.start, word.end, word.text, in_case_of(word.text, new))


def with_articles(words: Words, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """The edits, and those that turn a/an before an edited word into what it now has to be.

    >>> from vlmexplain.perturb.perturbation import apply
    >>> words = words_of("an orange cup")
    >>> apply(words.caption, with_articles(words, [replace(words.all[1], "blue")]))
    'a blue cup'
    """
    from vlmexplain.perturb.english import article

    edited = {edit.start: edit for edit in edits}
    whole = list(edits)
    for i, word in enumerate(words.all[:-1]):
        edit = edited.get(words.all[i + 1].start)
        if word.lower not in ("a", "an") or edit is None or not words.joined(i):
            continue
        if not edit.after or word.start in edited:
            continue
        new = article(edit.after)
        if new != word.lower:
            after = new.upper() if words.shouting else new
            after = after[0].upper() + after[1:] if word.text[0].isupper() else after
            whole.append(Edit(word.start, word.end, word.text, after))
    return tuple(sorted(whole, key=lambda edit: edit.start))
