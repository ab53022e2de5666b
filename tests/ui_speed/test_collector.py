"""What imports leave behind is set aside once, and again only after many more imports."""

from __future__ import annotations

import gc
import sys
from types import ModuleType

import pytest

from vlmexplain.ui.server import collector


@pytest.fixture(autouse=True)
def collected_as_before(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(collector, "_modules_seen", 0)
    yield
    gc.unfreeze()


def test_modules_are_set_aside_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert collector.set_aside_modules()
    frozen = gc.get_freeze_count()
    assert frozen > 10_000
    assert not collector.set_aside_modules()
    for n in range(collector.WORTH_IT):
        monkeypatch.setitem(sys.modules, f"made_up_{n}", ModuleType(f"made_up_{n}"))
    assert collector.set_aside_modules()
    assert gc.get_freeze_count() >= frozen


def test_what_lives_later_is_still_collected() -> None:
    class Node:
        alive = 0

        def __init__(self) -> None:
            self.self = self
            Node.alive += 1

        def __del__(self) -> None:
            Node.alive -= 1

    collector.set_aside_modules()
    for _ in range(100):
        Node()
    gc.collect(2)
    assert Node.alive == 0
