"""What a connection to Ray leaves as it was: how the process ends, and what stands on stdout."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from vlmexplain.ray_engine import cluster
from vlmexplain.ray_engine.cluster import Capacity, ClusterError

ROOT = Path(__file__).parents[2]

#: Tells of a lost node as a driver's thread does, after a connection was tried.
_LOST_NODE = """
from vlmexplain.ray_engine.cluster import ClusterError, connected
try:
    connected("127.0.0.1:9").__enter__()
except ClusterError:
    pass
from ray._private.worker import print_to_stdstream
told = {"lines": ["The node has been marked dead."], "pid": "raylet", "is_err": False}
print_to_stdstream(told, ignore_prefix=False)
print("{}")
"""


def test_sigterm_stays_what_it_was() -> None:
    """Ray would end its processes and this one, and nobody would clear up behind it."""
    before = signal.getsignal(signal.SIGTERM)
    with cluster._sigterm_as_it_is():
        signal.signal(signal.SIGTERM, lambda *_: None)
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_lost_node_is_not_told_on_stdout() -> None:
    """It carries one JSON document and nothing else."""
    pytest.importorskip("ray")
    done = subprocess.run(
        [sys.executable, "-c", _LOST_NODE], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert done.stdout == "{}\n"


def test_nodes_without_a_whole_cpu_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranking asks for one, and would wait for ever."""
    ray = pytest.importorskip("ray")
    nodes: list[dict[str, object]] = [{"Alive": True, "Resources": {"GPU": 1.0}}]
    monkeypatch.setattr(ray, "nodes", lambda: nodes)
    monkeypatch.setattr(ray, "cluster_resources", lambda: {"GPU": 1.0})
    with pytest.raises(ClusterError, match="no node of the cluster has a CPU"):
        cluster._capacity()
    nodes += [{"Alive": True, "Resources": {"CPU": 4.0}}, {"Alive": False, "Resources": {}}]
    assert cluster._capacity() == Capacity(n_nodes=1, n_cpus=4.0, n_gpus=1.0)


def test_a_cluster_that_may_want_a_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ray's own error does not name it."""
    ray = pytest.importorskip("ray")

    def refuse(**_: object) -> None:
        raise RuntimeError("Unable to connect to GCS")

    def told() -> str:
        with pytest.raises(ClusterError) as error:
            cluster._connect("127.0.0.1:6379", None)
        return str(error.value)

    monkeypatch.setattr(ray, "init", refuse)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    assert "RAY_AUTH_MODE" not in told()
    (tmp_path / ".ray").mkdir()
    (tmp_path / ".ray" / "auth_token").write_text("0")
    assert "export RAY_AUTH_MODE=token" in told()
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    assert "export RAY_AUTH_MODE" not in told()
