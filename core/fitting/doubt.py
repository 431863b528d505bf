"""What about a finished fit is likely wrong, said to the artist."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ..geometry.distance import DistanceField
from ..skeleton.rig import DOUBTFUL
from ..skeleton.template import SkeletonTemplate
from .from_shape import ShapeTemplate

# Limbs of a body's two sides longer than this times each other are told of; so many times shorter, one is no limb.
UNLIKE, NOTHING = 1.5, 20.0
# Joints of legs that are less sure than this in the mean may not be there: those of 11 whole people are 0.95 and surer,
# those of gowns 0.78 and surer, those of people cut at the waist or the chest 0 to 0.89.
UNSEEN = 0.5
# A pinned joint so many times nearer to another joint's own place than to its own is pinned in that one's place.
TAKEN = 2.0
# A joint so far outside, unit frame, is outside: half a voxel is nothing.
OUTSIDE = 0.004
# Where no ball of this radius has room, unit frame, there is a gap between parts: of a shirt and trousers, of plates.
ROOM = 0.02
BALL = np.stack(np.meshgrid(*[np.linspace(-1, 1, 5)] * 3), -1).reshape(-1, 3)
BALL = BALL[np.linalg.norm(BALL, axis=1) <= 1]


def doubt_fit(joints: np.ndarray, template: SkeletonTemplate, field: DistanceField, fixed: np.ndarray,
              confidence: dict[str, float], readings: int = 1) -> list[str]:
    """Warnings about joints (J, 3), unit frame.

    fixed : (J,) bool, pinned where the artist wants them;  confidence : {joint: how likely it is right}
    readings : how many ways to read the body there are
    """
    is_tip = ~np.isin(np.arange(len(joints)), template.parents)
    is_hub = np.array([name.startswith("wheel_") for name in template.names])  # a tyre has air in its middle
    outside = (field.sample(joints) > OUTSIDE) & ~fixed & ~is_tip & ~is_hub
    around = joints[outside, None] + ROOM * BALL
    outside[outside] = field.sample(around.reshape(-1, 3)).reshape(around.shape[:2]).max(1) >= ROOM
    found = []
    doubtful = [n for n, c in sorted(confidence.items(), key=lambda item: item[1]) if c < DOUBTFUL]
    if doubtful:
        found.append(f"{_listed(doubtful)} may be wrong: the body could be read another way. Check, and pin what "
                     "should be elsewhere, or take another reading." if readings > 1 else
                     f"{_listed(doubtful)} may be wrong. Check, and pin what should be elsewhere.")
    legs = [confidence[template.names[j]] for j in _leg_joints(template) if template.names[j] in confidence]
    if legs and np.mean(legs) < UNSEEN:
        found.append("It is not clear where the legs are. Pin them; if the body is cut off above them, delete their "
                     "bones: Update Rig leaves them out.")
    if outside.any():
        names = [template.names[j] for j in np.flatnonzero(outside)]
        found.append(f"{_listed(names)} came out outside the body: pin what should be elsewhere.")
    return found + _crossed(joints, template) + _unlike(joints, template) + _displaced(joints, template, fixed)


def _displaced(joints: np.ndarray, template: SkeletonTemplate, fixed: np.ndarray) -> list[str]:
    """Joints of a skeleton made from the shape that are pinned where others of it lie: pins count by name, and with
    another number of bones the same name is that of another place."""
    if not isinstance(template, ShapeTemplate) or not fixed.any() or fixed.all():
        return []
    pinned = np.flatnonzero(fixed)
    own = np.linalg.norm(joints[pinned] - template.positions[pinned], axis=1)
    nearest, _ = cKDTree(template.positions[~fixed]).query(joints[pinned])
    names = [template.names[j] for j in pinned[own > TAKEN * nearest]]
    return [f"You pinned {_listed(names)} where other joints belong, as happens when the number of bones is changed "
            "afterwards: that draws bones together. Unpin them, or pin them anew."] if names else []


def _leg_joints(template: SkeletonTemplate) -> list[int]:
    """The joints of pairs from which a foot hangs."""
    legs = np.array(template.is_foot, bool)
    for j in range(len(legs) - 1, 0, -1):
        legs[template.parents[j]] |= legs[j]
    return [int(j) for j in np.flatnonzero(legs & (template.mirror >= 0))]


def _listed(names: list[str]) -> str:
    most = 4 if len(names) != 5 else 5  # a name is as short as "one more"
    shown = ", ".join(f"'{n}'" for n in names[:most])
    return shown + (f" and {len(names) - most} more joints" if len(names) > most else "")


def _pairs(template: SkeletonTemplate) -> list[tuple[int, int]]:
    """(left, right) numbers of the joints that have a partner."""
    pairs = [(i, int(j)) for i, j in enumerate(template.mirror) if j > i]
    return [(i, j) if template.positions[i, 0] > template.positions[j, 0] else (j, i) for i, j in pairs]


def _crossed(joints: np.ndarray, template: SkeletonTemplate) -> list[str]:
    crossed = [template.names[i] for i, j in _pairs(template) if joints[i, 0] < joints[j, 0] - 1e-9]
    if len(crossed) == 1:
        return [f"{_listed(crossed)} lies on the other side of its partner: limbs were taken for one another. Pin one "
                "of them."]
    return [f"{_listed(crossed)} lie on the other side of their partners: limbs were taken for one another. Pin one of "
            "them."] if crossed else []


def _unlike(joints: np.ndarray, template: SkeletonTemplate) -> list[str]:
    """Limbs of one pair that differ in length, told by the joint at their end."""
    length = np.zeros(len(joints))
    for j in range(1, len(joints)):
        above = int(template.parents[j])
        if template.mirror[j] >= 0 and template.mirror[above] >= 0:
            length[j] = length[above] + np.linalg.norm(joints[j] - joints[above])
    ends = [(i, j) for i, j in _pairs(template) if i not in template.parents and length[[i, j]].any()]
    found = []
    for pair in ends:
        low, high = sorted(length[list(pair)])
        if high > NOTHING * low:
            short = template.names[min(pair, key=lambda k: length[k])]
            found.append(f"The limb that ends in '{short}' has hardly any length: pin its joints where they belong.")
        elif high > UNLIKE * low:
            names = [template.names[k] for k in pair]
            found.append(f"The limbs that end in '{names[0]}' and '{names[1]}' came out unlike, one "
                         f"{high / low:.1f} times as long as the other: check both, and pin the wrong one.")
    return found
