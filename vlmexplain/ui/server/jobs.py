"""Long work in the background: it goes on while pages come and go, and can be stopped."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from vlmexplain.errors import Cancelled, VlmexplainError
from vlmexplain.records import Progress, ProgressCallback
from vlmexplain.ui.server.free_memory import give_back
from vlmexplain.ui.server.logs import log, log_error

Status = Literal["running", "done", "failed", "cancelled"]
Work = Callable[[ProgressCallback], Any]

FINISHED_KEPT = 8
RATE_WINDOW_S = 20.0
STOPPED = "stopped by you; what was finished is kept."
SERVER_STOPS = "the server is stopping; what was finished is kept."
ASK_AGAIN = "Ask for the same again: it goes on from there."


@dataclass(frozen=True, slots=True)
class JobView:
    """How a job stands at one moment.

    Attributes:
        number: names the job in this process.
        kind, title: what it is.
        status: how it stands.
        progress: the latest of the work, or None before the first.
        per_second: things done a second in this stage; None while unknown.
        left_s: seconds left in this stage; None while unknown.
        took_s: seconds since the start, or from start to end.
        result: what the work returned, when done.
        error: why it failed.
    """

    number: int
    kind: str
    title: str
    status: Status
    progress: Progress | None
    per_second: float | None
    left_s: float | None
    took_s: float
    result: Any = None
    error: VlmexplainError | None = None


class _Job:
    def __init__(self, number: int, kind: str, title: str, key: str):
        self.number, self.kind, self.title, self.key = number, kind, title, key
        self.status: Status = "running"
        self.stop: str | None = None  # why, once it is to stop
        self.over = threading.Event()
        self.progress: Progress | None = None
        self.marks: list[tuple[float, int]] = []
        self.started_s = time.monotonic()
        self.ended_s: float | None = None
        self.result: Any = None
        self.error: VlmexplainError | None = None


class JobRegistry:
    """The jobs of this process; safe to use from many threads.

    Work is asked for by a key: asking again while it runs gives the running job.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: list[_Job] = []
        self._numbers = itertools.count(1)
        self._closed = False

    def start(self, kind: str, title: str, key: str, work: Work) -> int:
        """Start ``work`` in a thread, or find the job that is already at it; its number.

        Raises:
            Cancelled: the server is stopping.
        """
        with self._lock:
            if self._closed:
                raise Cancelled("the server is stopping.", remedy="Ask again in a moment.")
            for job in self._jobs:
                if job.key == key and job.status == "running":
                    return job.number
            job = _Job(next(self._numbers), kind, title, key)
            ended = [j for j in self._jobs if j.status != "running"]
            for old in ended[: max(0, len(ended) - FINISHED_KEPT + 1)]:
                self._jobs.remove(old)
            self._jobs.append(job)
        threading.Thread(target=self._do, args=(job, work), daemon=True, name=title).start()
        return job.number

    def cancel(self, number: int) -> None:
        """Ask a job to stop at its next sign of progress; what it finished is kept."""
        with self._lock:
            for job in self._jobs:
                if job.number == number:
                    job.stop = STOPPED

    def views(self, *kinds: str) -> list[JobView]:
        """How the jobs of these kinds stand, the latest first."""
        with self._lock:
            return [_view(job) for job in reversed(self._jobs) if job.kind in kinds]

    def running(self) -> bool:
        """Whether any job is at work."""
        with self._lock:
            return any(job.status == "running" for job in self._jobs)

    def count_running(self) -> int:
        """How many jobs are at work."""
        with self._lock:
            return sum(job.status == "running" for job in self._jobs)

    def close(self, timeout_s: float) -> tuple[str, ...]:
        """Take no more work, ask what runs to stop at its next sign of progress, and wait.

        Args:
            timeout_s: how long to wait, for all together.

        Returns:
            the kinds of the jobs that were still at work when the time was over.
        """
        deadline = time.monotonic() + timeout_s
        with self._lock:
            self._closed = True
            running = [job for job in self._jobs if job.status == "running"]
            for job in running:
                job.stop = SERVER_STOPS
        return tuple(
            job.kind for job in running if not job.over.wait(max(0, deadline - time.monotonic()))
        )

    def _do(self, job: _Job, work: Work) -> None:
        log("job.start", job=job.number, kind=job.kind)
        try:
            self._work(job, work)
        finally:
            give_back()
            ms = round(1000 * (time.monotonic() - job.started_s))
            known = _log_failure(job.error) if job.status == "failed" and job.error else None
            log("job.end", job=job.number, kind=job.kind, status=job.status, ms=ms, error=known)
            job.over.set()

    def _work(self, job: _Job, work: Work) -> None:
        def report(progress: Progress) -> None:
            if job.stop is not None:
                raise Cancelled(job.stop, remedy=ASK_AGAIN if job.stop == SERVER_STOPS else None)
            with self._lock:
                _mark(job, progress)

        status: Status
        result: Any = None
        error: VlmexplainError | None = None
        try:
            result = work(report)
            status = "done"
        except Cancelled as stopped:
            status, error = "cancelled", stopped
        except VlmexplainError as failure:
            status, error = "failed", failure
        except BaseException as failure:
            # the thread has nobody above it: page and log must say that the work is over
            status = "failed"
            error = VlmexplainError(
                f"unexpected {type(failure).__name__}: {failure}",
                remedy="The terminal the app was started from shows where.",
            ).with_traceback(failure.__traceback__)
            error.__cause__ = failure
        with self._lock:
            job.status, job.result, job.error = status, result, error
            job.ended_s = time.monotonic()


_registry = JobRegistry()


def job_registry() -> JobRegistry:
    """The one registry of this process."""
    return _registry


def _log_failure(error: VlmexplainError) -> str:
    """Write why a job failed; what nobody expected with its traceback. The id."""
    unexpected = type(error) is VlmexplainError
    return log_error(error, "job.error", trace=error.__cause__ if unexpected else None)


def _mark(job: _Job, progress: Progress) -> None:
    now = time.monotonic()
    if job.progress is None or job.progress.stage != progress.stage:
        job.marks = []
    job.progress = progress
    job.marks.append((now, progress.done))
    while len(job.marks) > 2 and now - job.marks[0][0] > RATE_WINDOW_S:
        job.marks.pop(0)


def _view(job: _Job) -> JobView:
    rate = None
    if len(job.marks) >= 2:
        (first_s, first), (last_s, last) = job.marks[0], job.marks[-1]
        if last > first and last_s > first_s:
            rate = (last - first) / (last_s - first_s)
    left = None
    if rate and job.progress and job.progress.total:
        left = max(0, job.progress.total - job.progress.done) / rate
    took = (job.ended_s or time.monotonic()) - job.started_s
    return JobView(
        job.number, job.kind, job.title, job.status, job.progress, rate, left, took,
        job.result, job.error,
    )  # fmt: skip
