"""Two nodes of Ray on this machine, and a slice of the drawn world to work on."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.demo_setup import demo_folder

SCENES = 60
OBJECT_STORE_BYTES = 100_000_000


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    """The address of a cluster of two nodes with one CPU each; processes of this machine."""
    pytest.importorskip("ray")
    # Else Ray makes its workers nicer still, and they starve on a machine with other work.
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    load_wordnet()  # once, before two nodes do it
    node = {
        "num_cpus": 1,
        "num_gpus": 0,
        "object_store_memory": OBJECT_STORE_BYTES,
        "include_dashboard": False,
    }
    made = Cluster()
    try:
        made.add_node(**node)
        made.add_node(**node)
        made.wait_for_nodes(timeout=120)
        yield made.address
    finally:
        made.shutdown()


@pytest.fixture
def gallery(fresh_home: Path, tmp_path: Path) -> Gallery:
    """Sixty drawn scenes, imported from COCO files, with one picture twice and one gone bad."""
    source, images = demo_folder(), tmp_path / "images"
    instances = json.loads((source / "instances.json").read_text("utf-8"))
    captions = json.loads((source / "captions.json").read_text("utf-8"))
    kept = instances["images"][:SCENES]
    numbers = {image["id"] for image in kept}
    images.mkdir()
    for image in kept:
        shutil.copy(source / "images" / image["file_name"], images / image["file_name"])
    shutil.copy(images / kept[0]["file_name"], images / kept[9]["file_name"])
    for document in (instances, captions):
        document["images"] = kept
        document["annotations"] = [a for a in document["annotations"] if a["image_id"] in numbers]
    for name, document in (("instances", instances), ("captions", captions)):
        (tmp_path / f"{name}.json").write_text(json.dumps(document), "utf-8")
    made = import_coco(
        tmp_path / "instances.json", tmp_path / "captions.json", images, name="slice"
    )
    (images / kept[20]["file_name"]).write_bytes(b"not what was imported")
    return made


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def other_home(fresh_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A second home with the same galleries; the program uses it until the test ends."""
    home = tmp_path / "other-home"
    home.mkdir()
    for name in ("wordnet", "galleries"):
        (home / name).symlink_to(fresh_home / name)
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(home))
    return home
