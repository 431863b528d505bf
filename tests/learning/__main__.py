"""Learn everything that ships from rigged characters, and judge it on sources held out: hours on two cores.

    python -m tests.learning CHARACTERS TOOLS WORK [--write]

CHARACTERS holds rigged characters (presets/README.md describes the folders), TOOLS vary.py and people.py, WORK what is
made on the way: data, checkpoints, logs. What stands in WORK is taken up again, so a stopped run goes on. Only --write
changes presets/. Seeds are fixed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Sources held out together. Parametric people and MakeHuman's characters come from one source and always train.
FOLDS = {"fold1": "quaternius_fbx", "fold2": "quaternius_men,quaternius_misc,quaternius_space,quaternius_animals",
         "fold3": "kaykit,mesh2motion,misc,quaternius_dinos"}
STEPS = {"fold1": 3000, "fold2": 3000, "fold3": 2500, "whole": 4000}
PRESETS = Path(__file__).resolve().parents[2] / "presets"


def run(module: str, *arguments, log: Path | None = None) -> None:
    """One of this folder's programs on one thread, in a process of its own."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    command = [sys.executable, "-m", f"tests.learning.{module}", *map(str, arguments)]
    print(" ".join(command), flush=True)
    if log is None:
        subprocess.run(command, check=True, env=os.environ | one)
        return
    with log.open("a") as out:
        subprocess.run(command, check=True, env=os.environ | one, stdout=out, stderr=subprocess.STDOUT)


def main() -> None:
    """The command line."""
    ap = argparse.ArgumentParser(prog="python -m tests.learning", description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("characters", type=Path)
    ap.add_argument("tools", type=Path)
    ap.add_argument("work", type=Path)
    ap.add_argument("--write", action="store_true", help="write what was learned to presets/")
    a = ap.parse_args()
    a.work.mkdir(parents=True, exist_ok=True)
    data = a.work / "data"
    run("dataset", a.characters, a.tools, data)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda name: run("train", data, a.work / f"{name}.pt", "--hold", FOLDS.get(name, ""), "--steps",
                                       STEPS[name], log=a.work / f"{name}.log"), STEPS))
    folds = [a.work / f"{name}.pt" for name in FOLDS]
    if a.write:
        run("trees", data, PRESETS / "anatomy")
        run("doubt", data, PRESETS / "anatomy", *folds)
        run("export", a.work / "whole.pt", PRESETS / "landmarks" / "network.npz")
    run("judge", a.characters, data, *folds)


if __name__ == "__main__":
    main()
