"""Bodies that are down: who lies, sits on the floor, kneels, crawls or rolls touches it with other parts than feet."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import uniform_filter1d

from .kinematics import Kinematics
from .sole import AT_ONCE, Skin, directions, upward

DOWN = (0.65, 0.5)  # of the hips' height at rest: above the first a body stands, below the second it is down
LEVEL, LOW = (0.6, 0.3), (0.85, 0.7)  # of its height at rest: a trunk that lies, and hips it may then have
TOUCHES = (0.4, 0.25)  # of a leg: joints higher than the first are in the air, those below the second lie on the floor
EVEN = 0.1  # seconds to either side over which the body evens out its way up and down
OWNS = 0.3  # a vertex speaks for a bone that it follows at least so much


class Hull:
    """Points of a skin that touch the floor first, however its bones are turned.

    skin : in the frame of the kinematics' rig;  bones : those whose points count, None all
    within : numbers of the vertices that count, None all
    """

    def __init__(self, skin: Skin, kinematics: Kinematics, bones=None, within=None):
        rig = kinematics.rig
        ways = np.concatenate([directions(8, 3), -directions(8, 3)])
        kept: set[int] = set()
        for bone in range(len(rig.names)) if bones is None else bones:
            own = np.flatnonzero(np.asarray(skin.weights[:, bone].todense()).ravel() >= OWNS)
            if within is not None:
                own = np.intersect1d(own, within)
            if len(own):
                kept |= set(own[(skin.vertices[own] @ ways.T).argmax(0)].tolist())
        some = sorted(kept)
        self.is_empty = not some
        share = np.asarray(skin.weights[some].todense())
        arms = skin.vertices[some][:, None] - rig.heads
        turned = (share[..., None] * arms).reshape(len(some), 3 * len(rig.names))
        self._parts = np.concatenate([turned, share], axis=1).T

    def lowest(self, turns: np.ndarray, heads: np.ndarray) -> np.ndarray:
        """(T,) height of the lowest point.  turns, heads : (T, B, 4), (T, B, 3)"""
        out = [(np.concatenate([upward(q).reshape(len(q), -1), h[..., 2]], axis=1) @ self._parts).min(1)
               for q, h in ((turns[i:i + AT_ONCE // 10], heads[i:i + AT_ONCE // 10])
                            for i in range(0, len(turns), AT_ONCE // 10))]
        return np.concatenate(out) if out else np.zeros(0)


def downness(hips: np.ndarray, rest: float, trunk: np.ndarray, lowest: np.ndarray, leg: float) -> np.ndarray:
    """(T,) 1 where a body lies on the floor with whatever it has, 0 where it stands or is in the air.

    hips, lowest : (T,) heights of the hips and of the lowest joint over the floor;  rest : the hips' at rest
    trunk : (T,) height of its upper end over the hips, of that at rest: a thick body that lies has its hips high
    """
    ease = lambda x, ends: _smooth((ends[0] - x) / (ends[0] - ends[1]))  # noqa: E731 - one line, used often
    lies = ease(trunk, LEVEL) * ease(hips / rest, LOW)
    return np.maximum(ease(hips / rest, DOWN), lies) * ease(lowest / leg, TOUCHES)


def laid_down(turns: np.ndarray, root: np.ndarray, down: np.ndarray, hull: Hull, kinematics: Kinematics,
              ground: float, rate: float, loop: bool = False) -> np.ndarray:
    """(T, 3) the root moved up or down so that what touches the ground first lies on it where the body is down.

    Bodies of other girth lie at other heights: legs' lengths say nothing there.
    """
    some = np.flatnonzero(down > 0)
    if not len(some):
        return root
    gap = np.zeros(len(root))
    gap[some] = down[some] * (hull.lowest(turns[some], kinematics.heads(turns[some], root[some])) - ground)
    width = 2 * round(EVEN * rate) + 1
    mode = "wrap" if loop else "nearest"
    gap = uniform_filter1d(uniform_filter1d(gap, width, mode=mode), width, mode=mode)
    return root - gap[:, None] * [0.0, 0.0, 1.0]


def _smooth(x):
    x = np.clip(x, 0.0, 1.0)
    return x * x * (3 - 2 * x)
