"""The bones that move skin, as segments inside the solid with the thickness of the body around them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ..arrays import frozen
from ..errors import BadRig
from ..geometry.distance import DistanceField
from ..geometry.shape import Shape
from ..skeleton.rig import Rig

# What exporters append to mark where the last bone of a chain ends: head_end, HeadTop_End, Finger3Nub.
_END_MARK = re.compile(r"(_end|\.end|nub)([._][lr])?$", re.IGNORECASE)
_ALONG = np.linspace(0.0, 1.0, 17)


@dataclass(frozen=True, eq=False)
class Handles:
    """K segments in the unit frame that pull skin along.

    bones : (K,) the rig's bone each belongs to
    heads, tails : (K, 3);  radii : (K, 17) depth of the solid at equal steps from head to tail, zero outside
    """

    bones: np.ndarray
    heads: np.ndarray
    tails: np.ndarray
    radii: np.ndarray

    def __post_init__(self):
        count = len(self.bones)
        for name, dtype, shape in (("bones", np.int64, (count,)), ("heads", float, (count, 3)),
                                   ("tails", float, (count, 3)), ("radii", float, (count, len(_ALONG)))):
            object.__setattr__(self, name, frozen(getattr(self, name), dtype, shape, name))

    def nearest(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Distance (N, K) from points to every segment, and where on it, 0 head to 1 tail (N, K)."""
        along = self.tails - self.heads
        squared = np.maximum((along**2).sum(1), 1e-18)
        where = np.clip((points @ along.T - (self.heads * along).sum(1)) / squared, 0.0, 1.0)
        # |p - h - w a|^2 expanded: three (N, K) products instead of an (N, K, 3) difference
        gap = (points**2).sum(1)[:, None] - 2 * points @ self.heads.T + (self.heads**2).sum(1)
        gap += where * (where * squared - 2 * (points @ along.T - (self.heads * along).sum(1)))
        return np.sqrt(np.maximum(gap, 0.0)), where

    def points(self, handle: np.ndarray, where: np.ndarray) -> np.ndarray:
        """(N, 3) points on segments `handle` (N,) at fractions `where` (N,)."""
        return self.heads[handle] + where[:, None] * (self.tails - self.heads)[handle]

    def radius(self, where: np.ndarray) -> np.ndarray:
        """(N, K) thickness of the body around each segment at fractions `where` (N, K)."""
        at = where * (len(_ALONG) - 1)
        low = np.minimum(at.astype(np.int64), len(_ALONG) - 2)
        column = np.arange(len(self.bones))
        near, far = self.radii[column, low], self.radii[column, low + 1]
        return near + (at - low) * (far - near)


def skin_handles(shape: Shape, rig: Rig) -> Handles:
    """The deforming bones of a rig that stand for a part of the body.

    Left out, since artists give them no skin: markers of a chain's end (``*_end``, ``*Nub``) and control roots, which
    begin outside the body and carry it. Raises BadRig if no bone deforms. If the rules leave nothing, all are kept.
    """
    deform = np.asarray(rig.deform)
    if not deform.any():
        raise BadRig("No bone of the skeleton deforms. Tick Deform on the bones that should move the mesh.")
    heads, tails = shape.frame.to_unit(rig.heads), shape.frame.to_unit(rig.tails)
    used = deform & ~_is_end_mark(rig) & ~_is_control_root(rig, _depth(shape.field, heads))
    if not used.any():
        used = deform
    bones = np.flatnonzero(used)
    heads, tails = heads[bones], tails[bones]
    along = heads[:, None] + _ALONG[:, None] * (tails - heads)[:, None]
    radii = np.maximum(_depth(shape.field, along.reshape(-1, 3)), 0.0).reshape(len(bones), -1)
    return Handles(bones, heads, tails, radii)


def _depth(field: DistanceField, points: np.ndarray) -> np.ndarray:
    return -field.sample(points)


def _is_end_mark(rig: Rig) -> np.ndarray:
    return np.array([bool(_END_MARK.search(name)) for name in rig.names], bool)


def _is_control_root(rig: Rig, head_depth: np.ndarray) -> np.ndarray:
    """(B,) bool: has no parent, has children, and begins outside the solid."""
    has_children = np.isin(np.arange(len(rig.names)), rig.parents)
    return (rig.parents < 0) & has_children & (head_depth < -0.005)
