"""Files of the Hugging Face hub: from its cache first, and from the network if allowed."""

from __future__ import annotations

import os
import socket
import time
import urllib.request
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from vlmexplain.errors import MissingPackage, ModelError

ETAG_TIMEOUT_S = 5.0
"""How long to wait for the hub's first answer."""


def is_offline() -> bool:
    """Whether the user forbade the network (``HF_HUB_OFFLINE``)."""
    return os.environ.get("HF_HUB_OFFLINE", "").strip().upper() in {"1", "ON", "YES", "TRUE"}


def cache_folder() -> Path:
    """Where the hub's client keeps files: ``HF_HUB_CACHE``, ``HF_HOME``/hub, or the default."""
    chosen = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    base = os.environ.get("HF_HOME")
    if not base:
        base = str(Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")) / "huggingface")
    return Path(base).expanduser() / "hub"


def is_cached(repository: str, file_names: Sequence[str]) -> bool:
    """Whether any of these files of a repository is on this machine; asks nobody."""
    snapshots = cache_folder() / f"models--{repository.replace('/', '--')}" / "snapshots"
    return any(any(snapshots.glob(f"*/{name}")) for name in file_names)


def hub_answers() -> bool:
    """Whether a connection to the hub can be opened within 2 s; sends nothing.

    Behind a proxy the proxy is asked. Remembered for ten seconds. The hub's own client
    would retry for half a minute, and say so on standard error.
    """
    return _answers(int(time.monotonic() // 10))


@lru_cache(maxsize=1)
def _answers(ten_seconds: int) -> bool:
    endpoint = os.environ.get("HF_ENDPOINT", "https://huggingface.co")
    proxy = urllib.request.getproxies().get("https")
    target = urlsplit(proxy if proxy and "//" in proxy else endpoint)
    port = target.port or (443 if target.scheme == "https" else 80)
    try:
        with socket.create_connection((target.hostname or "", port), timeout=2):
            return True
    except OSError:
        return False


def hub_file(repository: str, file_names: Sequence[str]) -> Path:
    """The first of these files that the repository has, from the cache or the hub.

    Raises:
        MissingPackage: ``huggingface_hub`` is not installed.
        ModelError: not on this machine and the hub cannot be reached, or it has no such file.
    """
    try:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import (
            EntryNotFoundError,
            HFValidationError,
            LocalEntryNotFoundError,
            RepositoryNotFoundError,
        )
    except ImportError as error:
        raise _no_client() from error
    try:
        for name in file_names:
            try:
                return Path(hf_hub_download(repository, name, local_files_only=True))
            except EntryNotFoundError:  # not in the cache, or known not to exist
                continue
        if is_offline() or not hub_answers():
            raise _unreachable(repository, file_names, None)
        for name in file_names:
            try:
                return Path(hf_hub_download(repository, name, etag_timeout=ETAG_TIMEOUT_S))
            except LocalEntryNotFoundError as error:
                raise _unreachable(repository, file_names, error) from error
            except EntryNotFoundError:
                continue
    except HFValidationError as error:
        raise _bad_name(repository) from error
    except RepositoryNotFoundError as error:
        raise _no_repository(repository) from error
    except ModelError:
        raise
    except Exception as error:  # each version of the hub's client has its own network errors
        raise _unreachable(repository, file_names, error) from error
    raise ModelError(f"the hub's {repository!r} has none of {', '.join(file_names)}.")


def hub_folder(repository: str, patterns: Sequence[str]) -> Path:
    """The folder of a repository's files that match, from the cache or the hub.

    Raises:
        As `hub_file`.
    """
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import (
            HFValidationError,
            LocalEntryNotFoundError,
            RepositoryNotFoundError,
        )
    except ImportError as error:
        raise _no_client() from error
    wanted = list(patterns)
    try:
        try:
            found = snapshot_download(repository, local_files_only=True, allow_patterns=wanted)
            # A cache can hold a part of a repository; the model itself must be there.
            if any(Path(found).glob("*.safetensors")):
                return Path(found)
        except LocalEntryNotFoundError:
            pass
        if is_offline() or not hub_answers():
            raise _unreachable(repository, ["model.safetensors"], None)
        return Path(
            snapshot_download(repository, allow_patterns=wanted, etag_timeout=ETAG_TIMEOUT_S)
        )
    except HFValidationError as error:
        raise _bad_name(repository) from error
    except RepositoryNotFoundError as error:
        raise _no_repository(repository) from error
    except ModelError:
        raise
    except Exception as error:
        raise _unreachable(repository, ["model.safetensors"], error) from error


def _no_client() -> MissingPackage:
    return MissingPackage(
        "models from the hub need the package huggingface_hub.",
        remedy="Install it: pip install huggingface_hub",
    )


def _bad_name(repository: str) -> ModelError:
    return ModelError(
        f"{repository!r} is neither a folder here nor a name the hub could have.",
        remedy="Give a folder, or a name such as ORG/NAME.",
    )


def _no_repository(repository: str) -> ModelError:
    return ModelError(
        f"the hub has no public model {repository!r}.", remedy="Check the name, or give a folder."
    )


def _unreachable(repository: str, names: Sequence[str], error: Exception | None) -> ModelError:
    if is_offline():
        why = "and HF_HUB_OFFLINE is set, so the hub was not asked"
    else:
        reason = getattr(error, "strerror", None) or type(error).__name__
        kind = f" ({reason})" if error else ""
        why = f"and the hub (huggingface.co) cannot be reached{kind}"
    return ModelError(
        f"the model {repository!r} is not on this machine ({names[0]} is missing), {why}.",
        remedy="Run once with network access, copy the hub's cache folder "
        "(~/.cache/huggingface/hub) from a machine that has it, or give a local folder.",
    )
