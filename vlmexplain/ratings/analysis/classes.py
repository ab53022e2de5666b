"""How often classes are marked, how many at once, and which go together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from vlmexplain.ratings.analysis.figure import Figure, share_of
from vlmexplain.ratings.plan.rows import RatingRow, by_item

NO_ANSWERS = "no answers"


@dataclass(frozen=True, slots=True)
class ClassFrequency:
    """How often a class is marked.

    Attributes:
        n_answers: answers that mark it; ``share_of_answers`` of all answers.
        n_items_any: items that at least one rater marked with it.
        n_items_most: items that more than half of their raters marked with it;
            ``share_of_items`` of all rated items.
        n_items_tied: items that exactly half of their raters marked with it.
    """

    key: str
    n_answers: int
    share_of_answers: Figure
    n_items_any: int
    n_items_most: int
    n_items_tied: int
    share_of_items: Figure


@dataclass(frozen=True, slots=True)
class ClassCount:
    """How many answers mark exactly ``n_classes`` classes.

    Attributes:
        share: of all answers.
        share_of_marked: of the answers that mark at least one class (the paper's, where every
            item has one); undefined for ``n_classes`` 0.
    """

    n_classes: int
    n_answers: int
    share: Figure
    share_of_marked: Figure


@dataclass(frozen=True, slots=True)
class Rule:
    """If an answer marks class A, it marks class B.

    Attributes:
        n: answers; n_if, n_then, n_both: answers that mark A, B, both.
        support: n_both / n.
        confidence: n_both / n_if; undefined when no answer marks A.
        lift: confidence / (n_then / n); 1 when A says nothing about B; undefined when no answer
            marks A or none marks B.
    """

    if_class: str
    then_class: str
    n: int
    n_if: int
    n_then: int
    n_both: int
    support: Figure
    confidence: Figure
    lift: Figure


def class_frequencies(
    answers: Sequence[RatingRow], keys: Sequence[str]
) -> tuple[ClassFrequency, ...]:
    """Each class in the session's order, also those that no one marked.

    Args:
        answers: from `rows.first_answers`.
    """
    items = by_item(answers)
    found = []
    for key in keys:
        marks = {item: sum(key in row.classes for row in rows) for item, rows in items.items()}
        n_answers = sum(marks.values())
        most = sum(2 * marks[item] > len(rows) for item, rows in items.items())
        found.append(
            ClassFrequency(
                key,
                n_answers,
                share_of(n_answers, len(answers), NO_ANSWERS),
                sum(count > 0 for count in marks.values()),
                most,
                sum(2 * marks[item] == len(rows) for item, rows in items.items()),
                share_of(most, len(items), NO_ANSWERS),
            )
        )
    return tuple(found)


def class_counts(answers: Sequence[RatingRow]) -> tuple[ClassCount, ...]:
    """Answers by how many classes they mark: 0, 1, 2, 3, and on to the most there is."""
    counted = Counter(len(row.classes) for row in answers)
    marked = len(answers) - counted[0]
    return tuple(
        ClassCount(
            n,
            counted[n],
            share_of(counted[n], len(answers), NO_ANSWERS),
            share_of(counted[n], marked, "no answer marks a class")
            if n
            else Figure(None, marked, "these answers mark none"),
        )
        for n in range(max([3, *counted]) + 1)
    )


def co_occurrence(answers: Sequence[RatingRow], keys: Sequence[str]) -> dict[str, dict[str, int]]:
    """Answers that mark both classes; on the diagonal, that mark the class."""
    return {
        a: {b: sum(a in row.classes and b in row.classes for row in answers) for b in keys}
        for a in keys
    }


def class_rules(answers: Sequence[RatingRow], keys: Sequence[str]) -> tuple[Rule, ...]:
    """The rule of every ordered pair of classes that occurs together, best confidence first.

    Ties in confidence go by support, then by the session's order of classes.
    """
    together = co_occurrence(answers, keys)
    rules = [
        make_rule(a, b, len(answers), together[a][a], together[b][b], together[a][b])
        for a in keys
        for b in keys
        if a != b and together[a][b]
    ]
    return tuple(sorted(rules, key=lambda r: (-(r.confidence.value or 0), -r.n_both)))


def make_rule(a: str, b: str, n: int, n_if: int, n_then: int, n_both: int) -> Rule:
    """The rule "if a then b" from its counts.

    >>> rule = make_rule("action", "details", 103, 103, 60, 56)
    >>> round(rule.confidence.value, 4)
    0.5437
    """
    none_a = f"no answer marks {a}"
    if n_if and n_then:
        lift = Figure(n_both * n / (n_if * n_then), n)
    else:
        lift = Figure(None, n, f"no answer marks {b}" if n_if else none_a)
    return Rule(
        a,
        b,
        n,
        n_if,
        n_then,
        n_both,
        share_of(n_both, n, NO_ANSWERS),
        share_of(n_both, n_if, none_a),
        lift,
    )
