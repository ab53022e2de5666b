"""Similarities of any texts with any images of a gallery, and where they would rank them."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.datasets.images import PictureError
from vlmexplain.lgip.text_cache import TextCache
from vlmexplain.live.occlusion import OccludedImage, occlude
from vlmexplain.live.retrieval import Retrieval, retrievals
from vlmexplain.models.protocol import Encoder, Token, no_images
from vlmexplain.records import ProgressCallback, no_progress
from vlmexplain.scoring.embedding import Embeddings, stored_embeddings
from vlmexplain.scoring.image_index import ImageIndex, index_captions, index_images

TOKENS_KEPT = 4096
PICTURES_KEPT = 512
OCCLUDED_KEPT = 24
LOOK_AGAIN_S = 2.0
"""How long after embeddings were not found they are looked for again."""

NOT_EMBEDDED = (
    "this model has not embedded the gallery yet, so nothing can be ranked: run it once on the "
    "page “Run a model”"
)
NO_CAPTION = "the image has no caption but the query itself"


@dataclass(frozen=True, slots=True)
class _Stored:
    """What a run left: the embeddings, the index made of them, and each text's row."""

    embeddings: Embeddings
    index: ImageIndex
    row_of_text: dict[str, int]


class LiveScorer:
    """One model on one gallery, for texts as they are typed; safe between threads.

    Image vectors come from the store where a run left them, else pictures are encoded when they
    are asked for; a text is encoded once, together with all others of its request.

    Args:
        gallery: whose images are compared.
        encoder: the model. A text-text model compares with the captions of an image, the best
            of them counts.
        cache: text vectors kept between requests; may be shared by scorers of any models.
    """

    def __init__(self, gallery: Gallery, encoder: Encoder, cache: TextCache | None = None):
        self.gallery, self.encoder = gallery, encoder
        self._cache = cache if cache is not None else TextCache()
        self._tokens: OrderedDict[str, tuple[Token, ...]] = OrderedDict()
        self._pictures: OrderedDict[int, NDArray[np.float32] | str] = OrderedDict()
        self._occluded: OrderedDict[tuple[int, int], OccludedImage] = OrderedDict()
        self._found: _Stored | None = None
        self._looked_s: float | None = None
        self._lock = threading.Lock()
        self._store_lock = threading.Lock()

    @property
    def can_rank(self) -> bool:
        """Whether the gallery's embeddings are there to rank its images."""
        return self._stored() is not None

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32 [n, d], L2-normalised; captions of an embedded gallery are read, not encoded."""
        stored = self._stored()
        rows = {} if stored is None else stored.row_of_text
        made = np.zeros((len(texts), self.encoder.dimension), dtype=np.float32)
        missing: list[int] = []
        for place, text in enumerate(texts):
            row = rows.get(text)
            if row is None or stored is None:
                missing.append(place)
            else:
                made[place] = stored.embeddings.text_vectors[row]
        if missing:
            made[missing] = self._cache.vectors(self.encoder, [texts[p] for p in missing])
        return made

    def similarities(
        self, texts: Sequence[str], images: Sequence[int], own_text: str | None = None
    ) -> NDArray[np.float64]:
        """Cosine similarities, float64 [n_texts, n_images] in [-1, 1]; NaN where there is none.

        Args:
            texts: the captions.
            images: places in the gallery.
            own_text: for a text-text model, the query whose own text does not count among an
                image's captions, as in a run; no other model looks at it.
        """
        return self.similarities_of(self.vectors(texts), images, own_text)

    def similarities_of(
        self, vectors: NDArray[np.float32], images: Sequence[int], own_text: str | None = None
    ) -> NDArray[np.float64]:
        """As `similarities`, for texts whose `vectors` are at hand."""
        wide = vectors.astype(np.float64)
        scores = np.full((len(vectors), len(images)), np.nan)
        for column, image in enumerate(images):
            against = self._against(image, own_text)
            if len(against):
                scores[:, column] = (wide @ against.astype(np.float64).T).max(axis=1)
        return scores

    def unscored_because(self, image: int, own_text: str | None = None) -> str | None:
        """Why an image has no similarity; None when it has."""
        if self.encoder.mode == "text-text":
            return None if self._captions(image, own_text) else NO_CAPTION
        stored = self._stored()
        if stored is not None:
            left_out = stored.embeddings.left_out.get(image)
            return None if left_out is None else left_out[1]
        found = self._picture(image)
        return found if isinstance(found, str) else None

    def retrieve(
        self,
        texts: Sequence[str],
        targets: Sequence[int],
        own_text: str | None = None,
        k: int = 5,
    ) -> tuple[Retrieval, ...] | None:
        """What each text would retrieve from the gallery; None when nothing can be ranked.

        Args:
            texts: the captions.
            targets: the ground truths, places in the gallery; the best-ranked one counts.
            own_text: as in `similarities`.
            k: how many of the best images to name.
        """
        return self.retrieve_of(self.vectors(texts), targets, own_text, k)

    def retrieve_of(
        self,
        vectors: NDArray[np.float32],
        targets: Sequence[int],
        own_text: str | None = None,
        k: int = 5,
    ) -> tuple[Retrieval, ...] | None:
        """As `retrieve`, for texts whose `vectors` are at hand."""
        stored = self._stored()
        if stored is None:
            return None
        own = None
        if self.encoder.mode == "text-text":
            none = len(stored.embeddings.texts)
            own = none if own_text is None else stored.row_of_text.get(own_text, none)
        return retrievals(vectors, stored.index, targets, own, k)

    def tokens(self, text: str) -> tuple[Token, ...]:
        """The pieces the model reads of a text; kept, for the same texts are asked for again."""
        with self._lock:
            if text in self._tokens:
                self._tokens.move_to_end(text)
                return self._tokens[text]
        found = self.encoder.tokens(text)
        with self._lock:
            self._tokens[text] = found
            while len(self._tokens) > TOKENS_KEPT:
                self._tokens.popitem(last=False)
        return found

    def occluded(self, image: int, cells: int) -> OccludedImage | None:
        """The occluded image if it was made before, else None; see `occlude`."""
        with self._lock:
            return self._occluded.get((image, cells))

    def occlude(
        self, image: int, cells: int, progress: ProgressCallback = no_progress
    ) -> OccludedImage:
        """Embed an image with one part after another covered; kept for every later caption.

        Args:
            image: place in the gallery.
            cells: how many parts the shorter side is cut into.
            progress: called after each batch; may raise `Cancelled`.

        Raises:
            PictureError: the picture cannot be read.
            ModelError: the model reads no images.
        """
        if self.encoder.mode == "text-text":
            raise no_images(self.encoder.identity.name)
        known = self.occluded(image, cells)
        if known is not None:
            return known
        made = occlude(self.encoder, self.gallery.read_rgb(image), cells, progress)
        with self._lock:
            self._occluded[image, cells] = made
            while len(self._occluded) > OCCLUDED_KEPT:
                self._occluded.popitem(last=False)
        return made

    def _against(self, image: int, own_text: str | None) -> NDArray[np.float32]:
        """float32 [n, d], what a text is compared with to score an image; [0, d] for nothing."""
        nothing = np.zeros((0, self.encoder.dimension), dtype=np.float32)
        if self.encoder.mode == "text-text":
            captions = self._captions(image, own_text)
            return self.vectors(captions) if captions else nothing
        if self.unscored_because(image) is not None:
            return nothing
        stored = self._stored()
        if stored is not None and stored.embeddings.image_vectors is not None:
            return stored.embeddings.image_vectors[image : image + 1]
        found = self._picture(image)
        return nothing if isinstance(found, str) else found[None]

    def _captions(self, image: int, own_text: str | None) -> list[str]:
        texts = dict.fromkeys(c.text.strip() for c in self.gallery.captions_of(image))
        return [text for text in texts if text != own_text]

    def _picture(self, image: int) -> NDArray[np.float32] | str:
        """The vector of a picture encoded now, or why there is none."""
        with self._lock:
            if image in self._pictures:
                self._pictures.move_to_end(image)
                return self._pictures[image]
        found: NDArray[np.float32] | str
        try:
            found = self.encoder.encode_images([self.gallery.read_rgb(image)])[0]
        except PictureError as error:
            found = error.message
        with self._lock:
            self._pictures[image] = found
            while len(self._pictures) > PICTURES_KEPT:
                self._pictures.popitem(last=False)
        return found

    def _stored(self) -> _Stored | None:
        """What a run left of this model on this gallery; looked for again when it was not there."""
        if self._found is not None:
            return self._found
        with self._store_lock:
            now = time.monotonic()
            fresh = self._looked_s is not None and now - self._looked_s < LOOK_AGAIN_S
            if self._found is None and not fresh:
                self._found = self._look()
                self._looked_s = time.monotonic()
        return self._found

    def _look(self) -> _Stored | None:
        encoder = self.encoder
        found = stored_embeddings(self.gallery, encoder.identity, encoder.mode)
        if found is None:
            return None
        rows = {text: row for row, text in enumerate(found.texts)}
        return _Stored(found, _index(self.gallery, found), rows)


def _index(gallery: Gallery, found: Embeddings) -> ImageIndex:
    if found.image_vectors is not None:
        rankable = np.ones(gallery.n_images, dtype=bool)
        rankable[list(found.left_out)] = False
        return index_images(found.image_vectors, rankable)
    index = index_captions(
        found.text_vectors, found.text_of_caption, gallery.image_of_caption, gallery.n_images
    )
    # One text more than there are: the number of a text that no caption has.
    return replace(index, sole_images_of_text=np.append(index.sole_images_of_text, np.int32(0)))
