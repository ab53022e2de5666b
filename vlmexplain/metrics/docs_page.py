"""`docs/metrics.md`, written from the metric table.

``python -m vlmexplain.metrics.docs_page > docs/metrics.md`` brings it up to date.
"""

from __future__ import annotations

import sys

from vlmexplain.metrics.table import METRICS, Metric
from vlmexplain.metrics.undefined import Undefined

INTRODUCTION = """\
# The metrics

Made from `vlmexplain/metrics/table.py`; do not edit.

After Lymperaiou, Manoliadis, Menis-Mastromichalakis, Dervakos, Stamou, "Towards Explainable
Evaluation of Language Models on the Semantic Similarity of Visual Concepts", COLING 2022
(2022.coling-1.321, arXiv 2209.03723).

I_g is the ground truth of a query, I_r the retrieved image; V(I) the WordNet 3.0 synsets of the
objects annotated in I, m(v) how many instances of v there are. A metric without a value is
*undefined*, which is never counted as 0. Query-informed, V(I_g) is restricted to the concepts that
the query mentions ([decision 3](decisions/0003-query-informed.md)).
"""


def docs_page() -> str:
    """The whole page as Markdown."""
    head = "| | metric | range | good | symmetric |\n|---|---|---|---|---|\n"
    rows = "".join(
        f"| `{m.key}` | {m.title} | {m.range_text()} | {m.good} | "
        f"{'yes' if m.symmetric else 'no'} |\n"
        for m in METRICS
    )
    sections = "\n".join(_section(metric) for metric in METRICS)
    reasons = "".join(f"| {r.code} | {r.text} |\n" for r in Undefined)
    return (
        f"{INTRODUCTION}\n{head}{rows}\n{sections}\n## Why a metric is undefined\n\n"
        f"| code in stored scores | reason |\n|---|---|\n{reasons}"
    )


def _section(metric: Metric) -> str:
    lines = [
        f"## {metric.title} ({metric.short})",
        "",
        f"{metric.meaning} {metric.good_text().capitalize()}; range {metric.range_text()}.",
        "",
        f"    {metric.formula}",
        "",
        f"$${metric.latex}$$",
        "",
    ]
    if metric.undefined_when:
        lines += [f"Undefined when {metric.undefined_when}.", ""]
    if metric.note:
        lines += [metric.note, ""]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(docs_page())
