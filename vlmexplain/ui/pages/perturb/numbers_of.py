"""What the page shows of a caption, worked out in one go: all models, all perturbations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.live.candidates import Candidate, Candidates, candidates_of
from vlmexplain.live.comparison import Comparison, compare
from vlmexplain.live.scorer import LiveScorer
from vlmexplain.live.word_weights import WordWeights, shortened, word_weights
from vlmexplain.ui.pages.perturb.chart import ModelColumn
from vlmexplain.ui.pages.perturb.subject import Subject
from vlmexplain.ui.shared.perturb_address import PERTURB, PerturbAddress
from vlmexplain.ui.shared.scorers import surroundings


@dataclass(frozen=True, slots=True)
class LiveModel:
    """One model and what it makes of the caption.

    Attributes:
        name: what it is called.
        scorer: it on the gallery.
        comparison: the caption and its perturbations.
        original: the query as the data set has it, where the caption is another; else None.
        weights: of the caption's words.
    """

    name: str
    scorer: LiveScorer
    comparison: Comparison
    original: Comparison | None
    weights: WordWeights

    @property
    def column(self) -> ModelColumn:
        """It as the chart takes it."""
        return ModelColumn(self.name, self.comparison)


@dataclass(frozen=True, slots=True)
class Live:
    """Everything the page shows of one caption.

    Attributes:
        subject: what is compared; the retrieved image filled in where it could be told.
        images: the ground truth, and the retrieved image where there is one.
        candidates: what the rules make of the caption.
        picked: the perturbation that is looked at, or None for the caption.
        models: one or two.
    """

    subject: Subject
    images: tuple[int, ...]
    candidates: Candidates
    picked: Candidate | None
    models: tuple[LiveModel, ...]


def live_numbers(
    gallery: Gallery, scorers: Sequence[LiveScorer], subject: Subject, own: PerturbAddress
) -> Live:
    """All numbers of a caption; texts that were scored before cost nothing.

    Raises:
        PictureError, GalleryError, ModelError: a picture or the model fails.
    """
    caption = subject.caption
    made = candidates_of(caption, own.mode, surroundings(gallery).of(subject.image), own.seed)
    picked = made.find(own.pick) if own.pick else None
    asked = _asked(made, picked, own.offered)
    texts = _texts(subject, asked)
    for scorer in scorers:
        scorer.vectors(texts)  # one call of the model for everything below
    subject = _with_retrieved(subject, scorers[0])
    images = (subject.image,) + (() if subject.retrieved is None else (subject.retrieved,))
    models = tuple(_model(scorer, subject, images, asked) for scorer in scorers)
    return Live(subject, images, made, picked, models)


def _asked(made: Candidates, picked: Candidate | None, offered: bool) -> tuple[Candidate, ...]:
    if offered:
        order = {one.key: place for place, one in enumerate((*made.drawn, *made.offered))}
        rules = list(dict.fromkeys(one.rule.key for one in (*made.drawn, *made.offered)))
        return tuple(
            sorted(
                (*made.drawn, *made.offered),
                key=lambda one: (rules.index(one.rule.key), order[one.key]),
            )
        )
    return made.drawn if picked is None or picked in made.drawn else (*made.drawn, picked)


def _texts(subject: Subject, asked: Sequence[Candidate]) -> list[str]:
    """Every text that will be scored, each once."""
    perturbed = [text for one in asked for text in (one.against, one.text)]
    original = [] if subject.original is None else [subject.original]
    texts = [subject.caption, *original, *perturbed, *shortened(subject.caption).texts]
    return list(dict.fromkeys(texts))


def _with_retrieved(subject: Subject, scorer: LiveScorer) -> Subject:
    """The subject with the first image that the caption retrieves and is no ground truth."""
    if subject.retrieved is not None:
        return subject
    n = len(subject.targets) + 1
    found = scorer.retrieve([subject.caption], subject.targets, subject.original, k=n)
    wrong = [i for i in (found[0].top_images if found else ()) if i not in subject.targets]
    return replace(subject, retrieved=wrong[0]) if wrong else subject


def _model(
    scorer: LiveScorer,
    subject: Subject,
    images: Sequence[int],
    asked: Sequence[Candidate],
) -> LiveModel:
    caption, original = subject.caption, subject.original
    comparison = compare(scorer, caption, asked, images, targets=subject.targets, own_text=original)
    before = None
    if original is not None and original != caption:
        before = compare(scorer, original, (), images, targets=subject.targets, own_text=original)
    weights = word_weights(scorer, caption, images, original)
    return LiveModel(scorer.encoder.identity.name, scorer, comparison, before, weights)


def take_pick(key: str) -> None:
    """Take a choice made in the chart or among the pictures into the address."""
    act = getattr(st.session_state.get(key), "act", None)
    if not isinstance(act, dict):
        return
    kind, value = act.get("kind"), act.get("value")
    if kind == "pick" and isinstance(value, str) and len(value) <= 60:
        PERTURB.go(pick=value)
    elif kind == "other" and isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        PERTURB.go(other=value)
