"""Models by name: loaded once per process, shared by every thread."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from vlmexplain.cache_sizes import size_of
from vlmexplain.errors import ModelError
from vlmexplain.models.catalogue import catalogue_kinds
from vlmexplain.models.fake import FakeEncoder, fake_identity
from vlmexplain.models.precision import MARK, split_precision
from vlmexplain.models.protocol import Encoder
from vlmexplain.models.spec import ModelSpec, parse_spec, shipped_folder
from vlmexplain.records import ModelIdentity

if TYPE_CHECKING:  # their modules import torch
    from vlmexplain.models.open_clip_encoder import OpenClipEncoder
    from vlmexplain.models.sentence_encoder import SentenceEncoder


class ModelShelf:
    """A bounded set of loaded models; each is loaded once, by the first who asks.

    Args:
        kept: how many; the one not used for longest is let go. None: what the process may keep.
    """

    def __init__(self, kept: int | None = None):
        self._kept = kept
        self._models: OrderedDict[Hashable, Encoder] = OrderedDict()
        self._lock = threading.Lock()
        self._loading: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, load: Callable[[], Encoder]) -> Encoder:
        """The model under ``key``; others who ask while it loads wait for the same one."""
        with self._lock:
            turn = self._loading.setdefault(key, threading.Lock())
        with turn:
            with self._lock:
                if key in self._models:
                    self._models.move_to_end(key)
                    return self._models[key]
            try:
                model = load()
            except BaseException:
                with self._lock:
                    self._loading.pop(key, None)  # names that are no model must not add up
                raise
            with self._lock:
                self._models[key] = model
                while len(self._models) > (self._kept or size_of("models")):
                    gone, _ = self._models.popitem(last=False)
                    self._loading.pop(gone, None)
            return model

    def __len__(self) -> int:
        return len(self._models)

    def clear(self) -> None:
        """Let all models go."""
        with self._lock:
            self._models.clear()


_shelf = ModelShelf()


def models_loaded() -> int:
    """How many models this process holds now."""
    return len(_shelf)


def load_model(spec: str, device: str | None = None) -> Encoder:
    """The model of this name, loaded once per process and safe to share between threads.

    Args:
        spec: see `vlmexplain.models.spec.parse_spec`.
        device: ``cpu``, ``cuda``, ``cuda:1`` ...; None: ``VLMEXPLAIN_DEVICE``, else a GPU if
            there is one, else the CPU.

    Raises:
        UnknownName: no such model; near matches are offered.
        MissingPackage: a package is not installed; the command is named.
        ModelError: files or network access are missing, the files are not sound, or the device
            does not compute in the precision asked for.

    >>> load_model("fake").mode
    'image-text'
    """
    parsed, identity = parse_spec(spec), identify(spec)

    def build() -> Encoder:
        encoder = _build(parsed, device)
        encoder.identity = identity  # with the name that loads it again
        return encoder

    # The identity is part of the key: a folder whose content changed is another model.
    return _shelf.get((parsed, device, identity), build)


def identify(spec: str) -> ModelIdentity:
    """The identity of a model from its files; builds no model, and imports torch only for
    open_clip tags and hub names.

    Raises:
        As `load_model`.

    >>> identify("fake:7").name
    'fake:7'
    """
    return replace(_identify(parse_spec(spec)), spec=_lasting(spec.strip()))


def _lasting(spec: str) -> str:
    """The name with whole paths, so that it loads the model from any working folder."""
    name, precision = split_precision(spec)
    if precision != "fp32":
        return f"{_lasting(name)}{MARK}{precision}"
    head, at, file = spec.rpartition("@")
    if at and Path(file).expanduser().is_file():
        return f"{head}@{Path(file).expanduser().absolute()}"
    known = spec in catalogue_kinds() or shipped_folder(spec).is_dir()
    if not known and Path(spec).expanduser().is_dir():
        return str(Path(spec).expanduser().absolute())
    return spec


def _identify(parsed: ModelSpec) -> ModelIdentity:
    if parsed.kind in ("fake", "fake-text"):
        if parsed.precision != "fp32":
            raise ModelError(f"the test model {parsed.kind!r} has no precision to choose.")
        seed = int(parsed.name or 0)
        return fake_identity(seed, "image-text" if parsed.kind == "fake" else "text-text")
    if parsed.kind == "sentence":
        from vlmexplain.models.sentence_folder import find_folder, identify_folder

        return identify_folder(find_folder(parsed.name), parsed.precision)
    from vlmexplain.models.open_clip_identity import identify_source
    from vlmexplain.models.open_clip_source import read_source

    source = read_source(parsed.name)
    if source is None:
        from vlmexplain.models.open_clip_tags import resolve_source

        source = resolve_source(parsed.name)
    return identify_source(source, parsed.precision)


def _build(
    parsed: ModelSpec, device: str | None
) -> FakeEncoder | SentenceEncoder | OpenClipEncoder:
    if parsed.kind in ("fake", "fake-text"):
        return FakeEncoder(
            int(parsed.name or 0), "image-text" if parsed.kind == "fake" else "text-text"
        )
    if parsed.kind == "sentence":
        from vlmexplain.models.sentence_encoder import load_sentence_encoder

        return load_sentence_encoder(parsed.name, device, parsed.precision)
    from vlmexplain.models.open_clip_encoder import load_open_clip_encoder

    return load_open_clip_encoder(parsed.name, device, parsed.precision)
