"""A root bone on the ground under the hips, as game engines want it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import BadRig
from .rig import Rig

ROOT = "root"
SHARE = 0.1  # of the rig's height: the root's length, which means nothing


def with_root(rig: Rig, ground: float, *, name: str = ROOT, axes: np.ndarray | None = None) -> Rig:
    """The rig with one more bone, first, that all others hang on: on the ground under the first root bone, upright.

    ground : height of the ground, along the character's up;  axes : (3, 3) the rig's space to the character's frame,
    rows its left, behind it, and up; None: Z is up, it faces -Y
    It moves no skin.  Raises BadRig if a bone has its name already.
    """
    left, _, up = np.eye(3) if axes is None else np.asarray(axes, float)
    if name in rig.names:
        raise BadRig(f"A bone is called '{name}' already. Rename it first.")
    if not len(rig.names):
        raise BadRig("The skeleton has no bones. Add bones, or fit one of the presets.")
    points = np.concatenate([rig.heads, rig.tails])
    size = max(float(np.ptp(points @ up)), 1e-6 * max(float(np.ptp(points, axis=0).max()), 1e-30))
    top = rig.heads[int(np.argmax(rig.parents < 0))]
    head = top - (top @ up) * up + ground * up
    ahead = lambda one, many: np.concatenate([[one], many])  # noqa: E731 - one line, used for every field
    return replace(rig, names=(name, *rig.names), parents=ahead(-1, np.where(rig.parents < 0, 0, rig.parents + 1)),
                   heads=ahead(head, rig.heads), tails=ahead(head + SHARE * size * up, rig.tails),
                   x_axes=ahead(left, rig.x_axes), connected=ahead(False, rig.connected),
                   deform=ahead(False, rig.deform), collections=(*rig.collections[:1], *rig.collections))
