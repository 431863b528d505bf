"""What girds the trunk, and what is fastened to it: belts, sashes, the hem of a jumper; pouches, buckles, sheaths."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ..geometry.segments import segment_distances
from ..geometry.shape import Shape
from ..skeleton.rig import Rig
from .loose import HOLDS, SMALLEST, SPACING, Parts, around_bones

TRUNK = ("hips", "spine", "chest")
BINS = 16  # of the directions around the trunk: a girdle has something in each
HOLLOW = 0.4  # of its middle radius: nearer to the trunk's axis nothing of it lies, as in pants
BAND = 0.5  # how high it is at most, of its depth: corsets bend, and so do short shirts, which arms make wide
SMALL = 0.2  # extent of a pouch, unit frame; what is longer, a sheath, is narrow
ASIDE = 0.75  # how wide a pouch is at most, of its girdle; briefs are as wide
NARROW = 0.03  # half of the width of a sheath, standard deviation: of a sword's 0.02, of a cape's 0.05 and more


def girded(shape: Shape, body: Rig, parts: Parts) -> list[tuple[int, np.ndarray]]:
    """[(part, parts)]: of a character the loose parts that gird its trunk, each with itself and what is fastened to it.

    body : unit frame.  A girdle is a flat ring between the hip joints and the chest's upper end.
    """
    if not {"thigh.L", "thigh.R", *TRUNK} <= set(body.names):
        return []
    rings = [part for part in np.flatnonzero(parts.extents >= SMALLEST)
             if _girds(parts.points[parts.of_point == part], body)]
    if not rings:
        return []
    taken = around_bones(shape, body, parts)
    taken[rings] = True
    groups = []
    for part in rings:
        width = np.ptp(parts.points[parts.of_point == part, :2], axis=0).max()
        on_it = [one for one in _touching(parts, part) if not taken[one] and _hangs(parts.points[parts.of_point == one],
                                                                                   body, width)]
        taken[on_it] = True
        groups.append((int(part), np.array([part, *on_it])))
    return groups


def _girds(points: np.ndarray, body: Rig) -> bool:
    place = [body.heads[body.names.index(name)] for name in TRUNK]
    joints = np.array([*place, body.tails[body.names.index(TRUNK[-1])]])
    legs = np.mean([body.heads[body.names.index(f"thigh.{side}")] for side in "LR"], axis=0)
    middle = points[:, 2].mean()
    if not legs[2] < middle < joints[-1, 2] or np.ptp(points[:, 2]) > BAND * np.ptp(points[:, :2], axis=0).min():
        return False
    order = np.argsort(joints[:, 2], kind="stable")
    off = points[:, :2] - [np.interp(middle, joints[order, 2], joints[order, k]) for k in range(2)]
    radius = np.linalg.norm(off, axis=1)
    bins = np.floor(np.arctan2(off[:, 1], off[:, 0]) / (2 * np.pi) * BINS).astype(int) % BINS
    return bool((np.bincount(bins, minlength=BINS) > 0).all() and radius.min() > HOLLOW * np.median(radius))


def _touching(parts: Parts, part: int) -> np.ndarray:
    """The parts whose samples come near those of one."""
    tree = cKDTree(parts.points[parts.of_point == part])
    return np.unique(parts.of_point[tree.query(parts.points, distance_upper_bound=SPACING)[0] <= SPACING])


def _hangs(points: np.ndarray, body: Rig, width: float) -> bool:
    """Whether a part is a pouch or a sheath on a girdle of a width, and no hand holds it."""
    extent = np.ptp(points, axis=0)
    if extent.max() > SMALL or extent[:2].max() > ASIDE * width:
        spread = np.linalg.svd(points - points.mean(0), compute_uv=False) / np.sqrt(len(points))
        return bool(spread[1] < NARROW) and not _is_held(points, body)
    return True


def _is_held(points: np.ndarray, body: Rig) -> bool:
    hands = [i for i, name in enumerate(body.names) if name[:-2] == "hand"]
    return bool(hands) and float(segment_distances(points, body.heads[hands], body.tails[hands]).min()) <= HOLDS
