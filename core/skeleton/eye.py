"""Eyes of a rig: a bone each, from the middle of the ball to where it looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import frozen
from .rig import Rig, bend_axes

EYES = ("eye.L", "eye.R")


@dataclass(frozen=True, eq=False)
class Eye:
    """A ball that looks.

    side : "L" or "R";  centre : (3,), radius : object space
    ahead, down : (3,) unit, where it looks and where that goes if it is bent
    """

    side: str
    centre: np.ndarray
    radius: float
    ahead: np.ndarray
    down: np.ndarray

    def __post_init__(self):
        for key in ("centre", "ahead", "down"):
            object.__setattr__(self, key, frozen(getattr(self, key), float, (3,), key))


def with_eyes(rig: Rig, eyes: Mapping[str, Eye]) -> Rig:
    """The rig with a bone for each eye on its head, as long as the ball's radius: a turn about local X looks down."""
    if not eyes or "head" not in rig.names or set(EYES) & set(rig.names):
        return rig
    found = list(eyes.values())
    heads = np.array([e.centre for e in found])
    tails = np.array([e.centre + e.radius * e.ahead for e in found])
    count, head = len(found), rig.names.index("head")
    return replace(rig, names=(*rig.names, *(f"eye.{e.side}" for e in found)),
                   parents=np.append(rig.parents, [head] * count), heads=np.concatenate([rig.heads, heads]),
                   tails=np.concatenate([rig.tails, tails]),
                   x_axes=np.concatenate([rig.x_axes, bend_axes(tails - heads, np.array([e.down for e in found]))]),
                   connected=np.append(rig.connected, [False] * count), deform=np.append(rig.deform, [True] * count),
                   collections=(*rig.collections, *["Face"] * count))
