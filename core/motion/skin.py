"""Skin and bones where a motion has taken them."""

from __future__ import annotations

import numpy as np

from ..geometry.rotation import rotate, to_matrix
from ..skeleton.rig import Rig
from .clip import MotionClip
from .kinematics import Kinematics


def deform(vertices: np.ndarray, weights, clip: MotionClip, frame: int) -> np.ndarray:
    """(V, 3) vertices at one frame, by linear blend skinning.

    vertices : (V, 3) at rest, the space of the clip's rig;  weights : (V, B) sparse or dense, rows sum to 1
    """
    kinematics = Kinematics(clip.rig)
    turns = kinematics.turns(clip.rotations[frame])
    matrices = to_matrix(turns)
    moves = kinematics.heads(turns, clip.root[frame]) - np.einsum("bij,bj->bi", matrices, clip.rig.heads)
    blended = weights @ np.concatenate([matrices.reshape(-1, 9), moves], axis=1)
    return np.einsum("vij,vj->vi", blended[:, :9].reshape(-1, 3, 3), vertices) + blended[:, 9:]


def posed(clip: MotionClip, frame: int) -> Rig:
    """The clip's rig as it stands at one frame."""
    kinematics = Kinematics(clip.rig)
    turns = kinematics.turns(clip.rotations[frame])
    heads = kinematics.heads(turns, clip.root[frame])
    rig = clip.rig
    return Rig(rig.names, rig.parents, heads, kinematics.tails(turns, heads), rotate(turns, rig.x_axes), rig.connected,
               rig.deform, rig.collections)
