"""The connection to a Ray cluster: one that runs already, or one made here for the work."""

from __future__ import annotations

import importlib.util
import logging
import os
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from vlmexplain.errors import MissingPackage
from vlmexplain.ray_engine.head_watch import ClusterError, head_watched

__all__ = ["Capacity", "ClusterError", "connected", "require_ray"]

LOCAL_OBJECT_STORE_BYTES = 2**30
_REACH_S = 10
_START = "Start one with: ray start --head; or give its HOST:PORT as --address."
_AUTHENTICATE = "If it wants a token: export RAY_AUTH_MODE=token (docs/cluster.md)."


@dataclass(frozen=True, slots=True)
class Capacity:
    """What a cluster has.

    Attributes:
        n_nodes: machines with CPUs to work on.
        n_cpus, n_gpus: of all of them.
    """

    n_nodes: int
    n_cpus: float
    n_gpus: float


def require_ray() -> None:
    """Make sure that Ray is installed, without importing it.

    Raises:
        MissingPackage: it is not.
    """
    if importlib.util.find_spec("ray") is None:
        raise MissingPackage(
            "the engine 'ray' needs the package Ray, which is not installed.",
            remedy="Install it with: pip install 'vlmexplain[ray]'",
        )


@contextmanager
def connected(address: str | None) -> Iterator[Capacity]:
    """A connection for the time of the block; a cluster made here ends with it.

    Args:
        address: ``HOST:PORT`` or ``auto``; None: ``RAY_ADDRESS``, else a cluster of this
            machine alone, whose services listen on 127.0.0.1.

    Raises:
        MissingPackage: Ray is not installed.
        ClusterError: there is no cluster at the address, it is of another version, no node has
            a whole CPU, or its head is gone while the block runs.
    """
    require_ray()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else Ray warns of it
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".*")  # else lost nodes are told on stdout
    address = address or os.environ.get("RAY_ADDRESS")
    if address is not None:
        _reach(address)
    import ray

    if ray.is_initialized():  # the caller's own connection stays
        yield _capacity()
        return
    scratch = None if address else _scratch_folder()
    try:
        with _sigterm_as_it_is():
            _connect(address, scratch)
        with head_watched(ray.get_runtime_context().gcs_address, _node_socket()):
            yield _capacity()
    finally:
        try:
            ray.shutdown()
        finally:  # a second Ctrl-C, too
            if scratch is not None:
                shutil.rmtree(scratch, ignore_errors=True)


def _reach(address: str) -> None:
    """Make sure that something listens: Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return  # such as "auto", which Ray looks up
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_REACH_S).close()
    except OSError as error:
        raise _unreachable(address, error.strerror or str(error)) from error


def _unreachable(address: str | None, reason: str, remedy: str = _START) -> ClusterError:
    return ClusterError(
        f"cannot connect to the Ray cluster ({reason}).",
        where=address or "this machine",
        remedy=remedy,
    )


def _may_want_a_token() -> bool:
    """Whether ``ray start --head`` of this user asks for a token that connecting does not show."""
    has_token = (Path.home() / ".ray" / "auth_token").is_file()
    return has_token and "RAY_AUTH_MODE" not in os.environ


def _connect(address: str | None, scratch: Path | None) -> None:
    import ray

    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address is not None:
            ray.init(address=address, **quiet)
        else:
            ray.init(
                address="local",
                include_dashboard=False,
                object_store_memory=LOCAL_OBJECT_STORE_BYTES,
                _node_ip_address="127.0.0.1",
                _temp_dir=str(scratch),
                **quiet,
            )
    except Exception as error:  # Ray raises plain ones too, as when a node starts too slowly
        line = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        if address is not None and _may_want_a_token():
            raise _unreachable(address, line, f"{_AUTHENTICATE} {_START}") from error
        raise _unreachable(address, line) from error


@contextmanager
def _sigterm_as_it_is() -> Iterator[None]:
    """Undo that Ray ends the process its own way on SIGTERM: nobody would clear up behind it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if before is not None:  # None: set by other than Python
            signal.signal(signal.SIGTERM, before)


def _scratch_folder() -> Path:
    """For logs and sockets; the path is short because a socket's name may have 107 bytes."""
    short = Path("/tmp")  # noqa: S108  a folder of its own is made in it
    return Path(tempfile.mkdtemp(prefix="vlmx-ray-", dir=short if short.is_dir() else None))


def _node_socket() -> str | None:
    """The socket of this machine's node of the cluster, where Ray tells it."""
    import ray

    node = getattr(ray._private.worker, "_global_node", None)
    path = getattr(node, "raylet_socket_name", None)
    return path if isinstance(path, str) and Path(path).is_socket() else None


def _capacity() -> Capacity:
    import ray

    cpus = [node["Resources"].get("CPU", 0.0) for node in ray.nodes() if node["Alive"]]
    if max(cpus, default=0.0) < 1:
        raise ClusterError(
            "no node of the cluster has a CPU to work on.",
            remedy="Add one: ray start --address HEAD:6379 --num-cpus N.",
        )
    n_nodes = sum(n > 0 for n in cpus)
    return Capacity(n_nodes, sum(cpus), ray.cluster_resources().get("GPU", 0.0))
