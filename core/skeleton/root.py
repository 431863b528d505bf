"""A root bone on the ground under the hips, as game engines want it, and one for what the figure stands on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import BadRig
from .rig import Rig, bend_axes

ROOT, BASE = "root", "base"
BASES = (BASE, "base_2")  # what the base's bone is called; the latter where the skeleton has another called so
ON_BASE = ("the figure stands on a base, which gets a bone of its own and is no part of the body. If it is part of the "
           "body, untick it behind the arrow beside Detail (--without base) and rig anew")
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


def with_base(rig: Rig, head: np.ndarray, tail: np.ndarray, collection: str) -> Rig:
    """The rig with one more bone, last, for the base that a figure stands on: it hangs on the root bone.

    head, tail : (3,) the middles of the base's bottom and top.  Raises BadRig if bones have its names already.
    """
    free = [name for name in BASES if name not in rig.names]
    if not free:
        raise BadRig(f"A bone is called '{BASES[-1]}' already. Rename it first.")
    one = lambda many, last: np.concatenate([many, [last]])  # noqa: E731 - used for every field
    axis = bend_axes((tail - head)[None], np.zeros((1, 3)))[0]
    return replace(rig, names=(*rig.names, free[0]), parents=one(rig.parents, int(np.argmax(rig.parents < 0))),
                   heads=one(rig.heads, head), tails=one(rig.tails, tail), x_axes=one(rig.x_axes, axis),
                   connected=one(rig.connected, False), deform=one(rig.deform, True),
                   collections=(*rig.collections, collection))
