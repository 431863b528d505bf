"""Write the project's sample character as a .blend file: `python tests/blender/sample.py FILE`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import bpy

from tests.blender.scenes import add_character
from tests.characters import sample

if __name__ == "__main__":
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    add_character(sample())
    bpy.ops.wm.save_as_mainfile(filepath=str(Path(sys.argv[1]).resolve()), compress=True)
