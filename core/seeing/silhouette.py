"""A solid cut into level slices: the pieces in each, their places and sizes. Legs and arms show as pieces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import argwhere, boxes
from ..geometry.grid import Grid, grid_around
from ..geometry.mesh import Mesh, used_vertices
from ..geometry.pieces import label_pieces
from ..geometry.shape import Shape
from ..geometry.voxels import sample_surface, surface_voxels, vote_inside


@dataclass(frozen=True, eq=False)
class Slices:
    """The P pieces of all level slices of a solid, lowest slice first; unit frame: the longest side is 1.

    z : (P,) height as a share of the body's;  slice_of : (P,);  area : (P,) square units
    middle, low, high : (P, 2) mean, least and greatest x and y
    size : (3,) of the whole;  centre : x of its mirror plane, or of its middle
    outer : (2, 2) for the left and the right, how deep along y and how tall along z the outermost two fifths are
    inner : (2,) for the left and the right, how deep along y the body is between three and six tenths of the way out,
    where it is least deep
    """

    z: np.ndarray
    slice_of: np.ndarray
    area: np.ndarray
    middle: np.ndarray
    low: np.ndarray
    high: np.ndarray
    size: np.ndarray
    centre: float
    outer: np.ndarray
    inner: np.ndarray

    def pieces(self, low: float, high: float) -> list[np.ndarray]:
        """For each slice between two shares of the height, the indices of its pieces."""
        inside = np.flatnonzero((self.z >= low) & (self.z < high))
        return np.split(inside, np.flatnonzero(np.diff(self.slice_of[inside])) + 1) if len(inside) else []


def slice_shape(shape: Shape) -> Slices:
    """The slices of a prepared character."""
    return slice_solid(shape.body.solid, shape.body.grid)


def slice_mesh(mesh: Mesh) -> Slices:
    """The slices of a mesh in the unit frame that has not been prepared."""
    return slice_solid(*coarse_solid(mesh, resolution=80))


def coarse_solid(mesh: Mesh, *, resolution: int) -> tuple[np.ndarray, Grid]:
    """A quick, coarse solid (nx, ny, nz) of a mesh in the unit frame.  resolution : voxels along its longest side"""
    grid = grid_around(used_vertices(mesh), 1.0 / resolution)
    surface = surface_voxels(grid, sample_surface(mesh, 0.6 * grid.spacing)[0])
    labels, _ = label_pieces(~surface, corners=False)
    enclosed = ~surface & (labels != labels[0, 0, 0])
    solid = (vote_inside(mesh, grid) >= 2) | enclosed
    return (solid if solid.sum() > 0.3 * surface.sum() else surface), grid


def slice_solid(solid: np.ndarray, grid: Grid, *, least: float = 1.5e-4) -> Slices:
    """Cut a solid (nx, ny, nz) into its slices; pieces of less than `least` square units are noise. O(voxels)."""
    at = argwhere(solid)
    first, last = at.min(0), at.max(0)
    solid = solid[tuple(slice(a, b + 1) for a, b in zip(first, last, strict=True))]
    labels, count = label_pieces(solid.transpose(2, 0, 1), corners=True, slices=True)
    at -= first
    piece = labels.transpose(1, 2, 0)[solid] - 1
    number = np.bincount(piece, minlength=count)
    points = grid.centres(at + first)
    middle = np.stack([np.bincount(piece, weights=points[:, d], minlength=count) / number for d in (0, 1)], 1)
    low, high = boxes(points[:, :2], piece, count)
    of = np.zeros(count, int)
    of[piece] = at[:, 2]
    area = number * grid.spacing**2
    keep = np.flatnonzero(area >= least)
    keep = keep[np.argsort(of[keep], kind="stable")]
    size = np.array(solid.shape) * grid.spacing
    centre = _mirror_place(solid, grid, first)
    turns = np.flatnonzero(np.diff(at[:, 0] * solid.shape[1] + at[:, 1]))  # from column to column along z
    rim = points[np.concatenate([[0], turns, turns + 1, [len(at) - 1]])]
    return Slices((of[keep] + 0.5) / solid.shape[2], of[keep], area[keep], middle[keep], low[keep] - grid.spacing / 2,
                  high[keep] + grid.spacing / 2, size, centre, _outer_extents(rim, centre, grid.spacing),
                  _inner_depths(rim, centre, grid.spacing))


def _outer_extents(points: np.ndarray, centre: float, spacing: float) -> np.ndarray:
    """(2, 2) depth and height of the voxels further out than three fifths of the way, to the left and to the right."""
    out = []
    for sign in (1.0, -1.0):
        aside = sign * (points[:, 0] - centre)
        far = points[aside > 0.6 * max(aside.max(), 0.0)]
        out.append(np.ptp(far[:, 1:], axis=0) + spacing if len(far) else np.zeros(2))
    return np.array(out)


def _inner_depths(points: np.ndarray, centre: float, spacing: float) -> np.ndarray:
    """(2,) the least depth of the voxels in each tenth from three to six tenths of the way, to the left and right."""
    out = []
    for sign in (1.0, -1.0):
        aside = sign * (points[:, 0] - centre)
        tenth = np.floor(10 * aside / max(aside.max(), spacing))
        parts = [points[tenth == number, 1] for number in (3, 4, 5)]
        out.append(min(np.ptp(part) + spacing if len(part) else 0.0 for part in parts))
    return np.array(out)


def _mirror_place(solid: np.ndarray, grid: Grid, first: np.ndarray) -> float:
    """x about which the solid, seen from the front, best mirrors itself."""
    profile = solid.any(1).astype(float)
    spectrum = np.fft.rfft(profile, n=2 * len(profile), axis=0)
    match = np.round(np.fft.irfft((spectrum**2).sum(1), n=2 * len(profile)))
    index = len(profile) - 1
    if match.max() > 1.001 * match[index]:
        index = int(match.argmax())
    return float(grid.origin[0] + (first[0] + index / 2 + 0.5) * grid.spacing)
