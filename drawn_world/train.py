"""Train the small CLIP: `python -m drawn_world.train --data DIR --out DIR [--plain]`.

The run is scheduled by steps, writes a checkpoint every few minutes, and picks up from it when
started again. `--finish-by-step N` on a restart shortens the rest: the learning rate falls to zero
by step N.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from drawn_world.batches import Batch, BatchMaker, to_input
from drawn_world.dense import DenseCounts
from drawn_world.losses import Auxiliary, counting_loss, known_truth_loss, plain_loss, twin_loss
from drawn_world.net import SmallClip
from drawn_world.training_set import load
from drawn_world.watch import watch
from drawn_world.words import Vocabulary, known_token_ids

__all__ = ["main"]

_EMA = 0.998


def learning_rate(
    step: int, peak: float, warm_up: int, total: int, finish_by: int | None, resumed_at: int
) -> float:
    """Linear warm-up, then a cosine to zero at `total`; with `finish_by`, a straight line to zero
    from `resumed_at` to there."""

    def cosine(at: int) -> float:
        if at < warm_up:
            return peak * (at + 1) / warm_up
        return (
            peak
            * 0.5
            * (1 + math.cos(math.pi * min(1.0, (at - warm_up) / max(1, total - warm_up))))
        )

    if finish_by is None or step < resumed_at:
        return cosine(step)
    return cosine(resumed_at) * max(0.0, (finish_by - step) / max(1, finish_by - resumed_at))


def _embed_texts(
    model: SmallClip, vocabulary: Vocabulary, texts: list[str], rng: np.random.Generator
) -> torch.Tensor:
    unique, back = np.unique(np.array(texts, dtype=object), return_inverse=True)
    ids, ends = vocabulary.encode(list(unique))
    inside = (np.arange(ids.shape[1])[None, :] < ends[:, None]) & (
        np.arange(ids.shape[1])[None, :] > 0
    )
    lost = (rng.uniform(size=ids.shape) < 0.02) & inside & (ends[:, None] > 4)
    ids[lost] = vocabulary.unknown
    return model.texts(torch.from_numpy(ids), torch.from_numpy(ends))[torch.from_numpy(back)]


def hard_objective(
    run: Run, vocabulary: Vocabulary, batch: Batch, rng: np.random.Generator
) -> dict[str, torch.Tensor]:
    """The terms of the full recipe for one batch; "total" is what is minimised."""
    images, maps = run.model.images_and_maps(to_input(batch.pictures))
    assert batch.counting is not None
    texts = _embed_texts(run.model, vocabulary, batch.texts + batch.counting.texts, rng)
    size, known = len(images), len(batch.truths)
    asked = len(batch.texts)
    queries = 3 * size + len(batch.twin_of)
    scale = run.model.clip.logit_scale.exp().clamp(max=60.0)
    truths = torch.from_numpy(batch.truths)
    with torch.autocast("cpu", enabled=False):  # eight bits of mantissa are too few for logits
        logits = scale * texts[:known] @ images.T
    sentences = torch.cat([torch.arange(size), torch.arange(3 * size, queries)])
    terms = {
        "whole": (
            known_truth_loss(logits[:size], truths[:size])
            + known_truth_loss(logits[sentences].T, truths[sentences].T)
        )
        / 2,
        "queries": known_truth_loss(logits[queries:], truths[queries:]),
        "short": known_truth_loss(logits[size : 3 * size], truths[size : 3 * size]),
        "twins": twin_loss(
            logits[torch.from_numpy(batch.twin_of), torch.from_numpy(batch.twin_picture)],
            logits[torch.arange(3 * size, queries), torch.from_numpy(batch.twin_picture)],
        ),
        "rephrased": (texts[known:asked] - texts[torch.from_numpy(batch.rephrased)])
        .pow(2)
        .sum(dim=1)
        .mean(),
        "counting": counting_loss(scale, texts[asked:], images, batch.counting),
        "dense": run.dense(maps, batch.places),
        "auxiliary": run.auxiliary(images * 8.0, batch.table),
    }
    terms["total"] = (
        terms["whole"]
        + 0.7 * terms["short"]
        + 0.7 * terms["queries"]
        + 0.8 * terms["twins"]
        + 1.0 * terms["rephrased"]
        + 1.2 * terms["counting"]
        + 0.3 * terms["dense"]
        + 0.6 * terms["auxiliary"]
    )
    return terms


def plain_objective(
    run: Run, vocabulary: Vocabulary, batch: Batch, rng: np.random.Generator
) -> dict[str, torch.Tensor]:
    """CLIP's own loss: one text a picture (two in three a whole caption, else a short query), all
    others wrong."""
    size = len(batch.pictures)
    chosen = [
        batch.texts[i] if rng.uniform() < 0.67 else batch.texts[size + 2 * i + int(rng.integers(2))]
        for i in range(size)
    ]
    images = run.model.images(to_input(batch.pictures))
    texts = _embed_texts(run.model, vocabulary, chosen, rng)
    with torch.autocast("cpu", enabled=False):
        logits = run.model.clip.logit_scale.exp().clamp(max=60.0) * texts @ images.T
    return {"total": plain_loss(logits)}


def _optimiser(modules: list[torch.nn.Module]) -> torch.optim.Optimizer:
    parameters = [p for module in modules for p in module.parameters()]
    return torch.optim.AdamW(
        [
            {"params": [p for p in parameters if p.ndim > 1], "weight_decay": 0.05},
            {"params": [p for p in parameters if p.ndim <= 1], "weight_decay": 0.0},
        ],
        lr=1e-3,
        betas=(0.9, 0.98),
        eps=1e-6,
    )


class Run:
    """Everything that a training changes: weights, their running average, optimisers and the
    step."""

    def __init__(self, known_tokens: int) -> None:
        self.model, self.average = SmallClip(known_tokens), SmallClip(known_tokens)
        self.average.load_state_dict(self.model.state_dict())
        self.auxiliary, self.dense = Auxiliary(256), DenseCounts()
        self.optimisers = [_optimiser([self.model, self.auxiliary]), _optimiser([self.dense])]
        self.step = 0

    def _parts(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "average": self.average,
            "auxiliary": self.auxiliary,
            "dense": self.dense,
            "optimiser": self.optimisers[0],
            "dense_optimiser": self.optimisers[1],
        }

    def resume(self, path: Path) -> None:
        """Take up the state of an interrupted run."""
        state = torch.load(path, weights_only=True)
        for name, owner in self._parts().items():
            if name in state:
                owner.load_state_dict(state[name])
        self.step = int(state["step"])

    def save(self, path: Path, known: NDArray[np.int32]) -> None:
        """Write the state; an interruption leaves the one before."""
        partial = path.with_suffix(".partial")
        parts = {name: owner.state_dict() for name, owner in self._parts().items()}
        torch.save({"step": self.step, "known": torch.from_numpy(known), **parts}, partial)
        partial.rename(path)

    def update(self, total: torch.Tensor, rate: float) -> None:
        """One optimiser step, and the average moved along."""
        for optimiser in self.optimisers:
            for group in optimiser.param_groups:
                group["lr"] = rate
            optimiser.zero_grad(set_to_none=True)
        total.backward()
        parameters = [*self.model.parameters(), *self.auxiliary.parameters()]
        torch.nn.utils.clip_grad_norm_([*parameters, *self.dense.parameters()], 1.0)
        for optimiser in self.optimisers:
            optimiser.step()
        self.step += 1
        keep = min(_EMA, (1 + self.step) / (10 + self.step))
        new = self.model.state_dict().values()
        for kept, latest in zip(self.average.state_dict().values(), new, strict=True):
            if kept.dtype.is_floating_point:
                kept.lerp_(latest, 1 - keep)
            else:
                kept.copy_(latest)


def train(args: argparse.Namespace) -> None:
    """Run or resume one training; see `main` for the arguments."""
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    known = known_token_ids()
    vocabulary = Vocabulary(known)
    data, watched = load(args.data, "train", args.scenes), load(args.data, "watch", 1000)
    make = BatchMaker(data, args.batch, args.seed, hard=not args.plain)
    run, state_path = Run(len(known)), args.out / "state.pt"
    if state_path.exists():
        run.resume(state_path)
    resumed_at, stop = run.step, args.finish_by_step or args.steps
    began = since = time.perf_counter()
    cpu_began = time.process_time()
    while run.step < stop:
        batch = make(run.step)
        rate = learning_rate(
            run.step, args.lr, args.warm_up, args.steps, args.finish_by_step, resumed_at
        )
        rng = np.random.default_rng([args.seed, run.step, 2])
        objective = plain_objective if args.plain else hard_objective
        with torch.autocast("cpu", torch.bfloat16, enabled=args.precision == "bf16"):
            terms = objective(run, vocabulary, batch, rng)
        run.update(terms["total"], rate)
        if run.step % args.save_every == 0 or run.step == stop:
            run.save(state_path, known)
        if run.step % 20 == 0 or run.step == stop:
            entry = {"step": run.step, **{k: round(float(v.detach()), 4) for k, v in terms.items()}}
            entry["scale"] = round(float(run.model.clip.logit_scale.detach().exp()), 2)
            entry["lr"] = round(rate, 7)
            entry["samples_per_s"] = round(20 * args.batch / (time.perf_counter() - since), 1)
            since = time.perf_counter()
            entry["seconds"] = round(since - began, 1)
            entry["cpu_seconds"] = round(time.process_time() - cpu_began, 1)
            if run.step % args.watch_every == 0 or run.step == stop:
                entry["watch"] = watch(run.average, vocabulary, watched)
            print(json.dumps(entry), flush=True)
            with (args.out / "training_log.jsonl").open("a") as log:
                log.write(json.dumps(entry) + "\n")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description="Train the demo world's small CLIP on two CPU cores."
    )
    parser.add_argument(
        "--data", type=Path, required=True, help="folder written by drawn_world.training_set"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for the state and the log")
    parser.add_argument(
        "--plain",
        action="store_true",
        help="CLIP's own loss: no truth, no false twins, no auxiliary questions",
    )
    parser.add_argument("--scenes", type=int, default=80_000)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--steps", type=int, default=2600)
    parser.add_argument(
        "--finish-by-step", type=int, default=None, help="on a restart: end by this step"
    )
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--warm-up", type=int, default=150)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--precision", choices=("bf16", "fp32"), default="bf16")
    parser.add_argument("--watch-every", type=int, default=100)
    parser.add_argument("--save-every", type=int, default=100)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
