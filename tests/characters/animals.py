"""Four-legged animals with known joints. Lengths are fractions of the height at the withers."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from .character import Character, Piece, cell_of_pieces, fuse, grow_pieces, grown_once
from .implicit import Blend, Common, Ellipsoid, HalfSpace, RoundCone, strand
from .people import SIDES

TAIL = ("tail", "tail_2", "tail_3", "tail_4", "tail_tip")


@dataclass(frozen=True)
class QuadrupedOptions:
    """The choices behind a four-legged animal; the defaults are a dog.

    height : of the withers, in scene units.  length : withers to hips.  width : between the legs of a pair.
    chest, waist : half height of the trunk there, girth : its width to its height.  leg : thickness of the legs.
    crouch : 0 to 1, how much the hind leg bends.  neck, neck_angle : length, degrees above the horizontal.
    head, snout : factors of size and length.  head_angle : of the snout, degrees below the horizontal.
    tail, tail_angle, tail_curl : length, degrees above the horizontal at the root, degrees it turns up on the way.
    ears : "round", "pointed", "long" (to the sides), "hare" (long and up) or "fan" (wide sheets).
    hooves : feet without toes.  proboscis, hump, mane : lengths, 0 for none.  tusks : beside the proboscis.
    """

    height: float = 0.6
    length: float = 0.9
    width: float = 0.2
    chest: float = 0.21
    waist: float = 0.16
    girth: float = 0.8
    leg: float = 1.0
    crouch: float = 0.6
    neck: float = 0.32
    neck_angle: float = 48.0
    head: float = 1.15
    snout: float = 1.0
    head_angle: float = 18.0
    tail: float = 0.5
    tail_angle: float = 20.0
    tail_curl: float = 40.0
    tail_thickness: float = 1.0
    ears: str = "pointed"
    hooves: bool = False
    horns: bool = False
    proboscis: float = 0.0
    tusks: bool = False
    hump: float = 0.0
    mane: float = 0.0
    color: tuple[float, float, float] = (0.72, 0.52, 0.34)


SPECIES = {
    "dog": QuadrupedOptions(),
    "cat": QuadrupedOptions(height=0.28, length=0.98, width=0.19, chest=0.2, waist=0.18, leg=0.85, crouch=0.9,
                            neck=0.24, neck_angle=40, head=1.25, snout=0.55, head_angle=12, tail=0.95, tail_angle=15,
                            tail_curl=60, tail_thickness=0.9, color=(0.45, 0.43, 0.42)),
    "horse": QuadrupedOptions(height=1.5, length=0.82, width=0.17, chest=0.2, waist=0.175, leg=0.8, crouch=0.35,
                              neck=0.52, neck_angle=52, head=1.1, snout=1.5, head_angle=42, tail=0.55, tail_angle=-40,
                              tail_curl=-30, tail_thickness=1.5, hooves=True, color=(0.45, 0.27, 0.16)),
    "cow": QuadrupedOptions(height=1.35, length=1.05, width=0.26, chest=0.27, waist=0.28, leg=1.0, crouch=0.35,
                            neck=0.36, neck_angle=14, head=1.2, snout=1.25, head_angle=35, tail=0.7, tail_angle=-70,
                            tail_curl=-15, tail_thickness=0.6, ears="long", hooves=True, horns=True,
                            color=(0.88, 0.85, 0.8)),
}

# Others, which only come when they are asked for.
WILD = {
    "elephant": QuadrupedOptions(height=2.8, length=0.8, width=0.3, chest=0.26, waist=0.26, girth=0.95, leg=2.1,
                                 crouch=0.1, neck=0.2, neck_angle=25, head=1.9, snout=0.15, head_angle=50, tail=0.5,
                                 tail_angle=-75, tail_curl=-10, tail_thickness=0.6, ears="fan", proboscis=0.75,
                                 tusks=True, color=(0.5, 0.48, 0.46)),
    "bear": QuadrupedOptions(height=1.1, length=1.0, width=0.3, chest=0.26, waist=0.26, girth=0.95, leg=1.7,
                             crouch=0.3, neck=0.3, neck_angle=6, head=1.35, snout=0.9, head_angle=10, tail=0.1,
                             tail_angle=-60, tail_curl=0, ears="round", color=(0.35, 0.24, 0.16)),
    "rhino": QuadrupedOptions(height=1.6, length=1.2, width=0.32, chest=0.31, waist=0.31, girth=0.95, leg=1.6,
                              crouch=0.2, neck=0.3, neck_angle=0, head=1.6, snout=1.3, head_angle=24, tail=0.35,
                              tail_angle=-70, tail_curl=0, tail_thickness=0.6, ears="round", hooves=True,
                              color=(0.5, 0.5, 0.48)),
    "camel": QuadrupedOptions(height=1.8, length=0.75, width=0.18, chest=0.21, waist=0.18, leg=0.75, crouch=0.3,
                              neck=0.75, neck_angle=35, head=0.95, snout=1.3, head_angle=14, tail=0.35, tail_angle=-70,
                              tail_curl=0, tail_thickness=0.7, hooves=True, hump=0.16, color=(0.75, 0.6, 0.42)),
    "giraffe": QuadrupedOptions(height=2.8, length=0.55, width=0.16, chest=0.19, waist=0.15, leg=0.7, crouch=0.3,
                                neck=1.0, neck_angle=60, head=0.8, snout=1.4, head_angle=24, tail=0.4, tail_angle=-70,
                                tail_curl=0, tail_thickness=0.6, hooves=True, color=(0.85, 0.65, 0.35)),
    "pig": QuadrupedOptions(height=0.8, length=1.2, width=0.26, chest=0.3, waist=0.29, girth=0.9, leg=1.0, crouch=0.3,
                            neck=0.25, neck_angle=0, head=1.5, snout=1.4, head_angle=24, tail=0.2, tail_angle=0,
                            tail_curl=120, tail_thickness=0.6, hooves=True, color=(0.9, 0.65, 0.62)),
    "rabbit": QuadrupedOptions(height=0.3, length=0.95, width=0.24, chest=0.24, waist=0.29, leg=1.1, crouch=1.3,
                               neck=0.22, neck_angle=35, head=1.6, snout=0.5, head_angle=8, tail=0.12, tail_angle=30,
                               tail_curl=0, tail_thickness=2.0, ears="hare", color=(0.6, 0.5, 0.42)),
    "lion": QuadrupedOptions(height=0.9, length=1.0, width=0.22, chest=0.22, waist=0.18, leg=1.1, crouch=0.7, neck=0.3,
                             neck_angle=25, head=1.35, snout=0.8, head_angle=12, tail=0.8, tail_angle=-20,
                             tail_curl=40, tail_thickness=0.8, ears="round", mane=0.22, color=(0.75, 0.6, 0.36)),
}


def random_quadruped_options(rng: np.random.Generator, species: str = "dog") -> QuadrupedOptions:
    """A species with every number varied by some 15 %."""
    base = (SPECIES | WILD)[species]
    vary = lambda x, s=0.14: float(x * (1 + s * rng.uniform(-1, 1)))  # noqa: E731
    return replace(
        base, height=vary(base.height), length=vary(base.length, 0.18), width=vary(base.width), chest=vary(base.chest),
        waist=vary(base.waist), leg=vary(base.leg, 0.25), crouch=vary(base.crouch), neck=vary(base.neck, 0.2),
        neck_angle=base.neck_angle + rng.uniform(-20, 22), head=vary(base.head, 0.2), snout=vary(base.snout, 0.25),
        head_angle=base.head_angle + rng.uniform(-12, 12), tail=vary(base.tail, 0.35),
        tail_angle=base.tail_angle + rng.uniform(-20, 25), tail_curl=vary(base.tail_curl, 0.5),
        **{name: vary(getattr(base, name), 0.3) for name in ("proboscis", "hump", "mane") if getattr(base, name)})


@grown_once
def quadruped(rng: np.random.Generator | None = None, *, species: str | None = None, vertices: int = 3000,
              pose=None, **options) -> Character:
    """A four-legged animal: a dog without `rng`, else of a random species and proportions; `options` fix fields.

    species : of SPECIES, or of WILD, which random choice leaves out
    pose : {joint: (3,)} -> the same, moved before flesh grows on them
    Without a pose its own mirror image, bit by bit.
    """
    unknown = set(options) - {f.name for f in fields(QuadrupedOptions)}
    if unknown:
        raise TypeError(f"quadruped() has no option {sorted(unknown)}")
    if species is None:
        species = "dog" if rng is None else str(rng.choice(sorted(SPECIES)))
    o = replace((SPECIES | WILD)[species] if rng is None else random_quadruped_options(rng, species), **options)
    joints = quadruped_joints(o)
    joints = joints if pose is None else pose(joints)
    mirrored = pose is None
    cell = cell_of_pieces(quadruped_pieces(joints, o, 0.0), vertices, mirrored=mirrored)
    pieces = [fuse(quadruped_pieces(joints, o, 0.92 * cell), 0.02)]
    return grow_pieces(species, pieces, joints, "quadruped", cell, mirrored=mirrored, scale=o.height)


def quadruped_joints(o: QuadrupedOptions) -> dict:
    """{joint: (3,)} of an animal whose withers are one unit high: stifle = hind_lower, hock = hind_heel."""
    up = lambda degrees: np.array([0.0, -np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])  # noqa: E731
    front, back = -o.length / 2, o.length / 2
    trunk = 0.97 - o.chest
    hips = np.array([0, back, 0.97 - o.waist * 0.75])
    chest = np.array([0, front + 0.04, trunk + 0.03])
    neck = np.array([0, front - 0.05, trunk + 0.35 * o.chest])
    head = neck + o.neck * up(o.neck_angle)
    tip = head + (0.17 * o.head + 0.11 * o.snout * o.head) * up(-o.head_angle)
    tail = hips + [0, o.waist * 0.75, 0.3 * o.waist]
    joints = {"hips": hips, "spine": hips + (chest - hips) * 0.38, "chest": hips + (chest - hips) * 0.72, "neck": neck,
              "head": head, "head_top": tip} | dict(zip(TAIL, _tail_joints(tail, o), strict=True))
    high = 0.62 if o.hooves else 0.56
    for side, sign in SIDES:
        w = sign * o.width / 2
        place = lambda x, y, z: np.array([x, y, z])  # noqa: E731
        joints |= {
            f"front_shoulder.{side}": place(w * 0.62, front + 0.09, 0.9),
            f"front_upper.{side}": place(w, front - 0.05, 0.66),
            f"front_lower.{side}": place(w, front + 0.05, high - 0.06),
            f"front_foot.{side}": place(w, front + (0.0 if o.hooves else 0.02), 0.1),
            f"front_toe.{side}": place(w, front - (0.03 if o.hooves else 0.06), 0.02),
            f"hind_hip.{side}": place(w * 0.45, back - 0.04, hips[2] + 0.03),
            f"hind_upper.{side}": place(w * 0.95, back + 0.02, hips[2] - 0.08),
            f"hind_lower.{side}": place(w * 1.05, back - 0.06 - 0.07 * o.crouch, high - 0.06),
            f"hind_heel.{side}": place(w, back + 0.06 + 0.09 * o.crouch, 0.36 if o.hooves else 0.26),
            f"hind_foot.{side}": place(w, back + 0.06 * o.crouch + (0.01 if o.hooves else 0.02),
                                       0.1 if o.hooves else 0.06),
            f"hind_toe.{side}": place(w, back + 0.06 * o.crouch - (0.02 if o.hooves else 0.05), 0.02)}
    return {name: np.asarray(p, float) for name, p in joints.items()}


def _tail_joints(start, o: QuadrupedOptions) -> np.ndarray:
    """(5, 3) from root to tip, equal steps along the tail's middle."""
    line = _tail_line(start, o)
    return np.stack([np.interp(np.linspace(0, 6, len(TAIL)), np.arange(7), line[:, d]) for d in range(3)], axis=1)


def _tail_line(start, o: QuadrupedOptions) -> np.ndarray:
    angles = np.radians(o.tail_angle + o.tail_curl * np.linspace(0, 1, 6))
    steps = np.stack([0 * angles, np.cos(angles), np.sin(angles)], axis=1) * o.tail / 6
    return np.concatenate([[start], start + np.cumsum(steps, axis=0)])


def quadruped_pieces(joints, o: QuadrupedOptions, thinnest: float, *, headless: bool = False) -> list[Piece]:
    """Trunk, legs, tail and, unless `headless`, neck and head."""
    trunk = _trunk(joints, o)
    parts = [trunk]
    for side, _ in SIDES:
        parts += [_front_leg(joints, side, o, thinnest), _hind_leg(joints, side, o, thinnest)]
    line = _tail_line(joints["tail"], o)
    thick = 0.034 * o.tail_thickness * np.array([1.1, 1.0, 1.0, 0.97, 0.92, 0.85, 0.7, 0.45])
    parts.append(strand(np.concatenate([[joints["tail"] - [0, 0.08, 0.02]], line]), np.maximum(thick, thinnest)))
    if not headless:
        parts.append(_neck_and_head(joints, o, thinnest))
    body = Common((Blend(tuple(parts), 0.06), HalfSpace((0, 0, -1), 0.0)), 0.015)
    dark = tuple(0.35 * c for c in o.color)
    pale = tuple(0.5 + 0.5 * c for c in o.color)

    def paint(points):
        colours = np.broadcast_to(o.color, points.shape).copy()
        on_trunk = trunk.distance(points) < 0.01
        low = np.clip((0.97 - o.chest * 1.45 - points[:, 2]) / 0.1, 0, 1) * on_trunk
        colours += low[:, None] * np.subtract(pale, o.color) * 0.8
        colours[points[:, 2] < (0.09 if o.hooves else 0.0)] = dark
        return colours
    return [Piece("body", body, paint)]


def _trunk(joints, o: QuadrupedOptions):
    hips, spine, chest = joints["hips"], joints["spine"], joints["chest"]
    front = -o.length / 2
    c, w, g = o.chest, o.waist, o.girth
    return Blend((
        Ellipsoid((0, front + 0.05, 0.98 - c), (c * g, 0.24, c)),
        Ellipsoid((0, float(chest[1]) + 0.04, 0.965 - c * 0.96), (c * g, 0.28, c * 0.96)),
        Ellipsoid((0, float(spine[1]), 0.97 - w * 1.04), (w * g, 0.3, w)),
        Ellipsoid((0, float(hips[1]), 0.965 - w), (w * 0.95, 0.19, w * 1.02)),
        *([Ellipsoid((0, float(spine[1]) - 0.1, 0.95), (0.5 * w, 0.16, o.hump))] if o.hump else [])), 0.12)


def _neck_and_head(joints, o: QuadrupedOptions, thinnest: float):
    neck, head, tip = joints["neck"], joints["head"], joints["head_top"]
    s = o.head
    along = (tip - head) / np.linalg.norm(tip - head)
    up = np.array([0, along[2], -along[1]])
    at = lambda x, a, z: tuple(head + along * (a * s) + up * (z * s) + np.array([x * s, 0, 0]))  # noqa: E731
    reach = float(np.linalg.norm(tip - head)) / s
    low = neck + np.array([0, 0.12, -0.04 - 0.15 * o.chest])
    parts = [RoundCone(tuple(low), tuple(head + (neck - head) * 0.1), 0.17 * (0.4 + 3 * o.chest), 0.078 * s + 0.015),
             Ellipsoid(at(0, 0.05, 0.01), (0.088 * s,) * 3),
             RoundCone(at(0, 0.07, 0.0), at(0, reach - 0.036, -0.018), 0.075 * s, 0.042 * s),
             RoundCone(at(0, 0.05, -0.03), at(0, reach - 0.06, -0.04), 0.06 * s, 0.034 * s)]
    if o.mane:
        parts.append(Ellipsoid(tuple(head + (neck - head) * 0.45), (o.mane * 0.8, o.mane, o.mane)))
    if o.proboscis:
        way = np.array([[0, -0.02, 0.02], [0, -0.13, -0.25], [0, -0.15, -0.6], [0, -0.1, -0.9], [0, -0.02, -1.0]])
        radii = np.maximum(np.array([0.06, 0.05, 0.036, 0.028, 0.02]) * s, thinnest)
        parts.append(strand(tip + way * o.proboscis, radii, 0.02))
    for _, sign in SIDES:
        if o.tusks:
            tusk = [tip + [sign * 0.05 * s, 0.05, -0.06], tip + [sign * 0.07 * s, -0.12, -0.2],
                    tip + [sign * 0.07 * s, -0.25, -0.16]]
            parts.append(strand(tusk, np.maximum([0.03, 0.026, 0.012], thinnest)))
        if o.ears == "fan":
            parts.append(Ellipsoid(tuple(np.array(at(sign * 0.13, -0.04, -0.01)) + [0, 0.07 * s, -0.03 * s]),
                                   (max(0.03 * s, thinnest), 0.11 * s, 0.13 * s)))
            continue
        size = {"round": 0.06, "pointed": 0.09, "long": 0.11, "hare": 0.26}[o.ears]
        out = {"round": 0.5, "pointed": 0.35, "long": 1.6, "hare": 0.25}[o.ears]
        root = np.array(at(sign * 0.058, 0.01, 0.065))
        aim = np.array([sign * out, 0, 0]) + (0.25 * up if o.ears == "long" else up) - 0.2 * along
        parts.append(RoundCone(tuple(root), tuple(root + aim / np.linalg.norm(aim) * size * s),
                               max(0.03 * s, thinnest), max(0.012 * s, thinnest)))
        if o.horns:
            horn = [at(sign * 0.04, 0.02, 0.09), at(sign * 0.12, 0.02, 0.13), at(sign * 0.15, 0.05, 0.2)]
            parts.append(strand(horn, np.maximum([0.026, 0.022, 0.012], thinnest)))
    return Blend(tuple(parts), 0.04)


def _front_leg(joints, side: str, o: QuadrupedOptions, thinnest: float):
    fat = lambda r: np.maximum(np.asarray(r) * o.leg, thinnest)  # noqa: E731
    blade, a, b, foot, tip = (joints[f"front_{n}.{side}"] for n in ("shoulder", "upper", "lower", "foot", "toe"))
    c = np.array([b[0], b[1] + 0.01, 0.27 if o.hooves else 0.14])
    points = [blade - [0, 0, 0.06], a + [0, 0.03, 0], b, b + (c - b) * 0.5, c]
    radii = fat([0.075, 0.09, 0.062, 0.047, 0.04])
    return Blend((strand(points, radii, 0.015), _paw(c, foot, tip, o, thinnest)), 0.02)


def _hind_leg(joints, side: str, o: QuadrupedOptions, thinnest: float):
    fat = lambda r: np.maximum(np.asarray(r) * o.leg, thinnest)  # noqa: E731
    a, b, c, foot, tip = (joints[f"hind_{n}.{side}"] for n in ("upper", "lower", "heel", "foot", "toe"))
    points = [a, a + (b - a) * 0.55 + [0, 0.03, 0], b + [0, 0.015, 0], b + (c - b) * 0.55, c]
    radii = fat([0.12, 0.105, 0.075, 0.05, 0.041])
    return Blend((strand(points, radii, 0.02), _paw(c, foot, tip, o, thinnest)), 0.02)


def _paw(ankle, foot, tip, o: QuadrupedOptions, thinnest: float):
    fat = lambda r: max(r * o.leg, thinnest)  # noqa: E731
    low = (tip[0], tip[1] + 0.014, max(0.026, 0.8 * thinnest))
    if o.hooves:
        radii = fat(0.04), fat(0.036), fat(0.052)
    else:
        radii = fat(0.041), fat(0.045), fat(0.044)
    return Blend((RoundCone(tuple(ankle), tuple(foot), radii[0], radii[1]),
                  RoundCone(tuple(foot), low, radii[1], radii[2])), 0.02)
