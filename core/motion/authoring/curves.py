"""Curves over time: waves, and keys joined smoothly."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import CubicHermiteSpline, CubicSpline, PchipInterpolator

from ...geometry.rotation import from_axis_angle, multiply


def wave(phase, amount: float, at: float, times: int = 1) -> np.ndarray:
    """A cosine `times` a round that is highest at phase `at`."""
    return amount * np.cos(2 * np.pi * times * (np.asarray(phase) - at))


def keyed(phase, *keys: tuple[float, float]) -> np.ndarray:
    """A closed curve through (phase, value) keys, phases rising in [0, 1)."""
    at, value = np.array(sorted(keys), float).T
    return CubicSpline(np.append(at, at[0] + 1), np.append(value, value[0]), bc_type="periodic")(phase)


def through(time, *keys: tuple[float, float]) -> np.ndarray:
    """An open curve through (time, value) keys that never overshoots them; flat before and after."""
    at, value = np.array(keys, float).T
    return PchipInterpolator(at, value)(np.clip(time, at[0], at[-1]))


def hermite(time, *keys: tuple[float, float, float]) -> np.ndarray:
    """An open curve through (time, value, slope) keys; flat before and after."""
    at, value, slope = np.array(keys, float).T
    return CubicHermiteSpline(at, value, slope)(np.clip(time, at[0], at[-1]))


def smooth(x) -> np.ndarray:
    """0 to 1 with no slope at either end."""
    x = np.clip(x, 0.0, 1.0)
    return x * x * (3 - 2 * x)


def turn(x=0.0, y=0.0, z=0.0) -> np.ndarray:
    """(T, 4) first about Y, then X, then Z: lean sideways, lean forward, then face; degrees."""
    x, y, z = (np.deg2rad(np.asarray(a, float)) for a in np.broadcast_arrays(x, y, z))
    about = [from_axis_angle(axis, angle) for axis, angle in zip(np.eye(3), (x, y, z), strict=True)]
    return multiply(about[2], multiply(about[0], about[1]))
