"""How numbers and concepts are written, on a page or in a file."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from vlmexplain.metrics.table import METRIC

Role = Literal["common", "missed", "extra"]

LARGEST_DENOMINATOR = 40


def short_name(synset: str) -> str:
    """A synset's word without its number, when that is its first noun sense.

    >>> short_name("zebra.n.01"), short_name("traffic_light.n.01"), short_name("mouse.n.04")
    ('zebra', 'traffic light', 'mouse.n.04')
    """
    word, sense = name_parts(synset)
    return synset if sense else word


def name_parts(synset: str) -> tuple[str, str]:
    """A synset's word, and its part of speech and number unless it is the first noun sense.

    >>> name_parts("traffic_light.n.01"), name_parts("mouse.n.04")
    (('traffic light', ''), ('mouse', '.n.04'))
    """
    parts = synset.rsplit(".", 2)
    if len(parts) != 3:
        return synset, ""
    word, pos, sense = parts
    return word.replace("_", " "), "" if (pos, sense) == ("n", "01") else f".{pos}.{sense}"


def fraction(ps: float) -> str:
    """A path similarity as the unit fraction it is, else in three decimals.

    >>> fraction(1 / 9), fraction(0.123456)
    ('1/9', '0.123')
    """
    near = Fraction(ps).limit_denominator(LARGEST_DENOMINATOR)
    if near.numerator and abs(float(near) - ps) < 1e-9:
        return "1" if near == 1 else f"{near.numerator}/{near.denominator}"
    return f"{ps:.3f}"


def percent(share: float) -> str:
    """A share in percent with as many digits as it needs to be told from nothing.

    >>> percent(1.0), percent(0.0004), percent(3 / 11)
    ('100 %', '0.04 %', '27.3 %')
    """
    value = 100 * share
    if value == round(value):
        return f"{value:,.0f} %"
    if abs(value) < 0.095:
        return f"{value:.2g} %"
    return f"{value:,.1f} %"


def value_text(key: str, value: float | None) -> str:
    """A metric's value as the page shows it.

    >>> [value_text(*each) for each in (("ca", 3 / 11), ("ncs", 0.139), ("ce", 6), ("sd", None))]
    ['27.3 %', '0.139', '6', 'undefined']
    """
    if value is not None and METRIC[key].unit == "share":
        return percent(value)
    return METRIC[key].show(value)


def place_text(rank: int) -> str:
    """A place in a ranking.

    >>> [place_text(n) for n in (1, 2, 3, 4, 11, 22, 294)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd', '294th']
    """
    ending = "th" if 10 <= rank % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank:,}{ending}"


def size_text(n_bytes: int) -> str:
    """A size for people.

    >>> size_text(1536)
    '1.5 KiB'
    """
    size = float(n_bytes)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    raise AssertionError
