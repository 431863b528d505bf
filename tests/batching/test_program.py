"""The program that watches is not the one that opens files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from geppetto.addon import batch

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
def test_names_of_options_are_known_without_loading_what_finds_bodies():
    program = ("import sys; from tests.conftest import load_as_package; before = set(sys.modules)\n"
               "from geppetto.addon import batch\n"
               "assert batch.parse(['a.glb'])[0].preset == 'auto'\n"
               "print(*(set(sys.modules) - before))\n")
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True)
    loaded = done.stdout.split()
    assert "geppetto.addon.batching.options" in loaded
    assert not {"scipy.spatial", "scipy.optimize", "scipy.ndimage", "geppetto.core.skinning.bind"} & set(loaded)


@pytest.mark.long
def test_the_program_does_not_load_blender():
    program = ("from tests.conftest import load_as_package\n"
               "from geppetto.addon import batch\n"
               "import sys\n"
               "assert batch.main(['nothing.glb', '--preset', 'kraken']) == 2\n"
               "assert not {'bpy', 'mathutils', 'distributed'} & set(sys.modules), sorted(sys.modules)\n")
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True)
    assert "'kraken'" in done.stderr


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no such signal here")
@pytest.mark.parametrize("before", [signal.SIG_DFL, signal.SIG_IGN])
def test_the_end_of_the_terminal_ends_a_run_unless_nohup_has_started_it(before):
    ours = signal.signal(signal.SIGHUP, before)
    interrupted = False
    try:
        with batch.interruptible():
            os.kill(os.getpid(), signal.SIGHUP)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        restored = signal.signal(signal.SIGHUP, ours)
    assert interrupted == (before == signal.SIG_DFL) and restored == before
