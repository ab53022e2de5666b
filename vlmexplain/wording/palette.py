"""The colours and the signs of the roles, once."""

from __future__ import annotations

PALETTE: dict[str, tuple[str, str]] = {
    # name: (light, dark)
    "bg": ("#ffffff", "#0f1319"),
    "panel": ("#f5f6f8", "#181e27"),
    "line": ("#d9dde4", "#2e3744"),
    "control": ("#7b8494", "#7d8899"),
    "ink": ("#161c27", "#e8ecf2"),
    "quiet": ("#566071", "#a5afbf"),
    "accent": ("#2f4fd0", "#9db2ff"),
    "accent-soft": ("#e9edfd", "#232c4b"),
    "common": ("#0a68b0", "#62b2f3"),
    "missed": ("#9c4f00", "#ff9f3d"),
    "extra": ("#84125c", "#ffbfe8"),
    "common-soft": ("#e4f1fa", "#14303f"),
    "missed-soft": ("#fdf0e0", "#3a2a12"),
    "extra-soft": ("#fbe9f4", "#3b1c31"),
    "good": ("#17683a", "#7fd3a0"),
    "bad": ("#a8241c", "#ff9d93"),
    "bad-soft": ("#fdecea", "#3d1b19"),
    "mark": ("#fff1b8", "#574708"),
}
"""Each name's colour in the light and in the dark theme."""

ON_PHOTO = {"common": "#3aa0f5", "missed": "#ff8f1f", "extra": "#ffb8ea"}
"""Box colours on a photo: the same in both themes, drawn with a dark halo, with black labels."""

ROLE_MARK = {"common": "=", "missed": "−", "extra": "+"}
"""Each role's sign, so that nothing rests on colour alone."""

ROLE_NAME = {
    "common": "in both images",
    "missed": "only in the ground truth",
    "extra": "only in the retrieved image",
}
