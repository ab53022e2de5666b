"""Import a file or a folder in any form that is recognised: found, shown, then taken."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.checks import CheckLog
from vlmexplain.datasets.file_kinds import require_folder
from vlmexplain.datasets.forms import vg_family
from vlmexplain.datasets.forms.draft import Columns, Draft
from vlmexplain.datasets.forms.table import IMAGES_ALONE, Form, recognise
from vlmexplain.datasets.found_pictures import PICTURE_SUFFIXES, PictureFinder, names_in
from vlmexplain.datasets.gallery import Gallery, open_gallery
from vlmexplain.datasets.gallery_manifest import checked_name
from vlmexplain.datasets.import_request import ImportRequest, Verify, one_at_a_time
from vlmexplain.datasets.importing import ReadData, finish
from vlmexplain.datasets.listed_images import ListedImage
from vlmexplain.datasets.record_ids import id_text
from vlmexplain.errors import Cancelled, DataError, UnknownName
from vlmexplain.records import ProgressCallback, no_progress

_DATA_SUFFIXES = frozenset(
    {".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".token", ".parquet", ".txt"}
)
_SPLIT = re.compile(r"(?:^|[^a-z])(train|val|validation|dev|test)(\d{4})?(?:[^a-z0-9]|$)")
_TRIED = 50
_SAMPLES = 5


@dataclass(frozen=True, slots=True)
class Asked:
    """What a user may choose about an import of a path.

    Attributes:
        images: the image folder; None to look for it.
        no_images: a gallery without pictures.
        split: only this split.
        only_images: a file of image ids or file names, one a line; only these are taken.
        columns: which columns of a table to take.
        verify: decode every picture, or only read its header.
    """

    images: Path | None = None
    no_images: bool = False
    split: str | None = None
    only_images: Path | None = None
    columns: Columns = field(default_factory=Columns)
    verify: Verify = "decode"


@dataclass(frozen=True, slots=True)
class Found:
    """What a path holds, before it is imported.

    Attributes:
        form: the keys of the forms, joined with ``+``.
        files: each file that is read, with the title of its form.
        passed: files beside them that are not read, and why.
        images_folder: where the pictures are looked for; None for a gallery without.
        n_images, n_captions, n_annotations: what the files say; checks come later.
        samples: the first images, and some of their captions.
    """

    form: str
    files: tuple[tuple[Path, str], ...]
    passed: tuple[tuple[Path, str], ...]
    images_folder: Path | None
    n_images: int
    n_captions: int
    n_annotations: int
    samples: tuple[tuple[str, tuple[str, ...]], ...]

    def text(self) -> str:
        """For a terminal."""
        lines = [f"found      {path}: {title}" for path, title in self.files]
        lines += [f"not read   {path}: {why}" for path, why in self.passed]
        lines.append(f"pictures   {self.images_folder or 'none, as asked'}")
        lines.append(
            f"holds      {self.n_images:,} images, {self.n_captions:,} captions, "
            f"{self.n_annotations or 'no'} annotations"
        )
        for name, captions in self.samples:
            lines.append(f"such as    {name}: {_clipped(captions) or 'no caption'}")
        return "\n".join(lines)


def _clipped(captions: Sequence[str]) -> str:
    return " / ".join(textwrap.shorten(text, 80, placeholder=" ...") for text in captions)


ASKED_NOTHING = Asked()


def import_path(
    path: Path,
    *,
    name: str,
    asked: Asked = ASKED_NOTHING,
    confirm: Callable[[Found], bool] = lambda found: True,
    progress: ProgressCallback = no_progress,
) -> Gallery:
    """Import a file, or a folder of files that belong together; the pictures stay where they are.

    Args:
        path: see `docs/forms.md` for what is recognised.
        name: what to call the gallery.
        asked: what was chosen about it.
        confirm: shown what was found; False stops the import.
        progress: called now and then; may raise `Cancelled`. Nothing half-made stays.

    Raises:
        DataError: nothing that is recognised, a damaged file, or no picture can be read.
        Cancelled: ``confirm`` said no.
        StoreError: the gallery cannot be written.
    """
    name, path = checked_name(name), Path(path)
    chosen, passed = choose_files(path, asked.split)
    draft = Draft(CheckLog(), progress, asked.split, asked.columns)
    form = "+".join(dict.fromkeys(f.key for _, f in chosen)) or IMAGES_ALONE
    _read_all(path, chosen, draft)
    _check_split(path, chosen, draft)
    _keep_only(draft, asked.only_images)
    images = _images_folder(path, asked, draft, [file.parent for file, _ in chosen])
    if not confirm(_found(form, chosen, passed, images, draft)):
        raise Cancelled("nothing was imported.")
    files = (*(file for file, _ in chosen), asked.only_images)
    more = (("split", asked.split), ("path", str(path.absolute())))
    request = ImportRequest("path", name, images, asked.verify, files, more, form)
    key = request.key()
    with one_at_a_time(key) as made:
        if made:
            return open_gallery(made)
        data = ReadData(
            listed=draft.listed,
            instances=draft.instances,
            meaning_of=draft.meanings(),
            captions=draft.captions,
            sources=draft.sources,
            drawn=draft.drawn,
            choose=draft.choose,
            passed_over=draft.passed_over,
            segmentations=draft.segmentations,
        )
        return finish(data, request, key, draft.log, load_wordnet(), progress)


def choose_files(
    path: Path, split: str | None
) -> tuple[list[tuple[Path, Form]], list[tuple[Path, str]]]:
    """Which files are read as which form, and which are not and why.

    Raises:
        DataError: there is no such path, nothing in it is recognised, or its files do not
            belong together.
    """
    if path.is_file():
        return [(path, recognise(path))], []
    if not path.is_dir():
        raise DataError("no such file or folder; expected data to import.", where=str(path))
    passed: list[tuple[Path, str]] = []
    found: list[tuple[Path, Form]] = []
    for file in _data_files(path):
        try:
            found.append((file, recognise(file)))
        except DataError as error:
            passed.append((file, error.message))
    found, other = _of_split(path, found, split)
    passed += [(file, f"not of split {split}") for file in other]
    replaced = {key for _, form in found for key in form.instead_of}
    passed += [(f, "another file says the same") for f, form in found if form.key in replaced]
    found = [(file, form) for file, form in found if form.key not in replaced]
    families = {form.family for _, form in found}
    if len(families) > 1:
        kinds = ", ".join(f"{file.name} ({form.title})" for file, form in found[:6])
        raise DataError(
            f"holds files that cannot be one gallery: {kinds}.",
            where=str(path),
            remedy="Give one of the files.",
        )
    if not found and not any(_is_picture(name) for name in names_in(path)):
        why = f" ({passed[0][0].name}: {passed[0][1]})" if passed else ""
        raise DataError(
            f"nothing here can be imported: no data file that is recognised and no picture{why}.",
            where=str(path),
        )
    return found, passed


def _data_files(folder: Path) -> list[Path]:
    """The data files of a folder, those in ``annotations`` or in folders of pictures included."""
    names = [n for n in names_in(folder) if Path(n).suffix.lower() in _DATA_SUFFIXES]
    metadata = [n for n in names if Path(n).stem == "metadata"]
    top = [n for n in names if "/" not in n]
    below = [n for n in names if n.startswith("annotations/")]
    return [folder / name for name in metadata or [*top, *below]]


def _of_split(
    path: Path, found: list[tuple[Path, Form]], split: str | None
) -> tuple[list[tuple[Path, Form]], list[Path]]:
    """Those files that are of the split asked for, or of none; and the others."""
    named = {file: split_in_name(file, path) for file, _ in found}
    splits = sorted({each for each in named.values() if each})
    if split is None or not splits:
        if len(splits) > 1:
            raise DataError(
                f"holds several splits: {', '.join(splits)}.",
                where=str(path),
                remedy=f"Say which one: --split {splits[0]}.",
            )
        return found, []
    fits = [s for s in splits if s == split] or [s for s in splits if s.startswith(split)]
    if not fits:
        if any(form.key == "karpathy" for _, form in found):
            return found, []
        raise UnknownName("split", split, splits, where=str(path))
    kept = [(file, form) for file, form in found if named[file] in (None, *fits)]
    return kept, [file for file, _ in found if named[file] not in (None, *fits)]


def split_in_name(file: Path, root: Path) -> str | None:
    """The split that a file's name, or the folder it lies in, says.

    >>> split_in_name(Path("a/instances_val2017.json"), Path("a"))
    'val2017'
    """
    places = [file.stem.lower()] + ([file.parent.name.lower()] if file.parent != root else [])
    for place in places:
        match = _SPLIT.search(place)
        if match:
            return match[1] + (match[2] or "")
    return None


def _read_all(path: Path, chosen: Sequence[tuple[Path, Form]], draft: Draft) -> None:
    for file, form in chosen:
        form.read(file, draft)
    if not chosen:
        for name in filter(_is_picture, names_in(path)):
            draft.list_image(ListedImage(id_text(name) or name[-100:], name))
    if not draft.listed:
        vg_family.list_named_images(draft)


def _check_split(path: Path, chosen: Sequence[tuple[Path, Form]], draft: Draft) -> None:
    """Refuse a split that neither the records nor the files' names know."""
    if draft.split is None or any(split_in_name(file, path) for file, _ in chosen):
        return
    if not draft.splits:
        raise DataError(
            f"says nothing of splits, so {draft.split!r} cannot be taken from it.",
            where=str(path),
            remedy="Leave --split out, or name the images by --only-images.",
        )
    if not draft.listed:
        raise UnknownName("split", draft.split, sorted(draft.splits), where=str(path))


def _is_picture(name: str) -> bool:
    return Path(name).suffix.lower() in PICTURE_SUFFIXES


def _keep_only(draft: Draft, file: Path | None) -> None:
    if file is None:
        return
    try:
        text = file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError("cannot be read; expected image ids, one a line.", where=str(file)) from (
            error
        )
    wanted = [line.strip().strip('",[]') for line in re.split(r"[\r\n,]+", text)]
    in_vain = draft.keep_only(filter(None, wanted))
    if not draft.listed:
        raise DataError(
            f"none of the images asked for is in the data (such as {in_vain[0]!r}).",
            where=str(file),
        )
    for image_id in in_vain:
        draft.log.add("image-asked-in-vain", image_id)


def _images_folder(path: Path, asked: Asked, draft: Draft, beside: Sequence[Path]) -> Path | None:
    """The folder asked for, else the first near the data that holds one of the pictures."""
    if asked.no_images:
        return None
    if asked.images is not None:
        require_folder(asked.images)
        return asked.images
    near = path if path.is_dir() else path.parent
    up = [near.parent] if near.name == "annotations" else []
    folders = [near, near / "images", *beside, *up, *(folder / "images" for folder in up)]
    tried = [image for _, image in zip(range(_TRIED), draft.listed.values(), strict=False)]
    for folder in filter(Path.is_dir, folders):
        if _holds_any(folder, tried):
            return folder
    raise _no_pictures_near(near, tried)


def _holds_any(folder: Path, images: Iterable[ListedImage]) -> bool:
    finder = PictureFinder(folder)
    names = (name for image in images for name in (image.file_name, *image.other_names))
    return any(finder.repaired(name) for name in names)


def _no_pictures_near(near: Path, tried: Sequence[ListedImage]) -> DataError:
    if not tried:
        return DataError("the files list no image.", where=str(near))
    there = PictureFinder(near).some_picture()
    exists = f"a picture that is there: {there!r}" if there else "no picture is there"
    return DataError(
        f"the pictures are not beside the data: tried {tried[0].file_name!r}; {exists}.",
        where=str(near),
        remedy="Say where they are: --images DIR; or do without: --no-images.",
    )


def _found(
    form: str,
    chosen: Sequence[tuple[Path, Form]],
    passed: Sequence[tuple[Path, str]],
    images: Path | None,
    draft: Draft,
) -> Found:
    first = [image for _, image in zip(range(_SAMPLES), draft.listed.values(), strict=False)]
    spoken = draft.captions.first_of([image.image_id for image in first], 2)
    return Found(
        form,
        tuple((file, form.title) for file, form in chosen),
        tuple(passed),
        images,
        len(draft.listed),
        len(draft.captions),
        len(draft.instances),
        tuple((image.file_name, spoken[image.image_id]) for image in first),
    )
