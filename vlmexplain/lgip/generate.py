"""Make the samples: perturb a gallery, a captions file, or one text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError
from vlmexplain.lgip.sample_files import read_base_line, write_samples
from vlmexplain.lgip.samples import Flip, Sample, SampleCounts
from vlmexplain.perturb.colours import colours_in
from vlmexplain.perturb.engine import Surroundings, perturb, perturb_all
from vlmexplain.perturb.facts import ImageFacts
from vlmexplain.perturb.perturbation import (
    NotApplicable,
    Outcome,
    Perturbation,
    apply,
    perturbation_document,
)
from vlmexplain.perturb.rules import RULE_BY_KEY, Mode, find_rule, lgip_rules
from vlmexplain.records import Progress, ProgressCallback, no_progress

ENGINE: dict[Mode, int] = {"paper": 1, "careful": 2}
"""Counted up when a rule makes other texts: part of the key of what was made from them."""


def perturb_gallery(
    gallery: Gallery,
    mode: Mode,
    out: Path,
    *,
    seed: int = 0,
    progress: ProgressCallback = no_progress,
) -> SampleCounts:
    """Write the perturbations of every caption of a gallery, in the benchmark's form.

    Careful flips are checked against the annotations and the image's other captions.

    Raises:
        UnknownName: no such mode.
    """
    counts = SampleCounts()
    write_samples(_counted(gallery_samples(gallery, mode, seed, progress), counts), out)
    return counts


def perturb_captions_file(
    path: Path, mode: Mode, *, seed: int = 0, progress: ProgressCallback = no_progress
) -> Iterator[Sample]:
    """The perturbations of a COCO captions file, or of JSON lines, one sample an image.

    The captions are taken as they are: blanks and repeats included, since the benchmark did.

    Raises:
        UnknownName: no such mode.
        DataError: the file is neither; names the file and the line or id.
    """
    lgip_rules(mode)
    for number, (image_path, captions) in enumerate(_read_captions(path), 1):
        yield perturb_sample(image_path, captions, mode, seed, ImageFacts(captions=captions))
        if number % 1000 == 0:
            progress(Progress("perturb", number, 0, "images"))


def gallery_samples(
    gallery: Gallery, mode: Mode, seed: int = 0, progress: ProgressCallback = no_progress
) -> Iterator[Sample]:
    """The perturbations of a gallery, one sample for each image with captions."""
    lgip_rules(mode)
    vocabulary = frozenset(gallery.concepts)
    for image in range(gallery.n_images):
        captions = tuple(caption.text for caption in gallery.captions_of(image))
        if captions:
            instances = gallery.annotations(image).instances if mode == "careful" else ()
            facts = ImageFacts(instances, vocabulary, captions)
            file_name = gallery.image(image).file_name
            yield perturb_sample(file_name, captions, mode, seed, facts)
        if image % 100 == 99 or image == gallery.n_images - 1:
            progress(Progress("perturb", image + 1, gallery.n_images, "images"))


def perturb_sample(
    image_path: str, captions: tuple[str, ...], mode: Mode, seed: int, facts: ImageFacts
) -> Sample:
    """The paraphrases and flips of an image's captions, without repeats within a caption."""
    lexicon = load_wordnet() if mode == "careful" else None
    surroundings = Surroundings(facts, lexicon)
    same: list[tuple[str, ...]] = []
    flips: list[tuple[Flip, ...]] = []
    for caption in captions:
        made = [
            (rule, perturb(caption, rule, seed=seed, surroundings=surroundings))
            for rule in lgip_rules(mode)
        ]
        paraphrases: dict[str, None] = {}
        flipped: dict[str, Flip] = {}
        for rule, outcome in made:
            for one in _drawn(outcome):
                text = apply(caption, one.edits)
                if rule.flip_type is None:
                    paraphrases.setdefault(text)
                elif one.expects == "drop":  # where that is not sure, a flip measures nothing
                    flipped.setdefault(text, Flip(text, rule.flip_type, one.verified))
        same.append(tuple(paraphrases))
        flips.append(tuple(flipped.values()))
    return Sample(image_path, captions, tuple(same), tuple(flips))


def perturb_text(
    text: str,
    mode: Mode = "careful",
    rule: str | None = None,
    seed: int = 0,
    *,
    facts: ImageFacts | None = None,
    colours: Iterable[str] = (),
    own_text: str | None = None,
) -> dict[str, Any]:
    """What the rules make of one caption, as a JSON value.

    Args:
        text: the caption.
        mode: which of the two sets of LGIP rules; the others are always asked.
        rule: only this one, by key or name.
        facts: what is known of the image.
        colours: captions' colours to draw from; default those of the caption itself.
        own_text: the user's text, for ``own-text``.

    Raises:
        UnknownName: no such rule or mode.
    """
    surroundings = Surroundings(
        facts, load_wordnet(), tuple(colours) or colours_in([text]), own_text
    )
    outcomes: dict[str, Outcome]
    if rule is None:
        outcomes = perturb_all(text, mode=mode, seed=seed, surroundings=surroundings)
    else:
        lgip_rules(mode)
        found = find_rule(rule, mode)
        outcomes = {found.key: perturb(text, found, seed=seed, surroundings=surroundings)}
    return {
        "caption": text,
        "mode": mode,
        "seed": seed,
        "rules": [_rule_document(text, key, outcome) for key, outcome in outcomes.items()],
    }


def _rule_document(text: str, key: str, outcome: Outcome) -> dict[str, Any]:
    rule = RULE_BY_KEY[key]
    document: dict[str, Any] = {"rule": key, "title": rule.title, "expects": rule.expects}
    if isinstance(outcome, NotApplicable):
        return {**document, "perturbations": [], "not_applicable_because": outcome.because}
    return {**document, "perturbations": [perturbation_document(text, one) for one in outcome]}


def _drawn(outcome: Outcome) -> tuple[Perturbation, ...]:
    return () if isinstance(outcome, NotApplicable) else tuple(p for p in outcome if p.drawn)


def _counted(samples: Iterable[Sample], counts: SampleCounts) -> Iterator[Sample]:
    for sample in samples:
        counts.add(sample)
        yield sample


def _read_captions(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot be read ({error}).", where=str(path)) from error
    if '"orig_captions"' in text.split("\n", 1)[0]:
        # A caption may hold what `splitlines` takes for the end of a line, such as U+2028.
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                yield read_base_line(line, f"{path}:{number}")
        return
    yield from _coco_captions(text, path)


def _coco_captions(text: str, path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """File name and captions of each image of a COCO captions file, in the order of its images."""
    remedy = "Expected a COCO captions file, or one JSON object a line with orig_captions."
    try:
        whole = json.loads(text)
        names = {image["id"]: str(image["file_name"]) for image in whole["images"]}
        of_image: dict[Any, list[str]] = {image: [] for image in names}
        for annotation in whole["annotations"]:
            caption, image = annotation["caption"], annotation["image_id"]
            if not isinstance(caption, str):
                raise DataError(
                    f"the caption is {caption!r}, not a text.",
                    where=f"{path} annotation {annotation.get('id')}",
                    remedy=remedy,
                )
            of_image.setdefault(image, []).append(caption)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(
            f"is no captions file ({error}).", where=str(path), remedy=remedy
        ) from error
    for image, captions in of_image.items():
        if captions:
            yield names.get(image, str(image)), tuple(captions)
