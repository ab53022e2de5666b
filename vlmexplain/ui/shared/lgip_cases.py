"""The parts of the address that say which triples of a result are meant."""

from __future__ import annotations

CASES = "cases"
"""``paraphrases``, ``flips`` or a flip type."""
AT = "cases_at"
"""Which page of that list, 0-based."""
PARAPHRASES = "paraphrases"
FLIPS = "flips"
