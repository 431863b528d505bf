"""A run killed at any moment: results are whole or absent, inputs untouched, a second run finishes the work."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time

import pytest

from .runs import QUICK, children_in, command, digest, entries, left_behind, run

KILLS = int(os.environ.get("KILLS", "10"))
ROUND = 10  # kills before a run is let finish


def kill_one(began: subprocess.Popen, folder, dice: random.Random) -> bool:
    """The program, one of its children, or all of them, without warning.  Returns whether anybody was there to kill."""
    if began.poll() is not None:
        return False
    victims = [began.pid, *children_in(folder)]
    for victim in victims if dice.random() < 0.2 else [dice.choice(victims)]:
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:  # it had just ended
            continue
    return True


def results(out) -> set[bytes]:
    """Every .glb under its own name.  What all were killed over while it was written keeps a hidden one, until the
    next run takes it away."""
    return {p.read_bytes() for p in out.rglob("*.glb") if not p.name.startswith(".geppetto-")}


@pytest.mark.parametrize("number", range(max(1, KILLS // ROUND)))
def test_kill_9_at_any_moment(number, crowd, whole, length, tmp_path):
    inputs = digest(crowd)
    right = results(whole)
    out, dice, kills = tmp_path / "out", random.Random(number), 0
    while kills < min(ROUND, KILLS):
        began = subprocess.Popen(command(crowd, "--out", out, *QUICK, "--jobs", 2, "--resume"), cwd=tmp_path,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + dice.uniform(0.0, length)
        while time.monotonic() < end and began.poll() is None:
            time.sleep(0.01)
        killed = kill_one(began, tmp_path, dice)
        kills += killed
        began.wait(120)
        end = time.monotonic() + 120
        while children_in(tmp_path) and time.monotonic() < end:  # they notice by themselves
            time.sleep(0.05)
        assert not children_in(tmp_path)
        assert results(out) <= right
        if not killed or dice.random() < 0.2:  # all done, nothing left to disturb
            shutil.rmtree(out, ignore_errors=True)
    done = run(crowd, "--out", out, *QUICK, "--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert results(out) == right and len(entries(out)) == 3
    assert left_behind(out) == [] and digest(crowd) == inputs
