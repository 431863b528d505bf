"""Motions recorded or written on the spot: the way their feet slide back is the way they would have gone."""

from __future__ import annotations

import numpy as np

from .clip import MotionClip
from .contacts import ContactOptions, speeds

SLOWEST = 0.35  # leg lengths a second: feet that slide less stand badly, but on the ground
ALONG, MOST = 0.3, 0.75  # of the belt's speed, of the frames: how fast low feet go along at least, and how many of them
STILL = 0.15  # of the belt's speed: a body that goes faster over the ground is not on the spot


def belt_velocity(places: np.ndarray, contacts: np.ndarray | None, root: np.ndarray, rate: float, leg_length: float,
                  options: ContactOptions, loop: bool, stride) -> np.ndarray:
    """(3,) how fast the ground goes under a motion on the spot, level; zeros if it goes anywhere, or its feet stand.

    places : (T, P, 3) pivots, character's frame;  contacts : (T, P), None takes the lowest frames;  root : (T, 3)
    """
    frames = len(places)
    if frames < 5:
        return np.zeros(3)
    velocity = speeds(places, rate, loop, stride) * [1, 1, 0]
    if contacts is None or not contacts.any():
        contacts = places[..., 2] - np.percentile(places[..., 2], 3, axis=0) < options.height * leg_length
    standing = velocity[contacts]
    if len(standing) < 4:
        return np.zeros(3)
    belt = np.median(standing, axis=0)
    speed = float(np.linalg.norm(belt))
    travel = np.asarray(stride, float) * [1, 1, 0] if loop else (root[-1] - root[0]) * [1, 1, 0]
    goes = float(np.linalg.norm(travel)) * rate / frames
    if speed < SLOWEST * leg_length or goes > STILL * speed:
        return np.zeros(3)
    along = standing @ (belt / speed)
    aside = np.linalg.norm(standing - along[:, None] * belt / speed, axis=1)
    is_belt = (along > ALONG * speed) & (aside < along)
    return belt if is_belt.mean() > MOST else np.zeros(3)


def off_the_belt(clip: MotionClip, belt: np.ndarray) -> MotionClip:
    """The clip as it would go over the ground.  belt : (3,) in the clip's space, units a second."""
    frames = len(clip.root)
    way = -np.asarray(belt) / clip.rate
    return clip.changed(root=clip.root + np.arange(frames)[:, None] * way,
                        stride=clip.stride + frames * way if clip.loop else clip.stride)
