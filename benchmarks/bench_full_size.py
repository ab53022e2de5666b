"""A run at COCO train2017's size: what 1, 10 and 100 % of the queries cost.

118,287 images, 860,000 instances and up to 591,753 captions go through `scoring.run.run`: read the
stored embeddings, index, rank, score every failure, write; then a fresh process opens the run. The
photos are not here, so the store is filled beforehand with made-up vectors of 512 dimensions, under
the name of the test model ``fake``: a caption is near its image, one image in twenty has a twin,
and some three queries in four fail. Every share runs in a process of its own. For each step:
seconds, CPU seconds, and the peak memory during it (resident, memory-mapped pages included).

The gallery and the embeddings are kept under --home, for the next time; runs are made anew.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from make_synthetic_gallery import build
from numpy.typing import NDArray

from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.gallery import Gallery, list_galleries, open_gallery
from vlmexplain.explain import explain_query
from vlmexplain.models.load import identify
from vlmexplain.records import MetricOptions, Progress
from vlmexplain.scoring.embedding import distinct_texts
from vlmexplain.scoring.pictures import Pictures
from vlmexplain.scoring.queries import QueryTable
from vlmexplain.scoring.query_filter import QueryFilter, QuerySort
from vlmexplain.scoring.run import open_run, run
from vlmexplain.scoring.run_store import list_runs, runs_folder
from vlmexplain.scoring.shards import ShardFolder

IMAGES, QUERIES, DIMENSION = 118_287, 591_753, 512
NOISE = 6.7
MEMORY_LIMIT_MIB = 4096
LINEAR_WITHIN = 1.3
SAY_EVERY_S = 30
STEPS = {
    "index": "index",
    "rank": "rank",
    "find mentions": "score",
    "score failures": "score",
    "write": "write",
}


class StepWatch:
    """Seconds, CPU seconds and peak memory of each step of a piece of work."""

    def __init__(self, first: str):
        self.steps: dict[str, dict[str, float]] = {}
        self._said = time.perf_counter()
        self._begin(first)

    def look(self, progress: Progress) -> None:
        """A progress callback: another stage begins another step; says twice a minute how far."""
        step = STEPS.get(progress.stage, self._step)
        if step != self._step:
            self.next(step)
        if time.perf_counter() - self._said > SAY_EVERY_S:
            self._said = time.perf_counter()
            print(f"{progress.stage}: {progress.done:,} of {progress.total:,}", file=sys.stderr)

    def next(self, step: str) -> None:
        """End the step and begin another."""
        self.end()
        self._begin(step)

    def end(self) -> None:
        """End the step."""
        self.steps[self._step] = {
            "seconds": round(time.perf_counter() - self._wall, 2),
            "cpu_seconds": round(time.process_time() - self._cpu, 2),
            "peak_mib": round(_peak_mib()),
        }

    def _begin(self, step: str) -> None:
        self._step, self._wall, self._cpu = step, time.perf_counter(), time.process_time()
        # Linux forgets the highest resident size so far.
        Path("/proc/self/clear_refs").write_text("5")


def _peak_mib() -> float:
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def prepare(n_images: int, n_queries: int) -> Gallery:
    """The gallery with this many captions, and its made-up embeddings in the store."""
    name = f"full-size-{n_images}-{n_queries}"
    if not any(name in manifest.names for manifest in list_galleries()):
        build(n_images, n_queries, 0, name, distinct=True)
    gallery = open_gallery(name)
    model = identify("fake")
    images = image_vectors(n_images)
    fill(ShardFolder("images", model, Pictures(gallery).contents), lambda rows: images[rows])
    texts, text_of_caption = distinct_texts(gallery)
    _, first = np.unique(text_of_caption, return_index=True)
    image_of_text = gallery.image_of_caption[first]

    def near_their_images(rows: slice) -> NDArray[np.float32]:
        rng = np.random.default_rng([1, rows.start])
        wanted = images[image_of_text[rows]]
        noise = rng.standard_normal(wanted.shape, dtype=np.float32)
        return unit(wanted + noise * np.float32(NOISE / np.sqrt(DIMENSION)))

    hashes = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    fill(ShardFolder("texts", model, hashes), near_their_images)
    return gallery


def image_vectors(n_images: int) -> NDArray[np.float32]:
    """float32 [n, 512], L2-normalised; every twentieth is its neighbour's twin."""
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((n_images, DIMENSION), dtype=np.float32)
    vectors[19::20] = vectors[18::20][: len(vectors[19::20])]
    return unit(vectors)


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each row scaled to length 1."""
    scaled: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return scaled


def fill(store: ShardFolder, vectors_of: Any) -> None:
    """Write all shards of a store that is not there yet."""
    if store.left_out() is not None:
        return
    for shard in store.reopen():
        rows = store.rows_of(shard)
        store.write(shard, vectors_of(slice(rows.start, rows.stop)), ())
    store.finish()


def make_run(gallery_name: str) -> dict[str, Any]:
    """The run itself, in this process; its steps."""
    gallery = open_gallery(gallery_name)
    for known in list_runs(gallery.id):  # one of last time would only be read
        shutil.rmtree(runs_folder() / known.key)
    load_wordnet()
    watch = StepWatch("read embeddings")
    made = run(gallery, "fake", progress=watch.look)
    watch.end()
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "run": made.key,
        "queries": made.manifest.n_queries,
        "failures": made.manifest.n_failures,
        "steps": watch.steps,
        "peak_mib": round(max(peak_mib, *(step["peak_mib"] for step in watch.steps.values()))),
    }


def open_it(key: str) -> dict[str, Any]:
    """Open a run as the app does: the run, its first page of failures, one of them explained."""
    watch = StepWatch("open")
    opened = open_run(key)
    gallery = open_gallery(opened.gallery_id)
    table = QueryTable(opened, gallery)
    watch.next("first page")
    by_rank = QuerySort("rank_1based", descending=True)
    page = table.page(QueryFilter(failures_only=True), by_rank, 0, 50)
    watch.next("explain")
    explain_query(gallery, opened, page.rows[0].caption_index, MetricOptions())
    watch.end()
    return watch.steps


def in_a_process(*arguments: str) -> Any:
    """What this script prints as JSON in a process of its own."""
    command = [sys.executable, str(Path(__file__).absolute()), *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def measure(share: float, n_images: int) -> dict[str, Any]:
    """Prepare, run and open a share of the queries."""
    began = time.perf_counter()
    name = in_a_process("--prepare", str(max(1, round(QUERIES * share))), "--images", str(n_images))
    prepared_s = time.perf_counter() - began
    load_before = os.getloadavg()[0]
    result: dict[str, Any] = in_a_process("--run", name)
    result["steps"] |= in_a_process("--open", result["run"])
    result |= {"share": share, "images": n_images, "prepared_s": round(prepared_s)}
    result["load"] = [round(load_before, 1), round(os.getloadavg()[0], 1)]
    return result


def table_of(results: list[dict[str, Any]]) -> str:
    """The results as a Markdown table: seconds (CPU seconds), peak memory of each step."""
    steps = list(results[0]["steps"])
    head = ["queries", "failures", *steps, "rank, CPU ms a query", "peak MiB"]
    lines = [" | ".join(head), " | ".join("---" for _ in head)]
    for result in results:
        cells = [f"{result['queries']:,}", f"{result['failures']:,}"]
        for step in (result["steps"][name] for name in steps):
            seconds = f"{step['seconds']:.1f} s ({step['cpu_seconds']:.1f})"
            cells.append(f"{seconds}, {step['peak_mib']:,} MiB")
        cells += [f"{_cost_ms(result):.2f}", f"{result['peak_mib']:,}"]
        lines.append(" | ".join(cells))
    return "\n".join(f"| {line} |" for line in lines)


def _cost_ms(result: dict[str, Any]) -> float:
    """CPU milliseconds of ranking a query."""
    return 1000 * float(result["steps"]["rank"]["cpu_seconds"]) / int(result["queries"])


def main() -> int:
    """Measure each share, print JSON lines and the table; fail over a limit with ``--check``."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shares", type=float, nargs="+", default=[0.01, 0.1], help="of 591,753")
    parser.add_argument("--images", type=int, default=IMAGES)
    parser.add_argument("--home", type=Path, help="where to keep what is made (default: nowhere)")
    parser.add_argument("--check", action="store_true", help="exit 1 over 4 GiB or if not linear")
    for hidden in ("--prepare", "--run", "--open"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.prepare or args.run or args.open:
        answer: Any = (
            prepare(args.images, int(args.prepare)).name
            if args.prepare
            else make_run(args.run)
            if args.run
            else open_it(args.open)
        )
        print(json.dumps(answer))
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["VLMEXPLAIN_HOME"] = str((args.home or Path(scratch)).absolute())
        results = []
        for share in args.shares:
            results.append(measure(share, args.images))
            print(json.dumps(results[-1]), flush=True)
    print(table_of(results))
    costs = [_cost_ms(result) for result in results]
    grows = max(costs) / min(costs)
    peak = max(result["peak_mib"] for result in results)
    print(f"cost a query differs by {grows:.2f} x; highest peak {peak:,} MiB")
    return 1 if args.check and (grows > LINEAR_WITHIN or peak > MEMORY_LIMIT_MIB) else 0


if __name__ == "__main__":
    sys.exit(main())
