"""Characters as files, and what a run that nobody disturbs makes of them."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from tests.characters import person

from .runs import QUICK, run, write_obj


@pytest.fixture(scope="session")
def crowd(tmp_path_factory) -> Path:
    """A folder of three people."""
    folder = tmp_path_factory.mktemp("crowd")
    for number in range(3):
        write_obj(folder / f"person{number}.obj", person(np.random.default_rng(number), vertices=700).mesh)
    return folder


@pytest.fixture(scope="session")
def whole(crowd, tmp_path_factory) -> Path:
    """Their results."""
    out = tmp_path_factory.mktemp("whole")
    done = run(crowd, "--out", out, *QUICK)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


@pytest.fixture(scope="session")
def length(crowd, whole, tmp_path_factory) -> float:
    """Seconds such a run takes on this machine, now that disks and caches are warm."""
    since = time.monotonic()
    run(crowd, "--out", tmp_path_factory.mktemp("timed"), *QUICK, "--jobs", 2)
    return time.monotonic() - since


@pytest.fixture(scope="session")
def kinds(crowd, tmp_path_factory) -> Path:
    """One of them in every format that can be written."""
    out = tmp_path_factory.mktemp("kinds")
    done = run(crowd / "person0.obj", "--out", out, "--no-picture", "--format", "blend,glb,fbx,usd")
    assert done.returncode == 0, done.stdout + done.stderr
    return out
