"""The skull moves as one: past the joint of the head, skin follows no neck, however thick it lies over the bones.

Warmth spreads from neck to head over a stretch as wide as the head is thick, and ears, horns and antlers keep the blend
of the place that they stand on. Whoever paints weights by hand blends over the neck's own thickness only.
"""

from __future__ import annotations

import numpy as np

from ..geometry.shape import Shape
from ..skeleton.bone_map import find_roles
from ..skeleton.rig import Rig
from .handles import Handles

# In thicknesses of the neck past the joint of the head, along the neck: from where on skin begins to follow the head
# alone, and over how long a way. Where hand-painted weights of people and animals end the blend.
START, FADE = 0.5, 0.75
# Skin further from the neck's axis than it is thick, a jaw or an ear, counts so much of that as further past the joint,
# up to so many thicknesses.
ASIDE, MOST_ASIDE = 0.5, 2.0
OWN, SURELY = 0.1, 0.3  # share of the head, and what hangs from it, in a vertex, from which on it is the head's
THINNEST = 0.005  # unit frame


def hold_skull(shape: Shape, rig: Rig, handles: Handles, weights: np.ndarray) -> np.ndarray:
    """(V, K) weights, the same array, in which what the neck, and the trunk under it, had of the skull is the head's.

    What is fastened to the head, a jaw or an ear with bones of its own, keeps its part of the head's share.
    """
    bone = rig.names.index("head") if "head" in rig.names else find_roles(rig).get("head", -1)
    head = _handle_of(handles, bone)
    neck = -1 if head < 0 else int(handles.parent[head])
    if neck < 0:
        return weights
    past = _past_joint(shape.mesh.vertices, handles, head, neck)
    rows = np.flatnonzero(past > START)
    own, below = _branches(handles, head)
    share = weights[np.ix_(rows, own)].sum(1)
    turn = np.clip((past[rows] - START) / FADE, 0.0, 1.0) * np.clip((share - OWN) / (SURELY - OWN), 0.0, 1.0)
    rows, share, turn = (x[turn > 0] for x in (rows, share, turn))
    given = turn * weights[np.ix_(rows, below)].sum(1)
    weights[np.ix_(rows, own)] *= (1 + given / share)[:, None]
    weights[np.ix_(rows, below)] *= (1 - turn)[:, None]
    return weights


def _handle_of(handles: Handles, bone: int) -> int:
    """The handle that stands for a bone, -1 for none."""
    found = np.flatnonzero(handles.bones == bone)
    return int(found[0]) if len(found) else -1


def _past_joint(points: np.ndarray, handles: Handles, head: int, neck: int) -> np.ndarray:
    """(V,) how far past the joint of the head points (V, 3) lie along the neck, in thicknesses of the neck."""
    joint = handles.heads[np.flatnonzero(handles.owner == head)[0]]
    segments = np.flatnonzero(handles.owner == neck)
    last = segments[np.linalg.norm(handles.tails[segments] - joint, axis=1).argmin()]
    way = joint - handles.heads[last]
    length = np.linalg.norm(way)
    if length < THINNEST:
        return np.full(len(points), -np.inf)
    thick = max(float(np.median(handles.radii[last])), THINNEST)
    away = points - joint
    along = away @ (way / length)
    aside = np.sqrt(np.maximum((away**2).sum(1) - along**2, 0.0))
    return along / thick + ASIDE * np.clip(aside / thick - 1, 0.0, MOST_ASIDE)


def _branches(handles: Handles, head: int) -> tuple[np.ndarray, np.ndarray]:
    """The handles that hang from the head, with it, and those that it hangs from."""
    below, up = [], int(handles.parent[head])
    while up >= 0:
        below.append(up)
        up = int(handles.parent[up])
    own = np.arange(len(handles.bones)) == head
    for _ in range(len(own)):
        more = own | ((handles.parent >= 0) & own[handles.parent])
        if (more == own).all():
            break
        own = more
    return np.flatnonzero(own), np.array(below)
