"""How a part of the model's input is hidden: the mean colour, or inpainting from around it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from vlmexplain.reasons.model_input import Mask, ModelInput
from vlmexplain.reasons.reason import Fill

TELEA_RADIUS_PX = 5


def fill_mean(seen: ModelInput, mask: Mask) -> NDArray[np.float32]:
    """float32 [3, h, w] with the masked part in the input's mean colour."""
    edited = seen.prepared.copy()
    edited[:, mask] = seen.prepared.mean(axis=(1, 2), dtype=np.float64)[:, None]
    return edited


def fill_inpaint(seen: ModelInput, mask: Mask) -> NDArray[np.float32]:
    """float32 [3, h, w] with the masked part grown over from its edge.

    Source: A. Telea, "An image inpainting technique based on the fast marching method", 2004.
    """
    import cv2

    painted = cv2.inpaint(
        np.ascontiguousarray(seen.rgb), mask.astype(np.uint8), TELEA_RADIUS_PX, cv2.INPAINT_TELEA
    )
    return np.where(mask, seen.from_rgb(np.asarray(painted, dtype=np.uint8)), seen.prepared)


FILL: dict[Fill, Callable[[ModelInput, Mask], NDArray[np.float32]]] = {
    "mean": fill_mean,
    "inpaint": fill_inpaint,
}
