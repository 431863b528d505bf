"""What hangs on what in other people's skeletons, where tails are guesses and feet may hang on the ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..motion.kinematics import Kinematics
from ..skeleton.rig import Rig

NEAR = 0.08  # sizes of the skeleton between a bone's head and the limb it belongs to
BEYOND = 0.3  # of a bone's length: what begins nearer to its head is its sibling


def bone_ends(rig: Rig) -> np.ndarray:
    """(B, 3) where each bone truly ends: at the child that carries it on, as tails of foreign rigs mean little.

    Of several children the one whose own branch is longest; a bone without children ends at its tail.
    """
    ends = np.array(rig.tails)
    below = np.zeros(len(rig.names))
    order = [b for level in reversed(Kinematics(rig).levels) for b in level]
    best = np.zeros(len(rig.names))
    for b in order:  # children first
        below[b] = max(best[b], float(np.linalg.norm(rig.tails[b] - rig.heads[b])))
        parent = rig.parents[b]
        reach = float(np.linalg.norm(rig.heads[b] - rig.heads[parent])) if parent >= 0 else 0.0
        if parent >= 0 and reach > 0 and reach + below[b] > best[parent]:
            best[parent] = reach + below[b]
            ends[parent] = rig.heads[b]
    return ends


def hang_together(rig: Rig, moving: np.ndarray) -> Rig:
    """The rig with loose limbs hung where they belong: in control rigs a foot hangs on the ground, and follows by IK.

    moving : (B,) bool, bones that have skin.  A bone with skin that hangs on nothing, or on a root without skin, and
    begins beside the far part of a bone of another branch, hangs on that.
    """
    parents = np.array(rig.parents)
    is_root = parents < 0
    loose = np.flatnonzero(moving & (is_root | (is_root[parents] & ~moving[parents])))
    if len(loose) < 2:
        return rig
    ends = bone_ends(rig)
    size = float(np.ptp(np.concatenate([rig.heads, ends]), axis=0).max())
    top = _branch(parents, loose)
    along = ends - rig.heads
    squared = np.maximum((along**2).sum(1), 1e-30)
    for bone in loose:
        where = np.clip(((rig.heads[bone] - rig.heads) * along).sum(1) / squared, 0.0, 1.0)
        away = np.linalg.norm(rig.heads + where[:, None] * along - rig.heads[bone], axis=1)
        open_ = moving & (top >= 0) & (top != bone) & (where >= BEYOND) & (away <= NEAR * size)
        if open_.any() and not _is_above(parents, bone, int(np.where(open_, away, np.inf).argmin())):
            parents[bone] = int(np.where(open_, away, np.inf).argmin())
    return replace(rig, parents=parents, connected=rig.connected & (parents == rig.parents))


def _branch(parents: np.ndarray, tops: np.ndarray) -> np.ndarray:
    """(B,) which of `tops` each bone hangs on, itself included; -1 for none."""
    of = np.where(np.isin(np.arange(len(parents)), tops), np.arange(len(parents)), -1)
    for _ in range(len(parents)):
        inherited = np.where((of < 0) & (parents >= 0), of[parents], of)
        if (inherited == of).all():
            break
        of = inherited
    return of


def _is_above(parents: np.ndarray, bone: int, other: int) -> bool:
    for _ in range(len(parents)):
        if other in (bone, -1):
            break
        other = int(parents[other])
    return other == bone
