"""The project's sample character: Pip, a friendly person in a jumper, blue trousers and trainers."""

from __future__ import annotations

import numpy as np

from core.geometry.mesh import Mesh
from tests.shapes import revolve

from .character import Character, Piece, grow_pieces
from .implicit import (
    Blend,
    Common,
    Cut,
    Ellipsoid,
    Grown,
    HalfSpace,
    RoundCone,
    Slab,
    Squashed,
    frame_along,
    strand,
    turn,
)
from .people import SIDES, PersonOptions, person_joints

HEIGHT = 1.5
SKIN, BLUSH, LIP = (0.93, 0.72, 0.58), (0.92, 0.5, 0.42), (0.55, 0.16, 0.17)
HAIR, JUMPER, TRIM = (0.42, 0.2, 0.09), (0.93, 0.45, 0.27), (0.98, 0.9, 0.74)
DENIM, SEAM, LEATHER, BRASS = (0.16, 0.28, 0.5), (0.75, 0.8, 0.88), (0.36, 0.2, 0.11), (0.85, 0.66, 0.28)
SHOE, SOLE, IRIS = (0.2, 0.58, 0.6), (0.97, 0.96, 0.93), (0.16, 0.42, 0.4)

BUILD = PersonOptions(height=HEIGHT, head=2.0, limb=1.1, leg=0.86, arm=0.9, shoulders=0.94, hips=1.0, arm_angle=38,
                      elbow=10, stance=5)


def sample(*, cell: float = 0.0083) -> Character:
    """Pip, some 33,000 vertices in 17 objects; `cell` is the lattice spacing as a fraction of the height."""
    joints = person_joints(BUILD)
    u = float(joints["hips"][2] - joints["thigh.L"][2]) / 0.01
    face = Face(joints["head"] + np.array([0, -0.012, 0.038]) * 2.0 * u, 2.0 * u)
    pieces = [Piece("body", body(joints, face, u), face.paint, 1.06),
              Piece("hair", hair(face), HAIR), Piece("brows", brows(face), HAIR, 2.4),
              Piece("mouth", mouth(face), LIP, 3.0), Piece("glints", glints(face), SOLE, 3.0),
              Piece("jumper", jumper(joints, u), JUMPER, 0.86), Piece("star", star(joints, u), TRIM, 2.2),
              Piece("trim", trim(joints, u), TRIM, 1.1),
              Piece("trousers", trousers(joints, u), DENIM, 0.86), Piece("turn_ups", turn_ups(joints, u), SEAM, 1.05),
              Piece("belt", belt(joints, u), LEATHER, 1.05), Piece("buckle", buckle(joints, u), BRASS, 1.8),
              Piece("shoes", shoes(joints, u), SHOE, 1.05), Piece("soles", soles(joints, u), SOLE, 1.05),
              Piece("laces", laces(joints, u), SOLE, 1.8)]
    grown = grow_pieces("Pip", pieces, joints, "biped", cell, scale=HEIGHT)
    eyes = [eye(face, sign, f"eye.{side}") for side, sign in SIDES]
    meshes = grown.meshes + tuple(Mesh(m.vertices * HEIGHT, m.faces, m.name) for m, _ in eyes)
    return Character("Pip", meshes, grown.colors + tuple(c for _, c in eyes), grown.joints, "biped")


class Face:
    """Places on the head: `at(x, y, z)` in head units around its centre, -y in front."""

    def __init__(self, centre, scale: float):
        self.centre, self.scale = np.asarray(centre, float), scale

    def at(self, x: float, y: float, z: float) -> tuple:
        return tuple(self.centre + np.array([x, y, z]) * self.scale)

    def ball(self, x, y, z, rx, ry=None, rz=None, rotation=None) -> Ellipsoid:
        s = self.scale
        return Ellipsoid(self.at(x, y, z), (rx * s, (ry or rx) * s, (rz or rx) * s), rotation)

    def skull(self):
        """Cranium, cheeks and chin, without nose and ears."""
        cheeks = [self.ball(sign * 0.022, -0.022, -0.02, 0.03, 0.03, 0.026) for _, sign in SIDES]
        return Blend((self.ball(0, 0.002, 0.006, 0.056, 0.058, 0.056),
                      self.ball(0, -0.016, -0.031, 0.034, 0.034, 0.026), *cheeks), 0.028 * self.scale)

    def surface(self, x: float, z: float, proud: float = 0.0) -> np.ndarray:
        """The point of the skull's front at (x, z), moved out by `proud`, all in head units."""
        y = np.linspace(-0.09, 0.0, 1801)
        points = self.centre + np.stack([np.full_like(y, x), y, np.full_like(y, z)], axis=1) * self.scale
        first = int(np.argmax(self.skull().distance(points) < 0))
        return points[first] + np.array([0, -proud * self.scale, 0])

    def paint(self, points: np.ndarray) -> np.ndarray:
        """Skin with blushing cheeks, nose and ears."""
        colours = np.broadcast_to(SKIN, points.shape).copy()
        spots = [(sign * 0.033, -0.045, -0.0175, 0.013, 0.55) for _, sign in SIDES] + [(0, -0.066, -0.006, 0.009, 0.3)]
        for x, y, z, radius, strength in spots:
            away = np.linalg.norm((points - self.at(x, y, z)) / (radius * self.scale), axis=1)
            colours += np.exp(-away**2)[:, None] * strength * np.subtract(BLUSH, SKIN)
        return colours


def body(joints, face: Face, u: float):
    """Head, neck, arms and hands, and as much of the chest under the jumper as holds them together."""
    throat = joints["head"] + np.array([0, 0.004, 0.01]) * u
    parts = [head(face), RoundCone(tuple(joints["neck"] - [0, 0, 0.05 * u]), tuple(throat), 0.036 * u, 0.034 * u),
             Common((Grown(_trunk(joints, u), -0.014 * u), _above(joints["chest"][2])), 0.02 * u)]
    for side, _ in SIDES:
        bones = [joints[f"{n}.{side}"] for n in ("upper_arm", "forearm", "hand")]
        arm = strand(bones, np.array([0.032, 0.025, 0.021]) * u)
        parts.append(Blend((arm, fingers(joints, side, u)), 0.014 * u))
    return Blend(tuple(parts), 0.016 * u)


def fingers(joints, side: str, u: float):
    """A cartoon hand: palm, the fingers of a mitten, a thumb."""
    wrist, tip = joints[f"hand.{side}"], joints[f"hand_tip.{side}"]
    length = float(np.linalg.norm(tip - wrist))
    axes = frame_along(tip - wrist, (0, -1, 0))
    at = lambda x, y, z=0.0: tuple(wrist + axes @ np.array([x, y, z]) * length)  # noqa: E731
    mitten = Blend((RoundCone(at(0.2, 0), at(0.42, 0), 0.24 * length, 0.3 * length),
                    RoundCone(at(0.42, 0), at(0.76, -0.02), 0.3 * length, 0.24 * length)), 0.1 * length)
    thumb = strand([at(0.16, 0.12), at(0.4, 0.34), at(0.6, 0.43)], np.array([0.13, 0.115, 0.1]) * length)
    return Blend((Squashed(mitten, (1, 1, 0.5), tuple(wrist), axes), thumb), 0.1 * length)


def head(face: Face):
    nose = face.ball(0, -0.063, -0.006, 0.0105, 0.0115, 0.0095)
    parts = [face.skull(), nose]
    for _, sign in SIDES:
        ear = face.ball(sign * 0.058, 0.006, -0.006, 0.0085, 0.0135, 0.0175, turn("z", sign * 18))
        parts.append(Cut(ear, face.ball(sign * 0.066, 0.0, -0.005, 0.006, 0.0075, 0.011), 0.006 * face.scale))
    return Blend(tuple(parts), 0.009 * face.scale)


def hair(face: Face):
    """A cap and thick locks: a swept fringe, tufts on the crown, short sides."""
    s = face.scale
    cap = Cut(face.ball(0, 0.008, 0.012, 0.0615, 0.0625, 0.0585), face.ball(0, -0.075, -0.035, 0.066, 0.062, 0.066),
              0.012 * s)
    cap = Common((cap, HalfSpace((0, -0.6, -1), float(np.dot(face.at(0, 0.0, -0.032), (0, -0.6, -1))))), 0.02 * s)
    locks = [cap]
    for x0, x1, x2, z2 in ((0.0, 0.005, 0.013, 0.041), (0.012, 0.022, 0.034, 0.033), (0.022, 0.036, 0.0525, 0.008)):
        for sign in (1, -1):
            path = [face.at(sign * x0, 0.01, 0.066), face.at(sign * x1, -0.036, 0.056),
                    face.at(sign * (x1 * 0.6 + x2 * 0.5), -0.0535 + 0.3 * x2, (0.046 + z2) / 2 + 0.004),
                    face.at(sign * x2, -0.06 + 0.55 * x2, z2)]
            locks.append(strand(path, np.array([0.012, 0.0165, 0.0135, 0.004]) * s, 0.004 * s))
    for x, y, z, dx, dy, dz in ((0.0, 0.02, 0.066, 0.0, -0.012, 0.02), (0.02, 0.028, 0.06, 0.016, 0.004, 0.016),
                                (0.034, 0.04, 0.03, 0.018, 0.014, 0.006), (0.018, 0.056, 0.03, 0.01, 0.018, 0.008),
                                (0.036, 0.042, 0.0, 0.014, 0.012, -0.012),
                                (0.014, 0.058, -0.006, 0.004, 0.012, -0.018)):
        for sign in (1, -1):
            end = face.at(sign * (x + dx), y + dy, z + dz)
            locks.append(RoundCone(face.at(sign * x, y, z), end, 0.017 * s, 0.004 * s))
    return Blend(tuple(locks), 0.006 * s)


def brows(face: Face):
    s = face.scale
    parts = []
    for _, sign in SIDES:
        path = [face.surface(sign * x, z, 0.001) for x, z in ((0.0135, 0.0242), (0.0235, 0.0262), (0.0345, 0.0205))]
        parts.append(strand(path, np.array([0.0031, 0.0036, 0.0024]) * s))
    return Blend(tuple(parts))


def mouth(face: Face):
    """A wide smile lying on the skin, its corners turned up."""
    s = face.scale
    x = np.linspace(-0.0235, 0.0235, 9)
    path = [face.surface(a, -0.0335 + 0.0105 * (abs(a) / 0.0235) ** 2, 0.0002) for a in x]
    return strand(path, (0.0012 + 0.0018 * (1 - (x / 0.025) ** 2)) * s)


def eye(face: Face, sign: float, name: str):
    """A ball looking ahead whose rings of vertices end where white, iris and pupil do. Returns mesh and colours."""
    bands = [(0, 16, (0.03, 0.03, 0.04)), (17, 24, IRIS), (25.5, 34, np.multiply(IRIS, 1.25)),
             (35, 37, np.multiply(IRIS, 0.4)), (38, 60, (0.98, 0.98, 0.97)), (75, 180, (0.98, 0.98, 0.97))]
    angles = np.radians(np.concatenate([np.linspace(a, b, 3 if b < 90 else 7) for a, b, _ in bands]))
    ring_colours = np.concatenate([np.tile(c, (3 if b < 90 else 7, 1)) for _, b, c in bands])
    segments = 28
    profile = np.stack([np.sin(angles), -np.cos(angles)], axis=1)
    ball = revolve(profile, segments, (0, 0, 0), name)
    colours = np.concatenate([np.repeat(ring_colours[1:-1], segments, axis=0), ring_colours[[0, -1]]])
    gaze = turn("x", -90)  # the profile's lower pole looks along -Y
    size = np.array([0.0125, 0.0115, 0.0155]) * face.scale
    centre = face.surface(sign * 0.0225, -0.001, -0.0062)
    aside = turn("z", sign * 9)
    vertices = (ball.vertices @ gaze.T * size) @ aside.T + centre
    return Mesh(vertices, ball.faces, name), colours


def glints(face: Face):
    """A spark of light in each eye, on the same side of both in the pair but mirrored like everything else."""
    return Blend(tuple(face.ball(*((np.array(face.surface(sign * 0.0225, -0.001, 0.0055)) - face.centre) / face.scale
                                   + [sign * 0.0024, 0.0012, 0.0045]), 0.0021) for _, sign in SIDES))


def _trunk(joints, u: float):
    """Clothed torso: a soft barrel from the hips to the shoulders."""
    hips, chest = joints["hips"], joints["chest"]
    at = lambda base, y, z: tuple(base + np.array([0, y, z]) * u)  # noqa: E731
    parts = [Ellipsoid(at(hips, 0.004, 0.0), (0.1 * u, 0.076 * u, 0.075 * u)),
             Ellipsoid(at(hips, -0.004, 0.075), (0.093 * u, 0.076 * u, 0.09 * u)),
             Ellipsoid(at(chest, -0.002, 0.04), (0.094 * u, 0.072 * u, 0.1 * u))]
    for _, sign in SIDES:
        shoulder = joints["upper_arm.L"] * [sign, 1, 1]
        root = at(joints["neck"] + [sign * 0.012 * u, 0, 0], 0.002, -0.03)
        parts.append(RoundCone(root, tuple(shoulder - [0, 0, 0.008 * u]), 0.036 * u, 0.037 * u))
    return Blend(tuple(parts), 0.05 * u)


def _sleeve(joints, side: str, u: float, more: float = 0.0):
    a, b, c = (joints[f"{n}.{side}"] for n in ("upper_arm", "forearm", "hand"))
    return strand([a, a + (b - a) * 0.5, b, b + (c - b) * 0.55, c],
                  (np.array([0.046, 0.043, 0.041, 0.042, 0.036]) + more) * u)


def _trouser_leg(joints, side: str, u: float, more: float = 0.0):
    a, b, c = (joints[f"{n}.{side}"] for n in ("thigh", "shin", "foot"))
    return strand([a - [0, 0, 0.012 * u], a + (b - a) * 0.5, b, b + (c - b) * 0.5, c],
                  (np.array([0.064, 0.06, 0.053, 0.05, 0.05]) + more) * u)


def _level(joints, bone: str, end: str, side: str, fraction: float, outward: float):
    """The half space before (outward = 1) or behind a plane across a limb."""
    a, b = joints[f"{bone}.{side}"], joints[f"{end}.{side}"]
    normal = outward * (b - a) / np.linalg.norm(b - a)
    return HalfSpace(tuple(normal), float(normal @ (a + (b - a) * fraction)))


def _above(z: float):
    return HalfSpace((0, 0, -1), -float(z))


def _below(z: float):
    return HalfSpace((0, 0, 1), float(z))


def jumper(joints, u: float):
    """Torso and sleeves, a little fuller above the ribbing."""
    hem = joints["hips"][2] + 0.052 * u
    parts = [Common((Grown(_trunk(joints, u), 0.006 * u), _above(hem)), 0.02 * u)]
    for side, _ in SIDES:
        parts.append(Common((_sleeve(joints, side, u), _level(joints, "forearm", "hand", side, 0.84, 1)), 0.014 * u))
    whole = Blend(tuple(parts), 0.03 * u)
    collar = joints["neck"] + np.array([0, -0.002, 0.02]) * u
    return Cut(whole, Ellipsoid(tuple(collar), (0.048 * u, 0.046 * u, 0.03 * u)), 0.008 * u)


def star(joints, u: float):
    """A star on the chest."""
    height = joints["chest"][2] + 0.03 * u
    middle = _front(Grown(_trunk(joints, u), 0.006 * u), height)
    angle = np.radians(90 + 72 * np.arange(5))
    tips = middle + np.stack([np.cos(angle), 0.12 + 0 * angle, np.sin(angle)], axis=1) * 0.036 * u
    arms = Blend(tuple(RoundCone(tuple(middle), tuple(t), 0.015 * u, 0.006 * u) for t in tips), 0.004 * u)
    return Squashed(arms, (1.0, 0.5, 1.0), tuple(middle))


def _front(solid, z: float) -> np.ndarray:
    """The frontmost point of a solid on the line x = 0 at height z."""
    y = np.linspace(-0.3, 0.0, 3001)
    line = np.stack([0 * y, y, np.full_like(y, z)], axis=1)
    return line[int(np.argmax(solid.distance(line) < 0))]


def trim(joints, u: float):
    """Ribbing at hem and cuffs, and a rolled collar."""
    hem = joints["hips"][2] + 0.058 * u
    parts = [Common((Grown(_trunk(joints, u), 0.005 * u), _above(hem - 0.028 * u), _below(hem)), 0.012 * u)]
    for side, _ in SIDES:
        parts.append(Common((_sleeve(joints, side, u, -0.004), _level(joints, "forearm", "hand", side, 0.98, 1),
                             _level(joints, "forearm", "hand", side, 0.8, -1)), 0.01 * u))
    angle = np.linspace(0, 2 * np.pi, 25)
    centre = joints["neck"] + np.array([0, -0.003, 0.004]) * u
    ring = centre + np.stack([0.045 * np.cos(angle), 0.044 * np.sin(angle), 0.01 * np.sin(angle)], axis=1) * u
    parts.append(strand(ring, np.full(25, 0.0135 * u)))
    return Blend(tuple(parts))


def trousers(joints, u: float):
    return Common((_waist(joints, u), _below(joints["hips"][2] + 0.045 * u)), 0.01 * u)


def _waist(joints, u: float):
    """The trousers before they are cut off at the top."""
    seat = Common((Grown(_trunk(joints, u), 0.0005 * u), _above(joints["hips"][2] - 0.06 * u)), 0.01 * u)
    legs = [Common((_trouser_leg(joints, side, u), _level(joints, "shin", "foot", side, 0.97, 1)), 0.012 * u)
            for side, _ in SIDES]
    return Blend((seat, Blend(tuple(legs), 0.004 * u)), 0.03 * u)


def turn_ups(joints, u: float):
    return Blend(tuple(Common((_trouser_leg(joints, side, u, 0.005), _level(joints, "shin", "foot", side, 1.02, 1),
                               _level(joints, "shin", "foot", side, 0.86, -1)), 0.012 * u) for side, _ in SIDES))


def belt(joints, u: float):
    top = joints["hips"][2] + 0.03 * u
    return Common((Grown(_waist(joints, u), 0.006 * u), _below(top), _above(top - 0.026 * u)), 0.006 * u)


def buckle(joints, u: float):
    front = _front(Grown(_waist(joints, u), 0.005 * u), joints["hips"][2] + 0.017 * u)
    return Cut(Slab(tuple(front), (0.021 * u, 0.006 * u, 0.017 * u), 0.004 * u),
               Slab(tuple(front), (0.012 * u, 0.1, 0.009 * u), 0.002 * u), 0.002 * u)


def _shoe_last(joints, side: str, u: float):
    ankle, ball, tip = (joints[f"{n}.{side}"] for n in ("foot", "toe", "toe_tip"))
    heel = (ankle[0], ankle[1] + 0.012 * u, 0.03 * u)
    middle, toe = (ball[0], ball[1] + 0.005 * u, 0.03 * u), (tip[0], tip[1] + 0.02 * u, 0.028 * u)
    return Blend((RoundCone(heel, middle, 0.038 * u, 0.043 * u), RoundCone(middle, toe, 0.043 * u, 0.041 * u)),
                 0.01 * u)


def shoes(joints, u: float):
    """Trainers: a rounded upper, a tongue and a collar round the ankle."""
    parts = []
    for side, _ in SIDES:
        ankle, ball = joints[f"foot.{side}"], joints[f"toe.{side}"]
        x, y, z = ankle + np.array([0, 0.006, 0]) * u
        shaft = RoundCone((x, y, 0.04 * u), (x, y, z + 0.02 * u), 0.04 * u, 0.038 * u)
        tongue = RoundCone((x, y - 0.036 * u, z + 0.008 * u), (ball[0], ball[1] + 0.012 * u, 0.05 * u),
                           0.022 * u, 0.018 * u)
        upper = Blend((_shoe_last(joints, side, u), shaft, tongue), 0.02 * u)
        parts.append(Common((upper, _above(0.008 * u)), 0.006 * u))
    return Blend(tuple(parts))


def soles(joints, u: float):
    """White soles and toe caps."""
    parts = []
    for side, _ in SIDES:
        tip = joints[f"toe_tip.{side}"]
        last = _shoe_last(joints, side, u)
        parts.append(Common((Grown(last, 0.0045 * u), _above(0.0), _below(0.02 * u)), 0.006 * u))
        front = HalfSpace((0, 1, 0), float(tip[1] + 0.012 * u))
        parts.append(Common((Grown(last, 0.004 * u), _above(0.004 * u), front), 0.006 * u))
    return Blend(tuple(parts), 0.003 * u)


def laces(joints, u: float):
    """Three laces across each shoe, lying on it."""
    parts, upper = [], shoes(joints, u)
    for side, _ in SIDES:
        ankle, ball = joints[f"foot.{side}"], joints[f"toe.{side}"]
        for t in (0.78, 0.93, 1.08):
            x, y = ankle[:2] + t * (ball[:2] + np.array([0, 0.004 * u]) - ankle[:2])
            across = np.linspace(-0.026, 0.026, 7)
            parts.append(strand([_top(upper, x + a * u, y + 5 * a * a * u, u) for a in across], np.full(7, 0.0045 * u)))
    return Blend(tuple(parts))


def _top(solid, x: float, y: float, u: float) -> np.ndarray:
    """The highest point of a solid above (x, y), found below the ankle."""
    z = np.linspace(0.13, 0.0, 1301) * u
    line = np.stack([np.full_like(z, x), np.full_like(z, y), z], axis=1)
    return line[int(np.argmax(solid.distance(line) < 0))]
