"""The size of a WebP picture from its first bytes; its decoder takes memory before telling."""

from __future__ import annotations

_HEADER_BYTES = 30


def webp_size(content: bytes) -> tuple[int, int] | None:
    """Width and height in pixels that the header states; None when it is no WebP header.

    Source: WebP container specification (RIFF; chunks ``VP8X``, ``VP8 ``, ``VP8L``).

    >>> extended = b"RIFF____WEBPVP8X" + bytes(8) + bytes([63, 1, 0]) + bytes([47, 0, 0])
    >>> webp_size(extended)
    (320, 48)
    """
    if len(content) < _HEADER_BYTES or content[:4] != b"RIFF" or content[8:12] != b"WEBP":
        return None
    kind = content[12:16]
    if kind == b"VP8X":
        return _little(content[24:27]) + 1, _little(content[27:30]) + 1
    if kind == b"VP8 " and content[23:26] == b"\x9d\x01\x2a":
        return _little(content[26:28]) & 0x3FFF, _little(content[28:30]) & 0x3FFF
    if kind == b"VP8L" and content[20] == 0x2F:
        bits = _little(content[21:25])
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return None


def _little(octets: bytes) -> int:
    return int.from_bytes(octets, "little")
