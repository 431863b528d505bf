"""Draw faults at random, run the tests that reach them, and print those that no test notices.

    python -m tests.mutation [--count 300] [--seed 0] [--jobs 2] [--most 60] [--only core/fitting addon/characters]
                             [--tests tests/core]

Which lines each quick or long test and each kept result reaches is measured by coverage and kept in .build/mutation;
only what has changed is measured again. A fault is tried by the tests that reach its line, those of the file named
after its module first, then the results that are kept, then those beside it, then the quickest, and then by the other
tests of these files, until one fails or, beside the kept results, --most seconds of tests have passed. The exit status
is 1 if fewer than NOTICED of the faults are noticed.
"""

from __future__ import annotations

import argparse
import importlib.util
import multiprocessing
import os
import random
import shutil
import sys
from pathlib import Path

from .mutants import Mutant, mutants_of
from .reach import CODE, ROOT, Reach, is_kept, measure, nearest, passes

KEPT = ROOT / ".build" / "mutation"
LEFT_OUT = ("tests/gui", "tests/cluster", "tests/faults", "tests/fuzz", "tests/learning", "tests/mutation",
            "tests/packaging", "tests/engines", "tests/browser")
NOTICED = 0.92
USUAL = ["core", "addon/batching", "addon/bridge"]  # where NOTICED holds


def sources() -> list[str]:
    """The files that may get faults, from the root."""
    return sorted(p.relative_to(ROOT).as_posix() for folder in CODE for p in (ROOT / folder).rglob("*.py"))


def chosen(only: list[str]) -> list[str]:
    """The files that are one of some files or lie in one of some folders. Raises ValueError where there is none."""
    every, found = sources(), set()
    for one in (name.rstrip("/") for name in only):
        here = {path for path in every if f"{path}/".startswith(f"{one}/")}
        if not here:
            raise ValueError(f"{one} is no file or folder with sources of {', '.join(CODE)}")
        found |= here
    return sorted(found)


def test_files(only: list[str]) -> list[str]:
    """All test files that take part, from the root."""
    found = (p.relative_to(ROOT).as_posix() for p in (ROOT / "tests").rglob("test_*.py"))
    return sorted(name for name in found if name.startswith(tuple(only)) and not name.startswith(LEFT_OUT))


def draw(reach: dict[str, Reach], count: int, seed: int, paths: list[str]) -> list[Mutant]:
    """Faults in lines of some files that some test reaches, at random."""
    every = []
    for path in paths:
        lines: set[int] = set()
        for one in reach.values():
            reached = [got[path] for got in one.lines.values() if path in got]
            lines.update(*reached, one.loaded.get(path, ()) if reached else ())
        every += mutants_of(ROOT / path, lines)
    return random.Random(seed).sample(every, min(count, len(every)))


def is_noticed(mutant: Mutant, folder: Path, near: list[tuple[str, list[str], float]], most: float) -> bool:
    """Whether one of some tests fails on a fault."""
    place, spent = folder / mutant.path.relative_to(ROOT), 0.0
    kept = place.read_bytes()
    place.write_text(mutant.text, encoding="utf-8")
    shutil.rmtree(place.parent / "__pycache__", ignore_errors=True)
    try:
        for name, tests, seconds in near:
            if not passes(folder, name, tests, seconds):
                return True
            spent += 0.0 if is_kept(name) else seconds
            if spent > most:
                break
        return False
    finally:
        place.write_bytes(kept)


def copy() -> Path:
    """This process's own copy of the repository, which is made when it is first asked for."""
    folder = KEPT / f"copy-{os.getpid()}"
    if not folder.exists():
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".*", "__pycache__", "out", "dist"))
    return folder


def measured(name: str) -> tuple[str, Reach]:
    """What a test file reaches."""
    return name, measure(copy(), name, KEPT)


def tried(asked: tuple[Mutant, list, float]) -> tuple[Mutant, bool]:
    """A fault and whether it is noticed."""
    mutant, near, most = asked
    return mutant, is_noticed(mutant, copy(), near, most)


def main() -> int:
    """The command line."""
    ap = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--count", type=int, default=300)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    ap.add_argument("--most", type=float, default=60.0)
    ap.add_argument("--only", nargs="+", action="extend", help=f"files or folders, {' '.join(USUAL)} if none")
    ap.add_argument("--tests", nargs="*", default=["tests"])
    a = ap.parse_args()
    if importlib.util.find_spec("coverage") is None:
        ap.error("coverage is not installed: start with `make mutate`, which installs it")
    try:
        paths = chosen(a.only or USUAL)
    except ValueError as err:
        ap.error(str(err))
    KEPT.mkdir(parents=True, exist_ok=True)
    for old in KEPT.glob("copy-*"):
        shutil.rmtree(old)
    unnoticed = 0
    with multiprocessing.get_context("fork").Pool(a.jobs) as pool:
        reach = dict(pool.imap_unordered(measured, test_files(a.tests)))
        mutants = draw(reach, a.count, a.seed, paths)
        asked = [(m, nearest(reach, m.path.relative_to(ROOT).as_posix(), m.line), a.most) for m in mutants]
        for done, (mutant, noticed) in enumerate(pool.imap_unordered(tried, asked), 1):
            unnoticed += not noticed
            if not noticed:
                what = " ".join(mutant.what.split())
                print(f"{mutant.path.relative_to(ROOT)}:{mutant.line}: {what}  ({unnoticed} of {done})", flush=True)
    share = 1 - unnoticed / max(len(mutants), 1)
    print(f"{len(mutants) - unnoticed} of {len(mutants)} faults noticed, {100 * share:.0f} %")
    return int(share < NOTICED)


if __name__ == "__main__":
    sys.exit(main())
