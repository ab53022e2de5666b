"""`docs/perturbations.md` is what the table of rules says, with the recorded precision."""

from __future__ import annotations

import csv
from pathlib import Path

from vlmexplain.perturb.docs_page import docs_page
from vlmexplain.perturb.rules import RULES

ROOT = Path(__file__).parents[2]


def test_the_page_is_up_to_date() -> None:
    remedy = "run: python -m vlmexplain.perturb.docs_page > docs/perturbations.md"
    page = (ROOT / "docs" / "perturbations.md").read_text(encoding="utf-8")
    assert page == docs_page(), remedy
    assert all(f"`{rule.key}`" in page and rule.sentence in page for rule in RULES)


def test_the_page_tells_the_recorded_precision() -> None:
    for mode in ("careful", "paper"):
        lines = (Path(__file__).parent / f"precision_{mode}.tsv").read_text().splitlines()
        kept = [line for line in lines if not line.startswith("#")]
        rows = list(csv.DictReader(kept, delimiter="\t", quoting=csv.QUOTE_NONE))
        right = sum(row["grammatical"] == row["contradicts"] == "y" for row in rows)
        share = f"{100 * right / len(rows):.1f} %"
        assert f"| {mode} | {len(rows)} | {right} | {share} |" in docs_page()
