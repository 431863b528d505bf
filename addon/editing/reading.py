"""Which of a body's readings a character shows: what the panel tells of it, and whether there is another."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..bridge.armature import read_reading
from ..characters.rigged import armature_of
from ..current import active_in
from . import joints


def reading_of(context) -> tuple[int, int, str] | None:
    """(reading, how many there are, what it takes the body for) of the joints that are shown, or else of the rig.

    None if neither is there.
    """
    what = joints.shown_in(context)
    if what is not None:
        return (what.latest.reading, what.latest.readings, what.latest.says) if what.latest is not None else None
    armature = armature_of(active_in(context))
    return read_reading(armature) if armature is not None else None


def reading_line(reading: int, count: int, says: str, joint: Callable[[str], str]) -> str:
    """The same in a line of the sidebar.  joint : what people call a joint"""
    other = re.fullmatch("with '(.+)' elsewhere", says)
    return f"{reading + 1}/{count}: {joint(other[1])} elsewhere" if other else reading_told(reading, count, says)


def reading_told(reading: int, count: int, says: str) -> str:
    """A reading in words, counted from 1 as people do."""
    return f"Reading {reading + 1} of {count}: {says}" if says else f"Reading {reading + 1} of {count}"
