"""A process full of raters who answer until they are done, or until the process is killed.

Usage: rating_worker.py URL CODE CONFIRMED_FILE N_ANSWERS NAME... ; one thread a name. Each
confirmed answer is appended to the file (and flushed) only after `submit` returned.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import zlib
from functools import partial
from pathlib import Path

from vlmexplain.errors import StoreError
from vlmexplain.ratings.plan.answer import Answer
from vlmexplain.ratings.rater.answers import submit
from vlmexplain.ratings.rater.assignment import current
from vlmexplain.ratings.rater.joining import join
from vlmexplain.ratings.rater.progress import progress_of
from vlmexplain.ratings.store.store import RatingStore, open_store


def rate(store: RatingStore, code: str, name: str, n_answers: int, confirmed: int) -> None:
    ticket = again(lambda: join(store, code, name, name).ticket)
    while again(lambda: progress_of(store, ticket).own_answered) < n_answers:
        shown = again(lambda: current(store, ticket)).item
        if shown is None:
            return
        # What a rater says of an item depends on both, so that a mix-up would be seen.
        rating = zlib.crc32(f"{name}|{shown.item}".encode()) % 10 + 1
        answer = Answer(rating=rating, comment=f"{name}: {shown.item}")
        sent = f"{name} {shown.item}"  # as after a reload: the same press of the same button
        receipt = again(partial(submit, store, ticket, shown.item, 0, answer, sent))
        line = json.dumps([name, shown.item, rating, receipt.version, time.time()]) + "\n"
        os.write(confirmed, line.encode())


def again(work):  # type: ignore[no-untyped-def]
    """As a browser that lost its connection: the same again, for up to a minute."""
    for _ in range(600):
        try:
            return work()
        except StoreError:
            time.sleep(0.1)
    raise TimeoutError


def main() -> None:
    url, code, confirmed_file, n_answers, *names = sys.argv[1:]
    store = again(lambda: open_store(url))
    confirmed = os.open(Path(confirmed_file), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    threads = [
        threading.Thread(target=rate, args=(store, code, name, int(n_answers), confirmed))
        for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
