"""Measure the demo models on the test gallery and print every bar with its value and cases.

    python benchmarks/bench_demo_model.py [--model data/models/drawn-clip] [--json FILE]

The flips are LGIP's own word substitutions on the gallery's captions, kept only where the
annotations contradict them; the false twins of the training are made another way, by editing the
description of a scene and putting it in words again.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from drawn_world.evaluate import BARS, Score, best_possible, evaluate
from drawn_world.testset import open_test_set
from vlmexplain.models.load import load_model
from vlmexplain.perturb.paper import FlipType, paper_flip, paper_paraphrases
from vlmexplain.perturb.perturbation import NotApplicable, apply
from vlmexplain.perturb.request import Request

ROOT = Path(__file__).parents[1]


def flip(caption: str, kind: str) -> str | None:
    """LGIP's flip of one kind, or None where the caption has no word for it."""
    kinds: dict[str, FlipType] = {"object": "object", "color": "color", "number": "number"}
    made = paper_flip(caption, Request(rule=f"{kind}-paper"), kinds[kind])
    return None if isinstance(made, NotApplicable) else apply(caption, made[0].edits)


def paraphrases(caption: str) -> list[str]:
    """LGIP's paraphrases: six of its eight templates."""
    made = paper_paraphrases(caption, Request(rule="paraphrase-paper"))
    return [] if isinstance(made, NotApplicable) else [apply(caption, one.edits) for one in made]


def line(score: Score) -> str:
    """One printed row: name, value, cases, bar and whether it is met."""
    value = "undefined" if score.value is None else f"{score.value:9.4f}"
    if score.name not in BARS:
        return f"{score.name:44s} {value} {score.cases:8,d}"
    bar, at_least = BARS[score.name]
    verdict = "met" if score.met else "MISSED"
    sign = ">=" if at_least else "<="
    return f"{score.name:44s} {value} {score.cases:8,d}  {sign} {bar:.2f}  {verdict}"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure a demo model on the test gallery.")
    parser.add_argument("--model", default=str(ROOT / "data/models/drawn-clip"))
    parser.add_argument("--gallery", type=Path, default=ROOT / "data/demo")
    parser.add_argument("--json", type=Path, help="write the scores here too")
    args = parser.parse_args()
    data = open_test_set(args.gallery)
    model = load_model(args.model, "cpu")
    began = time.perf_counter()
    scores = [*evaluate(model, data, flip, paraphrases), best_possible(data)]
    print(
        f"{args.model}: {len(data.files):,} pictures, {len(data.captions):,} captions, "
        f"{time.perf_counter() - began:.0f} s"
    )
    print(f"{'score':44s} {'value':>9s} {'cases':>8s}  bar")
    for score in scores:
        print(line(score))
    if args.json:
        rows = [{"name": s.name, "value": s.value, "cases": s.cases, "met": s.met} for s in scores]
        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
