"""The two pictures with their boxes, and the concepts beneath."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from vlmexplain.positives.accepted import STANDINGS
from vlmexplain.records import ImageAnnotations, Instance
from vlmexplain.ui.pages.explore.failure import Failure, ShownImage, StripImage
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.components.mount import register
from vlmexplain.ui.shared.html import safe_link
from vlmexplain.ui.shared.theme import ROLE_MARK, ROLE_NAME
from vlmexplain.ui.shared.words import Role, name_parts, short_name

CROWD = "crowd"

_component = register("pictures")


def draw_pictures(failure: Failure, chosen: str, key: str, on_act: Callable[[], None]) -> None:
    """Mount the component; what a person does in it arrives as ``act`` of the key's state."""
    _component(key=key, data=pictures_data(failure, chosen), on_act_change=on_act)


def pictures_data(failure: Failure, chosen: str) -> dict[str, Any]:
    """What the pictures component draws."""
    shown = [failure.ground_truth, failure.retrieved or failure.ground_truth]
    left, right = (image.annotations for image in shown)
    roles = roles_of(left, right)
    sides = ("ground-truth", "retrieved") if failure.retrieved else ("ground-truth",)
    return {
        "pictures": [
            _picture(side, image, roles) for side, image in zip(sides, shown, strict=False)
        ],
        "concepts": [_chip(name, role, left, right) for name, role in roles.items()],
        "roles": {role: {"name": ROLE_NAME[role], "mark": ROLE_MARK[role]} for role in ROLE_MARK},
        "chosen": chosen if chosen in roles else None,
        "lost": f"{chosen} is in neither image." if chosen and chosen not in roles else "",
        "strip": [_tile(image, failure) for image in failure.strip],
        "strip_title": failure.strip_title,
        "place": failure.place,
    }


def roles_of(ground_truth: ImageAnnotations, retrieved: ImageAnnotations) -> dict[str, Role]:
    """Which of the two images each concept is in, concepts sorted by name."""
    left, right = _concepts(ground_truth), _concepts(retrieved)
    return {
        name: "common" if name in left and name in right else "missed" if name in left else "extra"
        for name in sorted(left | right)
    }


def _concepts(image: ImageAnnotations) -> set[str]:
    return {instance.synset for instance in image.instances if instance.synset}


def _picture(side: str, shown: ShownImage, roles: dict[str, Role]) -> dict[str, Any]:
    annotations = shown.annotations
    return {
        "side": side,
        "title": shown.title,
        "note": shown.note,
        "src": shown.src,
        "alt": shown.alt,
        "width": annotations.width_px,
        "height": annotations.height_px,
        "boxes": [
            _box(instance, roles[instance.synset])
            for instance in annotations.instances
            if instance.synset and _drawable(instance)
        ],
        "credit": [{"text": text, "href": safe_link(href)} for text, href in shown.credit],
    }


def _tile(image: StripImage, failure: Failure) -> dict[str, Any]:
    before = [other.place for other in failure.strip if other.place < image.place]
    badge, by = _badge(image)
    said = f", {badge}{f' ({by})' if by else ''}" if badge else ""
    return {
        "place": image.place,
        "place_text": f"{image.place:,}",
        "src": image.src,
        "score": image.score,
        "ground_truth": image.ground_truth,
        "standing": image.standing,
        "badge": badge,
        "by": by,
        "label": f"Place {image.place:,}, score {image.score}{said}: {image.alt}",
        "tied": image.tied,
        "gap": bool(before) and image.place > max(before) + 1,
        "fixed": not image.choosable,
    }


def _badge(image: StripImage) -> tuple[str, str]:
    """What stands on a tile, and who says so; nothing on one that nobody judged."""
    if image.ground_truth:
        return "✓ ground truth", ""
    sign = {"accepted": "✓ ", "disputed": "≠ ", "wrong": "✗ "}.get(image.standing)
    return (sign + STANDINGS[image.standing], ", ".join(image.judged_by)) if sign else ("", "")


def _drawable(instance: Instance) -> bool:
    box = instance.box_xywh_px
    return box is not None and box[2] > 0 and box[3] > 0


def _box(instance: Instance, role: Role) -> dict[str, Any]:
    assert instance.box_xywh_px is not None and instance.synset is not None
    name = instance.name or short_name(instance.synset)
    return {
        "xywh": [round(number, 2) for number in instance.box_xywh_px],
        "concept": instance.synset,
        "name": f"{name} (crowd)" if instance.crowd else name,
        "role": role,
        "mark": ROLE_MARK[role],
        "crowd": instance.crowd,
    }


def _chip(name: str, role: Role, left: ImageAnnotations, right: ImageAnnotations) -> dict[str, Any]:
    sides = [
        image for image, is_in in ((left, role != "extra"), (right, role != "missed")) if is_in
    ]
    counts = [_count(name, image) for image in sides]
    word, sense = name_parts(name)
    gloss = caches.gloss(name)
    missing = sum(_without_box(name, image) for image in sides)
    single = counts[0] if counts[0] == CROWD else f"×{counts[0]}"
    count = " | ".join(counts) if len(counts) == 2 else single
    return {
        "synset": name,
        "label": word,
        "sense": sense,
        "title": f"{name}: {gloss}" if gloss else name,
        "role": role,
        "count": count + (f" ({missing} without a box)" if missing else ""),
    }


def _count(name: str, image: ImageAnnotations) -> str:
    crowd = Counter(i.crowd for i in image.instances if i.synset == name)
    return CROWD if crowd[True] else str(crowd[False])


def _without_box(name: str, image: ImageAnnotations) -> int:
    return sum(i.synset == name and not _drawable(i) for i in image.instances)
