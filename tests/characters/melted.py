"""Bodies that have grown together into one closed surface, as generators of meshes make them: two people hand in hand,
a rider on a horse; a person in a robe that hides all but head and arms, and one with something in the hand."""

from __future__ import annotations

import numpy as np

from .animals import SPECIES, quadruped_joints, quadruped_pieces
from .character import Character, Piece, cell_of_pieces, fuse, grow_pieces, grown_once
from .implicit import Blend, RoundCone, strand
from .people import SIDES, PersonOptions, flesh, person_joints, skirt

SKIN, CLOTH = (0.87, 0.65, 0.53), (0.3, 0.3, 0.55)
HELD = 0.06  # of the height two hands overlap that hold each other


@grown_once
def pair(*, apart: float = 0.0, vertices: int = 5000) -> Character:
    """Two people side by side, hand in hand.  apart : how far their hands are from each other, share of the height"""
    options = (PersonOptions(), PersonOptions(limb=1.1, belly=0.4, hair="short"))
    joints = [person_joints(o) for o in options]
    middle = (joints[0]["hand_tip.L"][0] + joints[1]["hand_tip.L"][0] - HELD + apart) / 2
    placed = [_moved(own, [sign * middle, 0, 0]) for own, sign in zip(joints, (-1.0, 1.0), strict=True)]
    return _grown("pair", lambda thin: [Piece("body", flesh(own, o, thin), SKIN)
                                        for own, o in zip(placed, options, strict=True)], joints[0], vertices)


@grown_once
def ridden(*, back: float = 0.5, vertices: int = 6000) -> Character:
    """A person who sits on a horse.  back : how far behind the withers, in the horse's lengths"""
    horse, options = SPECIES["horse"], PersonOptions(arm_angle=65.0)
    beast = quadruped_joints(horse)
    rider = {name: 1.1 * place for name, place in person_joints(options).items()}
    rider = _moved(rider, np.array([0, (back - 0.5) * horse.length, 1.06]) - rider["hips"])
    for side, sign in SIDES:
        hip = rider[f"thigh.{side}"]
        knee = hip + [sign * 0.12, -0.14, -0.12]
        foot = knee + [sign * 0.02, 0.05, -0.2]
        rider |= {f"shin.{side}": knee, f"foot.{side}": foot, f"toe.{side}": foot + [0, -0.06, -0.03],
                  f"toe_tip.{side}": foot + [0, -0.1, -0.03]}

    def pieces(thinnest):
        return [*quadruped_pieces(beast, horse, thinnest),
                Piece("rider", flesh(rider, options, thinnest, floor=False), SKIN)]
    return _grown("ridden", pieces, beast, vertices)


@grown_once
def robed(*, sleeve: float = 0.06, vertices: int = 4000) -> Character:
    """A person in a robe down to the ground, with wide sleeves and a pointed hat.

    sleeve : the radius of the sleeves at the hands
    """
    options = PersonOptions(skirt="ankle", arm_angle=60.0, limb=0.9)
    joints = person_joints(options)

    def pieces(thinnest):
        top = joints["head_top"]
        cloth = [skirt(joints, options, thinnest), RoundCone(tuple(top - [0, 0, 0.03]), tuple(top + [0, 0.03, 0.22]),
                                                            0.075, max(0.012, thinnest))]
        cloth += [strand([joints[f"{name}.{side}"] for name in ("upper_arm", "forearm", "hand")],
                         [0.045, 0.7 * sleeve, sleeve]) for side, _ in SIDES]
        gown = strand([joints["hips"], [0, 0.0, 0.1]], [0.1, 0.17])
        return [Piece("body", flesh(joints, options, thinnest), SKIN),
                Piece("robe", Blend((*cloth, gown), 0.02), CLOTH)]
    return _grown("robed", pieces, joints, vertices)


@grown_once
def holding(end, radius: float = 0.025, *, vertices: int = 6000, **options) -> Character:
    """A person with a rod through the right hand.

    end : (3,) where it ends, from the hand, in its heights; it sticks out by a fifth of that on the other side
    """
    person = PersonOptions(**options)
    joints = person_joints(person)
    grip = (joints["hand.R"] + joints["hand_tip.R"]) / 2
    way = np.asarray(end, float) * (joints["head_top"][2] - joints["toe.R"][2])
    return _grown("holding", lambda thin: [Piece("body", flesh(joints, person, thin), SKIN),
                                           Piece("rod", strand([grip - 0.2 * way, grip + way], [radius] * 2), CLOTH)],
                  joints, vertices)


def _moved(joints, by) -> dict:
    return {name: place + np.asarray(by, float) for name, place in joints.items()}


def _grown(name: str, pieces, joints, vertices: int) -> Character:
    cell = cell_of_pieces(pieces(0.0), vertices, mirrored=False)
    body = fuse(pieces(0.92 * cell), 0.01)
    return grow_pieces(name, [body], joints, "other", cell, mirrored=False)
