"""Which combinations may be trained on: decided by a hash of the combination alone."""

from __future__ import annotations

import hashlib

__all__ = ["SPLITS", "split_of"]

#: The splits; one combination in sixteen is "test", one in sixteen is "watch" (looked at while training).
SPLITS: tuple[str, ...] = ("train", "watch", "test")


def split_of(key: str) -> str:
    """The split that a combination (see `scene.combination_key`) belongs to, the same on every machine."""
    bucket = hashlib.sha256(key.encode("utf-8")).digest()[0] % 16
    return {0: "test", 1: "watch"}.get(bucket, "train")
