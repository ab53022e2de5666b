"""The world of `colour_world`, made once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from colour_world import SCENES, ReasonWorld, make_world
from homes import at_home, new_home


@pytest.fixture(scope="session")
def reason_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReasonWorld]:
    """The images of `SCENES` ranked by mean colour."""
    folder = tmp_path_factory.mktemp("reasons")
    home = new_home(folder / "home")
    with at_home(home):
        yield make_world(folder, home, list(range(len(SCENES))))
