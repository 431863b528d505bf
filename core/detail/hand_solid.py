"""A hand in a grid of its own: fine enough that fingers stay apart."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from ..arrays import argwhere, boxes, frozen
from ..geometry.gaps import bridge_gaps, find_gaps
from ..geometry.grid import Grid
from ..geometry.mesh import Mesh, vertex_components
from ..geometry.pieces import label_pieces
from ..geometry.segments import segment_distances
from ..geometry.shape import Shape
from ..geometry.voxels import SAMPLE_SPACING, dilate, sample_surface, surface_voxels, vote_inside
from ..geometry.winding import winding_numbers
from ..skeleton.chain import finger_of
from ..skeleton.rig import Rig

ARM = ("hand", "forearm", "upper_arm")

COARSE, FINENESS = 24, 48  # voxels from wrist to fingertip; of the finer ones a finger is four or more thick
FINER = 64  # a second look, where two fingers that lie close may have been one
BEHIND, BEYOND, BESIDE = 0.45, 1.7, 1.05  # hands the grid reaches before the wrist, past it and to the sides
MOST = 40_000  # voxels, at FINENESS; what fills more has fingers as thick, and the coarse grid shows them
CRUMB = 0.01  # pieces smaller than this share of the largest are no finger
# A surface is the hand's own if it lies around one of these places on the bones, in hands from the wrist: if it fills
# so much of all directions there. One that lies wholly behind the palm matters to no finger.
PLACES, AROUND, PALM = np.array([-0.3, -0.15, 0.25, 0.5, 0.75]), 0.45, 0.3
MODELLED_ONCE = 1e-3  # hands between a vertex and its partner; 20 times less than the finest voxel
THICK = 0.6  # the middle side of the box around what is held; a finger's 0.3


@dataclass(frozen=True, eq=False)
class HandSolid:
    """The flesh around a hand in the hand's own axes.

    origin : (3,) the wrist, unit frame
    axes : (3, 3) rows: along the hand, and two across it; left-handed for hands of the right side, so that both hands
        look alike
    length : from the wrist to where the body's rig ends, unit frame
    grid : in hand axes, the wrist at 0, lengths in hands;  solid : (nx, ny, nz) bool
    """

    origin: np.ndarray
    axes: np.ndarray
    length: float
    grid: Grid
    solid: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "origin", frozen(self.origin, float, (3,), "origin"))
        object.__setattr__(self, "axes", frozen(self.axes, float, (3, 3), "axes"))
        object.__setattr__(self, "solid", frozen(self.solid, bool, self.grid.shape, "solid"))

    def to_hand(self, points: np.ndarray) -> np.ndarray:
        """(N, 3) unit frame -> hand axes."""
        return (np.asarray(points, float) - self.origin) @ self.axes.T / self.length

    def to_unit(self, points: np.ndarray) -> np.ndarray:
        """(N, 3) hand axes -> unit frame."""
        return np.asarray(points, float) @ self.axes * self.length + self.origin


@dataclass(frozen=True, eq=False)
class HandSurface:
    """The surface around a hand.

    origin, axes, length : as of a `HandSolid`
    mesh : the faces that a ray through the hand's box may meet, in hand axes, those of what passes by left out
    """

    origin: np.ndarray
    axes: np.ndarray
    length: float
    mesh: Mesh


def from_wrist(hand: HandSolid, at: float) -> HandSolid:
    """The same flesh with its wrist moved along the hand.  at : in hands, towards the tip, which stays."""
    grid, share = hand.grid, 1.0 - at
    grid = Grid((grid.origin - [at, 0.0, 0.0]) / share, grid.spacing / share, grid.shape)
    return replace(hand, origin=hand.origin + at * hand.length * hand.axes[0], length=share * hand.length, grid=grid)


def is_modelled_once(left: HandSurface | None, right: HandSurface | None) -> bool:
    """Whether two hands are one in the mirror: each vertex has its partner."""
    if left is None or right is None or left.mesh.faces.shape != right.mesh.faces.shape:
        return False
    away = cKDTree(left.mesh.vertices).query(right.mesh.vertices, distance_upper_bound=MODELLED_ONCE)[0]
    return left.mesh.vertices.shape == right.mesh.vertices.shape and bool(np.isfinite(away).all())


def hand_axes(wrist: np.ndarray, tip: np.ndarray, side: str) -> np.ndarray:
    """(3, 3) rows: from wrist to tip, across towards the character's front, and what completes them.

    A hand that points forward has its upper side for the front. The axes of the two sides mirror each other.
    """
    along = (tip - wrist) / np.linalg.norm(tip - wrist)
    front = np.array([0.0, -1.0, 0.0]) if abs(along[1]) < 0.9 else np.array([0.0, 0.0, 1.0])
    across = front - along * (front @ along)
    across /= np.linalg.norm(across)
    third = np.cross(along, across)
    return np.stack([along, across, third if side == "L" else -third])


def hand_surface(shape: Shape, rig: Rig, side: str) -> HandSurface | None:
    """What of the surface lies around one hand; None if nothing does.

    rig : of the body, object space, with the joints hand.L and hand_tip.L or their partners
    """
    wrist, tip = shape.frame.to_unit(np.array([rig.joints[f"{n}.{side}"] for n in ("hand", "hand_tip")]))
    length = float(np.linalg.norm(tip - wrist))
    if length < 1e-6:
        return None
    axes = hand_axes(wrist, tip, side)
    mesh = _around(shape.mesh, wrist, axes, length)
    return None if mesh is None else HandSurface(wrist, axes, length, mesh)


def hand_solid(shape: Shape, rig: Rig, side: str, surface: HandSurface | None, fineness: int = FINENESS
               ) -> HandSolid | None:
    """The flesh of one hand; None if there is none.

    rig : as for `hand_surface`;  surface : what that finds;  fineness : voxels from wrist to fingertip
    A coarse look tells the hand from what is beside it, a fine one in the box that leaves tells the fingers.
    """
    if surface is None:
        return None
    mesh, to_unit = surface.mesh, shape.frame.to_unit
    place = surface.origin, surface.axes, surface.length
    own = np.array([n in {f"{m}.{side}" for m in ARM} or finger_of(n) is not None for n in rig.names])
    low = np.maximum(mesh.vertices.min(0), [-BEHIND, -BESIDE, -BESIDE])
    high = np.minimum(mesh.vertices.max(0), [BEYOND, BESIDE, BESIDE])
    hand = _filled(shape, HandSolid(*place, *_empty(low, high, 1.0 / COARSE)), mesh)
    hand = _own_part(hand, to_unit(rig.heads), to_unit(rig.tails), own)
    at = argwhere(hand.solid)
    if not len(at):
        return None
    if len(at) * (FINENESS / COARSE) ** 3 <= MOST:
        kept, grid = dilate(hand.solid), hand.grid
        low, high = grid.centres(at.min(0) - 1), grid.centres(at.max(0) + 1)
        hand = _filled(shape, HandSolid(*place, *_empty(low, high, 1.0 / fineness)), mesh)
        fine = argwhere(hand.solid)
        solid = np.zeros(hand.grid.shape, bool)
        solid[tuple(fine[kept[tuple(grid.index_of(hand.grid.centres(fine)).T)]].T)] = True
        hand = replace(hand, solid=solid)
    return replace(hand, solid=_joined(hand.solid))


def _around(mesh: Mesh, wrist: np.ndarray, axes: np.ndarray, length: float) -> Mesh | None:
    """The faces that a ray through the hand's box may meet, in hand axes."""
    vertices = (mesh.vertices - wrist) @ axes.T / length
    corners = vertices[mesh.faces.T]  # (3, F, 3): long inner loops
    low, high = corners.min(0), corners.max(0)
    meets = (high > [-BEHIND, -BESIDE, -BESIDE]) & (low < [BEYOND, BESIDE, BESIDE])
    if not meets.all(1).any():
        return None
    within, kept = meets.all(1), meets.sum(1) >= 2
    return Mesh(*_used(vertices, mesh.faces[kept & ~_of_others(vertices, mesh.faces, within, kept)]), mesh.name)


def _of_others(vertices: np.ndarray, faces: np.ndarray, within: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """(F,) bool: faces of what passes by the hand: a thigh, a skirt, a blade.

    vertices : hand axes;  within, kept : (F,) faces in the hand's box, and those that a ray through it may meet
    What the box cuts through is no part of the hand unless it lies around one of its bones; a hand is cut through at
    the forearm alone. What is too thick for a finger, and not around the bones, is held.
    """
    points, own = _used(vertices, faces[within])
    label = vertex_components(Mesh(points, own))
    count, part = int(label.max()) + 1, label[own[:, 0]]
    if count < 2:
        return np.zeros(len(faces), bool)
    leaves = np.zeros(len(vertices), bool)
    leaves[faces[~within]] = True
    cut = leaves[faces[within]].any(1)
    ahead = points[own, 0].max(1) > PALM
    is_cut, goes_on, reaches = (np.bincount(part, which, count) > 0 for which in (cut, cut & ahead, ahead))
    low, high = boxes(points, label, count)
    places = PLACES[:, None] * [1.0, 0.0, 0.0]
    around = np.array([np.abs(winding_numbers(Mesh(points, own[part == k]), places)).max() > AROUND
                       for k in range(count)])
    foreign = ~around & ((is_cut & reaches) | (np.sort(high - low, axis=1)[:, 1] > THICK))
    if (around & is_cut & ~goes_on).any():
        foreign |= goes_on
    if not around.any() or not foreign.any():
        return np.zeros(len(faces), bool)
    is_foreign = np.zeros(len(faces), bool)
    is_foreign[within] = foreign[part]
    rest = np.flatnonzero(kept & (~within | is_foreign))  # beyond the box they go on
    linked = vertex_components(Mesh(vertices, faces[rest]))[faces[rest, 0]]
    out = np.zeros(len(faces), bool)
    out[rest] = np.isin(linked, linked[is_foreign[rest]])
    return out


def _used(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    kept = np.zeros(len(vertices), bool)
    kept[faces] = True
    return vertices[kept], (np.cumsum(kept) - 1).take(faces)


def _empty(low: np.ndarray, high: np.ndarray, spacing: float) -> tuple[Grid, np.ndarray]:
    """A grid around a box, nothing in it."""
    low, high = low - 3 * spacing, high + 3 * spacing
    grid = Grid(low, spacing, tuple(np.ceil((high - low) / spacing).astype(int)))
    return grid, np.zeros(grid.shape, bool)


def _filled(shape: Shape, hand: HandSolid, mesh: Mesh) -> HandSolid:
    """The hand with what the mesh (in hand axes) holds in its grid."""
    grid = hand.grid
    corners = mesh.vertices[mesh.faces.T]
    high = grid.origin + grid.spacing * np.array(grid.shape)
    inside = ((corners.max(0) > grid.origin) & (corners.min(0) < high)).all(1)
    points = sample_surface(Mesh(mesh.vertices, mesh.faces[inside]), SAMPLE_SPACING * grid.spacing)[0]
    surface = surface_voxels(grid, points[((points > grid.origin) & (points < high)).all(1)])
    border = np.ones(grid.shape, bool)
    border[1:-1, 1:-1, 1:-1] = False
    at = argwhere(border & ~surface)
    free = shape.field.sample(hand.to_unit(grid.centres(at))) > 0
    labels, count = label_pieces(~surface, corners=False)
    is_free = np.zeros(count + 1, bool)
    is_free[labels[tuple(at[free].T)]] = True
    outside = is_free[labels]
    solid = _inside(mesh, grid) | ~dilate(outside) | ~(surface | outside)
    return replace(hand, solid=solid)


def _inside(mesh: Mesh, grid: Grid) -> np.ndarray:
    """(nx, ny, nz) bool: voxels in the mesh, or in one of its parts alone: a wrist in a sleeve is in both, and
    crossings counted together call that outside."""
    inside = vote_inside(mesh, grid) >= 2
    label = vertex_components(mesh)
    part = label[mesh.faces[:, 0]]
    for k in range(int(label.max(initial=0)) + 1 if label.any() else 0):
        own = Mesh(*_used(mesh.vertices, mesh.faces[part == k]))
        low = np.clip(np.floor((own.vertices.min(0) - grid.origin) / grid.spacing).astype(int) - 1, 0, grid.shape)
        high = np.clip(np.ceil((own.vertices.max(0) - grid.origin) / grid.spacing).astype(int) + 1, 0, grid.shape)
        if (high > low).all():
            box = tuple(slice(a, b) for a, b in zip(low, high, strict=True))
            inside[box] |= vote_inside(own, Grid(grid.origin + low * grid.spacing, grid.spacing,
                                                 tuple((high - low).tolist()))) >= 2
    return inside


def _own_part(hand: HandSolid, heads: np.ndarray, tails: np.ndarray, own: np.ndarray) -> HandSolid:
    """The hand without what belongs to other limbs.

    heads, tails : (B, 3) bones, unit frame;  own : (B,) bool, the bones of this arm. A voxel nearer to another bone
    than to them is no part of the hand: a hip beside a hanging hand.
    """
    at = argwhere(hand.solid)
    away = segment_distances(hand.grid.centres(at), hand.to_hand(heads), hand.to_hand(tails))
    solid = np.zeros(hand.grid.shape, bool)
    solid[tuple(at[away[:, own].min(1) <= away[:, ~own].min(1, initial=np.inf)].T)] = True
    return replace(hand, solid=solid)


def _joined(solid: np.ndarray) -> np.ndarray:
    """The largest piece of a solid and what lies close to it, crumbs left out, as one piece."""
    labels, count = label_pieces(solid, corners=True)
    if count <= 1:
        return solid
    size = np.bincount(labels.ravel())
    size[0] = 0
    solid = (size >= CRUMB * size.max())[labels]
    close, count = label_pieces(dilate(solid), corners=True)  # two voxels apart
    close[~solid] = 0
    solid = close == np.bincount(close.ravel())[1:].argmax() + 1
    return bridge_gaps(solid, find_gaps(solid))
