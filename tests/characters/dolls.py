"""Bodies that mislead a search for hands and feet: bunches of hair like arms, a gown over the feet, vast gloves, what
is cut off."""

from __future__ import annotations

import numpy as np

from .character import Character, Piece, cell_of_pieces, fuse, grow_pieces, grown_once
from .implicit import Blend, Common, Cut, Ellipsoid, HalfSpace, RoundCone, Squashed, frame_along, strand
from .people import SIDES, PersonOptions, flesh, person_joints, simple_hair, skirt, unit_of

SKIN, HAIR, CLOTH, LEATHER = (0.87, 0.65, 0.53), (0.33, 0.2, 0.12), (0.35, 0.45, 0.68), (0.4, 0.25, 0.15)


@grown_once
def doll(*, fall: float = 0.62, leg: float = 0.75, head: float = 2.2, arm: float = 0.6, arm_angle: float = 42.0,
         swing: float = 0.03, vertices: int = 4000) -> Character:
    """A doll with a huge head, nearly no neck, and two bunches of hair that stand off and hang beside it.

    fall : height to which the hair hangs, share of the body's height;  leg : length of its legs, 1 = a person's
    arm : length of its arms, 1 = a person's;  arm_angle : degrees below the horizontal
    swing : how far the ends of the hair stand out further than its beginning, in sizes of the head
    """
    options = PersonOptions(head=head, leg=leg, arm=arm, arm_angle=arm_angle, hair="short", asymmetry=1.5)
    joints = person_joints(options, np.random.default_rng(1))
    u, top = unit_of(joints), joints["head_top"][2]

    def pieces(thinnest):
        thick = max(0.02 * head * u, thinnest)
        bunches = [_bunch(joints, sign, fall * top, swing, head * u, thick) for _, sign in SIDES]
        return [Piece("body", flesh(joints, options, thinnest), SKIN),
                Piece("hair", Blend((simple_hair(joints, options, thinnest), *bunches), 0.01), HAIR)]
    return _grown("doll", pieces, joints, vertices)


def _bunch(joints, sign: float, end: float, swing: float, s: float, radius: float):
    """Hair tied above an ear, swinging out and back, then falling to a height, clear of the arms."""
    centre = joints["head"] + np.array([0, -0.012, 0.035]) * s
    tie = centre + np.array([sign * 0.05, 0.012, 0.01]) * s
    out = centre + np.array([sign * 0.1, 0.05, 0.005]) * s
    reach = max(out[2] - end, 0.02)
    points = [tie, out, out + [sign * 0.5 * swing * s, 0.02, -0.5 * reach],
              out + [sign * swing * s, 0.03, -reach]]
    return strand(points, radius * np.array([1.0, 1.0, 0.95, 0.7]))


@grown_once
def gowned(*, train: float = 0.0, vertices: int = 4000) -> Character:
    """A woman in a gown to the ground; of her feet only the toes look out.

    train : how far the gown's train lies on the ground at her right, share of her height
    """
    options = PersonOptions(hair="long", skirt="ankle", arm_angle=40.0, hips=1.1, limb=0.85, asymmetry=1.5)
    joints = person_joints(options, np.random.default_rng(1))

    def pieces(thinnest):
        gown = [skirt(joints, options, thinnest)]
        if train:
            width = max(0.04, thinnest)
            gown.append(strand([(-0.12, 0.05, width), (-0.12 - train, 0.08, width)], [1.6 * width, width]))
        return [Piece("body", flesh(joints, options, thinnest), SKIN),
                Piece("hair", simple_hair(joints, options, thinnest), HAIR),
                Piece("gown", Blend(tuple(gown), 0.06), CLOTH)]
    return _grown("gowned", pieces, joints, vertices)


@grown_once
def gloved(*, size: float = 1.0, sides: str = "LR", vertices: int = 4000) -> Character:
    """A short fighter in gloves as large as his head, with spreading thumbs and cuffs, on one hand or both."""
    options = PersonOptions(arm_angle=35.0, leg=0.8, arm=0.95, limb=1.15, head=1.4, asymmetry=3.0)
    joints = person_joints(options, np.random.default_rng(4))
    u = size * unit_of(joints)

    def pieces(thinnest):
        gloves = [_glove(joints, side, u) for side in sides]
        return [Piece("body", flesh(joints, options, thinnest), SKIN), Piece("gloves", Blend(tuple(gloves)), LEATHER)]
    return _grown("gloved", pieces, joints, vertices)


def _glove(joints, side: str, u: float):
    wrist, tip = joints[f"hand.{side}"], joints[f"hand_tip.{side}"]
    axes = frame_along(tip - wrist, (0, -1, 0))
    at = lambda x, y, z=0.0: tuple(wrist + axes @ np.array([x, y, z]) * u)  # noqa: E731
    fist = Ellipsoid(at(0.06, 0.0), (0.085 * u, 0.075 * u, 0.06 * u), axes)
    thumb = RoundCone(at(0.04, 0.04), at(0.08, 0.125), 0.034 * u, 0.026 * u)
    cuff = Squashed(RoundCone(at(-0.05, 0.0), at(-0.015, 0.0), 0.075 * u, 0.045 * u), (0.45, 1.0, 1.0), at(-0.03, 0.0),
                    axes)
    return Blend((fist, thumb, cuff), 0.02 * u)


def _grown(name: str, pieces, joints, vertices: int) -> Character:
    """One closed surface, not mirrored exactly."""
    cell = cell_of_pieces(pieces(0.0), vertices, mirrored=False)
    size = 0.012 * unit_of(joints)
    return grow_pieces(name, [fuse(pieces(0.92 * cell), size)], joints, "biped", cell, mirrored=False, scale=1.5)


@grown_once
def maimed(*, above: float = 0.0, arms: str = "LR", legs: str = "LR", stump: float = 0.6,
           vertices: int = 3000) -> Character:
    """A person cut off at a height, or without an arm or a leg, as a sculptor leaves them.

    above : share of the height below which nothing is;  arms, legs : sides that have theirs, the others end in stumps
    stump : how much of the thigh, and from 1 on of the shin, a leg's stump is
    """
    options = PersonOptions()
    joints = person_joints(options)

    def pieces(thinnest):
        body = flesh(joints, options, thinnest)
        for side in set("LR") - set(arms):
            elbow, wrist = joints[f"forearm.{side}"], joints[f"hand_tip.{side}"]
            end = joints[f"upper_arm.{side}"] + 0.6 * (elbow - joints[f"upper_arm.{side}"])
            body = Cut(body, strand([end, elbow, wrist], [0.06] * 3))
        for side in set("LR") - set(legs):
            line = np.array([joints[f"{n}.{side}"] for n in ("thigh", "shin", "foot", "toe_tip")])
            cut = np.array([np.interp(stump, range(4), line[:, d]) for d in range(3)]) - [0, 0, 0.07]
            rest = line[np.arange(4) > stump]
            body = Cut(body, strand([cut, *rest], [0.07] * (1 + len(rest))))
        return [Piece("body", Common((body, HalfSpace((0, 0, -1), -above * joints["head_top"][2]))), SKIN)]
    return _grown("maimed", pieces, joints, vertices)


@grown_once
def many_armed(*, pairs: int = 0, tentacle: float = 0.0, vertices: int = 2500) -> Character:
    """A person with so many more pairs of arms under the first, and a tentacle on the back, a share of the height long;
    with `pairs` -1 one more arm on the left."""
    options = PersonOptions(arm_angle=0.0)
    joints = person_joints(options)
    u, lines = unit_of(joints), []
    for k in range(abs(pairs)):
        for side, sign in SIDES if pairs > 0 else SIDES[:1]:
            start = joints[f"upper_arm.{side}"] + np.array([-sign * 0.03, 0, -0.12 * (k + 1)]) * u
            reach = np.array([sign * np.cos(0.5), 0, -np.sin(0.5)])
            lines.append(([start + reach * t * u for t in (0, 0.16, 0.3, 0.4)], (0.036, 0.026, 0.02, 0.03)))
    if tentacle:
        start = joints["chest"] + np.array([0, 0.04, 0.04]) * u
        lines.append(([start + tentacle * np.array([0, t, 0.3 * t * t]) for t in np.linspace(0, 1, 5)],
                      (0.035, 0.03, 0.025, 0.02, 0.016)))
    joints |= {f"limb_{i}_{k}": p for i, (points, _) in enumerate(lines) for k, p in enumerate(points)}

    def pieces(thinnest):
        limbs = [strand(points, np.maximum(np.array(radii) * u, thinnest)) for points, radii in lines]
        return [Piece("body", Blend((flesh(joints, options, thinnest), *limbs), 0.02 * u), SKIN)]
    cell = cell_of_pieces(pieces(0.0), vertices, mirrored=pairs >= 0)
    return grow_pieces("many_armed", pieces(0.92 * cell), joints, "biped", cell, mirrored=pairs >= 0)
