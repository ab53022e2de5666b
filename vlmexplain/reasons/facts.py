"""Reasons that need no test: cut off, tied, look-alikes, hubs, contradictions, accepted images."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import stats

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.near_duplicates import MOST_BITS, difference_hash
from vlmexplain.positives.accepted import GalleryPositives
from vlmexplain.reasons.failure_case import Case, instances_of
from vlmexplain.reasons.gallery_scores import GalleryScores
from vlmexplain.reasons.kinds import TIE_WITHIN
from vlmexplain.reasons.pictures import Pictures
from vlmexplain.reasons.reason import Reason
from vlmexplain.reasons.said import Said
from vlmexplain.scoring.run_store import Run

HUB_CHANCE = 0.001
"""An image is a hub when chance would make any of the gallery's images so with less."""


def fits_too(case: Case, positives: GalleryPositives) -> Iterator[Reason]:
    """The retrieved image is accepted as right."""
    found = positives.judged(case.caption_index, case.retrieved)
    if found.standing == "accepted":
        names = ", ".join(found.accepted_by)
        yield Reason("fits_too", "the retrieved image", "retrieved", "certain",
                     f"accepted as right by {names}")  # fmt: skip


def tie(case: Case) -> Iterator[Reason]:
    """Both images score the same."""
    if abs(case.margin) <= TIE_WITHIN:
        yield Reason("tie", "both images", None, "certain", "their scores are within 1e-6")


def hub(case: Case, run: Run, gallery: Gallery) -> Iterator[Reason]:
    """The retrieved image comes first far more often than its share of the wrong answers.

    Expected: every image of the gallery is as likely to be a wrong first (Poisson).
    """
    firsts = np.asarray(run.top_k_images[:, 0])
    own = np.asarray(gallery.image_of_caption)
    wrong = (firsts >= 0) & (firsts != own)
    here = wrong & (firsts == case.retrieved)
    n, expected = int(here.sum()), float(wrong.sum()) / gallery.n_images
    if n > 1 and stats.poisson.sf(n - 1, expected) < HUB_CHANCE / gallery.n_images:
        unrelated = len(np.unique(own[here]))
        yield Reason(
            "hub", "the retrieved image", "retrieved", "certain",
            f"it wrongly comes first for {n} of {run.manifest.n_queries:,} captions, of "
            f"{unrelated} different images; expected {expected:.1f}",
        )  # fmt: skip


def near_duplicate(case: Case, pictures: Pictures) -> Iterator[Reason]:
    """Both pictures look nearly the same."""
    hashes = [difference_hash(pictures.picture(i)) for i in (case.ground_truth, case.retrieved)]
    if hashes[0] is not None and hashes[1] is not None:
        bits = (hashes[0] ^ hashes[1]).bit_count()
        if bits <= MOST_BITS:
            yield Reason("near_duplicate", "both images", None, "certain",
                         f"their difference hashes are {bits} of 64 bits apart")  # fmt: skip


def outside_crop(case: Case, pictures: Pictures) -> Iterator[Reason]:
    """Mentioned concepts of the ground truth that the model's preprocessing cuts off."""
    for concept in sorted(case.mentioned):
        places = instances_of(case.left, concept)
        shapes = pictures.shapes(case.ground_truth, case.left, places)
        if len(shapes) == len(places) and shapes and not any(shape.any() for shape in shapes):
            yield Reason("outside_crop", concept, "ground truth", "certain",
                         "all its boxes lie outside what the model gets of the image",
                         instances=places)  # fmt: skip


def cut_from(scores: GalleryScores, caption: str) -> int | None:
    """The character from which on the model reads nothing; None when it reads all."""
    cut = [token for token in scores.encoder.tokens(caption) if not token.seen]
    starts = [token.start for token in cut if token.start is not None]
    return min(starts) if starts else (len(caption) if cut else None)


def caption_at_odds(case: Case, said: Said) -> Iterator[Reason]:
    """Numbers of the caption that its own image's annotations deny.

    Only "more than there are": annotators may have counted things that the caption leaves out.
    A crowd region hides how many there are, and a word may mean several concepts.
    """
    for one in said.of_kind("count"):
        here = [n for concept in one.concepts for n in instances_of(case.left, concept)]
        known = here and not any(case.left.instances[n].crowd for n in here)
        if known and int(one.value) > len(here):
            yield Reason(
                "caption_at_odds", said.phrase(one), "ground truth", "undecided",
                f"the caption says {one.value}, the annotations of its own image have {len(here)}",
                instances=tuple(here),
            )  # fmt: skip
