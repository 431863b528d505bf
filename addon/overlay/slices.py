"""A cut through the distance field, as triangles with a colour at each corner. Arrays only."""

from __future__ import annotations

import numpy as np

AXES = {"X": 0, "Y": 1, "Z": 2}
CELLS = 192  # along the longer side of a cut
SHALLOW, DEEP = np.array([0.10, 0.25, 0.75]), np.array([1.0, 0.92, 0.35])
LINES = 5  # lines of equal depth from the skin to the deepest place
FADE = 0.01  # how far outside, in units of the body's size, the colours fade away


def cut(low: np.ndarray, high: np.ndarray, axis: int, position: float) -> np.ndarray:
    """(N, M, 3) points of a plane through a box, square cells, rows and columns along the two other axes.

    low, high : (3,) corners of the box;  position : where on the axis, 0 = low, 1 = high
    """
    first, second = (a for a in range(3) if a != axis)
    size = np.maximum(high - low, 1e-9)
    step = max(size[first], size[second]) / CELLS
    counts = [max(int(np.ceil(size[a] / step)), 1) + 1 for a in (first, second)]
    points = np.empty((*counts, 3))
    points[..., axis] = low[axis] + position * size[axis]
    points[..., first] = np.linspace(low[first], high[first], counts[0])[:, None]
    points[..., second] = np.linspace(low[second], high[second], counts[1])
    return points


def depth_colors(distances: np.ndarray, deepest: float) -> np.ndarray:
    """(..., 4) colours: dark at the skin, bright where the body is thickest, lines of equal depth; outside fades away.

    distances : negative inside;  deepest : the largest depth of the whole body
    """
    depth = np.clip(-distances / max(deepest, 1e-9), 0.0, 1.0)
    colors = np.empty((*distances.shape, 4))
    colors[..., :3] = SHALLOW + depth[..., None] * (DEEP - SHALLOW)
    wave = np.abs((depth * LINES + 0.5) % 1.0 - 0.5)  # 0 on a line
    colors[..., :3] *= np.where(distances < 0, 0.65 + 0.35 * np.clip(wave / 0.2, 0.0, 1.0), 1.0)[..., None]
    colors[..., 3] = np.where(distances < 0, 0.95, 0.4 * np.clip(1.0 - distances / FADE, 0.0, 1.0))
    return colors


def cells(corners: np.ndarray, colors: np.ndarray, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(T, 2) corners of two triangles a cell, and (T, 4) their colours; unseen and transparent cells are left out.

    corners : (N, M, 2) pixels;  colors : (N, M, 4);  seen : (N, M) in front of the viewer
    """
    square = [(slice(None, -1), slice(None, -1)), (slice(1, None), slice(None, -1)), (slice(1, None), slice(1, None)),
              (slice(None, -1), slice(1, None))]
    order = [0, 1, 2, 0, 2, 3]
    kept = np.logical_and.reduce([seen[s] for s in square]) & (np.max([colors[s][..., 3] for s in square], axis=0) > 0)
    at = np.stack([corners[square[k]][kept] for k in order], axis=1)
    paint = np.stack([colors[square[k]][kept] for k in order], axis=1)
    return at.reshape(-1, 2), paint.reshape(-1, 4)
