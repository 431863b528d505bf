"""A mouth that opens by its jaw bone, as a shape key: what formats need that move faces by shapes alone."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ...core.geometry.rotation import from_axis_angle, rotate
from ...core.skeleton.rig import Rig
from ..bridge.mesh import own_points

OPEN = np.deg2rad(20)  # of the jaw for a wide "ah"; people open twice as far to bite
KEY = "jaw_open"


def add_mouth(o, weights: sparse.csr_matrix, rig: Rig, jaw: int) -> None:
    """Give a mesh object the shape key of an open jaw, unless it has one of that name or nothing follows the jaw.

    weights : (V, B) of the rig's bones, in the mesh's own coordinates, Z up
    """
    share = weights[:, [jaw]].toarray()
    keys = o.data.shape_keys
    if share.max(initial=0.0) <= 0 or (keys is not None and KEY in keys.key_blocks):
        return
    down = rotate(from_axis_angle(rig.x_axes[jaw], np.array(OPEN)), rig.tails[jaw] - rig.heads[jaw])
    sign = 1.0 if down[2] < rig.tails[jaw][2] - rig.heads[jaw][2] else -1.0
    turn = from_axis_angle(rig.x_axes[jaw], np.array(sign * OPEN))
    points = own_points(o).astype(float)
    moved = rig.heads[jaw] + rotate(turn, points - rig.heads[jaw])
    if keys is None:
        o.shape_key_add(name="Basis", from_mix=False)
    block = o.shape_key_add(name=KEY, from_mix=False)
    block.value = 0.0
    block.data.foreach_set("co", np.ascontiguousarray(points + share * (moved - points), np.float32).ravel())
