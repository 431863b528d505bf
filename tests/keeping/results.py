"""Results that are kept: a text file for each case, a line for each function, read by people and compared by a test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy

from tests.keeping.record import COLUMNS, Recording

PINNED = (Path(__file__).parents[2] / "requirements.txt").read_text(encoding="utf-8").splitlines()
ARE_PINNED = f"numpy=={np.__version__}" in PINNED and f"scipy=={scipy.__version__}" in PINNED
SHAKES = ((1e-8, 1), (1e-7, 2), (1e-7, 3), (1e-7, 4))
OTHERS = ({"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "2"},
          {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX"},
          {"OPENBLAS_CORETYPE": "Sandybridge", "OPENBLAS_NUM_THREADS": "1",
           "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX2 FMA3"})
DIGITS = 10
SHOWN = 12
ROOM = 10.0  # times what results differed by when they were kept, and
LEAST = 1e-6  # of the size of a sum: less is nothing
FLIPS = 1e-5  # of whole numbers and truths: one in a hundred thousand falls to the other side of a limit somewhere
UNSTEADY = 0.01  # of a sum: what next to nothing moves by more is not compared
WORDS = {"calls": "it returned {} times, not {}", "values": "{} numbers came back, not {}",
         "whole": "whole numbers and truths sum up to {}, not {}",
         "order": "whole numbers and truths, weighted by their places, sum up to {}, not {}",
         "size": "numbers, without their signs, sum up to {}, not {}",
         "pattern": "numbers, weighted by their places, sum up to {}, not {}"}

Sums = dict[str, list[float]]
Shaken = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Results:
    """What is kept of some sources.

    module : that keeps it anew when it is run;  folder : of the text files
    cases : {name: what runs the sources}, each given a function that is put around every place it starts from, (N, 3)
    points: what came, or moved by next to nothing
    watched, apart : as of `Recording`;  before : what is done before each;  numerics : whether warnings raise
    """

    module: str
    folder: Path
    cases: Mapping[str, Callable[[Shaken], None]]
    watched: Mapping[Path, str]
    apart: tuple[str, ...] = ()
    before: Callable[[], None] = lambda: None
    numerics: str = "raise"

    def recorded(self, case: str, shake: float = 0.0, seed: int = 0) -> Sums:
        """{function: its sums} of a case.  shake : how far places are moved, of their extent, alike on both sides"""
        rng = np.random.default_rng(seed)
        waves, turns = rng.uniform(3, 9, (3, 3)), rng.uniform(0, 6, 3)

        def shaken(points: np.ndarray) -> np.ndarray:
            if not shake:
                return points
            size = max(float(np.ptp(points, axis=0).max()), 1e-9)
            beside = np.stack([np.abs(points[:, 0]), points[:, 1], points[:, 2]], 1) / size
            wave = np.sin(beside @ waves + turns)
            wave[:, 0] *= np.clip(points[:, 0] / (0.01 * size), -1, 1)
            return points + shake * size * wave

        self.before()
        how = self.numerics
        with (np.errstate(divide=how, over=how, invalid=how), Recording(self.watched, self.apart) as recording):
            self.cases[case](shaken)
        return {name: [float(x) for x in line.sums] for name, line in recording.lines.items() if line.sums[0]}

    def read(self, case: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """What is kept of a case, as `with_room` gives it; what is not compared is NaN, with infinite room."""
        out = {}
        for row in (self.folder / f"{case}.txt").read_text(encoding="utf-8").splitlines()[1:]:
            name, *cells = row.split("  ")
            pairs = [("nan", "inf") if cell == "-" else (*cell.split("±"), "0")[:2] for cell in cells]
            out[name] = np.array([float(n) for n, _ in pairs]), np.array([float(r) for _, r in pairs])
        return out

    def renew(self, arguments: list[str]) -> None:
        """The command line: write the files of the cases that are named, or of all.

        Each is run again with everything moved by next to nothing and as other processors calculate; by how much
        results differ then is how much they may be off.
        """
        if arguments[:1] == ["--print"]:
            place, shake, seed, *cases = arguments[1:]
            found = {case: self.recorded(case, float(shake), int(seed)) for case in cases}
            Path(place).write_text(json.dumps(found), encoding="utf-8")
            return
        self.folder.mkdir(exist_ok=True)
        for old in self.folder.glob("*.txt"):
            if old.stem not in self.cases:
                old.unlink()
        cases = arguments or list(self.cases)
        is_less = not np.core._multiarray_umath.__cpu_features__["AVX512F"]
        before = {case: self.read(case) for case in cases if is_less and (self.folder / f"{case}.txt").exists()}
        first, *others = [self._elsewhere(cases, 0.0, 0, {}), *(self._elsewhere(cases, *shake, {}) for shake in SHAKES),
                          *(self._elsewhere(cases, 0.0, 0, environment) for environment in OTHERS)]
        if is_less:
            print("This processor has no AVX-512: on one that has, some results may be off by more than is kept here.")
        for case in cases:
            kept = kept_if_it_holds(with_room(first[case], [other[case] for other in others]), before.get(case, {}))
            (self.folder / f"{case}.txt").write_text(written(kept), encoding="utf-8")
            print(f"{case}: {len(kept)} functions", flush=True)

    def _elsewhere(self, cases: list[str], shake: float, seed: int, environment: dict[str, str]) -> dict[str, Sums]:
        """The sums of some cases, run by a process of its own."""
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder, "sums.json")
            call = [sys.executable, "-m", self.module, "--print", str(place), str(shake), str(seed), *cases]
            subprocess.run(call, env=os.environ | environment, stdout=subprocess.DEVNULL, check=True)
            return json.loads(place.read_text(encoding="utf-8"))


def with_room(first: Sums, others: list[Sums]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """{function: its sums, how far each may be off}, infinity for what is not compared; only of functions that every
    run reached.

    first : the results;  others : those of runs that moved everything by next to nothing, or on other processors' ways
    """
    out = {}
    for name in sorted(first):
        if all(name in run for run in others):
            sums = np.array(first[name])
            off = np.max([np.abs(np.array(run[name]) - sums) for run in others], axis=0)
            size = np.maximum(np.abs(sums), [1, 1, 1, abs(sums[2]), 0, sums[4]])
            room = np.where(off > 0, ROOM * off, 0.0)
            room[4:] = np.maximum(room[4:], LEAST * sums[4] + 1e-12)
            room[2:4] = np.maximum(room[2:4], np.floor(FLIPS * sums[1]) * max(sums[2] / max(sums[1], 1), 1.0))
            room[3] = max(room[3], 1e-9 * abs(sums[3]))  # sums of cosines
            room[off > UNSTEADY * size] = np.inf
            out[name] = sums, room
    return out


def kept_if_it_holds(kept: dict[str, tuple[np.ndarray, np.ndarray]],
                     before: dict[str, tuple[np.ndarray, np.ndarray]]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """What is kept anew by a processor that cannot calculate as the one before could: what still holds stays as it was,
    and what has changed may be off by as much as before, of its size.

    kept, before : as `with_room` gives them
    """
    out = {}
    for name, (sums, room) in kept.items():
        if name not in before:
            out[name] = sums, room
            continue
        old, was = before[name]
        holds = ~(np.abs(sums - old) > was + 10.0**(1 - DIGITS) * np.abs(old))  # what was not compared holds
        size, old_size = (np.maximum(np.abs(x), [1, 1, 1, abs(x[2]), 0, x[4]]) for x in (sums, old))
        share = np.where(np.isfinite(was) & (old_size > 0), was, 0.0) / np.where(old_size > 0, old_size, 1.0)
        out[name] = np.where(holds, old, sums), np.where(holds, was, np.maximum(room, share * size))
    return out


def written(kept: dict[str, tuple[np.ndarray, np.ndarray]]) -> str:
    """The text of a case's file."""
    rows = ["# function  " + "  ".join(COLUMNS) + ", each with what it may be off by; made by `make references`"]
    for name, (sums, room) in kept.items():
        rows.append("  ".join([name, *(_one(x, r) for x, r in zip(sums, room, strict=True))]))
    return "\n".join(rows) + "\n"


def _one(number: float, room: float) -> str:
    if not np.isfinite(room):
        return "-"
    return f"{number:.{DIGITS}g}" + (f"±{room:.1e}" if room > 1e-9 * abs(number) else "")


def differences(found: Sums, kept: dict[str, tuple[np.ndarray, np.ndarray]]) -> list[str]:
    """What has changed, in words, a line for each function, in the order in which the functions first returned."""
    out = []
    for name in [*(n for n in found if n in kept), *(n for n in kept if n not in found)]:
        if name not in found:
            out.append(f"{name}: is no longer reached")
            continue
        sums, room = kept[name]
        off = np.abs(np.array(found[name]) - sums)
        worst = np.flatnonzero(off > room + 10.0**(1 - DIGITS) * np.abs(sums))
        if len(worst):
            k = int(worst[0])
            out.append(f"{name}: " + WORDS[COLUMNS[k]].format(f"{found[name][k]:.{DIGITS}g}", f"{sums[k]:.{DIGITS}g}")
                       + (f" ± {room[k]:.1e}" if room[k] else ""))
    return out


def told(found: list[str]) -> str:
    """What a test that fails says of differences."""
    return "\n".join([f"{len(found)} functions give back something else, the first of them:", *found[:SHOWN],
                      "If that was meant, renew what is kept: make references"])
