"""Bodies whose limbs hardly show: a person of blocks that is one surface without gaps, a ball with stubs, a penguin, a
round animal."""

from __future__ import annotations

import numpy as np

from .character import Character, Piece, cell_of_pieces, grow_pieces, grown_once
from .implicit import Blend, Ellipsoid, RoundCone, Slab

PAINT = (0.5, 0.6, 0.9)


@grown_once
def block_statue(*, head: float = 0.12, trunk: float = 0.12, arm: float = 0.06, leg: float = 0.38, depth: float = 0.07,
                 span: float = 0.0, vertices: int = 5000) -> Character:
    """A person of blocks, arms and trunk and both legs grown together. All sizes are halves but for `leg`, the height
    of the crotch; the person is 1 tall.

    span : how long the arms are that are held out level, which makes a cross of it; 0 for hanging ones
    """
    neck, hips = 1 - 2 * head, np.array([0, 0, leg])
    blocks = [Slab((0, 0, 1 - head), (head, head, head)),
              Slab((0, 0, (leg + neck) / 2), (trunk, depth, (neck - leg) / 2)),
              Slab((0, 0, leg / 2), (trunk, depth, leg / 2)), Slab((0, -0.02, 0.03), (trunk, depth + 0.02, 0.03))]
    if span:
        blocks.append(Slab((0, 0, neck - arm), (trunk + span, depth, arm)))
    else:
        blocks.append(Slab((0, 0, (leg + neck) / 2 - 0.02), (trunk + 2 * arm, depth, (neck - leg) / 2 + 0.02)))
    joints = {"hips": hips, "neck": np.array([0, 0, neck])}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        x = sign * (trunk + arm)
        joints |= {f"upper_arm.{side}": np.array([x, 0, neck - 0.05]), f"hand.{side}": np.array([x, 0, leg]),
                   f"thigh.{side}": np.array([sign * trunk / 2, 0, leg]),
                   f"foot.{side}": np.array([sign * trunk / 2, 0, 0.05])}
    return _grown("block_statue", Blend(tuple(blocks), 0.0), joints, vertices)


@grown_once
def puff(*, feet: int = 2, vertices: int = 6000) -> Character:
    """A ball with stubs for arms.  feet : 2, or 4 in two rows"""
    radius, middle = 0.42, 0.5
    parts, joints = [Ellipsoid((0, 0, middle), (radius, 0.95 * radius, radius))], {}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        shoulder = np.array([0.85 * radius * sign, -0.05, middle])
        hand = shoulder + [0.15 * sign, -0.015, -0.045]
        parts.append(RoundCone(tuple(shoulder), tuple(hand), 0.1, 0.09))
        for y in (-0.05,) if feet == 2 else (-0.22, 0.22):
            foot = np.array([0.55 * radius * sign, y, 0.07])
            parts += [RoundCone((0.5 * radius * sign, y, 0.2), tuple(foot), 0.11, 0.11),
                      Ellipsoid(tuple(foot - [0, 0.05, 0]), (0.12, 0.16, 0.075))]
            joints[f"foot.{side}"] = foot
        joints |= {f"upper_arm.{side}": shoulder, f"hand.{side}": hand}
    return _grown("puff", Blend(tuple(parts), 0.03), joints, vertices)


@grown_once
def penguin(*, vertices: int = 5000) -> Character:
    """A bird that stands like a person, flippers off its sides, on feet without legs."""
    parts, joints = [Ellipsoid((0, 0, 0.42), (0.23, 0.2, 0.36)), Ellipsoid((0, -0.02, 0.85), (0.15, 0.15, 0.15)),
                     RoundCone((0, -0.15, 0.83), (0, -0.23, 0.81), 0.04, 0.015)], {}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        shoulder, hand, foot = (np.array([sign * x, y, z]) for x, y, z in ((0.17, 0, 0.62), (0.31, 0, 0.4),
                                                                           (0.11, -0.03, 0.05)))
        parts += [RoundCone(tuple(shoulder), tuple(hand), 0.045, 0.03),
                  RoundCone((sign * 0.1, 0, 0.14), tuple(foot), 0.06, 0.06),
                  Ellipsoid(tuple(foot - [0, 0.08, 0.02]), (0.08, 0.13, 0.035))]
        joints |= {f"upper_arm.{side}": shoulder, f"hand.{side}": hand, f"foot.{side}": foot}
    return _grown("penguin", Blend(tuple(parts), 0.04), joints, vertices)


@grown_once
def piggy_bank(*, vertices: int = 6000) -> Character:
    """A round animal on four stubs, with a snout and ears."""
    parts, joints = [Ellipsoid((0, 0, 0.45), (0.32, 0.42, 0.32)),
                     RoundCone((0, -0.4, 0.45), (0, -0.5, 0.45), 0.1, 0.1)], {}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        parts.append(RoundCone((sign * 0.15, -0.25, 0.72), (sign * 0.2, -0.28, 0.82), 0.05, 0.02))
        for end, y in (("front", -1.0), ("hind", 1.0)):
            foot = np.array([sign * 0.2, 0.22 * y, 0.03])
            parts.append(RoundCone((sign * 0.18, 0.2 * y, 0.25), tuple(foot), 0.07, 0.07))
            joints[f"{end}_foot.{side}"] = foot
    return _grown("piggy_bank", Blend(tuple(parts), 0.02), joints, vertices)


def _grown(name: str, solid, joints: dict, vertices: int) -> Character:
    piece = Piece(name, solid, PAINT)
    return grow_pieces(name, [piece], joints, "other", cell_of_pieces([piece], vertices))
