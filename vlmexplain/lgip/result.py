"""LGIP results on disk: every triple with its similarities, and the figures over them."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from vlmexplain.errors import UnknownName
from vlmexplain.lgip.figures import LgipFigures, Sensitivity
from vlmexplain.lgip.tables import DAMAGED, connect, quoted
from vlmexplain.records import ModelIdentity
from vlmexplain.results.kind import Need, ResultKind
from vlmexplain.results.store import Stored, intact_result, list_results, open_result

FORMAT = 2
"""2: the gap of an edit that the model cannot see is 0; figures over seen and verified flips."""
METRICS = "metrics.json"
TRIPLES = "triples.parquet"

Kind = Literal["same", "flip"]
Sort = Literal["largest shift", "lowest gap", "highest gap", "order"]
_ORDER: dict[Sort, str] = {
    "largest shift": "abs(gap) DESC, triple",
    "lowest gap": "gap, triple",
    "highest gap": "gap DESC, triple",
    "order": "triple",
}


@dataclass(frozen=True, slots=True)
class LgipManifest:
    """What a result says of itself.

    Attributes:
        key: sha256 hex over what was asked; the folder is named by it.
        gallery_id, gallery_name: whose images.
        model: by which model.
        perturbations: what was scored: mode and seed, or the file's name and digest.
        figures: the three figures, with counts.
        not_in_gallery: samples whose image the gallery does not have; they are left out.
        without_embedding: samples whose picture could not be embedded; they are left out.
        drawn: True when gallery or model is of the drawn world.
        created_s: Unix time.
        seconds: how long it took.
    """

    key: str
    gallery_id: str
    gallery_name: str
    model: ModelIdentity
    perturbations: dict[str, Any]
    figures: LgipFigures
    not_in_gallery: int
    without_embedding: int
    drawn: bool
    created_s: float
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """The manifest as a JSON value."""
        return {"format": FORMAT, **asdict(self)}


def honest_document(manifest: LgipManifest) -> dict[str, Any]:
    """What the benchmark's metrics JSON does not say, by key; null where it is not recorded."""
    figures = manifest.figures
    return {
        "num_ties": figures.sensitivity.ties,
        "num_not_seen": figures.not_seen,
        "num_not_in_gallery": manifest.not_in_gallery,
        "num_without_embedding": manifest.without_embedding,
        "seen_flips": asdict(figures.seen) if figures.seen else None,
        "verified_flips": asdict(figures.verified) if figures.verified else None,
    }


@dataclass(frozen=True, slots=True)
class Triple:
    """One comparison: an image, its caption, and what was made of the caption.

    Attributes:
        triple: its place in the result.
        image_index, caption_index: in the gallery; caption_index is -1 for a caption that the
            gallery does not have.
        caption, text: the two texts.
        kind: ``same`` for a paraphrase, ``flip`` for a flip.
        flip_type: of a flip, else None.
        verified: True when the flip is known to be false of the image; None when not known.
        score_caption, score_text: similarities with the image, -1..1.
        gap: score_caption - score_text.
        tie: whether they are equal within 1e-6.
        seen: False when the model cannot tell the texts apart: the edit lies past the cut, or
            the tokens are the same.
    """

    triple: int
    image_index: int
    caption_index: int
    caption: str
    text: str
    kind: Kind
    flip_type: str | None
    verified: bool | None
    score_caption: float
    score_text: float
    gap: float
    tie: bool
    seen: bool


_COLUMNS = ", ".join(Triple.__dataclass_fields__)


@dataclass(frozen=True, repr=False)
class LgipResult:
    """A finished LGIP run."""

    folder: Path
    manifest: LgipManifest

    def __repr__(self) -> str:
        said = self.manifest
        return f"<LgipResult {said.key[:12]}: {said.model.name} on {said.gallery_name}>"

    @property
    def key(self) -> str:
        """sha256 hex over what was asked."""
        return self.manifest.key

    @property
    def figures(self) -> LgipFigures:
        """The three figures."""
        return self.manifest.figures

    @property
    def triples_path(self) -> Path:
        """The Parquet file with one row a triple."""
        return self.folder / TRIPLES

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """The benchmark's metrics JSON."""
        path = self.folder / METRICS
        with LGIP.reading(path):
            document: dict[str, Any] = json.loads(path.read_bytes())
            return document

    def reading_triples(self) -> AbstractContextManager[None]:
        """While the block reads the file of the triples, damage is said as `StoreError`."""
        return LGIP.reading(self.triples_path, *DAMAGED)

    def triples(
        self,
        kind: Kind | None = None,
        flip_type: str | None = None,
        *,
        sort: Sort = "order",
        offset: int = 0,
        limit: int = 50,
    ) -> tuple[Triple, ...]:
        """A page of the triples: the worst paraphrases, the most preferred flips, and so on.

        Raises:
            UnknownName: no such order.
            StoreError: the file of the triples is missing or damaged.
        """
        if sort not in _ORDER:
            raise UnknownName("order", sort, _ORDER)
        where, values = self._where(kind, flip_type)
        with self.reading_triples(), connect() as database:
            rows = database.execute(
                f"SELECT {_COLUMNS} FROM read_parquet('{quoted(self.triples_path)}') "  # noqa: S608
                f"{where} ORDER BY {_ORDER[sort]} LIMIT ? OFFSET ?",
                [*values, limit, offset],
            ).fetchall()
        return tuple(Triple(*row) for row in rows)

    def histogram(
        self, kind: Kind, flip_type: str | None = None, *, width: float = 0.005
    ) -> tuple[tuple[float, int], ...]:
        """(lower edge of a bin, how many gaps lie in it), ascending; empty bins are left out."""
        where, values = self._where(kind, flip_type)
        with self.reading_triples(), connect() as database:
            rows = database.execute(
                f"SELECT floor(gap / ?) * ? AS edge, count(*) "  # noqa: S608
                f"FROM read_parquet('{quoted(self.triples_path)}') {where} "
                "GROUP BY edge ORDER BY edge",
                [width, width, *values],
            ).fetchall()
        return tuple((float(edge), int(n)) for edge, n in rows)

    def _where(self, kind: Kind | None, flip_type: str | None) -> tuple[str, list[str]]:
        asked = [("kind", kind), ("flip_type", flip_type)]
        parts = [(f"{name} = ?", value) for name, value in asked if value is not None]
        if not parts:
            return "", []
        return "WHERE " + " AND ".join(part for part, _ in parts), [value for _, value in parts]


def results_folder() -> Path:
    """Where results are kept."""
    return LGIP.folder()


def open_lgip(key: str) -> LgipResult:
    """The result of that key, or the one whose key starts like this (four letters or more).

    Raises:
        UnknownName: there is none.
        StoreError: several fit, or it is damaged or of a newer format.
    """
    return _result(open_result(LGIP, key))


def intact_lgip(key: str) -> LgipResult | None:
    """The result of exactly this key, if it is there with all its files; else None.

    Raises:
        StoreError: it is of a newer format.
    """
    stored = intact_result(LGIP, key)
    return _result(stored) if stored else None


def list_lgip(gallery_id: str | None = None) -> list[LgipManifest]:
    """The manifests of all sound results, the latest first; of one gallery, if it is named."""
    manifests = [stored.manifest for stored in list_results(LGIP)]
    return [each for each in manifests if gallery_id in (None, each.gallery_id)]


def _result(stored: Stored[LgipManifest]) -> LgipResult:
    return LgipResult(stored.folder, stored.manifest)


def _manifest(value: dict[str, Any]) -> LgipManifest:
    model = value.pop("model")
    model["facts"] = tuple((label, fact) for label, fact in model["facts"])
    figures = value.pop("figures")
    sensitivity = Sensitivity(**figures.pop("sensitivity"))
    by_type = {kind: Sensitivity(**own) for kind, own in figures.pop("by_type").items()}
    parts = {name: figures.pop(name, None) for name in ("seen", "verified")}
    return LgipManifest(
        model=ModelIdentity(**model),
        figures=LgipFigures(
            sensitivity=sensitivity,
            by_type=by_type,
            seen=Sensitivity(**parts["seen"]) if parts["seen"] else None,
            verified=Sensitivity(**parts["verified"]) if parts["verified"] else None,
            **figures,
        ),
        **value,
    )


LGIP = ResultKind(
    name="lgip",
    noun="LGIP result",
    format=FORMAT,
    files=(METRICS, TRIPLES),
    read=_manifest,
    created_s=lambda manifest: manifest.created_s,
    needs=lambda manifest: (Need("galleries", manifest.gallery_id),),
    about=lambda manifest: f"{manifest.model.name}, {manifest.gallery_name}",
    remedy="Delete the result's folder and compute it again; embeddings are kept.",
)
