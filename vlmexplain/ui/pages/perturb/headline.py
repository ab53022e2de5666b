"""The numbers of the caption, of the query it came from, and of the perturbation looked at."""

from __future__ import annotations

import math

from vlmexplain.live.comparison import Comparison, ScoredCandidate
from vlmexplain.live.retrieval import Retrieval
from vlmexplain.perturb.perturbation import apply
from vlmexplain.perturb.seen import TIE
from vlmexplain.ui.pages.perturb.chart import NOT_SEEN, change_text
from vlmexplain.ui.pages.perturb.edits_view import changed_text
from vlmexplain.ui.pages.perturb.numbers_of import Live, LiveModel
from vlmexplain.ui.shared.html import Html, tag, wide
from vlmexplain.ui.shared.numbers import rank_text, shift_text, similarity_text
from vlmexplain.ui.shared.words import place_text


def headline_view(live: Live) -> Html:
    """For each model a sentence and a small table."""
    return tag(
        "div",
        [_model(live, model, number) for number, model in enumerate(live.models)],
        class_="vx headlines",
    )


def picked_view(live: Live) -> Html | None:
    """The perturbation that is looked at, word for word."""
    if live.picked is None:
        return None
    one = live.picked.perturbation
    against = ""
    if one.baseline:
        against = f" Scored against “{apply(live.subject.caption, one.baseline)}”."
    return tag(
        "div",
        tag(
            "p",
            tag("b", live.picked.rule.title),
            tag("span", f" · {live.picked.rule.sentence}", class_="quiet small"),
        ),
        tag("p", changed_text(live.subject.caption, one.edits), class_="edited large"),
        tag(
            "p",
            tag("b", "✓ ", class_="good") if one.verified else None,
            f"{one.note}.{against}",
            class_="quiet small",
        ),
        class_="vx",
        data_picked=live.picked.key,
    )


def _model(live: Live, model: LiveModel, number: int) -> Html:
    picked = next(
        (
            one
            for one in model.comparison.candidates
            if live.picked is not None and one.candidate.key == live.picked.key
        ),
        None,
    )
    return tag(
        "div",
        tag("h3", model.name) if len(live.models) > 1 else None,
        tag("p", _sentence(model.comparison), data_verdict=number),
        wide("Similarities and ranks", _table(live, model, picked, number)),
    )


def _sentence(comparison: Comparison) -> list[object]:
    rank = _rank_sentence(comparison.retrieval)
    if len(comparison.scores) < 2:
        return [rank]
    truth, retrieved = comparison.scores
    if math.isnan(truth) or math.isnan(retrieved):
        return ["One of the two images has no similarity. ", rank]
    if abs(truth - retrieved) <= TIE:
        nearer: list[object] = ["The caption is ", tag("b", "as near"), " to both images (a tie). "]
    else:
        name = "ground truth" if truth > retrieved else "retrieved image"
        kind = "good" if truth > retrieved else "bad"
        nearer = [
            "The caption is nearer to the ",
            tag("b", name, class_=kind),
            f", by {abs(truth - retrieved):.4f}. ",
        ]
    return [*nearer, rank]


def _rank_sentence(found: Retrieval | None) -> str:
    if found is None:
        return ""
    if found.rank_1based is None:
        return "The ground truth has no place in the ranking."
    tie = ", sharing its score with others" if found.n_tied else ""
    place = place_text(found.rank_1based)
    return f"The ground truth comes {place} of {found.n_ranked:,} images{tie}."


def _table(live: Live, model: LiveModel, picked: ScoredCandidate | None, number: int) -> Html:
    rows = []
    if model.original is not None:
        rows.append(_row("The data set's caption", model.original, None, "query"))
    label = "The caption" if model.original is None else "Your caption"
    rows.append(_row(label, model.comparison, model.original, f"caption-{number}"))
    if picked is not None:
        rows.append(_picked_row(picked, model.comparison))
    titles = ["Ground truth", "Retrieved", "Rank"]
    if len(live.images) < 2:
        titles.pop(1)
    head = tag(
        "tr", tag("th", "", scope="col"), [tag("th", t, scope="col", class_="r") for t in titles]
    )
    return tag("table", tag("thead", head), tag("tbody", rows))


def _row(label: str, found: Comparison, before: Comparison | None, name: str) -> Html:
    cells = []
    for side, value in enumerate(found.scores):
        shift = None
        if before is not None:
            text = shift_text(value - before.scores[side])
            shift = tag("small", text, class_="quiet shift")
        cells.append(
            tag(
                "td", tag("b", similarity_text(value), data_score=f"{name}-{side}"), shift,
                class_="r",
            )
        )  # fmt: skip
    rank = tag("span", rank_text(found.retrieval), data_rank=name)
    return tag("tr", tag("th", label, scope="row"), cells, tag("td", rank, class_="r"))


def _picked_row(picked: ScoredCandidate, comparison: Comparison) -> Html:
    not_seen = NOT_SEEN.get(picked.scored.visibility)
    cells = [
        tag(
            "td",
            tag("b", similarity_text(value)),
            tag("small", shift_text(shift), class_="quiet shift"),
            class_="r",
        )
        for value, shift in zip(picked.scored.scores, picked.shifts, strict=True)
    ]
    label = tag(
        "th",
        picked.candidate.rule.title,
        tag("small", change_text(picked.candidate.perturbation.note), class_="quiet n"),
        tag("small", f" · {not_seen}", class_="quiet") if not_seen else None,
        scope="row",
    )
    return tag("tr", label, cells, tag("td", rank_text(picked.retrieval), class_="r"))
