"""People with loose things on them: a cape, a sword, a shield, a braid, a pack on the back, a belt with a pouch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.geometry.mesh import Mesh
from tests.shapes import _tube, box

from .character import Character, grown_once
from .people import person

CLOTH, STEEL, HAIR = (0.6, 0.1, 0.12), (0.7, 0.7, 0.75), (0.35, 0.2, 0.1)
THINGS = ("cape", "sword", "braid", "pack")


@grown_once
def dressed(*things: str, vertices: int = 2500, **options) -> Character:
    """A person with some of THINGS, "shield", "belt" or "pouch", each an object of its own.  options : the person's"""
    body = person(vertices=vertices, **options)
    made = {"cape": (cape, CLOTH), "sword": (sword, STEEL), "shield": (shield, STEEL),
            "braid": (braid, HAIR), "pack": (pack, CLOTH), "belt": (belt, STEEL), "pouch": (pouch, CLOTH)}
    meshes = [*body.meshes, *(made[name][0](body) for name in things)]
    colors = [*body.colors, *(np.array(made[name][1]) for name in things)]
    return Character("dressed", tuple(meshes), tuple(colors), body.joints, body.kind)


def _behind(body: Character, height: float, x=0.0) -> np.ndarray:
    """(N,) y of the body's back at a height, near x (N,)."""
    points = body.meshes[0].vertices
    near = points[(np.abs(points[:, 2] - height) < 0.04 * body.height)]
    return np.array([near[np.abs(near[:, 0] - one) < 0.05 * body.height, 1].max() for one in np.atleast_1d(x)])


def cape(body: Character, *, columns: int = 9, rows: int = 15) -> Mesh:
    """An open sheet from shoulder to shoulder, down to the shins, further off the body the lower."""
    tall = body.height
    top, low = body.joints["upper_arm.L"][2], body.joints["shin.L"][2] - 0.1 * tall
    u, v = (g.ravel() for g in np.meshgrid(np.linspace(-1, 1, columns), np.linspace(0, 1, rows), indexing="ij"))
    x = u * (0.08 + 0.06 * v) * tall
    y = float(_behind(body, top)[0]) + (0.008 + 0.13 * np.sqrt(v)) * tall
    at = np.arange(columns * rows).reshape(columns, rows)
    a, b, c, d = at[:-1, :-1].ravel(), at[1:, :-1].ravel(), at[1:, 1:].ravel(), at[:-1, 1:].ravel()
    return Mesh(np.stack([x, y, top + v * (low - top)], 1), np.concatenate([np.stack([a, b, c], 1),
                                                                          np.stack([a, c, d], 1)]), "cape")


def sword(body: Character, side: str = "R") -> Mesh:
    """A long thin box through a fist, pointing ahead."""
    grip = 0.5 * (body.joints[f"hand.{side}"] + body.joints[f"hand_tip.{side}"])
    size = np.array([0.012, 0.5, 0.03]) * body.height
    return replace(box(tuple(size), tuple(grip - [0, 0.4 * size[1], 0]), divisions=10).mesh, name="sword")


def shield(body: Character, side: str = "L") -> Mesh:
    """A flat box on the upper side of a level forearm, from the elbow past the fist."""
    middle = 0.5 * (body.joints[f"forearm.{side}"] + body.joints[f"hand.{side}"])
    size = np.array([0.3, 0.36, 0.02]) * body.height
    return replace(box(tuple(size), tuple(middle + [0, 0, 0.035 * body.height]), divisions=8).mesh, name="shield")


def braid(body: Character, *, segments: int = 10) -> Mesh:
    """A strand from the back of the head, out and down to the shoulder blades."""
    tall, head = body.height, body.joints["head"]
    start = np.array([0.0, float(_behind(body, head[2] + 0.05 * tall)[0]) - 0.005 * tall, head[2] + 0.05 * tall])
    s = np.linspace(0, 1, 16)
    points = start + np.stack([0 * s, (0.11 * np.sqrt(s)) * tall, -0.27 * s**1.5 * tall], 1)
    along = np.gradient(points, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    across = np.array([1.0, 0.0, 0.0])
    radii = 0.018 * tall * np.clip(np.minimum(20 * s, 20 * (1 - s)), 0, 1)
    return _tube(points, np.cross(along, across), across, radii, segments, False, (0, 0, 0), "braid")


def pack(body: Character) -> Mesh:
    """A box on the back."""
    chest, tall = body.joints["chest"], body.height
    height = chest[2] + 0.02 * tall
    size = np.array([0.15, 0.1, 0.18]) * tall
    y = float(_behind(body, height)[0]) + 0.5 * size[1] - 0.004 * tall
    return replace(box(tuple(size), (0.0, y, height), divisions=6).mesh, name="pack")


def belt(body: Character, *, columns: int = 32, above: float = 0.0) -> Mesh:
    """A closed band around the waist, or so much of the height above it, as thick as a thumb."""
    tall, height = body.height, _belt_height(body) + above * body.height
    near = body.meshes[0].vertices
    near = near[(np.abs(near[:, 2] - height) < 0.02 * tall) & (np.abs(near[:, 0]) < 0.12 * tall)]
    middle, half = (near.max(0) + near.min(0)) / 2, np.ptp(near, axis=0) / 2 + 0.004 * tall
    u, v = (g.ravel() for g in np.meshgrid(2 * np.pi * np.arange(columns) / columns, np.pi / 2 * np.arange(4),
                                           indexing="ij"))
    out = 0.008 * tall * np.cos(v)
    points = np.stack([middle[0] + (half[0] + out) * np.cos(u), middle[1] + (half[1] + out) * np.sin(u),
                       height + 0.015 * tall * np.sin(v)], 1)
    at = np.arange(4 * columns).reshape(columns, 4)
    a, b, c, d = (g.ravel() for g in (at, np.roll(at, -1, 0), np.roll(at, (-1, -1), (0, 1)), np.roll(at, -1, 1)))
    return Mesh(points, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]), "belt")


def pouch(body: Character) -> Mesh:
    """A box at the belt's left side."""
    ring, tall = belt(body).vertices, body.height
    size = np.array([0.03, 0.05, 0.06]) * tall
    place = (ring[:, 0].max() + 0.45 * size[0], float(np.mean(ring[:, 1])), _belt_height(body) - 0.02 * tall)
    return replace(box(tuple(size), place, divisions=3).mesh, name="pouch")


def _belt_height(body: Character) -> float:
    return float(0.6 * body.joints["hips"][2] + 0.4 * body.joints["spine"][2])
