"""Published positives for COCO captions, from the data files of the package ``eccv-caption``.

Only its JSON files are read; its code is never run. Sources: Chun et al., ECCV Caption, 2022
(arXiv:2204.03359); Parekh et al., Crisscrossed Captions, 2021 (arXiv:2004.15020).
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
from pathlib import Path

from vlmexplain.errors import DataError, MissingPackage
from vlmexplain.positives.listing import Listing, listing_of

PACKAGE = "eccv-caption"
MODULE = "eccv_caption"


def published_listing(name: str) -> tuple[Listing, str]:
    """A published list and the version of the package it is from.

    Args:
        name: ``eccv`` or ``cxc``.

    Raises:
        MissingPackage: ``eccv-caption`` is not installed.
        DataError: its file is missing or damaged.
    """
    found = importlib.util.find_spec(MODULE)
    if found is None or not found.submodule_search_locations:
        raise MissingPackage(
            f"the package {PACKAGE}, which carries these positives, is not installed.",
            remedy=f"Install it (0.8 MB, data only): pip install {PACKAGE}",
        )
    folder = Path(next(iter(found.submodule_search_locations)))
    path = folder / "data" / f"{name}_caption_to_image.json"
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise DataError(
            f"cannot be read ({error}).", where=str(path), remedy=f"Install {PACKAGE} again."
        ) from error
    return listing_of(document, str(path)), importlib.metadata.version(PACKAGE)
