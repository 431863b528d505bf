"""Joints an artist has pinned: exact in the result, mirrored on request, and everything between them adapts."""

from __future__ import annotations

import numpy as np

from ..errors import BadHint
from ..geometry.frame import Frame
from ..geometry.symmetry import MirrorPlane
from ..skeleton.reduce import ReducedTemplate
from ..skeleton.template import SkeletonTemplate

Pins = dict[int, np.ndarray]

# A pin so many times the character's longest side away from it is a slip of units or of the file. Unit frame.
FARTHEST = 100.0


def read_hints(frame: Frame, template: SkeletonTemplate, hints: dict[str, np.ndarray]) -> Pins:
    """{template joint: (3,) unit frame} of the artist's pins. Raises BadHint, naming the joint."""
    pins = {}
    for name, position in hints.items():
        if name not in template.names:
            raise BadHint(f"Pin '{name}': the preset '{template.name}' has no such joint. It has: "
                          f"{', '.join(template.names)}.")
        point = np.asarray(position, float)
        if point.shape != (3,) or not np.isfinite(point).all():
            raise BadHint(f"Pin '{name}': its position must be three finite numbers.")
        if not np.abs(point - frame.origin).max() <= FARTHEST * frame.scale:
            raise BadHint(f"Pin '{name}': its position is more than {FARTHEST:.0f} times the character's size away "
                          "from it. Check the unit it is given in.")
        pins[template.index(name)] = frame.to_unit(point[None])[0]
    return pins


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


def contradicted(free: np.ndarray, reduced: ReducedTemplate, pins: Pins, far: float) -> np.ndarray:
    """(J,) the joints of limbs that lie elsewhere than they were found: a pin on them is `far` from where it was.

    free : (J, 3) where the joints would be without pins, unit frame
    """
    found = np.zeros(len(free), bool)
    for chain in reduced.chains:
        line = list(chain)
        found[line] = any(np.linalg.norm(pins[j] - free[j]) >= far for j in line if j in pins)
    return found


def keep_bends(joints: np.ndarray, free: np.ndarray, template: SkeletonTemplate, fixed: np.ndarray) -> np.ndarray:
    """(J, 3) joints of which no knee or elbow is bent the wrong way, unless it was before anything was pinned.

    joints, free : (J, 3) with and without pins, unit frame;  fixed : (J,) pinned joints, which stay
    A joint between two bones of which the lower one bends lies on the other side of the line from end to end. One that
    does not is brought back to as far from the line as it was, measured by the line's length.
    """
    out, bones = joints.copy(), {bone.name: bone for bone in template.bones}
    for bone in template.bones:
        above = bones.get(bone.parent or "")
        if above is None or above.tail != bone.head or not any(bone.bend) or not any(above.bend):
            continue
        start, middle, end = (template.index(n) for n in (above.head, bone.head, bone.tail))
        if fixed[middle]:
            continue
        now, before = (_bent(places[[start, middle, end]], np.array(bone.bend)) for places in (out, free))
        least = min(before, 0.0)
        if now < least:
            line = out[end] - out[start]
            side = _across(np.array(bone.bend, float), line)
            out[middle] -= side * (max(before, 0.0) - now) * np.linalg.norm(line)
    return out


def _across(bend: np.ndarray, line: np.ndarray) -> np.ndarray:
    """(3,) the unit vector nearest to `bend` that is orthogonal to a line; zero where there is none."""
    along = line / max(float(np.linalg.norm(line)), 1e-12)
    side = bend - along * (bend @ along)
    length = float(np.linalg.norm(side))
    return side / length if length > 1e-6 else np.zeros(3)


def _bent(three: np.ndarray, bend: np.ndarray) -> float:
    """How far the middle one of (3, 3) joints lies on the side it does not bend to, by the length of the line."""
    line = three[2] - three[0]
    length = max(float(np.linalg.norm(line)), 1e-12)
    return -float((three[1] - three[0]) @ _across(bend, line)) / length


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
