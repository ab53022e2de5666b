"""A model that writes down what it was asked for, and can be made to die over a piece of it."""

from __future__ import annotations

import hashlib
import os
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vlmexplain.models.fake import FakeEncoder
from vlmexplain.models.protocol import Encoder


class TracedEncoder(FakeEncoder):
    """The fake model, with a line for each call in ``folder/calls``: process and content.

    The process that is asked for the ``deadly`` call kills itself the first time.
    """

    def __init__(self, folder: Path, deadly: str | None = None):
        super().__init__()
        self._folder, self._deadly = folder, deadly

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self._note("\n".join(texts).encode())
        return super().encode_texts(texts)

    def encode_prepared(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        self._note(batch.tobytes())
        return super().encode_prepared(batch)

    def _note(self, content: bytes) -> None:
        digest = hashlib.sha256(content).hexdigest()[:16]
        with (self._folder / "calls").open("a") as file:  # short lines are appended whole
            file.write(f"{os.getpid()} {digest}\n")
        death = self._folder / "death"
        if digest == self._deadly and not death.exists():
            death.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)


def traced(folder: Path, deadly: str | None = None) -> Callable[[], Encoder]:
    folder.mkdir(exist_ok=True)
    return lambda: TracedEncoder(folder, deadly)


def calls(folder: Path) -> Counter[str]:
    """How often each content was asked for."""
    lines = (folder / "calls").read_text().splitlines()
    return Counter(line.split()[1] for line in lines)


def processes(folder: Path) -> set[int]:
    """Which processes were asked."""
    return {int(line.split()[0]) for line in (folder / "calls").read_text().splitlines()}
