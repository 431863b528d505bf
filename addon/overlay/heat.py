"""Where weights are bad, as triangles with a colour at each corner, lifted off the skin. Arrays only."""

from __future__ import annotations

import numpy as np

from ...core.picture.heatmap import heat_colors

LEAST = 0.25  # badness from which a place is coloured: below it every good skin has some
LIFT = 0.002  # of the body's size towards the viewer, so that the skin does not hide it


def bad_faces(triangles: np.ndarray, badness: np.ndarray) -> np.ndarray:
    """(T, 3) those of the triangles (F, 3) that have a corner worth a colour.  badness : (V,) 0 to 1"""
    return triangles[(badness[triangles] >= LEAST).any(1)]


def colors(badness: np.ndarray) -> np.ndarray:
    """(N, 4) colours for the screen: nothing where all is well, denser the worse."""
    linear = heat_colors(np.clip(badness, 0.0, 1.0) * 0.7 + 0.1)
    opacity = np.clip((badness - 0.5 * LEAST) / (1.0 - 0.5 * LEAST), 0.0, 1.0) ** 0.5
    return np.c_[np.clip(linear, 0.0, 1.0) ** (1 / 2.2), 0.85 * opacity]


def lifted(points: np.ndarray, view: np.ndarray, perspective: bool, by: float) -> np.ndarray:
    """(N, 3) points in the world moved towards the viewer.  view : (4, 4) world to view;  by : how far"""
    back = np.linalg.inv(view)
    if not perspective:
        return points + by * back[:3, 2]
    away = back[:3, 3] - points
    return points + by * away / np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-30)
