"""Verdicts of a model whose scores are known by hand, and what must not change them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from colour_world import REST, ReasonWorld, make_world
from homes import at_home, new_home

from vlmexplain.errors import Cancelled
from vlmexplain.reasons.engine import ReasonEngine
from vlmexplain.reasons.kinds import KIND_BY_KEY, VERDICTS
from vlmexplain.reasons.many import explain_many, explain_reasons
from vlmexplain.reasons.reason import FailureReasons, Reason, from_json, to_json
from vlmexplain.records import Progress


def red_score(r: float, g: float, b: float) -> float:
    """Cosine of a mean colour with the text "red": (1, 0, 0, 0.2) normalised."""
    image, text = (r, g, b, REST), (1.0, 0.0, 0.0, REST)
    dot = sum(x * y for x, y in zip(image, text, strict=True))
    return dot / math.hypot(*image) / math.hypot(*text)


def query_of(world: ReasonWorld, text: str) -> int:
    return int(world.gallery.captions_table.column("text").to_pylist().index(text))


def only(found: FailureReasons, kind: str) -> Reason:
    (one,) = [reason for reason in found.reasons if reason.kind == kind]
    return one


@pytest.fixture(scope="module")
def apple(reason_world: ReasonWorld) -> FailureReasons:
    """ "a red ball without a dog": the image with the large red apple comes first."""
    with at_home(reason_world.home):
        engine = ReasonEngine(reason_world.gallery, reason_world.run, reason_world.encoder)
        return engine.explain(query_of(reason_world, "a red ball without a dog"))


def test_the_apple_is_causal_with_the_numbers_worked_by_hand(apple: FailureReasons) -> None:
    grey = 0.2
    red = 0.75 * grey + 0.25, 0.75 * grey, 0.75 * grey
    filled = 0.75 * grey + 0.25 * red[0], 0.75 * grey + 0.25 * red[1], 0.75 * grey + 0.25 * red[2]
    truth = 12 * 8 / 32**2
    right = grey * (1 - truth) + truth, grey * (1 - truth), grey * (1 - truth)
    found = only(apple, "shown_instead")
    mean, inpaint = found.tests
    assert (found.subject, found.image, found.verdict) == ("apple.n.01", "retrieved", "causal")
    assert mean.effect == pytest.approx(red_score(*red) - red_score(*filled), abs=1e-6)
    # a plain grey grows over all of it
    assert inpaint.effect == pytest.approx(red_score(*red) - red_score(grey, grey, grey), abs=2e-3)
    assert apple.margin == pytest.approx(red_score(*red) - red_score(*right), abs=1e-6)
    assert all(test.fixes == (red_score(*filled) < red_score(*right)) for test in (mean,))
    assert inpaint.fixes and inpaint.rank_after == 1 and apple.rank == 2
    assert len(mean.controls) == 6 + 2  # six moved boxes, and the noise of encoding up and down
    assert max(mean.controls[:6]) < 0  # elsewhere is grey: the mean colour there is redder


def test_the_cause_is_said_first(apple: FailureReasons) -> None:
    assert apple.first_cause is not None
    assert apple.reasons[apple.first_cause].kind == "shown_instead"
    assert "Hiding the apple takes away its lead" in apple.sentence


def test_a_missing_thing_that_the_model_cannot_see_by_words_is_untestable_or_told(
    apple: FailureReasons,
) -> None:
    # Too few captions come out right to calibrate by: nothing is claimed.
    assert only(apple, "missing").verdict == "untestable"


def test_every_kind_and_verdict_is_declared(apple: FailureReasons) -> None:
    for reason in apple.reasons:
        assert reason.kind in KIND_BY_KEY and reason.verdict in VERDICTS


def test_what_did_not_fail_has_no_reason(reason_world: ReasonWorld) -> None:
    with at_home(reason_world.home):
        engine = ReasonEngine(reason_world.gallery, reason_world.run, reason_world.encoder)
        found = engine.explain(query_of(reason_world, "one green clock"))
    assert (found.failure, found.reasons, found.first_cause, found.rank) == (False, (), None, 1)


def test_same_input_same_verdict_and_json_gives_it_back(
    reason_world: ReasonWorld, apple: FailureReasons
) -> None:
    with at_home(reason_world.home):
        engine = ReasonEngine(reason_world.gallery, reason_world.run, reason_world.encoder)
        again = engine.explain(apple.caption_index)
    assert again == apple
    assert from_json(json.loads(json.dumps(to_json(apple)))) == apple


def test_the_order_of_the_gallery_changes_no_verdict(tmp_path: Path, apple: FailureReasons) -> None:
    home = new_home(tmp_path / "home")
    with at_home(home):
        world = make_world(tmp_path / "files", home, [4, 2, 0, 3, 1])
        engine = ReasonEngine(world.gallery, world.run, world.encoder)
        found = engine.explain(query_of(world, apple.caption))
    assert sorted((r.kind, r.subject, r.verdict) for r in found.reasons) == sorted(
        (r.kind, r.subject, r.verdict) for r in apple.reasons
    )
    assert (found.rank, found.margin) == (apple.rank, pytest.approx(apple.margin, abs=1e-7))


def test_the_first_reason_comes_before_the_others_are_tested(reason_world: ReasonWorld) -> None:
    with at_home(reason_world.home):
        engine = ReasonEngine(reason_world.gallery, reason_world.run, reason_world.encoder)
        query = query_of(reason_world, "a red ball without a dog")
        steps = engine.explain_stepwise(query)
        assert len(next(steps).reasons) == 1
        assert [len(step.reasons) for step in steps][-1] > 1


def test_kept_results_are_read_and_a_stopped_sample_goes_on(
    reason_world: ReasonWorld, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = new_home(tmp_path / "home")
    for name in ("galleries", "runs", "embeddings"):
        (home / name).symlink_to(reason_world.home / name)
    with at_home(home):
        world, encoder = reason_world, reason_world.encoder
        queries = [query_of(world, "a red ball without a dog"), query_of(world, "red ball")]

        def stop(progress: Progress) -> None:
            if progress.done:
                raise Cancelled("stopped")

        with pytest.raises(Cancelled):
            list(explain_many(world.gallery, world.run, queries, encoder=encoder, progress=stop))
        before = encoder.encoded
        first = explain_reasons(world.gallery, world.run, queries[0], encoder=encoder)
        assert encoder.encoded == before  # read, not made again
        both = list(explain_many(world.gallery, world.run, queries, encoder=encoder))
        assert both[0] == first and encoder.encoded > before


def test_ranks_after_an_edit_are_those_of_sorting() -> None:
    from vlmexplain.reasons.gallery_scores import rank_of

    rng = np.random.default_rng(5)
    for _ in range(200):
        scores = rng.integers(0, 4, 12).astype(np.float32) / 4
        truths = rng.choice(12, size=rng.integers(1, 4), replace=False).tolist()
        order = sorted(range(12), key=lambda image: (-scores[image], image))
        assert rank_of(scores, truths) == min(order.index(truth) for truth in truths) + 1
