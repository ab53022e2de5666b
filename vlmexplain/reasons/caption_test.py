"""C: edit the caption and see what the margin does; W: leave the winning caption out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vlmexplain.reasons.failure_case import Case
from vlmexplain.reasons.gallery_scores import GalleryScores, Scores, best_of, rank_of
from vlmexplain.reasons.kinds import TIE_WITHIN
from vlmexplain.reasons.reason import Test


def caption_test(
    case: Case, scores: GalleryScores, texts: Sequence[str], controls: Sequence[float]
) -> Test:
    """One edit, or several flips of one word.

    The effect of one edit is the fall of the margin; that of several flips is the mean size of
    its change, since to what the word is flipped should not matter. Rank and fix are those of
    the first text.

    Args:
        texts: the edited caption, or the flips.
        controls: what other edits do; see `calibration`.
    """
    assert texts
    vectors = scores.vectors([case.caption, *texts])
    found = [scores.of_text(vector, case.caption, case.compared) for vector in vectors]
    falls = [margin_of(case, found[0]) - margin_of(case, after) for after in found[1:]]
    effect = falls[0] if len(falls) == 1 else float(np.mean(np.abs(falls)))
    return _test("C", case, found[1], effect, controls, texts[0])


def winning_test(case: Case, scores: GalleryScores) -> tuple[Test, int, int]:
    """Leave out the caption of the retrieved image that won; beside it, each of its others.

    Returns:
        The test, and the places in the gallery of the winning caption and of the ground truth's
        best one.
    """
    by_caption = scores.caption_scores(case.vector, case.caption)
    winner = _best_caption(by_caption, scores, case.retrieved)
    own = _best_caption(by_caption, scores, case.ground_truth)
    others = [
        caption.index
        for caption in scores.gallery.captions_of(case.retrieved)
        if caption.index != winner and np.isfinite(by_caption[caption.index])
    ]

    def without(caption: int) -> Scores:
        kept = [by_caption[n] for n in (winner, *others) if n != caption]
        after = case.scores.copy()
        after[case.retrieved] = max(kept, default=-np.inf)
        return after

    # The control of a caption alone is that nothing else of the image changes: no fall.
    controls = [float(case.scores[case.retrieved]) - float(without(n)[case.retrieved])
                for n in others]  # fmt: skip
    after = without(winner)
    lowest = -1.0  # an image without a caption has no score: it falls out of the ranking
    fall = float(case.scores[case.retrieved]) - max(float(after[case.retrieved]), lowest)
    return _test("W", case, after, fall, controls or [0.0], ""), winner, own


def margin_of(case: Case, scores: Scores) -> float:
    """Score of the retrieved image minus that of the best ground truth."""
    best = best_of(scores, case.ground_truths)
    return float(scores[case.retrieved]) - float(scores[best])


def _test(
    key: str, case: Case, after: Scores, effect: float, controls: Sequence[float], edited: str
) -> Test:
    return Test(
        key,  # type: ignore[arg-type]
        None,
        effect,
        tuple(controls),
        rank_of(after, case.ground_truths),
        margin_of(case, after) < -TIE_WITHIN,
        edited,
    )


def _best_caption(by_caption: Scores, scores: GalleryScores, image: int) -> int:
    own = [caption.index for caption in scores.gallery.captions_of(image)]
    return max(own, key=lambda n: (by_caption[n], -n))
