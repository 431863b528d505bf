"""Whether a mirrored character's weights are mirrored too."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from ..skeleton.rig import Rig
from ..skeleton.sides import pairs_by_name, pairs_by_place
from .skin import Skin

NEAR = 0.003  # sizes of the character: how well vertices must mirror to be compared
BONES = 0.02  # and bones
ENOUGH = 0.5  # share of the vertices that must have a partner


def mirror_error(skin: Skin, axes: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """(W,) sum of |difference| between each vertex's weights and its mirror image's, 0 to 2, and (W,) who has one.

    axes : (3, 3) object axes to the character's.  None if skeleton or mesh is not its own mirror image.
    """
    heads = skin.rig.heads @ axes.T
    named = pairs_by_name(skin.rig.names)
    pairs = np.flatnonzero(named > np.arange(len(named)))
    if not len(pairs):
        return None
    middle = float(np.median((heads[pairs, 0] + heads[named[pairs], 0]) / 2))
    flip = np.array([-1.0, 1.0, 1.0])
    partner = bone_partners(skin.rig, heads, middle, BONES)
    image = heads[partner] * flip + [2 * middle, 0, 0]
    moving = np.asarray(skin.weights.sum(0)).ravel() > 0
    if np.median(np.linalg.norm(image - heads, axis=1)[moving | moving[partner]]) > BONES:
        return None
    points = skin.mesh.vertices @ axes.T
    used = np.flatnonzero(skin.used)
    away, other = cKDTree(points[used]).query(points[used] * flip + [2 * middle, 0, 0])
    has = np.zeros(len(points), bool)
    has[used] = away <= NEAR
    if has.sum() < ENOUGH * len(used):
        return None
    image_of = np.arange(len(points))
    image_of[used] = used[other]
    swap = sparse.csr_matrix((np.ones(len(partner)), (np.arange(len(partner)), partner)), shape=(len(partner),) * 2)
    apart = abs(skin.weights - (skin.weights @ swap)[image_of])
    return np.where(has, np.asarray(apart.sum(1)).ravel(), 0.0), has


def bone_partners(rig: Rig, heads: np.ndarray, middle: float, reach: float) -> np.ndarray:
    """(B,) the bone of the other side, a middle bone's own index; by name, else by place."""
    partner = pairs_by_place(heads, pairs_by_name(rig.names), middle, reach)
    return np.where(partner < 0, np.arange(len(partner)), partner)
