"""Results that are kept: a text file for each case, a line for each function, read by people and compared by a test."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.core.reference.bodies import CASES as BODIES
from tests.core.reference.motions import CASES as MOTIONS
from tests.core.reference.record import COLUMNS, Recording
from tests.core.reference.small import CASES as SMALL

FOLDER = Path(__file__).parent / "kept"
CASES = SMALL | BODIES | MOTIONS
DIGITS = 10
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


def recorded(case: str, shake: float = 0.0, seed: int = 0) -> Sums:
    """{function: its sums} of a case.  shake : how far places are moved, of their extent, the same way on both sides"""
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

    with np.errstate(divide="raise", over="raise", invalid="raise"), Recording() as recording:
        CASES[case](shaken)
    return {name: [float(x) for x in line.sums] for name, line in recording.lines.items() if line.sums[0]}


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


def read(case: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """What is kept of a case, as `with_room` gives it; what is not compared is NaN, with infinite room."""
    out = {}
    for row in (FOLDER / f"{case}.txt").read_text(encoding="utf-8").splitlines()[1:]:
        name, *cells = row.split("  ")
        pairs = [("nan", "inf") if cell == "-" else (*cell.split("±"), "0")[:2] for cell in cells]
        out[name] = np.array([float(n) for n, _ in pairs]), np.array([float(r) for _, r in pairs])
    return out


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
