"""Figures of block games: boxes that stand wall to wall, a leg to a leg and an arm to the trunk."""

from __future__ import annotations

import numpy as np

from core.geometry.mesh import Mesh

from .character import Character

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
