"""What about a finished fit is likely wrong, said to the artist."""

from __future__ import annotations

import numpy as np

from ..geometry.distance import DistanceField
from ..skeleton.reduce import ReducedTemplate
from ..skeleton.template import SkeletonTemplate

# Limbs of a body's two sides longer than this times each other are told of.
UNLIKE = 1.5
# Joints of two limbs nearer than this share of the flesh's depth around them lie in the same limb.
SHARED = 0.3
# A joint so far outside, unit frame, is outside: half a voxel is nothing.
OUTSIDE = 0.004


def doubt_fit(joints: np.ndarray, reduced: ReducedTemplate, field: DistanceField, fixed: np.ndarray) -> list[str]:
    """Warnings about joints (J, 3), unit frame. fixed : (J,) bool, pinned where the artist wants them."""
    template = reduced.template
    is_tip = ~np.isin(np.arange(len(joints)), template.parents)
    depth = -field.sample(joints)
    found = []
    outside = [template.names[j] for j in np.flatnonzero((depth < -OUTSIDE) & ~fixed & ~is_tip)]
    if outside:
        found.append(f"{_listed(outside)} came out outside the body: pin what should be elsewhere.")
    return found + _crossed(joints, template) + _unlike(joints, reduced) + _shared(joints, depth, reduced, fixed)


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"'{n}'" for n in names[:4])
    return shown + (f" and {len(names) - 4} more joints" if len(names) > 4 else "")


def _pairs(template: SkeletonTemplate) -> list[tuple[int, int]]:
    """(left, right) numbers of the joints that have a partner."""
    pairs = [(i, int(j)) for i, j in enumerate(template.mirror) if j > i]
    return [(i, j) if template.positions[i, 0] > template.positions[j, 0] else (j, i) for i, j in pairs]


def _crossed(joints: np.ndarray, template: SkeletonTemplate) -> list[str]:
    crossed = [template.names[i] for i, j in _pairs(template) if joints[i, 0] < joints[j, 0] - 1e-9]
    return [f"{_listed(crossed)} lie on the other side of their partners: limbs were taken for one another. Pin one of "
            "them."] if crossed else []


def _unlike(joints: np.ndarray, reduced: ReducedTemplate) -> list[str]:
    """Limbs of one pair that differ in length."""
    found = []
    for r in np.flatnonzero(reduced.is_leaf & (reduced.mirror > np.arange(len(reduced.joints)))):
        lengths = []
        for limb in (int(r), int(reduced.mirror[r])):
            chain = list(reduced.chains[limb])
            lengths.append(float(np.linalg.norm(np.diff(joints[chain], axis=0), axis=1).sum()))
        low, high = sorted(lengths)
        if high > UNLIKE * low:
            names = [reduced.template.names[reduced.joints[k]] for k in (r, reduced.mirror[r])]
            found.append(f"The limbs that end in '{names[0]}' and '{names[1]}' came out unlike, one "
                         f"{high / max(low, 1e-9):.1f} times as long as the other: check both, and pin the wrong one.")
    return found


def _shared(joints: np.ndarray, depth: np.ndarray, reduced: ReducedTemplate, fixed: np.ndarray) -> list[str]:
    """Joints of two limbs in the same flesh; girdles of one pair often are."""
    limb = np.full(len(joints), -1)
    for r in np.flatnonzero(reduced.is_leaf & (reduced.parents >= 0)):
        limb[list(reduced.chains[r])] = r
    own = np.flatnonzero((limb >= 0) & ~fixed)
    away = np.linalg.norm(joints[own, None] - joints[own], axis=2)
    room = SHARED * np.maximum(np.minimum(depth[own][:, None], depth[own]), 0.0)
    unlike = (limb[own][:, None] != limb[own]) & (reduced.template.mirror[own][:, None] != own)
    near = np.argwhere(np.triu((away < room) & unlike, 1))
    if not len(near):
        return []
    first, second = (reduced.template.names[own[k]] for k in near[0])
    return [f"'{first}' and '{second}' lie in the same flesh, though they belong to two limbs: one of them is likely "
            "wrong. Pin it."]
