"""The base that a figure stands on: a plinth, a board or a rock that is in one mesh with it.

A base is a block: what lies below a height fills most of the outline that it has seen from above, and at that height
the body's section becomes a small part of it within a few voxels: there are the feet. A skirt becomes narrower slowly,
and shoes fill no outline that holds both of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage
from scipy.spatial import ConvexHull, cKDTree

from ..arrays import boxes, frozen
from .grid import Grid
from .mesh import Mesh, vertex_components

# A base ends at such a share of the whole height at most, and what stands on it is so high at least, unit frame; on
# feet it may be so LITTLE: an animal on a mound thrice as wide as it is long. A tank's turret is 0.1 to 0.2 high.
# A smaller outline, square units, is a foot's or that of two feet side by side: 0.01 to 0.02.
MOST, LEAST, LITTLE, AREA = 0.45, 0.25, 0.08, 0.03
# Of the area of its outline: a base fills so much of the block below its top, and of the outline's convex hull; the
# section above has at most LEFT of it, and DROP less than within it, WITHIN units below; a slope that loses
# more than SLOPE with each further voxel still belongs to it.
FILLED, CONVEX, LEFT, DROP, SLOPE = 0.6, 0.9, 0.45, 0.3, 0.06
# A ball under a thin neck is none: the lower end, as high as WITHIN, has so much of the outline, or the section becomes
# less by so much, or the height is so little of the outline's size, the root of its area.
BOTTOM, STEEP, FLAT = 0.5, 0.5, 0.5
WITHIN = 3 / 128
# What lies along the ground and raises its head is none: the outline has so much of the square over its longest side.
SLIM = 0.3
# A body's broad lower end (a lap, a robe, a swan's body) is none: a base's top is level, so much of what the section
# loses there it loses within two voxels, or it carries feet: what stands on it is so thin within ANKLES of its height
# that it is WIDER by so much further up. Laps are 0.2 to 0.66 level, plinths 0.74 to 1; what rises from a lap is up to
# three times as wide higher up, what stands on legs five to fifty times.
LEVELLED, ANKLES, WIDER = 0.7, 0.2, 3.5
# Shares of a base's outline that is one piece, and of its sides that a loose part has whose lower end is the base.
WHOLE, SAME = 0.95, 0.9
# A piece of what is cut at its top that is lower than this belongs to it, not to the figure.
LOW = 0.1
# Pieces further than twice so many voxels from the figure are none of it. What is loose and low with so many of its
# faces under the figure is a shoe's sole, not grass or a mat.
APART, SOLE = 2, 0.5
# Faces this level (cosine) with so much of the outline's area are its top.
LEVEL, TOP = 0.95, 0.2


@dataclass(frozen=True, eq=False)
class Base:
    """What a figure stands on.

    rows : (B,) vertices of the original mesh;  points : (B, 3) where they lie, unit frame of the figure
    """

    rows: np.ndarray
    points: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "rows", frozen(self.rows, np.int64, (None,), "rows"))
        object.__setattr__(self, "points", frozen(self.points, np.float64, (len(self.rows), 3), "points"))

    @property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """(3,) its low and high corner, unit frame."""
        return self.points.min(0), self.points.max(0)

    def joined(self, rows: np.ndarray, points: np.ndarray) -> Base:
        """With more vertices."""
        return Base(np.concatenate([self.rows, rows]), np.concatenate([self.points, points]))


NO_BASE = Base(np.zeros(0), np.zeros((0, 3)))


def base_faces(mesh: Mesh, grid: Grid, solid: np.ndarray) -> np.ndarray | None:
    """(F,) bool, the faces of the base that a figure stands on, None if it stands on none.

    mesh : unit frame, Z up;  solid : its voxels
    """
    layer = top_layer(solid, grid.spacing)
    if layer is None:
        return None
    outline = solid[:, :, :layer].any(2)
    height = _top_face(mesh, grid.origin[2] + layer * grid.spacing, grid.spacing, outline.sum() * grid.spacing**2)
    part = vertex_components(mesh)
    below = mesh.triangles[..., 2].mean(1) < height
    low, high = boxes(mesh.vertices[mesh.faces], np.repeat(part[mesh.faces[:, :1]], 3, 1), int(part.max()) + 1)
    up, down = high[:, 2] - height, height - low[:, 2]
    is_under = (up < grid.spacing) | ((up < LOW) & (up < down))
    under = is_under[part[mesh.faces[:, 0]]]
    size = SAME * np.ptp(np.argwhere(outline), axis=0) * grid.spacing
    fused = below & ~under
    low, high = boxes(mesh.triangles[fused], np.repeat(part[mesh.faces[fused, :1]], 3, 1), int(part.max()) + 1)
    is_base = ((high - low)[:, :2] > size).all(1)
    fused &= is_base[part[mesh.faces[:, 0]]]
    found = under | fused | _left_over(mesh, part, fused)
    found |= _things(mesh, part, grid, solid, layer, found)
    if not found.any() or found.all() or (np.ptp(mesh.triangles[found][..., :2], axis=(0, 1)) < size).any():
        return None
    return found


def _left_over(mesh: Mesh, part: np.ndarray, fused: np.ndarray) -> np.ndarray:
    """(F,) bool, the faces of low pieces that are left of loose parts (V,) without the base's faces `fused`: humps of a
    rock, and what lies on it."""
    rest = np.flatnonzero(np.isin(part[mesh.faces[:, 0]], part[mesh.faces[fused, 0]]) & ~fused)
    low = np.zeros(len(mesh.faces), bool)
    if len(rest):
        piece = vertex_components(Mesh(mesh.vertices, mesh.faces[rest]))[mesh.faces[rest, 0]]
        ends = boxes(mesh.triangles[rest], np.repeat(piece[:, None], 3, 1), int(piece.max()) + 1)
        low[rest] = (ends[1] - ends[0])[piece, 2] < LOW
    return low


def _things(mesh: Mesh, part: np.ndarray, grid: Grid, solid: np.ndarray, layer: int, base: np.ndarray) -> np.ndarray:
    """(F,) bool, the faces of stones, grass and signs: pieces beside the figure that stand on the base too.

    part : (V,) loose parts;  layer : of the base's top;  base : (F,) its faces so far
    """
    label, is_thing, half = _beside(solid, layer)
    x, y, z = grid.index_of(mesh.triangles.mean(1)).T
    of_face, over = label[x, y, z], label[x, y, np.maximum(z, layer + 1)]
    of_part, count = part[mesh.faces[:, 0]], int(part.max()) + 1
    on_thing = is_thing[of_face]
    has_thing, has_base, has_figure = (np.bincount(of_part[k], minlength=count) > 0 for k in (
        on_thing, base, ~base & ~on_thing & (of_face > 0)))
    low, high = boxes(mesh.triangles, np.repeat(of_part[:, None], 3, 1), count)
    starts, ends = (grid.origin[2] + k * grid.spacing for k in (layer + 3, half))
    is_low = (low[:, 2] < starts) & (high[:, 2] < ends)  # a blade of grass is too thin for the solid
    is_low &= np.bincount(of_part, np.where((over > 0) & ~is_thing[over], 1 - SOLE, -SOLE), count) < 0
    return (~has_figure & (has_thing | is_low))[of_part] | (on_thing & (has_base & has_figure)[of_part])


def _beside(solid: np.ndarray, layer: int) -> tuple[np.ndarray, np.ndarray, int]:
    """(label, is_thing, half): the pieces above a layer, and which of them are beside the figure.

    A thing is apart from the figure, begins at the layer or hovers close above it, is less than half as high, and has
    nothing of another piece over it up to there, as a foot that hovers has a leg.
    label : (nx, ny, nz) numbers of pieces, 0 where none is near;  is_thing : (K,) bool;  half : layer where it ends
    """
    is_above = np.arange(solid.shape[2]) > layer
    above = solid & is_above
    label, _ = ndimage.label(ndimage.binary_dilation(above, iterations=APART) & is_above)
    piece = np.where(above, label, 0)
    figure = int(np.bincount(piece.ravel())[1:].argmax()) + 1
    low, high = np.array([(0, 0), *((ends[2].start, ends[2].stop) for ends in ndimage.find_objects(piece))]).T
    half = int(layer + 1 + high[figure]) // 2
    under = piece[:, :, :half]
    first, last = np.where(under > 0, under, len(low)).min(2), under.max(2)
    is_thing = (low <= layer + 2) & (high <= half)
    for covered in (first, last):
        is_thing[covered[first < last]] = False
    is_thing[[0, figure]] = False
    return label, is_thing, half


def top_layer(solid: np.ndarray, spacing: float) -> int | None:
    """The voxel layer on which a figure stands that has a base, None if it has none.

    solid : (nx, ny, nz) bool, Z up;  spacing : of its voxels, unit frame
    """
    filled = np.flatnonzero(solid.any((0, 1)))
    first, tall = int(filled[0]), int(filled[-1] - filled[0]) + 1
    most = min(int(MOST * tall), tall - round(LITTLE / spacing))
    if most < 2:
        return None
    area = solid[:, :, first:].sum((0, 1))[:tall]
    low = solid[:, :, first:first + most + 2]
    outline = np.logical_or.accumulate(low, axis=2)
    spread = outline.sum((0, 1))
    near = max(round(WITHIN / spacing), 2)
    for layer in range(most, 1, -1):
        whole = spread[layer - 1]
        if whole * spacing**2 < AREA:
            break
        drop = (area[max(layer - near, 0):layer].max() - area[layer + 1]) / whole
        is_ball = area[:near].max() < BOTTOM * whole and layer > FLAT * np.sqrt(whole)
        is_step = area[layer + 1] <= LEFT * whole and drop >= (STEEP if is_ball else DROP)
        if not is_step or area[:layer].sum() < FILLED * layer * whole or not _is_block(outline[:, :, layer - 1]):
            continue
        start = max(layer - near, 1)
        top = start + int(np.argmax(area[start - 1:layer] - area[start:layer + 1]))
        while top < most and area[top] - area[top + 1] > SLOPE * whole:
            top += 1
        lost = area[max(top - near - 1, 0):top].max() - area[top + 1]
        is_level = area[top - 1] - area[top + 1] >= LEVELLED * lost
        if (is_level and (tall - top) * spacing >= LEAST) or _has_feet(area[top + 1:]):
            return first + top
    return None


def _has_feet(area: np.ndarray) -> bool:
    """Whether what has such sections, from below, is as thin low down as feet and legs are."""
    thin = int(np.argmin(area[:max(round(ANKLES * len(area)), 1)]))
    return area[thin:].max() >= WIDER * area[thin]


def _is_block(outline: np.ndarray) -> bool:
    """Whether an outline (nx, ny) is one piece without bays, and not slender."""
    label, _ = ndimage.label(outline, np.ones((3, 3)))
    size = np.bincount(label.ravel())[1:]
    cells = np.argwhere(label == size.argmax() + 1)
    if size.max() < max(WHOLE * size.sum(), SLIM * (np.ptp(cells, axis=0).max() + 1) ** 2):
        return False
    corners = (cells[:, None] + np.array([[0, 0], [0, 1], [1, 0], [1, 1]])).reshape(-1, 2)
    return size.max() >= CONVEX * ConvexHull(corners).volume


def _top_face(mesh: Mesh, height: float, spacing: float, outline: float) -> float:
    """The height of the level faces near a height; that height if they have too little of the area `outline`."""
    corner = mesh.triangles
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]) / 2
    area = np.linalg.norm(normal, axis=1)
    middle = corner[..., 2].mean(1)
    level = (normal[:, 2] > LEVEL * area) & (np.abs(middle - height) < 2 * spacing)
    if area[level].sum() < TOP * outline:
        return height
    order = np.argsort(middle[level], kind="stable")
    share = np.cumsum(area[level][order])
    return float(middle[level][order][np.searchsorted(share, share[-1] / 2)]) + 0.1 * spacing


def without_base(mesh: Mesh, welded_of_vertex: np.ndarray, faces: np.ndarray) -> tuple[Mesh, np.ndarray, np.ndarray]:
    """(figure, welded_of_vertex, rows): a welded mesh without a base's faces (F,) and its vertices.

    welded_of_vertex : (V,) of the original vertices; those of the base, `rows` (B,), are given the figure's nearest one
    """
    gone, stays = np.zeros((2, len(mesh.vertices)), bool)
    gone[mesh.faces[faces]] = True
    stays[mesh.faces[~faces]] = True
    gone &= ~stays
    number = np.cumsum(~gone) - 1
    held = np.flatnonzero(stays)
    number[gone] = number[held[cKDTree(mesh.vertices[held]).query(mesh.vertices[gone])[1]]]
    figure = Mesh(mesh.vertices[~gone], number[mesh.faces[~faces]], mesh.name,
                  None if mesh.part_of_vertex is None else mesh.part_of_vertex[~gone])
    return figure, number[welded_of_vertex], np.flatnonzero(gone[welded_of_vertex])
