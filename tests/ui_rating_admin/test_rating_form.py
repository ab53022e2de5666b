"""The form of a session: items from each source, drafts changed, files that fill it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from vlmexplain.datasets.gallery import open_gallery
from vlmexplain.errors import DataError, UnknownName
from vlmexplain.overview.saved_slices import save_slice
from vlmexplain.overview.slices import Slice
from vlmexplain.ratings.organiser.sessions import Session, find_session, items_of, list_sessions
from vlmexplain.ratings.plan.items import lines_of_items
from vlmexplain.run_items import fitting_captions
from vlmexplain.scoring.run import open_run
from vlmexplain.ui.pages.rating_admin.class_table import classes_of_rows
from vlmexplain.ui.pages.rating_admin.item_fields import parse_captions


def field(name: str) -> str:
    """The key of a field of the first form of a visit."""
    return f"session-0-{name}"


def made(app: Any, store: Any) -> Session:
    """Press the button; the session that is new."""
    before = {one.id for one in list_sessions(store)}
    app.button(key="make-session").click().run()
    assert not app.exception
    (fresh,) = (one for one in list_sessions(store) if one.id not in before)
    return fresh


def test_a_saved_slice_gives_its_failures(draw: Any, rating_world: Any, rating_store: Any) -> None:
    gallery = open_gallery(rating_world.gallery_id)
    save_slice(gallery, "few <b>words</b>", Slice(words_to=5), replace=True)
    fields = {field("source"): "slice", field("sample"): False, field("name"): "Slice"}
    app = draw("ratings", new="yes", run=rating_world.runs[0], fields=fields)
    session = made(app, rating_store)
    short = [n for n in range(gallery.n_captions) if len(gallery.caption(n).text.split()) <= 5]
    failures = set(fitting_captions(open_run(rating_world.runs[0])).tolist())
    captions = [item.caption_index for item in items_of(rating_store, session.id)]
    assert captions == [n for n in short if n in failures] and captions
    assert (session.spec.run, session.state) == (rating_world.runs[0], "draft")


def test_a_list_of_ids_keeps_its_order(draw: Any, rating_world: Any, rating_store: Any) -> None:
    gallery = open_gallery(rating_world.gallery_id)
    wanted = fitting_captions(open_run(rating_world.runs[0]))[[2, 0]].tolist()
    ids = ", ".join(gallery.caption(n).caption_id for n in wanted)
    fields = {field("source"): "list", field("captions"): ids, field("sample"): False,
              field("name"): "List"}  # fmt: skip
    app = draw("ratings", new="yes", run=rating_world.runs[0], fields=fields)
    session = made(app, rating_store)
    assert [item.caption_index for item in items_of(rating_store, session.id)] == wanted


def test_ids_and_places_are_told_apart(rating_world: Any, rating_store: Any) -> None:
    gallery = open_gallery(rating_world.gallery_id)
    assert rating_store
    ids = [gallery.caption(n).caption_id for n in (4, 1)]
    assert parse_captions(f"{ids[0]};\n {ids[1]} {ids[0]}", gallery, False) == (4, 1)
    assert parse_captions("4, 1", gallery, True) == (4, 1)
    with pytest.raises(UnknownName, match="caption id"):
        parse_captions("<b>", gallery, False)
    with pytest.raises(UnknownName):
        parse_captions("-1", gallery, True)


def test_a_choice_names_both_runs(draw: Any, rating_world: Any, rating_store: Any) -> None:
    fields = {field("kind"): "choice", field("sample"): False, field("name"): "Choice"}
    app = draw("ratings", new="yes", run=rating_world.runs[0], fields=fields)
    session = made(app, rating_store)
    assert (session.spec.kind, session.spec.other_run) == ("choice", rating_world.runs[1])
    first, second = (open_run(key).top_k_images[:, 0] for key in rating_world.runs)
    for item in items_of(rating_store, session.id):
        n = item.caption_index
        assert (item.retrieved_image, item.other_image) == (first[n], second[n])


def test_what_is_missing_is_said_and_nothing_is_made(
    draw: Any, said_of: Any, rating_world: Any, rating_store: Any
) -> None:
    before = list_sessions(rating_store)
    for fields, words in (
        ({field("source"): "list"}, "No caption is listed yet"),
        ({field("source"): "file"}, "No file of items is chosen yet"),
        ({field("source"): "list", field("captions"): "nosuch"}, "caption id"),
        ({field("name"): " "}, "name is"),
    ):
        app = draw("ratings", new="yes", run=rating_world.runs[0], fields=fields)
        assert words.lower() in said_of(app).lower()
        assert not [b for b in app.button if b.key == "make-session"]
    assert list_sessions(rating_store) == before


def test_a_draft_is_changed_and_a_template_makes_another(
    draw: Any, rating_world: Any, rating_store: Any
) -> None:
    fields = {field("n"): 3, field("name"): "Draft"}
    draft = made(draw("ratings", new="yes", run=rating_world.runs[0], fields=fields), rating_store)
    assert draft.n_items == 3
    app = draw("ratings", session=draft.id)
    next(b for b in app.button if b.label == "Change questions or items").click().run()
    name = next(t for t in app.text_input if t.label == "Name of the session")
    assert name.value == "Draft"
    name.set_value("Draft, renamed").run()
    app.button(key="make-session").click().run()
    changed = find_session(rating_store, draft.id)
    assert (changed.spec.name, changed.n_items) == ("Draft, renamed", 3)
    assert items_of(rating_store, draft.id)
    app = draw("ratings", session=rating_world.rated.id)
    next(b for b in app.button if b.label == "Use as a template").click().run()
    copy = made(app, rating_store)
    assert copy.spec.name == "<b>Rated</b> $1$ (copy)"
    assert items_of(rating_store, copy.id) == items_of(rating_store, rating_world.rated.id)


def test_a_path_in_an_uploaded_file_is_not_followed(
    rating_world: Any, rating_store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vlmexplain.ui.pages.rating_admin import uploads

    begun: list[Any] = []
    monkeypatch.setattr(uploads, "begin", lambda *given: begun.append(given))
    secret = tmp_path / "secret.jsonl"
    items = items_of(rating_store, rating_world.rated.id)
    secret.write_bytes(lines_of_items(items[:1]))
    toml = f"name = 'x'\n[items]\nfile = '{secret}'\n".encode()
    with pytest.raises(DataError, match="in a file of their own"):
        uploads.begin_from_toml(toml, "x.toml", None)
    assert not begun
    uploads.begin_from_toml(toml, "x.toml", (lines_of_items(items[1:3]), "y.jsonl"))
    assert begun[0][2] == items[1:3]


def test_rows_of_the_class_table() -> None:
    rows: list[dict[str, Any]] = [
        {"label": " Light ", "shortcut": "L", "key": None, "meaning": None},
        {"label": "light", "shortcut": "", "key": "", "meaning": "x"},
        {"label": "", "shortcut": "q", "key": "q", "meaning": ""},
        {"label": "Kept", "key": "own_key"},
    ]
    found = classes_of_rows(rows)
    assert [(one.key, one.label, one.shortcut) for one in found] == [
        ("light", "Light", "l"),
        ("light_2", "light", ""),
        ("own_key", "Kept", ""),
    ]
