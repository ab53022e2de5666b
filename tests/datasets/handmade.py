"""Small hand-made twins of the trap files: they always run, whatever lies beside the project."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import numpy as np
from PIL import Image

WIDTH, HEIGHT = 64, 40
BALL = (8, 12, 14, 14)
RED, GRASS = (200, 30, 30), (90, 150, 70)


def picture(mode: str = "RGB", seed: int = 0) -> Image.Image:
    """A red box on grass; ``seed`` changes one corner, so that contents differ."""
    image = Image.new("RGB", (WIDTH, HEIGHT), GRASS)
    image.paste(RED, (BALL[0], BALL[1], BALL[0] + BALL[2], BALL[1] + BALL[3]))
    image.paste((seed % 256, 0, 255), (WIDTH - 8, HEIGHT - 8, WIDTH, HEIGHT))
    return image.convert(mode)


def bomb_png(width: int, height: int) -> bytes:
    """A PNG whose header claims ``width`` x ``height`` pixels, with hardly any bytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes(1000))
    ends = chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + ends


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    """The picture as a file's bytes."""
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def exif_bytes(orientation: int) -> bytes:
    """An EXIF block with nothing but an orientation."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif.tobytes()


def trap_pictures() -> dict[str, bytes]:
    """The twins of ``shared/cases/images``."""
    palette = picture().quantize(8)
    clear = palette.getpixel((0, 0))
    half = picture("RGBA")
    half.putalpha(Image.new("L", half.size, 128))
    gray16 = Image.fromarray(np.full((HEIGHT, WIDTH), 257 * 100, np.uint16))
    whole = encoded(Image.effect_noise((WIDTH, HEIGHT), 90), "JPEG", quality=90)
    return {
        "plain.jpg": encoded(picture(), "JPEG", quality=95),
        "rotate90.jpg": encoded(picture(), "JPEG", quality=95, exif=exif_bytes(6)),
        "cmyk.jpg": encoded(picture("CMYK"), "JPEG", quality=95),
        "gray.jpg": encoded(picture("L"), "JPEG", quality=95),
        "palette.png": encoded(palette, "PNG", transparency=clear),
        "rgba.png": encoded(half, "PNG"),
        "16bit.png": encoded(gray16, "PNG"),
        "truncated.jpg": whole[: len(whole) * 2 // 3],
        "not_an_image.jpg": b"this is not a picture\n",
        "empty.jpg": b"",
        "bomb.png": bomb_png(30_000, 30_000),
    }


def coco_files(
    n_images: int = 3, **changes: Any
) -> tuple[dict[str, Any], dict[str, Any], dict[str, bytes]]:
    """Instances, captions and pictures of a sound small data set; keys can be replaced."""
    names = {n: f"{n:012}.png" for n in range(1, n_images + 1)}
    image_records = [
        {"id": n, "file_name": name, "width": WIDTH, "height": HEIGHT, "license": 3}
        for n, name in names.items()
    ]
    instances = {
        "info": {},
        "licenses": [{"id": 3, "name": "Attribution License", "url": "http://example.org/by"}],
        "images": image_records,
        "annotations": [
            {"id": 10 * n, "image_id": n, "category_id": 37, "bbox": list(BALL), "iscrowd": 0}
            for n in names
        ],
        "categories": [{"id": 90, "name": "toothbrush"}, {"id": 37, "name": "sports ball"}],
    }
    captions = {
        "images": image_records,
        "annotations": [
            {"id": 100 * n + k, "image_id": n, "caption": f"a ball, number {n}, view {k}"}
            for n in names
            for k in range(2)
        ],
    }
    content = {name: encoded(picture(seed=n), "PNG") for n, name in names.items()}
    return instances | changes, captions, content
