"""Two processes on one home that are asked for the same at the same moment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from ui_world import write_world

ROOT = Path(__file__).parents[2]
ASKED = """
import json, sys, time
from pathlib import Path
from vlmexplain.datasets.coco import import_coco
from vlmexplain.scoring.run import run

folder = Path(sys.argv[1])
files = {name: Path(path) for name, path in json.loads(sys.argv[2]).items()}
(folder / f"ready-{sys.argv[3]}").touch()
while len(list(folder.glob("ready-*"))) < 2:
    time.sleep(0.001)
gallery = import_coco(**files, name="both")
finished = run(gallery, "fake")
print(json.dumps([gallery.id, finished.key, finished.top_k_images.tolist()]))
"""


@pytest.mark.parametrize("attempt", range(2))
def test_the_same_import_and_run_at_once(attempt: int, serving_home: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "wordnet").symlink_to(serving_home / "wordnet")
    files = {name: str(path) for name, path in write_world(tmp_path / "world").items()}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", ASKED, str(tmp_path), json.dumps(files), name],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "VLMEXPLAIN_HOME": str(home), "OMP_NUM_THREADS": "1"},
        )
        for name in "ab"
    ]  # fmt: skip
    told = []
    for process in both:
        out, err = process.communicate(timeout=240)
        assert process.returncode == 0, err
        told.append(json.loads(out.splitlines()[-1]))
    assert told[0] == told[1]
    for kind, n in (("galleries", 1), ("runs", 1), ("embeddings", 2)):
        kept = [path.name for path in (home / kind).iterdir() if not path.name.startswith(".")]
        assert len(kept) == n, kind
    assert not list(home.rglob(".partial-*"))
    assert not list((home / "embeddings").glob(".unfinished-*"))
