"""From turns to places and back, for all bones and frames at once."""

from __future__ import annotations

import numpy as np

from ..geometry.rotation import conjugate, multiply, rotate
from ..skeleton.rig import Rig


class Kinematics:
    """A rig's tree, prepared for forward kinematics on arrays (..., B, 4) and (..., B, 3)."""

    def __init__(self, rig: Rig):
        self.rig = rig
        self.parents = np.asarray(rig.parents)
        self.levels = _levels(self.parents)
        count = len(rig.names)
        self.is_root = self.parents < 0
        self._parent = np.where(self.is_root, count, self.parents)  # one past the end stands for "nothing turned"
        base = np.concatenate([rig.heads, np.zeros((1, 3))])
        self.offsets = rig.heads - base[self._parent]
        self.lengths = rig.tails - rig.heads
        self.path = np.eye(count)  # row b: 1 at b and its ancestors
        for level in self.levels[1:]:
            self.path[level] += self.path[self.parents[level]]

    def turns(self, local: np.ndarray) -> np.ndarray:
        """Turns in space of turns against the parent."""
        out = np.array(local, float)
        for level in self.levels[1:]:
            out[..., level, :] = multiply(out[..., self.parents[level], :], out[..., level, :])
        return out

    def local(self, turns: np.ndarray) -> np.ndarray:
        """Turns against the parent of turns in space."""
        out = np.array(turns, float)
        below = ~self.is_root
        out[..., below, :] = multiply(conjugate(turns[..., self.parents[below], :]), turns[..., below, :])
        return out

    def heads(self, turns: np.ndarray, root: np.ndarray) -> np.ndarray:
        """Where the bones begin.  root : (..., 3) how far the root bones have moved since the rest pose."""
        padded = np.concatenate([turns, np.broadcast_to([1.0, 0, 0, 0], (*turns.shape[:-2], 1, 4))], axis=-2)
        steps = rotate(padded[..., self._parent, :], self.offsets)
        return np.matmul(self.path, steps) + np.asarray(root, float)[..., None, :]

    def tails(self, turns: np.ndarray, heads: np.ndarray) -> np.ndarray:
        """Where the bones end."""
        return heads + rotate(turns, self.lengths)


def _levels(parents: np.ndarray) -> list[np.ndarray]:
    """Bones by their distance from the root."""
    depth = np.where(parents < 0, 0, -1)
    for step in range(len(parents)):
        if (depth >= 0).all():
            break
        ready = (depth < 0) & (parents >= 0) & (depth[parents] == step)
        depth[ready] = step + 1
    return [np.flatnonzero(depth == d) for d in range(int(depth.max(initial=-1)) + 1)] or [np.zeros(0, int)]
