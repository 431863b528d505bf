"""Creatures that lie as no such creature does: importers lay a spider on its side whose file has another axis up."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from ..arrays import argwhere
from ..geometry.axes import AXES
from ..geometry.shape import Shape
from ..seeing.proposals import rotation_to
from .creature import NEAR_GROUND, Seen, weigh_creatures
from .from_shape import seen_in
from .outline import Line
from .verdict import CLEAR_CREATURE, pairs_on_ground

# Other creatures look enough like people and animals for `detect_stance` to turn them.
MAY_LIE = ("insect", "octopus", "snake", "spider", "wyvern", "mermaid")
# Files whose Z is up come out of importers that take Y for up with -Y up.
UPS = ("-Y", "Y", "-Z", "X", "-X")


_known: WeakKeyDictionary[Shape, tuple[str, np.ndarray] | None] = WeakKeyDictionary()


def lies_as(shape: Shape) -> tuple[str, np.ndarray] | None:
    """(creature, (3, 3) rotation from how a shape stands to how it would) if a creature clearly shows in another way to
    stand along the axes; None if none does. A mirrored body keeps its mirror plane upright. Looked at once.

    What stands on two pairs of feet does not lie: a round animal on four stubs would be an octopus on its head. Nor
    does what rests on its belly with two pairs of limbs on the ground: a seal would be a mermaid.
    """
    if shape not in _known:
        _known[shape] = None if max(pairs_on_ground(shape), _pairs_at_rest(seen_in(shape))) > 1 else _look(shape)
    return _known[shape]


def _pairs_at_rest(seen: Seen) -> int:
    """How many mirror pairs of limbs end on the ground. Of eleven generated creatures on their sides that are looked
    at, octopuses, insects, a spider and a mermaid, none has more than one; ten seals and walruses have two."""
    return sum(line.side == "L" and line.twin is not None
               and max(line.points[-1, 2], line.twin.points[-1, 2]) - seen.low < NEAR_GROUND for line in seen.limbs)


def _look(shape: Shape) -> tuple[str, np.ndarray] | None:
    seen = seen_in(shape)
    flesh = shape.body.grid.centres(argwhere(shape.body.solid))
    best: tuple[float, str, np.ndarray] | None = None
    for rotation in (rotation_to(AXES[up], AXES[front]) for up in UPS for front in AXES if front[-1] != up[-1]):
        if seen.plane is not None and abs(rotation[0, 0]) < 0.5:
            continue
        low = float((flesh @ rotation[2]).min())
        plane = None if seen.plane is None else float(rotation[0, 0] * seen.plane)
        turned = Seen(_turned(seen.lines, rotation), low, plane)
        odds = weigh_creatures(turned)
        creature = next(iter(odds))
        is_better = odds[creature] > (CLEAR_CREATURE if best is None else best[0])
        if creature in MAY_LIE and is_better and not turned.looks_back:
            best = odds[creature], creature, rotation
    return None if best is None else best[1:]


def _turned(lines: list[Line], rotation: np.ndarray) -> list[Line]:
    """Lines of a body that is turned."""
    new: dict[int, Line] = {}

    def turned(line: Line) -> Line:
        if id(line) not in new:
            parent = None if line.parent is None else turned(line.parent)
            new[id(line)] = replace(line, points=line.points @ rotation.T, parent=parent, twin=None)
        return new[id(line)]

    return [turned(line) for line in lines]
