"""Embeddings of texts kept in memory: a text that comes back costs nothing."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vlmexplain.models.protocol import Encoder


class TextCache:
    """Vectors by model and text, the ones not asked for longest let go; safe between threads.

    Args:
        most_bytes: how much the vectors may take.
    """

    def __init__(self, most_bytes: int = 64 * 2**20):
        self._most_bytes = most_bytes
        self._bytes = 0
        self._vectors: OrderedDict[tuple[str, bytes], NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def vectors(self, encoder: Encoder, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32 [n, d], L2-normalised; only texts that are not there are encoded, each once."""
        keys = [(encoder.identity.digest, _digest(text)) for text in texts]
        found: dict[tuple[str, bytes], NDArray[np.float32]] = {}
        with self._lock:
            for key in keys:
                if key in self._vectors:
                    self._vectors.move_to_end(key)
                    found[key] = self._vectors[key]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            made = encoder.encode_texts(list(missing.values()))
            for key, vector in zip(missing, made, strict=True):
                found[key] = vector
            self._keep({key: found[key] for key in missing})
        rows = [found[key] for key in keys]
        return np.stack(rows) if rows else np.zeros((0, encoder.dimension), dtype=np.float32)

    @property
    def n_bytes(self) -> int:
        """How much the vectors take now."""
        return self._bytes

    def __len__(self) -> int:
        return len(self._vectors)

    def _keep(self, made: dict[tuple[str, bytes], NDArray[np.float32]]) -> None:
        with self._lock:
            for key, vector in made.items():
                if key not in self._vectors:
                    self._vectors[key] = vector.copy()  # not a view of the whole batch
                    self._bytes += vector.nbytes
            while self._bytes > self._most_bytes and self._vectors:
                _, gone = self._vectors.popitem(last=False)
                self._bytes -= gone.nbytes


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
