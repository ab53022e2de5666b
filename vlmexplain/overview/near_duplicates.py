"""Pictures that look nearly the same: a 64-bit difference hash, and the pairs a few bits apart.

The hash says for an 8 by 8 grid whether the picture gets brighter from one cell to the next. It is
blind to colour, to small things, and to what a crop or a turn changes; a person has to look.
Source: N. Krawetz, "Kind of Like That", 2013 (dHash).
"""

from __future__ import annotations

import io
import os
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import StoreError, VlmexplainError
from vlmexplain.records import Progress, ProgressCallback, no_progress
from vlmexplain.storage import home, locked, write_file

MOST_BITS = 3
"""Two pictures at most so many bits apart look nearly the same."""

PLAIN_BELOW = 3.0
"""A grid whose grey levels (0 to 255) deviate less is too plain to compare."""

WAITING, HASHED, PLAIN, UNREADABLE = range(4)
KEPT_EVERY = 2000
SIDE = 8
_ROWS = 512

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class PictureHashes:
    """The hashes of a gallery's pictures.

    Attributes:
        hashes: uint64 [n_images].
        state: uint8 [n_images]: `WAITING`, `HASHED`, `PLAIN` (too plain) or `UNREADABLE`.
    """

    hashes: Hashes
    state: NDArray[np.uint8]

    @property
    def complete(self) -> bool:
        """Whether every picture was looked at."""
        return not bool((self.state == WAITING).any())

    def count(self, state: int) -> int:
        """How many pictures are in a state."""
        return int(np.count_nonzero(self.state == state))


def difference_hash(picture: Image.Image) -> int | None:
    """The 64 bits of a picture; None when it is too plain.

    >>> difference_hash(Image.new("RGB", (40, 30), "red")) is None
    True
    """
    grey = picture.convert("L").resize((SIDE + 1, SIDE), Image.Resampling.BOX)
    grid = np.asarray(grey, dtype=np.int16)
    if float(grid.std()) < PLAIN_BELOW:
        return None
    bits = (grid[:, 1:] > grid[:, :-1]).ravel()
    return int.from_bytes(np.packbits(bits).tobytes(), "big")


def hash_pictures(gallery: Gallery, progress: ProgressCallback = no_progress) -> PictureHashes:
    """Hash every picture that is not yet; what is done is kept, also when stopped.

    Args:
        progress: called after every few pictures; may raise `Cancelled`.

    Raises:
        StoreError: the hashes cannot be written, or are damaged.
        ReadOnly: in read-only mode.
    """
    path = hashes_file(gallery.id)
    with locked(path):
        kept = read_hashes(gallery)
        hashes, state = kept.hashes.copy(), kept.state.copy()
        waiting = np.flatnonzero(state == WAITING).tolist()
        done, kept_at, few = gallery.n_images - len(waiting), 0, 4 * (os.cpu_count() or 1)
        try:
            with ThreadPoolExecutor() as pool:  # decoding lets other threads run
                for start in range(0, len(waiting), few):
                    progress(Progress("look at pictures", done, gallery.n_images, "pictures"))
                    part = waiting[start : start + few]
                    looked = list(pool.map(lambda image: _hash(gallery, image), part))
                    hashes[part], state[part] = zip(*looked, strict=True)
                    done += len(part)
                    if start - kept_at >= KEPT_EVERY:
                        _write(path, hashes, state)
                        kept_at = start
        finally:
            _write(path, hashes, state)
        progress(Progress("look at pictures", done, gallery.n_images, "pictures"))
    return PictureHashes(hashes, state)


def read_hashes(gallery: Gallery) -> PictureHashes:
    """The hashes as far as they are known.

    Raises:
        StoreError: the file is damaged.
    """
    path = hashes_file(gallery.id)
    try:
        with np.load(path, allow_pickle=False) as kept:
            found = PictureHashes(kept["hashes"], kept["state"])
        if found.hashes.shape != (gallery.n_images,) or found.state.shape != found.hashes.shape:
            raise ValueError("another number of pictures")
        return found
    except FileNotFoundError:
        n = gallery.n_images
        return PictureHashes(np.zeros(n, dtype=np.uint64), np.zeros(n, dtype=np.uint8))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise StoreError(
            "the hashes of the pictures are damaged.",
            where=str(path),
            remedy="Remove the file; they are then made anew.",
        ) from error


def near_pairs(found: PictureHashes, most_bits: int = MOST_BITS) -> NDArray[np.int64]:
    """Pairs of pictures at most so many bits apart, int64 [n, 2], the lower number first, sorted.

    Of two hashes that close, one of ``most_bits + 1`` bands of bits is the same; only pictures
    that share a band are compared.
    """
    known = np.flatnonzero(found.state == HASHED)
    hashes = found.hashes[known]
    edges = np.linspace(0, 64, most_bits + 2).astype(int)
    pairs = [np.empty((0, 2), dtype=np.int64)]
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        band = (hashes >> np.uint64(low)) & np.uint64((1 << (high - low)) - 1)
        order = np.argsort(band, kind="stable")
        starts = np.flatnonzero(np.diff(band[order], prepend=band[order][:1] + np.uint64(1)))
        for group in np.split(order, starts):
            pairs += _close(hashes, np.sort(group), most_bits)
    every = np.unique(np.concatenate(pairs), axis=0)
    result: NDArray[np.int64] = known[every]
    return result


def near_groups(found: PictureHashes, most_bits: int = MOST_BITS) -> NDArray[np.int32]:
    """Which group of look-alikes each picture is in, int32 [n_images]; -1 for none."""
    n = len(found.hashes)
    pairs = near_pairs(found, most_bits)
    graph = sparse.coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    _, group = connected_components(graph, directed=False)
    alone = np.bincount(group, minlength=n)[group] < 2
    return np.where(alone, -1, group).astype(np.int32)


def hashes_file(gallery_id: str) -> Path:
    """Where the hashes of a gallery's pictures are kept."""
    assert gallery_id.isalnum()
    return home() / "picture_hashes" / f"{gallery_id}.npz"


def _hash(gallery: Gallery, image: int) -> tuple[int, int]:
    try:
        found = difference_hash(gallery.read_rgb(image))
    except VlmexplainError:
        return 0, UNREADABLE
    return (0, PLAIN) if found is None else (found, HASHED)


def _write(path: Path, hashes: Hashes, state: NDArray[np.uint8]) -> None:
    out = io.BytesIO()
    np.savez(out, hashes=hashes, state=state)
    write_file(path, out.getvalue())


def _close(hashes: Hashes, group: NDArray[np.intp], most_bits: int) -> list[NDArray[np.int64]]:
    """The close pairs within one group, a few rows at a time."""
    found = []
    for start in range(0, len(group) if len(group) > 1 else 0, _ROWS):
        rows = group[start : start + _ROWS]
        apart = hashes[rows][:, None] ^ hashes[group][None, :]
        one, other = np.nonzero(_bits(apart) <= most_bits)
        pairs = np.stack([rows[one], group[other]], axis=1)
        found.append(pairs[pairs[:, 0] < pairs[:, 1]])
    return found


def _bits(values: Hashes) -> NDArray[np.int64]:
    """How many bits are set in each, by bytes."""
    bits: NDArray[np.int64] = _OF_BYTE[values.view(np.uint8).reshape(*values.shape, 8)].sum(axis=-1)
    return bits


_OF_BYTE = np.array([bin(n).count("1") for n in range(256)], dtype=np.int64)
