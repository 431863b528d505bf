"""The same characters again and again: is every result the same to the bit, and does memory stay flat?

    python tests/benchmarks/endurance.py FOLDER [--times 20] [--jobs 2] [--out DIR] [--format glb] [--no-picture]

FOLDER holds characters, at any depth. Each round rigs all of them into a folder of its own, by the program and its
processes as people start them, each process doing many files. Compared are the .glb files and pictures to the bit (a
.blend holds memory addresses), and of the report everything but times and memory. Memory is what the processes took at
most for a file, by the file's turn in the run: its slope and the largest characters' first and last are printed. Ends
with status 1 if results differ or memory grows by more than 1 MiB a file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

PROGRAM = Path(__file__).resolve().parents[2] / "addon" / "batch.py"
UNLIKE = {"seconds", "cpu", "memory", "file", "name", "written"}  # of an entry, from round to round
GROWTH = 1.0  # MiB a file, the most that counts as flat


def main(arguments: list[str]) -> int:
    """Run the rounds and say what was found.  Returns the exit status."""
    parser = argparse.ArgumentParser(description="Rig the same characters again and again.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, help="keep the results there")
    parser.add_argument("--preset", default="auto")
    parser.add_argument("--no-picture", dest="picture", action="store_false")
    options = parser.parse_args(arguments)
    out = options.out or Path(tempfile.mkdtemp(prefix="geppetto-endurance-"))
    seen: dict[str, set] = {}
    memory: dict[str, list[float]] = {}
    since = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="geppetto-rounds-") as folder:
        first = Path(folder) / "000"
        shutil.copytree(options.folder, first)
        for number in range(1, options.times):  # one run over all rounds, so that processes grow old
            shutil.copytree(first, Path(folder) / f"{number:03}", copy_function=os.link)
        entries = run(Path(folder), out, options)
    spent = time.monotonic() - since
    for entry in entries:
        character = Path(entry["file"]).relative_to(folder).as_posix().partition("/")[2]
        seen.setdefault(character, set()).add(fingerprint(entry, out))
        memory.setdefault(character, []).append(entry.get("memory", 0.0))
    status = tell(seen, memory, len(entries), spent)
    if not options.out:
        shutil.rmtree(out)
    return status


def run(folder: Path, out: Path, options) -> list[dict]:
    """Rig all rounds.  Returns the report's entries, round by round."""
    command = [sys.executable, str(PROGRAM), str(folder), "--out", str(out), "--preset", options.preset, "--format",
               "glb", "--jobs", str(options.jobs), "--recycle", "0", "--quiet"]
    subprocess.run([*command, *([] if options.picture else ["--no-picture"])], check=False)
    return json.loads((out / "report.json").read_text(encoding="utf-8"))["files"]


def fingerprint(entry: dict, out: Path) -> str:
    """A name for everything about a result that must not change."""
    whole = hashlib.sha256()
    for name in entry.get("written", ()):
        whole.update((out / name).read_bytes())
    same = {key: value for key, value in entry.items() if key not in UNLIKE}
    if "error" in same:
        same["error"] = same["error"].replace(entry["file"], "")
    whole.update(json.dumps(same, sort_keys=True).encode())
    return whole.hexdigest()


def tell(seen: dict[str, set], memory: dict[str, list[float]], count: int, spent: float) -> int:
    """Print what was found.  Returns the exit status."""
    unlike = [character for character, prints in seen.items() if len(prints) > 1]
    print(f"{count} results of {len(seen)} characters in {spent:.0f} s: {60 * count / spent:.1f} a minute")
    print(f"not the same every time: {', '.join(unlike) or 'none'}")
    rounds = np.array([taken for taken in memory.values() if len(taken) == max(map(len, memory.values()))])
    means = rounds.mean(0) * 1024
    settled = means[1:] if len(means) > 2 else means  # the first round fills caches
    slope = np.polyfit(np.arange(len(settled)), settled, 1)[0] / len(seen) if len(settled) > 1 else 0.0
    print("mean memory by round, MiB:", " ".join(f"{mean:.0f}" for mean in means))
    print(f"largest: {rounds.max() * 1024:.0f} MiB; growth {slope:+.3f} MiB a file")
    return int(bool(unlike) or slope > GROWTH)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
