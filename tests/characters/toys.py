"""Toys: huge heads, bodies of one lump, next to no legs, arms that melt into the sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .character import Character, Piece, cell_of_pieces, grow_pieces, grown_once
from .implicit import Blend, Common, Ellipsoid, HalfSpace, RoundCone, Squashed, strand
from .people import SIDES

FUR = (0.55, 0.36, 0.22)


@dataclass(frozen=True)
class ToyOptions:
    """The choices behind a toy. Lengths are shares of its height.

    head : height of the head;  head_width : its half width;  leg : height of the crotch;  waist, chest : half widths of
    the trunk;  depth : of the trunk, 1 = round;  arm : length from shoulder to tip;  thick : of the arms, half
    melt : "none", "elbow" (melted from there down) or "all";  gown : the trunk goes on to the ground;  ears : half size
    """

    head: float = 0.42
    head_width: float = 0.2
    leg: float = 0.1
    waist: float = 0.17
    chest: float = 0.12
    depth: float = 0.85
    arm: float = 0.3
    thick: float = 0.045
    melt: str = "all"
    gown: bool = False
    ears: float = 0.0


def random_toy(rng: np.random.Generator) -> ToyOptions:
    """Anything from a doll to a plush animal."""
    between = rng.uniform
    chest = between(0.09, 0.15)
    return ToyOptions(
        head=between(0.28, 0.5), head_width=between(0.13, 0.25), leg=between(0.03, 0.18), chest=chest,
        waist=chest * between(0.9, 1.6), depth=between(0.7, 1.0), arm=between(0.2, 0.36), thick=between(0.03, 0.06),
        melt=str(rng.choice(["none", "elbow", "all"])), gown=bool(rng.random() < 0.2),
        ears=float(rng.choice([0.0, 0.0, 0.12])))


@grown_once
def toy(rng: np.random.Generator | None = None, options: ToyOptions | None = None, *,
        vertices: int = 2500) -> Character:
    """A toy with every joint of the `biped` preset where an artist would put it, in the middle of its limb."""
    o = options or (ToyOptions() if rng is None else random_toy(rng))
    joints = toy_joints(o)
    piece = Piece("toy", toy_solid(o, joints, 0.0), FUR)
    cell = cell_of_pieces([piece], vertices)
    return grow_pieces("toy", [Piece("toy", toy_solid(o, joints, 0.92 * cell), FUR)], joints, "biped", cell)


def toy_joints(o: ToyOptions) -> dict:
    """{joint: (3,)} of a toy one unit tall."""
    neck = 1.0 - o.head
    hip, shoulder = o.leg + 0.16 * (neck - o.leg), neck - 0.22 * (neck - o.leg)
    rise = lambda t: hip + t * (neck - hip)  # noqa: E731 - one line beats a function here
    joints = {"hips": (0, 0, rise(0.08)), "spine": (0, 0, rise(0.3)), "chest": (0, 0, rise(0.6)), "neck": (0, 0, neck),
              "head": (0, 0, neck + 0.12 * o.head), "head_top": (0, 0, 1.0)}
    for side, sign in SIDES:
        stand = sign * 0.55 * o.waist
        joints |= {f"{n}.{side}": (stand, y, z) for n, y, z in (
            ("thigh", 0, hip), ("shin", 0, 0.55 * hip), ("foot", 0.0, 0.32 * min(o.leg, 0.12)),
            ("toe", -0.07, 0.022), ("toe_tip", -0.12, 0.022))}
        joints |= {f"{n}.{side}": p for n, p in zip(("upper_arm", "forearm", "hand", "hand_tip"),
                                                    _arm(o, sign, shoulder), strict=True)}
        joints[f"shoulder.{side}"] = 0.4 * np.asarray(joints[f"upper_arm.{side}"]) + 0.6 * np.asarray(joints["neck"])
    return joints


def toy_solid(o: ToyOptions, joints: dict, thinnest: float):
    """One closed body."""
    at = {n: np.asarray(p, float) for n, p in joints.items()}
    low, neck = (0.02 if o.gown else o.leg), 1.0 - o.head
    trunk = RoundCone((0, 0, low + 0.8 * o.waist), (0, 0, neck - 0.5 * o.chest), o.waist, o.chest)
    parts = [Squashed(trunk, (1.0, o.depth, 1.0)),
             Ellipsoid((0, 0, neck + 0.49 * o.head), (o.head_width, 0.85 * o.head_width, 0.51 * o.head))]
    for side, sign in SIDES:
        stub, arm = 0.4 * o.waist, max(o.thick, thinnest)
        foot = max(0.3 * min(o.leg, 0.12) + 0.02, thinnest)
        parts += [RoundCone(tuple(at[f"thigh.{side}"]), tuple(at[f"foot.{side}"]), stub, 0.85 * stub),
                  RoundCone(tuple(at[f"foot.{side}"]), tuple(at[f"toe_tip.{side}"] + [0, 0.02, 0]), foot, 0.85 * foot),
                  strand([at[f"{n}.{side}"] for n in ("upper_arm", "forearm", "hand", "hand_tip")],
                         np.array([1.1, 1.0, 0.95, 0.85]) * arm)]
        if o.ears:
            parts.append(Ellipsoid((sign * (o.head_width + 0.5 * o.ears), 0, neck + 0.6 * o.head),
                                   (o.ears, max(0.25 * o.ears, thinnest), o.ears)))
    return Common((Blend(tuple(parts), 0.02), HalfSpace((0, 0, -1), 0.0)), 0.01)


def _arm(o: ToyOptions, sign: float, shoulder: float) -> np.ndarray:
    """(4, 3) shoulder, elbow, wrist and tip. Melted arms follow the trunk's side, two thirds of them within it."""
    down = shoulder - o.arm * np.array([0.0, 0.42, 0.78, 1.0])
    side = np.array([_half_width(o, z) for z in down]) + 0.35 * o.thick
    if o.melt == "all":
        out = np.concatenate([[side[0] - 0.7 * o.thick], side[1:]])
    else:
        shares = (0.0, 0.42, 0.78, 1.0) if o.melt == "none" else (0.0, 0.42, 0.3, 0.0)
        out = np.maximum(side[0] - 0.7 * o.thick, 0) + o.arm * np.array(shares)
        if o.melt == "elbow":
            out[2:] = np.maximum(side[2:], out[2:] * [0, 0])
        down = shoulder - o.arm * np.array([0.0, 0.3, 0.55, 0.75] if o.melt == "none" else [0.0, 0.25, 0.6, 0.85])
    return np.stack([sign * out, np.full(4, -0.1 * o.waist) * [0, 1, 2, 3], down], axis=1)


def _half_width(o: ToyOptions, z: float) -> float:
    """Half the trunk's width at a height."""
    low = 0.02 if o.gown else o.leg
    share = np.clip((z - low - 0.8 * o.waist) / max(1.0 - o.head - 0.5 * o.chest - low - 0.8 * o.waist, 1e-6), 0, 1)
    return float((1 - share) * o.waist + share * o.chest)
