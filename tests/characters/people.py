"""People of all proportions, with the joints where an artist would put them. Lengths are fractions of the height."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from .character import Character, Piece, cell_of_pieces, fuse, grow_pieces, grown_once
from .implicit import Blend, Common, Cut, Ellipsoid, HalfSpace, RoundCone, Squashed, frame_along, strand

SIDES = (("L", 1.0), ("R", -1.0))
HAND_FINENESS = 6.0  # of hands with fingers, in cells of the body


@dataclass(frozen=True)
class PersonOptions:
    """The choices behind a person; the defaults are an average adult in an A-pose.

    Factors (1 = average): head, limb (thickness), leg, arm (length), shoulders, hips (width), depth (of the torso).
    belly 0 to 1. Angles in degrees: arm below the horizontal (0 = T-pose, 80 = arms down), elbow bend, stance of legs.
    hair "none", "short", "long" (below the shoulders); skirt "none", "knee", "ankle"; tail length, fraction of height.
    stretch : factors on x, y, z at the end;  asymmetry : degrees and per cents by which the right side differs
    digits : fingers of each hand, thumb counted, the hands a finer object of their own; None is a mitten with a thumb
    splay : degrees between two fingers
    layers : hair and skirt are objects of their own; otherwise everything is one closed surface
    """

    height: float = 1.7
    head: float = 1.0
    limb: float = 1.0
    leg: float = 1.0
    arm: float = 1.0
    shoulders: float = 1.0
    hips: float = 1.0
    depth: float = 1.0
    belly: float = 0.0
    arm_angle: float = 40.0
    elbow: float = 12.0
    stance: float = 4.0
    hair: str = "none"
    skirt: str = "none"
    tail: float = 0.0
    fingers: bool = True
    stretch: tuple[float, float, float] = (1.0, 1.0, 1.0)
    asymmetry: float = 0.0
    layers: bool = False
    digits: int | None = None
    splay: float = 7.0


def random_options(rng: np.random.Generator) -> PersonOptions:
    """Proportions from child to giant, thin to stout; about a third with long hair, a quarter with a skirt."""
    between = rng.uniform
    return PersonOptions(
        height=between(1.2, 2.0), head=between(0.85, 1.7), limb=between(0.75, 1.35), leg=between(0.75, 1.15),
        arm=between(0.85, 1.12), shoulders=between(0.9, 1.2), hips=between(0.9, 1.2), depth=between(0.9, 1.2),
        belly=max(0.0, between(-0.7, 1.0)), arm_angle=between(0, 62), elbow=between(2, 22), stance=between(1, 9),
        hair=str(rng.choice(["none", "short", "long"])), skirt=str(rng.choice(["none", "none", "knee", "ankle"])),
        tail=float(rng.choice([0.0, 0.0, 0.0, 0.25])), fingers=bool(rng.random() < 0.75))


@grown_once
def person(rng: np.random.Generator | None = None, *, vertices: int = 3000, pose=None, **options) -> Character:
    """A person; what `options` (fields of PersonOptions) leaves open is drawn from `rng`, or average without one.

    vertices : about how many, 1500 to 1,000,000;  pose : {joint: (3,)} -> the same, moved before flesh grows on them
    Without asymmetry and pose the mesh is its own mirror image, bit by bit.
    """
    unknown = set(options) - {f.name for f in fields(PersonOptions)}
    if unknown:
        raise TypeError(f"person() has no option {sorted(unknown)}")
    chosen = replace(PersonOptions() if rng is None else random_options(rng), **options)
    wobble = np.random.default_rng(0) if rng is None else rng
    joints = person_joints(chosen, wobble)
    joints = joints if pose is None else pose(joints)
    if chosen.digits is not None:
        for side, _ in SIDES:
            joints |= finger_joints(joints, side, chosen)
    mirrored = chosen.asymmetry == 0 and pose is None
    pieces = _pieces(joints, chosen, 0.0)
    cell = cell_of_pieces(pieces, vertices, mirrored=mirrored)
    pieces = _pieces(joints, chosen, 0.92 * cell)
    character = grow_pieces("person", pieces, joints, "biped", cell, mirrored=mirrored, scale=chosen.height)
    return character if chosen.stretch == (1.0, 1.0, 1.0) else character.moved(np.diag(chosen.stretch))


def person_joints(o: PersonOptions, rng: np.random.Generator | None = None) -> dict:
    """{joint: (3,)} of a person one unit tall."""
    ankle, knee = 0.055, 0.055 + 0.23 * o.leg
    thigh = knee + 0.235 * o.leg
    neck = thigh + 0.33
    head = neck + 0.03 + 0.02 * o.head
    joints = {
        "hips": (0, 0.004, thigh + 0.01), "spine": (0, 0.008, thigh + 0.065), "chest": (0, 0.01, thigh + 0.16),
        "neck": (0, 0.01, neck), "head": (0, 0.0, head), "head_top": (0, -0.004, head + 0.1 * o.head)}
    for side, sign in SIDES:
        off = 0.0 if side == "L" or o.asymmetry == 0 else o.asymmetry
        extra, longer = (0.0, 1.0) if off == 0 else (off * rng.uniform(-1, 1), 1 + off / 100 * rng.uniform(-1, 1))
        width = 0.1 * o.shoulders
        along = _outward(sign, o.arm_angle + extra, 0.0)
        bent = _outward(sign, o.arm_angle + extra, o.elbow)
        upper_arm = np.array([sign * width, 0.012, thigh + 0.3])
        forearm = upper_arm + 0.165 * o.arm * longer * along
        hand = forearm + 0.15 * o.arm * longer * bent
        joints |= {f"shoulder.{side}": (sign * 0.016, -0.002, thigh + 0.3), f"upper_arm.{side}": upper_arm,
                   f"forearm.{side}": forearm, f"hand.{side}": hand,
                   f"hand_tip.{side}": hand + (0.045 + 0.055 * o.arm) * bent}
        spread = np.tan(np.radians(o.stance + extra / 4))
        leg_x = lambda z, s=sign, t=spread: s * (0.054 * o.hips + (thigh - z) * t)  # noqa: E731 - one line, used at once
        joints |= {f"thigh.{side}": (leg_x(thigh), 0.002, thigh), f"shin.{side}": (leg_x(knee), -0.006, knee),
                   f"foot.{side}": (leg_x(ankle), 0.012, ankle),
                   f"toe.{side}": (leg_x(ankle) + sign * 0.006, -0.07, 0.014),
                   f"toe_tip.{side}": (leg_x(ankle) + sign * 0.009, -0.112, 0.012)}
    scale = 1.0 / (joints["head_top"][2])
    return {name: np.asarray(p, float) * scale for name, p in joints.items()}


def _outward(sign: float, below: float, forward: float) -> np.ndarray:
    """Unit vector to the character's side, so many degrees below the horizontal and towards the front."""
    below, forward = np.radians(below), np.radians(forward)
    return np.array([sign * np.cos(below) * np.cos(forward), -np.sin(forward), -np.sin(below) * np.cos(forward)])


def _pieces(joints, o: PersonOptions, thinnest: float) -> list[Piece]:
    skin, hair, cloth = (0.87, 0.65, 0.53), (0.33, 0.2, 0.12), (0.35, 0.45, 0.68)
    pieces = [Piece("body", flesh(joints, o, thinnest), skin)]
    if o.digits is not None:
        both = tuple(fingered(joints, side, o) for side, _ in SIDES)
        return [*pieces, Piece("hands", Blend(both), skin, HAND_FINENESS)]
    if o.hair != "none":
        pieces.append(Piece("hair", simple_hair(joints, o, thinnest), hair))
    if o.skirt != "none":
        pieces.append(Piece("skirt", skirt(joints, o, thinnest), cloth))
    if o.layers or len(pieces) == 1:
        return pieces
    return [fuse(pieces, 0.012 * unit_of(joints))]


def unit_of(joints) -> float:
    """What a length drawn for the average person is multiplied by: the rescaling in `person_joints`."""
    return float(joints["hips"][2] - joints["thigh.L"][2]) / 0.01


def flesh(joints, o: PersonOptions, thinnest: float = 0.0, *, floor: bool = True):
    """The bare body as one solid."""
    u = unit_of(joints)
    parts = [torso(joints, o, u), head(joints, o, u)]
    for side, sign in SIDES:
        parts += [arm(joints, side, sign, o, u, thinnest), leg(joints, side, sign, o, u, thinnest)]
    if o.tail:
        parts.append(_tail(joints, o, u, thinnest))
    body = Blend(tuple(parts), 0.022 * u)
    return Common((body, HalfSpace((0, 0, -1), 0.0)), 0.008 * u) if floor else body


def torso(joints, o: PersonOptions, u: float):
    """Pelvis, waist, chest, shoulders and neck."""
    hips, chest, neck, top = (joints[n] for n in ("hips", "chest", "neck", "head"))
    t = 0.5 + 0.5 * o.limb
    at = lambda base, y, z: tuple(base + np.array([0, y, z]) * u)  # noqa: E731
    parts = [
        Ellipsoid(at(hips, 0.004, 0.0), (0.095 * o.hips * u * t, 0.066 * o.depth * u * t, 0.068 * u)),
        Ellipsoid(at(hips, 0.0, 0.085), (0.076 * u * t, 0.056 * o.depth * u * t, 0.085 * u)),
        Ellipsoid(at(chest, -0.004, 0.055), (0.095 * o.shoulders * u * t, 0.068 * o.depth * u * t, 0.1 * u)),
        RoundCone(tuple(neck - [0, 0, 0.03 * u]), tuple(top), 0.036 * u * t, 0.031 * u * t)]
    if o.belly:
        size = (0.06 + 0.05 * o.belly) * u
        parts.append(Ellipsoid(at(hips, -0.02 - 0.025 * o.belly, 0.06), (size * 1.1, size, size)))
    for side, sign in SIDES:
        shoulder = joints[f"upper_arm.{side}"]
        root = neck + np.array([sign * 0.015, 0.004, -0.022]) * u
        parts += [RoundCone(tuple(root), tuple(shoulder - [0, 0, 0.006 * u]), 0.034 * u * t, 0.036 * u * t),
                  Ellipsoid(at(hips, 0.032, -0.028) + np.array([sign * 0.043 * u, 0, 0]), (0.05 * u * t,) * 3)]
    return Blend(tuple(parts), 0.045 * u)


def head(joints, o: PersonOptions, u: float):
    """Skull, jaw, nose and ears."""
    s = o.head * u
    centre = joints["head"] + np.array([0, -0.012, 0.035]) * s
    at = lambda x, y, z: tuple(centre + np.array([x, y, z]) * s)  # noqa: E731
    skull = Blend((Ellipsoid(at(0, 0.004, 0.008), (0.051 * s, 0.06 * s, 0.057 * s)),
                   Ellipsoid(at(0, -0.018, -0.03), (0.038 * s, 0.04 * s, 0.034 * s))), 0.03 * s)
    nose = RoundCone(at(0, -0.055, 0.004), at(0, -0.064, -0.012), 0.006 * s, 0.009 * s)
    ears = [Ellipsoid(at(sign * 0.052, 0.008, -0.006), (0.008 * s, 0.013 * s, 0.018 * s)) for _, sign in SIDES]
    return Blend((skull, nose, *ears), 0.01 * s)


def arm(joints, side: str, sign: float, o: PersonOptions, u: float, thinnest: float):
    """Upper arm, forearm and hand."""
    t = o.limb * u
    fat = lambda r: max(r, thinnest)  # noqa: E731
    a, b, c = (joints[f"{n}.{side}"] for n in ("upper_arm", "forearm", "hand"))
    points = [a, a + (b - a) * 0.45, b, b + (c - b) * 0.3, c]
    radii = [fat(0.036 * t), fat(0.031 * t), fat(0.0255 * t), fat(0.0265 * t), fat(0.0175 * t)]
    return Blend((strand(points, radii, 0.004 * u), hand(joints, side, sign, o, u, thinnest)), 0.012 * u)


def hand(joints, side: str, sign: float, o: PersonOptions, u: float, thinnest: float):
    """A palm, mitten fingers in one, and a thumb to the front."""
    wrist, tip = joints[f"hand.{side}"], joints[f"hand_tip.{side}"]
    length = float(np.linalg.norm(tip - wrist))
    if o.digits is not None:
        return RoundCone(tuple(wrist), tuple(wrist + 0.1 * (tip - wrist)), 0.16 * length, 0.16 * length)
    axes = frame_along(tip - wrist, (0, -1, 0))  # along the hand, to the thumb, out of the back or palm
    at = lambda x, y, z=0.0: tuple(wrist + axes @ np.array([x, y, z]) * length)  # noqa: E731
    thick = max(0.14 * length, thinnest)
    palm = Blend((RoundCone(at(0.08, 0), at(0.42, 0), 0.2 * length, 0.25 * length),
                  RoundCone(at(0.42, 0), at(0.78, 0), 0.25 * length, 0.22 * length)), 0.05 * length)
    scale = thick / (0.25 * length)
    mitten = Squashed(palm, (1.0, 1.0, min(scale, 1.0)), tuple(wrist), axes)
    if not o.fingers:
        return mitten
    radii = np.maximum(np.array([0.11, 0.095, 0.085]) * length, thinnest)
    thumb = strand([at(0.18, 0.1), at(0.4, 0.27), at(0.58, 0.33)], radii)
    return Blend((mitten, thumb), 0.07 * length)


def finger_joints(joints, side: str, o: PersonOptions) -> dict:
    """{joint: (3,)} of a flat hand's fingers, the thumb to the front, as `core.detail` calls them."""
    wrist, tip = joints[f"hand.{side}"], joints[f"hand_tip.{side}"]
    length = float(np.linalg.norm(tip - wrist))
    axes = frame_along(tip - wrist, (0, -1, 0))
    names = {0: (), 1: (), 2: ("index",), 3: ("index", "middle"), 4: ("index", "middle", "pinky"),
             5: ("index", "middle", "ring", "pinky")}[o.digits or 0]
    out = {}

    def put(name, start, angle, bones):
        ends = np.concatenate([[0.0], np.cumsum(bones)])
        way = axes @ np.array([np.cos(angle), np.sin(angle), 0.0])
        for k, s in zip([*range(1, len(bones) + 1), "tip"], ends, strict=True):
            out[f"{name}_{k}.{side}"] = wrist + (axes @ np.array([*start, 0.0]) + way * s) * length

    if o.digits:
        put("thumb", (0.14, 0.13), np.radians(42.0), (0.2, 0.17, 0.13))
    for i, name in enumerate(names):
        off = (len(names) - 1) / 2 - i
        reach = 0.44 - 0.03 * off * off
        put(name, (0.53, 0.115 * off), np.radians(o.splay * off), (0.42 * reach, 0.32 * reach, 0.26 * reach))
    return out


def fingered(joints, side: str, o: PersonOptions):
    """A flat hand with the fingers of `finger_joints`; without any a paddle."""
    wrist, tip = joints[f"hand.{side}"], joints[f"hand_tip.{side}"]
    length = float(np.linalg.norm(tip - wrist))
    axes = frame_along(tip - wrist, (0, -1, 0))
    at = lambda x, y: tuple(wrist + axes @ np.array([x, y, 0.0]) * length)  # noqa: E731
    palm = Blend((RoundCone(at(-0.05, 0), at(0.42, 0.07), 0.14 * length, 0.15 * length),
                  RoundCone(at(-0.05, 0), at(0.42, -0.08), 0.14 * length, 0.14 * length)), 0.05 * length)
    parts = [Squashed(palm, (1.0, 1.0, 0.55), tuple(wrist), axes)]
    places = finger_joints(joints, side, o)
    for name in dict.fromkeys(n.split("_")[0] for n in places):
        line = [p for n, p in places.items() if n.startswith(name)]
        radii = (0.075, 0.065, 0.06, 0.05) if name == "thumb" else (0.056, 0.052, 0.047, 0.04)
        parts.append(strand([*line[:-1], line[-1] + (line[-2] - line[-1]) * 0.15], np.array(radii) * length))
    return Blend(tuple(parts), 0.02 * length)


def leg(joints, side: str, sign: float, o: PersonOptions, u: float, thinnest: float):
    """Thigh, calf and foot."""
    t = o.limb * u
    fat = lambda r: max(r, thinnest)  # noqa: E731
    a, b, c = (joints[f"{n}.{side}"] for n in ("thigh", "shin", "foot"))
    back = np.array([0, 0.01, 0]) * u
    points = [a, a + (b - a) * 0.4, b, b + (c - b) * 0.32 + back, b + (c - b) * 0.7, c]
    radii = [fat(0.054 * t), fat(0.05 * t), fat(0.037 * t), fat(0.0375 * t), fat(0.028 * t), fat(0.023 * t)]
    return Blend((strand(points, radii, 0.008 * u), foot(joints, side, sign, o, u, thinnest)), 0.016 * u)


def foot(joints, side: str, sign: float, o: PersonOptions, u: float, thinnest: float):
    """Heel, instep and toes; the sole is cut flat by the floor."""
    t = (0.6 + 0.4 * o.limb) * u
    fat = lambda r: max(r, thinnest)  # noqa: E731
    ankle, ball, tip = (joints[f"{n}.{side}"] for n in ("foot", "toe", "toe_tip"))
    heel = np.array([ankle[0], ankle[1] + 0.014 * u, 0.022 * u])
    instep = np.array([ball[0], ball[1], max(0.018 * u, 0.8 * thinnest)])
    toes = np.array([tip[0], tip[1] + 0.022 * t, max(0.014 * u, 0.8 * thinnest)])
    return Blend((RoundCone(tuple(ankle), tuple(heel), fat(0.025 * t), fat(0.026 * t)),
                  RoundCone(tuple(heel), tuple(instep), fat(0.027 * t), fat(0.031 * t)),
                  RoundCone(tuple(ankle), tuple(instep), fat(0.024 * t), fat(0.022 * t)),
                  RoundCone(tuple(instep), tuple(toes), fat(0.032 * t), fat(0.024 * t))), 0.014 * u)


def _tail(joints, o: PersonOptions, u: float, thinnest: float):
    hips = joints["hips"]
    s = np.linspace(0, 1, 7)
    rise = o.tail * (0.55 * s**2 - 0.35 * s)
    points = np.stack([0 * s, 0.06 * u + o.tail * 0.75 * s, -0.03 * u + rise], axis=1)
    return strand(hips + points, np.maximum((0.026 - 0.012 * s) * u, thinnest))


def simple_hair(joints, o: PersonOptions, thinnest: float):
    """A cap of hair; long hair also falls down the back to below the shoulders and past the cheeks."""
    u = unit_of(joints)
    s = o.head * u
    centre = joints["head"] + np.array([0, -0.012, 0.035]) * s
    at = lambda x, y, z: tuple(centre + np.array([x, y, z]) * s)  # noqa: E731
    cap = Cut(Ellipsoid(at(0, 0.012, 0.014), (0.06 * s, 0.066 * s, 0.062 * s)),
              Ellipsoid(at(0, -0.075, -0.03), (0.062 * s, 0.07 * s, 0.062 * s)), 0.012 * s)
    if o.hair == "short":
        return cap
    low = joints["chest"][2] + 0.04 * u
    back = 0.062 * s + 0.01 * u
    locks = [cap]
    for x in (0.0, 0.035, -0.035, 0.055, -0.055):
        side = abs(x) / 0.055
        fall = np.array([centre + np.array([x, 0.03 - 0.008 * side, 0.01]) * s,
                         centre + np.array([x * 1.15, 0.045 - 0.02 * side, -0.05]) * s,
                         [x * 1.2 * s, joints["neck"][1] + back, joints["upper_arm.L"][2]],
                         [x * 1.1 * s, joints["chest"][1] + max(back, 0.085 * o.depth * u), low + 0.03 * side * u]])
        locks.append(strand(fall, np.maximum(np.array([0.026, 0.026, 0.024, 0.014]) * s, thinnest), 0.01 * u))
    return Blend(tuple(locks), 0.02 * s)


def skirt(joints, o: PersonOptions, thinnest: float):
    """A flared skirt, closed at the hem, to the knees or the ankles."""
    u = unit_of(joints)
    waist = joints["spine"][2] + 0.02 * u
    hem = joints["shin.L"][2] - 0.01 * u if o.skirt == "knee" else joints["foot.L"][2] + 0.01 * u
    y = float(joints["hips"][1])
    knee = joints["shin.L"]
    reach = max(0.14 * u, abs(float(knee[0])) + 0.075 * o.limb * u, 0.112 * o.hips * u)
    wide = reach + 0.055 * u * (joints["shin.L"][2] - hem) / joints["shin.L"][2]
    belt = 0.085 * u * (0.6 + 0.4 * o.limb) + 0.025 * o.belly * u
    flare = strand([(0, y, waist - 0.06 * u), (0, y, hem - 0.02 * u)], [belt + 0.02 * u, wide])
    squash = 0.86 + 0.1 * o.belly
    return Common((Squashed(flare, (1.0, squash, 1.0), (0, y, 0)), HalfSpace((0, 0, -1), -float(hem)),
                   HalfSpace((0, 0, 1), float(waist))), 0.012 * u)
