"""Slices and concept errors of a real run over a made gallery, against plain Python."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from homes import at_home, new_home

sys.path.insert(0, str(Path(__file__).parents[1] / "ui"))

from ui_world import write_world

from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.coco import import_coco
from vlmexplain.errors import UnknownName
from vlmexplain.explain import explain_query
from vlmexplain.overview.concept_errors import (
    failures_that_miscount,
    failures_that_miss,
    miscounted_concepts,
    missed_concepts,
    pair_errors,
)
from vlmexplain.overview.gallery_facts import gallery_facts, groups_above
from vlmexplain.overview.run_columns import read_columns
from vlmexplain.overview.slices import (
    Slice,
    chosen_rows,
    slices_by_concept,
    slices_by_length,
    slices_by_objects,
    slices_by_supercategory,
)
from vlmexplain.records import MetricOptions
from vlmexplain.scoring.run import run


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("slices")
    home = new_home(folder / "home")
    with at_home(home):
        gallery = import_coco(**write_world(folder / "world"), name="made")
        finished = run(gallery, "fake")
        facts = gallery_facts(gallery)
        groups = groups_above(facts.concepts, load_wordnet().hypernym_closure)
        yield gallery, finished, read_columns(finished), facts, groups


def concepts_of(gallery: Any, image: int) -> Counter[str]:
    return Counter(i.synset for i in gallery.annotations(image).instances if i.synset)


def plain(columns: Any, rows: list[int]) -> tuple[Any, ...]:
    rows = [i for i in rows if columns.rank_1based[i]]
    ca = [float(columns.ca[i]) for i in rows if columns.ca[i] == columns.ca[i]]
    rr = [1 / columns.rank_1based[i] for i in rows]
    return (
        len(rows),
        sum(bool(columns.failure[i]) for i in rows),
        pytest.approx(sum(ca) / len(ca)) if ca else None,
        len(ca),
        pytest.approx(sum(rr) / len(rr)) if rr else None,
    )


def test_every_line_equals_its_queries_counted_one_by_one(made: Any) -> None:
    gallery, _, columns, facts, groups = made
    everything = np.ones(len(columns), dtype=bool)
    everything[3] = False
    lines = [
        *slices_by_concept(columns, facts, everything),
        *slices_by_supercategory(columns, facts, everything, groups),
        *slices_by_length(columns, everything),
        *slices_by_objects(columns, facts, everything),
    ]
    wordnet = load_wordnet()
    assert any(line.slice.above for line in lines)
    for line in lines:
        asked = line.slice
        rows = []
        for i in range(len(columns)):
            found = concepts_of(gallery, int(columns.image_index[i]))
            words, objects = len(gallery.caption(i).text.split()), sum(found.values())
            fits = (
                i != 3
                and (not asked.concept or asked.concept in found)
                and (
                    not asked.above
                    or any(asked.above in wordnet.hypernym_closure(c) for c in found)
                )
                and asked.words_from <= words <= (asked.words_to or 10**9)
                and asked.objects_from <= objects
                and (asked.objects_to is None or objects <= asked.objects_to)
            )
            rows += [i] if fits else []
        got = (line.n_queries, line.n_failures, line.ca, line.n_ca, line.mrr)
        assert got == plain(columns, rows), line
        chosen = chosen_rows(columns, facts, asked, groups, without=[3])
        assert np.flatnonzero(chosen).tolist() == rows


def test_unknown_names_come_with_near_ones(made: Any) -> None:
    _, _, columns, facts, groups = made
    with pytest.raises(UnknownName, match=r"Did you mean 'dog\.n\.01'"):
        chosen_rows(columns, facts, Slice(concept="dogs.n.01"), groups)
    with pytest.raises(UnknownName, match="supercategory"):
        chosen_rows(columns, facts, Slice(above="nothing.n.01"), groups)


def test_concept_errors_equal_the_explanations_added_up(made: Any) -> None:
    gallery, finished, columns, facts, _ = made
    rows = np.ones(len(columns), dtype=bool)
    missed, cases = Counter(), Counter()
    wrong, countable, total = Counter(), Counter(), Counter()
    pairs, sized, exceeding = Counter(), Counter(), Counter()
    behind: dict[object, list[int]] = {}
    failed = np.flatnonzero(columns.failure).tolist()
    for index in failed:
        found = explain_query(gallery, finished, index).pair
        cases.update((*found.ca.evidence.common, *found.ca.evidence.only_ground_truth))
        missed.update(found.ca.evidence.only_ground_truth)
        for concept in found.ca.evidence.only_ground_truth:
            behind.setdefault(("missed", concept), []).append(index)
        for each in found.ce.evidence.multiplicities:
            if each.difference is not None:
                countable[each.concept] += 1
                wrong[each.concept] += each.difference > 0
                total[each.concept] += each.difference
                if each.difference:
                    behind.setdefault(("miscounted", each.concept), []).append(index)
        pairs.update((p.ground_truth, p.retrieved) for p in found.ncs.evidence.pairs)
        for p in found.ncs.evidence.pairs:
            behind.setdefault((p.ground_truth, p.retrieved), []).append(index)
        for sizes in found.sd.evidence.concepts:
            sized[sizes.concept] += len(sizes.pairs)
            exceeding[sizes.concept] += sum(p.exceeds for p in sizes.pairs)
            if any(p.exceeds for p in sizes.pairs):
                behind.setdefault(("mis-sized", sizes.concept), []).append(index)
    got = missed_concepts(columns, facts, rows)
    assert {e.concept: (e.wrong, e.cases) for e in got} == {
        c: (missed[c], n) for c, n in cases.items()
    }
    got = miscounted_concepts(columns, facts, rows)
    assert {e.concept: (e.wrong, e.cases, e.total) for e in got} == {
        c: (wrong[c], n, total[c]) for c, n in countable.items()
    }
    errors = pair_errors(gallery, columns, rows, MetricOptions())
    assert errors.n_failures == errors.of == len(failed)
    assert {(e.ground_truth, e.retrieved): e.count for e in errors.confusions} == pairs
    assert {e.concept: (e.wrong, e.cases) for e in errors.mis_sized} == {
        c: (exceeding[c], n) for c, n in sized.items() if n
    }
    for each in errors.confusions:
        assert list(each.queries) == behind[each.ground_truth, each.retrieved]
        assert len(each.queries) == each.count
    for each in errors.mis_sized:
        assert list(each.queries) == behind.get(("mis-sized", each.concept), [])
    for concept in facts.concepts:
        for kind, find in (("missed", failures_that_miss), ("miscounted", failures_that_miscount)):
            expected = behind.get((kind, concept), [])
            assert find(concept, columns, facts, rows).tolist() == expected
    with pytest.raises(UnknownName, match="concept"):
        failures_that_miss("dogs.n.01", columns, facts, rows)
    counts = [e.count for e in errors.confusions]
    assert counts == sorted(counts, reverse=True)


def test_a_sample_is_seeded_and_said(made: Any) -> None:
    gallery, _, columns, _, _ = made
    rows = np.ones(len(columns), dtype=bool)
    one, again = (pair_errors(gallery, columns, rows, MetricOptions(), most=3) for _ in range(2))
    assert one == again
    assert one.n_failures == 3 < one.of


def test_no_failure_at_all(made: Any) -> None:
    gallery, _, columns, facts, _ = made
    none = np.zeros(len(columns), dtype=bool)
    assert missed_concepts(columns, facts, none) == miscounted_concepts(columns, facts, none) == ()
    assert pair_errors(gallery, columns, none, MetricOptions()).confusions == ()
    assert slices_by_concept(columns, facts, none) == ()
    assert all(line.mrr is None for line in slices_by_length(columns, none))


def test_inventory_of_some_images_is_that_of_all_of_them_there(made: Any) -> None:
    from vlmexplain.scoring.failure_scores import inventory_of

    gallery = made[0]
    whole, some = inventory_of(gallery), inventory_of(gallery, np.array([1, 2, 2], np.int32))
    for image in range(gallery.n_images):
        parts = [
            table.concept[table.entry_offsets[image] : table.entry_offsets[image + 1]].tolist()
            for table in (whole, some)
        ]
        assert parts[1] == (parts[0] if image in (1, 2) else [])
    assert len(some.concept) < len(whole.concept)
