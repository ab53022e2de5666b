"""Human rating sessions: make one from a TOML file, open, pause and close it, analyse it."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vlmexplain.cli.output import out_file, print_json, print_table

if TYPE_CHECKING:
    from vlmexplain.ratings.organiser.sessions import Session
    from vlmexplain.ratings.plan.rows import RatingData

NAME = "rating"
HELP = "human rating sessions: create, open, pause, close, analyse, export"

MOVES = {"open": "open", "pause": "paused", "close": "closed"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: one sub-command an action."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(name: str, act: Any, text: str, session: bool = True) -> argparse.ArgumentParser:
        added = actions.add_parser(name, help=text, description=text, allow_abbrev=False)
        added.set_defaults(act=act)
        added.add_argument("--json", action="store_true", help="one JSON document on stdout")
        if session:
            added.add_argument("session", metavar="SESSION", help="its id, or the start of it")
        return added

    create = action("create", create_one, "make a draft from a TOML file", session=False)
    create.add_argument("spec", type=Path, metavar="SPEC.toml")
    action("list", list_all, "every session", session=False)
    action("show", show_one, "one session with its code, counts and history")
    for name in MOVES:
        action(name, move_one, f"{name} a session")
    action("reveal", reveal_one, "let raters see the results")
    action("hide", reveal_one, "let raters no longer see the results")
    analysis = action("analyse", analyse_one, "figures of a session or of an export", session=False)
    analysis.add_argument("source", metavar="SESSION", help="a session, or an exported file")
    analysis.add_argument("--seed", type=int, default=0, help="of the intervals (default 0)")
    analysis.add_argument(
        "--resamples", type=int, default=500, metavar="N", help="of the intervals (default 500)"
    )
    analysis.add_argument(
        "--metric", action="append", metavar="KEY", help="set only these against the ratings"
    )
    export = action("export", export_one, "long-format rows as .csv, .jsonl or .parquet")
    export.add_argument("--out", type=Path, required=True, metavar="FILE")
    export.add_argument("--history", action="store_true", help="with answers that were edited away")
    export.add_argument("--anonymous", action="store_true", help="without the raters' names")
    export.add_argument(
        "--for-spreadsheet", action="store_true", help="CSV: disarm texts that look like formulas"
    )
    imported = action("import", import_one, "keep an export as a closed session", session=False)
    imported.add_argument("file", type=Path, metavar="FILE")
    copy = action("backup", backup_store, "copy the SQLite store while in use", session=False)
    copy.add_argument("file", type=Path, metavar="FILE")


def execute(args: argparse.Namespace) -> int:
    """Do what the sub-command says."""
    args.act(args)
    return 0


def create_one(args: argparse.Namespace) -> None:
    """Make a draft."""
    from vlmexplain.ratings.organiser.sessions import create_session
    from vlmexplain.ratings.plan.spec_toml import read_plan
    from vlmexplain.run_items import planned_session

    questions, items = planned_session(read_plan(args.spec), args.spec.parent)
    session = create_session(_store(), questions, items)
    _print_session(args, session, f"Open it with: vlmexplain rating open {session.id}")


def list_all(args: argparse.Namespace) -> None:
    """One line a session."""
    from vlmexplain.ratings.organiser.sessions import list_sessions

    sessions = list_sessions(_store())
    if args.json:
        print_json([_document(session) for session in sessions])
        return
    print_table(
        ["id", "state", "items", "raters", "answers", "name"],
        [
            [
                session.id,
                session.state,
                str(session.n_items),
                str(session.n_raters),
                str(session.n_answers),
                _one_line(session.spec.name),
            ]
            for session in sessions
        ],
    )


def show_one(args: argparse.Namespace) -> None:
    """One session, with what was done to it."""
    from vlmexplain.ratings.exchange.export_columns import time_text
    from vlmexplain.ratings.organiser.sessions import events_of, find_session

    store = _store()
    session = find_session(store, args.session)
    events = events_of(store, session.id)
    if args.json:
        print_json(_document(session) | {"events": [dataclasses.asdict(one) for one in events]})
        return
    _print_session(args, session)
    for event in events:
        print(f"{time_text(event.at)[:19]}Z  {event.what}")


def move_one(args: argparse.Namespace) -> None:
    """Open, pause or close."""
    from vlmexplain.ratings.organiser.sessions import change_state, find_session

    store = _store()
    session = find_session(store, args.session)
    wanted: Any = MOVES[args.action]
    _print_session(args, change_state(store, session.id, wanted))


def reveal_one(args: argparse.Namespace) -> None:
    """Reveal or hide the results."""
    from vlmexplain.ratings.organiser.sessions import find_session, set_revealed

    store = _store()
    session = find_session(store, args.session)
    _print_session(args, set_revealed(store, session.id, args.action == "reveal"))


def analyse_one(args: argparse.Namespace) -> None:
    """All figures of a session or an export."""
    from vlmexplain.ratings.analysis.analyse import analyse
    from vlmexplain.ratings.analysis.text import analysis_text

    data = _data(args.source)
    found = analyse(data, args.seed, args.resamples, args.metric)
    if args.json:
        print_json(dataclasses.asdict(found))
    else:
        print(analysis_text(found))


def export_one(args: argparse.Namespace) -> None:
    """Write an export."""
    from vlmexplain.ratings.exchange.export_files import format_of, write_export
    from vlmexplain.ratings.exchange.export_rows import session_data
    from vlmexplain.ratings.organiser.sessions import find_session

    out = out_file(args.out)
    format_of(out)
    store = _store()
    session = find_session(store, args.session)
    data = session_data(store, session.id, args.history, args.anonymous)
    write_export(data, out, args.for_spreadsheet)
    _print_done(args, {"file": str(out), "rows": len(data.rows)})


def import_one(args: argparse.Namespace) -> None:
    """Keep an export as a closed session."""
    from vlmexplain.ratings.exchange.import_files import read_export
    from vlmexplain.ratings.exchange.importing import import_data

    _print_session(args, import_data(_store(), read_export(args.file)))


def backup_store(args: argparse.Namespace) -> None:
    """Copy the store."""
    from vlmexplain.ratings.store.backup import backup

    _print_done(args, {"file": str(backup(_store(), out_file(args.file)))})


def _store() -> Any:
    from vlmexplain.ratings.store.store import open_store

    return open_store()


def _data(source: str) -> RatingData:
    from vlmexplain.ratings.exchange.export_rows import session_data
    from vlmexplain.ratings.exchange.import_files import read_export
    from vlmexplain.ratings.organiser.sessions import find_session

    if Path(source).suffix:
        return read_export(Path(source))
    store = _store()
    return session_data(store, find_session(store, source).id)


def _document(session: Session) -> dict[str, Any]:
    return dataclasses.asdict(session)


def _print_session(args: argparse.Namespace, session: Session, hint: str = "") -> None:
    if args.json:
        print_json(_document(session))
        return
    print(f"{session.id}  {_one_line(session.spec.name)}: {session.state}")
    print(f"code for raters: {session.code}")
    print(
        f"{session.n_items} items, {session.n_raters} raters, {session.n_answers} answers"
        f"{', results revealed' if session.revealed else ''}"
    )
    if hint:
        print(hint)


def _print_done(args: argparse.Namespace, done: dict[str, Any]) -> None:
    if args.json:
        print_json(done)
    else:
        print(", ".join(f"{key}: {value}" for key, value in done.items()))


def _one_line(text: str) -> str:
    """A text without line breaks and control signs, fit for a terminal."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
