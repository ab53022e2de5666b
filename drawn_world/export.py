"""Turn a training state into a model folder: `python -m drawn_world.export --state FILE --out
DIR`.

The checkpoint is compact: `token_embedding.weight` has one row for each token that occurs in
training and a last row for every other token; `vlmexplain.known_token_ids` (int32) names the
tokens. A loader that expands the table to open_clip's 49,408 rows gets an ordinary open_clip model.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import torch
from safetensors.torch import save_file

from drawn_world.net import ARCHITECTURE

__all__ = ["KNOWN_IDS", "compact_tensors", "export"]

#: The tensor that names the tokens of the compact table.
KNOWN_IDS = "vlmexplain.known_token_ids"


def compact_tensors(state: dict[str, torch.Tensor], known: torch.Tensor) -> dict[str, torch.Tensor]:
    """The tensors of a checkpoint: floats as float16, open_clip's names, and the known ids (int32).

    Args:
        state: the averaged weights of a `SmallClip`, names with the prefix "clip.".
        known: the known token ids, shape (n,), ascending.
    """
    tensors = {
        name.removeprefix("clip."): (t.half() if t.is_floating_point() else t).contiguous().clone()
        for name, t in state.items()
    }
    assert len(tensors["token_embedding.weight"]) == len(known) + 1
    return {**tensors, KNOWN_IDS: known.to(torch.int32).contiguous()}


def export(state_path: Path, folder: Path) -> None:
    """Write `<folder name>.json`, `model.safetensors` and `training_log.jsonl` into the folder."""
    state = torch.load(state_path, weights_only=True)
    folder.mkdir(parents=True, exist_ok=True)
    notes = {"drawn_world": True, "training_steps": int(state["step"])}
    architecture = json.dumps({**ARCHITECTURE, "vlmexplain": notes}, indent=2)
    (folder / f"{folder.name}.json").write_text(architecture + "\n", encoding="ascii")
    tensors = compact_tensors(state["average"], state["known"])
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    shutil.copyfile(state_path.with_name("training_log.jsonl"), folder / "training_log.jsonl")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Write a trained demo model as a model folder.")
    parser.add_argument("--state", type=Path, required=True, help="state.pt of a training run")
    parser.add_argument(
        "--out", type=Path, required=True, help="the model's folder; names the model"
    )
    args = parser.parse_args()
    export(args.state, args.out)


if __name__ == "__main__":
    main()
