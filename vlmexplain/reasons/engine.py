"""The engine: candidates from evidence, tested one by one, each given as soon as it is known."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import VlmexplainError
from vlmexplain.explain import Explanation, explain_query
from vlmexplain.models.protocol import Encoder
from vlmexplain.positives.accepted import GalleryPositives, gallery_positives
from vlmexplain.reasons import candidates, facts
from vlmexplain.reasons.calibration import Calibration, calibrate
from vlmexplain.reasons.candidates import MOST, Candidate
from vlmexplain.reasons.caption_edits import flips, to_the_front, without_negation, without_span
from vlmexplain.reasons.caption_test import caption_test, winning_test
from vlmexplain.reasons.control_places import CELL_OFFSET
from vlmexplain.reasons.failure_case import Case, case_of, concepts_of, instances_of
from vlmexplain.reasons.first_cause import first_cause
from vlmexplain.reasons.gallery_scores import GalleryScores
from vlmexplain.reasons.picture_test import hidden_part, n_images, picture_tests
from vlmexplain.reasons.pictures import Pictures
from vlmexplain.reasons.pixel_colour import LEAST_SHARE, colour_shares
from vlmexplain.reasons.reason import FailureReasons, Reason, Test
from vlmexplain.reasons.said import Said, Saying, what_is_said
from vlmexplain.reasons.sentence import sentence_of
from vlmexplain.reasons.verdicts import pull_verdict, unused_verdict
from vlmexplain.records import ImageAnnotations, Progress, ProgressCallback, no_progress
from vlmexplain.scoring.embedding import embed_gallery, stored_embeddings
from vlmexplain.scoring.queries import QueryTable
from vlmexplain.scoring.run_store import Run

ENGINE_VERSION = 1
"""Part of every result's key; goes up with any change of a verdict."""


@dataclass(frozen=True, slots=True)
class ReasonOptions:
    """What may be chosen.

    Attributes:
        grid_offset: where in its cell of the grid a control lies; 0.75 is the grid shifted by
            half a cell, to see whether verdicts depend on it.
    """

    grid_offset: float = CELL_OFFSET


class ReasonEngine:
    """Explains the failures of one run; safe between threads.

    Args:
        gallery, run: the run must be of this gallery.
        encoder: the model of the run.
        options: see `ReasonOptions`.
        progress: called while something is embedded that the run did not leave.
    """

    def __init__(
        self,
        gallery: Gallery,
        run: Run,
        encoder: Encoder,
        options: ReasonOptions = ReasonOptions(),
        progress: ProgressCallback = no_progress,
    ):
        assert run.gallery_id == gallery.id
        self.gallery, self.run, self.encoder, self.options = gallery, run, encoder, options
        kept = stored_embeddings(gallery, encoder.identity, encoder.mode)
        self._embeddings = kept or embed_gallery(gallery, encoder, progress)
        self._table = QueryTable(run, gallery)
        self._positives: GalleryPositives | None = None
        self._calibration: Calibration | None = None
        self._lock = threading.Lock()

    def explanation(self, caption_index: int) -> Explanation:
        """The stored evidence of a query."""
        return explain_query(self.gallery, self.run, caption_index, table=self._table)

    def calibration(self) -> Calibration:
        """Made once, at the first caption edit."""
        with self._lock:
            if self._calibration is None:
                self._calibration = calibrate(self.run, self._scores())
            return self._calibration

    def positives(self) -> GalleryPositives:
        """The images that are accepted as right."""
        with self._lock:
            if self._positives is None:
                self._positives = gallery_positives(self.gallery)
            return self._positives

    def explain(
        self, caption_index: int, progress: ProgressCallback = no_progress
    ) -> FailureReasons:
        """All reasons of one query.

        Args:
            progress: called after each reason; may raise `Cancelled`.

        Raises:
            GalleryError: there is no such caption.
        """
        *_, last = self.explain_stepwise(caption_index, progress)
        return last

    def explain_stepwise(
        self, caption_index: int, progress: ProgressCallback = no_progress
    ) -> Iterator[FailureReasons]:
        """The reasons as they become known: each value holds those so far; the last holds all."""
        found = self.explanation(caption_index)
        if not found.failure or found.rank_1based is None or found.retrieved is None:
            yield _no_failure(found)
            return
        scores = self._scores()
        case = case_of(self.gallery, found, scores)
        said = what_is_said(case.caption, case.mentions)
        work = _Work(self, case, said, scores)
        reasons: list[Reason] = []
        for reason in work.reasons():
            reasons.append(reason)
            progress(Progress("test reasons", len(reasons), 0, "reasons"))
            yield self._so_far(found, case, said, reasons, work)
        yield self._so_far(found, case, said, reasons, work)

    def _scores(self) -> GalleryScores:
        return GalleryScores(self.gallery, self.encoder, self._embeddings)

    def _so_far(
        self,
        found: Explanation,
        case: Case,
        said: Said,
        reasons: list[Reason],
        work: _Work,
    ) -> FailureReasons:
        cause = first_cause(reasons)
        return FailureReasons(
            caption_index=case.caption_index,
            caption=case.caption,
            failure=True,
            sentence=sentence_of(case, said, reasons, cause, found.mode or "image-text"),
            margin=case.margin,
            rank=case.rank,
            first_cause=cause,
            reasons=tuple(reasons),
            n_encoded=work.n_encoded,
            drawn=found.drawn,
        )


class _Work:
    """One failure being explained."""

    def __init__(self, engine: ReasonEngine, case: Case, said: Said, scores: GalleryScores):
        self.engine, self.case, self.said, self.scores = engine, case, said, scores
        self.pictures = Pictures(engine.gallery, engine.encoder)
        self._n_images = 0

    @property
    def n_encoded(self) -> int:
        """Images and texts that were encoded."""
        return self._n_images + self.scores.n_encoded

    def reasons(self) -> Iterator[Reason]:
        """Facts first, since they cost nothing; then tests, those of the picture first."""
        case, said, engine = self.case, self.said, self.engine
        yield from facts.fits_too(case, engine.positives())
        yield from facts.tie(case)
        yield from facts.caption_at_odds(case, said)
        yield from facts.hub(case, engine.run, engine.gallery)
        yield from self._cut()
        if self.scores.reads_images:
            yield from self._of_pictures()
        else:
            yield from self._of_captions()
        yield from (self._edited(each) for each in candidates.not_annotated(said))

    def _of_pictures(self) -> Iterator[Reason]:
        case, said = self.case, self.said
        try:
            yield from facts.near_duplicate(case, self.pictures)
            yield from facts.outside_crop(case, self.pictures)
        except VlmexplainError:
            pass  # a picture that cannot be read: its tests say so below
        every = [*candidates.shown_instead(case), *candidates.missing(case)]
        for kind, found in (("count", candidates.count(case, said)),
                            ("size", candidates.size(case, said)),
                            ("negated", candidates.negated(case, said)),
                            ("colour", self._colours())):  # fmt: skip
            every += itertools.islice(found, 2 * MOST[kind])
        for candidate in every:
            yield self._tested(candidate)

    def _of_captions(self) -> Iterator[Reason]:
        """What a model that compares captions can be asked."""
        test, winner, own = winning_test(self.case, self.scores)
        texts = [self.engine.gallery.caption(n).text.strip() for n in (winner, own)]
        yield Reason(
            "winning_caption", texts[0], "retrieved", pull_verdict([test]),
            f"the right image's best is “{texts[1]}”", (test,),
        )  # fmt: skip
        theirs, ours = ({w.lower for w in what_is_said(t, ()).words.all} for t in texts)
        for one in self.said.sayings:
            words = {w.lower for w in self.said.words.all[one.first : one.last + 1]}
            if words <= ours and not words & theirs:
                kind = one.kind
                because = "only the right image's best caption says so"
                yield self._edited(Candidate(kind, self.said.phrase(one), None, because,
                                             saying=one))  # fmt: skip
        yield from self._shared_words(theirs)

    def _shared_words(self, theirs: set[str]) -> Iterator[Reason]:
        """Words of the query that the winning caption has too: does it win by them?"""
        nouns = [span for span, _ in self.said.nouns]
        shared = [span for span in nouns if self.said.text(span).lower() in theirs]
        apart = [span for span in nouns if span not in shared]
        for span in shared[: MOST["missing"]]:
            controls = [
                caption_test(self.case, self.scores,
                             [without_span(self.case.caption, other)], ()).effect
                for other in apart
            ]  # fmt: skip
            test = caption_test(
                self.case, self.scores, [without_span(self.case.caption, span)], controls
            )
            verdict = pull_verdict([test]) if controls else "untestable"
            because = "the query and the winning caption both say it"
            yield Reason("shared_words", self.said.text(span), "retrieved", verdict, because,
                         (test,))  # fmt: skip

    def _cut(self) -> Iterator[Reason]:
        start = facts.cut_from(self.scores, self.case.caption)
        if start is None:
            return
        words = self.case.caption[start:].strip() or "the end of the caption"
        edited = to_the_front(self.case.caption, start)
        tests = (caption_test(self.case, self.scores, [edited], ()),) if edited else ()
        because = "the model does not read it; tested with these words moved to the front"
        yield Reason("cut", words, None, "certain", because, tests)

    def _colours(self) -> Iterator[Candidate]:
        for one in self.said.of_kind("colour"):
            left, right = (self._shares(one, image) for image in ("ground truth", "retrieved"))
            asked = one.value.rpartition(" ")[2].replace("grey", "gray")
            if not left or not right or asked not in left:
                continue
            # A box holds backdrop too: the colour has to be there, and much less of it here.
            if left[asked] < LEAST_SHARE or right[asked] > left[asked] / 2:
                continue
            because = (
                f"measured from pixels: {asked} is {left[asked]:.0%} of it in the right image, "
                f"{right[asked]:.0%} in the retrieved one"
            )
            gained = max(right, key=lambda name: (right[name] - left[name], name))
            yield Candidate("colour", self.said.phrase(one), None, because, saying=one,
                            shown=gained)  # fmt: skip

    def _shares(self, one: Saying, side: str) -> dict[str, float]:
        image, annotations = self._image(side)
        places = sorted(n for c in one.concepts for n in instances_of(annotations, c))
        if not places:
            return {}
        try:
            shapes = self.pictures.shapes(image, annotations, places)
            return colour_shares(self.pictures.seen(image).rgb, shapes)
        except VlmexplainError:
            return {}

    def _tested(self, candidate: Candidate) -> Reason:
        if candidate.kind == "missing":
            return self._missing(candidate)
        if candidate.instances:
            tests, why = self._hidden(candidate)
            return _reason(candidate, pull_verdict(tests), tests, why)
        return self._edited(candidate)

    def _missing(self, candidate: Candidate) -> Reason:
        assert candidate.words is not None
        words = self._words_test(candidate)
        hidden, why = self._hidden(candidate)
        if not hidden:
            return _reason(candidate, "untestable", (words,), why)
        verdict = unused_verdict(words, hidden)
        return _reason(candidate, verdict, (words, *hidden), None)

    def _edited(self, candidate: Candidate) -> Reason:
        test = self._words_test(candidate)
        verdict = unused_verdict(test)
        why = "too few captions come out right to hold it against" if not test.controls else None
        return _reason(candidate, verdict, (test,), why)

    def _words_test(self, candidate: Candidate) -> Test:
        calibration = self.engine.calibration()
        one = candidate.saying
        texts = flips(self.said, one, candidate.shown) if one is not None else ()
        if texts:
            assert one is not None
            controls = calibration.controls("flipped", one.kind)
            return caption_test(self.case, self.scores, texts, controls)
        if one is not None and one.kind == "negated":
            texts = (without_negation(self.said, one),)
            kind = "negated"
        else:
            span = candidate.words or _span_of(self.said, one)
            texts = (without_span(self.case.caption, span),)
            kind = {"missing": "noun"}.get(candidate.kind, candidate.kind)
        return caption_test(self.case, self.scores, texts, calibration.controls("removed", kind))

    def _hidden(self, candidate: Candidate) -> tuple[tuple[Test, ...], str | None]:
        side = candidate.image or "retrieved"
        image, annotations = self._image(side)
        try:
            shapes = self.pictures.shapes(image, annotations, candidate.instances)
            spare = self.pictures.union(image, annotations, self._kept_off(annotations, candidate))
            part = hidden_part(shapes, spare, self.engine.options.grid_offset)
            if part.untestable is not None:
                return (), part.untestable
            self._n_images += n_images(part)
            seen = self.pictures.seen(image)
            return picture_tests(self.case, image, seen, part, self.engine.encoder), None
        except VlmexplainError as error:
            return (), f"the picture cannot be read: {error.message}"

    def _kept_off(self, annotations: ImageAnnotations, candidate: Candidate) -> tuple[int, ...]:
        """What controls keep off: other things the caption mentions, which would be no control."""
        own = {annotations.instances[n].synset for n in candidate.instances}
        others = (self.case.mentioned & concepts_of(annotations)) - own
        return tuple(sorted(n for c in others for n in instances_of(annotations, c)))

    def _image(self, side: str) -> tuple[int, ImageAnnotations]:
        case = self.case
        if side == "retrieved":
            return case.retrieved, case.right
        return case.ground_truth, case.left


def _span_of(said: Said, one: Saying | None) -> tuple[int, int]:
    assert one is not None
    return said.words.all[one.first].start, said.words.all[one.last].end


def _reason(candidate: Candidate, verdict: str, tests: Iterable[Test], why: str | None) -> Reason:
    because = candidate.because if why is None else f"{candidate.because}; {why}"
    return Reason(
        candidate.kind,
        candidate.subject,
        candidate.image,
        verdict,  # type: ignore[arg-type]
        because,
        tuple(tests),
        candidate.instances,
    )


def _no_failure(found: Explanation) -> FailureReasons:
    """What is said of a query that succeeded or has no rank."""
    assert found.caption_index is not None
    reasons: tuple[Reason, ...] = ()
    sentence = "The right image came first: no failure."
    if found.rank_1based is None:
        because = found.unranked_because or "nothing could be ranked"
        reasons = (Reason("no_score", "the right image", "ground truth", "certain", because),)
        sentence = f"The right image has no score: {because.rstrip('.')}."
    return FailureReasons(
        caption_index=found.caption_index,
        caption=found.query,
        failure=found.failure,
        sentence=sentence,
        margin=found.margin,
        rank=found.rank_1based,
        first_cause=0 if reasons else None,
        reasons=reasons,
        drawn=found.drawn,
    )
