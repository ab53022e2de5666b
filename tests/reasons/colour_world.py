"""A world whose scores are known by hand: a model that sees the mean colour and nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.models.fake import fake_identity
from vlmexplain.models.protocol import Token, normalised
from vlmexplain.scoring import run as run_module
from vlmexplain.scoring.run import Run, run

SIDE = 32
GREY = (51, 51, 51)
AXIS = {"red": 0, "green": 1, "blue": 2}
REST = 0.2
SPEC = "fake:4711"

# name, colour, box x y w h
Thing = tuple[str, tuple[int, int, int], tuple[int, int, int, int]]

SCENES: list[tuple[list[Thing], list[str]]] = [
    ([("ball", (255, 0, 0), (4, 4, 12, 8))], ["a red ball without a dog", "red ball"]),
    ([("apple", (255, 0, 0), (0, 0, 16, 16))],
     ["a green clock"]),
    ([("clock", (0, 255, 0), (20, 20, 8, 8))], ["one green clock", "blue sky"]),
    ([("ball", (0, 0, 255), (4, 4, 16, 12))], ["a blue ball"]),
    ([("ball", (0, 0, 255), (4, 4, 8, 8)), ("ball", (0, 0, 255), (16, 16, 8, 8))], ["red"]),
]  # fmt: skip
NAMES = ["ball", "apple", "clock", "dog"]


class MeanColourEncoder:
    """Image: normalised (mean red, green, blue, 0.2). Text: the axes of its colour words."""

    mode = "image-text"
    dimension = 4
    context_length = 77

    def __init__(self) -> None:
        self.identity = fake_identity(4711, "image-text")
        self.encoded = 0

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), 4))
        for row, text in zip(rows, texts, strict=True):
            row[3] = REST
            for word in text.lower().split():
                if word in AXIS:
                    row[AXIS[word]] += 1
        return normalised(rows)

    def preprocess(self, image: Image.Image) -> NDArray[np.float32]:
        small = image.convert("RGB").resize((SIDE, SIDE), Image.Resampling.NEAREST)
        return np.asarray(small, dtype=np.float32).transpose(2, 0, 1) / np.float32(255)

    def encode_prepared(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        self.encoded += len(batch)
        means = batch.astype(np.float64).mean(axis=(2, 3))
        return normalised(np.concatenate((means, np.full((len(batch), 1), REST)), axis=1))

    def encode_images(self, images: Sequence[Image.Image]) -> NDArray[np.float32]:
        return self.encode_prepared(np.stack([self.preprocess(image) for image in images]))

    def tokens(self, text: str) -> tuple[Token, ...]:
        return ()

    def count_tokens(self, text: str) -> int:
        return len(text.split()) + 2


@dataclass(frozen=True)
class ReasonWorld:
    """A home with a gallery, its run, and the model."""

    home: Path
    gallery: Gallery
    run: Run
    encoder: MeanColourEncoder


def make_world(folder: Path, home: Path, order: list[int]) -> ReasonWorld:
    """The world with its images under other ids: another order of the gallery."""
    gallery = import_coco(**write_files(folder, order), name="reasons")
    encoder = MeanColourEncoder()
    patch = pytest.MonkeyPatch()
    patch.setattr(run_module, "load_model", lambda *_: encoder)
    try:
        return ReasonWorld(home, gallery, run(gallery, SPEC), encoder)
    finally:
        patch.undo()


def write_files(folder: Path, order: list[int]) -> dict[str, Path]:
    """COCO files; ``order[n]`` is the scene of image n."""
    pictures = folder / "images"
    pictures.mkdir(parents=True)
    images, captions, annotations = [], [], []
    for number, scene in enumerate(order, start=1):
        things, texts = SCENES[scene]
        pixels = np.full((SIDE, SIDE, 3), GREY, dtype=np.uint8)
        for name, colour, (x, y, w, h) in things:
            pixels[y : y + h, x : x + w] = colour
            annotations.append(
                {"id": len(annotations) + 1, "image_id": number, "iscrowd": 0,
                 "category_id": NAMES.index(name) + 1, "bbox": [x, y, w, h]}
            )  # fmt: skip
        Image.fromarray(pixels).save(pictures / f"{number}.png")
        images.append({"id": number, "file_name": f"{number}.png", "width": SIDE, "height": SIDE})
        captions += [
            {"id": 100 * number + n, "image_id": number, "caption": text}
            for n, text in enumerate(texts)
        ]
    categories = [{"id": n, "name": name} for n, name in enumerate(NAMES, start=1)]
    for name, rows in (("instances", annotations), ("captions", captions)):
        document = {"images": images, "categories": categories, "annotations": rows}
        (folder / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    return {
        "instances": folder / "instances.json",
        "captions": folder / "captions.json",
        "images": pictures,
    }
