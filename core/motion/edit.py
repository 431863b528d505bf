"""Clips mirrored, cut, resampled and thinned."""

from __future__ import annotations

import numpy as np

from ..errors import BadMotion
from ..geometry.rotation import slerp
from ..skeleton.preset import other_side
from .clip import MotionClip

DRIFTS = 0.3  # leg lengths a second: who goes slower than a foot that seems to stand does not walk


def mirrored(clip: MotionClip) -> MotionClip:
    """What the left side did, the right side does. Of a skeleton that stands mirrored about the plane x = 0."""
    at = {name: bone for bone, name in enumerate(clip.rig.names)}
    order = [at.get(other_side(name), bone) for bone, name in enumerate(clip.rig.names)]
    foot = {name: i for i, name in enumerate(clip.feet)}
    feet = [foot.get(other_side(name), i) for i, name in enumerate(clip.feet)]
    return clip.changed(rotations=clip.rotations[:, order] * [1, 1, -1, -1], root=clip.root * [-1, 1, 1],
                        stride=np.multiply(clip.stride, [-1, 1, 1]), contacts=clip.contacts[:, feet])


def trimmed(clip: MotionClip, first: int = 0, last: int = -1) -> MotionClip:
    """The frames from `first` to `last`, both counted from 0 and kept; -1 is the end. Part of a loop is no loop.

    Raises BadMotion if no two frames are left.
    """
    count = len(clip.root)
    end = count - 1 if last < 0 else min(last, count - 1)
    if first == 0 and end == count - 1:
        return clip
    if 0 <= first == end:
        raise BadMotion(f"The motion '{clip.name}' has frames 0 to {count - 1}: only frame {first} is left of it, and "
                        "a motion takes two. Choose other ends.")
    if not 0 <= first < end:
        raise BadMotion(f"The motion '{clip.name}' has frames 0 to {count - 1}: nothing is left from {first} to "
                        f"{last}. Choose other ends.")
    part = slice(first, end + 1)
    return clip.changed(rotations=clip.rotations[part], root=clip.root[part], contacts=clip.contacts[part], loop=False,
                        stride=np.zeros(3))


def resampled(clip: MotionClip, rate: float) -> MotionClip:
    """The clip at another number of frames a second, as long as before; a loop by a whole number of frames.

    Rotations go the shorter way from frame to frame, contacts are the nearest frame's.  Raises BadMotion.
    """
    if not 1 <= rate <= 1000:
        raise BadMotion(f"{rate:g} frames a second make no motion. Choose a rate between 1 and 1000.")
    count = len(clip.root)
    rounds = max(2, round(clip.seconds * rate)) if clip.loop else 0
    at = np.arange(rounds) * (count / rounds) if clip.loop else np.arange(
        0, (count - 1) / clip.rate + 1e-9, 1 / rate) * clip.rate
    low = np.minimum(at.astype(int), count - 1)
    part = at - low
    after = (low + 1) % count if clip.loop else np.minimum(low + 1, count - 1)
    ahead = clip.root[after] + (after < low)[:, None] * clip.stride
    return clip.changed(rotations=slerp(clip.rotations[low], clip.rotations[after], part[:, None]),
                        root=clip.root[low] + part[:, None] * (ahead - clip.root[low]),
                        contacts=clip.contacts[np.where(part < 0.5, low, after)],
                        rate=rounds / clip.seconds if clip.loop else float(rate))


def without_drift(root: np.ndarray, stride: np.ndarray, rate: float, leg: float, loop: bool
                  ) -> tuple[np.ndarray, np.ndarray]:
    """The way (T, 3) and the stride (3,) of a motion that ends where it began, if what it goes is no travel but drift:
    slow, and of a motion that does not repeat less than a leg's length. A loop does not climb either.

    root : Z up;  rate : frames a second;  leg : length of the character's legs, in its units
    """
    frames = len(root)
    way = np.array(stride) if loop else (root[-1] - root[0]) * [1, 1, 0]
    seconds = frames / rate if loop else max(frames - 1, 1) / rate
    far = float(np.linalg.norm(way[:2]))
    if far / seconds > DRIFTS * leg or (not loop and far > leg):
        way[:] = 0.0
    part = np.arange(frames) / (frames if loop else max(frames - 1, 1))
    return root - part[:, None] * way, np.array(stride) - way if loop else np.array(stride)


def kept_keys(times: np.ndarray, values: np.ndarray, tolerance: float) -> np.ndarray:
    """Numbers of the keys that straight lines between them need to stay within `tolerance` of all (T, K) values.

    The key that is farthest off is kept, then the same on both its sides (Ramer, Douglas & Peucker): O(T log T) where
    halves are alike. The first and the last are always kept.
    """
    kept, spans = {0, len(times) - 1}, [(0, len(times) - 1)]
    while spans:
        first, last = spans.pop()
        if last - first < 2:
            continue
        inner = np.arange(first + 1, last)
        share = ((times[inner] - times[first]) / (times[last] - times[first]))[:, None]
        off = np.linalg.norm(values[inner] - (1 - share) * values[first] - share * values[last], axis=1)
        worst = int(off.argmax())
        if off[worst] > tolerance:
            kept.add(int(inner[worst]))
            spans += [(first, int(inner[worst])), (int(inner[worst]), last)]
    return np.array(sorted(kept))
