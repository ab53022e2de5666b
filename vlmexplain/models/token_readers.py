"""How a model's tokenizer takes a text apart: pieces, spans, what is cut, what is unknown."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Protocol

from vlmexplain.errors import ModelError
from vlmexplain.models.alignment import align, span_of
from vlmexplain.models.protocol import Token


class TokenReader(Protocol):
    """Reads texts as a model does, without its start and end marks; safe between threads."""

    def read(self, text: str) -> tuple[Token, ...]:
        """All pieces of a text, in order."""
        ...

    def count(self, text: str) -> int:
        """How many tokens the whole text has, start and end marks included."""
        ...


class BpeReader:
    """Reads with open_clip's byte-pair tokenizer (``SimpleTokenizer``)."""

    def __init__(self, tokenizer: Any, context_length: int, known: frozenset[int] | None):
        self._tokenizer = tokenizer
        self._room = context_length - 2  # start and end
        self._known = known

    def read(self, text: str) -> tuple[Token, ...]:
        """All pieces; those after a written-out end mark are not seen: the model stops there."""
        cleaned = self._tokenizer.clean_fn(text)
        places = align(text, cleaned)
        tokens: list[Token] = []
        ended = False
        for start, end, number in self._pieces(cleaned):
            tokens.append(
                Token(
                    cleaned[start:end],
                    *span_of(places, start, end),
                    seen=len(tokens) < self._room and not ended,
                    known=self._known is None or number in self._known,
                )
            )
            ended = ended or number == self._tokenizer.eot_token_id
        return tuple(tokens)

    def count(self, text: str) -> int:
        """Tokens with start and end."""
        return len(self._tokenizer.encode(text)) + 2

    def ids(self, text: str) -> list[int]:
        """The numbers of the pieces, as the tokenizer gives them."""
        return [number for *_, number in self._pieces(self._tokenizer.clean_fn(text))]

    def _pieces(self, cleaned: str) -> list[tuple[int, int, int]]:
        """(start, end, id) of each piece of a cleaned text, in characters."""
        own = self._tokenizer
        found: list[tuple[int, int, int]] = []
        for match in own.pat.finditer(cleaned):
            word = match.group()
            letter_of_byte = [n for n, letter in enumerate(word) for _ in letter.encode()]
            coded = "".join(own.byte_encoder[byte] for byte in word.encode())
            at = 0
            for piece in own.bpe(coded).split(" "):
                size = len(piece.removesuffix("</w>"))  # one coded letter a byte
                start = match.start() + letter_of_byte[at]
                end = match.start() + letter_of_byte[at + size - 1] + 1
                found.append((start, end, own.encoder[piece]))
                at += size
        return found


class FastReader:
    """Reads with a Hugging Face fast tokenizer, of which it keeps an uncut copy."""

    def __init__(self, tokenizer: Any, clean: Callable[[str], str], context_length: int):
        backend = getattr(tokenizer, "backend_tokenizer", None)
        if backend is None:
            raise ModelError(
                f"its tokenizer ({type(tokenizer).__name__}) has no fast form, so it cannot be "
                "shown which words are cut.",
                remedy="Use a model whose folder has a tokenizer.json.",
            )
        # A copy of its own: counting waits for no encoding, and never truncates.
        self._backend = copy.deepcopy(backend)
        self._backend.no_truncation()
        self._backend.no_padding()
        self._clean = clean
        self._unknown_id = tokenizer.unk_token_id
        self._room = context_length - int(self._backend.num_special_tokens_to_add(False))

    def read(self, text: str) -> tuple[Token, ...]:
        """All pieces; a piece without an id of its own is shown as it was written."""
        cleaned = self._clean(text)
        places = align(text, cleaned)
        encoding = self._backend.encode(cleaned)
        tokens: list[Token] = []
        for piece, (start, end), number, mark in zip(
            encoding.tokens,
            encoding.offsets,
            encoding.ids,
            encoding.special_tokens_mask,
            strict=True,
        ):
            if mark:
                continue
            known = number != self._unknown_id
            tokens.append(
                Token(
                    piece if known else cleaned[start:end] or piece,
                    *span_of(places, start, end),
                    seen=len(tokens) < self._room,
                    known=known,
                )
            )
        return tuple(tokens)

    def count(self, text: str) -> int:
        """Tokens with start and end marks."""
        return len(self._backend.encode(self._clean(text)).ids)
