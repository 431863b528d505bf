"""Which files there are, and where the results of each go."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ..formats import SUFFIX

LONGEST_STEM = 180  # bytes: 255 is the most a file system takes, and results add to a name


@dataclass(frozen=True)
class Job:
    """A file to rig.

    path : as it was named;  target : its results' name inside the folder for results, without a suffix
    """

    number: int
    path: str
    target: str


def jobs_of(files: Iterable[str], out: Path, formats, owner_of: Callable[[str], str] = lambda target: "") -> list[Job]:
    """Every file with a name for its results: its own, numbered where two are alike or an input would be overwritten.

    owner_of : the input whose results of that name are in the folder already, empty if there are none
    """
    files = list(files)
    inputs = {os.path.realpath(path) for path in files}
    home = os.path.realpath(out)
    taken: set[str] = set()
    jobs = []
    for path in files:
        own = fitting_stem(Path(path).stem)
        target, number = own, 1
        while (target.lower() in taken or owner_of(target) not in ("", os.path.abspath(path))
               or any(os.path.join(home, target + SUFFIX[kind]) in inputs for kind in formats)):
            number += 1
            target = f"{own}-{number}"
        taken.add(target.lower())
        jobs.append(Job(len(jobs), path, target))
    return jobs


def fitting_stem(stem: str) -> str:
    """A name short enough that suffixes can be added; long ones end in a mark of the whole."""
    raw = os.fsencode(stem)
    if len(raw) <= LONGEST_STEM:
        return stem
    return raw[:LONGEST_STEM - 9].decode(errors="ignore") + "-" + sha256(raw).hexdigest()[:8]
