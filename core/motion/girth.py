"""How thick bodies are: parts of a body as lines with skin about them, that of a source as people's are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import map_coordinates

from ..geometry.rotation import cross, normalized, rotate
from ..skeleton.carried import ancestors
from .body import Body
from .sole import Skin

# Half widths and half depths of a grown person, leg lengths from hip to ankle, at even steps along a part; from
# published means of breadths and girths over stature.
PEOPLE = {
    "trunk": ((0.21, 0.19, 0.18, 0.19, 0.19), (0.14, 0.13, 0.13, 0.14, 0.12)),
    "thigh": ((0.115, 0.10, 0.08),) * 2,
    "shin": ((0.075, 0.072, 0.045),) * 2,
    "upper_arm": ((0.06, 0.055, 0.05),) * 2,
    "forearm": ((0.055, 0.05, 0.035),) * 2,
}
HEAD, UP, FRONT = (0.1, 0.125, 0.145), 0.11, 0.03  # half sizes across, along and up; its middle from its joint
PALM = 0.03  # half of what a hand is thick, in the middle of its length
ENDS = {"thigh": "shin", "shin": "foot", "upper_arm": "forearm", "forearm": "hand"}
TRUNK = ("hips", "spine", "chest", "shoulder")
ALONG, AROUND = np.linspace(-0.3, 1.1, 15), np.linspace(-np.pi, np.pi, 16, endpoint=False)
WIDE = (0.07, 0.3)  # of the length, radians: how far a vertex speaks for the skin beside it
OUTER = 8  # of skins over each other the outer one counts: the power of their mean
NONE = 1e-6  # of a leg: a limb as short as this is a point
FEWEST = 12  # vertices that make a part


@dataclass(frozen=True, eq=False)
class Part:
    """A line through a part of a body, or the middle of a head, and how far its skin is from there.

    name : "trunk", "head", or the role of a limb's bone;  bone, end : where it begins and ends; of a trunk -1
    basis : (2, 3) at rest, across a limb
    table : radius at ALONG x AROUND, of a head by height and azimuth of the direction
    centre : (3,) of a head at rest, from its joint
    """

    name: str
    bone: int
    end: int
    basis: np.ndarray
    table: np.ndarray
    centre: np.ndarray


def parts_of(body: Body, skin: Skin | None) -> dict[str, Part]:
    """The parts that a hand can rest on.  skin : in the character's frame; None takes people's girths"""
    leg = float(np.mean([one.reach for one in body.legs])) if body.legs else 1.0
    out: dict[str, Part] = {}
    owner = None if skin is None else _owners(body, skin)
    names = [f"{n}.{s}" for n in ENDS for s in "LR" if f"{n}.{s}" in body.roles and f"{ENDS[n]}.{s}" in body.roles]
    if all(f"{n}.{s}" in body.roles for n in ("thigh", "upper_arm") for s in "LR"):
        names.append("trunk")
    names += ["head"] if "head" in body.roles else []
    for name in names:
        bone = body.roles.get(name, -1)
        end = body.roles.get(f"{ENDS[name[:-2]]}{name[-2:]}", -1) if name[:-2] in ENDS else -1
        if end >= 0 and np.linalg.norm(body.rig.heads[end] - body.rig.heads[bone]) < NONE * leg:
            continue  # no line leads through it
        points = None if skin is None else skin.vertices[owner == name]
        if points is not None and len(points) < FEWEST:
            continue
        centre = leg * np.array([0.0, -FRONT, UP])
        if name == "head" and points is not None:
            centre *= (points[:, 2].max() - body.rig.heads[bone][2]) / (leg * (UP + HEAD[2]))
        part = Part(name, bone, end, np.eye(3)[:2], np.zeros((len(ALONG), len(AROUND))), centre)
        if end >= 0:
            part = _with(part, basis=_across(body.rig.heads[end] - body.rig.heads[bone]))
        out[name] = _with(part, table=_people(name, leg) if points is None else _measured(body, part, points))
    return out


def _with(part: Part, **fields) -> Part:
    return Part(**{**part.__dict__, **fields})


def line(body: Body, part: Part, turns: np.ndarray, heads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(T, 3) where a part begins, and (T, 3) what leads to its end; of a head its middle, and its way up."""
    if part.name == "head":
        return (heads[:, part.bone] + rotate(turns[:, part.bone], part.centre),
                rotate(turns[:, part.bone], np.array([0.0, 0.0, 1.0])))
    if part.name == "trunk":
        low, high = (np.mean([heads[:, body.roles[f"{n}.{s}"]] for s in "LR"], axis=0) for n in ("thigh", "upper_arm"))
        return low, high - low
    return heads[:, part.bone], heads[:, part.end] - heads[:, part.bone]


def frame(body: Body, part: Part, turns: np.ndarray, heads: np.ndarray, along: np.ndarray, t: np.ndarray) -> np.ndarray:
    """(T, 3, 3) rows: two axes across a part, and the third along it, at places t along it."""
    up = normalized(along)
    if part.name == "trunk":
        left = [heads[:, body.roles[f"{n}.L"]] - heads[:, body.roles[f"{n}.R"]] for n in ("thigh", "upper_arm")]
        share = np.clip(t, 0.0, 1.0)[:, None]
        side = (1 - share) * normalized(left[0]) + share * normalized(left[1])
    else:
        side = rotate(turns[:, part.bone], part.basis[0])
    side = normalized(side - np.einsum("ti,ti->t", side, up)[:, None] * up)
    return np.stack([side, cross(up, side), up], axis=1)


def radius(part: Part, t: np.ndarray, way: np.ndarray) -> np.ndarray:
    """(T,) how far the skin is at places t along a part.  way : (T, 3) the direction in its frame"""
    angle = np.arctan2(way[:, 1], way[:, 0])
    if part.name == "head":
        t = ALONG[0] + (ALONG[-1] - ALONG[0]) * (np.arcsin(np.clip(way[:, 2], -1, 1)) / np.pi + 0.5)
    row = (t - ALONG[0]) / (ALONG[1] - ALONG[0])
    column = (angle - AROUND[0]) / (AROUND[1] - AROUND[0])
    table = np.concatenate([part.table, part.table[:, :1]], axis=1)
    return map_coordinates(table, [np.clip(row, 0, len(ALONG) - 1), np.clip(column, 0, len(AROUND))], order=1,
                           mode="nearest")


def _across(along: np.ndarray) -> np.ndarray:
    up = normalized(along)
    first = np.eye(3)[int(np.abs(up).argmin())]
    side = normalized(first - (first @ up) * up)
    return np.stack([side, cross(up, side)])


def _owners(body: Body, skin: Skin) -> np.ndarray:
    """(V,) the name of the part that each vertex follows most."""
    role_of = {b: r for r, b in body.roles.items()}
    parents = body.rig.parents
    known = []
    for bone in range(len(parents)):
        role = next((role_of[b] for b in (bone, *ancestors(parents, bone)) if b in role_of), "")
        known.append("trunk" if role.split(".")[0] in TRUNK else role)
    names = sorted(set(known))
    sums = np.stack([np.asarray(skin.weights[:, [k == n for k in known]].sum(1)).ravel() for n in names], axis=1)
    return np.array(names)[sums.argmax(1)]


def _people(name: str, leg: float) -> np.ndarray:
    if name == "head":
        height = np.linspace(-np.pi / 2, np.pi / 2, len(ALONG))[:, None]
        way = np.stack(np.broadcast_arrays(np.cos(height) * np.cos(AROUND), np.cos(height) * np.sin(AROUND),
                                           np.sin(height)), axis=-1)
        return leg / np.linalg.norm(way / np.array(HEAD), axis=-1)
    wide, deep = (np.interp(np.clip(ALONG, 0, 1), np.linspace(0, 1, len(x)), x)[:, None]
                  for x in PEOPLE[name.split(".")[0]])
    return leg / np.sqrt((np.cos(AROUND) / wide)**2 + (np.sin(AROUND) / deep)**2)


def _measured(body: Body, part: Part, points: np.ndarray) -> np.ndarray:
    """The table of a part's skin at rest: means over the vertices around each of its places."""
    rest = np.zeros((1, len(body.rig.names), 4))
    rest[..., 0] = 1.0
    start, along = (x[0] for x in line(body, part, rest, body.rig.heads[None]))
    size = float(np.linalg.norm(along))
    t = (points - start) @ along / size**2
    axes = frame(body, part, np.repeat(rest, len(t), 0), np.repeat(body.rig.heads[None], len(t), 0),
                 np.repeat(along[None], len(t), 0), t)
    arm = np.einsum("nij,nj->ni", axes, points - start)
    angle = np.arctan2(arm[:, 1], arm[:, 0])
    if part.name == "head":
        reach = np.linalg.norm(arm, axis=1)
        high = np.arcsin(np.clip(arm[:, 2] / np.maximum(reach, 1e-12), -1, 1))
        t = ALONG[0] + (ALONG[-1] - ALONG[0]) * (high / np.pi + 0.5)
    else:
        reach = np.linalg.norm(arm[:, :2], axis=1)
    near = np.exp(-0.5 * ((ALONG[:, None] - t) / WIDE[0])**2) + 1e-9 / (0.05 + (ALONG[:, None] - t)**2)
    turn = AROUND[:, None] - angle
    apart = np.abs((turn + np.pi) % (2 * np.pi) - np.pi)
    beside = np.exp(-0.5 * (apart / WIDE[1])**2) + 1e-9 / (0.05 + apart**2)
    powered = (reach / max(float(reach.max()), 1e-12))**OUTER
    return float(reach.max()) * ((near * powered) @ beside.T / (near @ beside.T))**(1 / OUTER)


def palm_of(body: Body, skin: Skin, hand: int, vector: np.ndarray) -> float:
    """Half of how thick a hand is, in the middle of its length.  hand : its bone;  vector : (3,) from the wrist"""
    parents = body.rig.parents
    below = [b for b in range(len(parents)) if b == hand or hand in ancestors(parents, b)]
    own = skin.vertices[np.asarray(skin.weights[:, below].sum(1)).ravel() > 0.5] - body.rig.heads[hand]
    size = float(np.linalg.norm(vector))
    t = own @ vector / max(size, 1e-12)**2
    mid = own[(t > 0.25) & (t < 0.8)]
    if len(mid) < 6:
        return PALM * (float(np.mean([one.reach for one in body.legs])) if body.legs else 1.0)
    across = mid - np.outer(mid @ vector / size**2, vector)
    thin = np.linalg.eigh(np.cov(across.T))[1][:, 1]  # the smallest but that along the hand
    low, high = np.percentile(across @ thin, (5, 95))
    return float(high - low) / 2
