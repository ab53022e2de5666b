"""One query of a run, explained: both images, every metric with its evidence, the ranking."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from vlmexplain.concepts.mentions import mentions_in
from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError
from vlmexplain.example import EXAMPLE
from vlmexplain.metrics.pair import PairExplanation, explain_pair
from vlmexplain.metrics.retrieval import recall_at, reciprocal_rank
from vlmexplain.models.protocol import Mode
from vlmexplain.pairs_io import pair_output
from vlmexplain.records import (
    ImageAnnotations,
    Mention,
    MetricOptions,
    ModelIdentity,
    PathSimilarity,
)
from vlmexplain.scoring.queries import QueryRow, QueryTable
from vlmexplain.scoring.ranking import TIE_WITHIN
from vlmexplain.scoring.run_store import Run
from vlmexplain.scoring.similarity import GallerySimilarity

RECALL_AT = (1, 5, 10)
DEFAULT_OPTIONS = MetricOptions()


@dataclass(frozen=True, slots=True)
class ExplainedImage:
    """One of the two images.

    Attributes:
        image_index: its place in the gallery; None for the built-in example.
        annotations: its objects.
        place_1based: its place in the ranking; None where it has none.
        score: the model's; None where it has none.
        is_ground_truth: whether the query is a caption of it.
    """

    image_index: int | None
    annotations: ImageAnnotations
    place_1based: int | None
    score: float | None
    is_ground_truth: bool


@dataclass(frozen=True, slots=True)
class RankedImage:
    """An image in the ranking.

    Attributes:
        image_index: its place in the gallery.
        place_1based: its place in the ranking; None where it has none.
        score: the model's; None where it has none.
        is_ground_truth: whether the query is a caption of it.
        is_tied: whether another image that is shown scores within 1e-6 of it.
    """

    image_index: int
    place_1based: int | None
    score: float | None
    is_ground_truth: bool
    is_tied: bool


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """Everything a reader is shown about one query.

    Attributes:
        query: the caption.
        caption_index: its place in the gallery; None for the built-in example.
        gallery_id, run_key, model, mode: where it comes from; None for the example.
        drawn: True when gallery or model is of the drawn world.
        source: one line on where the example is from; "" for a run.
        mentions: the words of the query that name concepts of the ground truth.
        query_informed: whether the metrics look at those concepts alone.
        ground_truth: the caption's own image.
        retrieved: the image it is compared with; None when no image has a score.
        pair: the metrics of the two with their evidence; None without ``retrieved``.
        failure: the first image of the ranking is no ground truth.
        rank_1based: place of the best-ranked ground truth; None with ``unranked_because``.
        reciprocal_rank, recall: made from it; recall by k; None and empty without a rank.
        n_tied: other images that score within 1e-6 of it.
        n_ranked: how many images have a score; None when not known.
        margin: score of the first image minus that of the ground truth.
        strip: the best images in order.
        ground_truths: every image that carries this very caption, best first.
    """

    query: str
    caption_index: int | None
    gallery_id: str | None
    run_key: str | None
    model: ModelIdentity | None
    mode: Mode | None
    drawn: bool
    source: str
    mentions: tuple[Mention, ...]
    query_informed: bool
    ground_truth: ExplainedImage
    retrieved: ExplainedImage | None
    pair: PairExplanation | None
    failure: bool
    rank_1based: int | None
    reciprocal_rank: float | None
    recall: dict[int, float]
    n_tied: int
    n_ranked: int | None
    margin: float | None
    unranked_because: str | None
    strip: tuple[RankedImage, ...]
    ground_truths: tuple[RankedImage, ...]

    def __repr__(self) -> str:
        place = "unranked" if self.rank_1based is None else f"rank {self.rank_1based}"
        model = f", {self.model.name}" if self.model else ""
        query = textwrap.shorten(self.query, 60, placeholder=" ...")
        return f"<Explanation {query!r}: {'failure' if self.failure else 'hit'}, {place}{model}>"


def explain_query(
    gallery: Gallery,
    run: Run,
    caption_index: int,
    options: MetricOptions = DEFAULT_OPTIONS,
    retrieved_place_1based: int = 1,
    query_informed: bool = False,
    table: QueryTable | None = None,
) -> Explanation:
    """Explain one query of a run from what is stored; no model is needed.

    Args:
        gallery, run: the run must be of this gallery.
        caption_index: which query.
        options: size threshold and what areas are relative to.
        retrieved_place_1based: which of the kept images to compare with the ground truth.
        query_informed: look only at the concepts that the query mentions.
        table: the run's query table, when the caller keeps one.

    Raises:
        GalleryError: there is no such caption.
        DataError: that place was not kept, or an option makes no sense.
        StoreError: a file of the run is missing or damaged.
    """
    table = table or QueryTable(run, gallery)
    row = table.row(caption_index)
    strip, ground_truths = _ranked_images(run, row, table)
    annotations = gallery.annotations(row.image_index)
    mentions = _mentions(row.text, annotations)
    retrieved, pair = None, None
    if strip or retrieved_place_1based != 1:
        retrieved = _retrieved(gallery, strip, retrieved_place_1based)
        pair = explain_pair(
            annotations,
            retrieved.annotations,
            GallerySimilarity(gallery),
            options,
            frozenset(m.concept for m in mentions) if query_informed else None,
        )
    return Explanation(
        query=row.text,
        caption_index=caption_index,
        gallery_id=gallery.id,
        run_key=run.key,
        model=run.model,
        mode=run.mode,
        drawn=run.manifest.drawn,
        source="",
        mentions=mentions,
        query_informed=query_informed,
        ground_truth=ExplainedImage(
            row.image_index, annotations, row.own_rank_1based, row.own_score, True
        ),
        retrieved=retrieved,
        pair=pair,
        failure=row.failure,
        rank_1based=row.rank_1based,
        reciprocal_rank=row.reciprocal_rank,
        recall=_recall(row.rank_1based),
        n_tied=row.n_tied or 0,
        n_ranked=row.n_ranked,
        margin=row.margin,
        unranked_because=row.unranked_because,
        strip=strip,
        ground_truths=ground_truths,
    )


def explain_example(
    options: MetricOptions = DEFAULT_OPTIONS,
    query_informed: bool = False,
    similarity: PathSimilarity | None = None,
) -> Explanation:
    """The paper's worked example as an explanation like any other.

    Args:
        options: size threshold and what areas are relative to.
        query_informed: look only at the concepts that the query mentions.
        similarity: WordNet's path similarities; None opens WordNet.
    """
    mentions = _mentions(EXAMPLE.query, EXAMPLE.ground_truth)
    mentioned = frozenset(m.concept for m in mentions) if query_informed else None
    rank = EXAMPLE.rank_1based
    return Explanation(
        query=EXAMPLE.query,
        caption_index=None,
        gallery_id=None,
        run_key=None,
        model=None,
        mode=None,
        drawn=False,
        source=EXAMPLE.source,
        mentions=mentions,
        query_informed=query_informed,
        ground_truth=ExplainedImage(None, EXAMPLE.ground_truth, rank, None, True),
        retrieved=ExplainedImage(None, EXAMPLE.retrieved, 1, None, False),
        pair=explain_pair(
            EXAMPLE.ground_truth,
            EXAMPLE.retrieved,
            similarity or load_wordnet(),
            options,
            mentioned,
        ),
        failure=True,
        rank_1based=rank,
        reciprocal_rank=reciprocal_rank(rank),
        recall=_recall(rank),
        n_tied=0,
        n_ranked=None,
        margin=None,
        unranked_because=None,
        strip=(),
        ground_truths=(),
    )


def to_json(explanation: Explanation) -> dict[str, Any]:
    """The explanation as a JSON value; metrics and evidence as `pairs_io.pair_output` has them."""
    value: dict[str, Any] = {
        name: getattr(explanation, name)
        for name in Explanation.__slots__
        if name not in ("pair", "ground_truth", "retrieved", "model", "recall")
    }
    pair = explanation.pair
    scores = pair_output(pair, "") if pair else {}
    scores.pop("id", None)
    return {
        **value,
        "model": asdict(explanation.model) if explanation.model else None,
        "recall": {f"r{k}": hit for k, hit in explanation.recall.items()},
        "mentions": [asdict(mention) for mention in explanation.mentions],
        "ground_truth": asdict(explanation.ground_truth),
        "retrieved": asdict(explanation.retrieved) if explanation.retrieved else None,
        "strip": [asdict(image) for image in explanation.strip],
        "ground_truths": [asdict(image) for image in explanation.ground_truths],
        "metrics": scores or None,
    }


def _mentions(text: str, annotations: ImageAnnotations) -> tuple[Mention, ...]:
    concepts = {i.synset for i in annotations.instances if i.synset is not None}
    return mentions_in(text, sorted(concepts), load_wordnet())


def _recall(rank_1based: int | None) -> dict[int, float]:
    return {} if rank_1based is None else {k: recall_at(rank_1based, k) for k in RECALL_AT}


def _ranked_images(
    run: Run, row: QueryRow, table: QueryTable
) -> tuple[tuple[RankedImage, ...], tuple[RankedImage, ...]]:
    """The best images in order, and every image that carries the query's text, best first."""
    rows = table.same_text(row.text_index) if row.n_ground_truths > 1 else (row,)
    carriers = {r.image_index: (r.own_rank_1based, r.own_score) for r in rows}
    images = run.top_k_images[row.caption_index].tolist()
    scores = run.top_k_scores[row.caption_index].tolist()
    shown: dict[int, tuple[int | None, float | None]] = {
        image: (place, score)
        for place, (image, score) in enumerate(zip(images, scores, strict=True), start=1)
        if image >= 0
    }
    places = shown | {i: found for i, found in carriers.items() if i not in shown}
    known = [score for _, score in places.values() if score is not None]
    ranked = {
        image: RankedImage(image, place, score, image in carriers, _is_tied(score, known))
        for image, (place, score) in places.items()
    }
    last = run.manifest.n_images + 1
    best_first = sorted(carriers, key=lambda i: (ranked[i].place_1based or last, i))
    return tuple(ranked[i] for i in shown), tuple(ranked[i] for i in best_first)


def _is_tied(score: float | None, scores: Sequence[float]) -> bool:
    """Whether another of the scores, which hold this one too, is within 1e-6."""
    return score is not None and sum(abs(score - s) <= TIE_WITHIN for s in scores) > 1


def _retrieved(gallery: Gallery, strip: Sequence[RankedImage], place_1based: int) -> ExplainedImage:
    if not 1 <= place_1based <= len(strip):
        raise DataError(
            f"place {place_1based} of the ranking was not kept; expected 1 to {len(strip)}.",
            remedy="Run again with a larger k (vlmexplain run --top-k K).",
        )
    image = strip[place_1based - 1]
    return ExplainedImage(
        image.image_index,
        gallery.annotations(image.image_index),
        image.place_1based,
        image.score,
        image.is_ground_truth,
    )
