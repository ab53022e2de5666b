"""The shortcut through a text tower is taken only when it gives what the model's own way gives."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_open_clip import TINY, random_tensors

from vlmexplain.models import text_shortcut
from vlmexplain.models.text_shortcut import proven_tower

ROOT = Path(__file__).parents[2]
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def model() -> Any:
    from open_clip.model import CLIP

    made = CLIP(**TINY)
    made.load_state_dict(random_tensors(TINY))
    return made.eval()


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    from open_clip.tokenizer import SimpleTokenizer

    return SimpleTokenizer(context_length=32)


def test_this_open_clips_tower_is_proven(model: Any, tokenizer: Any) -> None:
    assert proven_tower(model, tokenizer, CPU) is model


def test_gives_way_to_a_difference(
    model: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = model.encode_text
    turned = lambda ids: own(ids) + 0.01 * own(ids).roll(1, dims=-1)  # noqa: E731
    monkeypatch.setattr(model, "encode_text", turned)
    assert proven_tower(model, tokenizer, CPU) is None


@pytest.mark.parametrize("step", ["tower_of", "end_places", "encode_cut"])
@pytest.mark.parametrize("error", [AssertionError, AttributeError("batch_first"), ImportError])
def test_gives_way_to_an_error(
    model: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch, step: str, error: Any
) -> None:
    def fails(*_: Any) -> None:
        raise error

    monkeypatch.setattr(text_shortcut, step, fails)
    assert proven_tower(model, tokenizer, CPU) is None


def test_not_a_number_is_a_difference(
    model: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        text_shortcut, "encode_cut", lambda _, ids, __: torch.full((len(ids), 16), torch.nan)
    )
    assert proven_tower(model, tokenizer, CPU) is None


SCORES = """
import json, sys, numpy as np
from PIL import Image
import open_clip
from vlmexplain.models.load import load_model
model = load_model(sys.argv[1])
texts = model.encode_texts(["a dog", "two red buses", "two red dogs near the water", ""])
image = model.encode_images([Image.new("RGB", (128, 128), (200, 30, 30))])
print(json.dumps([open_clip.__version__, (texts @ image.T).tolist(), (texts @ texts.T).tolist()]))
"""


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("version", ["2.30.0", "2.32.0", "3.1.0", "3.2.0"])
def test_every_open_clip_of_the_range_gives_the_same_numbers(version: str, tmp_path: Path) -> None:
    other = tmp_path / "open_clip"
    subprocess.run(
        [
            sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(other),
            f"open_clip_torch=={version}",
        ],
        check=True,
    )  # fmt: skip
    here, there = scores(ROOT), scores(other, ROOT)
    assert there[0] == version != here[0]
    for ours, theirs in zip(here[1:], there[1:], strict=True):
        assert torch.allclose(torch.tensor(ours), torch.tensor(theirs), atol=2e-5)


def scores(*path: Path) -> Any:
    import json

    done = subprocess.run(
        [sys.executable, "-c", SCORES, "drawn-clip"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))},
        cwd=ROOT,
    )
    return json.loads(done.stdout)
