"""Plans and items as files and back; a read-only server shows ratings and changes none."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rating_worlds import answer_next, items, open_session, ticket

from vlmexplain.errors import DataError, ReadOnly, StoreError
from vlmexplain.ratings.exchange.export_rows import session_data
from vlmexplain.ratings.organiser.sessions import list_sessions, set_revealed
from vlmexplain.ratings.plan.classes import FailureClass
from vlmexplain.ratings.plan.items import check_items, items_of_lines, lines_of_items, read_items
from vlmexplain.ratings.plan.sampling import sample_items, sample_places
from vlmexplain.ratings.plan.spec import Scale, SessionSpec, check_spec
from vlmexplain.ratings.plan.spec_toml import ItemRequest, SessionPlan, plan_of_toml, toml_of_plan
from vlmexplain.ratings.store.store import open_store

HOSTILE = "=1+1 <b> \"quoted\" 'single' \\ \u2028 🦓 $x$ ]]"


@pytest.mark.parametrize(
    "plan",
    [
        SessionPlan(SessionSpec("x", run="0123"), ItemRequest()),
        SessionPlan(
            SessionSpec(
                HOSTILE,
                kind="choice",
                run="01",
                other_run="02",
                gallery="03",
                ground_truth="after",
                boxes=True,
                scale=Scale(0, 5, HOSTILE, ""),
                classes=(FailureClass("light", HOSTILE, "l", HOSTILE),),
                equal_allowed=False,
                comment=False,
                guidelines=f"# {HOSTILE}\n\n```\n'''\n```\n\ttabs\r\n",
                raters_per_item=3,
                repeats=2,
                repeat_gap=4,
                seed=-7,
                reservation_s=90.5,
            ),
            ItemRequest("a.jsonl", (), False, 12, 3, "ca", 5),
        ),
        SessionPlan(SessionSpec("none", run="01", classes=()), ItemRequest(captions=(7, 3, 1))),
    ],
)
def test_a_plan_comes_back_from_its_file(plan: SessionPlan) -> None:
    assert plan_of_toml(toml_of_plan(plan).encode(), "x.toml") == plan


def test_items_come_back_from_their_file() -> None:
    made = [replace(one, query=HOSTILE + str(n)) for n, one in enumerate(items(4, choice=True))]
    assert items_of_lines(lines_of_items(made), "x.jsonl") == tuple(made)


@pytest.mark.parametrize("seed", range(6))
def test_a_sample_by_places_is_the_sample_of_the_items(seed: int) -> None:
    rng = random.Random(seed)
    made = [
        replace(one, metrics={"ca": rng.choice([None, 0.0, 0.5, rng.random()])})
        for one in items(rng.randint(1, 60))
    ]
    given = [one.metrics["ca"] for one in made]
    values = np.array([np.nan if value is None else value for value in given])
    n, strata = rng.randint(1, 70), rng.randint(1, 5)
    for by, column in (("ca", values), (None, None)):
        places = sample_places(len(made), n, seed, column, strata)
        assert sample_items(made, n, seed, by, strata) == tuple(made[i] for i in places)
        assert len(set(places.tolist())) == min(n, len(made))


def test_a_read_only_server_shows_and_refuses(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(folder))
    store = open_store()
    session = open_session(store, n=2)
    answer_next(store, ticket(store, session, "Anna"))
    store.close()
    monkeypatch.setenv("VLMEXPLAIN_READONLY", "1")
    store = open_store()
    assert [one.n_answers for one in list_sessions(store)] == [1]
    assert len(session_data(store, session.id).rows) == 2
    with pytest.raises(ReadOnly):
        set_revealed(store, session.id, True)
    store.close()
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(folder / "empty"))
    with pytest.raises(StoreError, match="no ratings here yet"):
        open_store()
    assert not (folder / "empty").exists(), "nothing was made"


@pytest.mark.parametrize(
    ("field", "said"),
    [
        (f"scale = {{lowest = {2**40}, highest = {2**40 + 5}}}", "scale is"),
        (f"raters_per_item = {2**70}", "raters_per_item is"),
        (f"repeats = {2**70}", "repeats is"),
        (f"repeat_gap = {2**70}", "repeat_gap is"),
        ("reservation_s = 1" + "0" * 400, "too large"),
    ],
)
def test_numbers_that_no_database_holds_are_refused(field: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        plan_of_toml(f"name = 'x'\nrun = '01'\n{field}\n".encode(), "x.toml")


def test_more_strata_than_can_be_are_refused() -> None:
    for strata in (0, 10**12, 2**70):
        with pytest.raises(DataError, match="cannot be drawn"):
            sample_items(items(9), 3, 0, "ca", strata)


def test_items_that_could_not_be_written_out_again_are_refused() -> None:
    with pytest.raises(DataError, match=r"item 1.*no name that can be written"):
        check_items([*items(1), replace(items(2)[1], metrics={"\ud800": 1.0})], "rating")
    line = b'{"caption_index": 1, "query": "q", "ground_truth_image": 1, "retrieved_image": 2'
    with pytest.raises(DataError, match=r"line 1: metrics\.ca: the number is too large"):
        items_of_lines(line + b', "metrics": {"ca": 1' + b"0" * 400 + b"}}", "x.jsonl")
    with pytest.raises(DataError, match="cannot be read"):
        read_items(Path("a\0b.jsonl"))


@pytest.mark.parametrize(
    "spec",
    [
        SessionSpec("x", guidelines="a\ud800"),
        SessionSpec("x", run="\ud800"),
        SessionSpec("x", scale=Scale(lowest_label="\ud800")),
        SessionSpec("x", classes=(FailureClass("light", "\ud800"),)),
    ],
)
def test_half_a_sign_that_no_export_could_hold_is_refused(spec: SessionSpec) -> None:
    with pytest.raises(DataError, match="a text is"):
        check_spec(spec)
