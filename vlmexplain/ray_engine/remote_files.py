"""Files under an fsspec URL: how they are reached, and what goes wrong with them, in words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

from vlmexplain.errors import MissingPackage, StoreError, VlmexplainError

S3_PATIENCE = {
    "connect_timeout": 10,
    "read_timeout": 20,
    "retries": {"mode": "standard", "max_attempts": 4},
}
"""A server that does not answer is given up after one to two minutes; botocore takes many."""
_NO_FILE = (FileNotFoundError, IsADirectoryError, NotADirectoryError)


def reach(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it.

    Raises:
        MissingPackage: the file system needs a package that is not installed.
        StoreError: no such kind of file system, or nothing in it is named.
    """
    is_s3 = url.partition("://")[0] in ("s3", "s3a")
    try:
        files, root = fsspec.core.url_to_fs(url, use_listings_cache=False, **_s3(is_s3))
    except ImportError as error:
        raise MissingPackage(
            f"cannot reach {url!r} ({error}).",
            remedy="Install it with: pip install 'vlmexplain[ray]'",
        ) from error
    except Exception as error:  # each kind of file system has errors of its own
        raise StoreError(f"cannot be used ({_reason(error)}).", where=url) from error
    if not root.strip("/"):
        raise StoreError(
            "names no bucket and no folder.", where=url, remedy="Give one: s3://bucket/prefix."
        )
    if is_s3:
        files.retries = 1  # s3fs would try everything again that botocore has tried
    return files, str(root)


@contextmanager
def remote_errors(where: str, *, write: bool = False) -> Iterator[None]:
    """What a file system raises as a `StoreError`; of reading, but for a missing file.

    Raises:
        FileNotFoundError: there is no file to read, but perhaps a folder.
        StoreError: all else.
    """
    try:
        yield
    except VlmexplainError:
        raise
    except Exception as error:  # each kind of file system has errors of its own
        if isinstance(error, _NO_FILE) and not write:
            raise FileNotFoundError(where) from error
        raise StoreError(
            f"cannot be {'written' if write else 'read'} ({_reason(error)}).",
            where=where,
            remedy="Check the address, the credentials, the permissions and the free space.",
        ) from error


def names_under(files: Any, path: str) -> list[str]:
    """The files under a folder; none where there is no such folder.

    Raises:
        OSError: the folder, or one in it, cannot be listed: it is not to be taken for empty.
    """
    strict = {"on_error": "raise"} if isinstance(files, LocalFileSystem) else {}
    try:
        return sorted(files.find(path, **strict))
    except FileNotFoundError:
        return []


def _s3(is_s3: bool) -> dict[str, Any]:
    if not is_s3:
        return {}
    chosen = fsspec.config.conf.get("s3", {}).get("config_kwargs", {})
    return {"config_kwargs": {**S3_PATIENCE, **chosen}}


def _reason(error: Exception) -> str:
    """One line of what went wrong."""
    told = getattr(error, "strerror", None) or str(error)
    lines = str(told).strip().splitlines()
    return lines[0] if lines else type(error).__name__
