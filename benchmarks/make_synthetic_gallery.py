"""Build a synthetic gallery of COCO train2017's size (118,287 images, 591,753 captions).

It goes straight through the gallery writer: no annotation files, one tiny picture for all images
(or, with --distinct-pictures, one each). The instances follow COCO in number (7.3 an image) and in
how unevenly the categories occur. It is kept under VLMEXPLAIN_HOME like any other gallery.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import resource
import time
from pathlib import Path

import numpy as np
from PIL import Image

from vlmexplain.concepts.coco_categories import coco_synset_table
from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.checks import CheckLog, InstanceFlag
from vlmexplain.datasets.columns import (
    CaptionColumns,
    GalleryColumns,
    ImageColumns,
    InstanceColumns,
)
from vlmexplain.datasets.gallery_writer import write_gallery
from vlmexplain.storage import home

WIDTH, HEIGHT = 640, 480
INSTANCES_AN_IMAGE = 7.3
CROWD_SHARE = 0.0117  # COCO train2017: 10,084 of 860,001
PLACES = ("on the grass", "in a room", "by the road", "at the beach", "on a table", "in the rain")
LOOKS = ("small", "red", "large", "old", "white", "blue", "wooden", "young")


def tiny_picture(number: int) -> bytes:
    """A BMP of 4 x 3 pixels whose first pixel tells its number."""
    image = Image.new("RGB", (4, 3), (90, 150, 70))
    image.putpixel((0, 0), (number & 255, number >> 8 & 255, number >> 16 & 255))
    out = io.BytesIO()
    image.save(out, "BMP")
    return out.getvalue()


def write_pictures(folder: Path, n_images: int, distinct: bool) -> tuple[list[str], list[str]]:
    """Write the pictures; the file name and the content hash of each image."""
    folder.mkdir(parents=True, exist_ok=True)
    names, digests = [], []
    for number in range(n_images if distinct else 1):
        name = f"{number // 1000:04}/{number:012}.bmp" if distinct else "shared.bmp"
        content, path = tiny_picture(number), folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        names.append(name)
        digests.append(hashlib.sha256(content).hexdigest())
    repeats = 1 if distinct else n_images
    return names * repeats, digests * repeats


def write_photos(folder: Path, n_images: int, n_photos: int) -> tuple[list[str], list[str]]:
    """Write JPEG files of a photo's size, which the images share in turn; names and hashes."""
    folder.mkdir(parents=True, exist_ok=True)
    names, digests = [], []
    for number in range(n_photos):
        rng = np.random.default_rng(number)
        coarse = Image.fromarray(
            rng.integers(256, size=(HEIGHT // 5, WIDTH // 5, 3), dtype=np.uint8)
        )
        out = io.BytesIO()
        coarse.resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC).save(out, "JPEG", quality=90)
        path = folder / f"{number:06}.jpg"
        path.write_bytes(out.getvalue())
        names.append(path.name)
        digests.append(hashlib.sha256(out.getvalue()).hexdigest())
    repeats = -(-n_images // n_photos)
    return (names * repeats)[:n_images], (digests * repeats)[:n_images]


def instances(rng: np.random.Generator, n_images: int) -> InstanceColumns:
    """Instances in COCO's number and unevenness; some crowd regions, some without a box."""
    table = sorted(coco_synset_table().items())
    synsets = sorted(set(dict(table).values()))
    per_image = rng.geometric(1 / (1 + INSTANCES_AN_IMAGE), n_images) - 1
    image = np.repeat(np.arange(n_images, dtype=np.int32), per_image)
    total = len(image)
    # An image has few kinds of things, many of each: draw a handful, then among them.
    share = 1 / np.arange(1, len(table) + 1)
    kinds = rng.choice(len(table), size=(n_images, 4), p=share / share.sum()).astype(np.int32)
    name = kinds[image, rng.integers(4, size=total)]
    synset = np.array([synsets.index(s) for _, s in table], np.int32)[name]
    size = np.minimum(rng.lognormal(4, 1, (total, 2)), (WIDTH, HEIGHT))
    corner = rng.random((total, 2)) * (np.array([WIDTH, HEIGHT]) - size)
    box = np.round(np.concatenate([corner, size], axis=1), 2)
    flags = np.zeros(total, np.int32)
    without = rng.random(total) < 0.001
    box[without], flags[without] = np.nan, InstanceFlag.BOX_MISSING.value
    crowd = rng.random(total) < CROWD_SHARE
    flags[crowd] |= InstanceFlag.BOX_OF_CROWD.value
    return InstanceColumns(
        image_index=image,
        synset_code=synset,
        name_code=name,
        box=box,
        crowd=crowd,
        instance_id=np.arange(1, total + 1),
        flags=flags,
        synsets=synsets,
        names=[each for each, _ in table],
    )


def captions(
    rng: np.random.Generator, n_images: int, n_captions: int, found: InstanceColumns
) -> CaptionColumns:
    """Captions about the first things of their image, spread evenly over the images."""
    image = (np.arange(n_captions) % n_images).astype(np.int32)
    offsets = np.searchsorted(found.image_index, np.arange(n_images + 1))
    words = rng.integers((len(LOOKS), len(PLACES), 1 << 30, 1 << 30), size=(n_captions, 4))
    texts = []
    for i, (look, place, one, other) in zip(image.tolist(), words.tolist(), strict=True):
        first, total = int(offsets[i]), int(offsets[i + 1] - offsets[i])
        if total:
            names = [found.names[found.name_code[first + k % total]] for k in (one, other)]
            text = f"a {LOOKS[look]} {names[0]} next to a {names[1]} {PLACES[place]}"
        else:
            text = f"a {LOOKS[look]} place {PLACES[place]}"
        texts.append(f"{text}, view {len(texts) // n_images}")
    return CaptionColumns(image, [str(n) for n in range(1, n_captions + 1)], texts)


def build(
    n_images: int, n_captions: int, seed: int, name: str, distinct: bool, photos: int = 0
) -> str:
    """Build the gallery; its id. With ``photos`` the images share so many of a photo's size."""
    rng = np.random.default_rng(seed)
    kind = f"photos-{photos}" if photos else f"{n_images}" if distinct else "shared"
    folder = home() / "synthetic-pictures" / kind
    if photos:
        names, digests = write_photos(folder, n_images, photos)
    else:
        names, digests = write_pictures(folder, n_images, distinct)
    found = instances(rng, n_images)
    spoken = captions(rng, n_images, n_captions, found)
    blank = [""] * n_images
    images = ImageColumns(
        image_id=[str(n) for n in range(1, n_images + 1)],
        file_name=names,
        width_px=np.full(n_images, WIDTH, np.int32),
        height_px=np.full(n_images, HEIGHT, np.int32),
        orientation=np.ones(n_images, np.int8),
        content_sha256=digests,
        licence=["made up"] * n_images,
        licence_url=blank,
        source_url=blank,
        coco_url=blank,
        coco_id=[None] * n_images,
    )
    log = CheckLog()
    for flag in (InstanceFlag.BOX_MISSING, InstanceFlag.BOX_OF_CROWD):
        rows = np.flatnonzero(found.flags & flag.value)
        log.add_many(flag.code, rows.size, found.instance_id[rows].tolist())
    summary = log.summary(
        images=n_images, captions=n_captions, annotations=len(found.image_index),
        concepts=len(found.synsets),
    )  # fmt: skip
    return write_gallery(
        GalleryColumns(images, spoken, found),
        name=name,
        images_folder=folder,
        summary=summary,
        wordnet=load_wordnet(),
        options={"kind": "synthetic", "seed": seed},
    )


def main() -> None:
    """Build the gallery and say how long it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=int, default=118_287)
    parser.add_argument("--queries", type=int, default=591_753, help="captions")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--name", help="default: synthetic-IMAGES")
    parser.add_argument("--distinct-pictures", action="store_true", help="one file an image")
    args = parser.parse_args()
    began = time.perf_counter()
    name = args.name or f"synthetic-{args.images}"
    gallery_id = build(args.images, args.queries, args.seed, name, args.distinct_pictures)
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name}: {args.images:,} images, {args.queries:,} captions, id {gallery_id}")
    print(f"{time.perf_counter() - began:.1f} s, peak memory {peak_mib:,.0f} MiB")


if __name__ == "__main__":
    main()
