"""Limbs that stand out of a body where no bone of a kind is: what seems to lack limbs may be of another kind."""

from __future__ import annotations

import numpy as np

from ..geometry.segments import segment_distances
from ..geometry.shape import Shape
from ..seeing.evidence import look
from .from_shape import seen_in
from .joint_tree import load_tree
from .missing import Missing

FAR = 0.13  # unit frame: a limb whose end is so far from all bones is not theirs
# But one that passes so near a place where the shoulder or the elbow is seen is what is left of an arm: seven of eight
# busts cut through their arms pass within 0.05, one within 0.09.
STUMP = 0.08


def unreached_pairs(shape: Shape, kind: str, missing: Missing) -> int:
    """How many mirror pairs of limbs stand out of a body where no bone of a kind is.

    missing : what the body lacks of that kind
    """
    seen, tree = look(shape.mesh, kind), load_tree(kind)
    places = seen.sight.from_cube(seen.places[seen.likeliest[[seen.names.index(name) for name in tree.names]]])
    at = dict(zip(tree.names, places, strict=True)) | missing.stumps | missing.traced
    bones = np.array([(at[tree.names[parent]], at[name]) for name, parent in zip(tree.names, tree.parents, strict=True)
                      if parent >= 0 and (name not in missing.joints or name in missing.traced)])
    arms = np.array([at[name] for name in at if name[:-2] in ("upper_arm", "forearm")])
    limbs = [one for line in seen_in(shape).lines if line.part == "limb" and line.twin is not None and line.side == "L"
             for one in (line, line.twin)]
    if not limbs:
        return 0
    away = segment_distances(np.array([line.points[-1] for line in limbs]), bones[:, 0], bones[:, 1]).min(1)
    passes = np.array([segment_distances(arms, line.points[:-1], line.points[1:]).min(initial=np.inf)
                       for line in limbs])
    return int(((away > FAR) & (passes > STUMP)).reshape(-1, 2).all(1).sum())
