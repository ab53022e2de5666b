"""Train the small CLIP: `python -m vlmexplain.demo.train --data DIR --out DIR [--plain]`.

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

import numpy as np
import torch

from vlmexplain.demo.batches import Batch, BatchMaker, to_input
from vlmexplain.demo.losses import Auxiliary, counting_loss, known_truth_loss, plain_loss, twin_loss
from vlmexplain.demo.net import SmallClip
from vlmexplain.demo.training_set import load
from vlmexplain.demo.watch import watch
from vlmexplain.demo.words import Vocabulary, known_token_ids

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
    model: SmallClip,
    auxiliary: Auxiliary,
    vocabulary: Vocabulary,
    batch: Batch,
    rng: np.random.Generator,
) -> dict[str, torch.Tensor]:
    """The terms of the full recipe for one batch; "total" is what is minimised."""
    images = model.images(to_input(batch.pictures))
    assert batch.counting is not None
    texts = _embed_texts(model, vocabulary, batch.texts + batch.counting.texts, rng)
    size, known = len(images), len(batch.truths)
    asked = len(batch.texts)
    queries = 3 * size + len(batch.twin_of)
    scale = model.clip.logit_scale.exp().clamp(max=60.0)
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
        "auxiliary": auxiliary(images * 8.0, batch.table),
    }
    terms["total"] = (
        terms["whole"]
        + 0.7 * terms["short"]
        + 0.7 * terms["queries"]
        + 0.8 * terms["twins"]
        + 1.0 * terms["rephrased"]
        + 0.5 * terms["counting"]
        + 0.6 * terms["auxiliary"]
    )
    return terms


def plain_objective(
    model: SmallClip, vocabulary: Vocabulary, batch: Batch, rng: np.random.Generator
) -> dict[str, torch.Tensor]:
    """CLIP's own loss: one text a picture (two in three a whole caption, else a short query), all
    others wrong."""
    size = len(batch.pictures)
    chosen = [
        batch.texts[i] if rng.uniform() < 0.67 else batch.texts[size + 2 * i + int(rng.integers(2))]
        for i in range(size)
    ]
    images = model.images(to_input(batch.pictures))
    texts = _embed_texts(model, vocabulary, chosen, rng)
    with torch.autocast("cpu", enabled=False):
        logits = model.clip.logit_scale.exp().clamp(max=60.0) * texts @ images.T
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


def _average_into(average: SmallClip, model: SmallClip, step: int) -> None:
    keep = min(_EMA, (1 + step) / (10 + step))
    with torch.no_grad():
        for kept, new in zip(
            average.state_dict().values(), model.state_dict().values(), strict=True
        ):
            if kept.dtype.is_floating_point:
                kept.lerp_(new, 1 - keep)
            else:
                kept.copy_(new)


def train(args: argparse.Namespace) -> None:
    """Run or resume one training; see `main` for the arguments."""
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    known = known_token_ids()
    vocabulary = Vocabulary(known)
    data, watched = load(args.data, "train", args.scenes), load(args.data, "watch", 1000)
    make = BatchMaker(data, args.batch, args.seed, hard=not args.plain)
    model, auxiliary, average = SmallClip(len(known)), Auxiliary(256), SmallClip(len(known))
    average.load_state_dict(model.state_dict())
    optimiser = _optimiser([model, auxiliary])
    state_path, log_path, step = args.out / "state.pt", args.out / "training_log.jsonl", 0
    if state_path.exists():
        state = torch.load(state_path, weights_only=True)
        model.load_state_dict(state["model"])
        auxiliary.load_state_dict(state["auxiliary"])
        average.load_state_dict(state["average"])
        optimiser.load_state_dict(state["optimiser"])
        step = int(state["step"])
    resumed_at, stop = step, args.finish_by_step or args.steps
    began, since, log = time.perf_counter(), time.perf_counter(), log_path.open("a")
    while step < stop:
        batch = make(step)
        rate = learning_rate(
            step, args.lr, args.warm_up, args.steps, args.finish_by_step, resumed_at
        )
        for group in optimiser.param_groups:
            group["lr"] = rate
        rng = np.random.default_rng([args.seed, step, 2])
        with torch.autocast("cpu", torch.bfloat16, enabled=args.precision == "bf16"):
            terms = (
                plain_objective(model, vocabulary, batch, rng)
                if args.plain
                else hard_objective(model, auxiliary, vocabulary, batch, rng)
            )
        optimiser.zero_grad(set_to_none=True)
        terms["total"].backward()
        torch.nn.utils.clip_grad_norm_([*model.parameters(), *auxiliary.parameters()], 1.0)
        optimiser.step()
        step += 1
        _average_into(average, model, step)
        if step % args.save_every == 0 or step == stop:
            partial = state_path.with_suffix(".partial")
            torch.save(
                {
                    "step": step,
                    "model": model.state_dict(),
                    "auxiliary": auxiliary.state_dict(),
                    "average": average.state_dict(),
                    "optimiser": optimiser.state_dict(),
                    "known": torch.from_numpy(known),
                },
                partial,
            )
            partial.rename(state_path)
        if step % 20 == 0 or step == stop:
            entry = {
                "step": step,
                **{k: round(float(v.detach()), 4) for k, v in terms.items()},
                "scale": round(float(model.clip.logit_scale.detach().exp()), 2),
                "lr": round(rate, 7),
            }
            entry["samples_per_s"] = round(20 * args.batch / (time.perf_counter() - since), 1)
            since = time.perf_counter()
            if step % args.watch_every == 0 or step == stop:
                entry["watch"] = watch(average, vocabulary, watched)
            entry["seconds"] = round(time.perf_counter() - began, 1)
            print(json.dumps(entry), flush=True)
            log.write(json.dumps(entry) + "\n")
            log.flush()
    log.close()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description="Train the demo world's small CLIP on two CPU cores."
    )
    parser.add_argument(
        "--data", type=Path, required=True, help="folder written by vlmexplain.demo.training_set"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for the state and the log")
    parser.add_argument(
        "--plain",
        action="store_true",
        help="CLIP's own loss: no truth, no false twins, no auxiliary questions",
    )
    parser.add_argument("--scenes", type=int, default=80_000)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--steps", type=int, default=3000)
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
