"""Soles: the skin under a foot, which is what touches the ground, not the bones inside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ..arrays import frozen
from ..geometry.rotation import FEW, TURNED
from ..skeleton.carried import ancestors
from ..skeleton.rig import Rig

AT_ONCE = 20_000  # frames whose points are held in memory together
OWN, SOME = 0.5, 0.1  # weights from which a vertex is the foot's, and from which it counts if it is on the ground
WHOLE = 0.85  # of a vertex' weight must be the leg's: where a hem between two legs is, one leg's bones do not tell


@dataclass(frozen=True, eq=False)
class Skin:
    """A mesh that follows a rig.  vertices : (V, 3) at rest, in the rig's space;  weights : (V, B), rows sum to 1"""

    vertices: np.ndarray
    weights: sparse.csr_matrix

    def __post_init__(self):
        object.__setattr__(self, "vertices", frozen(self.vertices, np.float64, (None, 3), "vertices"))
        object.__setattr__(self, "weights", sparse.csr_matrix(self.weights))

    def turned(self, axes: np.ndarray) -> Skin:
        """The skin in another frame.  axes : (3, 3) its space -> that frame"""
        return Skin(self.vertices @ axes.T, self.weights)


@dataclass(frozen=True, eq=False)
class Sole:
    """Points on a sole that any way of standing on it touches first.

    parts : (9, N) where each point is from the ankle at rest, as moved by the foot, by the toe and by the leg's last
    bone: three rows each, weighted by what the skin follows
    """

    parts: np.ndarray

    @property
    def has_leg(self) -> bool:
        """Whether some of it follows the leg's last bone."""
        return bool(self.parts[6:].any())

    @property
    def points(self) -> np.ndarray:
        """(N, 3) at rest, from the ankle."""
        return self.parts.reshape(3, 3, -1).sum(0).T

    def lowest(self, foot: np.ndarray, toe: np.ndarray | None, leg: np.ndarray) -> np.ndarray:
        """(T,) height over the ankle of the lowest point.  foot, toe, leg : (T, 4) turns since the rest pose"""
        toe = foot if toe is None else toe
        rows = upward(np.stack([foot, toe, leg], axis=-2)).reshape(-1, 9)
        if len(rows) <= AT_ONCE:
            return (rows @ self.parts).min(-1)
        cuts = range(AT_ONCE, len(rows), AT_ONCE)
        return np.concatenate([(part @ self.parts).min(-1) for part in np.split(rows, list(cuts))])


def upward(q: np.ndarray) -> np.ndarray:
    """(..., 3) what turns do to heights: the last row of their matrices."""
    if q.size < FEW:
        return np.einsum("vcd,...c,...d->...v", TURNED[2], q, q)
    w, x, y, z = np.moveaxis(q, -1, 0)
    return np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=-1)


def directions(around: int = 16, down: int = 7) -> np.ndarray:
    """(D, 3) directions below the horizon: those a sole may be turned to."""
    azimuth = 2 * np.pi * np.arange(around) / around
    lean = np.deg2rad(np.linspace(0, 75, down))
    ring = np.stack([np.cos(azimuth), np.sin(azimuth), np.zeros(around)], axis=1)
    rings = [np.cos(a) * ring + [0, 0, -np.sin(a)] for a in lean]
    return np.concatenate([*rings, [[0.0, 0.0, -1.0]]])


def foot_skin(skin: Skin, rig: Rig, chain, foot: int, toe: int, ankle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(V,) which vertices are one leg's foot, and (V, 3) how much each follows its foot, toe and last bone.

    What follows foot and toe, and what of the leg is as low and no farther out: a boot's heel may follow the shin, but
    a gown's hem, or a trouser's, is no foot, and cloth between two legs is nobody's.
    """
    group = _groups(rig, list(chain), foot, toe)
    shares = np.stack([np.asarray(skin.weights[:, group == k].sum(1)).ravel() for k in range(3)], axis=1)
    whole, by_foot = shares.sum(1), shares[:, :2].sum(1)
    high = skin.vertices[:, 2] - ankle[2]
    aside = np.linalg.norm((skin.vertices - ankle)[:, :2], axis=1)
    leg = float(np.linalg.norm(ankle - rig.heads[chain[0]]))
    mine = by_foot > OWN
    low = (high < 0.1 * leg) & (aside < (float(aside[mine].max()) if mine.any() else 0.25 * leg))
    if mine.any():
        low |= (by_foot > SOME) & (high < 0.5 * float(high[mine].min()))
    return (whole > WHOLE) & (mine | low), shares


def find_sole(skin: Skin, rig: Rig, chain: list[int], foot: int, toe: int, ankle: np.ndarray) -> Sole | None:
    """The sole of one leg, None if no skin follows its end.

    skin, rig : in the character's frame;  chain, foot, toe : as in Leg;  ankle : (3,) where the chain ends
    """
    own, shares = foot_skin(skin, rig, chain, foot, toe, ankle)
    if not own.any():
        return None
    points = skin.vertices[own] - ankle
    shares = shares[own] / shares[own].sum(1, keepdims=True)
    kept: set[int] = set()
    kinds = shares.argmax(1) + 3 * (shares.max(1) < 0.9)  # what moves alike, and mixtures
    for kind in range(6):
        number = np.flatnonzero(kinds == kind)
        if len(number):
            kept |= set(number[(points[number] @ directions().T).argmax(0)].tolist())
    some = sorted(kept)
    points, shares = points[some], shares[some]
    toe_at = rig.heads[toe] - ankle if toe >= 0 else np.zeros(3)
    parts = (shares[:, :1] * points + shares[:, 1:2] * toe_at, shares[:, 1:2] * (points - toe_at),
             shares[:, 2:] * points)
    return Sole(np.concatenate(parts, axis=1).T)


def has_heel(skin: Skin, rig: Rig, foot: int, toe: int, ground: float) -> bool:
    """Whether the skin of a foot comes down to the ground under its ankle or behind it, as a person's does."""
    group = _groups(rig, [foot], foot, toe)
    own = np.asarray(skin.weights[:, group == 0].sum(1)).ravel() > OWN
    ankle = rig.heads[foot]
    behind = skin.vertices[own, 1] > ankle[1] - 0.1 * np.linalg.norm(rig.heads[toe] - ankle)
    return bool((skin.vertices[own, 2][behind] - ground < 0.4 * (ankle[2] - ground)).any())


def _groups(rig: Rig, chain: list[int], foot: int, toe: int) -> np.ndarray:
    """(B,) 0 for bones that move with the foot, 1 with the toe, 2 with the leg's last bone, 3 for all others."""
    out = np.full(len(rig.names), 3)
    kinds = {chain[-1]: 2 if foot >= 0 else 0}
    kinds |= {foot: 0} if foot >= 0 else {}
    kinds |= {toe: 1} if toe >= 0 else {}
    for bone in range(len(out)):
        nearest = next((b for b in (bone, *ancestors(rig.parents, bone)) if b in kinds), -1)
        if nearest >= 0:
            out[bone] = kinds[nearest]
    return out
