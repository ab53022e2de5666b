"""Sentence encoders (sentence-transformers): a caption is compared with other captions."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vlmexplain.errors import MissingPackage, ModelError
from vlmexplain.models.precision import Precision
from vlmexplain.models.protocol import Embeddings, Mode, Token, no_images, normalised
from vlmexplain.models.sentence_folder import (
    SentenceFolder,
    check_safe,
    context_length,
    find_folder,
    identify_folder,
)
from vlmexplain.models.token_readers import FastReader

_BATCH = 64


class SentenceEncoder:
    """A sentence-transformers model behind a lock; see `vlmexplain.models.protocol.Encoder`."""

    mode: Mode = "text-text"

    def __init__(self, found: SentenceFolder, model: Any, precision: Precision = "fp32"):
        self.identity = identify_folder(found, precision)
        self._model = model
        self._lock = threading.Lock()
        self.context_length = context_length(found.folder)
        model.max_seq_length = self.context_length
        self.dimension = _dimension(model)
        self._reader = FastReader(model.tokenizer, str.strip, self.context_length)

    def encode_texts(self, texts: Sequence[str]) -> Embeddings:
        """float32 [n, d], L2-normalised; batches are sorted by length and masked."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        with self._lock:
            vectors = self._model.encode(
                list(texts), batch_size=_BATCH, show_progress_bar=False, convert_to_numpy=True
            )
        return normalised(np.asarray(vectors))

    def preprocess(self, image: Image.Image) -> NDArray[np.float32]:
        """Raises ModelError: the model reads no images."""
        raise no_images(self.identity.name)

    def encode_prepared(self, batch: NDArray[np.float32]) -> Embeddings:
        """Raises ModelError: the model reads no images."""
        raise no_images(self.identity.name)

    def encode_images(self, images: Sequence[Image.Image]) -> Embeddings:
        """Raises ModelError: the model reads no images."""
        raise no_images(self.identity.name)

    def tokens(self, text: str) -> tuple[Token, ...]:
        """The pieces of the text with their spans; start and end marks left out."""
        return self._reader.read(text)

    def count_tokens(self, text: str) -> int:
        """Tokens of the whole text with start and end marks."""
        return self._reader.count(text)


def _dimension(model: Any) -> int:
    ask = getattr(model, "get_embedding_dimension", None)  # the name since version 6
    return int(ask() if ask else model.get_sentence_embedding_dimension())


def load_sentence_encoder(
    name: str, device: str | None = None, precision: Precision = "fp32"
) -> SentenceEncoder:
    """Load a sentence encoder by name or folder; never runs code that came with it.

    Raises:
        MissingPackage: sentence-transformers is not installed.
        ModelError: the files are missing, damaged, pickled, or incomplete, or the device does
            not compute in this precision.
    """
    found = find_folder(name)
    check_safe(found.folder)
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging
    except ImportError as error:
        raise MissingPackage(
            "sentence encoders need the package sentence-transformers.",
            remedy="Install it: pip install sentence-transformers",
        ) from error
    from vlmexplain.models.devices import choose_device, dtype_for

    chosen = choose_device(device)
    dtype = dtype_for(chosen, precision)
    quiet: Any = transformers_logging.disable_progress_bar
    quiet()  # standard error is for our own lines
    try:
        model = SentenceTransformer(
            str(found.folder),
            device=str(chosen),
            trust_remote_code=False,
            local_files_only=True,
            model_kwargs={"use_safetensors": True},
        )
        model.float().to(dtype).eval()
        missing = _missing_weights(model, found)
    except Exception as error:  # a damaged file shows as many kinds of error
        raise ModelError(
            f"cannot be loaded as a sentence encoder ({type(error).__name__}: {error}).",
            where=str(found.folder),
            remedy="Fetch or copy the model's files again.",
        ) from error
    if missing:
        raise ModelError(
            f"the weights are incomplete: {', '.join(missing[:5])} missing ({len(missing)} in "
            "all). A partly random model is not used.",
            where=str(found.folder),
            remedy="Fetch or copy the model's files again.",
        )
    return SentenceEncoder(found, model, precision)


def _missing_weights(model: Any, found: SentenceFolder) -> list[str]:
    """Parameters that did not come from the file: the library only warns about them."""
    tower = getattr(model[0], "auto_model", None) or getattr(model[0], "model", None)
    if tower is None:
        return []  # parts without a transformer load strictly
    _, report = type(tower).from_pretrained(
        str(found.folder), output_loading_info=True, use_safetensors=True, local_files_only=True
    )
    # The BERT "pooler" layer is not used: pooling is over the token embeddings.
    return sorted(key for key in report["missing_keys"] if "pooler." not in key)
