"""`docs/data_checks.md` is what the table of checks says."""

from __future__ import annotations

from pathlib import Path

from vlmexplain.datasets import picture_errors
from vlmexplain.datasets.checks import CHECKS
from vlmexplain.datasets.checks_page import checks_page

PAGE = Path(__file__).parents[2] / "docs" / "data_checks.md"


def test_page_is_up_to_date() -> None:
    remedy = "run: python -m vlmexplain.datasets.checks_page > docs/data_checks.md"
    assert PAGE.read_text(encoding="utf-8") == checks_page(), remedy


def test_page_has_every_check_once() -> None:
    for code in CHECKS:
        assert checks_page().count(f"| `{code}` |") == 1


def test_every_kind_of_picture_error_is_a_check() -> None:
    base = picture_errors.PictureError
    kinds = [
        k for k in vars(picture_errors).values() if isinstance(k, type) and issubclass(k, base)
    ]
    assert len(kinds) == 10
    assert {kind.code for kind in kinds} <= set(CHECKS)
    assert len({kind.code for kind in kinds}) == len(kinds)
