"""Word weights: the caption's words, each with what leaving it out takes from a similarity."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vlmexplain.live.word_weights import WordWeight, WordWeights
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.numbers import shift_text

WHAT_IT_IS = (
    "Each number is what the similarity loses when that one word is left out and the rest stays: "
    "above 0 the word pulls the caption towards the image, below 0 away from it. It is not what "
    "the model “looks at”: words work together, the shortened caption may not be English, and "
    "the numbers need not add up to the similarity."
)
NOT_SEEN = {
    "past the cut": "✂ cut off",
    "same tokens": "not told",
}


def words_view(caption: str, weights: WordWeights, model: str, has_second: bool) -> Html:
    """The words of a caption under one model, once for each image and for their difference.

    Args:
        caption: the text.
        weights: its words with a weight for each image; the ground truth first.
        model: whose weights they are; shown when there are two.
        has_second: whether another model stands beside it.
    """
    head = tag("h4", model) if has_second else None
    if weights.undefined_because is not None:
        undefined = tag("span", "undefined", class_="undefined")
        return tag("div", head, tag("p", undefined, f": {weights.undefined_because}."))
    n_images = len(weights.words[0].weights)
    lines: list[Html] = []
    largest = _largest(weights.words)
    titles = ("Ground truth", "Retrieved")
    for side in range(n_images):
        values = [word.weights[side] for word in weights.words]
        lines.append(_line(caption, weights.words, titles[side], values, largest, "weight"))
    if n_images == 2:
        pull = [word.weights[1] - word.weights[0] for word in weights.words]
        lines.append(
            _line(caption, weights.words, "Retrieved − ground truth", pull, largest, "pull")
        )
        lines.append(_in_words(weights.words, pull))
    return tag("div", head, lines, class_="wordlines")


def _largest(words: Sequence[WordWeight]) -> float:
    known = [abs(w) for word in words for w in word.weights if not math.isnan(w)]
    return max(known, default=0.0) or 1.0


def _line(
    caption: str,
    words: Sequence[WordWeight],
    title: str,
    values: Sequence[float],
    largest: float,
    kind: str,
) -> Html:
    """One line: every word over its number, and what stands between the words."""
    pieces: list[object] = []
    place = 0
    for word, value in zip(words, values, strict=True):
        between = caption[place : word.start].strip()
        if between:
            pieces.append(tag("span", between, class_="between"))
        pieces.append(_word(word, value, largest))
        place = word.end
    rest = caption[place:].strip()
    if rest:
        pieces.append(tag("span", rest, class_="between"))
    return tag(
        "div",
        tag("div", title, class_="of"),
        tag("div", pieces, class_="words"),
        class_=f"wordline {kind}",
        data_line=kind,
    )


def _word(word: WordWeight, value: float, largest: float) -> Html:
    if word.visibility != "seen":
        return tag(
            "span",
            tag("b", word.text),
            tag("small", NOT_SEEN[word.visibility]),
            class_="w unseen",
        )
    if math.isnan(value):
        return tag("span", tag("b", word.text), tag("small", "–"), class_="w")
    share = min(100, round(100 * abs(value) / largest))
    side = "up" if value > 0 else "down"
    return tag(
        "span",
        tag("b", word.text),
        tag("small", shift_text(value).replace("= tie", "0"), class_="num"),
        class_=f"w {side}",
        style=f"--share:{share}%",
    )


def _in_words(words: Sequence[WordWeight], pull: Sequence[float]) -> Html:
    """Which words pull to the wrong image most, in a sentence."""
    ranked = sorted(
        (
            (value, word.text)
            for value, word in zip(pull, words, strict=True)
            if not math.isnan(value) and word.visibility == "seen" and value > 0
        ),
        reverse=True,
    )
    if not ranked:
        text = "No word pulls to the retrieved image more than to the ground truth."
        return tag("p", text, class_="quiet")
    named = ", ".join(f"“{word}” ({shift_text(value)})" for value, word in ranked[:3])
    return tag("p", "Pull most to the retrieved image: ", tag("b", named), ".")
