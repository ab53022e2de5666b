"""open_clip models: images and captions in one space."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from vlmexplain.models.devices import choose_device, dtype_for
from vlmexplain.models.open_clip_build import (
    build_model,
    build_tokenizer,
    is_convolutional,
)
from vlmexplain.models.open_clip_identity import identify_source
from vlmexplain.models.open_clip_preprocess import build_preprocess
from vlmexplain.models.open_clip_source import OpenClipSource
from vlmexplain.models.open_clip_tags import resolve_source
from vlmexplain.models.precision import Precision
from vlmexplain.models.protocol import Embeddings, Mode, Token, normalised
from vlmexplain.models.text_shortcut import proven_tower
from vlmexplain.models.text_tower import encode_cut, end_places
from vlmexplain.models.token_readers import BpeReader, FastReader, TokenReader

TEXT_BATCH = 64
IMAGE_BATCH = 32


class OpenClipEncoder:
    """An open_clip model behind a lock; see `vlmexplain.models.protocol.Encoder`.

    The lock is held for one batch at a time, so that a short request does not wait for a
    long one to end.
    """

    mode: Mode = "image-text"

    def __init__(self, source: OpenClipSource, device: torch.device, precision: Precision = "fp32"):
        self._dtype = dtype_for(device, precision)
        self.identity = identify_source(source, precision)
        self.context_length = source.context_length
        self.dimension = int(source.config["embed_dim"])
        model, known = build_model(source)
        # Convolutions on the CPU are several times faster with the channels last.
        self._format = torch.channels_last if is_convolutional(model) else torch.contiguous_format
        self._model = model.to(device=device, dtype=self._dtype, memory_format=self._format).eval()
        self._model.requires_grad_(False)
        self._device = device
        self._tokenizer: Any = build_tokenizer(source)
        self.preprocess = build_preprocess(source)
        self._tower = proven_tower(self._model, self._tokenizer, device)
        self._reader: TokenReader = (
            FastReader(self._tokenizer.tokenizer, self._tokenizer.clean_fn, self.context_length)
            if hasattr(self._tokenizer, "tokenizer")
            else BpeReader(self._tokenizer, self.context_length, known)
        )
        self._lock = threading.Lock()
        self._tokenizer_lock = threading.Lock()

    def encode_texts(self, texts: Sequence[str]) -> Embeddings:
        """float32 [n, d], L2-normalised; each text is encoded beside others of its length."""
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        if not texts:
            return rows
        with self._tokenizer_lock:  # fast tokenizers keep their padding as state
            ids = self._tokenizer(list(texts))
        ends = end_places(self._tower, ids) if self._tower is not None else None
        order = torch.arange(len(ids)) if ends is None else torch.argsort(ends, stable=True)
        for chosen in order.split(TEXT_BATCH):
            with self._lock, torch.inference_mode():
                batch = ids[chosen].to(self._device)
                features = (
                    self._model.encode_text(batch)
                    if ends is None
                    else encode_cut(self._tower, batch, ends[chosen])
                )
                rows[chosen.numpy()] = features.float().cpu().numpy()
        return normalised(rows)

    def encode_prepared(self, batch: NDArray[np.float32]) -> Embeddings:
        """float32 [n, d], L2-normalised, of float32 [n, 3, height, width]."""
        rows = np.zeros((len(batch), self.dimension), dtype=np.float32)
        for start in range(0, len(batch), IMAGE_BATCH):
            part = np.ascontiguousarray(batch[start : start + IMAGE_BATCH], dtype=np.float32)
            with self._lock, torch.inference_mode():
                pixels = torch.from_numpy(part).to(self._device, self._dtype)
                features = self._model.encode_image(pixels.contiguous(memory_format=self._format))
                rows[start : start + len(part)] = features.float().cpu().numpy()
        return normalised(rows)

    def encode_images(self, images: Sequence[Image.Image]) -> Embeddings:
        """float32 [n, d], L2-normalised, in the order given."""
        parts = [
            self.encode_prepared(np.stack([self.preprocess(image) for image in part]))
            for part in (images[n : n + IMAGE_BATCH] for n in range(0, len(images), IMAGE_BATCH))
        ]
        return np.concatenate([np.zeros((0, self.dimension), dtype=np.float32), *parts])

    def tokens(self, text: str) -> tuple[Token, ...]:
        """The pieces of the text with their spans; start and end marks left out."""
        return self._reader.read(text)

    def count_tokens(self, text: str) -> int:
        """Tokens of the whole text with start and end marks."""
        return self._reader.count(text)


def load_open_clip_encoder(
    name: str, device: str | None = None, precision: Precision = "fp32"
) -> OpenClipEncoder:
    """Load an open_clip model: a tag, ``hf-hub:`` name, folder, or ``ARCH@FILE``.

    Raises:
        MissingPackage: open_clip is not installed.
        ModelError: files or network access are missing, the weights are not all there, or the
            device does not compute in this precision.
        UnknownName: no such architecture or tag.
    """
    return OpenClipEncoder(resolve_source(name), choose_device(device), precision)
