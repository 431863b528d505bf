"""The figures that the docs state, measured again: `python -m tests.figures [FOLDER] [--quick]`.

A figure is a sentence of a document, found by a pattern whose groups are its numbers, and a function that measures
them. What the document says and what is measured are compared as they are printed. FOLDER holds characters as their
artists rigged them; without it, what needs them is left out and named. Times are not here: `make bench` prints them.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from core import pipeline  # noqa: E402 - the project is not installed
from core.skeleton.preset import load_template  # noqa: E402
from core.skeleton.reduce import reduce_template  # noqa: E402
from core.skeleton.template import rig_from_joints  # noqa: E402
from core.skinning import heat  # noqa: E402
from tests.benchmarks import wang_study  # noqa: E402
from tests.characters import person  # noqa: E402

N = r"([0-9][0-9 ]*(?:\.[0-9]+)?)"


@dataclass(frozen=True)
class Figure:
    """doc : file;  said : pattern, its groups the numbers;  measured : gives them as printed;  needs : a folder"""

    doc: str
    said: str
    measured: Callable[[str], tuple[str, ...]]
    is_quick: bool = False
    needs_folder: bool = False

    def printed(self) -> tuple[str, ...]:
        """The numbers in the document.  Raises LookupError if the sentence is not there, once."""
        text = " ".join((ROOT / self.doc).read_text(encoding="utf-8").split())
        found = re.findall(self.said, text)
        if len(found) != 1:
            raise LookupError(f"{self.doc} has {len(found)} times: {self.said}")
        return found[0] if isinstance(found[0], tuple) else (found[0],)


def network(_: str) -> tuple[str, ...]:
    """Millions of numbers of the network."""
    with np.load(ROOT / "presets/landmarks/network.npz") as held:
        return (f"{sum(held[k].size for k in held) / 1e6:.1f}",)


def dolls(_: str) -> tuple[str, ...]:
    """Dolls whose hair hangs beside their hands: how many, right, and right without the rule for hair."""
    rng, reduced = np.random.default_rng(0), reduce_template(load_template("biped"))
    some = [wang_study.random_doll(rng, 4000) for _ in range(12)]
    right = [sum(not wang_study.study(doll, name, 1, reduced).wrong for doll in some)
             for name in ("Geppetto", "no neck rule")]
    return tuple(str(n) for n in (len(some), *right))


def clusters(_: str) -> tuple[str, ...]:
    """Vertices, then mean and 99th percentile of L1 between the solution on clusters and on all vertices."""
    somebody, template = person(vertices=33_000), load_template("biped")
    rig = rig_from_joints(template, np.array([somebody.joints[n] for n in template.names]))
    shape, most = pipeline.prepare(somebody.mesh), heat.MOST_VERTICES
    light = pipeline.bind(somebody.mesh, rig, "heat", shape=shape).matrix
    try:
        heat.MOST_VERTICES = sys.maxsize
        full = pipeline.bind(somebody.mesh, rig, "heat", shape=shape).matrix
    finally:
        heat.MOST_VERTICES = most
    apart = np.asarray(abs(light - full).sum(1)).ravel()
    return (f"{len(apart):,}".replace(",", " "), f"{apart.mean():.3f}", f"{np.quantile(apart, 0.99):.2f}")


def study(_: str) -> tuple[str, ...]:
    """Of the study's characters: how many there are, and how many the search gets as published, with [W12], ours."""
    told = _run("tests.benchmarks.wang_study", "--random", "0", "--runs", "1")
    row = re.search(r"^right +(.*)$", told, re.MULTILINE)
    counts = re.findall(r"(\d+) of (\d+)", row[1] if row else "")
    return counts[0][1], counts[0][0], counts[2][0], counts[3][0]


def hands(source: str) -> Callable[[str], tuple[str, ...]]:
    """Of a source: hands, fingers found in percent, error."""
    def measured(folder: str) -> tuple[str, ...]:
        told = _run("tests.benchmarks.hands", folder)
        row = re.search(rf"^{source} +(\d+) +([\d.]+)% +[\d.]+% +([\d.]+)% +([\d.]+)", told, re.MULTILINE)
        if row is None:
            raise LookupError(told)
        return row[1], f"{float(row[2]):g}", f"{float(row[3]):g}", row[4]
    return measured


def motions(_: str) -> tuple[str, ...]:
    """Lines of the bench of motions, those beyond a limit, and how deep skin sinks, percent of the leg."""
    told = _run("tests.benchmarks.bench_motion", may_fail=True)
    row = re.search(r"^worst +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+)", told, re.MULTILINE)
    lines = re.search(r"^(\d+) lines, (\d+) beyond", told, re.MULTILINE)
    if row is None or lines is None:
        raise LookupError(told)
    return lines[1], lines[2], f"{float(row[1]):.1f}"


def conventions(_: str) -> tuple[str, ...]:
    """Transfers from files of twenty conventions, and how many keep all numbers."""
    told = re.search(r"^(\d+) transfers, (\d+) within all numbers, 0 outside without a warning",
                     _run("tests.benchmarks.transfer"), re.MULTILINE)
    return (told[1], told[2]) if told else ("", "")


QUALITY, LIMITS = "docs/quality.md", "docs/limits.md"
FIGURES = (
    Figure("docs/method.md", f"A network of {N} million numbers", network, is_quick=True),
    Figure(QUALITY, f"Of {N} generated dolls with such hair the search puts every hand, foot and head in the right "
           f"limb in {N}, without the rule in {N}[.]", dolls, is_quick=True),
    Figure(LIMITS, f"of a generated person with {N} vertices they differ from the full solution by {N} [(]L1, the "
           f"mean; 99 % of the vertices by less than {N}[)]", clusters, is_quick=True),
    Figure(QUALITY, f"Of the study's {N} characters the published search gets {N}, with .W12.'s steps {N}, "
           f"Geppetto {N}[.]", study),
    Figure(QUALITY, f"every motion on generated characters [(]{N} lines, {N} beyond a limit[)].* "
           f"their skin sinks at most {N} % of the leg",
           motions),
    Figure(QUALITY, f"[|] twenty conventions [|] {N} [|] {N} [|]", conventions),
    Figure(QUALITY, f"[|] MakeHuman [|] {N} [|] {N} % [|] {N} % [|] {N} [|]", hands("makehuman"), needs_folder=True),
    Figure(QUALITY, f"[|] Quaternius, men [|] {N} [|] {N} % [|] {N} % [|] {N} [|]", hands("quaternius_men"),
           needs_folder=True),
)


@cache
def _run(module: str, *arguments: str, may_fail: bool = False) -> str:
    """What a program of ours prints.  may_fail : its exit status may say that a limit is passed"""
    done = subprocess.run([sys.executable, "-m", module, *arguments], cwd=ROOT, capture_output=True, text=True,
                          check=not may_fail)
    return done.stdout


def main(arguments=None) -> int:
    """Measure, compare, tell.  Returns 1 if a document says something else."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default="")
    parser.add_argument("--quick", action="store_true", help="only what takes less than a minute")
    choice = parser.parse_args(arguments)
    wrong = 0
    for figure in FIGURES:
        if choice.quick and not figure.is_quick:
            continue
        title = textwrap.shorten(figure.said.replace(N, "#").replace("\\", ""), 90)
        if figure.needs_folder and not choice.folder:
            print(f"left out, needs a folder of characters: {figure.doc}: {title}")
            continue
        printed, measured = figure.printed(), figure.measured(choice.folder)
        wrong += printed != measured
        print(f"{'ok   ' if printed == measured else 'WRONG'} {figure.doc}: {title}\n      says {printed}"
              + (f", measured {measured}" if printed != measured else ""), flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
