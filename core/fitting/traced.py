"""Arms that the landmark network does not see, traced through their flesh: one raised beside a large head, or one that
stands out of a body with hardly any shoulders. It says of their joints that they are nowhere, or anywhere in the trunk,
but a limb is there."""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from ..arrays import argwhere
from ..geometry.segments import segment_distances
from ..seeing.evidence import Evidence
from ..seeing.views import CELLS
from ..skeleton.preset import other_side
from ..skeleton.template import SkeletonTemplate
from .flesh import along_bone, ways_from, width_of
from .joint_tree import load_tree
from .place import along_line, middle_line

# Flesh beyond a shoulder is an arm if it is so many times as long as the other arm and no wider than so many times its
# own length; nearer to the shoulder than NEAR, unit frame, its width does not count. An arm that is cut off in the
# middle of its forearm is 0.6 times as long as the other. Of seven generated arms that were not seen five are 0.65 to
# 0.95 times as long and 0.3 to 0.65 times as wide, two are sunk into the head; of eleven stumps one is narrower than
# 1.2, and 0.55 times as long.
REACHES, NARROW, NEAR = 0.65, 0.7, 0.1
ASTRAY = 0.1  # unit frame: a hand so far from the middle of the flesh that grows out of its shoulder is seen wrongly
SURE = 0.7  # of joints that the flesh alone tells


def trace_arm(template: SkeletonTemplate, whole: Evidence, arm: tuple[str, ...], gone: Container[str],
              hand: np.ndarray | None = None) -> dict[str, tuple[float, ...]]:
    """{joint of an arm beyond its shoulder: (3,) its place in the mesh's frame}, {} where there is no such flesh.

    whole : what is seen of all joints;  arm : its joints, the shoulder's first;  gone : joints that are nowhere
    hand : (3,) in the cube, where it is read; an arm whose flesh goes through its hand is not traced
    The arm's flesh is what is nearer to the shoulder than to all other bones, on ways through it. Joints lie on its
    middle line, by the shares they have of the template's arm.
    """
    at = dict(zip(whole.names, whole.places[whole.likeliest], strict=True))
    voxels, scale = argwhere(whole.sight.solid), whole.sight.scale
    reach, is_own = _flesh(whole, at, arm, gone, voxels)
    other = tuple(other_side(name) for name in arm)
    long = np.linalg.norm(np.diff([at[name] for name in other], axis=0), axis=1).sum()
    others, are_others = _flesh(whole, at, other, {n for n in whole.names if n in gone and n not in other}, voxels)
    long = max(float(long), float(others[are_others].max(initial=0.0)))
    centres = (voxels + 0.5) / CELLS
    counts = is_own & (reach > NEAR * scale)
    if not counts.any() or reach[counts].max() < REACHES * long:
        return {}
    if width_of(centres[counts], reach[counts] / scale) > NARROW * reach[counts].max():
        return {}
    tip = centres[np.where(is_own, reach, -1.0).argmax()]
    line = middle_line(whole.sight.solid, at[arm[0]], tip)
    if hand is not None and segment_distances(hand[None], line[:-1], line[1:]).min() < ASTRAY * scale:
        return {}
    bones = np.linalg.norm(np.diff(template.positions[[template.index(n) for n in arm]], axis=0), axis=1)
    places = along_line(line, np.cumsum(bones) / bones.sum())
    return {name: tuple(place) for name, place in zip(arm[1:], whole.sight.from_cube(places).tolist(), strict=True)}


def _flesh(whole: Evidence, at: dict[str, np.ndarray], arm: tuple[str, ...], gone: Container[str],
           voxels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(V,) how far voxels are from an arm's shoulder, and (V,) whether they are nearer to it than to all other bones.

    at : {joint: (3,) in the cube}
    """
    tree, others = load_tree(whole.kind), []
    for joint, name in enumerate(tree.names[1:], 1):
        if name in arm[1:] or name in gone:
            continue
        way = along_bone(at[tree.names[tree.parents[joint]]], at[name])
        others.append(way[:len(way) // 2] if name == arm[0] else way)
    reach, beside = (ways_from(voxels, points) for points in (at[arm[0]][None], np.concatenate(others)))
    return reach, np.isfinite(reach) & (reach < beside)
