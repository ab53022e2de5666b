"""The answer in a sentence or two, made from the verdicts by rules; it claims what was tested."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vlmexplain.models.protocol import Mode
from vlmexplain.reasons.failure_case import Case, concepts_of
from vlmexplain.reasons.reason import Reason
from vlmexplain.reasons.said import Said, Span
from vlmexplain.wording.words import short_name

_MOST_NAMED = 3
_BACKDROP = 0.5


def sentence_of(
    case: Case, said: Said, reasons: Sequence[Reason], cause: int | None, mode: Mode
) -> str:
    """What was asked, what came instead, which reason is causal, what is not known."""
    if cause is not None and reasons[cause].kind == "fits_too":
        return f"The retrieved image fits the caption too ({reasons[cause].because})."
    parts = [_asked_and_came(case, said, mode)]
    parts.append(_cause(case, reasons[cause]) if cause is not None else _not_found(reasons))
    if cause is not None and reasons[cause].kind not in ("tie", "no_score"):
        rest = _not_known(reasons)
        if rest:
            parts.append(rest)
    return " ".join(parts)


def _asked_and_came(case: Case, said: Said, mode: Mode) -> str:
    asked = _listed([_phrase(said, span) for span, _ in said.nouns][:_MOST_NAMED])
    asked = f"Asked for {asked}" if asked else f"Asked for “{case.caption}”"
    if mode == "text-text":
        return f"{asked}; the model compared captions, and another image's came nearer."
    came = _came(case)
    return f"{asked}; an image with {came} came first." if came else f"{asked}; another came first."


def _came(case: Case) -> str:
    """What the retrieved image shows: what only it has first, backdrops last."""
    right, left = concepts_of(case.right), concepts_of(case.left)
    area = case.right.width_px * case.right.height_px

    def share(concept: str) -> float:
        boxes = [i.box_xywh_px for i in case.right.instances if i.synset == concept]
        return sum(box[2] * box[3] for box in boxes if box is not None) / area

    def order(concept: str) -> tuple[bool, bool, float, str]:
        told = concept not in left or concept in case.mentioned
        return share(concept) > _BACKDROP, not told, -share(concept), concept

    return _listed([short_name(concept) for concept in sorted(right, key=order)[:_MOST_NAMED]])


def _phrase(said: Said, span: Span) -> str:
    """A noun with its number, size and colour as the caption has them."""
    own = [one for one in said.sayings if one.noun == span and one.kind != "negated"]
    first = min((said.words.all[one.first].start for one in own), default=span[0])
    denied = next((one for one in said.of_kind("negated") if one.noun == span), None)
    text = said.words.caption[min(first, span[0]) : span[1]].lower()
    return f"no {text}" if denied is not None else text


def _cause(case: Case, reason: Reason) -> str:
    say = _SAY.get(reason.kind)
    if say is not None:
        return say(reason)
    name = _name(reason)
    if reason.verdict == "unused":
        where = "" if reason.kind != "missing" else ", and hiding it in the right image neither"
        return (
            f"“{name}” does not count for the model: other words for it change the margin by "
            f"{abs(reason.tests[0].effect):.3f}, less than such edits do elsewhere{where}."
        )
    test = reason.tests[-1]
    if test.fixes:
        left = test.rank_after - 1
        still = f", which {left:,} other image{'s' * (left > 1)} still beat" if left else ""
        still = still.replace("beat", "beats") if left == 1 else still
        return f"{_doing(reason)} takes away its lead over the right image{still}."
    return (
        f"{_doing(reason)} lowers its score by {test.effect:.3f} of a lead of {case.margin:.3f}: "
        "a cause, but not the whole of it."
    )


def _doing(reason: Reason) -> str:
    name = _name(reason)
    return {
        "winning_caption": f"Leaving out its caption “{name}”",
        "shared_words": f"Leaving out “{name}”, which both captions say,",
        "count": f"Hiding the surplus of {name}",
        "size": f"Hiding the larger {name}",
    }.get(reason.kind, f"Hiding the {name}")


_SAY: dict[str, Callable[[Reason], str]] = {
    "tie": lambda r: "Both images score the same: which comes first says nothing.",
    "no_score": lambda r: f"The right image has no score: {r.because}.",
    "caption_at_odds": lambda r: f"The caption may be wrong about its own image: {r.because}.",
    "hub": lambda r: f"The retrieved image is a hub: {r.because}.",
}


def _not_found(reasons: Sequence[Reason]) -> str:
    words = [f"“{r.subject}”" for r in reasons if r.kind == "not_annotated"]
    tested = sum(bool(r.tests) for r in reasons)
    if words:
        verb = "is" if len(words) == 1 else "are"
        return f"Nothing annotated explains this: {_listed(words)} {verb} not annotated."
    return f"No cause was found among the {tested} things tested." if tested else (
        "No cause was found: nothing could be tested."
    )  # fmt: skip


def _not_known(reasons: Sequence[Reason]) -> str:
    words = [f"“{r.subject}”" for r in reasons if r.kind == "not_annotated"]
    open_ = [_name(r) for r in reasons if r.verdict == "untestable"]
    parts = []
    if words:
        parts.append(f"what {_listed(words)} {'does' if len(words) == 1 else 'do'}, "
                     "since it is not annotated")  # fmt: skip
    if open_:
        parts.append(f"what {_listed(open_[:_MOST_NAMED])} could not be tested for")
    return f"Not known: {'; '.join(parts)}." if parts else ""


def _name(reason: Reason) -> str:
    is_concept = reason.image is not None and reason.subject.count(".") >= 2
    return short_name(reason.subject) if is_concept else reason.subject


def _listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
