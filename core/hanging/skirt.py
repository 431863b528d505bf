"""Skirts and gowns: cloth around both legs at once, from the hips down, with nothing between the legs.

Each thigh carries three chains, in front of it, beside and behind it, and in gowns each shin. They take over what the
body's weights give the limb, so that at rest cloth follows the legs as it does without them, and swings as chains do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..geometry.shape import Shape
from ..skeleton.rig import Rig
from .loose import SMALLEST, Parts
from .strips import joints, shares_along
from .thing import Thing

SLAB = 0.02  # height of the slices that are looked at, unit frame
BINS, GAPS = 16, 1  # of the directions around the legs; so many may be empty: a slit
BETWEEN, ENDS = 0.02, 0.1  # unit frame: so near to the line from leg to leg, but for so much of it at either end,
FEW = 0.1  # lies so much of a slice of a skirt; of trousers more, to 0.9
SHORTEST = 0.08  # a skirt, from the hip joints down, unit frame
FULL = 0.7  # share of the slices that must be rings
BONE, LONG = 0.13, 0.02  # how long its bones are; so far below the knee shins carry bones too
SECTORS = ("skirt_front", "skirt_side", "skirt_back")  # of each half
AHEAD = np.array([30.0, 90.0, 150.0])  # degrees from straight ahead to their middles


@dataclass(frozen=True, eq=False)
class _Legs:
    """The middle between two legs at any height, and the way from the right to the left one."""

    left: np.ndarray
    right: np.ndarray

    @property
    def top(self) -> float:
        """How high the hip joints are."""
        return float(self.left[0, 2] + self.right[0, 2]) / 2

    def at(self, heights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(N, 2), (N, 2): places of the left and of the right leg at N heights."""
        return tuple(np.stack([np.interp(heights, leg[::-1, 2], leg[::-1, k]) for k in range(2)], 1)  # type: ignore
                     for leg in (self.left, self.right))


def skirt_parts(body: Rig, parts: Parts) -> list[int]:
    """The loose parts of a character that are skirts.  body : unit frame"""
    if not {f"{stem}.{side}" for stem in ("thigh", "shin", "foot") for side in "LR"} <= set(body.names):
        return []
    legs = _legs(body)
    return [int(part) for part in np.flatnonzero(parts.extents >= SMALLEST)
            if _is_skirt(parts.points[parts.of_point == part], legs)]


def skirts(shape: Shape, body: Rig, parts: Parts) -> list[Thing]:
    """A thing with chains for each skirt of a character.  body : unit frame"""
    return [_hung(shape, parts, part, _legs(body)) for part in skirt_parts(body, parts)]


def _legs(body: Rig) -> _Legs:
    chains = []
    for side in "LR":
        chain = np.array([body.heads[body.names.index(f"{stem}.{side}")] for stem in ("thigh", "shin", "foot")])
        chain[:, 2] = np.minimum.accumulate(chain[:, 2]) - 1e-9 * np.arange(3)
        chains.append(chain)
    return _Legs(*chains)


def _is_skirt(points: np.ndarray, legs: _Legs) -> bool:
    top, low = legs.top, float(points[:, 2].min())
    if top - low < SHORTEST:
        return False
    below = points[points[:, 2] < top]
    slab = np.floor((below[:, 2] - low) / SLAB).astype(int)
    count = int((top - low) / SLAB)
    kept = slab < count
    below, slab = below[kept], slab[kept]
    angle, apart, along = _around(below, legs)
    is_between = (apart < BETWEEN) & (np.abs(along - 0.5) < 0.5 - ENDS)
    bins = np.floor(angle / 360 * BINS).astype(int) % BINS
    filled = (np.bincount(slab * BINS + bins, minlength=count * BINS).reshape(count, BINS) > 0).sum(1)
    inner = np.bincount(slab, is_between, count) / np.maximum(np.bincount(slab, minlength=count), 1)
    return bool(((filled >= BINS - GAPS) & (inner < FEW)).mean() >= FULL)


def _around(points: np.ndarray, legs: _Legs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(N,) degrees from ahead to the left around the middle between the legs, (N,) how far from the line from leg to
    leg, (N,) where on it, 0 to 1."""
    left, right = legs.at(points[:, 2])
    off = points[:, :2] - (left + right) / 2
    way = left - right
    along = np.clip(((points[:, :2] - right) * way).sum(1) / np.maximum((way**2).sum(1), 1e-18), 0, 1)
    apart = np.linalg.norm(points[:, :2] - right - along[:, None] * way, axis=1)
    return np.degrees(np.arctan2(off[:, 0], -off[:, 1])) % 360, apart, along


def _hung(shape: Shape, parts: Parts, part: int, legs: _Legs) -> Thing:
    own = parts.of_point == part
    points, areas = parts.points[own], parts.areas[own]
    rows = np.flatnonzero(parts.of_vertex == part)
    corners = shape.mesh.vertices[rows]
    top, low = min(legs.top, float(points[:, 2].max())), float(points[:, 2].min())
    limbs = _sections(top, low, float(legs.left[1, 2] + legs.right[1, 2]) / 2)
    bones = len(limbs[1])
    down = [np.interp(-p[:, 2, None], -limbs[0], np.linspace(0, 1, bones + 1)) for p in (points, corners)]
    angle = [_around(p, legs)[0] for p in (points, corners)]
    places = []
    for is_left in (True, False):
        kept = (points[:, 2] < top) & ((angle[0] < 180) == is_left)
        places.append(joints(points[kept], down[0][kept], _sectors(angle[0][kept]), areas[kept], bones))
    place = np.concatenate(places)
    names = [(stem, side) for side in (".L", ".R") for stem in SECTORS]
    follows = [k > 0 and limbs[1][k] == limbs[1][k - 1] for k in range(bones)]
    return Thing("skirt", "hips", tuple(f"{stem}_{k + 1}{side}" for stem, side in names for k in range(bones)),
                 np.array([c * bones + k - 1 if follows[k] else -1 for c in range(len(names)) for k in range(bones)]),
                 place[:, :-1].reshape(-1, 3), place[:, 1:].reshape(-1, 3), rows,
                 _shares(down[1], _sectors(angle[1]), limbs[1]),
                 tuple(f"{limb}{side}" for _, side in names for limb in limbs[1]))


def _sections(top: float, low: float, knee: float) -> tuple[np.ndarray, list[str]]:
    """(K + 1,) heights between which K bones of a chain lie, the highest first, and the limb that carries each."""
    if low > knee - LONG:
        bones = int(np.clip(round((top - low) / BONE), 1, 3))
        return np.linspace(top, low, bones + 1), ["thigh"] * bones
    upper, lower = (int(np.clip(round(length / BONE), 1, 2)) for length in (top - knee, knee - low))
    return (np.concatenate([np.linspace(top, knee, upper + 1), np.linspace(knee, low, lower + 1)[1:]]),
            ["thigh"] * upper + ["shin"] * lower)


def _shares(down: np.ndarray, columns: np.ndarray, limbs: list[str]) -> np.ndarray:
    """(N, 1 + B) for N places (N, 1) down the cloth: what the body keeps, and of each limb how its bones share it."""
    bones, out = len(limbs), []
    kept = shares_along(down, columns, bones)[:, :1]
    for limb in dict.fromkeys(limbs):
        own = np.flatnonzero([one == limb for one in limbs])
        share = shares_along(np.clip(down, (own[0] + 0.5) / bones, (own[-1] + 0.5) / bones), columns, bones)[:, 1:]
        share = share.reshape(len(down), -1, bones)
        share[:, :, [k for k in range(bones) if k not in own]] = 0.0
        out.append(share / np.maximum(share.sum((1, 2), keepdims=True), 1e-12))
    half = (1 - kept) * sum(out).reshape(len(down), -1)
    return np.concatenate([kept, half, half], 1)


def _sectors(angle: np.ndarray) -> np.ndarray:
    """(N, C) share of each sector in N directions, on either side of the body; rows sum to 1."""
    aside = np.abs((angle + 180) % 360 - 180)[:, None]
    return np.maximum(1 - np.abs(np.clip(aside, AHEAD[0], AHEAD[-1]) - AHEAD) / (AHEAD[1] - AHEAD[0]), 0)
