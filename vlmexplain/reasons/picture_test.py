"""P: hide all boxes of a concept in one image, beside controls; two fills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlmexplain.models.protocol import Encoder
from vlmexplain.reasons.control_places import CELL_OFFSET, FEWEST_CONTROLS, control_masks
from vlmexplain.reasons.failure_case import Case
from vlmexplain.reasons.fills import FILL
from vlmexplain.reasons.gallery_scores import exact, rank_of
from vlmexplain.reasons.kinds import TIE_WITHIN
from vlmexplain.reasons.model_input import Mask, ModelInput
from vlmexplain.reasons.reason import Test

LEAST_SHARE, MOST_SHARE = 0.005, 0.5
"""Of the model's input; below nothing can be seen, above little is left."""

MOST_IMAGES = 64
"""Encoded in one batch."""

NOISE_TIMES = 2.0
_AGAIN = (
    (".jpg", "IMWRITE_JPEG_QUALITY", 92),
    (".jpg", "IMWRITE_JPEG_QUALITY", 85),
    (".webp", "IMWRITE_WEBP_QUALITY", 88),
)
N_AGAIN = len(_AGAIN)


@dataclass(frozen=True, slots=True)
class HiddenPart:
    """What is hidden in one image, and the controls; or why it cannot be tested.

    Attributes:
        whole: where the concept lies, bool [h, w].
        controls: as large, elsewhere.
        untestable: why not, else None.
    """

    whole: Mask | None
    controls: tuple[Mask, ...] = ()
    untestable: str | None = None


def hidden_part(shapes: Sequence[Mask], spare: Mask, offset: float = CELL_OFFSET) -> HiddenPart:
    """What to hide and where the controls are.

    Args:
        shapes: the objects' places in the model's input; empty ones lie outside its crop.
        spare: what controls keep off beside the concept itself.
        offset: of the grid; see `control_places`.
    """
    shapes = [shape for shape in shapes if shape.any()]
    if not shapes:
        return HiddenPart(None, (), "no box of it lies in what the model sees")
    whole = np.logical_or.reduce(shapes)
    share = float(whole.mean())
    if share < LEAST_SHARE:
        return HiddenPart(whole, (), f"its boxes cover only {share:.2%} of the image")
    if share > MOST_SHARE:
        return HiddenPart(whole, (), f"its boxes cover {share:.0%} of the image")
    controls = control_masks(shapes, spare, offset=offset)
    if len(controls) < FEWEST_CONTROLS:
        why = (
            f"there are places for {len(controls)} controls only"
            if controls
            else ("there is no place for a control")
        )
        return HiddenPart(whole, (), why)
    return HiddenPart(whole, tuple(controls))


def picture_tests(
    case: Case, image: int, seen: ModelInput, part: HiddenPart, encoder: Encoder
) -> tuple[Test, ...]:
    """Both fills of one part of an image.

    The controls are the moved parts, and last what encoding the image again does to its score,
    twice its root mean square up and down: an effect within that is none.
    """
    assert part.whole is not None
    masks = [part.whole, *part.controls]
    edits = [FILL[fill](seen, mask) for fill in FILL for mask in masks]
    again = encoded_again(seen)
    vectors = _encoded([seen.prepared, *again, *edits], encoder)
    scores = exact(vectors, case.vector).astype(np.float64)
    falls = float(scores[0]) - scores[1:]
    noise = NOISE_TIMES * float(np.sqrt(np.mean(falls[: len(again)] ** 2)))
    falls = falls[len(again) :].reshape(len(FILL), len(masks))
    tests = []
    for fill, row in zip(FILL, falls, strict=True):
        after = case.scores.copy()
        after[image] = np.float32(float(case.scores[image]) - row[0])
        best = max(float(after[truth]) for truth in case.ground_truths)
        tests.append(
            Test(
                "P",
                fill,
                float(row[0]),
                (*row[1:].tolist(), noise, -noise),
                rank_of(after, case.ground_truths),
                best > float(after[case.retrieved]) + TIE_WITHIN,
            )
        )
    return tuple(tests)


def n_images(part: HiddenPart) -> int:
    """How many images `picture_tests` encodes."""
    return 1 + N_AGAIN + len(FILL) * (1 + len(part.controls))


def encoded_again(seen: ModelInput) -> list[NDArray[np.float32]]:
    """The input saved and read again as JPEG and WebP, which changes nothing to the eye."""
    import cv2

    bgr = np.ascontiguousarray(seen.rgb[..., ::-1])
    made = []
    for suffix, flag, quality in _AGAIN:
        _, data = cv2.imencode(suffix, bgr, [getattr(cv2, flag), quality])
        back = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8)
        made.append(seen.from_rgb(np.ascontiguousarray(back[..., ::-1])))
    return made


def _encoded(inputs: list[NDArray[np.float32]], encoder: Encoder) -> NDArray[np.float32]:
    parts = [
        encoder.encode_prepared(np.stack(inputs[start : start + MOST_IMAGES]))
        for start in range(0, len(inputs), MOST_IMAGES)
    ]
    return np.concatenate(parts)
