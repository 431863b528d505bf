"""Figures of block games: boxes that stand wall to wall, a leg to a leg and an arm to the trunk."""

from __future__ import annotations

import numpy as np

from core.geometry.mesh import Mesh

from .character import Character
from .people import SIDES

PAINT = (0.45, 0.55, 0.75)
_CORNERS = np.array(np.meshgrid([0, 1], [0, 1], [0, 1], indexing="ij")).reshape(3, -1).T
_WALLS = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
                   [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])


def box(name: str, low, high) -> Mesh:
    """A closed box between two corners (3,), eight vertices."""
    low, high = np.minimum(low, high), np.maximum(low, high)
    return Mesh(low + _CORNERS * (high - low), _WALLS, name)


def block_figure(*, head: float = 0.5, trunk: float = 0.75, leg: float = 0.75, limb: float = 0.25, deep: float = 0.25,
                 split: bool = False, layer: float = 0.0) -> Character:
    """A person of six boxes with hanging arms, metres: as it is, the one of a well-known game.

    head : its sides;  trunk, leg : heights;  limb : width of arms and legs;  deep : from front to back
    split : whether every face has corners of its own, as in files with sharp edges
    layer : thickness of the clothes, a box around each box; those of neighbours overlap
    """
    top = leg + trunk
    parts = [box("trunk", (-limb, -deep / 2, leg), (limb, deep / 2, top)),
             box("head", (-head / 2, -head / 2, top), (head / 2, head / 2, top + head))]
    joints = {"hips": (0, 0, leg), "neck": (0, 0, top)}
    for side, sign in (("L", 1), ("R", -1)):
        parts += [box(f"leg {side}", (0, -deep / 2, 0), (sign * limb, deep / 2, leg)),
                  box(f"arm {side}", (sign * limb, -deep / 2, leg), (sign * 2 * limb, deep / 2, top))]
        joints |= {f"thigh.{side}": (sign * limb / 2, 0, leg), f"shin.{side}": (sign * limb / 2, 0, leg / 2),
                   f"upper_arm.{side}": (1.5 * sign * limb, 0, top - limb / 2),
                   f"hand.{side}": (1.5 * sign * limb, 0, leg + 0.15 * trunk)}
    if layer:
        parts += [box(f"over {part.name}", part.vertices.min(0) - layer, part.vertices.max(0) + layer)
                  for part in parts]
    if split:
        parts = [Mesh(part.triangles.reshape(-1, 3), np.arange(36).reshape(-1, 3), part.name) for part in parts]
    return Character("block figure", tuple(parts), tuple(np.array(PAINT) for _ in parts), joints)


def jointed_figure(*, arms: str = "down", gap: float = 0.0, foot: float = 0.3) -> Character:
    """A person of fifteen boxes, three for each limb and two for the trunk, metres: as dolls of game makers are built.

    arms : "down" or "level";  gap : between the boxes of a limb;  foot : height of a foot
    """
    hips, top = foot + 1.7, foot + 3.6
    parts = [box("pelvis", (-1, -.5, hips + gap), (1, .5, hips + .4)),
             box("chest", (-1, -.5, hips + .4 + gap), (1, .5, top)),
             box("head", (-.6, -.6, top + gap), (.6, .6, top + 1.2))]
    joints = {"neck": (0, 0, top)}
    for side, sign in (("L", 1), ("R", -1)):
        legs = [(0, foot), (foot + gap, foot + .85), (foot + .85 + gap, hips)]
        parts += [box(f"{name} {side}", (0, -.5, low), (sign, .5, high))
                  for name, (low, high) in zip(("foot", "shin", "thigh"), legs, strict=True)]
        joints |= {f"{name}.{side}": (sign / 2, 0, z) for name, z in (("thigh", hips), ("shin", foot + .85))}
        for name, begin, end in (("upper arm", 0.0, .9), ("forearm", .9 + gap, 1.7), ("hand", 1.7 + gap, 2)):
            low, high = (((1 + begin, -.5, top - 1), (1 + end, .5, top)) if arms == "level" else
                         ((1, -.5, top - end), (2, .5, top - begin)))
            parts.append(box(f"{name} {side}", np.array(low) * [sign, 1, 1], np.array(high) * [sign, 1, 1]))
        at = {"forearm": .9, "hand": 1.7}
        joints |= {f"{n}.{side}": (sign * (1 + x), 0, top - .5) if arms == "level" else (1.5 * sign, 0, top - x)
                   for n, x in at.items()}
        joints |= {f"upper_arm.{side}": (sign * 1.2, 0, top - .5) if arms == "level" else (1.5 * sign, 0, top - .4)}
    return Character("jointed figure", tuple(parts), tuple(np.array(PAINT) for _ in parts), joints)


def block_animal(*, leg: float = 0.6, width: float = 0.5, limb: float = 0.2, head: float = 0.4) -> Character:
    """An animal of six boxes, as block games have them, metres: four legs under a box, and a head before it."""
    long, deep = 0.9, 0.4
    parts = [box("trunk", (-width / 2, 0, leg), (width / 2, long, leg + deep)),
             box("head", (-head / 2, -head, leg + .25), (head / 2, 0, leg + .25 + head))]
    joints = {}
    for side, sign in (("L", 1), ("R", -1)):
        for end, y in (("front", 0.0), ("hind", long - limb)):
            parts.append(box(f"{end} {side}", (sign * (width / 2 - limb), y, 0), (sign * width / 2, y + limb, leg)))
            joints[f"{end}_upper.{side}"] = (sign * (width - limb) / 2, y + limb / 2, leg)
            joints[f"{end}_lower.{side}"] = (sign * (width - limb) / 2, y + limb / 2, leg / 2)
    return Character("block animal", tuple(parts), tuple(np.array(PAINT) for _ in parts), joints, "quadruped")


def walker(*, leg: float = 0.55, thick: float = 0.06, deep: float = 1.9, trunk: float = 0.2, tall: float = 0.18,
           bend: float = 0.14, cockpit: float = 0.12) -> Character:
    """A machine on two boxy legs whose knees bend back, without arms, metres.

    leg, thick : a leg's height and half its breadth;  deep : how many times as deep as broad it is
    trunk, tall : half the trunk's sides;  bend : how far the knees are behind;  cockpit : how far it stands out ahead
    """
    parts = [box("trunk", (-trunk, -trunk, leg), (trunk, trunk, leg + 2 * tall))]
    if cockpit:
        parts.append(box("cockpit", (-trunk / 2, -trunk - cockpit, leg + tall / 2),
                         (trunk / 2, -trunk, leg + 1.5 * tall)))
    joints = {}
    for side, sign in SIDES:
        x = sign * (trunk + thick)
        line = [(x, -0.02, leg + 0.05), (x, bend, leg / 2), (x, -0.02, 0.06)]
        parts += [_beam(f"{name} {side}", a, b, thick, thick * deep)
                  for name, a, b in (("thigh", line[0], line[1]), ("shin", line[1], line[2]))]
        parts.append(box(f"foot {side}", (x - thick, -0.1, 0), (x + thick, 0.1, 0.06)))
        joints |= {f"{name}.{side}": np.array(at) for name, at in zip(("thigh", "shin", "foot"), line, strict=True)}
    return Character("walker", tuple(parts), tuple(np.array(PAINT) for _ in parts), joints, "other")


def _beam(name: str, start, end, wide: float, deep: float) -> Mesh:
    """A closed box along a line from front to back or down. wide, deep : half its other sides"""
    start, way = np.asarray(start, float), np.subtract(end, start)
    across = np.cross([1.0, 0, 0], way) / np.linalg.norm(way)
    x, y, z = np.moveaxis(_CORNERS[:, :, None] * 1.0, 1, 0)
    corners = start + (2 * x - 1) * wide * [1, 0, 0] + (2 * y - 1) * deep * across + z * way
    return Mesh(corners, _WALLS if np.linalg.det([[1, 0, 0], across, way]) > 0 else _WALLS[:, ::-1], name)
