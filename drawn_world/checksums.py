"""Checksums of what ships in `data/`: `python -m drawn_world.checksums data` writes them."""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

__all__ = ["SUMS", "checksum_lines"]

#: The file that holds the checksums, in the form that `sha256sum --check` reads.
SUMS = "SHA256SUMS"


def checksum_lines(folder: Path) -> list[str]:
    """One line "<sha256>  <path>" a file, in path order.

    Without the README, the sums, and `demo/prepared`, which is computed from the other files.
    """
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    left_out = {folder / SUMS, folder / "README.md"}
    prepared = folder / "demo" / "prepared"
    kept = [p for p in files if p not in left_out and prepared not in p.parents]
    return [
        f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.relative_to(folder).as_posix()}"
        for p in kept
    ]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Write the checksums of a data folder.")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    (folder / SUMS).write_text("\n".join(checksum_lines(folder)) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
