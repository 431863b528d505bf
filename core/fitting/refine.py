"""Continuous refinement of the split embedding. [BP07] section 3.5."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.spatial import cKDTree

from ..geometry.distance import DistanceField
from ..skeleton.template import SkeletonTemplate
from .medial import MedialSamples

# The published program's constants.
SURFACE, LENGTH, ANGLE = 15000.0, 0.25, 2.0
SAMPLES = 10
_NUDGE = 1e-5


def refine(positions: np.ndarray, template: SkeletonTemplate, samples: MedialSamples, field: DistanceField, *,
           scale: float, fixed: np.ndarray | None = None, iterations: int = 25,
           plane_x: float | None = None) -> np.ndarray:
    """(J, 3) joint positions that lower the continuous penalty: bones central, long enough and as the template points.

    positions : (J, 3) unit frame;  scale : template units to unit frame;  fixed : (J,) bool joints that stay
    plane_x : the mirror plane of a mirrored body; partners then move as mirror images, the others on the plane
    """
    problem = ContinuousPenalty(template, samples, field, scale)
    free = np.ones(len(positions), bool) if fixed is None else ~np.asarray(fixed, bool)
    if not free.any():
        return positions.copy()
    partner = np.where(template.mirror >= 0, template.mirror, np.arange(len(positions)))
    paired = free & free[partner] & (plane_x is not None)

    def even(vectors: np.ndarray, shift: float = 0.0) -> np.ndarray:
        image = vectors[partner] * [-1, 1, 1] + [shift, 0, 0]
        return np.where(paired[:, None], (vectors + image) / 2, vectors)

    positions = even(positions, 2 * (plane_x or 0.0))

    def value_and_gradient(x):
        moved = positions.copy()
        moved[free] = x.reshape(-1, 3)
        value, gradient = problem.value_and_gradient(moved)
        # On the plane the medial surface's two sides are equally near; evened out, neither is preferred.
        return value, even(gradient)[free].ravel()

    # The penalty has kinks; where a line search meets one, more than a few trials are wasted.
    found = minimize(value_and_gradient, positions[free].ravel(), jac=True, method="L-BFGS-B",
                     options={"maxiter": iterations, "maxfun": 2 * iterations, "maxls": 8})
    out = positions.copy()
    out[free] = found.x.reshape(-1, 3)
    return out


class ContinuousPenalty:
    """The penalty g of [BP07] section 3.5 over all bones of a template, and its gradient.

    scale : template units to unit frame
    """

    def __init__(self, template: SkeletonTemplate, samples: MedialSamples, field: DistanceField, scale: float):
        self.child = np.arange(1, len(template.names))
        self.parent = template.parents[1:]
        wanted = (template.positions[self.child] - template.positions[self.parent]) * scale
        self.length = np.linalg.norm(wanted, axis=1)
        self.direction = wanted / self.length[:, None]
        self.medial = cKDTree(samples.points)
        self.field = field
        # A joint's bone leads to its parent, so bones are numbered by their child less one; each pair stands once.
        partner = template.mirror[1:] - 1
        self.left = np.flatnonzero(partner > np.arange(len(partner)))
        self.right = partner[self.left]

    def value_and_gradient(self, positions: np.ndarray) -> tuple[float, np.ndarray]:
        """The penalty of joints (J, 3), unit frame, and its (J, 3) gradient."""
        head, tail = positions[self.parent], positions[self.child]
        surface, at_head, at_tail = self._surface(head, tail)
        shape, along = self._shape(tail - head)
        asymmetry, unlike = self._asymmetry(tail - head)
        gradient = np.zeros_like(positions)
        np.add.at(gradient, self.parent, at_head - along - unlike)
        np.add.at(gradient, self.child, at_tail + along + unlike)
        return float(surface + shape + asymmetry), gradient

    def _surface(self, head: np.ndarray, tail: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """How far off the medial surface the bones run, and the slopes (B, 3) at their heads and tails."""
        t = np.linspace(0.0, 1.0, SAMPLES)[:, None, None]
        points = (head * (1 - t) + tail * t).reshape(-1, 3)
        off, nearest = self.medial.query(points)
        nudged = points + _NUDGE * np.concatenate([np.zeros((1, 1, 3)), np.eye(3)[:, None]])
        depth = -self.field.sample(nudged.reshape(-1, 3)).reshape(4, -1)
        shallow = 0.001 + np.maximum(0.0, 0.05 - depth[0])
        miss = np.minimum(off, shallow)
        outwards = (points - self.medial.data[nearest]) / np.maximum(off, 1e-12)[:, None]
        rising = np.where(depth[0] < 0.05, -(depth[1:] - depth[0]) / _NUDGE, 0.0).T
        slope = np.where((off <= shallow)[:, None], outwards, rising) * (2 * miss * (miss > 0.003))[:, None]
        slope = slope.reshape(SAMPLES, -1, 3) * (SURFACE / SAMPLES)
        value = SURFACE / SAMPLES * (miss[miss > 0.003] ** 2).sum()
        return value, ((1 - t) * slope).sum(0), (t * slope).sum(0)

    def _shape(self, bone: np.ndarray) -> tuple[float, np.ndarray]:
        """Bones too short for the template or turned away from it, and the slope (B, 3) at the tails."""
        along = np.einsum("bd,bd->b", bone, self.direction)
        room = 1e-4 + along**2
        length = (1e-4 + self.length**2) / room
        size = np.maximum(np.linalg.norm(bone, axis=1), 1e-9)
        cosine = np.clip(along / size, -1 + 1e-9, 1 - 1e-9)
        turn = np.arccos(cosine)
        steep = np.where(turn > np.pi / 2, 10.0, 1.0)
        by_turn = 1.5 * ANGLE * steep * (0.3 + 0.5 * turn) ** 2 / -np.sqrt(1 - cosine**2)
        by_cosine = (self.direction - bone * (cosine / size)[:, None]) / size[:, None]
        by_along = np.where(length > 0.5, -2 * LENGTH * length * along / room, 0.0)
        value = LENGTH * np.maximum(0.5, length).sum() + ANGLE * (steep * (0.3 + 0.5 * turn) ** 3).sum()
        return value, by_turn[:, None] * by_cosine + by_along[:, None] * self.direction

    def _asymmetry(self, bone: np.ndarray) -> tuple[float, np.ndarray]:
        """Unlike lengths of mirrored bones, and the slope (B, 3) at the tails."""
        slope = np.zeros_like(bone)
        squared = np.einsum("bd,bd->b", bone, bone)
        swap = squared[self.left] < squared[self.right]
        longer, shorter = np.where(swap, (self.right, self.left), (self.left, self.right))
        room = 0.001 + squared[shorter]
        ratio = squared[longer] / room
        unlike = ratio > 1.05
        slope[longer] = (2 * unlike / room)[:, None] * bone[longer]
        slope[shorter] = (-2 * unlike * ratio / room)[:, None] * bone[shorter]
        return float(np.maximum(1.05, ratio).sum()), slope
