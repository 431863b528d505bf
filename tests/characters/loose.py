"""Bodies of loose parts with air between them: skeletons, marionettes, robots of plates, hands and feet that float."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from core.geometry.mesh import Mesh

from .character import Character, grown_once
from .implicit import frame_along
from .people import SIDES, PersonOptions, person_joints, unit_of

LIMBS = {"upper_arm": "forearm", "forearm": "hand", "hand": "hand_tip", "thigh": "shin", "shin": "foot"}
PAINT = (0.75, 0.7, 0.62)


@dataclass(frozen=True)
class LooseOptions:
    """The choices behind a loose body.

    kind : "bones", "segments", "plates" (every segment in `cuts` parts) or "floating" (no arms and legs between trunk
    and hands and feet);  gap : of the air at a joint, share of the height;  hands : whether there are any
    square : 0 for round parts, 1 for boxes;  thick : of the parts
    """

    kind: str = "segments"
    gap: float = 0.015
    hands: bool = True
    square: float = 0.0
    thick: float = 1.0
    cuts: int = 3


def random_loose(rng: np.random.Generator) -> tuple[LooseOptions, PersonOptions]:
    """Anything from a skeleton to a robot of eighty plates."""
    kind = str(rng.choice(["bones", "segments", "plates", "floating"]))
    loose = LooseOptions(kind, gap=rng.uniform(0.012, 0.035) if kind != "plates" else rng.uniform(0.008, 0.016),
                         hands=bool(kind != "bones" or rng.random() < 0.6), square=float(rng.choice([0.0, 0.5, 1.0])),
                         thick=rng.uniform(0.7, 1.3), cuts=int(rng.integers(2, 5)))
    body = PersonOptions(head=rng.uniform(0.9, 2.4), leg=rng.uniform(0.6, 1.1), arm=rng.uniform(0.85, 1.1),
                         shoulders=rng.uniform(0.95, 1.3), hips=rng.uniform(0.95, 1.3), arm_angle=rng.uniform(0, 65),
                         elbow=rng.uniform(2, 20), stance=rng.uniform(1, 8))
    return loose, body


@grown_once
def loose(rng: np.random.Generator | None = None, options: LooseOptions | None = None,
          body: PersonOptions | None = None) -> Character:
    """A person of loose parts, with joints of the `biped` preset where its parts would turn."""
    if rng is not None:
        options, body = random_loose(rng)
    options, body = options or LooseOptions(), body or PersonOptions()
    joints = person_joints(body)
    if options.kind == "floating":
        joints = _floating(joints)
    parts = _trunk(joints, body, options)
    for side, sign in SIDES:
        parts += _limbs(joints, side, sign, body, options)
    meshes = [Mesh(v * body.height, f, f"part{i}") for i, (v, f) in enumerate(parts)]
    low = min(m.vertices[:, 2].min() for m in meshes)
    meshes = [Mesh(m.vertices - [0, 0, low], m.faces, m.name) for m in meshes]
    return Character("loose", tuple(meshes), tuple(np.array(PAINT) for _ in meshes),
                     {n: p * body.height - [0, 0, low] for n, p in joints.items()}, "biped")


def _floating(joints: dict) -> dict:
    """Shoulders in the trunk's sides, elbows and knees half way: no flesh tells of others."""
    for side, _ in SIDES:
        shoulder = joints[f"upper_arm.{side}"] * [0.6, 1, 1]
        joints |= {f"upper_arm.{side}": shoulder, f"forearm.{side}": (shoulder + joints[f"hand.{side}"]) / 2,
                   f"shin.{side}": (joints[f"thigh.{side}"] + joints[f"foot.{side}"]) / 2}
    return joints


def lump(start, end, radii, square: float = 0.0, *, across=(0.0, -1.0, 0.0), rounds: int = 12) -> tuple:
    """(vertices, faces) of a closed part from `start` to `end`: an ellipsoid at 0, nearly a box at 1.

    radii : (along `across`, across both)
    """
    start, end = np.asarray(start, float), np.asarray(end, float)
    power = 0.8 - 0.62 * square
    turns = (np.arange(rounds) + 0.5) / rounds * 2 * np.pi
    rises = np.linspace(-np.pi / 2, np.pi / 2, 9)
    bent = lambda x: np.sign(x) * np.abs(x) ** power  # noqa: E731 - one line beats a function here
    width, height = np.clip(np.cos(rises), 0, 1) ** (power / 2), np.sin(rises)
    ring = np.stack([bent(np.cos(turns)), bent(np.sin(turns))], 1)
    inner = width[1:-1, None, None] * ring * np.asarray(radii, float)
    along = np.broadcast_to(height[1:-1, None, None] * np.linalg.norm(end - start) / 2, inner[..., :1].shape)
    points = np.concatenate([along, inner], 2).reshape(-1, 3)
    poles = np.array([[height[0], 0, 0], [height[-1], 0, 0]]) * np.linalg.norm(end - start) / 2
    axes = frame_along(end - start, across)
    vertices = (start + end) / 2 + np.concatenate([points, poles]) @ axes.T
    low = (np.arange(6)[:, None] * rounds + np.arange(rounds)).ravel()
    up = np.roll(np.arange(rounds), -1)
    nxt = (np.arange(6)[:, None] * rounds + up).ravel()
    count = 7 * rounds
    faces = [np.stack([low, nxt, nxt + rounds], 1), np.stack([low, nxt + rounds, low + rounds], 1),
             np.stack([np.full(rounds, count), up, np.arange(rounds)], 1),
             np.stack([np.full(rounds, count + 1), 6 * rounds + np.arange(rounds), 6 * rounds + up], 1)]
    faces = np.concatenate(faces)
    corners = vertices[faces]
    volume = np.einsum("fd,fd->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    return vertices, faces if volume > 0 else faces[:, ::-1]


def _shrunk(a, b, gap: float):
    """A bone's ends, drawn in by half the gap each."""
    heading = (b - a) / np.linalg.norm(b - a)
    return a + 0.5 * gap * heading, b - 0.5 * gap * heading


def _limbs(joints, side: str, sign: float, body: PersonOptions, o: LooseOptions) -> list:
    u = unit_of(joints)
    girth = {"upper_arm": 0.034, "forearm": 0.028, "hand": 0.026, "thigh": 0.05, "shin": 0.038}
    out = []
    for name, below in LIMBS.items():
        if (name == "hand" and not o.hands) or (o.kind == "floating" and name != "hand"):
            continue
        a, b = _shrunk(joints[f"{name}.{side}"], joints[f"{below}.{side}"], 0.0 if name == "hand" else o.gap)
        if name == "hand":
            a = _shrunk(a, b, o.gap)[0]
        r = girth[name] * u * o.thick * (0.5 if o.kind == "bones" else 1.0)
        across = (0.0, -1.0, 0.0)
        radii = (1.5 * r, 0.7 * r) if name == "hand" else (r, r)
        if o.kind == "plates" and name != "hand":
            stops = np.linspace(0, 1, o.cuts + 1)
            for s, t in pairwise(stops):
                p, q = a + s * (b - a), a + t * (b - a)
                out.append(lump(*_shrunk(p, q, 0.3 * o.gap), radii, o.square, across=across))
            out.append(lump(*_ball(joints[f"{name}.{side}"], 0.3 * o.gap), (0.3 * o.gap,) * 2))
        else:
            out.append(lump(a, b, radii, o.square, across=across))
            if o.kind == "bones":
                out += [lump(*_ball(p, 1.3 * r), (1.3 * r,) * 2) for p in _shrunk(a, b, 2.6 * r)]
    ankle, tip = joints[f"foot.{side}"], joints[f"toe_tip.{side}"]
    r = 0.026 * u
    heel = np.array([ankle[0], ankle[1] + 0.03 * u, r])
    out.append(lump(heel, np.array([tip[0], tip[1], r]), (0.03 * u, r), max(o.square, 0.3), across=(1.0, 0.0, 0.0)))
    return out


def _ball(centre, r: float):
    return centre - np.array([0, 0, r]), centre + np.array([0, 0, r])


def _trunk(joints, body: PersonOptions, o: LooseOptions) -> list:
    u, s = unit_of(joints), body.head * unit_of(joints)
    hips, neck, head, top = (joints[n] for n in ("hips", "neck", "head", "head_top"))
    shoulder, thigh = joints["upper_arm.L"], joints["thigh.L"]
    half = shoulder[0] + 0.02 * u if o.kind == "floating" else shoulder[0] - 0.5 * o.gap - 0.03 * u
    wide = max(thigh[0] + 0.02 * u, 0.06 * u)
    skull = lump(head + [0, -0.01 * s, 0.5 * o.gap], top, (0.055 * s, 0.05 * s), 0.5 * o.square)
    low = thigh[2] + 0.5 * o.gap
    if o.kind != "bones":
        waist = hips[2] + 0.35 * (neck[2] - hips[2])
        pelvis = lump((0, 0, low - 0.01 * u), (0, 0, waist - 0.3 * o.gap), (0.06 * u, wide), o.square)
        chest = lump((0, 0, waist + 0.3 * o.gap), (0, 0, neck[2] - 0.3 * o.gap), (0.06 * u, half), o.square)
        whole = lump((0, 0, low - 0.01 * u), (0, 0, neck[2]), (0.07 * u, half), max(o.square, 0.6))
        return [skull, whole] if o.kind == "floating" else [skull, pelvis, chest]
    out = [skull, lump((0, 0.01 * u, low), (0, 0.01 * u, low + 0.09 * u), (0.04 * u, wide), 0.5)]
    spine = np.linspace(low + 0.09 * u, head[2], 12)
    out += [lump((0, 0.03 * u, a), (0, 0.03 * u, b), (0.012 * u,) * 2, 0.5) for a, b in
            zip(spine[:-1] + 0.001 * u, spine[1:] - 0.001 * u, strict=True)]
    for z in np.linspace(low + 0.16 * u, shoulder[2] + 0.01 * u, 5):
        out += [lump((0, 0.03 * u, z), (0, -0.05 * u, z - 0.02 * u), (0.008 * u, half), 0.6, across=(0.0, 0.0, 1.0))]
    return out
