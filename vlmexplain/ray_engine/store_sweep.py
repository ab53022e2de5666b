"""What nothing in a shared store lists: parts of runs that died, objects of theirs."""

from __future__ import annotations

import time
from collections import defaultdict

from vlmexplain.ray_engine.shared_store import KINDS, UNFINISHED, SharedStore, object_name

GRACE_S = 24 * 3600.0
"""What is younger may belong to a run that is under way."""


def prune_store(
    store: SharedStore, *, older_than_s: float = GRACE_S, dry_run: bool = False
) -> list[str]:
    """Remove what is left behind; nothing published is touched.

    Parts of an unfinished folder go together, when the youngest of them is old enough; then
    the old objects that no file lists any more.

    Args:
        older_than_s: seconds; what is younger stays.
        dry_run: only say what would go.

    Returns:
        The names of what was removed.
    """
    before_s = time.time() - older_than_s
    removed = _old_parts(store, before_s)
    kept = [name for kind in (*KINDS, UNFINISHED) for name in store.names_under(kind)]
    listed = {
        object_name(file.sha256)
        for name in set(kept) - set(removed)
        for file in (store.read_listing(name) or {}).values()
    }
    removed += [
        name
        for name in store.names_under("objects")
        if name not in listed and store.modified_s(name) <= before_s
    ]
    if not dry_run:
        for name in removed:
            store.remove(name)
    return removed


def _old_parts(store: SharedStore, before_s: float) -> list[str]:
    by_folder: dict[str, list[str]] = defaultdict(list)
    for name in store.names_under(UNFINISHED):
        by_folder[name.rpartition("/")[0]].append(name)
    return [
        name
        for names in by_folder.values()
        if max(map(store.modified_s, names)) <= before_s
        for name in names
    ]
