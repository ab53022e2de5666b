"""Failures as one JSON document with the full evidence."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from vlmexplain import __version__
from vlmexplain.handover.failures import HandedFailure, HandedImage
from vlmexplain.metrics.table import METRICS
from vlmexplain.report import explanation_document

FORMAT = 1
_ORIGIN = ("image_id", "file_name", "licence", "licence_url", "source_url")


def as_json(failures: Sequence[HandedFailure]) -> str:
    """The document: definitions once, then each failure; pictures are named, not inside."""
    document = {
        "format": FORMAT,
        "program": f"vlmexplain {__version__}",
        "definitions": {
            metric.key: {
                "title": metric.title, "good": metric.good, "formula": metric.formula,
                "range": metric.range_text(), "undefined_when": metric.undefined_when,
                "note": metric.note,
            }
            for metric in METRICS
        },
        "failures": [_failure(each) for each in failures],
    }  # fmt: skip
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _failure(handed: HandedFailure) -> dict[str, Any]:
    return {
        "gallery": handed.gallery_name,
        "caption_id": handed.caption_id,
        "pictures": {
            "ground_truth": _origin(handed.ground_truth),
            "retrieved": _origin(handed.retrieved) if handed.retrieved else None,
        },
        "perturbations": [asdict(probe) for probe in handed.probes],
        **explanation_document(handed.explanation),
    }


def _origin(image: HandedImage) -> dict[str, str | None]:
    """Where a picture comes from; what is not known is null."""
    return {name: getattr(image, name) or None for name in _ORIGIN}
