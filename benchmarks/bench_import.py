"""Import of made-up COCO train2017 and Visual Genome files: seconds and peak memory.

Full size (--fraction 1): 118,287 images, 860,001 annotations with polygons, 591,753 captions; and
108,077 images with 3.8 million objects. All pictures are links to one made-up 640 x 480 photo, so
each is decoded, but read from memory. Every import runs in a process of its own. With --pycocotools
the same instances file is also read by pycocotools, for comparison.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from vlmexplain.concepts.coco_categories import coco_synset_table
from vlmexplain.concepts.wordnet import load_wordnet

COCO = {"images": 118_287, "annotations": 860_001, "captions": 591_753}
VG = {"images": 108_077, "objects": 3_802_374}
MEMORY_LIMIT_MIB = 4096
PICTURE = "one.jpg"

IMPORT = """
import json, resource, sys, time
from pathlib import Path
from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.visual_genome import import_vg

kind, folder, verify = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
stages, began = {}, time.perf_counter()

def progress(p):
    first, _ = stages.get(p.stage, (time.perf_counter(), 0))
    stages[p.stage] = (first, p.total)

if kind == "coco":
    gallery = import_coco(folder / "instances.json", folder / "captions.json", folder / "coco",
                          name="bench coco", verify=verify, progress=progress)
else:
    gallery = import_vg(folder / "objects.json", folder / "image_data.json", folder / "vg",
                        name="bench vg", verify=verify, progress=progress)
end = time.perf_counter()
starts = [(first, stage, total) for stage, (first, total) in stages.items()] + [(end, "", 0)]
parts = {s: [round(b[0] - a, 1), t] for (a, s, t), b in zip(starts, starts[1:])}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"seconds": end - began, "peak_mib": peak, "stages": parts,
                  "taken": dict(gallery.checks().taken)}))
"""

PYCOCOTOOLS = """
import contextlib, io, json, resource, sys, time
from pycocotools.coco import COCO
began = time.perf_counter()
with contextlib.redirect_stdout(io.StringIO()):
    COCO(sys.argv[1])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"seconds": time.perf_counter() - began, "peak_mib": peak}))
"""


def photo(path: Path) -> None:
    """A 640 x 480 JPEG of about the size of a COCO photo."""
    rng = np.random.default_rng(0)
    coarse = rng.integers(256, size=(60, 80, 3)).astype(np.uint8)
    image = Image.fromarray(coarse).resize((640, 480), Image.Resampling.BICUBIC)
    noise = rng.integers(-12, 12, size=(480, 640, 3))
    noisy = np.clip(np.asarray(image).astype(int) + noise, 0, 255).astype(np.uint8)
    Image.fromarray(noisy).save(path, "JPEG", quality=90)


def pictures(folder: Path, n_images: int) -> None:
    """As many names as there are images, all links to one photo within the folder."""
    folder.mkdir()
    photo(folder / PICTURE)
    for number in range(1, n_images + 1):
        (folder / f"{number}.jpg").symlink_to(PICTURE)


def write_array(file: object, records: Iterator[str]) -> None:
    """Write a JSON array of records that are JSON already."""
    write = file.write  # type: ignore[attr-defined]
    write("[")
    for n, record in enumerate(records):
        write(", " + record if n else record)
    write("]")


def coco_files(folder: Path, fraction: float) -> None:
    """instances.json and captions.json, official form, about 520 bytes an annotation."""
    n_images, n_annotations, n_captions = (max(1, int(n * fraction)) for n in COCO.values())
    rng = np.random.default_rng(0)
    pictures(folder / "coco", n_images)
    polygons = [
        json.dumps([[round(v, 2) for v in (rng.random(56) * 600).tolist()]]) for _ in range(500)
    ]

    def annotation(n: int) -> str:
        return (
            f'{{"segmentation": {polygons[n % 500]}, "area": 702.1, "iscrowd": 0, '
            f'"image_id": {n % n_images + 1}, "bbox": [{n % 500}.25, {n % 380}.5, {20 + n % 90}'
            f'.75, {15 + n % 70}.5], "category_id": {n % 80 + 1}, "id": {n + 1}}}'
        )

    names = sorted(coco_synset_table())
    images = (
        json.dumps({
            "license": 3, "file_name": f"{n}.jpg", "height": 480, "width": 640, "id": n,
            "coco_url": f"http://images.cocodataset.org/train2017/{n:012}.jpg",
            "flickr_url": f"http://farm9.staticflickr.com/8186/{n}_z.jpg",
        })
        for n in range(1, n_images + 1)
    )  # fmt: skip
    with (folder / "instances.json").open("w") as file:
        file.write('{"info": {}, "licenses": [], "images": ')
        write_array(file, images)
        file.write(', "annotations": ')
        write_array(file, (annotation(n) for n in range(n_annotations)))
        categories = [{"id": n + 1, "name": name} for n, name in enumerate(names)]
        file.write(', "categories": ' + json.dumps(categories) + "}")
    with (folder / "captions.json").open("w") as file:
        file.write('{"images": [], "annotations": ')
        texts = (
            json.dumps({
                "image_id": n % n_images + 1, "id": n + 1,
                "caption": f"A {names[n % 80]} next to a {names[n % 79]} in picture {n}.",
            })
            for n in range(n_captions)
        )  # fmt: skip
        write_array(file, texts)
        file.write("}")


def vg_files(folder: Path, fraction: float) -> None:
    """objects.json and image_data.json with a vocabulary of several thousand synsets."""
    n_images, n_objects = (max(1, int(n * fraction)) for n in VG.values())
    rng = np.random.default_rng(0)
    pictures(folder / "vg", n_images)
    synsets = [name for name in load_wordnet().names() if name.split(".")[1] == "n"]
    chosen = rng.choice(synsets, 7600, replace=False).tolist()
    per_image = np.diff(np.linspace(0, n_objects, n_images + 1).astype(int)).tolist()

    def record(image_id: int, total: int) -> str:
        kinds = np.minimum(rng.zipf(1.3, total), len(chosen)) - 1
        boxes = (rng.random((total, 4)) * (400, 300, 300, 200)).astype(int).tolist()
        objects = ", ".join(
            f'{{"synsets": ["{chosen[kind]}"], "h": {h + 1}, "object_id": {image_id * 1000 + k}, '
            f'"merged_object_ids": [], "names": ["{chosen[kind].split(".")[0]}"], '
            f'"w": {w + 1}, "y": {y}, "x": {x}}}'
            for k, (kind, (x, y, w, h)) in enumerate(zip(kinds.tolist(), boxes, strict=True))
        )
        return (
            f'{{"image_id": {image_id}, "objects": [{objects}], '
            f'"image_url": "https://example.org/VG_100K/{image_id}.jpg"}}'
        )

    with (folder / "objects.json").open("w") as file:
        write_array(file, (record(n + 1, total) for n, total in enumerate(per_image)))
    with (folder / "image_data.json").open("w") as file:
        data = (
            json.dumps({
                "image_id": n, "width": 800, "height": 600, "coco_id": None, "flickr_id": n,
                "url": f"https://example.org/VG_100K/{n}.jpg",
            })
            for n in range(1, n_images + 1)
        )  # fmt: skip
        write_array(file, data)


def measured(script: str, *arguments: str, home: Path) -> dict[str, object]:
    """Run a script in a process of its own; what it printed as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"VLMEXPLAIN_HOME": str(home)},
        cwd=Path(__file__).parents[1],
    )
    result: dict[str, object] = json.loads(done.stdout)
    return result


def main() -> None:
    """Make the files, import them, print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fraction", type=float, default=0.05, help="of the full size")
    parser.add_argument("--only", choices=["coco", "vg"])
    parser.add_argument("--verify", choices=["decode", "header"], default="decode")
    parser.add_argument("--pycocotools", action="store_true", help="measure its reading as well")
    parser.add_argument("--folder", type=Path, help="where to put the files (default: temporary)")
    parser.add_argument("--check", action="store_true", help=f"exit 1 over {MEMORY_LIMIT_MIB} MiB")
    args = parser.parse_args()
    worst = 0.0
    with tempfile.TemporaryDirectory(dir=args.folder) as scratch:
        folder, home = Path(scratch), Path(scratch) / "home"
        os.environ["VLMEXPLAIN_HOME"] = str(home)
        load_wordnet()  # sets it up, which is no part of an import
        for kind, make in (("coco", coco_files), ("vg", vg_files)):
            if args.only in (None, kind):
                began = time.perf_counter()
                make(folder, args.fraction)
                print(f"{kind}: files made in {time.perf_counter() - began:.0f} s", flush=True)
                result = measured(IMPORT, kind, str(folder), args.verify, home=home)
                worst = max(worst, float(str(result["peak_mib"])))
                print(json.dumps({"import": kind, **result}, indent=1), flush=True)
        if args.pycocotools and args.only != "vg":
            result = measured(PYCOCOTOOLS, str(folder / "instances.json"), home=home)
            print(json.dumps({"pycocotools reads instances.json": result}, indent=1))
    if args.check and worst > MEMORY_LIMIT_MIB:
        raise SystemExit(f"peak memory {worst:,.0f} MiB is over {MEMORY_LIMIT_MIB:,} MiB")


if __name__ == "__main__":
    main()
