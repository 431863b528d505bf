"""Skirts and gowns: cloth around both legs at once, from the hips down, with nothing between the legs."""

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
BETWEEN = 0.02  # unit frame: of a skirt nearly nothing comes so near to the line from leg to leg, of trousers much
FEW = 0.05  # of a slice
SHORTEST = 0.08  # a skirt, from the hip joints down, unit frame
FULL = 0.8  # share of the slices that must be rings
BONE = 0.13  # how long its bones are
SECTORS = {"skirt_front": (".L", 30.0), "skirt_side": (".L", 90.0), "skirt_back": (".L", 150.0)}  # degrees from ahead


@dataclass(frozen=True, eq=False)
class _Legs:
    """The middle between two legs at any height, and the way from the right to the left one."""

    left: np.ndarray
    right: np.ndarray

    def at(self, heights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(N, 2), (N, 2): places of the left and of the right leg at N heights."""
        return tuple(np.stack([np.interp(heights, leg[::-1, 2], leg[::-1, k]) for k in range(2)], 1)  # type: ignore
                     for leg in (self.left, self.right))


def skirts(shape: Shape, body: Rig, parts: Parts) -> list[Thing]:
    """A thing with six chains for each loose part of a character that is a skirt.  body : unit frame"""
    if not {f"{stem}.{side}" for stem in ("thigh", "shin", "foot") for side in "LR"} <= set(body.names):
        return []
    legs = _legs(body)
    top = float((legs.left[0, 2] + legs.right[0, 2]) / 2)
    found = []
    for part in np.flatnonzero(parts.extents >= SMALLEST):
        own = parts.of_point == part
        if _is_skirt(parts.points[own], legs, top):
            found.append(_hung(shape, parts, int(part), legs, top))
    return found


def _legs(body: Rig) -> _Legs:
    chains = []
    for side in "LR":
        chain = np.array([body.heads[body.names.index(f"{stem}.{side}")] for stem in ("thigh", "shin", "foot")])
        chain[:, 2] = np.minimum.accumulate(chain[:, 2]) - 1e-9 * np.arange(3)
        chains.append(chain)
    return _Legs(*chains)


def _is_skirt(points: np.ndarray, legs: _Legs, top: float) -> bool:
    low = float(points[:, 2].min())
    if top - low < SHORTEST:
        return False
    below = points[points[:, 2] < top]
    slab = np.floor((below[:, 2] - low) / SLAB).astype(int)
    count = max(int((top - low) / SLAB), 1)
    kept = slab < count
    below, slab = below[kept], slab[kept]
    angle, _, apart = _around(below, legs)
    bins = np.floor(angle / 360 * BINS).astype(int) % BINS
    filled = (np.bincount(slab * BINS + bins, minlength=count * BINS).reshape(count, BINS) > 0).sum(1)
    inner = np.bincount(slab, apart < BETWEEN, count) / np.maximum(np.bincount(slab, minlength=count), 1)
    return bool(((filled >= BINS - GAPS) & (inner < FEW)).mean() >= FULL)


def _around(points: np.ndarray, legs: _Legs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(N,) degrees from ahead to the left around the middle between the legs, (N,) how far from it, (N,) how far from
    the line from leg to leg."""
    left, right = legs.at(points[:, 2])
    off = points[:, :2] - (left + right) / 2
    way = left - right
    along = np.clip(((points[:, :2] - right) * way).sum(1) / np.maximum((way**2).sum(1), 1e-18), 0, 1)
    apart = np.linalg.norm(points[:, :2] - right - along[:, None] * way, axis=1)
    return np.degrees(np.arctan2(off[:, 0], -off[:, 1])) % 360, np.linalg.norm(off, axis=1), apart


def _hung(shape: Shape, parts: Parts, part: int, legs: _Legs, top: float) -> Thing:
    own = parts.of_point == part
    points, areas = parts.points[own], parts.areas[own]
    rows = np.flatnonzero(parts.of_vertex == part)
    corners = shape.mesh.vertices[rows]
    top = min(top, float(points[:, 2].max()))
    names = [(stem, side) for side in (".L", ".R") for stem in SECTORS]
    ahead = np.array([SECTORS[stem][1] * (1 if side == ".L" else -1) for stem, side in names]) % 360
    shares = [_sectors(_around(p, legs)[0], ahead) for p in (points, corners)]
    below = points[:, 2] < top
    length = np.array([max(top - float(np.quantile(points[below & (share > 0.5), 2], 0.02, method="nearest")), SLAB)
                       if (below & (share > 0.5)).any() else top - float(points[:, 2].min()) for share in shares[0].T])
    bones = int(np.clip(round(float(np.median(length)) / BONE), 1, 4))
    along = [np.clip((top - p[:, 2, None]) / length, 0, None) for p in (points, corners)]
    places = joints(points[below], along[0][below], shares[0][below], areas[below], bones)
    count = len(names)
    return Thing("skirt", "hips", tuple(f"{stem}_{k + 1}{side}" for stem, side in names for k in range(bones)),
                 np.array([c * bones + k - 1 if k else -1 for c in range(count) for k in range(bones)]),
                 places[:, :-1].reshape(-1, 3), places[:, 1:].reshape(-1, 3), rows,
                 shares_along(along[1], shares[1], bones),
                 tuple(f"thigh{side}" if k == 0 else "" for _, side in names for k in range(bones)))


def _sectors(angle: np.ndarray, ahead: np.ndarray) -> np.ndarray:
    """(N, C) share of each sector, whose middles are 60 degrees apart, in N directions; rows sum to 1."""
    off = np.abs((angle[:, None] - ahead + 180) % 360 - 180)
    share = np.maximum(1 - off / 60, 0)
    return share / share.sum(1, keepdims=True)
