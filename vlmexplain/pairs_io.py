"""Pairs of annotated images as JSON lines: read, scored, written (`vlmexplain score-pairs`)."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn, Protocol, TextIO

from vlmexplain.errors import DataError, VlmexplainError
from vlmexplain.metrics.pair import CONCEPT_KEYS, PairExplanation, check_options, explain_pair
from vlmexplain.records import (
    BoxXYWH,
    ImageAnnotations,
    Instance,
    MetricOptions,
    PathSimilarity,
)

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


class SynsetSource(PathSimilarity, Protocol):
    """WordNet as far as it is needed here: similarities, and which synsets there are."""

    def has(self, name: str) -> bool:
        """Whether WordNet 3.0 has a synset of this name."""
        ...

    def canonical(self, name: str) -> str:
        """The one name of the synset."""
        ...

    def near_names(self, name: str) -> Sequence[str]:
        """Names of synsets that look like it."""
        ...


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
    written = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip("\ufeff \t\r\n"):
            continue
        try:
            pair = resolve_synsets(read_pair(line, number), similarity, number)
        except DataError as error:
            on_bad_line(number, error)
            continue
        explanation = explain_pair(pair.ground_truth, pair.retrieved, similarity, options)
        out.write(json.dumps(pair_output(explanation, pair.id), allow_nan=False) + "\n")
        written += 1
    return written


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
    document = _parse(line, number)
    at = _Place(number)
    if not isinstance(document, dict):
        at.refuse(document, "a JSON object with id, ground_truth and retrieved")
    identity = at.need(document, "id")
    place = at.inside("id")
    if isinstance(identity, bool) or not isinstance(identity, str | int | float):
        place.refuse(identity, "a string or a number")
    if isinstance(identity, float) and not math.isfinite(identity):
        place.refuse(identity, "a finite number")
    query = document.get("query", "")
    if not isinstance(query, str):
        at.inside("query").refuse(query, "a string")
    return PairInput(
        identity,
        query,
        _image(at.need(document, "ground_truth"), at.inside("ground_truth")),
        _image(at.need(document, "retrieved"), at.inside("retrieved")),
    )


def resolve_synsets(pair: PairInput, wordnet: SynsetSource, number: int) -> PairInput:
    """The pair with every synset under its one name (``automobile.n.01`` is ``car.n.01``).

    Raises:
        DataError: WordNet 3.0 has no such synset; near ones are named.
    """
    at = _Place(number)
    return replace(
        pair,
        ground_truth=_resolved(pair.ground_truth, wordnet, at.inside("ground_truth")),
        retrieved=_resolved(pair.retrieved, wordnet, at.inside("retrieved")),
    )


def _resolved(image: ImageAnnotations, wordnet: SynsetSource, at: _Place) -> ImageAnnotations:
    found = []
    for index, instance in enumerate(image.instances):
        name = instance.synset
        assert name is not None
        if not wordnet.has(name):
            near = " or ".join(repr(other) for other in wordnet.near_names(name))
            raise DataError(
                f"{at.path}.instances[{index}].synset is {_short(name)}, "
                "which is no synset of WordNet 3.0.",
                where=f"line {at.number}",
                remedy=f"Did you mean {near}?" if near else "Expected one such as 'zebra.n.01'.",
            )
        found.append(replace(instance, synset=wordnet.canonical(name)))
    return replace(image, instances=tuple(found))


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


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a line we are, for messages."""

    number: int
    path: str = ""

    def inside(self, key: str) -> _Place:
        joint = "." if self.path and not key.startswith("[") else ""
        return _Place(self.number, f"{self.path}{joint}{key}")

    def need(self, document: dict[str, Any], key: str) -> Any:
        if key not in document:
            raise DataError(f"{self.inside(key).path} is missing.", where=f"line {self.number}")
        return document[key]

    def refuse(self, value: Any, expected: str) -> NoReturn:
        what = f"{self.path} is" if self.path else "is"
        raise DataError(
            f"{what} {_short(value)}; expected {expected}.", where=f"line {self.number}"
        )


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _image(document: Any, at: _Place) -> ImageAnnotations:
    if not isinstance(document, dict):
        at.refuse(document, "an object with width, height and instances")
    width, height = (_side(at.need(document, key), at.inside(key)) for key in ("width", "height"))
    rows = at.need(document, "instances")
    if not isinstance(rows, list):
        at.inside("instances").refuse(rows, "a list")
    return ImageAnnotations(
        width,
        height,
        tuple(_instance(row, at.inside(f"instances[{i}]")) for i, row in enumerate(rows)),
    )


def _side(value: Any, at: _Place) -> int:
    whole = isinstance(value, int | float) and not isinstance(value, bool) and value % 1 == 0
    if not whole or not 1 <= value <= LARGEST_SIDE_PX:
        at.refuse(value, "a whole number of pixels, at least 1")
    return int(value)


def _instance(document: Any, at: _Place) -> Instance:
    if not isinstance(document, dict):
        at.refuse(document, "an object with synset, box_xywh_px and crowd")
    synset = at.need(document, "synset")
    if not isinstance(synset, str) or not synset.strip():
        at.inside("synset").refuse(synset, "a WordNet 3.0 synset such as 'zebra.n.01'")
    crowd = document.get("crowd")
    if crowd is not None and not (isinstance(crowd, int) and crowd in (0, 1)):
        at.inside("crowd").refuse(crowd, "true or false")
    box = _box(document.get("box_xywh_px"), at.inside("box_xywh_px"))
    return Instance(synset, box, bool(crowd))


def _box(value: Any, at: _Place) -> BoxXYWH | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 4:
        at.refuse(value, "[left, top, width, height] or null")
    x, y, width, height = (_number(v, at.inside(f"[{i}]")) for i, v in enumerate(value))
    return (x, y, width, height)


def _number(value: Any, at: _Place) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        at.refuse(value, "a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        at.refuse(value, "a finite number")
    return number
