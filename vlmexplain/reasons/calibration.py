"""What edits of words do to captions that this model gets right: the controls of caption edits.

The other words of one caption are few, and what they do differs tenfold. So a colour flip is
held against flips of things, numbers and sizes in captions that come out right: there the words
count. What is kept are a few quantiles of each other kind's effects, drawn from nothing: the
captions are evenly spaced.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vlmexplain.concepts.mentions import mentions_in
from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.perturb.engine import Surroundings, perturb
from vlmexplain.perturb.perturbation import NotApplicable, apply
from vlmexplain.reasons.caption_edits import content_words, flips, without_span
from vlmexplain.reasons.failure_case import concepts_of
from vlmexplain.reasons.gallery_scores import GalleryScores
from vlmexplain.reasons.said import Said, what_is_said
from vlmexplain.scoring.run_store import Run

How = Literal["flipped", "removed"]
CAPTIONS = 48
FEWEST = 20
QUANTILES = (0.25, 0.4, 0.55, 0.7, 0.85)
"""Of the other kinds' effects; they are the controls. Below the first: unused; above the last:
used."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Absolute changes of the margin by edits in captions that come out right.

    Attributes:
        effects: (how edited, kind of word) -> effects, float64 [n].
        n_captions: how many captions they come from.
    """

    effects: dict[tuple[How, str], NDArray[np.float64]]
    n_captions: int

    def controls(self, how: How, kind: str) -> tuple[float, ...]:
        """Quantiles of what the same edit does to words of other kinds; empty when too few."""
        pools = [v for (way, other), v in self.effects.items() if way == how and other != kind]
        pool = np.concatenate(pools) if pools else np.empty(0)
        if len(pool) < FEWEST:
            return ()
        return tuple(float(value) for value in np.quantile(pool, QUANTILES))


def calibrate(run: Run, scores: GalleryScores) -> Calibration:
    """Edit words of captions that the run got right, and see what the margin over the next does."""
    chosen = _right_captions(run)
    edits: list[tuple[int, tuple[How, str], list[int]]] = []
    texts: list[str] = []
    for caption_index in chosen:
        caption = scores.gallery.caption(caption_index).text.strip()
        concepts = concepts_of(scores.gallery.annotations(_own(scores, caption_index)))
        said = what_is_said(caption, mentions_in(caption, sorted(concepts), load_wordnet()))
        for key, made in _edits(said):
            edits.append((caption_index, key, list(range(len(texts), len(texts) + len(made)))))
            texts += made
    captions = {n: scores.gallery.caption(n).text.strip() for n in chosen}
    vectors = scores.vectors([*captions.values(), *texts])
    whole = dict(zip(captions, vectors, strict=False))
    effects: dict[tuple[How, str], list[float]] = {}
    for caption_index, key, rows in edits:
        own = np.stack([whole[caption_index], *(vectors[len(captions) + n] for n in rows)])
        margins = _margins(run, scores, caption_index, own)
        effects.setdefault(key, []).append(float(np.abs(margins[1:] - margins[0]).mean()))
    return Calibration({key: np.array(found) for key, found in effects.items()}, len(chosen))


def _edits(said: Said) -> Iterator[tuple[tuple[How, str], Sequence[str]]]:
    for one in said.sayings:
        texts = flips(said, one)
        if texts:
            yield ("flipped", one.kind), texts
    things = perturb(
        said.words.caption, "careful-object", surroundings=Surroundings(lexicon=load_wordnet())
    )
    if not isinstance(things, NotApplicable):
        yield ("flipped", "noun"), [apply(said.words.caption, one.edits) for one in things]
    for kind, span in content_words(said):
        yield ("removed", kind), [without_span(said.words.caption, span)]


def _right_captions(run: Run) -> list[int]:
    rows = run.rows_table
    failed = rows.column("failure").to_numpy(zero_copy_only=False)
    ranks = rows.column("rank_1based").to_numpy(zero_copy_only=False)
    with np.errstate(invalid="ignore"):
        right = np.flatnonzero(~failed.astype(bool) & (ranks.astype(np.float64) == 1))
    if len(right) <= CAPTIONS:
        return [int(row) for row in right]
    return [int(right[n]) for n in np.linspace(0, len(right) - 1, CAPTIONS).astype(int)]


def _own(scores: GalleryScores, caption_index: int) -> int:
    return int(scores.gallery.image_of_caption[caption_index])


def _margins(
    run: Run, scores: GalleryScores, caption_index: int, vectors: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Margin of the caption's own image over the next one, float64 [n], for n texts."""
    own = _own(scores, caption_index)
    order = run.top_k_images[caption_index].tolist()
    other = next((image for image in order if image >= 0 and image != own), own)
    against = scores.embeddings.image_vectors
    if against is not None:
        apart = against[own].astype(np.float64) - against[other].astype(np.float64)
        found: NDArray[np.float64] = vectors.astype(np.float64) @ apart
        return found
    caption = scores.gallery.caption(caption_index).text.strip()
    rows = [scores.of_text(vector, caption, (own, other)) for vector in vectors]
    return np.array([float(row[own]) - float(row[other]) for row in rows])
