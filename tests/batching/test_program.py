"""The program that watches is not the one that opens files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_program_does_not_load_blender():
    program = ("from tests.conftest import load_as_package\n"
               "from geppetto.addon import batch\n"
               "import sys\n"
               "assert batch.main(['nothing.glb', '--preset', 'kraken']) == 2\n"
               "assert not {'bpy', 'mathutils', 'distributed'} & set(sys.modules), sorted(sys.modules)\n")
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True)
    assert "'kraken'" in done.stderr
