"""Arms that the landmark network does not see, traced through their flesh: one raised beside a large head, one that
stands out of a body with hardly any shoulders, or one whose hand lies on the hip. It says of their joints that they are
nowhere, or anywhere in the trunk, but a limb is there."""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from ..arrays import argwhere
from ..geometry.segments import segment_distances
from ..geometry.voxels import grow
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
# Where flesh of an arm meets other flesh this much farther from the shoulder than the elbow is, in lengths of the upper
# arm, in so many cells, the hand is there: a stump ends in the air.
BEYOND, MEETS = 0.2, 3


def trace_arm(template: SkeletonTemplate, whole: Evidence, arm: tuple[str, ...], gone: Container[str],
              hand: np.ndarray | None = None) -> dict[str, tuple[float, ...]]:
    """{joint of an arm beyond its shoulder: (3,) its place in the mesh's frame}, {} where there is no such flesh.

    whole : what is seen of all joints;  arm : its joints, the shoulder's first;  gone : joints that are nowhere
    hand : (3,) in the cube, where it is read; an arm whose flesh goes through its hand is not traced
    The arm's flesh is what is nearer to the shoulder than to all other bones, on ways through it. Joints lie on its
    middle line, by the shares they have of the template's arm.
    """
    at = dict(zip(whole.names, whole.places[whole.likeliest], strict=True))
    voxels = argwhere(whole.sight.solid)
    reach, is_own = _flesh(whole, at, arm, gone, voxels)
    is_elbow_sure = hand is None and arm[1] not in gone
    line = _line_into_body(template, whole, arm, reach, is_own, voxels) if is_elbow_sure else None
    line = _line_to_tip(whole, at, arm, gone, reach, is_own, voxels) if line is None else line
    if line is None or (hand is not None and
                        segment_distances(hand[None], line[:-1], line[1:]).min() < ASTRAY * whole.sight.scale):
        return {}
    bones = _lengths(template, arm)
    places = along_line(line, np.cumsum(bones) / bones.sum())
    return {name: tuple(place) for name, place in zip(arm[1:], whole.sight.from_cube(places).tolist(), strict=True)}


def _lengths(template: SkeletonTemplate, arm: tuple[str, ...]) -> np.ndarray:
    """Of an arm's bones in the template."""
    return np.linalg.norm(np.diff(template.positions[[template.index(n) for n in arm]], axis=0), axis=1)


def _line_to_tip(whole: Evidence, at: dict[str, np.ndarray], arm: tuple[str, ...], gone: Container[str],
                 reach: np.ndarray, is_own: np.ndarray, voxels: np.ndarray) -> np.ndarray | None:
    """(N, 3) the middle of an arm that stands out, from its shoulder to its tip; None where no arm does."""
    scale, other = whole.sight.scale, tuple(other_side(name) for name in arm)
    long = np.linalg.norm(np.diff([at[name] for name in other], axis=0), axis=1).sum()
    others, are_others = _flesh(whole, at, other, {n for n in whole.names if n in gone and n not in other}, voxels)
    long = max(float(long), float(others[are_others].max(initial=0.0)))
    centres = (voxels + 0.5) / CELLS
    counts = is_own & (reach > NEAR * scale)
    if not counts.any() or reach[counts].max() < REACHES * long:
        return None
    if width_of(centres[counts], reach[counts] / scale) > NARROW * reach[counts].max():
        return None
    return middle_line(whole.sight.solid, at[arm[0]], centres[np.where(is_own, reach, -1.0).argmax()])


def _line_into_body(template: SkeletonTemplate, whole: Evidence, arm: tuple[str, ...], reach: np.ndarray,
                    is_own: np.ndarray, voxels: np.ndarray) -> np.ndarray | None:
    """(3, 3) shoulder, elbow and fingertip of an arm whose elbow is seen and whose forearm runs into other flesh, as
    the hand on a hip does; None for one that ends in the air.
    """
    shoulder, elbow = whole.places[whole.likeliest[[whole.names.index(name) for name in arm[:2]]]]
    upper = float(np.linalg.norm(elbow - shoulder))
    other = np.zeros((CELLS,) * 3, bool)
    other[tuple(voxels[~is_own].T)] = True
    meets = is_own & grow(other)[tuple(voxels.T)] & (reach > (1 + BEYOND) * upper)
    if np.count_nonzero(meets) < MEETS:
        return None
    way, bones = (voxels[meets].mean(0) + 0.5) / CELLS - elbow, _lengths(template, arm)
    return np.array([shoulder, elbow, elbow + way * (upper * bones[1:].sum() / bones[0] / np.linalg.norm(way))])


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
