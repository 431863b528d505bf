"""Odd bodies: a child's drawing, a centaur, a bird, a robot of rigid parts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from core.geometry.mesh import Mesh
from tests.shapes import ball, box, cylinder

from .animals import SPECIES, quadruped_joints, quadruped_pieces
from .character import Character, Piece, cell_of_pieces, fuse, grow_pieces, grown_once
from .implicit import Blend, Common, Ellipsoid, HalfSpace, RoundCone, Squashed, frame_along, strand
from .people import SIDES, PersonOptions, arm, head, person_joints, torso, unit_of


@grown_once
def blob(rng: np.random.Generator | None = None, *, vertices: int = 3000) -> Character:
    """What a five-year-old models: one lump for body and head, stubs for limbs. A biped with every joint in it."""
    rng = np.random.default_rng(0) if rng is None else rng
    fat, squat, stub, angle = (rng.uniform(*r) for r in ((0.24, 0.36), (0.85, 1.15), (0.07, 0.1), (-10, 40)))
    low, high = 0.2, 1.0
    middle, tall = (low + high) / 2, (high - low) / 2 * squat
    rise = lambda t: low + (high - low) * t  # noqa: E731
    joints = {"hips": (0, 0, rise(0.16)), "spine": (0, 0, rise(0.28)), "chest": (0, 0, rise(0.42)),
              "neck": (0, 0, rise(0.58)), "head": (0, 0, rise(0.66)), "head_top": (0, 0, middle + 0.93 * tall)}
    arms, legs = np.radians(angle), 0.42 * fat
    for side, sign in SIDES:
        shoulder = np.array([sign * 0.62 * fat, 0, rise(0.52)])
        reach = np.array([sign * np.cos(arms), -0.06, -np.sin(arms)])
        length = 0.42 * fat + 0.2
        for name, t in (("upper_arm", 0), ("forearm", 0.42), ("hand", 0.76), ("hand_tip", 1.0)):
            joints[f"{name}.{side}"] = shoulder + reach * length * t
        joints[f"shoulder.{side}"] = np.array([sign * 0.05, 0, rise(0.53)])
        for name, y, z in (("thigh", 0, 0.26), ("shin", -0.005, 0.15), ("foot", 0.005, 0.06), ("toe", -0.05, 0.035),
                           ("toe_tip", -0.09, 0.035)):
            joints[f"{name}.{side}"] = np.array([sign * legs, y, z])
    parts = [Ellipsoid((0, 0, middle), (fat, fat * 0.85, tall))]
    for side, _ in SIDES:
        at = lambda *names, s=side: [joints[f"{n}.{s}"] for n in names]  # noqa: E731
        parts += [strand(at("upper_arm", "forearm", "hand", "hand_tip"), [stub * 1.1, stub, 0.95 * stub, 0.85 * stub]),
                  strand(at("thigh", "shin", "foot", "toe_tip"), [stub * 1.3, stub * 1.1, stub, 0.85 * stub])]
    solid = Common((Blend(tuple(parts), 0.05), HalfSpace((0, 0, -1), 0.0)), 0.02)
    colour = rng.uniform(0.3, 0.9, 3)
    piece = Piece("body", solid, colour)
    return grow_pieces("blob", [piece], joints, "biped", cell_of_pieces([piece], vertices))


@grown_once
def centaur(rng: np.random.Generator | None = None, *, vertices: int = 4000, arm_angle: float = 42.0) -> Character:
    """A horse with a person's upper body where its neck would be; joints as in the centaur preset."""
    vary = 1.0 if rng is None else rng.uniform(0.92, 1.08)
    horse = SPECIES["horse"]
    beast = quadruped_joints(horse)
    options = PersonOptions(arm_angle=arm_angle, limb=vary, head=1.05)
    human = person_joints(options)
    scale = 1.12 * vary
    waist = np.array([0, -horse.length / 2 - 0.02, 0.84])
    above = {n: (p - human["hips"]) * scale + waist for n, p in human.items()}
    unit = unit_of(human) * scale
    renamed = {"spine": "torso", "chest": "upper_chest"}
    kept = ("spine", "chest", "neck", "head", "head_top", "shoulder", "upper_arm", "forearm", "hand", "hand_tip")
    joints = {n: p for n, p in beast.items() if n not in ("neck", "head", "head_top")}
    joints |= {renamed.get(n, n): p for n, p in above.items() if n.split(".")[0] in kept}
    joints["withers"] = np.array([0, -horse.length / 2 + 0.03, 0.84])

    def pieces(thinnest):
        upper = [torso(above, options, unit), head(above, options, unit),
                 Ellipsoid(tuple(waist - [0, -0.02, 0.05]), (0.14, 0.13, 0.2))]
        upper += [arm(above, side, sign, options, unit, thinnest) for side, sign in SIDES]
        return [*quadruped_pieces(beast, horse, thinnest, headless=True),
                Piece("torso", Blend(tuple(upper), 0.03), (0.87, 0.65, 0.53))]
    cell = cell_of_pieces(pieces(0.0), vertices)
    return grow_pieces("centaur", [fuse(pieces(0.92 * cell), 0.06)], joints, "centaur", cell, scale=1.5)


@grown_once
def bird(rng: np.random.Generator | None = None, *, vertices: int = 3000) -> Character:
    """A bird with spread wings, a fan of a tail and thin legs; arm joints lie in the wings."""
    vary = (lambda a, b: (a + b) / 2) if rng is None else rng.uniform
    span, plump, neck = vary(0.45, 0.75), vary(0.14, 0.2), vary(0.08, 0.2)
    joints = {"hips": (0, 0.12, 0.46), "spine": (0, 0.04, 0.49), "chest": (0, -0.06, 0.53), "neck": (0, -0.15, 0.6),
              "head": (0, -0.18, 0.6 + neck), "head_top": (0, -0.36, 0.62 + neck), "tail": (0, 0.22, 0.46),
              "tail_tip": (0, 0.48, 0.44)}
    for side, sign in SIDES:
        for name, t, y, z in (("shoulder", 0.05, -0.06, 0.58), ("upper_arm", 0.18, -0.05, 0.58),
                              ("forearm", 0.42, 0.0, 0.6), ("hand", 0.7, -0.05, 0.6), ("hand_tip", 1.0, 0.02, 0.58)):
            joints[f"{name}.{side}"] = (sign * (0.05 + t * span), y, z)
        for name, y, z in (("thigh", 0.06, 0.42), ("shin", 0.0, 0.29), ("foot", 0.07, 0.12), ("toe", 0.02, 0.028),
                           ("toe_tip", -0.06, 0.022)):
            joints[f"{name}.{side}"] = (sign * 0.085, y, z)
    joints = {n: np.asarray(p, float) for n, p in joints.items()}

    def solid(thinnest):
        fat = lambda r: np.maximum(r, thinnest)  # noqa: E731
        beak = np.array([0, -0.24, 0.6 + neck])
        parts = [Ellipsoid((0, 0.02, 0.5), (plump, 0.25, plump * 1.02)),
                 Ellipsoid((0, -0.19, 0.62 + neck), (0.078,) * 3),
                 RoundCone((0, -0.1, 0.54), tuple(joints["head"]), 0.11, 0.06),
                 RoundCone(tuple(beak), tuple(joints["head_top"] - [0, -0.02, 0.02]), fat(0.035), fat(0.01)),
                 Squashed(RoundCone((0, 0.16, 0.47), (0, 0.42, 0.44), 0.06, 0.11),
                          (1.0, 1.0, float(fat(0.03)) / 0.11), (0, 0, 0.455))]
        for side, _ in SIDES:
            wing = [joints[f"{n}.{side}"] for n in ("upper_arm", "forearm", "hand", "hand_tip")]
            back = np.array([0, 0.09, 0])
            sheet = strand([*(p + back for p in wing[:3]), wing[3] + [0, 0.02, 0]], [0.13, 0.13, 0.12, 0.06])
            parts += [strand(wing, fat(np.array([0.045, 0.035, 0.03, 0.02]))),
                      Squashed(sheet, (1.0, 1.0, float(fat(0.022)) / 0.13), (0, 0, 0.59))]
            leg = [joints[f"{n}.{side}"] for n in ("thigh", "shin", "foot", "toe")]
            parts.append(strand(leg, fat(np.array([0.07, 0.04, 0.022, 0.022]))))
            toe = joints[f"toe.{side}"]
            parts += [RoundCone(tuple(toe), tuple(toe + [x, y, -0.006]), float(fat(0.02)), float(fat(0.016)))
                      for x, y in ((0, -0.075), (0.05, -0.05), (-0.05, -0.05), (0, 0.05))]
        return Common((Blend(tuple(parts), 0.025), HalfSpace((0, 0, -1), 0.0)), 0.004)

    def paint(points):
        colours = np.where((points[:, 2:] < 0.3), (0.9, 0.6, 0.2), (0.3, 0.5, 0.75))
        colours[(points[:, 1] < -0.265)] = (0.9, 0.6, 0.2)
        return colours
    cell = cell_of_pieces([Piece("body", solid(0.0), paint)], vertices)
    return grow_pieces("bird", [Piece("body", solid(0.92 * cell), paint)], joints, "bird", cell)


@grown_once
def robot(*, gap: float = 0.004) -> Character:
    """A person of some 80 rigid boxes, balls and drums that touch nowhere, each an object of its own."""
    joints = person_joints(PersonOptions(arm_angle=30, elbow=4, limb=1.1, head=1.2))
    parts: list[tuple[Mesh, tuple]] = []
    steel, red, dark = (0.7, 0.72, 0.75), (0.8, 0.2, 0.15), (0.2, 0.21, 0.24)

    def put(shape, position, color, axes=None):
        mesh = shape.mesh
        vertices = mesh.vertices if axes is None else mesh.vertices @ np.asarray(axes).T
        parts.append((Mesh(vertices + np.asarray(position, float), mesh.faces, f"part.{len(parts):03d}"), color))

    def both(shape, position, color, axes=None):
        """The part on the left, and its exact image on the right."""
        put(shape, position, color, axes)
        mesh = parts[-1][0]
        parts.append((Mesh(mesh.vertices * [-1, 1, 1], mesh.faces[:, ::-1], f"part.{len(parts):03d}"), color))

    for z, wide, tall, color in ((-0.03, 0.17, 0.09, steel), (0.045, 0.13, 0.04, steel), (0.095, 0.12, 0.04, steel),
                                 (0.2, 0.19, 0.15, red)):
        put(box((wide, 0.11, tall - gap), divisions=4), joints["hips"] + [0, 0, z], color)
    put(cylinder(0.028, 0.035 - gap, segments=16), joints["neck"] + [0, 0, 0.012], dark)
    top = joints["head"]
    put(box((0.12, 0.12, 0.1), divisions=4), top + [0, -0.01, 0.062], steel)
    put(box((0.07, 0.012, 0.014), divisions=2), top + [0, -0.085, 0.035], dark)
    put(cylinder(0.006, 0.05, segments=10), top + [0, 0, 0.142], dark)
    put(ball(0.014, segments=12), top + [0, 0, 0.186], red)
    put(box((0.09, 0.03, 0.12), divisions=3), joints["chest"] + [0, 0.1, 0.05], dark)
    both(ball(0.014, segments=14), top + [0.028, -0.09, 0.075], red)
    both(cylinder(0.016, 0.012, segments=12), top + [0.072, 0, 0.06], dark, [[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    both(ball(0.036, segments=16), joints["upper_arm.L"] + [0.03, 0, 0], dark)
    _robot_limb(both, joints, ("upper_arm", "forearm"), 0.05, (steel, dark, red), gap, 0.05)
    both(ball(0.024, segments=14), joints["forearm.L"], dark)
    _robot_limb(both, joints, ("forearm", "hand"), 0.046, (steel, dark, red), gap, 0.03)
    both(ball(0.018, segments=12), joints["hand.L"], dark)
    _robot_hand(both, joints, steel, dark)
    both(ball(0.035, segments=16), joints["thigh.L"] + [0, 0, -0.04], dark)
    _robot_limb(both, joints, ("thigh", "shin"), 0.072, (steel, dark, red), gap, 0.08)
    both(ball(0.032, segments=14), joints["shin.L"], dark)
    _robot_limb(both, joints, ("shin", "foot"), 0.064, (steel, dark, red), gap, 0.04)
    both(ball(0.022, segments=12), joints["foot.L"] + [0, 0, 0.004], dark)
    both(box((0.062, 0.1, 0.03), divisions=3), joints["foot.L"] * [1, 1, 0] + [0, -0.012, 0.015], steel)
    both(box((0.062, 0.05, 0.024), divisions=3), joints["foot.L"] * [1, 1, 0] + [0, -0.092, 0.012], red)
    size = 1.8
    return Character("robot", tuple(Mesh(m.vertices * size, m.faces, m.name) for m, _ in parts),
                     tuple(np.asarray(c, float) for _, c in parts), {n: p * size for n, p in joints.items()}, "robot")


def _robot_limb(both, joints, bone, width, colors, gap, skip):
    """Five segments between two joints of the left side, room left at both ends for the balls of the joints."""
    a, b = joints[f"{bone[0]}.L"], joints[f"{bone[1]}.L"]
    length, axes = float(np.linalg.norm(b - a)), frame_along(b - a, (0, -1, 0))
    for i, (start, stop) in enumerate(pairwise(np.linspace(skip, length - 0.03, 6))):
        thick = width * (0.7 if i % 2 else 1.0)
        part = box((stop - start - gap, thick, thick), divisions=2)
        both(part, a + axes[:, 0] * (start + stop) / 2, colors[i % 3], axes)


def _robot_hand(both, joints, steel, dark):
    wrist, axes = joints["hand.L"], frame_along(joints["hand_tip.L"] - joints["hand.L"], (0, -1, 0))
    both(box((0.035, 0.05, 0.02), divisions=2), wrist + axes @ [0.041, 0, 0], steel, axes)
    for y in (-0.018, 0.0, 0.018):
        both(box((0.036, 0.012, 0.014), divisions=2), wrist + axes @ [0.08, y, 0], dark, axes)
    both(box((0.03, 0.012, 0.014), divisions=2), wrist + axes @ [0.045, 0.036, 0], dark, axes)


@grown_once
def hen(*, vertices: int = 3000) -> Character:
    """A bird that stands on two legs, its wings folded to the trunk, its toes spread; of joints it tells the head."""
    def solid(thinnest):
        fat = lambda *r: np.maximum(r, thinnest)  # noqa: E731
        parts = [strand([(0, 0.2, 0.42), (0, 0.0, 0.5), (0, -0.12, 0.6)], [0.09, 0.17, 0.12]),
                 strand([(0, -0.14, 0.62), (0, -0.2, 0.84)], [0.09, 0.06]),
                 RoundCone((0, -0.2, 0.86), (0, -0.36, 0.84), 0.075, 0.02), RoundCone((0, 0.2, 0.45), (0, 0.45, 0.5),
                                                                                      0.07, 0.05)]
        for _, sign in SIDES:
            hip, knee, foot = (np.array([0.08 * sign, y, z]) for y, z in ((0.03, 0.42), (0.0, 0.2), (0.03, 0.03)))
            parts.append(strand([hip, knee, foot], fat(0.07, 0.035, 0.03)))
            parts += [strand([foot, foot + [x, y, -0.01]], fat(0.025, 0.02)) for x, y in ((0, -0.1), (0.05, -0.06),
                                                                                         (-0.05, -0.06))]
        return Common((Blend(tuple(parts), 0.02), HalfSpace((0, 0, -1), 0.0)), 0.004)

    def paint(points):
        return np.full((len(points), 3), (0.9, 0.8, 0.6))
    cell = cell_of_pieces([Piece("body", solid(0.0), paint)], vertices)
    return grow_pieces("hen", [Piece("body", solid(0.92 * cell), paint)], {"head": np.array([0, -0.2, 0.86])}, "bird",
                       cell)
