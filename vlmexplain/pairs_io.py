"""Pairs of annotated images as JSON lines: read, scored, written (`vlmexplain score-pairs`)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, NoReturn, TextIO, cast

import msgspec

from vlmexplain.concepts.remembered_paths import RememberedPaths, SynsetSource
from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.errors import DataError, VlmexplainError
from vlmexplain.metrics.pair import CONCEPT_KEYS, PairExplanation, check_options
from vlmexplain.metrics.pair_document import pair_document
from vlmexplain.records import BoxXYWH, ImageAnnotations, Instance, MetricOptions

DEFAULT_OPTIONS = MetricOptions()
LARGEST_SIDE_PX = 10**9
"""A picture with a longer side is taken for a slip."""


@dataclass(frozen=True, slots=True)
class PairInput:
    """One line of the input.

    Attributes:
        id: the user's own, a string or a number; it need not be unique.
        query: the caption; empty when the line has none.
        ground_truth, retrieved: the two images.
    """

    id: str | int | float
    query: str
    ground_truth: ImageAnnotations
    retrieved: ImageAnnotations


class _InstanceForm(msgspec.Struct, frozen=True, gc=False):
    """An instance as a line has it: an `Instance` but for its class, which C fills faster."""

    synset: Annotated[str, msgspec.Meta(min_length=1)]
    box_xywh_px: BoxXYWH | None = None
    crowd: bool | Literal[0, 1] | None = False


_Side = (
    Annotated[int, msgspec.Meta(ge=1, le=LARGEST_SIDE_PX)]
    | Annotated[float, msgspec.Meta(ge=1, le=LARGEST_SIDE_PX)]
)


class _ImageForm(msgspec.Struct):
    """An image as a line has it."""

    width: _Side
    height: _Side
    instances: list[_InstanceForm]


class _PairForm(msgspec.Struct):
    """A line."""

    id: str | int | float
    ground_truth: _ImageForm
    retrieved: _ImageForm
    query: str = ""


_DECODER = msgspec.json.Decoder(_PairForm)
_ENCODER = msgspec.json.Encoder()
_EXPECTED = {
    "": "a JSON object with id, ground_truth and retrieved",
    "id": "a string or a number",
    "query": "a string",
    "ground_truth": "an object with width, height and instances",
    "retrieved": "an object with width, height and instances",
    "width": "a whole number of pixels, at least 1",
    "height": "a whole number of pixels, at least 1",
    "instances": "a list",
    "instances[]": "an object with synset, box_xywh_px and crowd",
    "synset": "a WordNet 3.0 synset such as 'zebra.n.01'",
    "crowd": "true or false",
    "box_xywh_px": "[left, top, width, height] or null",
    "box_xywh_px[]": "a finite number",
}
"""What is expected at each place of a line."""
_MISSING = re.compile(r"missing required field `(\w+)`")
_PLACE = re.compile(r" - at `\$\.?(.*)`$")


def score_stream(
    lines: Iterable[str],
    out: TextIO,
    options: MetricOptions,
    similarity: SynsetSource,
    on_bad_line: Callable[[int, VlmexplainError], None],
) -> int:
    """Score each line and write one JSON line for it; the number written.

    One line is held at a time. Blank lines are skipped; a bad line is handed to
    ``on_bad_line`` with its number (from 1) and leaves no output.
    """
    check_options(options)
    remembered = RememberedPaths(similarity)
    written = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip("\ufeff \t\r\n"):
            continue
        try:
            pair = resolve_synsets(read_pair(line, number), remembered, number)
        except DataError as error:
            on_bad_line(number, error)
            continue
        document = pair_document(pair.ground_truth, pair.retrieved, remembered, options)
        out.write(_json_line({"id": pair.id, **document}))
        written += 1
    return written


def score_pairs(
    pairs: Iterable[Mapping[str, Any]], options: MetricOptions = DEFAULT_OPTIONS
) -> list[dict[str, Any]]:
    """Score pairs of annotated images: the documents that ``vlmexplain score-pairs`` writes.

    >>> zebra = {"synset": "zebra.n.01", "box_xywh_px": None}
    >>> horse = {"synset": "horse.n.01", "box_xywh_px": None}
    >>> images = {"ground_truth": [zebra], "retrieved": [zebra, horse]}
    >>> size = {"width": 640, "height": 480}
    >>> pair = {name: {**size, "instances": found} for name, found in images.items()}
    >>> score_pairs([{"id": 1, "query": "a zebra", **pair}])[0]["ca"]
    1.0

    Args:
        pairs: each in the form of a line of that command's input.
        options: size threshold and what areas are relative to.

    Raises:
        DataError: a pair is not as it should be; its place (from 1), and what was expected.
    """
    check_options(options)
    remembered = RememberedPaths(load_wordnet())
    documents = []
    for number, each in enumerate(pairs, start=1):
        try:
            line = json.dumps(each)
        except (TypeError, ValueError) as error:
            raise DataError(f"is no JSON value ({error}).", where=f"pair {number}") from error
        pair = resolve_synsets(read_pair(line, number), remembered, number)
        document = pair_document(pair.ground_truth, pair.retrieved, remembered, options)
        documents.append({"id": pair.id, **document})
    return documents


def read_pair(line: str, number: int) -> PairInput:
    """Read one line.

    Args:
        line: ``{"id": ..., "query": "...", "ground_truth": IMG, "retrieved": IMG}`` with IMG =
            ``{"width": 640, "height": 480, "instances": [{"synset": "zebra.n.01",
            "box_xywh_px": [x, y, w, h] or null, "crowd": false}]}``. A missing box is no box, a
            missing ``crowd`` is false, further keys are ignored.
        number: the line's number, for messages.

    Raises:
        DataError: the line is not that; says which key and what was expected.

    >>> image = '{"width": 64, "height": 48, "instances": [{"synset": "dog.n.01"}]}'
    >>> pair = read_pair('{"id": 1, "ground_truth": %s, "retrieved": %s}' % (image, image), 7)
    >>> pair.retrieved.instances[0].synset
    'dog.n.01'
    """
    try:
        form = _DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        # The standard library reads what msgspec does not (larger numbers, lone surrogates), and
        # says more of what neither does.
        form = _read_document(_parse(line, number), number)
    return PairInput(
        form.id,
        form.query,
        _image(form.ground_truth, "ground_truth", number),
        _image(form.retrieved, "retrieved", number),
    )


def _read_document(document: Any, number: int) -> _PairForm:
    try:
        form = msgspec.convert(document, _PairForm)
    except msgspec.ValidationError as error:
        raise _refusal(str(error), document, number) from error
    numbers: list[tuple[str, Any]] = [("id", form.id)]
    for side, image in (("ground_truth", form.ground_truth), ("retrieved", form.retrieved)):
        for n, instance in enumerate(image.instances):
            place = f"{side}.instances[{n}].box_xywh_px"
            numbers += ((f"{place}[{i}]", v) for i, v in enumerate(instance.box_xywh_px or ()))
    for place, value in numbers:
        if isinstance(value, float) and not math.isfinite(value):
            raise _refused(place, value, "a finite number", number)
    return form


def _image(form: _ImageForm, place: str, number: int) -> ImageAnnotations:
    for key, side in (("width", form.width), ("height", form.height)):
        if side % 1:
            raise _refused(f"{place}.{key}", side, _EXPECTED[key], number)
    instances = cast(tuple[Instance, ...], tuple(form.instances))
    return ImageAnnotations(int(form.width), int(form.height), instances)


def resolve_synsets(pair: PairInput, known: RememberedPaths, number: int) -> PairInput:
    """The pair with every synset under its one name (``automobile.n.01`` is ``car.n.01``).

    Raises:
        DataError: WordNet 3.0 has no such synset; near ones are named.
    """
    ground_truth = _resolved(pair.ground_truth, known, "ground_truth", number)
    retrieved = _resolved(pair.retrieved, known, "retrieved", number)
    if ground_truth is pair.ground_truth and retrieved is pair.retrieved:
        return pair
    return replace(pair, ground_truth=ground_truth, retrieved=retrieved)


def _resolved(
    image: ImageAnnotations, known: RememberedPaths, place: str, number: int
) -> ImageAnnotations:
    names = cast(list[str], [instance.synset for instance in image.instances])
    found = [*map(known.canonical_of.get, names)]
    if found == names:
        return image
    renamed = False
    for index, (instance, canonical) in enumerate(zip(image.instances, found, strict=True)):
        if canonical == instance.synset:
            continue
        assert instance.synset is not None
        if not instance.synset.strip():
            at = f"{place}.instances[{index}].synset"
            raise _refused(at, instance.synset, _EXPECTED["synset"], number)
        canonical = known.canonical(instance.synset)
        if canonical is None:
            near = " or ".join(map(repr, known.source.near_names(instance.synset)))
            raise DataError(
                f"{place}.instances[{index}].synset is {_short(instance.synset)}, "
                "which is no synset of WordNet 3.0.",
                where=f"line {number}",
                remedy=f"Did you mean {near}?" if near else "Expected one such as 'zebra.n.01'.",
            )
        found[index] = canonical
        renamed = renamed or canonical != instance.synset
    if not renamed:
        return image
    instances = tuple(
        Instance(canonical, instance.box_xywh_px, bool(instance.crowd))
        for instance, canonical in zip(image.instances, found, strict=True)
    )
    return replace(image, instances=instances)


def pair_output(explanation: PairExplanation, pair_id: str | int | float) -> dict[str, Any]:
    """The output object of one pair: values (None where undefined), reasons, evidence."""
    results = {key: explanation.result(key) for key in CONCEPT_KEYS}
    values: dict[str, float | int | None] = {key: r.value for key, r in results.items()}
    if explanation.ce.value is not None:
        values["ce"] = int(explanation.ce.value)
    return {
        "id": pair_id,
        **values,
        "undefined": {
            key: r.undefined_because for key, r in results.items() if r.undefined_because
        },
        "evidence": _concepts(explanation) | _sizes(explanation),
    }


def _concepts(explanation: PairExplanation) -> dict[str, Any]:
    agreement, similar = explanation.ca.evidence, explanation.ncs.evidence
    counts = explanation.ce.evidence
    return {
        "common": list(agreement.common),
        "only_ground_truth": list(agreement.only_ground_truth),
        "only_retrieved": list(agreement.only_retrieved),
        "ncs_pairs": [[pair.ground_truth, pair.retrieved, pair.ps] for pair in similar.pairs],
        "ncs_unmatched": {
            "ground_truth": list(similar.unmatched_ground_truth),
            "retrieved": list(similar.unmatched_retrieved),
        },
        "ncs_no_path": [list(names) for names in similar.without_path],
        "ncs_graph": {"nodes": similar.n_nodes, "edges": similar.n_edges},
        "multiplicities": {
            row.concept: [row.ground_truth, row.retrieved] for row in counts.multiplicities
        },
        "crowd_not_counted": list(counts.crowd_not_counted),
    }


def _sizes(explanation: PairExplanation) -> dict[str, Any]:
    sizes = explanation.sd.evidence
    pairs = [(found.concept, pair) for found in sizes.concepts for pair in found.pairs]
    return {
        "size_pairs": [
            [name, pair.ground_truth.area, pair.retrieved.area, pair.difference, pair.exceeds]
            for name, pair in pairs
        ],
        "size_pair_instances": [
            [name, pair.ground_truth.instance_index, pair.retrieved.instance_index]
            for name, pair in pairs
        ],
        "size_graphs": {
            found.concept: {"nodes": found.n_nodes, "edges": found.n_edges}
            for found in sizes.concepts
        },
        "no_size": [
            [left_out.concept, left_out.side, left_out.kind, list(left_out.instance_indices)]
            for left_out in sizes.no_size
        ],
        "size_threshold": sizes.threshold,
        "size_relative_to": sizes.relative_to,
        "area_unit": sizes.area_unit,
    }


def _parse(line: str, number: int) -> Any:
    try:
        line.encode()
        return json.loads(line.lstrip("\ufeff"), parse_constant=_no_constant)
    except UnicodeEncodeError as error:
        what = "is not UTF-8 text"
        raise DataError(f"{what}.", where=f"line {number}") from error
    except (ValueError, RecursionError) as error:
        what = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        if isinstance(error, json.JSONDecodeError):  # its line number is always the first
            what = f"{error.msg} (character {error.pos + 1})"
        raise DataError(
            f"is not JSON: {what}.",
            where=f"line {number}",
            remedy="Expected one JSON object on the line.",
        ) from error


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _refusal(problem: str, document: Any, number: int) -> DataError:
    """What msgspec says of a document, as we say it: the place, its value, what was expected."""
    at = _PLACE.search(problem)
    place = at[1] if at else ""
    missing = _MISSING.search(problem)
    if missing:
        name = f"{place}.{missing[1]}" if place else missing[1]
        return DataError(f"{name} is missing.", where=f"line {number}")
    value, key = document, ""
    for key in re.findall(r"\w+|\[\d+\]", place):
        value = value[int(key[1:-1])] if key.startswith("[") else value[key]
    if key.startswith("["):
        key = place.rsplit(".", 1)[-1].split("[")[0] + "[]"
    return _refused(place, value, _EXPECTED[key], number)


def _refused(place: str, value: Any, expected: str, number: int) -> DataError:
    what = f"{place} is" if place else "is"
    return DataError(f"{what} {_short(value)}; expected {expected}.", where=f"line {number}")


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _json_line(document: dict[str, Any]) -> str:
    try:
        return _ENCODER.encode(document).decode() + "\n"
    except UnicodeEncodeError:  # a lone surrogate in the id
        return json.dumps(document, allow_nan=False) + "\n"
