"""Skin that a raised arm draws out of the body, because sleeve, hand or hair are one surface with the trunk there."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ..geometry.mesh import Mesh
from ..motion.blend import blend_linear
from ..skeleton.bone_map import find_roles
from ..skeleton.carried import ancestors
from ..skeleton.rig import Rig
from .range_of_motion import range_of_motion

RAISED = "Arms up"
# Faces are drawn out that become so many times as large; it is told where one arm adds so much to the whole surface.
# Told of 2 of 120 characters in view, dinosaurs, whose arms are no person's; of 9 of 60 generated people and of 15 of
# 30 melted into one surface with all they wear: the pictures of these 24 show it, those of five others small spots.
DRAWN, MUCH = 3.0, 0.01
WEB = "raising {} draws out skin, because arm and body are one surface there: part them, or paint weights"
ARMS = {"L": "the left arm", "R": "the right arm", "LR": "both arms"}


def drawn_out(mesh: Mesh, rig: Rig, weights: sparse.csr_matrix, *, rotation: np.ndarray) -> tuple[str, ...]:
    """A warning, if an arm draws a web of skin out of the body when it is raised.

    mesh, rig : one space, at rest;  weights : (V, B) rows sum to 1;  rotation : (3, 3) its axes to the character's
    """
    raised = range_of_motion(rig, rotation=rotation, only=(RAISED,))
    if not raised:
        return ()
    shared = weights @ np.stack([_arm(rig, side) for side in "LR"], 1)
    whole = mesh.areas
    a, b, c = shared.sum(1)[mesh.faces.T]
    mixed = (a != b) | (b != c)
    faces, before = mesh.faces[mixed], whole[mixed]
    used, own = np.unique(faces, return_inverse=True)
    pose = raised[0]
    after = Mesh(blend_linear(mesh.vertices[used], weights[used], pose.turns, pose.shifts), own.reshape(-1, 3)).areas
    added = np.where(after > DRAWN * before, after - before, 0.0)
    much = np.bincount(shared[faces].sum(1).argmax(1), added, 2) > MUCH * whole.sum()
    which = "".join(side for side, is_much in zip("LR", much, strict=True) if is_much)
    return (WEB.format(ARMS[which]),) if which else ()


def _arm(rig: Rig, side: str) -> np.ndarray:
    """(B,) 1 for the bones from an upper arm on, 0 for others."""
    root = find_roles(rig).get(f"upper_arm.{side}", -1)
    return np.array([float(root in (bone, *ancestors(rig.parents, bone))) for bone in range(len(rig.names))])
