"""The models of the Perturb page, loaded once and kept between keystrokes."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from vlmexplain.cache_sizes import size_of
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import ModelError
from vlmexplain.lgip.text_cache import TextCache
from vlmexplain.live.scorer import LiveScorer
from vlmexplain.live.surroundings import GallerySurroundings
from vlmexplain.models.catalogue import list_models
from vlmexplain.models.load import identify, load_model
from vlmexplain.records import ModelIdentity
from vlmexplain.scoring.run_store import RunManifest, list_runs

_SCORERS = size_of("scorers")
_IDENTITIES_S = 60


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model that can be tried.

    Attributes:
        spec: what loads it.
        has_run: whether it has ranked the gallery, so that places can be told at once.
        note: what stands beside its name.
    """

    spec: str
    has_run: bool
    note: str


@st.cache_resource(show_spinner=False)
def text_cache() -> TextCache:
    """The text vectors of all models and sessions."""
    return TextCache(size_of("text_vectors") << 20)


@st.cache_resource(max_entries=4, show_spinner="Reading the captions …")
def _surroundings(_gallery: Gallery, gallery_id: str) -> GallerySurroundings:
    found = GallerySurroundings(_gallery)
    found.prepare()
    return found


def surroundings(gallery: Gallery) -> GallerySurroundings:
    """What the rules may look at in a gallery."""
    found: GallerySurroundings = _surroundings(gallery, gallery.id)
    return found


def scorer_of(gallery: Gallery, spec: str, run: RunManifest | None = None) -> LiveScorer:
    """The live scorer of a model on a gallery.

    Args:
        gallery: what is compared.
        spec: the model.
        run: the run whose numbers must be met; None for a model without one.

    Raises:
        UnknownName, ModelError, MissingPackage: as `models.load.load_model`.
        ModelError: the model of this name is not the one of the run any more.
    """
    digest = run.model.digest if run is not None else _identity(spec).digest
    found: LiveScorer = _scorer(gallery, gallery.id, str(gallery.images_folder), spec, digest)
    return found


def choices(gallery: Gallery) -> tuple[ModelChoice, ...]:
    """The models that ranked the gallery, then the others of the catalogue that are here."""
    found = {
        (spec := each.model.spec or each.model.name): ModelChoice(spec, True, "")
        for each in list_runs(gallery.id)
    }
    for entry in list_models():
        if entry.status == "available" and entry.spec not in found:
            found[entry.spec] = ModelChoice(entry.spec, False, "no run of this data set yet")
    return tuple(found.values())


@st.cache_resource(max_entries=_SCORERS, show_spinner="Loading the model …")
def _scorer(
    _gallery: Gallery, gallery_id: str, images_folder: str, spec: str, digest: str
) -> LiveScorer:
    encoder = load_model(spec)
    if encoder.identity.digest != digest:
        raise ModelError(
            f"the model {spec!r} is not the one of the run any more: its files have changed.",
            remedy="Run it again, or put the old files back.",
        )
    return LiveScorer(_gallery, encoder, text_cache())


@st.cache_data(max_entries=64, ttl=_IDENTITIES_S, show_spinner=False)
def _identity(spec: str) -> ModelIdentity:
    return identify(spec)


scorer_cache = _scorer
"""The cached function, for whoever counts what it holds."""
