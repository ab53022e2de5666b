"""Who sees the organiser's pages, and that nobody acts without being let in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from vlmexplain.errors import ReadOnly, StoreError
from vlmexplain.ratings.access.attempts import note_failure
from vlmexplain.ratings.organiser.sessions import list_sessions
from vlmexplain.ratings.plan.refusals import NotOrganiser
from vlmexplain.ratings.store.store import open_store
from vlmexplain.ratings.store.tables import ATTEMPTS

PAGES = ("ratings", "rating_analysis")
INSIDE = {"ratings": "Raters judge retrieved images", "rating_analysis": "answers of"}
SECRET = "VLMEXPLAIN_ORGANISER_SECRET"


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    ("secret", "typed", "local", "granted"),
    [
        (None, "", True, True),
        (None, "", False, False),
        (None, "guess", False, False),
        ("s3cret", "", True, False),
        ("s3cret", "", False, False),
        ("s3cret", "wrong", True, False),
        ("s3cret", "S3cret", False, False),
        ("s3cret", "s3cret", True, True),
        ("s3cret", "s3cret", False, True),
    ],
)
def test_who_is_let_in(
    draw: Any, said_of: Any, monkeypatch: pytest.MonkeyPatch,
    page: str, secret: str | None, typed: str, local: bool, granted: bool,
) -> None:  # fmt: skip
    if secret is None:
        monkeypatch.delenv(SECRET, raising=False)
    else:
        monkeypatch.setenv(SECRET, secret)
    app = draw(page, local=local, typed=typed)
    shown = said_of(app)
    assert (INSIDE[page] in shown) == granted
    if not granted:
        assert "Rated" not in shown and not app.selectbox
        assert bool(app.text_input) == (secret is not None)
        assert ("machine itself" in shown) == (secret is None)


def test_the_secret_is_typed_and_wrong_ones_wait(
    draw: Any, said_of: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(SECRET, "s3cret")
    app = draw("ratings", home=tmp_path, local=False)

    def enter(text: str) -> str:
        app.text_input[0].set_value(text)
        app.button[0].click().run()
        assert not app.exception
        return str(said_of(app))

    assert "not the organiser&#x27;s secret" in enter("guess")
    store = open_store()
    counted = store.database.read(lambda c: c.execute(select(ATTEMPTS.c.failures)).scalars().all())
    assert counted == [1]
    for _ in range(11):
        note_failure(store, "organise this machine")
    store.close()
    assert "too many wrong codes" in enter("s3cret").lower(), "a right one waits as well"
    assert INSIDE["ratings"] not in said_of(app)


def test_the_right_secret_opens_the_page(
    draw: Any, said_of: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(SECRET, "s3cret")
    app = draw("ratings", home=tmp_path, local=False)
    app.text_input[0].set_value("s3cret")
    app.button[0].click().run()
    assert INSIDE["ratings"] in said_of(app)
    monkeypatch.setenv(SECRET, "changed")
    assert INSIDE["ratings"] not in said_of(app.run()), "a new secret shuts the old one out"


@pytest.mark.parametrize(
    ("user", "granted"),
    [
        ({}, False),
        ({"is_logged_in": False}, False),
        ({"is_logged_in": True, "email": "Anna@Example.org"}, True),
        ({"is_logged_in": True, "email": "anna@example.org", "email_verified": False}, False),
        ({"is_logged_in": True, "email": "<b>eve</b>@example.org"}, False),
        ({"is_logged_in": False, "email": "anna@example.org"}, False),
    ],
)
def test_a_login_counts_for_those_who_are_named(
    draw: Any, said_of: Any, monkeypatch: pytest.MonkeyPatch, user: dict[str, Any], granted: bool
) -> None:
    import streamlit as st

    from vlmexplain.ui.pages.rating_admin import access

    monkeypatch.delenv(SECRET, raising=False)
    configured = {"auth": {"client_id": "x"}, "organisers": ["anna@example.org"]}
    monkeypatch.setattr(access, "secrets", lambda: configured)
    monkeypatch.setattr(type(st.user), "to_dict", lambda self: user)
    app = draw("ratings", local=True)
    assert (INSIDE["ratings"] in said_of(app)) == granted
    if not granted:
        label = "Log out" if user.get("is_logged_in") else "Log in"
        assert [button.label for button in app.button] == [label]
        assert "<b>eve" not in said_of(app)


def test_a_broken_secrets_file_lets_nobody_in(
    draw: Any, said_of: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import streamlit as st

    broken = tmp_path / "secrets.toml"
    broken.write_text("VLMEXPLAIN_ORGANISER_SECRET = ")
    monkeypatch.setattr(type(st.secrets), "load_if_toml_exists", lambda self: False)
    real = st.config.get_option
    monkeypatch.setattr(
        st.config,
        "get_option",
        lambda name: [str(broken)] if name == "secrets.files" else real(name),
    )
    shown = said_of(draw("ratings", local=True))
    assert "The secrets file cannot be read" in shown and INSIDE["ratings"] not in shown


def test_acts_called_directly_are_refused(
    rating_store: Any, rating_world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vlmexplain.ratings.organiser.sessions import change_state
    from vlmexplain.ratings.plan.spec import SessionSpec
    from vlmexplain.ratings.plan.spec_toml import ItemRequest
    from vlmexplain.ui.pages.rating_admin import access, downloads, session_view, uploads
    from vlmexplain.ui.pages.rating_admin.form import make_session
    from vlmexplain.ui.pages.rating_admin.item_fields import AskedItems

    monkeypatch.setattr(access, "visitor_is_local", lambda: False)
    told: list[Exception] = []
    monkeypatch.setattr("vlmexplain.ui.shared.messages.problem", told.append)
    before = list_sessions(rating_store)
    asked = SessionSpec("direct", run=rating_world.runs[0])
    with pytest.raises(NotOrganiser):
        make_session(rating_store, asked, AskedItems(ItemRequest(), None, 1))
    for act in (
        lambda: session_view.act(
            lambda: change_state(rating_store, rating_world.rated.id, "closed")
        ),
        lambda: session_view._delete(rating_store, rating_world.rated),
        lambda: session_view._template(rating_store, rating_world.rated, True),
        lambda: uploads._take_plan(None, None),
        lambda: uploads._take_export(rating_store, None),
    ):
        told.clear()
        act()
        assert [type(error) for error in told] == [NotOrganiser]
    assert list_sessions(rating_store) == before
    made: list[Any] = []
    monkeypatch.setattr(downloads.st, "download_button", lambda *_, data, **__: made.append(data))
    with pytest.raises(NotOrganiser):
        downloads._button("Answers", "a.csv", "text/csv", lambda: b"rows")
    assert not made
    monkeypatch.setattr(access, "visitor_is_local", lambda: True)
    downloads._button("Answers", "a.csv", "text/csv", lambda: b"rows")
    assert made[0]() == b"rows"
    monkeypatch.setenv("VLMEXPLAIN_READONLY", "1")
    with pytest.raises(ReadOnly):
        make_session(rating_store, asked, AskedItems(ItemRequest(), None, 1))


@pytest.mark.parametrize("page", PAGES)
def test_an_unreachable_store_is_a_sentence(
    draw: Any, said_of: Any, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    monkeypatch.setenv("VLMEXPLAIN_DATABASE_URL", "postgresql://u:hidden-pass@127.0.0.1:9/none")
    shown = said_of(draw(page))
    assert "The database cannot be reached" in shown and "What was confirmed before" in shown
    assert "hidden-pass" not in shown


def test_a_newer_and_a_damaged_database_are_a_sentence(
    draw: Any, said_of: Any, tmp_path: Path
) -> None:
    import sqlite3

    newer = tmp_path / "newer"
    open_store(f"sqlite:///{newer / 'ratings.db'}").close()
    with sqlite3.connect(newer / "ratings.db") as connection:
        connection.execute("UPDATE rating_schema_version SET version_num = 'v9999'")
    connection.close()
    assert "newer version" in said_of(draw("ratings", home=newer))
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / "ratings.db").write_bytes(b"no database at all " * 400)
    assert "is no database" in said_of(draw("rating_analysis", home=damaged)).lower()


@pytest.mark.parametrize("page", PAGES)
def test_a_locked_or_full_database_while_a_page_is_open(
    draw: Any, said_of: Any, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    for message, remedy in (("another process is holding the database.", "Send it again."),
                            ("there is no space left.", "Free some space.")):  # fmt: skip

        def fail(*_: Any, message: str = message, remedy: str = remedy) -> Any:
            raise StoreError(message, where="ratings.db", remedy=remedy)

        module = "page" if page == "ratings" else "analysis_page"
        monkeypatch.setattr(f"vlmexplain.ui.pages.rating_admin.{module}.list_sessions", fail)
        shown = said_of(draw(page))
        assert message[1:] in shown and remedy in shown and "Traceback" not in shown


def test_a_read_only_server_shows_and_offers_nothing(
    draw: Any, said_of: Any, monkeypatch: pytest.MonkeyPatch, rating_world: Any
) -> None:
    monkeypatch.setenv("VLMEXPLAIN_READONLY", "1")
    app = draw("ratings")
    assert "This server is read-only" in said_of(app) and "Chosen" in said_of(app)
    assert [b.disabled for b in app.button if b.label == "New session"] == [True]
    app = draw("ratings", session=rating_world.rated.id)
    acts = [b for b in app.button if b.label in ("Pause", "Close it", "Use as a template")]
    assert len(acts) == 3 and all(b.disabled for b in acts)
    assert "Make the session" not in [b.label for b in draw("ratings", new="yes").button]
    assert "answers of" in said_of(draw("rating_analysis", session=rating_world.rated.id))
