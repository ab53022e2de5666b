"""Why did the model retrieve the wrong image? Explainable retrieval failures, with evidence.

The interface on one page: what scripts and notebooks import from here is kept, and changes only
with a note in the changelog. Each name is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for readers, editors and type checkers; the same as `_HOME_OF`
    from vlmexplain.datasets.coco import import_coco
    from vlmexplain.datasets.gallery import Gallery, list_galleries, open_gallery
    from vlmexplain.datasets.visual_genome import import_vg
    from vlmexplain.errors import VlmexplainError
    from vlmexplain.explain import Explanation, explain_example, explain_query
    from vlmexplain.lgip.bulk import run_lgip
    from vlmexplain.lgip.generate import perturb_text as perturb_caption
    from vlmexplain.lgip.result import LgipResult, list_lgip, open_lgip
    from vlmexplain.pairs_io import score_pairs
    from vlmexplain.ratings.exchange.import_files import read_export as read_session_data
    from vlmexplain.records import MetricOptions
    from vlmexplain.scoring.queries import QueryTable
    from vlmexplain.scoring.run import run as run_model
    from vlmexplain.scoring.run_store import Run, list_runs, open_run

__version__ = "0.1.0"

__all__ = [
    "Explanation",
    "Gallery",
    "LgipResult",
    "MetricOptions",
    "QueryTable",
    "Run",
    "VlmexplainError",
    "explain_example",
    "explain_query",
    "import_coco",
    "import_vg",
    "list_galleries",
    "list_lgip",
    "list_runs",
    "open_gallery",
    "open_lgip",
    "open_run",
    "perturb_caption",
    "read_session_data",
    "run_lgip",
    "run_model",
    "score_pairs",
]

_HOME_OF = {
    "Explanation": "explain:Explanation",
    "Gallery": "datasets.gallery:Gallery",
    "LgipResult": "lgip.result:LgipResult",
    "MetricOptions": "records:MetricOptions",
    "QueryTable": "scoring.queries:QueryTable",
    "Run": "scoring.run_store:Run",
    "VlmexplainError": "errors:VlmexplainError",
    "explain_example": "explain:explain_example",
    "explain_query": "explain:explain_query",
    "import_coco": "datasets.coco:import_coco",
    "import_vg": "datasets.visual_genome:import_vg",
    "list_galleries": "datasets.gallery:list_galleries",
    "list_lgip": "lgip.result:list_lgip",
    "list_runs": "scoring.run_store:list_runs",
    "open_gallery": "datasets.gallery:open_gallery",
    "open_lgip": "lgip.result:open_lgip",
    "open_run": "scoring.run_store:open_run",
    "perturb_caption": "lgip.generate:perturb_text",
    "read_session_data": "ratings.exchange.import_files:read_export",
    "run_lgip": "lgip.bulk:run_lgip",
    "run_model": "scoring.run:run",
    "score_pairs": "pairs_io:score_pairs",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _HOME_OF[name].split(":")
    found = getattr(importlib.import_module(f"{__name__}.{module}"), attribute)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
