"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .formats import BadFile

MARK = ".geppetto-"  # how the name of every unfinished file starts


def write_whole(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file under another name beside its place and give it its name in one step; its folder is made if it is
    missing. A link stays a link: what it leads to is written.  Raises BadFile."""
    place = Path(os.path.realpath(path))
    partial = place.with_name(f"{MARK}{os.getpid()}-{abs(hash(path.name)):x}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            file.writelines(pieces)
        os.replace(partial, place)
    except OSError as error:
        raise BadFile(f"'{path}' cannot be written: {error.strerror}.") from error
    finally:
        if partial.exists():
            partial.unlink()


def make_folder(out: Path) -> None:
    """Make the folder for results.  Raises BadFile if it cannot be made or written to."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(f"The folder '{out}' cannot be made: {error.strerror}. Choose another with --out.") from error
    if not os.access(out, os.W_OK | os.X_OK):
        raise BadFile(f"The folder '{out}' cannot be written to. Choose another with --out.")
