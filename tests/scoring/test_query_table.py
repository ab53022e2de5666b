"""The query table against filtering and sorting in plain Python."""

from __future__ import annotations

import threading
from functools import cmp_to_key

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError, GalleryError, StoreError, UnknownName
from vlmexplain.scoring.queries import (
    NumberRange,
    QueryFilter,
    QuerySort,
    QueryTable,
    image_concepts,
)
from vlmexplain.scoring.query_filter import METRIC_KEYS, NUMBERS, SORT_KEYS
from vlmexplain.scoring.run import run

ODD = [
    "100% dog_x",
    "it's a 'quote'",
    'back\\slash "x"',
    "%_%",
    "ÄRGER über Ölfaß",
    "; DROP TABLE",
    "$x$ *",
]


@pytest.fixture
def table(gallery: Gallery) -> QueryTable:
    return QueryTable(run(gallery, "fake-text"), gallery)


def plain_rows(table: QueryTable) -> list[dict]:
    return pq.read_table(table._run.queries_path).to_pylist()


def keeps(gallery: Gallery, chosen: QueryFilter, row: dict) -> bool:
    def has(image: int | None, synset: str) -> bool:
        return image is not None and any(
            instance.synset == synset for instance in gallery.annotations(image).instances
        )

    return (
        all(word.lower() in row["text"].lower() for word in chosen.text.split())
        and (row["failure"] or not chosen.failures_only)
        and (row["rank_1based"] is None or not chosen.unranked_only)
        and all(
            row[r.key] is not None
            and (r.low is None or row[r.key] >= r.low)
            and (r.high is None or row[r.key] <= r.high)
            for r in chosen.ranges
        )
        and all(has(row["image_index"], synset) for synset in chosen.in_ground_truth)
        and all(has(row["retrieved_image_index"], synset) for synset in chosen.in_retrieved)
        and all(row["failure"] and row[key] is None for key in chosen.undefined)
    )


def in_order(rows: list[dict], sort: QuerySort) -> list[int]:
    def value(row: dict):
        found = row[sort.key]
        return (found.lower(), found) if sort.key == "text" else found

    def compare(a: dict, b: dict) -> int:
        left, right = value(a), value(b)
        if (left is None) != (right is None):
            return 1 if left is None else -1
        if left != right and left is not None:
            return (1 if left > right else -1) * (-1 if sort.descending else 1)
        return a["caption_index"] - b["caption_index"]

    return [row["caption_index"] for row in sorted(rows, key=cmp_to_key(compare))]


def limits(draw_number: st.SearchStrategy) -> st.SearchStrategy:
    return st.tuples(
        st.sampled_from(NUMBERS), st.none() | draw_number, st.none() | draw_number
    ).map(lambda t: NumberRange(t[0], *_upright(t[1], t[2])))


def _upright(low, high):
    return (high, low) if low is not None and high is not None and low > high else (low, high)


def filters(concepts: tuple[str, ...]) -> st.SearchStrategy:
    return st.builds(
        QueryFilter,
        text=st.sampled_from(["", "dog", "DOG cat", "a", "zebra runs", "%", "_", "nothing"]),
        failures_only=st.booleans(),
        unranked_only=st.sampled_from([False, False, True]),
        ranges=st.lists(limits(st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0, 5.0])), max_size=2).map(
            tuple
        ),
        in_ground_truth=st.lists(st.sampled_from(concepts), max_size=1).map(tuple),
        in_retrieved=st.lists(st.sampled_from(concepts), max_size=1).map(tuple),
        undefined=st.lists(st.sampled_from(METRIC_KEYS), max_size=1).map(tuple),
    )


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_filter_and_sort_as_plain_python(gallery: Gallery, table: QueryTable, data) -> None:
    chosen = data.draw(filters(gallery.concepts))
    sort = QuerySort(data.draw(st.sampled_from(SORT_KEYS)), data.draw(st.booleans()))
    rows = [row for row in plain_rows(table) if keeps(gallery, chosen, row)]
    expected = in_order(rows, sort)
    assert table.order(chosen, sort).tolist() == expected
    offset, limit = data.draw(st.integers(0, 60)), data.draw(st.integers(0, 20))
    page = table.page(chosen, sort, offset, limit)
    assert page.total == len(expected) and page.offset == offset
    assert [row.caption_index for row in page.rows] == expected[offset : offset + limit]


def test_each_condition_keeps_some_and_drops_some(gallery: Gallery, table: QueryTable) -> None:
    """So that the test above cannot agree on nothing alone."""
    concept = gallery.concepts[0]
    for chosen in (
        QueryFilter(text="DOG zebra"),
        QueryFilter(failures_only=True),
        QueryFilter(ranges=(NumberRange("rank_1based", 2, 5),)),
        QueryFilter(ranges=(NumberRange("ca", 0.1),)),
        QueryFilter(in_ground_truth=(concept,)),
        QueryFilter(in_retrieved=(concept,)),
        QueryFilter(undefined=("ncs",)),
        QueryFilter(undefined=("q_ca",)),
    ):
        assert 0 < table.page(chosen).total < gallery.n_captions, chosen


def test_a_row_is_what_was_stored(table: QueryTable) -> None:
    for plain in plain_rows(table):
        row = table.row(plain["caption_index"])
        for name in ("text", "rank_1based", "score_retrieved", "margin", "failure", "n_tied"):
            assert getattr(row, name) == plain[name]
        assert row.metrics == {key: plain[key] for key in METRIC_KEYS}
        assert set(row.undefined) == {
            key for key in METRIC_KEYS if row.failure and plain[key] is None
        }
        assert all(isinstance(reason, str) and reason for reason in row.undefined.values())


def test_neighbours_walk_through_the_whole_table(gallery: Gallery, table: QueryTable) -> None:
    chosen, sort = QueryFilter(failures_only=True), QuerySort("ncs", descending=True)
    order = table.order(chosen, sort).tolist()
    assert len(order) > 10
    for place, query in enumerate(order):
        found = table.neighbours(chosen, sort, query)
        assert found.position_1based == place + 1 and found.total == len(order)
        assert found.previous == (order[place - 1] if place else None)
        assert found.next == (order[place + 1] if place + 1 < len(order) else None)
    outside = next(q for q in range(gallery.n_captions) if q not in order)
    found = table.neighbours(chosen, sort, outside)
    assert found.position_1based is None and found.next == order[0]
    nothing = table.neighbours(QueryFilter(text="nothing"), sort, 0)
    assert (nothing.next, nothing.total) == (None, 0)


def test_search_is_literal(make_gallery) -> None:
    made = make_gallery([[text] for text in ODD])
    table = QueryTable(run(made, "fake"), made)
    for word, found in {
        "%": [ODD[0], ODD[3]],
        "_": [ODD[0], ODD[3]],
        "'": [ODD[1]],
        "\\": [ODD[2]],
        '"x"': [ODD[2]],
        "ärger ÖLFAß": [ODD[4]],
        "';": [],
        "; drop": [ODD[5]],
        "$x$": [ODD[6]],
        "*": [ODD[6]],
        "?": [],
    }.items():
        rows = table.page(QueryFilter(text=word)).rows
        assert sorted(row.text for row in rows) == sorted(found), word


def test_unknown_names_are_refused(table: QueryTable) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'margin'"):
        table.page(sort=QuerySort("magrin"))
    with pytest.raises(UnknownName, match="metric"):
        table.page(QueryFilter(undefined=("ca; DROP TABLE queries",)))
    with pytest.raises(UnknownName, match="column"):
        table.page(QueryFilter(ranges=(NumberRange("1=1 OR ca", 0, 1),)))
    with pytest.raises(UnknownName, match=r"Did you mean 'dog\.n\.01'"):
        table.page(QueryFilter(in_retrieved=("dog.n.1",)))
    with pytest.raises(DataError, match="from 5 to 2"):
        table.page(QueryFilter(ranges=(NumberRange("rank_1based", 5, 2),)))
    with pytest.raises(DataError, match="nan"):
        table.page(QueryFilter(ranges=(NumberRange("ca", float("nan"), 2),)))
    with pytest.raises(GalleryError):
        table.row(-1)


def test_a_missing_file_is_said(table: QueryTable) -> None:
    table._run.queries_path.write_bytes(b"PAR1 not really")
    with pytest.raises(StoreError, match="missing or damaged"):
        table.page()
    table._run.queries_path.unlink()
    with pytest.raises(StoreError, match="missing or damaged"):
        table.page()


def test_many_threads_get_right_answers(table: QueryTable) -> None:
    jobs = [
        (QueryFilter(failures_only=flag, text=text), QuerySort(key, down))
        for flag in (False, True)
        for text in ("", "dog")
        for key in ("ncs", "rank_1based", "text")
        for down in (False, True)
    ]
    expected = [table.order(*job).tolist() for job in jobs]
    fresh = QueryTable(table._run, table._gallery)
    wrong: list[object] = []

    def ask(shift: int) -> None:
        for n in range(len(jobs)):
            job = (n + shift) % len(jobs)
            try:
                if fresh.order(*jobs[job]).tolist() != expected[job]:
                    wrong.append(job)
            except Exception as error:
                wrong.append(error)

    threads = [threading.Thread(target=ask, args=(shift,)) for shift in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(fresh._orders) <= 24


def test_image_concepts_are_counted(gallery: Gallery) -> None:
    found = {
        (row["image_index"], gallery.concepts[row["concept_index"]]): row["count"]
        for row in image_concepts(gallery).to_pylist()
    }
    expected: dict[tuple[int, str], int] = {}
    for image in range(gallery.n_images):
        for instance in gallery.annotations(image).instances:
            if instance.synset:
                key = (image, instance.synset)
                expected[key] = expected.get(key, 0) + 1
    assert found == expected
