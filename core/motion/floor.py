"""The floor of a motion, found from what stands on it over the whole clip: rest poses and files' zeros are hints."""

from __future__ import annotations

import numpy as np

from .contacts import runs, slowest

SLOW = 0.3  # leg lengths a second: a point that goes slower may stand
LASTS = 0.12  # seconds: what is slow for less only turns round
BAND = 0.06  # of a leg: feet stand on one floor within this, boots, noise and all
UNDER = 0.08  # of a leg: a body part so far below the feet's floor lies on a lower one
AWAY = 1.5  # of a leg: the file's own ground farther below than this is not what the body moves over
STEEPEST = 0.05  # a floor that leans by more than three degrees is a hill, not a camera set up badly
EXPLAINS = 0.5  # of the feet's unevenness (its square) may be left by a plane that leans; else they are just uneven
STEPS = 6  # fewer say nothing of how a floor leans
LEVEL = 0.5  # of a leg: feet that go no farther than this say nothing of how the floor leans


def floor_height(places: np.ndarray, joints: np.ndarray, rate: float, leg: float, hints) -> tuple[float, bool]:
    """How high the floor is, and whether feet were seen to stand on it.

    places : (T, P, 3) pivots of the feet, joints : (T, K, 3) all joints of the body; Z up;  rate : frames a second
    leg : its length;  hints : heights of grounds that the file tells of: the rest pose's, 0
    Feet stand on the lowest height at which the lowest pivot keeps still for a while. Where none ever does (a swimmer,
    a climber, a roll) a hint below the body is taken, the highest; without one, the lowest place a joint comes to.
    """
    lowest_joint = float(np.percentile(joints[..., 2].min(1), 1))
    if not places.shape[1]:
        return _hinted(lowest_joint, leg, hints), False
    points, weight = _stands(places, rate, leg)
    if not len(points):
        return _hinted(lowest_joint, leg, hints), False
    order = np.argsort(points[:, 2], kind="stable")
    level, weight = points[order, 2], weight[order]
    near = level < level[0] + BAND * leg
    middle = float(level[near][np.searchsorted(np.cumsum(weight[near]), weight[near].sum() / 2)])
    if lowest_joint < middle - UNDER * leg:
        return lowest_joint, False
    return middle, True


def floor_lean(places: np.ndarray, rate: float, leg: float) -> tuple[np.ndarray, np.ndarray]:
    """(2,) how the floor rises along X and Y, and (2,) where it has its height: zeros for a level one.

    Recordings lean by a degree, so that walkers climb a few per cent of a leg. A plane through what stands on the
    floor, weighted by how long, pulled to the level: least squares with a ridge. Stairs are no lean.
    """
    points, weight = _stands(places, rate, leg) if places.shape[1] else (np.zeros((0, 3)), np.zeros(0))
    if len(points) < STEPS:
        return np.zeros(2), np.zeros(2)
    near = np.abs(points[:, 2] - np.median(points[:, 2])) < BAND * leg
    if not near.any():  # as many stands on one height as on another: two floors
        return np.zeros(2), np.zeros(2)
    points, weight = points[near], weight[near]
    middle = weight @ points / weight.sum()
    flat, high = (points - middle)[:, :2], (points - middle)[:, 2]
    ridge = weight.sum() * (LEVEL * leg)**2 * np.eye(2)
    lean = np.linalg.solve(flat.T @ (weight[:, None] * flat) + ridge, flat.T @ (weight * high))
    left = weight @ (high - flat @ lean)**2
    leans = np.linalg.norm(lean) < STEEPEST and left < EXPLAINS * (weight @ high**2)
    return (lean if leans else np.zeros(2)), middle[:2]


def _stands(places: np.ndarray, rate: float, leg: float) -> tuple[np.ndarray, np.ndarray]:
    """(N, 3) places where the lowest pivot keeps still, and (N,) for how many frames."""
    high = places[..., 2]
    still = (high < high.min(1, keepdims=True) + BAND * leg / 2) & (slowest(places, rate) < SLOW * leg)
    frames = max(2, round(LASTS * rate))
    spans = [(p, first, last) for p in range(high.shape[1]) for first, last in runs(still[:, p])
             if last - first >= frames]
    points = [np.median(places[first:last, p], axis=0) for p, first, last in spans]
    return np.array(points).reshape(-1, 3), np.array([last - first for _, first, last in spans], float)


def _hinted(lowest: float, leg: float, hints) -> float:
    """The highest hint that is not above the body and not far below it, else the body's lowest place."""
    good = [h for h in hints if lowest - AWAY * leg < h < lowest + BAND * leg]
    return max(good, default=lowest)
