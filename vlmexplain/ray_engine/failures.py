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
        causes = list(_causes(error))
        own = [cause for cause in causes if isinstance(cause, VlmexplainError)]
        if own:
            raise own[0] from error
        last = causes[-1] if causes else error
        line = (str(last).strip().splitlines() or ["no message"])[-1]
        raise ClusterError(
            f"a worker failed ({type(last).__name__}: {line}).",
            remedy="What was finished is kept; the same command goes on from there. "
            "The workers' logs are under the cluster's session folder.",
        ) from error


def _causes(error: BaseException) -> Iterator[BaseException]:
    """What workers raised, as it was: Ray wraps it, in a class that pretends to be the same."""
    import ray.exceptions

    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        if not isinstance(at, ray.exceptions.RayError):
            yield at
        cause = getattr(at, "cause", None)
        at = cause if isinstance(cause, BaseException) else at.__cause__
