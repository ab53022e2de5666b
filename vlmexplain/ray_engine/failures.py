"""Errors that come back from workers, as the user should see them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from vlmexplain.errors import VlmexplainError
from vlmexplain.ray_engine.cluster import ClusterError


@contextmanager
def worker_errors() -> Iterator[None]:
    """Raise what a worker raised: our own errors as they are, others as a `ClusterError`."""
    import ray.exceptions

    try:
        yield
    except ray.exceptions.RayError as error:
        own = _own(error)
        if own is not None:
            raise own from error
        line = str(error).strip().splitlines()[-1]
        raise ClusterError(
            f"a worker failed: {line}.",
            remedy="What was finished is kept; the same command goes on from there. "
            "The workers' logs are under the cluster's session folder.",
        ) from error


def _own(error: BaseException | None) -> VlmexplainError | None:
    """The first of our errors among an error and its causes."""
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        seen.append(error)
        if isinstance(error, VlmexplainError) and type(error) is not ClusterError:
            return error
        cause = getattr(error, "cause", None)
        if isinstance(cause, VlmexplainError):
            return cause
        error = cause if isinstance(cause, BaseException) else error.__cause__
    return None
