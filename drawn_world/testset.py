"""A written demo gallery as the evaluation sees it: pictures, captions and what is annotated."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from drawn_world.reading import Seen

__all__ = ["TestSet", "open_test_set"]


@dataclass(frozen=True, slots=True)
class TestSet:
    """A gallery in columns: picture i has file `files[i]` and content `seen[i]`.

    Caption j is `captions[j]`, of picture `picture_of[j]`.
    """

    files: tuple[Path, ...]
    seen: tuple[Seen, ...]
    captions: tuple[str, ...]
    picture_of: tuple[int, ...]

    def picture(self, row: int) -> Image.Image:
        """Picture `row`, RGB."""
        with Image.open(self.files[row]) as image:
            return image.convert("RGB")

    def chosen(self, rows: list[int]) -> TestSet:
        """The gallery of the chosen pictures, in that order."""
        place = {row: new for new, row in enumerate(rows)}
        kept = [j for j, row in enumerate(self.picture_of) if row in place]
        return TestSet(
            tuple(self.files[row] for row in rows),
            tuple(self.seen[row] for row in rows),
            tuple(self.captions[j] for j in kept),
            tuple(place[self.picture_of[j]] for j in kept),
        )


def open_test_set(folder: Path) -> TestSet:
    """Read a folder written by `drawn_world.write`; the pictures stay on disk.

    Raises:
        FileNotFoundError: the folder has no `instances.json` or `captions.json`.
    """
    instances = json.loads((folder / "instances.json").read_text(encoding="ascii"))
    texts = json.loads((folder / "captions.json").read_text(encoding="ascii"))["annotations"]
    name = {category["id"]: category for category in instances["categories"]}
    counts: dict[int, Counter[str]] = {}
    looks: dict[int, dict[str, tuple[str, str]]] = {}
    for one in instances["annotations"]:
        category = name[one["category_id"]]
        if category["supercategory"] == "thing":
            counts.setdefault(one["image_id"], Counter())[category["name"]] += 1
            look = (one["attributes"]["colour"], one["attributes"]["size"])
            looks.setdefault(one["image_id"], {})[category["name"]] = look
    row_of = {image["id"]: row for row, image in enumerate(instances["images"])}
    seen = tuple(
        Seen(
            {n: (count, *looks[image["id"]][n]) for n, count in counts[image["id"]].items()},
            image["attributes"]["setting"],
            image["attributes"]["time"],
        )
        for image in instances["images"]
    )
    return TestSet(
        tuple(folder / "images" / image["file_name"] for image in instances["images"]),
        seen,
        tuple(text["caption"] for text in texts),
        tuple(row_of[text["image_id"]] for text in texts),
    )
