"""Which motions a word of the command line stands for: one, an action of a file, all of a file, or a folder's.

Known without Blender, so that a run that makes no sense ends before it begins.
"""

from __future__ import annotations

import re
from pathlib import Path

from ...core.errors import BadMotion
from ...core.motion.choose import check_motion_name
from ..formats import MOTIONS, BadFile, split_motion

ALL = "*"


def check_motion(text: str) -> None:
    """Raise BadMotion or BadFile for a motion that no character could do: nobody knows it, or there is no such file."""
    path, action = split_motion(text)
    if Path(path).is_dir():
        if not files_in(Path(path)):
            raise BadFile(f"The folder '{path}' holds no motion. Use files of one of: {' '.join(sorted(MOTIONS))}.")
    elif not Path(path).suffix:
        check_motion_name(text)
    elif not Path(path).is_file():
        raise BadFile(f"There is no motion '{path}'. Check the name.")
    elif action and Path(path).suffix.lower() in {".bvh", ".json"} and action != ALL:
        raise BadMotion(f"'{path}' holds one motion only. Leave ':{action}' out.")


def files_in(folder: Path) -> list[Path]:
    """The motions of a folder, by name."""
    return sorted(p for p in folder.iterdir() if p.suffix.lower() in MOTIONS and p.is_file())


def labels(motions: list[str]) -> list[str]:
    """The motions' parts of the names of their pictures: all different, whatever their case, and never weights, as
    that is what the sheet of --weight-check is called."""
    given: list[str] = []
    taken = {"weights"}
    for motion in motions:
        path, action = split_motion(motion)
        own = Path(path).stem + (f"-{re.sub(r'[^-.0-9A-Za-z_]+', '_', action)}" if action else "")
        label, number = own, 1
        while label.lower() in taken:
            number += 1
            label = f"{own}-{number}"
        taken.add(label.lower())
        given.append(label)
    return given
