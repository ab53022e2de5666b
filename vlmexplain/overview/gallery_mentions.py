"""Which of a gallery's concepts each of its captions mentions: found once, then kept on disk.

Half a million captions take ten seconds and more, too long for a page to wait for.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vlmexplain.concepts.mentions import mentioned_concept_sets
from vlmexplain.concepts.wordnet import WordNet
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.records import Progress, ProgressCallback, no_progress
from vlmexplain.results.kind import Need, ResultKind
from vlmexplain.storage import content_key, publish_folder, read_only

VERSION = 1
CAPTIONS_AT_ONCE = 20_000


@dataclass(frozen=True, slots=True)
class GalleryMentions:
    """Caption i mentions the concepts at the places ``places[offsets[i]:offsets[i + 1]]``.

    Attributes:
        offsets: int64 [n_captions + 1].
        places: int32, in the gallery's list of concepts, ascending in each caption.
    """

    offsets: NDArray[np.int64]
    places: NDArray[np.int32]

    @property
    def captions(self) -> NDArray[np.int64]:
        """The caption of each place, int64 [len(places)]."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


@dataclass(frozen=True, slots=True)
class MentionsManifest:
    """Whose captions they are; folders of earlier versions have no manifest and are read too."""

    gallery_id: str
    gallery_name: str
    created_s: float


MENTIONS = ResultKind(
    name="mentions",
    noun="table of mentions",
    plural="tables of mentions",
    format=1,
    files=("offsets.npy", "places.npy"),
    read=lambda value: MentionsManifest(**value),
    created_s=lambda manifest: manifest.created_s,
    needs=lambda manifest: (Need("galleries", manifest.gallery_id),),
    about=lambda manifest: manifest.gallery_name,
    remedy="Delete the folder; it is made again when it is asked for.",
)


def stored_mentions(gallery: Gallery) -> GalleryMentions | None:
    """What was found earlier; None when it was not, or cannot be read."""
    folder = _folder(gallery)
    try:
        return GalleryMentions(np.load(folder / "offsets.npy"), np.load(folder / "places.npy"))
    except (OSError, ValueError):
        return None


def find_mentions(
    gallery: Gallery, wordnet: WordNet, progress: ProgressCallback = no_progress
) -> GalleryMentions:
    """Look at every caption, and keep what was found unless the server is read-only.

    Args:
        progress: called every 20,000 captions; may raise `Cancelled`.
    """
    texts, n = gallery.captions_table.column("text"), gallery.n_captions
    sizes, places = [], []
    for start in range(0, n, CAPTIONS_AT_ONCE):
        progress(Progress("find mentions", start, n, "captions"))
        part = texts.slice(start, CAPTIONS_AT_ONCE).to_pylist()
        offsets, found = mentioned_concept_sets(part, gallery.concepts, wordnet)
        sizes.append(np.diff(offsets))
        places.append(found)
    every = np.concatenate([*sizes, np.empty(0, np.int64)])
    mentions = GalleryMentions(
        np.concatenate(([0], np.cumsum(every))).astype(np.int64),
        np.concatenate([*places, np.empty(0, np.int32)]).astype(np.int32),
    )
    if not read_only():
        with publish_folder(_folder(gallery)) as folder:
            np.save(folder / "offsets.npy", mentions.offsets)
            np.save(folder / "places.npy", mentions.places)
            manifest = MentionsManifest(gallery.id, gallery.name, time.time())
            MENTIONS.write_manifest(folder, asdict(manifest))
    return mentions


def _folder(gallery: Gallery) -> Path:
    return MENTIONS.folder() / content_key(["mentions", VERSION, gallery.id])
