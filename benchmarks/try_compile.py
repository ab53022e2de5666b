"""Whether `torch.compile` would pay for the image tower of a model: what it costs and gains.

Prints CPU milliseconds a picture with and without it, and the CPU seconds of compiling (g++
included) for the first batch and for a batch of another size. No bar: it informs a decision.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
from collections.abc import Callable
from typing import Any

import torch

from vlmexplain.models.load import load_model


def cpu_seconds() -> float:
    """Of this process and of those it started and saw end."""
    own, theirs = (resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + theirs.ru_utime + theirs.ru_stime


def cost(work: Callable[[], object]) -> float:
    """CPU seconds of doing it once."""
    before = cpu_seconds()
    work()
    return cpu_seconds() - before


def main() -> None:
    """Measure one model and print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", default="drawn-clip")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache, torch.inference_mode():
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache
        os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
        start = time.perf_counter()
        encoder: Any = load_model(args.model, "cpu")
        load_s = time.perf_counter() - start
        size = encoder._model.visual.image_size
        size = size if isinstance(size, int) else size[0]
        batch, other = (torch.randn(n, 3, size, size) for n in (args.batch, args.batch - 3))
        plain = encoder._model.encode_image
        compiled = torch.compile(plain)
        plain(batch)
        report = {
            "model": encoder.identity.name,
            "load_s": round(load_s, 1),
            "compile_cpu_s": round(cost(lambda: compiled(batch)), 1),
            "compile_other_batch_cpu_s": round(cost(lambda: compiled(other)), 1),
            **{
                f"{name}_cpu_ms": round(
                    min(cost(lambda work=work: work(batch)) for _ in range(args.rounds))
                    * 1000
                    / args.batch,
                    2,
                )
                for name, work in (("plain", plain), ("compiled", compiled))
            },
            "largest_difference": float((compiled(batch) - plain(batch)).abs().max()),
        }
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
