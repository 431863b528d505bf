"""Vertical planes about which a body is nearly its own mirror image, whichever way it has been turned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage
from scipy.spatial import cKDTree

from ..geometry.grid import Grid
from ..geometry.rotation import cross

# A reflected point further from the body than this says "no" just as loudly as one twice as far.
_FAR = 0.06


@dataclass(frozen=True, eq=False)
class Mirror:
    """A mirror plane: normal (3,) unit length, offset along it, and the mean distance from body to reflected body."""

    normal: np.ndarray
    offset: float
    error: float


class MirrorSearch:
    """Looks up how far reflected surface points fall from the surface."""

    def __init__(self, points: np.ndarray, normals: np.ndarray, *, resolution: int = 40):
        """points, normals : (N, 3) spread over the surface, longest side 1."""
        self.points, self.normals = points, normals
        spacing = 1.0 / resolution
        margin = int(_FAR * resolution) + 2
        low = points.min(0) - margin * spacing
        shape = np.ceil(np.ptp(points, axis=0) / spacing).astype(int) + 2 * margin
        self.grid = Grid(low, spacing, tuple(shape))
        empty = np.ones(self.grid.shape, bool)
        empty[tuple(self.grid.index_of(points).T)] = False
        self.away = np.minimum(ndimage.distance_transform_edt(empty) * spacing, _FAR).astype(np.float32)
        self.tree = cKDTree(points, leafsize=24)  # asked so few times, quicker than with scipy's 10

    def errors(self, normals: np.ndarray, offsets: np.ndarray, points: np.ndarray) -> np.ndarray:
        """(K,) mean clipped distance to the surface of points (N, 3) reflected in K planes. O(K N)."""
        beyond = points @ normals.T - offsets
        beyond *= 2
        index = np.zeros(beyond.shape, np.int32)
        for axis, count in enumerate(self.grid.shape):
            image = points[:, axis, None] - beyond * normals[:, axis]
            at = ((image - self.grid.origin[axis]) / self.grid.spacing).astype(np.int32)
            # The grid's border is empty and far from the body, so what falls off it may count as lying on it.
            index = index * np.int32(count) + np.clip(at, 0, count - 1, out=at)
        return self.away.take(index).mean(0)

    def kept(self, mirror: Mirror, points: np.ndarray, *, within: float = 0.05) -> np.ndarray:
        """(N,) bool: points whose mirror image lies on the body. What one hand holds has none on the other side."""
        image = points - 2 * (points @ mirror.normal - mirror.offset)[:, None] * mirror.normal
        return self.away[tuple(self.grid.index_of(image).T)] < within

    def mirrors(self, axis: int, *, step: float = 5.0, thin: int = 10, snap: float = 10.0) -> list[Mirror]:
        """Mirror planes through coordinate axis `axis`: the two along the other axes, and up to two others if better,
        each with the one square to it: a person with a sword is more alike in front and behind than left and right.

        step : degrees between the planes tried;  thin : only every so many points look;  snap : degrees within which a
        plane must halve the error of the one along an axis, and then replaces it: bodies that only bend or turn their
        head stay as they are.
        Best first.
        """
        first, second = np.delete(np.eye(3), axis, axis=0)
        angles = np.radians(np.arange(0, 180, step))
        normals = np.cos(angles)[:, None] * first + np.sin(angles)[:, None] * second
        offsets = self._offsets(normals)
        few = self.points[thin // 2::thin]
        errors = np.stack([self.errors(normals, o, few) for o in offsets])
        best = errors.argmin(0)
        offset, error = offsets[best, np.arange(len(angles))], errors.min(0)
        right = len(angles) // 2
        found = [self._refined(normals[i], self._offset(normals[i], few), axis, turn=False) for i in (0, right)]
        valley = (error <= np.roll(error, 1)) & (error <= np.roll(error, -1))
        valley[[0, right]] = False
        replaced: list[Mirror] = []
        for i in sorted(np.flatnonzero(valley), key=lambda i: error[i])[:2]:
            if error[i] <= min(m.error for m in found) + 0.004:
                mirror = self._refined(normals[i], offset[i], axis, turn=True)
                straight = max(found[:2], key=lambda m: abs(m.normal @ mirror.normal))
                near = abs(straight.normal @ mirror.normal) > np.cos(np.radians(snap))
                if not near or mirror.error < 0.5 * straight.error:
                    found.append(mirror)
                    replaced += [straight] if near else []
        for mirror in [m for m in found[2:] if m not in replaced]:
            square = cross(np.eye(3)[axis], mirror.normal)
            if max(abs(m.normal @ square) for m in found) < np.cos(np.radians(snap)):
                found.append(self._refined(square, self._offset(square, few), axis, turn=True))
        return sorted((m for m in found if m not in replaced), key=lambda m: m.error)

    def _offset(self, normal: np.ndarray, few: np.ndarray, *, tries: int = 21) -> float:
        """Where a plane mirrors these points best: what one hand holds moves the middles that `_offsets` tries."""
        low, high = np.percentile(self.points[::4] @ normal, [20, 80])
        offsets = np.linspace(low, high, tries)
        return float(offsets[self.errors(np.repeat(normal[None], tries, 0), offsets, few).argmin()])

    def _offsets(self, normals: np.ndarray) -> np.ndarray:
        """(3, K) places to try a plane at: the surface's mean, its box's middle, and the middle of its inner half."""
        along = self.points[::4] @ normals.T
        quarter = np.percentile(along, [25, 75], axis=0)
        return np.stack([along.mean(0), (along.min(0) + along.max(0)) / 2, quarter.mean(0)])

    def _refined(self, normal: np.ndarray, offset: float, axis: int, *, turn: bool) -> Mirror:
        """Slide (and turn) a plane until reflected points lie on the surface: Gauss-Newton, point to plane."""
        for thin, rounds, tolerance in ((8, 4, 0.01), (2, 4, 0.002)) if turn else ((6, 3, 0.01),):
            points = self.points[::thin]
            for _ in range(rounds):
                move = self._step(points, normal, offset, np.eye(3)[axis], tolerance, turn)
                offset += move[0]
                normal = np.cos(move[1]) * normal + np.sin(move[1]) * cross(np.eye(3)[axis], normal)
                if np.abs(move).max() < 1e-5:
                    break
        error = self.errors(normal[None], np.array([offset]), self.points[::6])[0]
        return Mirror(normal, float(offset), float(error))

    def _step(self, points: np.ndarray, normal: np.ndarray, offset: float, up: np.ndarray, tolerance: float,
              turn: bool) -> np.ndarray:
        """(2,) slide and turn that bring the reflected points nearest to the surface; far ones have little say."""
        beyond = points @ normal - offset
        image = points - 2 * beyond[:, None] * normal
        away, nearest = self.tree.query(image, distance_upper_bound=_FAR)
        hit = np.isfinite(away)
        if hit.sum() < 20:
            return np.zeros(2)
        facing = self.normals[nearest[hit]]
        residual = ((image[hit] - self.points[nearest[hit]]) * facing).sum(1)
        side = cross(up, normal)
        # The image moves by 2 n with the offset, by -2 ((p . side) n + beyond side) with the angle.
        slide = 2 * facing @ normal
        spin = -2 * ((points[hit] @ side) * (facing @ normal) + beyond[hit] * (facing @ side)) * turn
        trust = 1.0 / (1.0 + (residual / tolerance) ** 2)
        columns = np.stack([slide, spin], 1)
        system = columns.T @ (trust[:, None] * columns) + 1e-9 * np.eye(2)
        return np.clip(-np.linalg.solve(system, columns.T @ (trust * residual)), -0.05, 0.05)
