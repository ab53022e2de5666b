"""The two images of a failure as the model gets them, each read once and only when asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.models.protocol import Encoder
from vlmexplain.reasons.model_input import Mask, ModelInput, masks_of, model_input
from vlmexplain.records import ImageAnnotations


class Pictures:
    """Pictures, model inputs and masks of a failure's images."""

    def __init__(self, gallery: Gallery, encoder: Encoder):
        self._gallery, self.encoder = gallery, encoder
        self._read: dict[int, Image.Image] = {}
        self._seen: dict[int, ModelInput] = {}
        self._masks: dict[tuple[int, int], Mask] = {}

    def picture(self, image: int) -> Image.Image:
        """The picture.

        Raises:
            PictureError, GalleryError: it cannot be read.
        """
        if image not in self._read:
            self._read[image] = self._gallery.read_rgb(image)
        return self._read[image]

    def seen(self, image: int) -> ModelInput:
        """The image as the model gets it; raises as `picture`."""
        if image not in self._seen:
            self._seen[image] = model_input(self.picture(image), self.encoder)
        return self._seen[image]

    def shapes(
        self, image: int, annotations: ImageAnnotations, instances: Sequence[int]
    ) -> list[Mask]:
        """Where objects lie in the model's input; see `model_input.masks_of`."""
        known = [n for n in instances if self._has_place(image, annotations, n)]
        new = [n for n in known if (image, n) not in self._masks]
        found = masks_of(self._gallery, image, annotations, new, self.seen(image), self.encoder)
        self._masks |= {(image, n): mask for n, mask in zip(new, found, strict=True)}
        return [self._masks[image, n] for n in known]

    def union(self, image: int, annotations: ImageAnnotations, instances: Sequence[int]) -> Mask:
        """All of them together, bool [h, w]."""
        shapes = self.shapes(image, annotations, instances)
        blank = np.zeros(self.seen(image).prepared.shape[1:], dtype=bool)
        whole: Mask = np.logical_or.reduce([blank, *shapes])
        return whole

    def _has_place(self, image: int, annotations: ImageAnnotations, place: int) -> bool:
        if annotations.instances[place].box_xywh_px is not None:
            return True
        return self._gallery.mask(int(self._gallery.instance_offsets[image]) + place) is not None
