"""Results on disk, one file a query: asking for the same again is a read."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from vlmexplain.reasons.engine import ENGINE_VERSION, ReasonOptions
from vlmexplain.reasons.reason import FailureReasons, from_json, to_json
from vlmexplain.scoring.run_store import Run
from vlmexplain.storage import content_key, home, read_only, write_file


def read_kept(
    run: Run, caption_index: int, options: ReasonOptions, accepted: str = ""
) -> FailureReasons | None:
    """What was found before; None when nothing was, or it cannot be read.

    Args:
        accepted: digest of the positives in force, which the verdicts look at.
    """
    try:
        return from_json(json.loads(_file(run, caption_index, options, accepted).read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        return None  # damaged: it is made again and replaced


def keep(run: Run, found: FailureReasons, options: ReasonOptions, accepted: str = "") -> None:
    """Write the reasons of one query whole or not at all; nothing in read-only mode."""
    if not read_only():
        text = json.dumps(to_json(found), ensure_ascii=False, allow_nan=False)
        write_file(_file(run, found.caption_index, options, accepted), text.encode())


def reasons_key(run: Run, options: ReasonOptions, accepted: str) -> str:
    """The content key of a run's reasons: all that decides what is in them but the query."""
    return content_key(
        {
            "gallery": run.gallery_id,
            "run": run.key,
            "engine": ENGINE_VERSION,
            "options": asdict(options),
            "accepted": accepted,
        }
    )


def _file(run: Run, caption_index: int, options: ReasonOptions, accepted: str) -> Path:
    key = reasons_key(run, options, accepted)
    return home() / "reasons" / key / f"{caption_index}.json"
