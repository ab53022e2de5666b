"""Wrong codes slow down whoever tries them."""

from __future__ import annotations

from sqlalchemy import Connection, select

from vlmexplain.ratings.access.codes import digest
from vlmexplain.ratings.plan.refusals import TooManyAttempts
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.ratings.store.tables import ATTEMPTS

FREE_FAILURES = 5
LONGEST_WAIT_S = 60.0
FORGOTTEN_AFTER_S = 3600.0


def wait_after(failures: int) -> float:
    """Seconds until the next try: nothing for the first five, then doubling up to a minute.

    >>> [wait_after(n) for n in (4, 5, 6, 7, 30)]
    [0.0, 1.0, 2.0, 4.0, 60.0]
    """
    over = failures - FREE_FAILURES
    return 0.0 if over < 0 else float(min(2.0 ** min(over, 20), LONGEST_WAIT_S))


def check_attempts(store: RatingStore, source: str) -> None:
    """Refuse a source that has to wait; a right code is refused too, or waiting were no use.

    Args:
        source: where the try comes from, such as an address with what is tried before it
            (``join 203.0.113.7``); only its digest is kept.

    Raises:
        TooManyAttempts: says for how long.
    """
    query = select(ATTEMPTS.c.blocked_until).where(ATTEMPTS.c.source_digest == digest(source))
    until = store.database.read(lambda connection: connection.execute(query).scalar())
    if until is not None and until > store.now():
        raise TooManyAttempts(until - store.now())


def note_failure(store: RatingStore, source: str) -> float:
    """Count a wrong code; returns the seconds until the next try.

    A right code does not wipe the count, or who knows one code could try for others; an hour
    without a wrong one does.
    """

    def work(connection: Connection) -> float:
        now = store.now()
        connection.execute(ATTEMPTS.delete().where(ATTEMPTS.c.last_at < now - FORGOTTEN_AFTER_S))
        mine = ATTEMPTS.c.source_digest == digest(source)
        row = connection.execute(select(ATTEMPTS).where(mine).with_for_update()).first()
        failures = 1 + (row.failures if row else 0)
        wait = wait_after(failures)
        values = {"failures": failures, "last_at": now, "blocked_until": now + wait}
        if row:
            connection.execute(ATTEMPTS.update().where(mine).values(**values))
        else:
            connection.execute(ATTEMPTS.insert().values(source_digest=digest(source), **values))
        return wait

    return store.database.write(work)
