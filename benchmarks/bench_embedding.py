"""Embedding a gallery end to end against the bare forward pass of the same model, in one run.

End to end is `scoring.embedding.embed_gallery`: read each file, check its bytes, decode, resize,
embed, store the shards. Bare is the model alone on tensors that lie ready, in the same batches
and with the same threads; for texts, on tokens sorted by length. The pictures are the COCO photos
beside the project where they are (JPEG, about 640 x 480), else the drawn demo gallery (WebP).

Two models: open_clip's ViT-B-32 with random weights, which is as fast as a trained one (the random
weights are for speed only and are thrown away with the embeddings), and the small ``drawn-clip``,
whose forward pass costs about as much as reading the picture does: what decoding costs at worst.
Rounds alternate, so that other load meets both; the best round of each counts. On a machine that
does other work at the same time, look at the ratio of CPU seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.models import open_clip_encoder
from vlmexplain.models.load import load_model
from vlmexplain.models.open_clip_source import built_in_config
from vlmexplain.models.text_tower import encode_cut, end_places
from vlmexplain.places import data_folder
from vlmexplain.scoring import embedding
from vlmexplain.storage import home

BAR = 0.8
ARCHITECTURE = "ViT-B-32"
MODELS = (ARCHITECTURE, "drawn-clip")
KINDS = ("images", "texts")
PHOTOS = Path(__file__).parents[2] / "shared" / "data" / "coco"


@dataclass
class Clock:
    """The best round of a piece of work, in seconds and in CPU seconds of the process."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def time(self, work: Callable[[], object]) -> None:
        """Do it once."""
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        self.wall.append(time.perf_counter() - wall)
        self.cpu.append(time.process_time() - cpu)


def random_weights(folder: Path) -> str:
    """Write the architecture's random weights; the name that loads them."""
    from open_clip.model import CLIP
    from safetensors.torch import save_file

    torch.manual_seed(0)
    tensors = CLIP(**built_in_config(ARCHITECTURE)).state_dict()
    path = folder / "random.safetensors"
    save_file({key: value.contiguous() for key, value in tensors.items()}, path)
    return f"{ARCHITECTURE}@{path}"


def import_pictures() -> Gallery:
    """The photos beside the project, else the drawn demo gallery."""
    if PHOTOS.is_dir():
        notes = PHOTOS / "annotations"
        files = notes / "instances_val2017.json", notes / "captions_val2017.json"
        return import_coco(*files, PHOTOS / "images", name="photos")
    demo = data_folder() / "demo"
    files = demo / "instances.json", demo / "captions.json"
    return import_coco(*files, demo / "images", name="drawn")


def bare_images(encoder: Any, pixels: torch.Tensor) -> None:
    """The image tower on batches that lie ready."""
    with torch.inference_mode():
        for batch in pixels.split(open_clip_encoder.IMAGE_BATCH):
            encoder._model.encode_image(batch)


def bare_texts(encoder: Any, batches: list[tuple[torch.Tensor, torch.Tensor]]) -> None:
    """The text tower on batches of tokens that lie ready, cut to their longest."""
    with torch.inference_mode():
        for ids, ends in batches:
            encode_cut(encoder._tower, ids, ends)


def token_batches(encoder: Any, texts: list[str]) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """All texts as tokens, sorted by length, in the encoder's batches."""
    ids = encoder._tokenizer(texts)
    ends = end_places(encoder._tower, ids)
    order = torch.argsort(ends, stable=True).split(open_clip_encoder.TEXT_BATCH)
    return [(ids[rows].contiguous(), ends[rows]) for rows in order]


def from_scratch(gallery: Gallery, encoder: Any, kind: str, workers: int) -> None:
    """Embed the gallery's texts or its images once more; the others are there already."""
    lost = [
        m for m in (home() / "embeddings").glob("*/manifest.json") if f'"{kind}"' in m.read_text()
    ]
    for manifest in lost:
        shutil.rmtree(manifest.parent)
    mode: Any = "text-text" if kind == "texts" else "image-text"
    embedding.embed(gallery, encoder.identity, mode, lambda: encoder, workers=workers)


def measure(
    gallery: Gallery, spec: str, kinds: list[str], rounds: int, workers: int
) -> dict[str, Any]:
    """Images and texts of one model, bare and end to end."""
    encoder: Any = load_model(spec, "cpu")
    texts = list(embedding.distinct_texts(gallery)[0])
    report: dict[str, Any] = {}
    for kind in kinds:
        bare_work = ready(gallery, encoder, kind, texts)
        n = gallery.n_images if kind == "images" else len(texts)
        embedding.embed(gallery, encoder.identity, "text-text", lambda: encoder)
        bare, whole = Clock(), Clock()
        for _ in range(rounds):
            bare.time(bare_work)
            whole.time(lambda kind=kind: from_scratch(gallery, encoder, kind, workers))
        report[kind] = {
            "n": n,
            "bare_per_s": round(n / min(bare.wall), 1),
            "end_to_end_per_s": round(n / min(whole.wall), 1),
            "ratio": round(min(bare.wall) / min(whole.wall), 3),
            "cpu_ratio": round(min(bare.cpu) / min(whole.cpu), 3),
        }
    return report


def ready(gallery: Gallery, encoder: Any, kind: str, texts: list[str]) -> Callable[[], None]:
    """The bare forward pass, on inputs that lie ready."""
    if kind == "texts":
        batches = token_batches(encoder, texts)
        return lambda: bare_texts(encoder, batches)
    pictures = [encoder.preprocess(gallery.read_rgb(i)) for i in range(gallery.n_images)]
    pixels = torch.from_numpy(np.stack(pictures))
    return lambda: bare_images(encoder, pixels)


def main() -> int:
    """Run, print one JSON document, and fail under the bar with ``--check``."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=0, help="processes that decode (0: threads)")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--check", action="store_true", help=f"exit 1 under {BAR}")
    args = parser.parse_args()
    report: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["VLMEXPLAIN_HOME"] = str(Path(folder) / "home")
        gallery = import_pictures()
        report |= {"pictures": gallery.name, "threads": torch.get_num_threads()}
        report |= {"decoding processes": args.workers, "bar": BAR}
        for name in args.models:
            spec = random_weights(Path(folder)) if name == ARCHITECTURE else name
            report[name] = measure(gallery, spec, args.kinds, args.rounds, args.workers)
    report["load"] = round(os.getloadavg()[0], 1)
    print(json.dumps(report, indent=1))
    ratios = [kind["ratio"] for kind in report.get(ARCHITECTURE, {}).values()]
    return 1 if args.check and min(ratios, default=0.0) < BAR else 0


if __name__ == "__main__":
    sys.exit(main())
