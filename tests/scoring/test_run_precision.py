"""Runs in lower precision: results of their own, asked for on the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from vlmexplain.cli import main
from vlmexplain.models.devices import has_precision
from vlmexplain.models.load import identify
from vlmexplain.scoring.embedding import stored_embeddings
from vlmexplain.scoring.run import open_run, run

needs_bf16 = pytest.mark.skipif(
    not has_precision(torch.device("cpu"), "bf16"), reason="this CPU has no bfloat16 instructions"
)


@needs_bf16
def test_a_run_in_bf16_is_kept_beside_the_exact_one(
    make_gallery, capsys: pytest.CaptureFixture[str]
) -> None:
    made = make_gallery([["a red car"], ["a dog and a cat"], ["a tree", "a green tree"]])
    exact = run(made, "drawn-clip", device="cpu")
    asked = ["run", "--gallery", "made", "--model", "drawn-clip", "--device", "cpu", "--json"]
    assert main([*asked, "--precision", "bf16", "--workers", "0"]) == 0
    said = json.loads(capsys.readouterr().out)
    half = open_run(said["key"])
    assert half.model == identify("drawn-clip#bf16") and half.model.spec == "drawn-clip#bf16"
    assert half.key != exact.key
    assert not set(half.manifest.embeddings) & set(exact.manifest.embeddings)
    one, other = (stored_embeddings(made, each.model, "image-text") for each in (exact, half))
    assert one is not None and other is not None
    for name in ("text_vectors", "image_vectors"):
        vectors = getattr(one, name), getattr(other, name)
        assert (vectors[0] * vectors[1]).sum(axis=1).min() > 0.999
        assert not np.array_equal(*vectors)

    assert main([*asked, "--precision", "auto"]) == 0
    assert json.loads(capsys.readouterr().out)["key"] == exact.key, "auto on a CPU is exact"


def test_what_makes_no_sense_is_said(gallery, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["run", "--gallery", "made", "--model"]
    assert main([*asked, "fake", "--precision", "bf16"]) != 0
    assert "no precision to choose" in capsys.readouterr().err
    assert main([*asked, "fake#bf61"]) != 0
    assert "Did you mean 'bf16'" in capsys.readouterr().err
    assert main([*asked, "fake", "--workers", "-2"]) != 0
    assert "'-2' is no number of decoding processes" in capsys.readouterr().err
    assert main([*asked, "fake", "--workers", "2", "--engine", "ray"]) != 0
    assert "--workers goes with --engine local" in capsys.readouterr().err
