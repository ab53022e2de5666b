"""The perturbations of the LGIP benchmark, as its generator makes them.

Source: Lee, "Language-Guided Invariance Probing of Vision-Language Models", Pattern
Recognition Letters 202 (2026) 108-113, arXiv 2511.13494. What the benchmark gets wrong is
kept here on purpose, so that published numbers can be reproduced; see `careful_object` and its
siblings for flips that mean what they say.
"""

from __future__ import annotations

import re
from typing import Literal

from vlmexplain.perturb.perturbation import (
    Edit,
    Expects,
    NotApplicable,
    Outcome,
    Perturbation,
    apply,
)
from vlmexplain.perturb.request import Request

FlipType = Literal["color", "number", "object"]

TEMPLATES = (
    "a photo of {}",
    "an image of {}",
    "a picture of {}",
    "{} in the scene",
    "a scene showing {}",
    "In this image, {}",
    "In the picture, {}",
    "This image shows {}",
)
PARAPHRASES_A_CAPTION = 6
SHORTEST_CHARACTERS = 5

COLOURS = "red blue green yellow black white brown gray orange pink purple"
NUMBERS = "one two three four five"
OBJECTS = "dog cat horse car bus train person bird boat bicycle truck"
WORDS: dict[FlipType, tuple[str, ...]] = {
    "color": tuple(COLOURS.split()),
    "number": tuple(NUMBERS.split()),
    "object": tuple(OBJECTS.split()),
}
MISSING = {"color": "no colour word", "number": "no number word", "object": "no object word"}
_PATTERNS = {kind: re.compile(rf"\b(?:{'|'.join(words)})\b") for kind, words in WORDS.items()}


def paper_paraphrases(caption: str, request: Request) -> Outcome:
    """At most six of the eight templates, drawn without replacement."""
    if not caption.strip():
        return NotApplicable(request.rule, "the caption is empty")
    made: list[Perturbation] = []
    texts: set[str] = {caption, caption.strip()}
    for template in TEMPLATES:
        before, after = template.split("{}")
        edits = [Edit(0, 0, "", before)] if before else []
        edits += [Edit(len(caption), len(caption), "", after)] if after else []
        one = _trimmed(caption, edits, request, "same", f"template: {template}")
        text = apply(caption, one.edits)
        if len(text) >= SHORTEST_CHARACTERS and text not in texts:
            texts.add(text)
            made.append(one)
    return tuple(request.draws(caption).sample(made, PARAPHRASES_A_CAPTION))


def paper_flip(caption: str, request: Request, kind: FlipType) -> Outcome:
    """The first whole-word match of the type's list, replaced by another word of the list."""
    match = _PATTERNS[kind].search(caption)
    if match is None:
        return NotApplicable(request.rule, MISSING[kind])
    word = request.draws(caption).choice([other for other in WORDS[kind] if other != match.group()])
    edit = Edit(match.start(), match.end(), match.group(), word)
    note = f"{match.group()} → {word}, not checked against the image"
    made = _trimmed(caption, [edit], request, "drop", note)
    if len(apply(caption, made.edits)) < SHORTEST_CHARACTERS:
        return NotApplicable(request.rule, f"the result has under {SHORTEST_CHARACTERS} characters")
    return (made,)


def _trimmed(
    caption: str, edits: list[Edit], request: Request, expects: Expects, note: str
) -> Perturbation:
    """The perturbation, with the blanks at the ends of its text removed as the benchmark does."""
    whole = list(edits)
    lead = len(caption) - len(caption.lstrip())
    kept = len(caption.rstrip())
    if lead and edits[0].end > 0:
        whole.insert(0, Edit(0, lead, caption[:lead], ""))
    if kept < len(caption) and edits[-1].start < len(caption):
        whole.append(Edit(kept, len(caption), caption[kept:], ""))
    return Perturbation(request.rule, expects, tuple(whole), request.seed, None, note)
