"""Give the names of a gallery other synsets: a new gallery, with the same images and captions."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vlmexplain.concepts.wordnet import WordNet
from vlmexplain.datasets.boxes import possible_duplicates
from vlmexplain.datasets.checks import CHECKS, CheckLog, Finding, ImportSummary, InstanceFlag
from vlmexplain.datasets.columns import (
    NO_ID,
    CaptionColumns,
    GalleryColumns,
    ImageColumns,
    InstanceColumns,
)
from vlmexplain.datasets.concept_names import NameKey, name_counts, names_table
from vlmexplain.datasets.concept_table import Correction, read_corrections
from vlmexplain.datasets.gallery import MASKS, Gallery, list_galleries, open_gallery
from vlmexplain.datasets.gallery_writer import write_gallery
from vlmexplain.datasets.instance_records import instance_name
from vlmexplain.errors import DataError
from vlmexplain.records import ProgressCallback, no_progress

Changes = Mapping[tuple[str, str | None], str | None]
"""A name and its synset -> the synset it shall have."""

_BY_CONCEPT = (
    InstanceFlag.SYNSET_BY_NAME,
    InstanceFlag.SYNSET_NONE,
    InstanceFlag.POSSIBLE_DUPLICATE,
)
_DECLARED = {code: place for place, code in enumerate(CHECKS)}


@dataclass(frozen=True, slots=True)
class Renamed:
    """A gallery after a review of its names.

    Attributes:
        gallery: the new one; the old one when nothing was changed.
        n_names, n_instances: how many names, and objects, have another synset now.
    """

    gallery: Gallery
    n_names: int
    n_instances: int


def apply_table(
    gallery: Gallery,
    path: Path,
    wordnet: WordNet,
    *,
    name: str | None = None,
    progress: ProgressCallback = no_progress,
) -> Renamed:
    """Make the gallery that a corrected table of names asks for.

    Args:
        path: see `concept_table`; names that it does not list stay as they are.
        name: what to call the new gallery; None: the old name and ", reviewed".

    Raises:
        DataError, UnknownName: as `concept_table.read_corrections`, or two rows contradict.
        StoreError: the gallery cannot be written.
    """
    counts = name_counts(gallery)
    rows = read_corrections(path, {key[0] for key in counts}, wordnet)
    changes = changes_of(rows, counts, path)
    if not changes:
        return Renamed(gallery, 0, 0)
    new_counts: Counter[NameKey] = Counter()
    n_instances = 0
    for (each, synset, how), n in counts.items():
        if (each, synset) in changes:
            new_counts[each, changes[each, synset], "corrected"] += n
            n_instances += n
        else:
            new_counts[each, synset, how] += n
    columns = _changed(_columns(gallery), changes)
    gallery_id = write_gallery(
        columns,
        name=name or _free_name(f"{gallery.name}, reviewed"),
        images_folder=gallery.images_folder,
        summary=_summary(gallery.checks(), columns.instances),
        wordnet=wordnet,
        sources=gallery.manifest.sources,
        options=gallery.manifest.options | {"reviewed_from": gallery.id},
        names_table=names_table(new_counts),
        write_masks=_mask_copier(gallery),
        progress=progress,
    )
    return Renamed(open_gallery(gallery_id), len({each for each, _ in changes}), n_instances)


def changes_of(
    rows: Sequence[Correction], counts: Mapping[NameKey, int], path: Path
) -> dict[tuple[str, str | None], str | None]:
    """What the rows change; rows that ask for what there is are no change.

    Raises:
        DataError: two rows ask for different synsets of the same objects.
    """
    known: dict[str, set[str | None]] = {}
    for name, synset, _ in counts:
        known.setdefault(name, set()).add(synset)
    asked: dict[tuple[str, str | None], Correction] = {}
    by_name: dict[str, list[Correction]] = {}
    for row in rows:
        by_name.setdefault(row.name, []).append(row)
    for name, of_name in by_name.items():
        if all(r.was is None for r in of_name) and {r.synset for r in of_name} == known[name]:
            continue  # every synset of the name, none of them changed
        for row in of_name:
            before = known[name] if row.was is None else {row.was or None} & known[name]
            for synset in before:
                first = asked.setdefault((name, synset), row)
                if first.synset != row.synset:
                    raise DataError(
                        f"{name!r} is {row.synset or 'without a synset'} here and "
                        f"{first.synset or 'without a synset'} in line {first.line}.",
                        where=f"{path}, line {row.line}",
                        remedy="Keep one of them, or say in a column 'was' which objects it is of.",
                    )
    return {key: row.synset for key, row in asked.items() if row.synset != key[1]}


def _mask_copier(old: Gallery) -> Callable[[Path, pa.Table], None] | None:
    """Takes the masks along; None where there are none.

    Instances are sorted by image and id before all else, and only those with an id of their own
    have a mask: whatever their synsets, every mask keeps its place.
    """
    if not old.manifest.masks_sha256:
        return None

    def copy(path: Path, _: pa.Table) -> None:
        shutil.copyfile(old.folder / MASKS, path)

    return copy


def _free_name(wanted: str) -> str:
    taken = {name for manifest in list_galleries() for name in manifest.names}
    names = (wanted if n == 1 else f"{wanted} {n}" for n in range(1, len(taken) + 3))
    return next(name for name in names if name not in taken)


def _columns(gallery: Gallery) -> GalleryColumns:
    """The gallery's content as columns again."""
    images, captions = gallery.images_table, gallery.captions_table
    table = gallery.instances_table.combine_chunks()
    names = table.column("name").combine_chunks()
    names = names.chunk(0) if isinstance(names, pa.ChunkedArray) else names
    ids = table.column("instance_id").fill_null(NO_ID).to_numpy()
    return GalleryColumns(
        ImageColumns(
            **{
                field: images.column(field).to_numpy()
                if field in ("width_px", "height_px", "orientation")
                else images.column(field).to_pylist()
                for field in ImageColumns.__slots__
            }
        ),
        CaptionColumns(
            captions.column("image_index").to_numpy(),
            captions.column("caption_id").to_pylist(),
            captions.column("text").to_pylist(),
        ),
        InstanceColumns(
            image_index=table.column("image_index").to_numpy(),
            synset_code=gallery.concept_index,
            name_code=names.indices.to_numpy(),
            box=np.stack([table.column(axis).to_numpy() for axis in "xywh"], axis=1),
            crowd=table.column("crowd").to_numpy(),
            instance_id=ids,
            flags=table.column("flags").to_numpy(),
            synsets=list(gallery.concepts),
            names=names.dictionary.to_pylist(),
        ),
        gallery.drawn,
    )


def _changed(columns: GalleryColumns, changes: Changes) -> GalleryColumns:
    """The columns with the synsets changed and what depends on them flagged anew."""
    old = columns.instances
    place = {synset: n for n, synset in enumerate(old.synsets)}
    for synset in changes.values():
        if synset is not None:
            place.setdefault(synset, len(place))
    code = old.synset_code.copy()
    name_place = {name: n for n, name in enumerate(old.names)}
    for (name, before), after in changes.items():
        rows = (old.name_code == name_place[name]) & (
            old.synset_code == (-1 if before is None else place[before])
        )
        code[rows] = -1 if after is None else place[after]
    changed = code != old.synset_code
    flags = old.flags.copy()
    by_name, none = InstanceFlag.SYNSET_BY_NAME.value, InstanceFlag.SYNSET_NONE.value
    flags[changed] &= ~(by_name | none)
    flags[changed & (code < 0)] |= none
    flags &= ~InstanceFlag.POSSIBLE_DUPLICATE.value
    concept: NDArray[np.int32] = np.where(old.crowd, -1, code).astype(np.int32)
    duplicates = possible_duplicates(old.box, old.image_index, concept)
    flags[duplicates] |= InstanceFlag.POSSIBLE_DUPLICATE.value
    instances = replace(old, synset_code=code, flags=flags, synsets=list(place))
    return replace(columns, instances=instances)


def _summary(old: ImportSummary, instances: InstanceColumns) -> ImportSummary:
    """The summary of the import, with what the synsets decide counted again."""
    log = CheckLog()
    for flag in _BY_CONCEPT:
        rows = np.flatnonzero(instances.flags & flag.value)
        log.add_many(flag.code, rows.size, map(instance_name, instances.instance_id[rows]))
    again = {flag.code for flag in _BY_CONCEPT}
    kept: list[Finding] = [finding for finding in old.findings if finding.code not in again]
    n_concepts = len(np.unique(instances.synset_code[instances.synset_code >= 0]))
    taken = {**dict(old.taken), "concepts": n_concepts}
    found = sorted((*kept, *log.summary().findings), key=lambda f: _DECLARED[f.code])
    return ImportSummary(tuple(taken.items()), tuple(found))
