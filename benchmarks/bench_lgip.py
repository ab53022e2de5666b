"""LGIP in bulk against a per-caption loop in the style of the reference, in one run.

Both score the same perturbations of the same captions and pictures with the same open_clip
model on the same machine. The loop encodes a picture at a time, the captions of an image in one
call, and for each caption its paraphrases in one call and its flips in one call, 77 tokens each.
The work is cut into rounds of other pictures; in each, both run one after the other, so that a
machine that slows down slows both. Prints one JSON document: triples a second of both on the
clock, their ratio, that of each round and of CPU time, and the largest difference between their
metrics. Neither time holds the loading of the model or the making of the texts. The weights are
random: speed does not depend on them. ``--size base`` is the text tower of ViT-B-32.

    python benchmarks/bench_lgip.py [--images 60] [--rounds 3] [--size small] [--check]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

BAR = 5.0
SAME_WITHIN = 1e-6

SIZES = {  # text width, layers, heads
    "tiny": (128, 3, 2),
    "small": (256, 6, 4),
    "base": (512, 12, 8),  # the text tower of ViT-B-32
}


def make_model(folder: Path, size: str) -> str:
    """Write an open_clip model with random weights; its spec."""
    import torch
    from open_clip.model import CLIP
    from safetensors.torch import save_file

    width, layers, heads = SIZES[size]
    config: dict[str, Any] = {
        "embed_dim": width,
        "vision_cfg": {
            "image_size": 64,
            "layers": layers,
            "width": width,
            "head_width": width // heads,
            "patch_size": 16,
        },
        "text_cfg": {
            "context_length": 77,
            "vocab_size": 49408,
            "width": width,
            "heads": heads,
            "layers": layers,
        },
    }
    torch.manual_seed(0)
    model = CLIP(**json.loads(json.dumps(config)))
    (folder / "bench.json").write_text(json.dumps(config))
    tensors = {name: value.contiguous() for name, value in model.state_dict().items()}
    save_file(tensors, folder / "bench.safetensors")
    return f"{folder / 'bench.json'}@{folder / 'bench.safetensors'}"


def make_data(folder: Path, n_images: int, seed: int = 0) -> tuple[Path, Path, Path]:
    """COCO files with pictures of noise and five captions each, as long as COCO's (10.5 words)."""
    import numpy as np
    from PIL import Image

    rng, noise = random.Random(seed), np.random.default_rng(seed)
    subjects = "a man|two dogs|a black cat|a woman|three people|a red bus|a person|a white horse"
    verbs = "sitting|standing|walking slowly|riding along|looking around|waiting quietly"
    places = "on the side of a busy street|next to a small wooden table|in a green field"
    places += "|in front of a building|near a large body of water|on top of a hill"
    ends = "|||with a bicycle|at night"
    images_folder = folder / "images"
    images_folder.mkdir()
    images, annotations = [], []
    for i in range(n_images):
        pixels = noise.integers(0, 256, (96, 128, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(images_folder / f"{i:06d}.jpg")
        images.append({"id": i, "file_name": f"{i:06d}.jpg", "width": 128, "height": 96})
        for j in range(5):
            parts = [rng.choice(part.split("|")) for part in (subjects, verbs, places, ends)]
            caption = " ".join(filter(None, parts)).capitalize() + "."
            annotations.append({"id": 5 * i + j, "image_id": i, "caption": caption})
    captions, instances = folder / "captions.json", folder / "instances.json"
    captions.write_text(json.dumps({"images": images, "annotations": annotations}))
    instances.write_text(
        json.dumps(
            {
                "images": images,
                "categories": [{"id": 1, "name": "dog"}],
                "annotations": [
                    {"id": 1, "image_id": 0, "category_id": 1, "bbox": [1, 1, 9, 9], "iscrowd": 0}
                ],
            }
        )
    )
    return instances, captions, images_folder


class Loop:
    """The reference's way with the same weights: raw open_clip, one call a caption and kind."""

    def __init__(self, spec: str, folder: Path):
        import open_clip
        import torch
        from open_clip.model import CLIP
        from safetensors.torch import load_file

        from vlmexplain.models.load import load_model

        config, weights = spec.split("@")
        self.model = CLIP(**json.loads(Path(config).read_text())).eval()
        self.model.load_state_dict(load_file(weights))
        self.tokenizer = open_clip.get_tokenizer("ViT-B-32")
        self.preprocess = load_model(spec).preprocess  # the model's own transform
        self.folder = folder
        self.torch = torch

    def texts(self, texts: list[str]) -> Any:
        with self.torch.no_grad():
            features = self.model.encode_text(self.tokenizer(texts))
        return features / features.norm(dim=-1, keepdim=True)

    def image(self, path: str) -> Any:
        from PIL import Image

        with Image.open(self.folder / path) as picture, self.torch.no_grad():
            pixels = self.torch.from_numpy(self.preprocess(picture.convert("RGB")))[None]
            features = self.model.encode_image(pixels)[0]
        return features / features.norm()

    def run(self, lines: list[dict[str, Any]]) -> dict[str, Any]:
        """The metrics over the lines of the benchmark's file."""
        invariance: list[float] = []
        gaps: dict[str, list[float]] = {"color": [], "number": [], "object": []}
        for line in lines:
            image = self.image(line["image_path"])
            bases = (self.texts(line["orig_captions"]) @ image).tolist()
            for i, base in enumerate(bases):
                same, flips = line["same_caps"][str(i)], line["diff_caps"][str(i)]
                if same:
                    scores = (self.texts(same) @ image).tolist()
                    invariance += [abs(base - score) for score in scores]
                if flips:
                    kinds = [
                        kind for kind in gaps for _ in line[f"diff_caps_{kind}"][str(i)]
                    ]  # the file has the flips in this order
                    for kind, score in zip(
                        kinds, (self.texts(flips) @ image).tolist(), strict=True
                    ):
                        gaps[kind].append(base - score)
        every = [gap for own in gaps.values() for gap in own]
        return {
            "invariance_error_mean": sum(invariance) / len(invariance),
            "sensitivity_gap_mean": sum(every) / len(every),
            "sensitivity_pos_rate": sum(gap > 0 for gap in every) / len(every),
            **{f"gap_{kind}": sum(own) / len(own) for kind, own in gaps.items() if own},
            "n": len(invariance) + len(every),
        }


def flattened(metrics: dict[str, Any]) -> dict[str, Any]:
    """Our metrics under the loop's names."""
    names = ("invariance_error_mean", "sensitivity_gap_mean", "sensitivity_pos_rate")
    by_type = metrics["by_flip_type"].items()
    return {
        **{name: metrics[name] for name in names},
        **{f"gap_{kind}": own["gap_mean"] for kind, own in by_type if own["count"]},
        "n": metrics["num_invariance_pairs"] + metrics["num_sensitivity_pairs"],
    }


def main() -> int:
    """Run both, print one JSON document, and fail under the bar with ``--check``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--coco", nargs=3, type=Path, metavar=("INSTANCES", "CAPTIONS", "IMAGES"), default=None
    )
    parser.add_argument("--check", action="store_true", help=f"exit 1 under {BAR:g}")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        document = measure(Path(name), args)
    print(json.dumps(document, indent=1))
    fast = document["ratio"] >= BAR and document["largest_difference"] <= SAME_WITHIN
    return 0 if fast or not args.check else 1


def measure(folder: Path, args: argparse.Namespace) -> dict[str, Any]:
    """Both, on the same texts, round by round."""
    os.environ["VLMEXPLAIN_HOME"] = str(folder / "home")
    os.environ["VLMEXPLAIN_DEVICE"] = "cpu"
    import torch

    from vlmexplain.models.load import load_model

    torch.set_num_threads(args.threads)
    spec = make_model(folder, args.size)
    instances, captions, images = args.coco or make_data(folder, args.images)
    load_model(spec).encode_texts(["warm"])
    loop = Loop(spec, images)
    rounds = []
    for number, files in enumerate(parts(folder, instances, captions, args)):
        rounds.append(one_round(folder / str(number), spec, files, images, loop))
        done = rounds[-1]
        print(f"round {number + 1}: {done['loop_s'] / done['ours_s']:.2f}", file=sys.stderr)
    total = {key: sum(one[key] for one in rounds) for key in rounds[0]}
    return {
        "images": args.images,
        "triples": total["triples"],
        "model": f"open_clip CLIP, random weights, text tower {SIZES[args.size]}",
        "threads": args.threads,
        "ours_triples_per_s": total["triples"] / total["ours_s"],
        "loop_triples_per_s": total["triples"] / total["loop_s"],
        "ratio": total["loop_s"] / total["ours_s"],
        "ratio_of_rounds": [one["loop_s"] / one["ours_s"] for one in rounds],
        "ratio_of_cpu_time": total["loop_cpu_s"] / total["ours_cpu_s"],
        "largest_difference": max(one["difference"] for one in rounds),
    }


def parts(
    folder: Path, instances: Path, captions: Path, args: argparse.Namespace
) -> Iterator[tuple[Path, Path]]:
    """COCO files of the pictures of each round."""
    things, texts = json.loads(instances.read_text()), json.loads(captions.read_text())
    each = args.images // args.rounds
    for number in range(args.rounds):
        chosen = texts["images"][number * each : (number + 1) * each]
        ids = {image["id"] for image in chosen}
        made = []
        for whole in (things, texts):
            own = [one for one in whole["annotations"] if one["image_id"] in ids]
            made.append(folder / f"{number}-{len(made)}.json")
            made[-1].write_text(json.dumps({**whole, "images": chosen, "annotations": own}))
        yield made[0], made[1]


def one_round(
    folder: Path, spec: str, files: tuple[Path, Path], images: Path, loop: Loop
) -> dict[str, float]:
    """The seconds of both on some pictures, and how far their metrics differ."""
    from vlmexplain.datasets.coco import import_coco
    from vlmexplain.lgip.bulk import run_lgip
    from vlmexplain.lgip.generate import perturb_gallery

    gallery = import_coco(*files, images, name=folder.name)
    path = folder.with_suffix(".jsonl")
    perturb_gallery(gallery, "paper", path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    loop.run(lines[:1])  # to warm up
    ours, ours_s, ours_cpu_s = timed(lambda: flattened(run_lgip(gallery, spec, path).metrics))
    theirs, loop_s, loop_cpu_s = timed(lambda: loop.run(lines))
    assert ours.keys() == theirs.keys() and ours["n"] == theirs["n"]
    return {
        "triples": ours["n"],
        "ours_s": ours_s,
        "loop_s": loop_s,
        "ours_cpu_s": ours_cpu_s,
        "loop_cpu_s": loop_cpu_s,
        "difference": max(abs(ours[key] - theirs[key]) for key in ours),
    }


def timed(work: Callable[[], dict[str, Any]]) -> tuple[dict[str, Any], float, float]:
    """What the work gives, its seconds, and its seconds on the CPU (free of other load)."""
    start, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - start, time.process_time() - cpu


if __name__ == "__main__":
    sys.exit(main())
