"""Memory of LGIP in bulk at the paper's size: 40,000 images with five captions each.

A synthetic gallery (one tiny picture, captions about COCO's things) and a model made of hashes
with 512 dimensions, so that what is measured is everything but the model: perturbing in the
paper's mode (1.2 million paraphrases), planning, encoding each distinct text once, comparing,
joining, and the figures over all triples. The run is killed when half of its blocks are done, and
goes on in a new process; both report the most memory that they held at once. The bar of 4 GiB is
ours: it fits beside a model on a laptop. One JSON document is printed.

    python benchmarks/bench_lgip_memory.py [--images 40000] [--check]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(Path(__file__).parent))

BAR_GIB = 4.0
CAPTIONS_AN_IMAGE = 5
DIMENSION = 512
TEXTS_A_BLOCK = 8_192


def main() -> int:
    """Build, run, kill, go on, and report; with ``--check`` fail above the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=40_000)
    parser.add_argument("--check", action="store_true", help=f"exit 1 above {BAR_GIB:g} GiB")
    parser.add_argument("--part", choices=["build", "run"], help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.part:
        print(json.dumps(build(args.images) if args.part == "build" else run(args.images)))
        return 0
    with tempfile.TemporaryDirectory() as home:
        borrow_home(Path(home))
        document = measure(Path(home), args.images)
    print(json.dumps(document, indent=1))
    most = max(document["peak_gib_until_killed"], document["peak_gib_going_on"])
    return 1 if args.check and most > BAR_GIB else 0


def borrow_home(folder: Path) -> None:
    """A home of its own that shares the user's WordNet."""
    from vlmexplain.concepts.wordnet import load_wordnet
    from vlmexplain.storage import home

    load_wordnet()
    (folder / "wordnet").symlink_to(home() / "wordnet")
    os.environ["VLMEXPLAIN_HOME"] = str(folder)


def measure(home: Path, n_images: int) -> dict[str, Any]:
    """Each part in a process of its own, since the most memory held is told by process."""
    finished(start("build", n_images))
    began = time.perf_counter()
    first = start("run", n_images)
    killed_gib = 0.0
    while first.poll() is None and n_blocks(home) < half_of_the_blocks(home):
        killed_gib = max(killed_gib, peak_gib(first.pid))
        time.sleep(0.2)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    until_killed_s, kept = time.perf_counter() - began, n_blocks(home)
    assert kept, "the run ended before it was killed"
    began = time.perf_counter()
    second = finished(start("run", n_images))
    return {
        "images": n_images,
        "captions": n_images * CAPTIONS_AN_IMAGE,
        "paraphrases": second["paraphrases"],
        "flips": second["flips"],
        "peak_gib_until_killed": round(killed_gib, 2),
        "seconds_until_killed": round(until_killed_s, 1),
        "blocks_kept": kept,
        "peak_gib_going_on": round(second["peak_gib"], 2),
        "seconds_going_on": round(time.perf_counter() - began, 1),
        "texts_encoded_after_the_kill": second["encoded"],
        "triples_mib": round(second["triples_mib"], 1),
    }


def start(part: str, n_images: int) -> subprocess.Popen[str]:
    """One part of this benchmark in a new process."""
    command = [sys.executable, __file__, "--part", part, "--images", str(n_images)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What a part printed."""
    out, _ = process.communicate()
    if process.returncode:
        sys.exit(f"a part ended with {process.returncode}")
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


def n_blocks(home: Path) -> int:
    """How many blocks of texts are done."""
    return len(list(home.glob("lgip/.unfinished-*/scores-*.parquet")))


def half_of_the_blocks(home: Path) -> float:
    """Half as many blocks as the plan has; without a plan, more than there can be."""
    import pyarrow.parquet as pq

    found = list(home.glob("lgip/.unfinished-*/pairs.parquet"))
    if not found:
        return float("inf")
    plan = pq.ParquetFile(found[0]).metadata
    of_text = plan.schema.names.index("text_id")
    last = plan.row_group(plan.num_row_groups - 1).column(of_text).statistics.max
    return max(1, (last + 1) // TEXTS_A_BLOCK // 2)


def peak_gib(pid: int) -> float:
    """The most memory that a living process has held (Linux); 0 once it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 2**20 for line in lines if line.startswith("VmHWM")), 0.0)


def build(n_images: int) -> dict[str, str]:
    """The gallery."""
    from make_synthetic_gallery import build

    captions = n_images * CAPTIONS_AN_IMAGE
    return {"gallery": build(n_images, captions, 0, "synthetic", distinct=False)}


def run(n_images: int) -> dict[str, Any]:
    """LGIP over the gallery, or what is left of it."""
    import numpy as np
    import pyarrow.parquet as pq

    from vlmexplain.datasets.gallery import open_gallery
    from vlmexplain.lgip import bulk
    from vlmexplain.models.fake import FakeEncoder

    table = np.random.default_rng(0).standard_normal((4096, DIMENSION), dtype=np.float32)

    class Cheap(FakeEncoder):
        """A vector a word out of a table; quick enough that the rest is what takes time."""

        encoded = 0

        def __init__(self) -> None:
            super().__init__()
            self.dimension = DIMENSION

        def encode_texts(self, texts: Sequence[str]) -> Any:
            self.encoded += len(texts)
            words = [text.split() or [""] for text in texts]
            flat = [hash_of(word) for own in words for word in own]
            starts = np.cumsum([0, *map(len, words[:-1])])
            rows = np.add.reduceat(table[flat], starts)
            return rows / np.linalg.norm(rows, axis=1, keepdims=True)

        def encode_prepared(self, batch: Any) -> Any:
            rows = table[: len(batch)].copy()
            return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    encoder = Cheap()
    bulk.load_model = lambda *_: encoder  # type: ignore[assignment]
    result = bulk.run_lgip(open_gallery("synthetic"), "fake", mode="paper")
    texts = pq.read_table(result.triples_path, columns=["image_index"]).num_rows
    figures = result.figures
    assert texts == figures.n_invariance + figures.sensitivity.count
    assert figures.n_samples == n_images
    return {
        "paraphrases": figures.n_invariance,
        "flips": figures.sensitivity.count,
        "encoded": encoder.encoded,
        "triples_mib": result.triples_path.stat().st_size / 2**20,
        "peak_gib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }


def hash_of(word: str) -> int:
    """A word's row in the table; the same in every process."""
    from zlib import crc32

    return crc32(word.encode()) & 4095


if __name__ == "__main__":
    sys.exit(main())
