"""Verdicts on drawn-world failures held against redrawing: the exact counterfactual.

``python benchmarks/reasons_truth.py --model drawn-clip --failures 60 --out FILE.json`` explains a
seeded sample of failures, draws each tested image again without what was hidden, and prints sign
agreement, "fixes" and *causal* precision and recall with their numbers of cases, and how often
the verdict is the same with the grid of controls shifted by half a cell.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from drawn_world.render import pixels
from drawn_world.sample import sample_scene
from drawn_world.scene import Scene
from vlmexplain.demo_setup import demo_folder, set_up_demo
from vlmexplain.models.load import load_model
from vlmexplain.models.protocol import Encoder
from vlmexplain.reasons.engine import ReasonEngine, ReasonOptions
from vlmexplain.reasons.many import sampled_failures
from vlmexplain.reasons.reason import FailureReasons, Reason
from vlmexplain.scoring.run_store import list_runs, open_run

SHIFTED = ReasonOptions(grid_offset=0.75)
NOISE_TIMES = 3.0


class Redrawing:
    """Scores of scenes drawn again, with all their things or without some."""

    def __init__(self, encoder: Encoder):
        self.encoder = encoder
        document = json.loads((demo_folder() / "instances.json").read_bytes())
        self._seeds = [image["attributes"]["seed"] for image in document["images"]]
        self._scenes: dict[int, Scene] = {}
        self._vectors: dict[tuple[int, tuple[int, ...]], np.ndarray] = {}

    def scene(self, image: int) -> Scene:
        """The scene of a gallery image."""
        if image not in self._scenes:
            seed, index = self._seeds[image]
            self._scenes[image] = sample_scene(seed, index, "test")
        return self._scenes[image]

    def vector(self, image: int, without: tuple[int, ...] = ()) -> np.ndarray:
        """float64 [d] of the scene without the things at these places."""
        key = image, without
        if key not in self._vectors:
            scene = self.scene(image)
            items = tuple(item for n, item in enumerate(scene.items) if n not in without)
            drawn = Image.fromarray(pixels(replace(scene, items=items)))
            self._vectors[key] = self.encoder.encode_images([drawn])[0].astype(np.float64)
        return self._vectors[key]

    def effect(self, image: int, without: tuple[int, ...], text: np.ndarray) -> float | None:
        """Fall of the score; None when something of it is no thing that can be left out."""
        if not without or max(without) >= len(self.scene(image).items):
            return None
        return float((self.vector(image) - self.vector(image, without)) @ text)


def rows(
    engine: ReasonEngine, shifted: ReasonEngine | None, drawn: Redrawing, queries: list[int]
) -> Iterator[dict[str, Any]]:
    """One row a picture test that can be drawn again, and the noise of drawing again."""
    for query in queries:
        found = engine.explain(query)
        again = shifted.explain(query) if shifted is not None else None
        explanation = engine.explanation(query)
        assert explanation.retrieved is not None and explanation.retrieved.image_index is not None
        image = {
            "retrieved": explanation.retrieved.image_index,
            "ground truth": explanation.ground_truth.image_index,
        }
        text = engine.encoder.encode_texts([found.caption])[0].astype(np.float64)
        stored = float(explanation.retrieved.score or 0)
        noise = stored - float(drawn.vector(image["retrieved"]) @ text)
        for n, reason in enumerate(found.reasons):
            tests = [test for test in reason.tests if test.test == "P"]
            if reason.image is None or not tests:
                continue
            effect = drawn.effect(image[reason.image], reason.instances, text)
            if effect is None:
                continue
            yield {
                "query": query, "kind": reason.kind, "subject": reason.subject,
                "image": reason.image, "verdict": reason.verdict, "margin": found.margin,
                "noise": noise, "redraw": effect,
                "tests": [asdict(test) for test in tests],
                "shifted": _same_reason(again, reason),
                "first_cause": n == found.first_cause,
            }  # fmt: skip


def _same_reason(again: FailureReasons | None, reason: Reason) -> str | None:
    if again is None:
        return None
    return next(
        (r.verdict for r in again.reasons if (r.kind, r.subject, r.image, r.instances)
         == (reason.kind, reason.subject, reason.image, reason.instances)), None
    )  # fmt: skip


def report(found: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures, each with its number of cases."""
    pulls = [row for row in found if row["image"] == "retrieved"]
    by_query = {row["query"]: row["noise"] for row in found}
    sigma = float(np.sqrt(np.mean(np.square(list(by_query.values())))))
    bar = NOISE_TIMES * sigma
    clear = [row for row in found if abs(row["redraw"]) > bar]
    out: dict[str, Any] = {"tests": len(found), "failures": len(by_query), "noise_sd": sigma}
    for place, fill in enumerate(("mean", "inpaint")):
        agree = [np.sign(r["tests"][place]["effect"]) == np.sign(r["redraw"]) for r in clear]
        out[f"sign_{fill}"] = [_share(agree), len(agree)]
        fixed = [r["tests"][place]["fixes"] for r in pulls]
        truly = [r["redraw"] > r["margin"] + 1e-6 for r in pulls]
        out[f"fixes_{fill}"] = precision_recall(fixed, truly)
    causal = [r["verdict"] == "causal" for r in pulls]
    out["causal"] = precision_recall(causal, [r["redraw"] > bar for r in pulls])
    compared = [r for r in found if r["shifted"] is not None]
    same = [r["shifted"] == r["verdict"] for r in compared]
    out["same_when_shifted"] = [_share(same), len(same)]
    out["verdicts"] = {v: sum(r["verdict"] == v for r in found) for v in
                       sorted({r["verdict"] for r in found})}  # fmt: skip
    return out


def precision_recall(said: list[bool], true: list[bool]) -> dict[str, Any]:
    """Both, with what they rest on."""
    hit = sum(s and t for s, t in zip(said, true, strict=True))
    return {
        "precision": hit / sum(said) if any(said) else None, "said": sum(said),
        "recall": hit / sum(true) if any(true) else None, "true": sum(true),
    }  # fmt: skip


def _share(values: list[Any]) -> float | None:
    return float(np.mean(values)) if values else None


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="drawn-clip")
    parser.add_argument("--failures", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-shift", action="store_true")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    gallery = set_up_demo().gallery
    key = next(m.key for m in list_runs(gallery.id) if m.model.name == args.model)
    run, encoder = open_run(key), load_model(args.model)
    engine = ReasonEngine(gallery, run, encoder)
    shifted = None if args.no_shift else ReasonEngine(gallery, run, encoder, SHIFTED)
    queries = sampled_failures(run, args.failures, args.seed)
    found = []
    for row in rows(engine, shifted, Redrawing(encoder), queries):
        found.append(row)
        if args.out:
            args.out.write_text(json.dumps(found))
    print(json.dumps({"model": args.model, **report(found)}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
