"""From a reading to the joints of a template: those that are seen, those between them, and all of them in the flesh."""

from __future__ import annotations

import numpy as np

from ..arrays import argwhere
from ..geometry.distance import DistanceField
from ..geometry.segments import segment_distances
from ..geometry.waves import geodesic_distances
from ..seeing.views import CELLS, Sight
from .joint_tree import JointTree

# A joint that came out of the body is brought so deep into it, where it is so thick, and only from so near: further off
# it hangs in the air between loose parts. Unit frame.
DEPTH, REACH = 0.012, 0.08
# Ways through the flesh this much longer than the shortest count as its middle.
DETOUR = 1.1
MOST_LINES = 64  # are kept
# Cube: what would be moved up by more lies in a trunk that stands upright. Of 46 animals on all four none is moved by
# more than 0.1; the hips of 51 that rear lie 0.046 of the size off with this limit, 0.074 without it.
UPRIGHT = 0.12
# A hand reaches on from the forearm by such a share of the arm where its tip was seen farther away than the arm is
# long, as at a snout that the hands are under, or, of a mirrored body, beyond the middle, as at the other hand beside
# it: the median of 170 bodies, of which none whose tip is sure has over 0.86.
HAND, ARM = 0.38, ("upper_arm", "forearm", "hand", "hand_tip")

# An elbow lies at this share of the way from the shoulder to the hand, as in the preset. Of 300 arms of generated
# bodies seven have a bone less than UNEVEN times as long as the other, and all seven elbows are doubtful and off by
# 0.05 to 0.3; of all others the shorter bone is 0.63 times as long and more.
ELBOW, UNEVEN = 0.52, 0.55
# Bones of a shin and a foot leave the flesh if they lie this much outside it, unit frame, for so large a share of their
# length: of 120 real people none does for over 0.05, of 12 generated ones on their toes most do for 0.15 to 0.3.
OUTSIDE, AIRY, ON_WAY = 0.008, 0.1, 33
LEG, SIDES = ("shin", "foot", "toe"), "LR"


def place_joints(tree: JointTree, places: np.ndarray, sight: Sight, names: tuple[str, ...],
                 lines: dict[bytes, np.ndarray]) -> np.ndarray:
    """(J, 3) joints of a template in the frame of `sight`'s mesh. places : (tree's joints, 3) in the cube

    names : of the template's joints; each is one of the tree's, or lies between two or along the flesh
    lines : of this sight, kept from one call to the next: a dragged joint leaves most of them as they were
    """
    seen = dict(zip(tree.names, places, strict=True))
    at = seen | {joint: sum(share * seen[n] for n, share in row.items()) for joint, row in tree.between.items()}
    at |= {joint: _raised(sight.solid, at[joint], share) for joint, share in tree.lowest.items()}
    chains: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for joint, (start, end, share) in tree.along.items():
        chains.setdefault((start, end), []).append((joint, share))
    for (start, end), joints in chains.items():
        ends = np.stack([at[start], at[end]])
        if ends.tobytes() not in lines:
            if len(lines) > MOST_LINES:
                lines.clear()
            lines[ends.tobytes()] = middle_line(sight.solid, *ends)
        line = lines[ends.tobytes()]
        for joint, share in joints:
            at[joint] = along_line(line, share)
    return sight.from_cube(np.array([at[n] for n in names]))


def _raised(solid: np.ndarray, place: np.ndarray, share: float) -> np.ndarray:
    """(3,) a place in the cube, moved up so far that this share of the flesh that it lies in lies below; as it is where
    the trunk stands upright."""
    x, y = np.clip((place[:2] * CELLS).astype(int), 0, CELLS - 1)
    runs = np.flatnonzero(np.diff(np.pad(solid[x, y], 1).astype(np.int8))).reshape(-1, 2) / CELLS  # bottom, top
    around = runs[(runs[:, 0] <= place[2]) & (place[2] <= runs[:, 1])]
    if not len(around):
        return place
    low, high = around[0]
    raised = max(place[2], low + share * (high - low))
    return np.array([*place[:2], raised if raised - place[2] < UPRIGHT else place[2]])


def middle_line(solid: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(N, 3) the middle of the flesh from one place in the cube to another, both included.

    The cells that lie on ways hardly longer than the shortest, by their share of the way; straight where there is no
    flesh between the two.
    """
    voxels = argwhere(solid)
    centres = (voxels + 0.5) / CELLS
    ends = np.array([((centres - p) ** 2).sum(1).argmin() for p in (start, end)])
    away = geodesic_distances((CELLS, CELLS, CELLS), voxels, 1 / CELLS, ends)
    whole = float(away[0, ends[1]])
    if not np.isfinite(whole) or whole < 3 / CELLS:
        return np.stack([start, end])
    on_way = away.sum(0) <= DETOUR * whole
    count = max(int(whole * CELLS / 2), 2)
    share = away[0, on_way] / away[:, on_way].sum(0)
    level = np.minimum((share * count).astype(int), count - 1)
    size = np.bincount(level, minlength=count)
    middle = np.stack([np.bincount(level, centres[on_way, d], minlength=count) for d in range(3)], 1)
    inner = slice(1, count - 1)
    return np.vstack([start, (middle / np.maximum(size, 1)[:, None])[inner][size[inner] > 0], end])


def along_line(line: np.ndarray, shares: float | np.ndarray) -> np.ndarray:
    """(3,) or (N, 3) places at shares, one or (N,), of the way along a line (M, 3)."""
    travelled = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    return np.stack([np.interp(shares * travelled[-1], travelled, line[:, d]) for d in range(3)], axis=-1)


def with_likely_elbows(joints: np.ndarray, names: tuple[str, ...], sight: Sight, free: np.ndarray) -> np.ndarray:
    """(J, 3) joints of these names, unit frame, no upper arm much longer or shorter than its forearm.

    free : (J,) bool, hardly seen, and may move
    Where shoulder and hand show and the elbow does not, it lies on the middle of the flesh between the two.
    """
    out = np.array(joints)
    for side in SIDES:
        arm = [names.index(name) for part in ARM[:3] if (name := f"{part}.{side}") in names]
        if len(arm) < 3 or not free[arm[1]]:
            continue
        upper, fore = np.linalg.norm(np.diff(joints[arm], axis=0), axis=1)
        if min(upper, fore) < UNEVEN * max(upper, fore):
            line = sight.from_cube(middle_line(sight.solid, *sight.to_cube(joints[[arm[0], arm[2]]])))
            out[arm[1]] = along_line(line, ELBOW)
    return out


def with_likely_hands(joints: np.ndarray, names: tuple[str, ...], fixed: np.ndarray, middle: float | None = None
                      ) -> np.ndarray:
    """(J, 3) joints of these names, no hand longer than its arm.

    fixed : (J,) bool, tips that stay where they are
    middle : x of a mirrored body's plane, where no hand ends on the other side; None for others, whose hands may cross
    """
    out = np.array(joints)
    for side in SIDES:
        arm = [names.index(name) for part in ARM if (name := f"{part}.{side}") in names]
        if len(arm) < len(ARM) or fixed[arm[-1]]:
            continue
        upper, fore, hand = np.diff(joints[arm], axis=0)
        long = float(np.linalg.norm(upper) + np.linalg.norm(fore))
        off = [0.0, 0.0] if middle is None else joints[arm[2:], 0] - middle
        if np.linalg.norm(hand) > long > 0 or off[0] * off[1] < 0:
            out[arm[-1]] = joints[arm[2]] + HAND * long * fore / max(np.linalg.norm(fore), 1e-12)
    return out


def through_flesh(joints: np.ndarray, names: tuple[str, ...], field: DistanceField, sight: Sight, fixed: np.ndarray
                  ) -> np.ndarray:
    """(J, 3) joints of these names, an ankle at the heel in the air where the bones beside it left the flesh.

    joints : (J, 3) unit frame;  fixed : (J,) bool, which stay
    Who walks on the toes has an ankle high above the ground. Seen where others have it, at the ground, it drew the shin
    straight from the knee to the toes through the air. It goes to where the middle of the flesh between knee and toes
    bends: of the places on it from which bones leave the flesh least to the one farthest from the straight way.
    """
    out = joints.copy()
    for chain in ([f"{name}.{side}" for name in LEG] for side in SIDES):
        if not set(chain) <= set(names):
            continue
        start, ankle, end = (names.index(name) for name in chain)
        own = joints[[start, ankle, end]]
        length = np.linalg.norm(np.diff(own, axis=0), axis=1).sum()
        now = float(_in_air(field, own[[0]], own[[1]])[0] + _in_air(field, own[[1]], own[[2]])[0])
        if fixed[ankle] or now <= AIRY * length:
            continue
        line = sight.from_cube(middle_line(sight.solid, *sight.to_cube(own[[0, 2]])))
        then = _in_air(field, own[[0]], line) + _in_air(field, line, own[[2]])
        bend = np.where(then <= then.min() + AIRY * length / 4, segment_distances(line, own[:1], own[2:])[:, 0], -1.0)
        best = int(bend.argmax())
        if then[best] < now / 2:
            out[ankle] = line[best]
    return out


def limb_in_air(tree: JointTree, places: np.ndarray, sight: Sight, field: DistanceField) -> float:
    """How far that bone of a body's limbs lies outside the solid which lies there most, unit frame.

    places : (tree's joints, 3) in the cube
    """
    has_side = np.array([name[-2:-1] == "." for name in tree.names])
    bones = np.flatnonzero(has_side & (tree.parents >= 0) & has_side[tree.parents])
    at = sight.from_cube(places)
    return float(_in_air(field, at[tree.parents[bones]], at[bones]).max(initial=0.0))


def _in_air(field: DistanceField, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """(N,) how much of each straight way lies outside the solid. starts, ends : (N, 3) or (1, 3)"""
    way = ends - starts
    points = starts[:, None] + np.linspace(0, 1, ON_WAY)[:, None] * way[:, None]
    is_out = field.sample(points.reshape(-1, 3)).reshape(len(way), ON_WAY) > OUTSIDE
    return np.linalg.norm(way, axis=1) * is_out.mean(1)


def pull_inside(joints: np.ndarray, field: DistanceField, free: np.ndarray) -> np.ndarray:
    """(J, 3) joints, those outside the solid moved to just below the nearest place of its surface.

    joints : (J, 3) unit frame;  free : (J,) bool, which may move
    """
    outside = np.flatnonzero(free & (field.sample(joints) > 0))
    if not len(outside):
        return joints
    out, solid = joints.copy(), argwhere(field.solid)
    centres, depth = field.grid.centres(solid), -field.values[field.solid]
    shallow = 2 * np.maximum(DEPTH - depth, 0.0)
    for j in outside:
        away = np.sqrt(((centres - joints[j]) ** 2).sum(1))
        best = int((away + shallow).argmin())
        if away[best] <= REACH:
            out[j] = centres[best]
    return out
