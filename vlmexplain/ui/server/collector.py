"""What imports leave behind is taken out of the garbage collector's sight.

Streamlit collects garbage after every run of a page. Each time it walks over all that modules hold,
some 180,000 objects and 100 ms of processor time, none of which ever becomes garbage.
"""

from __future__ import annotations

import gc
import sys
import threading

WORTH_IT = 40
"""So many modules more than last time."""

_lock = threading.Lock()
_modules_seen = 0


def set_aside_modules() -> bool:
    """Set aside all that lives now, if many modules were imported since the last time.

    What else lives at that moment is set aside too: once or a few times in a process's life, so
    that it cannot add up.

    Returns:
        Whether it was done.
    """
    global _modules_seen
    with _lock:
        if len(sys.modules) - _modules_seen < WORTH_IT:
            return False
        _modules_seen = len(sys.modules)
        gc.collect()
        gc.freeze()
        return True
