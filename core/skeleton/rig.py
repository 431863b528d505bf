"""The result of fitting: bones with a head and a tail."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays import frozen
from ..errors import BadRig

DOUBTFUL = 0.5  # a joint less likely right than this is more likely wrong than right: it is shown as doubtful


@dataclass(frozen=True, eq=False)
class Rig:
    """A skeleton of B bones, in object space.

    names : B bone names;  parents : (B,) index of the parent bone, -1 = root
    heads, tails : (B, 3) where each bone begins and ends
    x_axes : (B, 3) local X of each bone, unit length, orthogonal to it; a positive turn about it bends the joint
    connected : (B,) the head sits on the parent's tail;  deform : (B,) the bone moves skin
    collections : B names of bone collections
    joints : {name: (3,)} every joint of the template, tips included, for hints and reports; empty for other rigs
    penalty : {term: value} of the embedding the rig came from; empty for other rigs
    warnings : messages for the artist about what may be wrong
    confidence : {joint: 0 to 1} how likely each joint of `joints` is right; empty for other rigs
    reading, readings : which of a body's readings this is, 0 the likeliest, and how many there are
    says : what this reading takes the body for, in the artist's words
    chains : the `Chain`s among its bones that were added to what was fitted: fingers; empty for other rigs
    things : names of what was found to hang on the body or to be held by it, whether it has bones or not
    up : (3,) unit, which way the body stands where that is known, or None
    """

    names: tuple[str, ...]
    parents: np.ndarray
    heads: np.ndarray
    tails: np.ndarray
    x_axes: np.ndarray | None = None
    connected: np.ndarray | None = None
    deform: np.ndarray | None = None
    collections: tuple[str, ...] | None = None
    joints: dict = field(default_factory=dict)
    penalty: dict = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    confidence: dict = field(default_factory=dict)
    reading: int = 0
    readings: int = 1
    says: str = ""
    chains: tuple = ()
    things: tuple[str, ...] = ()
    up: np.ndarray | None = None

    def __post_init__(self):
        names = tuple(str(n) for n in self.names)
        count = len(names)
        put = lambda key, value: object.__setattr__(self, key, value)  # noqa: E731 - one line beats a method here
        put("names", names)
        put("parents", frozen(self.parents, np.int32, (count,), "parents"))
        put("heads", frozen(self.heads, np.float64, (count, 3), "heads"))
        put("tails", frozen(self.tails, np.float64, (count, 3), "tails"))
        if len(set(names)) != count:
            raise BadRig("Two bones share a name. Rename one of them.")
        if not (np.isfinite(self.heads).all() and np.isfinite(self.tails).all()):
            raise BadRig("A bone has a position that is not a finite number. Delete it or set its position.")
        if count and (self.parents.max() >= count or self.parents.min() < -1):
            raise ValueError("parents index bones or are -1")
        above = self.parents
        for _ in range(count.bit_length()):  # twice as far up each time
            above = np.where(above >= 0, above[above], -1)
        if (above >= 0).any():
            raise BadRig("The skeleton's bones hang in a circle: a bone is its own ancestor. Give it another parent.")
        x_axes = bend_axes(self.tails - self.heads, np.zeros((count, 3))) if self.x_axes is None else self.x_axes
        put("x_axes", frozen(x_axes, np.float64, (count, 3), "x_axes"))
        put("connected", frozen(np.zeros(count) if self.connected is None else self.connected, bool, (count,),
                                "connected"))
        put("deform", frozen(np.ones(count) if self.deform is None else self.deform, bool, (count,), "deform"))
        put("collections", tuple(self.collections) if self.collections is not None else ("Deform",) * count)

    def only(self, bones) -> Rig:
        """The rig with some of its bones, in their order here; a bone hangs on its nearest ancestor that is kept."""
        wanted = set(bones)
        kept = [i for i, name in enumerate(self.names) if name in wanted]
        number = {old: new for new, old in enumerate(kept)}

        def ancestor(i: int) -> int:
            while i >= 0 and i not in number:
                i = int(self.parents[i])
            return number.get(i, -1)

        parents = [ancestor(int(self.parents[i])) for i in kept]
        connected = [bool(self.connected[i]) and int(self.parents[i]) in number for i in kept]
        return replace(self, names=tuple(self.names[i] for i in kept), parents=np.array(parents, int).reshape(-1),
                       heads=self.heads[kept], tails=self.tails[kept], x_axes=self.x_axes[kept],
                       connected=np.array(connected, bool), deform=self.deform[kept],
                       collections=tuple(self.collections[i] for i in kept),
                       chains=tuple(c for c in self.chains if set(c.bones) <= wanted))


def bend_axes(directions: np.ndarray, bends: np.ndarray) -> np.ndarray:
    """Local X of bones so that a positive turn about it moves the tail towards `bends`.

    directions, bends : (B, 3), bends may be zero.  Returns (B, 3) unit vectors orthogonal to `directions`.
    Where the two are parallel or one is zero, the world axis least along the bone decides.
    """
    axis = np.cross(directions, bends)
    length = np.linalg.norm(axis, axis=1)
    size = np.linalg.norm(directions, axis=1) * np.linalg.norm(bends, axis=1)
    weak = length <= 1e-6 * np.maximum(size, 1e-300)
    along = np.where(np.linalg.norm(directions, axis=1, keepdims=True) > 0, directions, [0.0, 0.0, 1.0])
    fallback = np.cross(along, np.eye(3)[np.abs(along).argmin(1)])
    axis = np.where(weak[:, None], fallback, axis)
    return axis / np.linalg.norm(axis, axis=1, keepdims=True)


def doubtful(rig: Rig) -> tuple[str, ...]:
    """The joints that are more likely wrong than right, in the order of `rig.joints`.

    A pinned joint is never among them: its confidence is 1.
    """
    return tuple(name for name in rig.joints if rig.confidence.get(name, 1.0) < DOUBTFUL)
