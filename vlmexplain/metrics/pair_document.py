"""Every metric of one pair as plain values with its evidence, in one go, for very many pairs.

Equal to what `pairs_io.pair_output` makes of `pair.explain_pair`, which is the story to read; no
object is made here that is not written. The tests compare both on random pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from vlmexplain.metrics.box_size import visible_area
from vlmexplain.metrics.matching import match_similar, match_sizes, size_difference
from vlmexplain.metrics.noncommon_similarity import flip_sides
from vlmexplain.metrics.size_disagreement import exceeds
from vlmexplain.metrics.undefined import Undefined
from vlmexplain.records import ImageAnnotations, Instance, MetricOptions, PathSimilarity

Places = dict[str, list[int]]
"""Concept -> the places of its instances, ascending."""
_Sized = tuple[float, float, float, float, float, int]
"""Area in pixels, the box, the instance's place: sorts as `box_size.canonical_order`."""


def pair_document(
    ground_truth: ImageAnnotations,
    retrieved: ImageAnnotations,
    similarity: PathSimilarity,
    options: MetricOptions,
) -> dict[str, Any]:
    """The values (None where undefined), ``undefined`` and ``evidence`` of a pair."""
    left, right = _places(ground_truth), _places(retrieved)
    names_left, names_right = sorted(left), sorted(right)
    common = [name for name in names_left if name in right]
    only_left = [name for name in names_left if name not in right]
    only_right = [name for name in names_right if name not in left]
    values: dict[str, Any] = {"ca": None, "ncs": None, "ce": None, "sd": None, "sd_raw": None}
    undefined: dict[str, str] = {}
    if left:
        values["ca"] = len(common) / len(left)
    else:
        undefined["ca"] = Undefined.NO_GROUND_TRUTH_CONCEPT.text
    evidence: dict[str, Any] = {
        "common": common, "only_ground_truth": only_left, "only_retrieved": only_right,
    }  # fmt: skip
    _similarity(values, undefined, evidence, similarity, bool(left), bool(right))
    _counts(values, undefined, evidence, (ground_truth, left), (retrieved, right))
    _sizes(values, undefined, evidence, (ground_truth, left), (retrieved, right), options)
    return {**values, "undefined": undefined, "evidence": evidence}


def _places(image: ImageAnnotations) -> Places:
    places: Places = {}
    for index, name in enumerate([instance.synset for instance in image.instances]):
        if name in places:
            places[name].append(index)
        elif name is not None:
            places[name] = [index]
    return places


def _similarity(
    values: dict[str, Any],
    undefined: dict[str, str],
    evidence: dict[str, Any],
    similarity: PathSimilarity,
    any_left: bool,
    any_right: bool,
) -> None:
    left, right = evidence["only_ground_truth"], evidence["only_retrieved"]
    rows: Sequence[int] = ()
    columns: Sequence[int] = ()
    ps: list[float] = []
    no_path: list[list[str]] = []
    if left and right:
        matrix = np.asarray(similarity.matrix(left, right), dtype=np.float64)
        rows, columns = match_similar(matrix, flip_sides(left, right))
        ps = matrix[rows, columns].tolist()
        absent = np.isnan(matrix)
        if absent.any():
            no_path = [[left[i], right[j]] for i, j in np.argwhere(absent).tolist()]
    if ps:
        values["ncs"] = math.fsum(ps) / len(ps)
    else:
        undefined["ncs"] = _why_no_similarity(any_left, any_right, left, right).text
    taken_left, taken_right = set(rows), set(columns)
    evidence["ncs_pairs"] = [
        [left[i], right[j], p] for i, j, p in zip(rows, columns, ps, strict=True)
    ]
    evidence["ncs_unmatched"] = {
        "ground_truth": [name for i, name in enumerate(left) if i not in taken_left],
        "retrieved": [name for j, name in enumerate(right) if j not in taken_right],
    }
    evidence["ncs_no_path"] = no_path
    evidence["ncs_graph"] = {"nodes": len(left) + len(right), "edges": len(left) * len(right)}


def _why_no_similarity(
    any_left: bool, any_right: bool, left: list[str], right: list[str]
) -> Undefined:
    if not any_left:
        return Undefined.NO_GROUND_TRUTH_CONCEPT
    if not any_right:
        return Undefined.NO_RETRIEVED_CONCEPT
    if not left:
        return Undefined.GROUND_TRUTH_USED_UP
    return Undefined.NO_PATH if right else Undefined.RETRIEVED_USED_UP


def _count(instances: Sequence[Instance], places: list[int]) -> int | None:
    for index in places:
        if instances[index].crowd:
            return None
    return len(places)


def _counts(
    values: dict[str, Any],
    undefined: dict[str, str],
    evidence: dict[str, Any],
    ground_truth: tuple[ImageAnnotations, Places],
    retrieved: tuple[ImageAnnotations, Places],
) -> None:
    (image_left, left), (image_right, right) = ground_truth, retrieved
    multiplicities: dict[str, list[int | None]] = {}
    crowd: list[str] = []
    total = 0
    for name in evidence["common"]:
        n_left = _count(image_left.instances, left[name])
        n_right = _count(image_right.instances, right[name])
        multiplicities[name] = [n_left, n_right]
        if n_left is None or n_right is None:
            crowd.append(name)
        else:
            total += abs(n_left - n_right)
    if len(crowd) < len(multiplicities):
        values["ce"] = total
    else:
        why = Undefined.NOTHING_COUNTABLE if crowd else Undefined.NOTHING_COMMON
        undefined["ce"] = why.text
    evidence["multiplicities"] = multiplicities
    evidence["crowd_not_counted"] = crowd


def _sizes(
    values: dict[str, Any],
    undefined: dict[str, str],
    evidence: dict[str, Any],
    ground_truth: tuple[ImageAnnotations, Places],
    retrieved: tuple[ImageAnnotations, Places],
    options: MetricOptions,
) -> None:
    (image_left, left), (image_right, right) = ground_truth, retrieved
    relative_to, threshold = options.relative_to, options.size_threshold
    in_pixels = relative_to == "pixels"
    unit_left = 1 if in_pixels else image_left.width_px * image_left.height_px
    unit_right = 1 if in_pixels else image_right.width_px * image_right.height_px
    pairs: list[list[Any]] = []
    places: list[list[Any]] = []
    graphs: dict[str, dict[str, int]] = {}
    no_size: list[list[Any]] = []
    for name in evidence["common"]:
        boxes_left = _sized(name, "ground truth", image_left, left[name], no_size)
        boxes_right = _sized(name, "retrieved", image_right, right[name], no_size)
        n_left, n_right = len(boxes_left), len(boxes_right)
        graphs[name] = {"nodes": n_left + n_right, "edges": n_left * n_right}
        a = [box[0] / unit_left for box in boxes_left]
        b = [box[0] / unit_right for box in boxes_right]
        matched = ((0,), (0,)) if n_left == n_right == 1 else match_sizes(a, b, relative_to)
        for i, j in zip(*matched, strict=True):
            difference = size_difference(a[i], b[j], relative_to)
            pairs.append([name, a[i], b[j], difference, exceeds(difference, threshold)])
            places.append([name, boxes_left[i][5], boxes_right[j][5]])
    if pairs:
        values["sd"] = sum([pair[4] for pair in pairs]) / len(pairs)
        values["sd_raw"] = math.fsum([pair[3] for pair in pairs]) / len(pairs)
    else:
        why = Undefined.NO_SIZE_PAIR if graphs else Undefined.NOTHING_COMMON
        undefined["sd"] = undefined["sd_raw"] = why.text
    evidence |= {
        "size_pairs": pairs,
        "size_pair_instances": places,
        "size_graphs": graphs,
        "no_size": no_size,
        "size_threshold": threshold,
        "size_relative_to": relative_to,
        "area_unit": "square pixels" if in_pixels else "share of the image",
    }


def _sized(
    name: str, side: str, image: ImageAnnotations, places: list[int], no_size: list[list[Any]]
) -> list[_Sized]:
    sized: list[_Sized] = []
    without: dict[str, list[int]] = {}
    width, height, instances = image.width_px, image.height_px, image.instances
    for index in places:
        instance = instances[index]
        box = instance.box_xywh_px
        if box is not None and not instance.crowd:
            x, y, w, h = box
            if x >= 0 and y >= 0 and w >= 1 and h >= 1 and x + w <= width and y + h <= height:
                sized.append((w * h, x, y, w, h, index))  # a plain box: most are
                continue
        found = "crowd region" if instance.crowd else visible_area(box, width, height)
        if isinstance(found, str):
            without.setdefault(found, []).append(index)
        else:
            assert box is not None
            sized.append((found[0], *box, index))
    if len(sized) > 1:
        sized.sort()
    if without:
        no_size.extend([name, side, kind, without[kind]] for kind in sorted(without))
    return sized
