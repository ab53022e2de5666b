"""Which LGIP result stands for a model on the Overview page."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from vlmexplain.overview import gallery_table


def result(key: str, digest: str, **perturbations: Any) -> SimpleNamespace:
    return SimpleNamespace(
        key=key, model=SimpleNamespace(digest=digest), perturbations=perturbations
    )


@pytest.mark.parametrize(
    ("digest", "expected"),
    [("one", "one-paper"), ("two", "two-file"), ("three", "")],
    ids=["the benchmark's own before newer ones", "else the latest", "none"],
)
def test_models_are_compared_on_the_benchmarks_own(
    digest: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    latest_first = [
        result("one-careful", "one", mode="careful", seed=0),
        result("one-other-seed", "one", mode="paper", seed=3),
        result("two-file", "two", file="swap_obj.json"),
        result("one-paper", "one", mode="paper", seed=0),
        result("two-careful", "two", mode="careful", seed=0),
    ]
    monkeypatch.setattr(gallery_table, "list_lgip", lambda gallery_id: latest_first)
    run: Any = SimpleNamespace(gallery_id="g", model=SimpleNamespace(digest=digest))
    assert gallery_table.lgip_key(run) == expected
