"""Draw faults at random, run the tests that reach them, and print those that no test notices.

    python -m tests.mutation [--count 300] [--seed 0] [--jobs 2] [--most 120] [--only core/fitting]

The tests are run file by file. Which lines each file reaches is measured once by coverage and kept in .build/mutation
until the sources change. A fault is tried by the files that reach its line, those named after its module first, then
the quickest, until one fails or --most seconds of tests have passed. The exit status is 1 if fewer than NOTICED of the
faults are noticed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from .mutants import Mutant, mutants_of

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".build" / "mutation"
CODE = ("core", "addon/batching", "addon/bridge")
LEFT_OUT = ("tests/gui", "tests/cluster", "tests/faults", "tests/fuzz", "tests/learning", "tests/mutation")
NOTICED = 0.92
ONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1") | {"PYTHONDONTWRITEBYTECODE": "1"}


def sources() -> list[Path]:
    """The files that get faults, from the root."""
    return sorted(p.relative_to(ROOT) for folder in CODE for p in (ROOT / folder).rglob("*.py"))


def test_files() -> list[str]:
    """All test files that take part, from the root."""
    found = (p.relative_to(ROOT).as_posix() for p in (ROOT / "tests").rglob("test_*.py"))
    return sorted(name for name in found if not name.startswith(LEFT_OUT))


def state() -> str:
    """A name for sources and tests as they are."""
    whole = hashlib.sha256()
    for path in (*sources(), *map(Path, test_files())):
        whole.update(str(path).encode() + (ROOT / path).read_bytes())
    return whole.hexdigest()[:16]


def run_tests(folder: Path, name: str, seconds: float | None, *before: str) -> bool:
    """Whether the tests of a file pass in a copy of the repository."""
    command = [sys.executable, *before, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", name]
    try:
        return subprocess.run(command, cwd=folder, env=os.environ | ONE, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=seconds, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def measure(copies: SimpleQueue, jobs: int) -> dict[str, dict]:
    """{test file: seconds it takes, lines of each source that it reaches}; those that fail are left out and told."""
    kept = KEPT / f"reach-{state()}.json"
    if kept.exists():
        return json.loads(kept.read_text())

    def one(name: str) -> tuple[str, dict | None]:
        folder, begun = copies.get(), time.monotonic()
        try:
            data = folder / ".coverage"
            own = ("-m", "coverage", "run", f"--data-file={data}", f"--include={','.join(f'{c}/*' for c in CODE)}")
            passed = run_tests(folder, name, None, *own)
            seconds = time.monotonic() - begun
            told = Path(f"{data}.json")
            subprocess.run([sys.executable, "-m", "coverage", "json", "-q", f"--data-file={data}", "-o", str(told)],
                           cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            lines = {path: file["executed_lines"] for path, file in
                     json.loads(told.read_text())["files"].items()} if told.exists() else {}
            told.unlink(missing_ok=True)
            return name, {"seconds": seconds, "lines": lines} if passed else None
        finally:
            copies.put(folder)

    with ThreadPoolExecutor(jobs) as pool:
        found = dict(pool.map(one, test_files()))
    for name in (n for n, got in found.items() if got is None):
        print(f"{name} fails as it is and is left out")
    kept.write_text(json.dumps({n: got for n, got in found.items() if got}))
    return {n: got for n, got in found.items() if got}


def draw(reach: dict[str, dict], count: int, seed: int, only: str) -> list[Mutant]:
    """Faults in lines that some test reaches, at random."""
    every = []
    for path in sources():
        lines = {line for got in reach.values() for line in got["lines"].get(path.as_posix(), ())}
        if path.as_posix().startswith(only):
            every += mutants_of(ROOT / path, lines)
    return random.Random(seed).sample(every, min(count, len(every)))


def is_noticed(mutant: Mutant, folder: Path, reach: dict[str, dict], most: float) -> bool:
    """Whether a test fails on a fault."""
    path = mutant.path.relative_to(ROOT)
    near = [name for name, got in reach.items() if mutant.line in got["lines"].get(path.as_posix(), ())]
    near.sort(key=lambda n: (f"test_{path.stem}" not in n, reach[n]["seconds"]))
    place, spent = folder / path, 0.0
    kept = place.read_bytes()
    place.write_text(mutant.text, encoding="utf-8")
    try:
        for name in near:
            if not run_tests(folder, name, 30 + 5 * reach[name]["seconds"]):
                return True
            spent += reach[name]["seconds"]
            if spent > most:
                break
        return False
    finally:
        place.write_bytes(kept)


def main() -> int:
    """The command line."""
    ap = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--count", type=int, default=300)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    ap.add_argument("--most", type=float, default=120.0)
    ap.add_argument("--only", default="")
    a = ap.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    copies: SimpleQueue = SimpleQueue()
    for number in range(a.jobs):
        folder = KEPT / f"copy-{number}"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".*", "__pycache__", "out", "dist"))
        copies.put(folder)
    reach = measure(copies, a.jobs)
    mutants, unnoticed = draw(reach, a.count, a.seed, a.only), []

    def one(mutant: Mutant) -> None:
        folder = copies.get()
        try:
            if not is_noticed(mutant, folder, reach, a.most):
                unnoticed.append(mutant)
                print(f"{mutant.path.relative_to(ROOT)}:{mutant.line}: {' '.join(mutant.what.split())}", flush=True)
        finally:
            copies.put(folder)

    with ThreadPoolExecutor(a.jobs) as pool:
        list(pool.map(one, mutants))
    share = 1 - len(unnoticed) / max(len(mutants), 1)
    print(f"{len(mutants) - len(unnoticed)} of {len(mutants)} faults noticed, {100 * share:.0f} %")
    return int(share < NOTICED)


if __name__ == "__main__":
    sys.exit(main())
