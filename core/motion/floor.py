"""The floor of a motion, found from what stands on it over the whole clip: rest poses and files' zeros are hints."""

from __future__ import annotations

import numpy as np

from .contacts import runs, slowest

SLOW = 0.3  # leg lengths a second: a point that goes slower may stand
LASTS = 0.12  # seconds: what is slow for less only turns round
BAND = 0.06  # of a leg: feet stand on one floor within this, boots, noise and all
UNDER = 0.08  # of a leg: a body part so far below the feet's floor lies on a lower one
AWAY = 1.5  # of a leg: the file's own ground farther below than this is not what the body moves over


def floor_height(places: np.ndarray, joints: np.ndarray, rate: float, leg: float, hints=()) -> tuple[float, bool]:
    """How high the floor is, and whether feet were seen to stand on it.

    places : (T, P, 3) pivots of the feet, joints : (T, K, 3) all joints of the body; Z up;  leg : its length
    hints : heights of grounds that the file tells of: the rest pose's, 0
    Feet stand on the lowest height at which the lowest pivot keeps still for a while. Where none ever does (a swimmer,
    a climber) a hint below the body is taken, the highest; without one, the lowest place the body comes to.
    """
    lowest_joint = float(np.percentile(joints[..., 2].min(1), 1))
    if not places.shape[1]:
        return _hinted(lowest_joint, leg, hints), False
    high = places[..., 2]
    is_low = high < high.min(1, keepdims=True) + BAND * leg / 2
    still = is_low & (slowest(places, rate) < SLOW * leg)
    frames = max(2, round(LASTS * rate))
    heights = [float(np.median(high[first:last, p])) for p in range(high.shape[1]) for first, last in runs(still[:, p])
               if last - first >= frames]
    weights = [last - first for p in range(high.shape[1]) for first, last in runs(still[:, p])
               if last - first >= frames]
    if not heights:
        return _hinted(min(float(np.percentile(high.min(1), 1)), lowest_joint), leg, hints), False
    order = np.argsort(heights, kind="stable")
    level, weight = np.array(heights)[order], np.array(weights, float)[order]
    near = level < level[0] + BAND * leg
    middle = float(level[near][np.searchsorted(np.cumsum(weight[near]), weight[near].sum() / 2)])
    if lowest_joint < middle - UNDER * leg:
        return lowest_joint, False
    return middle, True


def _hinted(lowest: float, leg: float, hints) -> float:
    """The highest hint that is not above the body and not far below it, else the body's lowest place."""
    good = [h for h in hints if lowest - AWAY * leg < h < lowest + BAND * leg]
    return max(good, default=lowest)
