"""An image as the model gets it, and where annotated objects lie in that.

Whatever a model's preprocessing does (crop, squash, pad), a picture of the object alone is sent
through it too; where that comes out bright, the object is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.models.protocol import Encoder
from vlmexplain.records import ImageAnnotations

Mask = NDArray[np.bool_]
_AT_ONCE = 3  # one object in each channel of a picture


@dataclass(frozen=True, slots=True)
class ModelInput:
    """One image after the model's preprocessing.

    Attributes:
        prepared: float32 [3, h, w], what `Encoder.encode_prepared` takes.
        black, white: float32 [3, 1, 1], what preprocessing makes of 0 and 255.
    """

    prepared: NDArray[np.float32]
    black: NDArray[np.float32]
    white: NDArray[np.float32]

    @property
    def rgb(self) -> NDArray[np.uint8]:
        """uint8 [h, w, 3]: the same for people, and for fills that want bytes."""
        share = (self.prepared - self.black) / (self.white - self.black)
        bytes_: NDArray[np.uint8] = np.clip(np.rint(share * 255), 0, 255).astype(np.uint8)
        return bytes_.transpose(1, 2, 0)

    def from_rgb(self, rgb: NDArray[np.uint8]) -> NDArray[np.float32]:
        """The inverse of `rgb`, float32 [3, h, w]."""
        share = rgb.transpose(2, 0, 1).astype(np.float32) / 255
        return (self.black + share * (self.white - self.black)).astype(np.float32)


def model_input(picture: Image.Image, encoder: Encoder) -> ModelInput:
    """The image as the model gets it."""
    black, white = (
        encoder.preprocess(Image.new("RGB", (16, 16), colour)) for colour in ("black", "white")
    )
    middle = black.shape[1] // 2, black.shape[2] // 2
    return ModelInput(
        encoder.preprocess(picture),
        black[:, middle[0], middle[1]].reshape(3, 1, 1),
        white[:, middle[0], middle[1]].reshape(3, 1, 1),
    )


def masks_of(
    gallery: Gallery,
    image: int,
    annotations: ImageAnnotations,
    instances: Sequence[int],
    seen: ModelInput,
    encoder: Encoder,
) -> list[Mask]:
    """Where objects lie in the model's input, bool [h, w] each; all False outside the crop.

    Masks where the data set has them, boxes otherwise; an object with neither is left out.

    Args:
        gallery, image, annotations: whose objects.
        instances: places among the annotations.
        seen: the image's `model_input`.
        encoder: the model.
    """
    first = int(gallery.instance_offsets[image])
    shapes: list[Image.Image] = []
    for place in instances:
        mask = gallery.mask(first + place)
        box = annotations.instances[place].box_xywh_px
        if mask is not None:
            shapes.append(Image.fromarray(mask.astype(np.uint8) * 255))
        elif box is not None:
            shapes.append(_box_picture(annotations, box))
    found: list[Mask] = []
    middle = (seen.black + seen.white) / 2
    for start in range(0, len(shapes), _AT_ONCE):
        part = shapes[start : start + _AT_ONCE]
        blank = Image.new("L", (annotations.width_px, annotations.height_px))
        channels = part + [blank] * (_AT_ONCE - len(part))
        came = encoder.preprocess(Image.merge("RGB", channels)) > middle
        found += [came[n] for n in range(len(part))]
    return found


def _box_picture(
    annotations: ImageAnnotations, box: tuple[float, float, float, float]
) -> Image.Image:
    picture = Image.new("L", (annotations.width_px, annotations.height_px))
    x, y, width, height = box
    if width > 0 and height > 0:
        corners = (round(x), round(y), round(x + width) - 1, round(y + height) - 1)
        if corners[2] >= corners[0] and corners[3] >= corners[1]:
            ImageDraw.Draw(picture).rectangle(corners, fill=255)
    return picture
