"""Serve the app; the first time, WordNet and the drawn demo world are set up (no network)."""

from __future__ import annotations

import argparse
import os
import socket
import sys

from vlmexplain.cli.output import terminal_progress
from vlmexplain.errors import StoreError, VlmexplainError

NAME = "serve"
HELP = "serve the app on this machine"
ADDRESS, PORT = "127.0.0.1", 8501


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "--port",
        type=_port,
        default=os.environ.get("PORT") or str(PORT),  # a text is checked as one typed is
        metavar="N",
        help=f"the app's port (default: PORT, else {PORT})",
    )
    parser.add_argument(
        "--address",
        default=os.environ.get("ADDRESS") or ADDRESS,
        metavar="A",
        help=f"the address to listen on (default: ADDRESS, else {ADDRESS}: this machine only)",
    )


def execute(args: argparse.Namespace) -> int:
    """Set up, then become the server: signals reach it as they reach any program."""
    from vlmexplain.places import shipped

    require_free(args.address, args.port)
    set_up()
    sys.stdout.flush()
    command = server_command(str(shipped("app.py")), args.address, args.port)
    os.execv(sys.executable, command)  # noqa: S606


def server_command(app: str, address: str, port: int) -> list[str]:
    """What is run; the other settings are in the ``.streamlit`` folder beside the app.

    >>> server_command("app.py", "127.0.0.1", 8501)[3:]
    ['run', 'app.py', '--server.address=127.0.0.1', '--server.port=8501']
    """
    place = [f"--server.address={address}", f"--server.port={port}"]
    return [sys.executable, "-m", "streamlit", "run", app, *place]


def require_free(address: str, port: int) -> None:
    """Make sure that the app can listen there.

    Raises:
        StoreError: something else does, or it is no address of this machine.
    """
    where = f"{address}:{port}"
    try:
        found = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)
        with socket.socket(found[0][0]) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(found[0][4])
    except OSError as error:
        raise StoreError(
            f"cannot listen there ({error.strerror}).",
            where=where,
            remedy="Choose another with --port and --address.",
        ) from error


def set_up() -> None:
    """WordNet and the demo; what fails is said, and the app starts without it."""
    from vlmexplain.concepts.wordnet import load_wordnet
    from vlmexplain.demo_setup import is_set_up, set_up_demo

    try:
        load_wordnet()
        if not is_set_up():
            print("Setting the drawn demo world up (once) ...", file=sys.stderr)
        set_up_demo(terminal_progress())
    except VlmexplainError as error:
        print(f"vlmexplain: {' '.join(str(error).split())}", file=sys.stderr)
        print("The demo world could not be set up; the app starts without it.", file=sys.stderr)


def _port(text: str) -> int:
    port = int(text)
    if not 0 < port < 65536:
        raise argparse.ArgumentTypeError(f"{text} is no port; expected 1 to 65535")
    return port
