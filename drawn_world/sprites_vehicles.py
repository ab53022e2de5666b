"""Vehicles. Each faces right, stands on y = 0 and is centred on x = 0."""

from __future__ import annotations

from drawn_world.colours import Ink
from drawn_world.svg import circle, ellipse, line, part, path, polygon, rect

__all__ = ["airplane", "bicycle", "boat", "bus", "car", "train", "truck"]

_GLASS = "#bfe3f2"
_GLASS_LINE = "#4c6a7c"
_TYRE = "#23242a"


def _wheel(x: float, r: float) -> str:
    return part(
        "wheel",
        circle(x, -r, r, _TYRE, "#0f1013", 1.2)
        + circle(x, -r, r * 0.52, "#c9ced6", "#7b818c", 1)
        + circle(x, -r, r * 0.16, "#5d636e"),
    )


def _glass(d: str) -> str:
    return part("window", path(d, _GLASS, _GLASS_LINE, 1.4))


def car(ink: Ink) -> str:
    """A hatchback with two windows, lights and two wheels."""
    return (
        path(
            "M-62 -18 C-64 -34 -58 -38 -46 -40 C-38 -58 -28 -64 -4 -64 C18 -64 28 -54 36 -41 C52 -39 62 -34 63 -20 C63 -14 58 -13 52 -13 L-54 -13 C-60 -13 -62 -14 -62 -18Z",
            ink.body,
            ink.outline,
            2,
        )
        + _glass("M-38 -41 C-32 -54 -24 -58 -8 -58 L-8 -41Z")
        + _glass("M-3 -41 L-3 -58 C14 -58 20 -52 28 -41Z")
        + line("M-34 -44 L-26 -54 M2 -45 L10 -55", "#ffffff", 2, 0.7)
        + line("M-56 -30 L56 -30", ink.dark, 1.6)
        + line("M-6 -40 L-6 -16 M-18 -35 l6 0 M6 -35 l6 0", ink.dark, 1.6)
        + ellipse(57, -28, 4.5, 5, "#fff3b0", ink.outline, 1.2)
        + rect(-62, -32, 5, 8, "#e0493f", ink.outline, 1, r=1.5)
        + rect(-64, -18, 128, 5, "#55585f", "#2f3136", 1, r=2.5)
        + _wheel(-36, 13)
        + _wheel(36, 13)
    )


def bus(ink: Ink) -> str:
    """A long bus with a row of windows and a door."""
    panes = "".join(
        part("window", rect(-82 + 27 * i, -74, 22, 24, _GLASS, _GLASS_LINE, 1.4, r=2.5))
        for i in range(5)
    )
    return (
        rect(-92, -86, 184, 74, ink.body, ink.outline, 2, r=11)
        + rect(-88, -84, 176, 6, ink.light, r=3)
        + panes
        + part(
            "door",
            rect(54, -74, 26, 60, "#d8eef6", _GLASS_LINE, 1.4, r=2.5)
            + line("M67 -74 L67 -14", _GLASS_LINE, 1.4),
        )
        + rect(-92, -42, 142, 6, ink.dark)
        + rect(-92, -42, 142, 2.5, "#ffffff", alpha=0.7)
        + rect(88, -66, 5, 26, _GLASS, _GLASS_LINE, 1.2, r=2)
        + ellipse(90, -24, 3.6, 5, "#fff3b0", ink.outline, 1)
        + rect(-93, -18, 186, 6, "#55585f", "#2f3136", 1, r=3)
        + _wheel(-56, 15)
        + _wheel(34, 15)
    )


def truck(ink: Ink) -> str:
    """A lorry: a cab and a ribbed box."""
    ribs = "".join(line(f"M{x} -86 L{x} -26", ink.dark, 1.8) for x in (-62, -42, -22, -2))
    return (
        rect(-84, -24, 166, 9, "#4a4d55", "#2b2d33", 1.4, r=2)
        + rect(-84, -92, 104, 70, ink.body, ink.outline, 2, r=4)
        + rect(-84, -92, 104, 6, ink.light, r=3)
        + ribs
        + path(
            "M26 -18 L26 -72 C26 -76 28 -78 32 -78 L54 -78 C64 -78 70 -66 76 -50 C84 -48 86 -42 86 -34 L86 -18Z",
            ink.body,
            ink.outline,
            2,
        )
        + _glass("M42 -72 L54 -72 C60 -72 64 -62 68 -50 L42 -50Z")
        + rect(34, -44, 8, 3, ink.outline, r=1.5)
        + ellipse(83, -32, 3.4, 5, "#fff3b0", ink.outline, 1)
        + rect(72, -20, 17, 7, "#8b9099", "#44474e", 1, r=2)
        + _wheel(-62, 14)
        + _wheel(-30, 14)
        + _wheel(56, 14)
    )


def train(ink: Ink) -> str:
    """A steam engine with chimney, boiler and one carriage, on a rail."""
    small = "".join(_wheel(x, 8.5) for x in (-84, -64, -36, -16))
    return (
        rect(-104, -3, 212, 3.5, "#6d6259", "#3f3833", 1)
        + rect(-96, -66, 92, 50, ink.body, ink.outline, 2, r=5)
        + rect(-100, -72, 100, 9, ink.dark, ink.outline, 1.6, r=4)
        + "".join(
            part("window", rect(-88 + 27 * i, -56, 20, 18, _GLASS, _GLASS_LINE, 1.4, r=2))
            for i in range(3)
        )
        + line("M-4 -18 L8 -18", "#33353b", 5)
        + rect(8, -84, 38, 68, ink.body, ink.outline, 2, r=4)
        + rect(2, -92, 50, 10, ink.dark, ink.outline, 1.6, r=4)
        + part("window", rect(16, -74, 22, 22, _GLASS, _GLASS_LINE, 1.4, r=2))
        + rect(44, -56, 52, 38, ink.body, ink.outline, 2, r=10)
        + line("M60 -56 L60 -20 M78 -56 L78 -20", "#f0c64a", 3)
        + path("M70 -56 L68 -86 L64 -92 L92 -92 L88 -86 L86 -56Z", "#37383f", "#1b1c20", 1.6)
        + circle(97, -40, 5, "#fff3b0", ink.outline, 1.4)
        + path("M86 -16 L98 -16 L108 -3 L86 -3Z", "#4a4d55", "#2b2d33", 1.2)
        + small
        + _wheel(24, 14)
        + _wheel(54, 10)
        + _wheel(76, 10)
        + line("M24 -14 L76 -10", "#d6d9df", 3.5)
    )


def bicycle(ink: Ink) -> str:
    """A bicycle with a diamond frame."""
    wheel = "".join(
        part(
            "wheel",
            circle(x, -24, 22.500, "none", "#26272c", 4.6)
            + circle(x, -24, 19.5, "none", "#b9bec7", 1.4)
            + line(
                f"M{x - 18} -24 L{x + 18} -24 M{x} -42 L{x} -6 M{x - 13} -37 L{x + 13} -11 M{x - 13} -11 L{x + 13} -37",
                "#aab0ba",
                0.9,
            )
            + circle(x, -24, 3.4, "#50545d"),
        )
        for x in (-36, 36)
    )
    frame = "M-36 -24 L-8 -22 L24 -58 L-18 -58 Z M-18 -58 L-8 -22 M22 -70 L36 -24"
    return (
        wheel
        + line(frame, ink.outline, 8.5)
        + line(frame, ink.base, 5.6)
        + line("M-18 -58 L-22 -70", "#3b3d44", 4)
        + path(
            "M-34 -76 C-26 -78 -16 -77 -10 -72 C-18 -68 -30 -69 -34 -72Z", "#3a2a24", "#1d1613", 1
        )
        + line("M22 -70 L20 -80 L34 -82 C40 -80 38 -74 34 -74", "#33353b", 4)
        + circle(-8, -22, 6, "#7d828c", "#3b3d44", 1.4)
        + line("M-8 -22 L0 -10 M-4 -9 L5 -10", "#33353b", 3)
    )


def boat(ink: Ink) -> str:
    """A sailing boat; the hull takes the colour."""
    return (
        rect(-3, -116, 6, 86, "#8a5a35", "#54351d", 1.2)
        + part(
            "sail",
            path("M6 -112 C36 -90 52 -64 58 -40 L6 -40Z", "#fbf8ef", "#b9b09a", 1.8)
            + path("M-6 -104 C-28 -84 -40 -62 -46 -40 L-6 -40Z", "#efe9da", "#b9b09a", 1.8)
            + line("M8 -66 L46 -60 M-8 -66 L-34 -60", "#d6cdb6", 1.4),
        )
        + path("M0 -116 L0 -126 L18 -121Z", ink.base, ink.outline, 1.2)
        + path(
            "M-74 -32 L76 -32 C74 -12 60 0 44 0 L-44 0 C-62 0 -72 -14 -74 -32Z",
            ink.body,
            ink.outline,
            2,
        )
        + path("M-74 -32 L76 -32 L75 -25 L-73 -25Z", "#f5efe0", ink.outline, 1.2)
        + circle(-26, -14, 4.4, _GLASS, ink.outline, 1.6)
        + circle(0, -14, 4.4, _GLASS, ink.outline, 1.6)
        + circle(26, -14, 4.4, _GLASS, ink.outline, 1.6)
    )


def airplane(ink: Ink) -> str:
    """An airliner in flight, seen from the side."""
    ports = "".join(circle(x, -40, 3, _GLASS, _GLASS_LINE, 1) for x in range(-40, 46, 12))
    return (
        path("M-62 -46 L-84 -78 L-64 -76 L-36 -50Z", ink.dark, ink.outline, 1.8)
        + path("M10 -46 L-16 -66 L-2 -66 L34 -48Z", ink.dark, ink.outline, 1.6)
        + path(
            "M-80 -44 C-60 -54 40 -56 64 -50 C80 -46 86 -38 78 -32 C66 -26 0 -24 -40 -28 C-62 -32 -78 -38 -80 -44Z",
            ink.body,
            ink.outline,
            2,
        )
        + path(
            "M-74 -40 C-40 -32 40 -30 82 -38 C82 -34 78 -32 74 -30 C50 -25 0 -25 -40 -28 C-60 -31 -70 -36 -74 -40Z",
            "#ffffff",
            alpha=0.35,
        )
        + polygon("60,-50 70,-47 74,-42 60,-43", _GLASS, _GLASS_LINE, 1.2)
        + ports
        + path("M18 -34 L-26 -4 L-8 -6 L44 -34Z", ink.dark, ink.outline, 1.8)
        + rect(4, -18, 20, 9, "#d5d9e0", ink.outline, 1.4, r=4)
        + path("M-66 -42 L-86 -30 L-72 -30 L-48 -40Z", ink.dark, ink.outline, 1.4)
    )
