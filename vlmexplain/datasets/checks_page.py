"""The page `docs/data_checks.md`, made from the table of checks."""

from __future__ import annotations

import sys

from vlmexplain.datasets.boxes import DUPLICATE_IOU, EDGE_TOLERANCE_PX
from vlmexplain.datasets.checks import CHECKS, IDS_KEPT, Severity
from vlmexplain.datasets.images import FORMATS, PIXEL_LIMIT

_HEADINGS: tuple[tuple[Severity, str], ...] = (
    ("left-out", "Left out"),
    ("flagged", "Taken, but look at"),
    ("taken", "Taken after a harmless change"),
)

_RULES = f"""\
## The rules behind them
- **Pictures** are read from inside the image folder only: no `..`, no absolute names, no links
  that lead out. {", ".join(FORMATS)} are read. A picture with more than {PIXEL_LIMIT:,} pixels
  is refused before it is decoded.
- **One policy for encoder, page and boxes**: upright (EXIF orientation applied), RGB,
  transparency on white, 16-bit values scaled. Boxes are annotated in the stored pixel grid and
  are turned with the picture; a gallery holds sizes and boxes of the upright picture. If the
  size given with the annotations fits only the upright picture, the boxes are taken to be
  upright already, and the image is flagged.
- **Sizes**: where the picture has another size than its annotations say (Visual Genome, resized
  copies), boxes are scaled to it.
- **Ids**: `139`, `139.0` and `"139"` are one id. Galleries are in the order of image ids:
  numbers by value, then the rest by letters.
- **No guessing**: an image id that names two files, or a category id with two names, is used
  for nothing. A box that is not four finite numbers is no box; texts are never read as numbers.
- **The box past the edge** is kept as annotated; its area is that of the part inside. It is
  flagged from {EDGE_TOLERANCE_PX} pixels on.
- **Near-identical boxes** (IoU at least {DUPLICATE_IOU}) of one concept in one image are
  flagged and counted as annotated.
- **Masks**: polygons and run lengths are kept beside the boxes, turned and scaled with the
  picture, and drawn when they are asked for. Metrics use boxes. A mask is found by its
  annotation's id: an id that several share has none.
- **Concepts of COCO**: a category's own `synset` field, else the table of 80 categories (or the
  user's over it), else the first noun sense of its name, flagged. **Of Visual Genome**: the
  first synset given; without one, the first noun sense of a name or of its aliases; else none.
- **Two Visual Genome images on one COCO image**: the one with the lowest id whose picture can
  be read is taken and flagged, the others are left out.
- **Captions** are trimmed at both ends and otherwise kept as they are written. The same caption
  twice for one image is kept once, under the lowest id.
- Images without captions stay in the gallery: they can be retrieved. Captions and annotations
  of images that are not listed are left out.
- A picture is read later only if its bytes are still those that were imported
  (`image-changed`).
"""


def checks_page() -> str:
    """The page as Markdown."""
    parts = [
        "# Data checks\n",
        "<!-- Made by: python -m vlmexplain.datasets.checks_page > docs/data_checks.md -->\n",
        "What an import can find, by code. Every import ends with a summary of these, which is "
        "kept with the gallery\nand shown in the app: how often each was met, and for which ids "
        f"(the first {IDS_KEPT:,}; counts are exact).\n",
    ]
    for severity, heading in _HEADINGS:
        rows = [
            f"| `{c.code}` | {c.about} | {c.sentence} | {c.remedy} |"
            for c in CHECKS.values()
            if c.severity == severity
        ]
        head = "| code | about | what it means | what to do |\n|---|---|---|---|"
        parts.append(f"## {heading}\n{head}\n" + "\n".join(rows) + "\n")
    return "\n".join([*parts, _RULES])


if __name__ == "__main__":
    sys.stdout.write(checks_page())
