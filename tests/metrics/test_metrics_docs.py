"""`docs/metrics.md` is what the metric table says."""

from __future__ import annotations

from pathlib import Path

from vlmexplain.metrics.docs_page import docs_page
from vlmexplain.metrics.table import METRICS

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"


def test_page_is_up_to_date() -> None:
    remedy = "run: python -m vlmexplain.metrics.docs_page > docs/metrics.md"
    assert PAGE.read_text(encoding="utf-8") == docs_page(), remedy


def test_page_has_every_metric() -> None:
    for metric in METRICS:
        assert f"## {metric.title} ({metric.short})" in docs_page()
        assert metric.formula in docs_page()


def test_values_are_shown_in_the_metrics_format() -> None:
    shown = {m.key: (m.show(None), m.show(1.0), m.show(0.5)) for m in METRICS}
    assert shown == {
        "ca": ("undefined", "100.00 %", "50.00 %"),
        "ncs": ("undefined", "1.000", "0.500"),
        "ce": ("undefined", "1", "0"),
        "sd": ("undefined", "100.00 %", "50.00 %"),
        "sd_raw": ("undefined", "1.000", "0.500"),
        "rr": ("undefined", "1.0000", "0.5000"),
        "r1": ("undefined", "yes", "yes"),
        "r5": ("undefined", "yes", "yes"),
        "r10": ("undefined", "yes", "yes"),
    }
    assert METRICS[4].show(12345.4, "pixels") == "12,345 px²"
