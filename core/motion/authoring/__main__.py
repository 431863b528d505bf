"""Write all motions into presets/motions, or those named: `python -m core.motion.authoring [NAME ...]`."""

from __future__ import annotations

import sys

from ..clip_file import PRESETS, motion_json
from .library import MOTIONS, author

if __name__ == "__main__":
    for name in sys.argv[1:] or MOTIONS:
        (PRESETS / f"{name}.json").write_text(motion_json(author(name)), encoding="utf-8")
        print(name)
