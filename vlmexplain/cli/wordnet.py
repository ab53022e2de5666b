"""Set WordNet 3.0 up under VLMEXPLAIN_HOME (done once; other commands do it on first use)."""

from __future__ import annotations

import argparse

from vlmexplain.storage import home

NAME = "wordnet"
HELP = "set WordNet 3.0 up"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: none."""


def execute(args: argparse.Namespace) -> int:
    """Set up and say where."""
    from vlmexplain.concepts.wordnet import load_wordnet

    load_wordnet()
    print(f"WordNet 3.0 is ready in {home() / 'wordnet'}")
    return 0
