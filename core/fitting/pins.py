"""Joints an artist has pinned: exact in the result, mirrored on request, and everything between them adapts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import BadHint
from ..geometry.frame import Frame
from ..geometry.symmetry import MirrorPlane
from ..skeleton.reduce import ReducedTemplate
from ..skeleton.template import SkeletonTemplate

Pins = dict[int, np.ndarray]

# A pin so many times the character's longest side away from it is a slip of units or of the file: centimetres in place
# of metres put an ankle seven times as far, an elbow sixty. Unit frame.
FARTHEST = 5.0


def read_hints(frame: Frame, template: SkeletonTemplate, hints: dict[str, np.ndarray]) -> Pins:
    """{template joint: (3,) unit frame} of the artist's pins. Raises BadHint, naming the joint."""
    pins = {}
    for name, position in hints.items():
        if name not in template.names:
            raise BadHint(f"Pin '{name}': the preset '{template.name}' has no such joint. It has: "
                          f"{', '.join(template.names)}.")
        pins[template.index(name)] = frame.to_unit(read_place(frame, name, position)[None])[0]
    return pins


def read_place(frame: Frame, name: str, position) -> np.ndarray:
    """(3,) object space, where an artist has pinned a joint. Raises BadHint, naming the joint."""
    point = np.asarray(position, float)
    if point.shape != (3,) or not np.isfinite(point).all():
        raise BadHint(f"Pin '{name}': its position must be three finite numbers.")
    if not np.abs(point - frame.origin).max() <= FARTHEST * frame.scale:
        raise BadHint(f"Pin '{name}': its position is more than {FARTHEST:.0f} times the character's size away "
                      "from it. Check the unit it is given in.")
    return point


def mirror_pins(pins: Pins, template: SkeletonTemplate, plane: MirrorPlane, *, tolerance: float) -> Pins | None:
    """The pins and their mirror images; None if they contradict the mirror plane by more than `tolerance`.

    A joint of one side speaks for its partner. A joint of the middle must lie on the plane, two partners mirror.
    """
    both = dict(pins)
    for joint, point in pins.items():
        partner = int(template.mirror[joint])
        image = plane.reflect(point[None])[0]
        other = point if partner < 0 else pins.get(partner, image)
        if np.linalg.norm(other - image) > tolerance:
            return None
        both.setdefault(partner if partner >= 0 else joint, image)
    return both


def contradicted(free: np.ndarray, reduced: ReducedTemplate, pins: Pins, far: float) -> list[int]:
    """The joints of limbs that lie elsewhere than they were found: a pin on them is `far` from where it was.

    free : (J, 3) where the joints would be without pins, unit frame
    """
    off = {j for j, place in pins.items() if np.linalg.norm(place - free[j]) >= far}
    return [int(j) for chain in reduced.chains if not off.isdisjoint(chain) for j in chain] if off else []


@dataclass(frozen=True, eq=False)
class Bends:
    """The knees and elbows of a template.

    joints : (N, 3) the joint above, the one that bends, the one below;  sides : (N, 3) where the lowest goes in bending
    """

    joints: np.ndarray
    sides: np.ndarray

    @classmethod
    def of(cls, template: SkeletonTemplate) -> Bends:
        """Those between two bones that both bend, the one hanging on the other's end."""
        bones = {bone.name: bone for bone in template.bones}
        pairs = [(bones[b.parent], b) for b in template.bones if b.parent is not None and bones[b.parent].tail == b.head
                 and any(b.bend) and any(bones[b.parent].bend)]
        joints = [[template.index(n) for n in (above.head, bone.head, bone.tail)] for above, bone in pairs]
        return cls(np.array(joints, int).reshape(-1, 3), np.array([b.bend for _, b in pairs], float).reshape(-1, 3))

    def across(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(N,) how far each joint lies on the side it does not bend to, by the length of the line past it; (N, 3) that
        side's direction, orthogonal to the line; (N,) the line's length.  places : (J, 3)"""
        start, middle, end = (places[self.joints[:, k]] for k in range(3))
        line = end - start
        length = np.maximum(np.linalg.norm(line, axis=1), 1e-12)
        along = line / length[:, None]
        side = (self.sides * along).sum(1)[:, None] * along - self.sides
        size = np.linalg.norm(side, axis=1, keepdims=True)
        side = np.where(size > 1e-6, side / np.maximum(size, 1e-12), 0.0)
        return ((middle - start) * side).sum(1) / length, side, length

    def kept(self, joints: np.ndarray, free: np.ndarray, fixed: np.ndarray) -> np.ndarray:
        """(J, 3) joints of which none is bent the wrong way, unless it was before anything was pinned.

        joints, free : (J, 3) with and without pins, unit frame;  fixed : (J,) pinned joints, which stay
        One that is bent so comes back to the line, or to as far beyond it as it was, measured by the line's length.
        """
        now, side, length = self.across(joints)
        before = self.across(free)[0]
        wrong = (now < np.minimum(before, 0.0)) & ~fixed[self.joints[:, 1]]
        out = joints.copy()
        out[self.joints[wrong, 1]] += side[wrong] * ((np.minimum(before, 0.0) - now) * length)[wrong, None]
        return out


def spread_pins(joints: np.ndarray, reduced: ReducedTemplate, pins: Pins) -> np.ndarray:
    """(J, 3) joints with the pinned ones in place, the others moved along.

    joints : (J, 3) where the joints would be without pins, unit frame
    Along each chain the displacement falls evenly from a pinned joint to the next pinned one or to the chain's end. A
    pinned branching joint takes the spine with it, not the limbs: they were measured where they are.
    """
    shift = np.zeros_like(joints)
    for joint, point in pins.items():
        shift[joint] = point - joints[joint]
    for r, chain in enumerate(reduced.chains):
        if reduced.parents[r] < 0:
            continue
        line = [int(reduced.joints[reduced.parents[r]]), *chain]
        step = np.linalg.norm(np.diff(joints[line], axis=0), axis=1)
        along = np.concatenate([[0.0], np.cumsum(step)])
        held = [k for k, j in enumerate(line) if j in pins or k in (0, len(line) - 1)]
        known = shift[line][held]
        if reduced.mirror[r] >= 0:
            known[0] = 0.0
        for axis in range(3):
            shift[line[1:], axis] = np.interp(along, along[held], known[:, axis])[1:]
    return joints + shift
