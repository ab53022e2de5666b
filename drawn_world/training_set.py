"""The training pictures: drawn once, in shards that an interrupted run picks up again.

Run `python -m drawn_world.training_set --out DIR` to draw them; `load` maps them into memory.
"""

from __future__ import annotations

import argparse
import multiprocessing
import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from drawn_world.render import pixels
from drawn_world.sample import sample_scene
from drawn_world.scene import Scene
from vlmexplain.errors import DataError

__all__ = ["TRAIN_SEED", "WATCH_SEED", "TrainingSet", "draw", "load"]

#: Seeds of the scene streams (the test gallery has its own, see `gallery.GALLERY_SEED`).
TRAIN_SEED, WATCH_SEED = 11, 12
_SHARD = 1000


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """Scenes and their pictures: `pictures[shard][row]` is RGB uint8 of shape (size, size, 3)."""

    scenes: list[Scene]
    pictures: list[NDArray[np.uint8]]

    def picture(self, index: int) -> NDArray[np.uint8]:
        """Picture number `index`, shape (size, size, 3), uint8."""
        picture: NDArray[np.uint8] = self.pictures[index // _SHARD][index % _SHARD]
        return picture


def _draw_shard(job: tuple[Path, int, str, int, int, int]) -> None:
    folder, seed, split, shard, count, size_px = job
    target = folder / f"{split}-{shard:04d}.npy"
    if target.exists():
        return
    scenes = [sample_scene(seed, shard * _SHARD + row, split) for row in range(count)]
    images = np.stack([pixels(scene, size_px) for scene in scenes])
    (folder / f"{split}-{shard:04d}.pickle").write_bytes(pickle.dumps(scenes))
    partial = target.with_suffix(".partial")
    with partial.open("wb") as handle:
        np.save(handle, images)
    partial.rename(target)


def draw(folder: Path, scenes: int, size_px: int, workers: int = 2) -> None:
    """Draw `scenes` training scenes and 1,000 watched ones as size_px pictures into `folder`; done
    shards are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    jobs = [(folder, WATCH_SEED, "watch", 0, _SHARD, size_px)]
    jobs += [
        (folder, TRAIN_SEED, "train", shard, min(_SHARD, scenes - shard * _SHARD), size_px)
        for shard in range(-(-scenes // _SHARD))
    ]
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for done, _ in enumerate(pool.imap_unordered(_draw_shard, jobs), start=1):
            print(f"drawn {done} of {len(jobs)} shards", flush=True)


def load(folder: Path, split: str, scenes: int) -> TrainingSet:
    """The first `scenes` scenes of a split, pictures mapped from disk.

    Raises:
        DataError: a shard is missing; draw the set first.
    """
    found: list[Scene] = []
    pictures: list[NDArray[np.uint8]] = []
    for shard in range(-(-scenes // _SHARD)):
        path = folder / f"{split}-{shard:04d}.npy"
        if not path.exists():
            raise DataError(
                "these training pictures are not drawn yet.",
                where=str(path),
                remedy=f"Run python -m drawn_world.training_set --out {folder}",
            )
        pictures.append(np.load(path, mmap_mode="r"))
        found.extend(pickle.loads(path.with_suffix(".pickle").read_bytes()))  # noqa: S301 written by us
    return TrainingSet(found[:scenes], pictures)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Draw the training pictures of the demo world.")
    parser.add_argument("--out", type=Path, required=True, help="folder for the shards")
    parser.add_argument("--scenes", type=int, default=80_000)
    parser.add_argument("--size", type=int, default=128, help="side of a picture in pixels")
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    draw(args.out, args.scenes, args.size, args.workers)


if __name__ == "__main__":
    main()
