"""Pairs per second of the batch scorer against NLTK and NetworkX, with equal values.

2,000 pairs of images with 10 to 30 concepts each. Made once per gallery, and timed apart: the
images' inventory table and the table of path lengths. The slow side looks every similarity up
with NLTK's `path_similarity` and matches with NetworkX's `max_weight_matching`; it is given a
random part of the same pairs (``--slow-pairs``), since all of them would take minutes. Both
compute CA, NCS, CE, binary and raw SD, and every value of the slow side is compared.

`score-pairs` is measured on lines of the same images, about 80 instances a pair: read, checked,
scored, with evidence, written. Once from the first line on (every synset is new), once with the
synsets known.

    python benchmarks/bench_scoring.py
"""

from __future__ import annotations

import argparse
import io
import json
import math
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

import networkx as nx
import nltk
import numpy as np

from vlmexplain.concepts.wordnet import WordNet, load_wordnet
from vlmexplain.concepts.wordnet_files import wordnet_root
from vlmexplain.metrics.batch import NO_PATH, score_pairs
from vlmexplain.metrics.inventory_table import InventoryTable, make_inventory_table
from vlmexplain.pairs_io import score_stream
from vlmexplain.records import MetricOptions

N_PAIRS, WIDTH, HEIGHT = 2000, 640, 480
BAR = 500


@dataclass(frozen=True)
class Picture:
    """Concepts by name, one an instance, and their boxes [n, 4]."""

    concepts: list[str]
    boxes: np.ndarray


def draw_vocabulary(wordnet: WordNet, size: int) -> list[str]:
    """The most frequent physical things of WordNet, sorted by name."""
    counted = sorted(wordnet.nouns(), key=lambda lemma: -wordnet.count(lemma))
    found: dict[str, None] = {}
    for lemma in counted:
        name = wordnet.senses(lemma)[0]
        if "physical_entity.n.01" in wordnet.hypernym_closure(name):
            found[name] = None
        if len(found) == size:
            break
    return sorted(found)


def draw_pictures(rng: np.random.Generator, vocabulary: list[str], n: int) -> list[Picture]:
    """Pictures of 10 to 30 concepts with 1 to 5 boxes each; some concepts are frequent."""
    weights = 1.0 / (1 + rng.permutation(len(vocabulary))) ** 1.1
    pictures = []
    for _ in range(n):
        k = int(rng.integers(10, 31))
        chosen = rng.choice(len(vocabulary), k, replace=False, p=weights / weights.sum())
        each = np.repeat(chosen, rng.choice([1, 1, 1, 2, 3, 5], k))
        corner = rng.uniform(0, 0.7, (len(each), 2)) * (WIDTH, HEIGHT)
        size = rng.uniform(0.02, 0.3, (len(each), 2)) * (WIDTH, HEIGHT)
        pictures.append(Picture([vocabulary[i] for i in each], np.hstack([corner, size])))
    return pictures


def inventory(pictures: list[Picture], vocabulary: list[str]) -> InventoryTable:
    """The pictures as the columns the batch scorer reads."""
    place = {name: i for i, name in enumerate(vocabulary)}
    concepts = np.array([place[name] for p in pictures for name in p.concepts])
    return make_inventory_table(
        concepts,
        np.cumsum([0] + [len(p.concepts) for p in pictures]),
        np.concatenate([p.boxes for p in pictures]),
        np.zeros(len(concepts), bool),
        np.full(len(pictures), WIDTH),
        np.full(len(pictures), HEIGHT),
        len(vocabulary),
    )


def pair_line(left: Picture, right: Picture) -> str:
    """A pair as a line of ``vlmexplain score-pairs``."""

    def image(picture: Picture) -> dict[str, Any]:
        rows = zip(picture.concepts, picture.boxes.round(2).tolist(), strict=True)
        instances = [{"synset": s, "box_xywh_px": box, "crowd": False} for s, box in rows]
        return {"width": WIDTH, "height": HEIGHT, "instances": instances}

    sides = {"ground_truth": image(left), "retrieved": image(right)}
    return json.dumps({"id": 1, "query": "a caption", **sides}) + "\n"


def print_stream_rates(
    pictures: list[Picture], left: np.ndarray, right: np.ndarray, wordnet: WordNet
) -> None:
    """Lines a second that `score_stream` takes, and what reading them with json.loads takes."""
    lines = [pair_line(pictures[a], pictures[b]) for a, b in zip(left, right, strict=True)]
    seconds: list[float] = []

    def timed() -> Any:
        start = time.perf_counter()
        yield from lines
        seconds.append(time.perf_counter() - start)
        start = time.perf_counter()
        yield from lines
        seconds.append(time.perf_counter() - start)

    score_stream(timed(), io.StringIO(), MetricOptions(), wordnet, lambda n, error: print(error))
    start = time.perf_counter()
    for line in lines:
        json.loads(line)
    parsed = time.perf_counter() - start
    n_instances = np.mean([line.count("synset") for line in lines])
    first, again = (len(lines) / s for s in seconds)
    print(f"score-pairs            {first:,.0f} pairs/s from the first line on, {again:,.0f} with")
    print(f"                       the synsets known ({n_instances:.0f} instances a pair)")
    print(f"json.loads alone       {len(lines) / parsed:,.0f} lines/s")


def slow_scores(left: Picture, right: Picture, reader: Any) -> dict[str, float]:
    """All metrics of one pair with NLTK and NetworkX."""
    m_g, m_r = Counter(left.concepts), Counter(right.concepts)
    common = m_g.keys() & m_r.keys()
    d_g, d_r = m_g.keys() - m_r.keys(), m_r.keys() - m_g.keys()
    ps = [
        graph.edges[edge]["weight"]
        for graph in [similarity_graph(sorted(d_g), sorted(d_r), reader)]
        for edge in nx.max_weight_matching(graph)
    ]
    differences = [d for name in common for d in matched_differences(left, right, name)]
    return {
        "ca": len(common) / len(m_g),
        "ncs": sum(ps) / len(ps) if ps else math.nan,
        "ce": sum(abs(m_g[v] - m_r[v]) for v in common) if common else math.nan,
        "sd": np.mean([d >= 1 for d in differences]) if differences else math.nan,
        "sd_raw": np.mean(differences) if differences else math.nan,
    }


def similarity_graph(left: list[str], right: list[str], reader: Any) -> nx.Graph:
    """The complete bipartite graph of two lists of synsets."""
    graph = nx.Graph()
    for a in left:
        for b in right:
            weight = reader.synset(a).path_similarity(reader.synset(b))
            graph.add_edge(a, b, weight=weight)
    return graph


def matched_differences(left: Picture, right: Picture, name: str) -> list[float]:
    """D_A of the minimum-weight full matching of one concept's boxes."""
    graph = nx.Graph()
    sides = [
        [float(w * h) / (WIDTH * HEIGHT) for *_, w, h in p.boxes[np.array(p.concepts) == name]]
        for p in (left, right)
    ]
    for i, a in enumerate(sides[0]):
        for j, b in enumerate(sides[1]):
            difference = abs(a - b) / min(a, b)
            graph.add_edge(("g", i), ("r", j), weight=-difference, difference=difference)
    matched = nx.max_weight_matching(graph, maxcardinality=True)
    return [graph.edges[edge]["difference"] for edge in matched]


def main() -> None:
    """Measure both sides, compare the values, print the ratio; with ``--check`` fail under it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--slow-pairs", type=int, default=60, help="pairs the slow side is given")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--check", action="store_true", help=f"exit 1 under {BAR}")
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    wordnet = load_wordnet()
    vocabulary = draw_vocabulary(wordnet, 1200)
    pictures = draw_pictures(rng, vocabulary, 1000)
    left, right = rng.integers(0, 1000, N_PAIRS), rng.integers(0, 1000, N_PAIRS)
    print_stream_rates(pictures, left, right, wordnet)  # before NLTK fills the memory
    nltk.data.path.insert(0, str(wordnet_root()))
    from nltk.corpus import wordnet as reader

    reader.ensure_loaded()

    start = time.perf_counter()
    table = inventory(pictures, vocabulary)
    lengths = wordnet.path_lengths(vocabulary, vocabulary)
    lengths = np.where(lengths < 0, NO_PATH, lengths).astype(np.uint8)
    prepared = time.perf_counter() - start

    fast_s = math.inf
    for _ in range(3):
        start = time.perf_counter()
        scores = score_pairs(table, left, right, lengths)
        fast_s = min(fast_s, time.perf_counter() - start)

    chosen = rng.choice(N_PAIRS, args.slow_pairs, replace=False)
    start = time.perf_counter()
    slow = [slow_scores(pictures[left[i]], pictures[right[i]], reader) for i in chosen]
    slow_s = time.perf_counter() - start

    worst = 0.0
    for row, expected in zip(chosen, slow, strict=True):
        for key, value in expected.items():
            found = float(scores.columns()[key][row])
            assert math.isnan(found) == math.isnan(value), (row, key)
            worst = max(worst, 0.0 if math.isnan(value) else abs(found - value))

    fast_rate, slow_rate = N_PAIRS / fast_s, len(chosen) / slow_s
    common = scores.n_common.mean()
    print(
        f"pairs                  {N_PAIRS:,} of images with 10 to 30 concepts, "
        f"{common:.1f} common on average; vocabulary {len(vocabulary):,}"
    )
    print(f"prepared once          {prepared:.2f} s ({len(pictures):,} images, path table)")
    print(f"batch scorer           {fast_rate:,.0f} pairs/s (best of 3 over all {N_PAIRS:,})")
    print(f"NLTK and NetworkX      {slow_rate:,.2f} pairs/s (over {len(chosen)} of the same pairs)")
    print(f"largest difference     {worst:.1e}")
    print(f"ratio                  {fast_rate / slow_rate:,.0f} (at least {BAR} asked for)")
    if worst > 1e-12 or (args.check and fast_rate < BAR * slow_rate):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
