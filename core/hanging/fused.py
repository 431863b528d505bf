"""Strands of hair and long ears that are one surface with the head: what is thin beside it and no bone runs through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage
from scipy.spatial import cKDTree

from ..arrays import argwhere
from ..geometry.grid import Grid
from ..geometry.mesh import Mesh
from ..geometry.pieces import label_pieces
from ..geometry.shape import Shape
from ..geometry.voxels import dilate, grow, sample_surface
from ..skeleton.rig import Rig
from .loose import SMALLEST_AREA

THIN = 0.5  # of the head's inner radius: what no ball so large fits into is thin
REACH = 0.35  # from the head's bone, unit frame
FEWEST = 25  # voxels, and samples of its surface
LONG, NECK = 0.1, 0.5  # how long a strand is at least, unit frame; how wide its root may be, of its length
CLEAR = 0.05  # from all bones: a horn on the forehead, a chin and a hat's tip are nearer


@dataclass(frozen=True, eq=False)
class Strand:
    """Something thin on the head, unit frame.

    points, normals : (N, 3), areas : (N,) samples of its surface;  rows : (M,) its vertices;  root : (N,) way to where
    it begins, in a straight line
    """

    points: np.ndarray
    normals: np.ndarray
    areas: np.ndarray
    rows: np.ndarray
    root: np.ndarray


def thin_strands(shape: Shape, body: Rig, step: float) -> list[Strand]:
    """What sticks out of the head, thin and long.  body : unit frame;  step : between samples

    The solid around the head without what balls of half the head's inner radius fill: morphology's opening.
    """
    field, head = shape.field, body.names.index("head")
    ends = np.stack([body.heads[head], body.tails[head]])
    spacing = field.grid.spacing
    low = np.maximum(field.grid.index_of((ends.min(0) - REACH)[None])[0], 0)
    high = field.grid.index_of((ends.max(0) + REACH)[None])[0] + 1
    flesh = argwhere(field.values[tuple(slice(a, b) for a, b in zip(low, high, strict=True))] < 0)
    if not len(flesh):
        return []
    low, high = low + flesh.min(0), low + flesh.max(0) + 1
    values = np.pad(field.values[tuple(slice(a, b) for a, b in zip(low, high, strict=True))], 1, constant_values=1.0)
    place = lambda voxels: field.grid.centres(voxels + low - 1)  # noqa: E731 - used thrice
    inner = -float(field.sample(ends[0] + np.linspace(0, 1, 9)[:, None] * (ends[1] - ends[0])).min())
    core = values <= -THIN * inner
    if inner <= 2 * spacing or not core.any():
        return []
    thick = ndimage.distance_transform_edt(~core) * spacing <= THIN * inner + 0.5 * spacing
    label, _ = label_pieces((values < 0) & ~thick, corners=True)
    thick &= values < 0
    size = np.bincount(label.ravel())
    along = body.heads + np.linspace(0, 1, 9)[:, None, None] * (body.tails - body.heads)
    found = []
    for one in np.flatnonzero(size[1:] >= FEWEST) + 1:
        own = label == one
        voxels = place(argwhere(own))
        if np.ptp(voxels, axis=0).max() < LONG or cKDTree(voxels).query(along.reshape(-1, 3))[0].min() < CLEAR:
            continue
        roots = place(argwhere(dilate(own) & thick))
        if len(roots) and _is_long(voxels, roots) and _on_head(roots, along, head):
            strand = skin_of(shape, voxels, roots, 1.2 * spacing, step)
            found += [] if strand is None else [strand]
    return found


def _is_long(voxels: np.ndarray, roots: np.ndarray) -> bool:
    length = float(cKDTree(roots).query(voxels)[0].max())
    return length >= LONG and float(np.ptp(roots, axis=0).max()) <= NECK * length


def _on_head(roots: np.ndarray, along: np.ndarray, head: int) -> bool:
    """Whether most of where a strand begins lies nearest to the head's bone.  along : (K, B, 3) places on bones"""
    nearest = np.stack([cKDTree(along[:, bone]).query(roots)[0] for bone in range(along.shape[1])], 1).argmin(1)
    return float((nearest == head).mean()) > 0.6


def skin_of(shape: Shape, voxels: np.ndarray, roots: np.ndarray, reach: float, step: float) -> Strand | None:
    """The skin of some voxels (N, 3): what lies no further from them than `reach`.  roots : (M, 3) where they begin"""
    mesh, tree = shape.mesh, cKDTree(voxels)
    near = ((mesh.vertices > voxels.min(0) - reach) & (mesh.vertices < voxels.max(0) + reach)).all(1)
    rows = np.flatnonzero(near)
    rows = rows[tree.query(mesh.vertices[rows])[0] <= reach]
    mine = np.isin(mesh.faces, rows).any(1)
    if len(rows) < 3 or not mine.any():
        return None
    skin = Mesh(mesh.vertices, mesh.faces[mine])
    points, face = sample_surface(skin, step)
    corner = skin.triangles
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]) / 2
    area = np.linalg.norm(normal, axis=1)
    kept = tree.query(points)[0] <= reach
    points, of = points[kept], face[kept]
    if len(points) < FEWEST:
        return None
    areas = np.maximum(area[of], SMALLEST_AREA) / np.bincount(face, minlength=len(area))[of]
    return Strand(points, (normal / np.maximum(area, 1e-300)[:, None])[of], areas, rows,
                  cKDTree(roots).query(points)[0])


def pieces_of_vertices(shape: Shape, grid: Grid, inside: np.ndarray, label: np.ndarray) -> np.ndarray:
    """(V,) which labelled piece of a solid has the voxel that is nearest to each vertex, 0 for none."""
    nearest = ndimage.distance_transform_edt(~inside, return_distances=False, return_indices=True)
    vertices = shape.mesh.vertices
    return label[tuple(nearest[:, *grid.index_of(vertices).T])] * (vertices > grid.origin).all(1)


def about(marked: np.ndarray, reach: float) -> np.ndarray:
    """The marked voxels and those about them, within so many voxels: of a cube's and an octahedron's ways half each."""
    for step in range(round(reach)):
        marked = dilate(marked) if step % 2 else grow(marked)
    return marked
