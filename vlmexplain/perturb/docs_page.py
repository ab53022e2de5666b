"""`docs/perturbations.md`, made from the table of rules."""

from __future__ import annotations

import sys

from vlmexplain.perturb.rules import RULES, Rule

_HEAD = """# Perturbations

<!-- Made by `python -m vlmexplain.perturb.docs_page > docs/perturbations.md`; do not edit. -->

A perturbation is data (`perturb.perturbation.Perturbation`): the rule, the edits as spans of the
caption, what is expected of the similarity with the caption's image, the seed, and whether it is
*verified*, that is known to be false of the image. `apply(caption, edits)` and
`undo(text, edits)` are exact for any text. A rule that has nothing to do says why
(`NotApplicable`). Draws depend on caption, rule and seed alone (SHA-256), so that a caption gives
the same perturbations alone, in a batch, today and tomorrow.

    from vlmexplain.perturb.engine import Surroundings, perturb, perturb_all
    perturb("a red bus", "object", mode="paper", seed=0)
    perturb_all("a red bus", surroundings=Surroundings(facts, load_wordnet(), colours))

Expected: **same** should hardly move the similarity, **drop** should lower it, **unknown** makes
no promise.

## The rules
"""

_TAIL = """
## Paper mode and careful mode
Paper mode is the LGIP benchmark's generator, faults included, so that published numbers can be
reproduced. Its object, colour and number flips replace the first match of a word list, whatever
it means there, and are not checked against the image.

Careful mode acts only where the words beside the one it changes leave no doubt. Its word lists
(`perturb/lexis.py`) were made from the captions of COCO; there is no tagger. It keeps capitals,
a/an, plural and agreement (with `inflect`), changes every occurrence (one perturbation each), and
leaves alone: halves of compounds (a train station, a hot dog, green beans), the fruit orange,
proper names, black-and-white photographs, people's skin, negations and alternatives, numbers that
count nothing (a two-way street, one of them), and slips of the caption itself (a couple of bird).

- An **object** flip exchanges animals for animals and vehicles for vehicles, and a person for an
  animal. It never puts what the image or any of its captions has or may have: no annotated object
  of that synset, of one above or below it, or of a telling name. *Verified*: the image has
  annotations, and the thing is in the vocabulary that the annotators looked for.
- A **number** flip always goes up, beyond the caption's number and beyond the annotated count: a
  caption that says two dogs is, read as "at least", true of an image of three. *Verified*: the
  counted noun is (a kind of) an annotated concept, no crowd hides the count, and the annotations
  have at least as many as the caption says. Where they have fewer, caption and annotations
  disagree, and nothing is verified.
- A **colour** flip is never verified: COCO has no colours. The new colour is at least the RGB
  threshold away, and none that the caption names already.

### How often they are right
Read by hand on the first 300 captions of COCO's `captions_val2017` by the SHA-256 of
`careful precision 2026 ID` (`tests/perturb/precision_*.tsv`; a test fails when the engine makes
another text for any of them): a flip counts when it is grammatical *and* contradicts its caption.

| mode | flips | right | share |
|---|---|---|---|
| careful | 190 | 186 | 97.9 % |
| paper | 126 | 107 | 84.9 % |

The four careful ones that are not right repeat slips of the caption. The rules were made with the
word counts of the same file and with other captions of it under the eyes, a handful of the 300
among them; one fault found in reading the 300 ("a train ride") was mended and the 300 made again.
So the share is that of captions like COCO's, a little on the kind side; other captions need a
reading of their own. Absurd but clear contradictions (a horse on a phone) count as right: the
figure says nothing of plausibility.

## What the model sees
`perturb.seen.visibility(caption, text, encoder)` compares the tokens that the model reads: an
edit beyond the context length is "past the cut", one that the tokenizer makes the same of both
texts is "same tokens". Neither says anything of the model's sensitivity. Similarities within 1e-6
are a tie.

## Sources
LGIP: Lee, Pattern Recognition Letters 202 (2026) 108-113, arXiv 2511.13494. Antonym, colour and
size: Lymperaiou et al., COLING 2022, 2022.coling-1.321. Colours: the CSS names and their RGB
values, through Pillow. Antonyms and synonyms: WordNet 3.0.
"""


def docs_page() -> str:
    """The page, built from the table."""
    rows = ["| rule | name | expected | what it does |", "|---|---|---|---|"]
    rows += [f"| `{r.key}` | {r.title} | {r.expects} | {r.sentence}{_needs(r)} |" for r in RULES]
    parameters = ["", "| parameter | of | default | range | |", "|---|---|---|---|---|"]
    seen = {p.name: p for r in RULES for p in r.parameters}
    for name, one in seen.items():
        users = ", ".join(f"`{r.key}`" for r in RULES if one in r.parameters)
        span = f"{one.minimum:g} to {one.maximum:g}"
        parameters.append(f"| `{name}` | {users} | {one.default:g} | {span} | {one.sentence} |")
    return _HEAD + "\n".join([*rows, *parameters]) + "\n" + _TAIL


def _needs(rule: Rule) -> str:
    return f" Needs {', '.join(rule.needs)}." if rule.needs else ""


if __name__ == "__main__":
    sys.stdout.write(docs_page())
