"""An analysis as plain text for a terminal."""

from __future__ import annotations

from vlmexplain.ratings.analysis.analyse import Analysis
from vlmexplain.ratings.analysis.figure import Figure, Interval


def analysis_text(found: Analysis) -> str:
    """All figures, each with how many cases it rests on; "n/a" with the reason where undefined."""
    parts = [_head(found)]
    if found.ratings is not None:
        parts.append(_ratings(found))
    if found.preference is not None:
        parts.append(_preference(found))
    parts += [_classes(found), _agreement(found), _consistency(found)]
    if found.correlations:
        parts.append(_correlations(found))
    if found.disagreements:
        parts.append(_disagreements(found))
    parts.append(_alternatives(found))
    return "\n\n".join(parts)


def figure_text(figure: Figure, unit: str = "number") -> str:
    """A figure with its n; ``unit`` is ``number`` or ``share``.

    >>> figure_text(Figure(0.25, 8), "share"), figure_text(Figure(None, 0, "no answers"))
    ('25.00 % (n = 8)', 'n/a (no answers)')
    """
    if figure.value is None:
        return f"n/a ({figure.undefined_because})"
    shown = f"{100 * figure.value:.2f} %" if unit == "share" else f"{figure.value:.3f}"
    return f"{shown} (n = {figure.n})"


def interval_text(interval: Interval) -> str:
    """A value with its 95 % interval and n.

    >>> interval_text(Interval(0.5, 0.25, 0.75, 12))
    '0.500 [0.250, 0.750] (n = 12)'
    """
    if interval.value is None:
        return f"n/a ({interval.undefined_because})"
    if interval.low is None or interval.high is None:
        return f"{interval.value:.3f} (n = {interval.n}; {interval.interval_undefined_because})"
    return f"{interval.value:.3f} [{interval.low:.3f}, {interval.high:.3f}] (n = {interval.n})"


def _head(found: Analysis) -> str:
    return (
        f"{_plain(found.name)}\n"
        f"{found.n_answers} answers of {found.n_raters} raters on {found.n_items_rated} of "
        f"{found.n_items} items; {found.n_repeated} repeated, {found.n_skipped} skipped, "
        f"{found.n_edited} edited"
    )


def _ratings(found: Analysis) -> str:
    assert found.ratings is not None
    given = found.ratings
    lines = [
        f"mean rating            {figure_text(given.mean)}",
        f"median rating          {figure_text(given.median)}",
        f"mean of items' means   {figure_text(given.mean_of_items)}",
        f"standard deviation     {figure_text(given.spread)}",
        "answers by rating      " + "  ".join(f"{k}: {n}" for k, n in given.counts.items()),
    ]
    lines += [
        f"mean rating, {found.class_labels[key]}: {figure_text(mean)}"
        for key, mean in given.mean_by_class.items()
    ]
    return "\n".join(lines)


def _preference(found: Analysis) -> str:
    assert found.preference is not None
    given = found.preference
    return "\n".join(
        [
            f"answers: {given.n_retrieved} for the run, {given.n_other} for the other run, "
            f"{given.n_equal} equal",
            f"share for the run      {interval_text(given.share_retrieved)}",
            f"p of both as often     {figure_text(given.p_value)}",
            f"items: {given.items_retrieved} for the run, {given.items_other} for the other run, "
            f"{given.items_tied} tied",
            f"chosen on the left     {figure_text(given.share_left, 'share')}",
        ]
    )


def _classes(found: Analysis) -> str:
    lines = [
        f"{found.class_labels[one.key]}: {figure_text(one.share_of_answers, 'share')} of answers; "
        f"on {one.n_items_any} items by any rater, {one.n_items_most} by most, "
        f"{one.n_items_tied} tied"
        for one in found.class_frequencies
    ]
    lines += [
        f"{one.n_classes} classes: {figure_text(one.share, 'share')} of answers"
        + (
            f", {figure_text(one.share_of_marked, 'share')} of those with any"
            if one.n_classes
            else ""
        )
        for one in found.class_counts
    ]
    lines += [
        f"if {found.class_labels[rule.if_class]} then {found.class_labels[rule.then_class]}: "
        f"support {figure_text(rule.support, 'share')}, "
        f"confidence {figure_text(rule.confidence, 'share')}, lift {figure_text(rule.lift)}"
        for rule in found.rules
    ]
    return "\n".join(lines)


def _agreement(found: Analysis) -> str:
    lines = ["Krippendorff's alpha with 95 % interval (n: items with two raters or more)"]
    if found.agreement.rating is not None:
        lines.append(f"rating (ordinal): {interval_text(found.agreement.rating)}")
    if found.agreement.preference is not None:
        lines.append(f"preference (nominal): {interval_text(found.agreement.preference)}")
    lines += [
        f"{found.class_labels[key]} (nominal): {interval_text(alpha)}"
        for key, alpha in found.agreement.by_class.items()
    ]
    return "\n".join(lines)


def _consistency(found: Analysis) -> str:
    same = found.consistency
    lines = [f"self-consistency over {same.n_pairs} pairs of {same.n_raters} raters"]
    if found.ratings is not None:
        lines += [
            f"same rating            {figure_text(same.same_rating, 'share')}",
            f"at most one step apart {figure_text(same.within_one, 'share')}",
            f"mean difference        {figure_text(same.mean_difference)}",
        ]
    else:
        lines.append(f"same preference        {figure_text(same.same_preference, 'share')}")
    lines.append(f"same classes           {figure_text(same.same_classes, 'share')}")
    lines.append(
        f"seconds per item       median {figure_text(found.time.median)}, "
        f"mean {figure_text(found.time.mean)}, {found.time.n_unknown} unknown"
    )
    return "\n".join(lines)


def _correlations(found: Analysis) -> str:
    lines = ["Spearman's rho of the items' mean ratings with"]
    for one in found.correlations:
        if one.rho is None or one.p_value is None:
            lines.append(f"{one.key}: n/a ({one.undefined_because})")
        else:
            good = "high" if one.high_is_good else "low"
            lines.append(
                f"{one.key} ({good} is good): {one.rho:.3f}, p = {one.p_value:.3g} "
                f"(n = {one.n}, {one.n_undefined} undefined)"
            )
    return "\n".join(lines)


def _disagreements(found: Analysis) -> str:
    lines = ["where people and metric differ most (place among the items, 0 worst to 1 best)"]
    lines += [
        f"{one.key}, caption {one.caption_index}: people {one.people:.2f} (rating "
        f"{one.mean_rating:.2f}), metric {one.metric:.2f} ({one.value:.3f})  {_plain(one.query)}"
        for one in found.disagreements
    ]
    return "\n".join(lines)


def _alternatives(found: Analysis) -> str:
    given = found.alternatives
    lines = [
        "successful alternatives by most raters: "
        f"{figure_text(given.share_by_most, 'share')} of items"
    ]
    lines += [
        f"caption {one.caption_index}: {one.n_marked} of {one.n_raters} raters  {_plain(one.query)}"
        for one in given.items
    ]
    return "\n".join(lines)


def _plain(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)
