"""A home with a small gallery, ranked by a tiny open_clip model and by fakes."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from homes import at_home, new_home

TESTS = Path(__file__).parents[1]


def _module(path: Path, name: str) -> Any:
    """Another folder's file under a name of its own; conftest files share theirs."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


_live = _module(TESTS / "live" / "conftest.py", "fixtures_of_live")
_tiny = _module(TESTS / "models" / "tiny_open_clip.py", "tiny_open_clip_of_perturb")

HOSTILE = "<b>two</b> $5 :balloon: <img src=x onerror=\"document.title='broken'\"> dogs"


@dataclass(frozen=True)
class PerturbWorld:
    """A home, its gallery, and the runs by model."""

    home: Path
    gallery_id: str
    clip: str
    clip_run: str
    fake_run: str
    text_run: str

    def parameters(self, run: str, **others: str) -> dict[str, str]:
        """An address of this gallery."""
        return {"gallery": self.gallery_id[:12], "run": run[:12], **others}


@pytest.fixture(scope="session")
def perturb_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PerturbWorld]:
    """Ranked by a tiny CLIP with 77 tokens, by ``fake`` with 16 and by ``fake-text``."""
    from safetensors.torch import save_file

    from vlmexplain.datasets.coco import import_coco
    from vlmexplain.lgip.bulk import run_lgip
    from vlmexplain.scoring.run import run

    folder = tmp_path_factory.mktemp("perturb")
    home = new_home(folder / "home")
    clip = folder / "tinyclip"
    clip.mkdir()
    config = json.loads(json.dumps(_tiny.TINY))
    config["text_cfg"]["context_length"] = 77
    (clip / "tinyclip.json").write_text(json.dumps(config))
    save_file(_tiny.random_tensors(config), clip / "model.safetensors")
    with at_home(home):
        gallery = import_coco(**_live.write_files(folder), name="perturb <i>world</i>")
        runs = [run(gallery, spec).key for spec in (str(clip), "fake-text", "fake")]
        run_lgip(gallery, "fake", mode="careful")
    yield PerturbWorld(home, gallery.id, str(clip), runs[0], runs[2], runs[1])
