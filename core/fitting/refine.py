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
           scale: float, fixed: np.ndarray | None = None, iterations: int = 25) -> np.ndarray:
    """(J, 3) joint positions that lower the continuous penalty: bones central, long enough and as the template points.

    positions : (J, 3) unit frame;  scale : template units to unit frame;  fixed : (J,) bool joints that stay
    A bone's penalty depends on its two joints only, so one batch of 7 evaluations of all bones gives the gradient.
    """
    problem = _Problem(template, samples, field, scale)
    free = np.ones(len(positions), bool) if fixed is None else ~np.asarray(fixed, bool)
    if not free.any():
        return positions.copy()

    def value_and_gradient(x):
        moved = positions.copy()
        moved[free] = x.reshape(-1, 3)
        value, gradient = problem.value_and_gradient(moved)
        return value, gradient[free].ravel()

    found = minimize(value_and_gradient, positions[free].ravel(), jac=True, method="L-BFGS-B",
                     options={"maxiter": iterations, "maxcor": 10})
    out = positions.copy()
    out[free] = found.x.reshape(-1, 3)
    return out


class _Problem:
    """The continuous penalty g of [BP07] section 3.5 and its gradient."""

    def __init__(self, template: SkeletonTemplate, samples: MedialSamples, field: DistanceField, scale: float):
        self.child = np.arange(1, len(template.names))
        self.parent = template.parents[1:]
        self.wanted = (template.positions[self.child] - template.positions[self.parent]) * scale
        self.direction = self.wanted / np.linalg.norm(self.wanted, axis=1, keepdims=True)
        self.medial = cKDTree(samples.points)
        self.field = field
        self.mirror = template.mirror

    def value_and_gradient(self, positions: np.ndarray) -> tuple[float, np.ndarray]:
        ends = np.stack([positions[self.parent], positions[self.child]], 1)
        nudged = np.repeat(ends[None], 7, axis=0)
        for k in range(6):
            nudged[k + 1, :, k // 3, k % 3] += _NUDGE
        values = self._bones(nudged.reshape(-1, 2, 3)).reshape(7, -1)
        slope = ((values[1:] - values[0]) / _NUDGE).T.reshape(-1, 2, 3)
        gradient = np.zeros_like(positions)
        np.add.at(gradient, self.parent, slope[:, 0])
        np.add.at(gradient, self.child, slope[:, 1])
        asymmetry, more = self._asymmetry(positions)
        return float(values[0].sum()) + asymmetry, gradient + more

    def _bones(self, ends: np.ndarray) -> np.ndarray:
        """(N,) penalty of bones (N, 2, 3); N is a multiple of the number of bones."""
        repeat = len(ends) // len(self.wanted)
        direction = np.tile(self.direction, (repeat, 1))
        wanted = np.tile(np.linalg.norm(self.wanted, axis=1), repeat)
        t = (np.arange(SAMPLES) / (SAMPLES - 1))[:, None]
        points = (ends[:, None, 0] * (1 - t) + ends[:, None, 1] * t).reshape(-1, 3)
        off = self.medial.query(points)[0]
        depth = -self.field.sample(points)
        miss = np.minimum(off, 0.001 + np.maximum(0.0, 0.05 - depth)).reshape(-1, SAMPLES)
        surface = np.where(miss > 0.003, miss**2, 0.0).mean(1)
        bone = ends[:, 1] - ends[:, 0]
        along = np.einsum("nd,nd->n", bone, direction)
        length = np.maximum(0.5, (1e-4 + wanted**2) / (1e-4 + along**2))
        turn = np.arccos(np.clip(along / np.maximum(np.linalg.norm(bone, axis=1), 1e-9), -1 + 1e-9, 1 - 1e-9))
        angle = (0.3 + 0.5 * turn) ** 3 * np.where(turn > np.pi / 2, 10.0, 1.0)
        return SURFACE * surface + LENGTH * length + ANGLE * angle

    def _asymmetry(self, positions: np.ndarray) -> tuple[float, np.ndarray]:
        """Unlike lengths of mirrored bones, with gradient."""
        total, gradient = 0.0, np.zeros_like(positions)
        for i in self.child:
            j = self.mirror[i]
            if j <= i:
                continue
            a, b = positions[i] - positions[self.parent[i - 1]], positions[j] - positions[self.parent[j - 1]]
            p, q = a @ a, b @ b
            ratios = (p / (0.001 + q), q / (0.001 + p))
            if max(ratios) <= 1.05:
                total += 1.05
                continue
            total += max(ratios)
            if ratios[0] >= ratios[1]:
                dp, dq = 1 / (0.001 + q), -p / (0.001 + q) ** 2
            else:
                dp, dq = -q / (0.001 + p) ** 2, 1 / (0.001 + p)
            gradient[i] += 2 * dp * a
            gradient[self.parent[i - 1]] -= 2 * dp * a
            gradient[j] += 2 * dq * b
            gradient[self.parent[j - 1]] -= 2 * dq * b
        return total, gradient
