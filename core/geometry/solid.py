"""Deciding the solid of any mesh: closed or open, one part or a hundred, overlapping or floating.

[BP07] takes one closed, connected surface. Real characters are rarely that, so three witnesses decide together which
voxels are inside: what the outside cannot reach, what rays along three axes say, and generalised winding numbers where
the rays disagree. Then floating parts are joined to the rest by thin bridges, because a skeleton needs one volume.
"""

from __future__ import annotations

import numpy as np

from ..arrays import argwhere
from ..errors import ShapeTooThin
from .clothing import is_worn
from .gaps import NO_GAPS, Gaps, bridge_gaps, find_gaps
from .grid import Grid
from .mesh import Mesh, vertex_components
from .pieces import label_pieces
from .rims import close_holes
from .seams import find_cracks
from .voxels import SAMPLE_SPACING, dilate, sample_surface, surface_voxels, vote_inside
from .winding import winding_numbers

_CRACK = 2  # voxels
_SIDED = 0.6  # share of a sheet's area that looks one way, at least
MANY = 250_000  # doubtful voxels, some seconds of winding numbers; five times what whole characters have at 256
FEW = 32  # voxels; fewer are a fingertip or a ray through a sliver, not worth a tree
_CUBE = np.array(list(np.ndindex(3, 3, 3))) - 1


def solidify(mesh: Mesh, grid: Grid, surface_points: np.ndarray, *, use_winding: bool = True) -> np.ndarray:
    """(nx, ny, nz) bool: the voxels of the character's one connected solid. See `solidify_pieces`."""
    return solidify_pieces(mesh, grid, surface_points, use_winding=use_winding)[0]


def solidify_pieces(mesh: Mesh, grid: Grid, surface_points: np.ndarray, *,
                    use_winding: bool = True) -> tuple[np.ndarray, Gaps]:
    """(nx, ny, nz) bool: the voxels of the character's one connected solid; and the gaps bridged, voxels.

    mesh : unit frame, faces consistently oriented within each part;  surface_points : (N, 3) covering the surface
    use_winding : False counts doubtful voxels as outside, to see what winding numbers are good for
    A voxel is inside if the surface seals it off from the outside; or if at least two of three axes vote so; or if one
    does and the winding number is above 1/2. Small holes are closed beforehand. If the shell is broken into pieces,
    winding numbers also decide what lies behind the cracks, and no void is left. Sheets worn over a closed body do not
    count. Raises ShapeTooThin if nothing is inside.
    """
    whole = close_holes(mesh)
    if whole is not mesh:
        lids = Mesh(whole.vertices, whole.faces[len(mesh.faces):])
        surface_points = np.concatenate([surface_points, sample_surface(lids, SAMPLE_SPACING * grid.spacing)[0]])
        mesh = whole
    worn = is_worn(mesh, grid)
    if worn.any():
        mesh = Mesh(mesh.vertices, mesh.faces[~worn], mesh.name)
        surface_points = sample_surface(mesh, SAMPLE_SPACING * grid.spacing)[0]
    surface = surface_voxels(grid, surface_points)
    outside = _reachable_from_border(~surface)
    votes = vote_inside(mesh, grid)
    solid = (votes >= 2) | ~dilate(outside) | ~(surface | outside)
    doubtful = votes == 1
    if broken := _is_broken(mesh):
        doubtful |= _behind_cracks(surface)
    if use_winding:
        _decide_doubtful(mesh, grid, solid, doubtful & ~solid)
    if broken:
        solid |= ~_reachable_from_border(~solid)
    _keep_thin_parts(mesh, grid, solid, surface & ~dilate(solid))
    solid, pieces = _drop_crumbs(solid)
    gaps = find_gaps(solid) if pieces > 1 else NO_GAPS
    solid = bridge_gaps(solid, gaps)
    if _is_mirrored(surface) and _is_mirrored(votes):
        solid = solid | solid[::-1]  # what a tie or rounding decided on one side holds for both
    if np.count_nonzero(solid) < 8:
        raise ShapeTooThin(f"'{mesh.name}' encloses no volume to put bones in. Close its holes, or thicken it with a "
                           "Solidify modifier.")
    return solid, gaps


def _is_broken(mesh: Mesh) -> bool:
    """Most faces belong to pieces that cracks part from each other: the shell itself, not strips of hair on a head."""
    part = vertex_components(mesh)
    cracked = np.unique(part[find_cracks(mesh, part).edges])
    return bool(len(cracked) and np.isin(part[mesh.faces[:, 0]], cracked).mean() > 0.5)


def _behind_cracks(surface: np.ndarray) -> np.ndarray:
    """Voxels the outside would not reach through openings up to 2 * `_CRACK` voxels wide: between layers of a broken
    shell, where rays find an even number of walls, or in a crease."""
    grown = surface
    for _ in range(_CRACK):
        grown = dilate(grown)
    reached = _reachable_from_border(~grown)
    for _ in range(_CRACK):
        reached = dilate(reached)
    return ~(reached | surface)


def _decide_doubtful(mesh: Mesh, grid: Grid, solid: np.ndarray, doubtful: np.ndarray) -> None:
    """Add the doubtful voxels whose winding number is above 1/2, in place.

    A few specks follow most of their neighbours. Beyond `MANY`, where faces lie about like straw, blocks of voxels are
    decided by their middles, so that the time stays bounded.
    """
    where = argwhere(doubtful)
    if len(where) > FEW:
        width = 1
        while len(where) > MANY * width**3:
            width *= 2
        cells, cell = np.unique(np.ravel_multi_index(tuple((where // width).T), solid.shape), return_inverse=True)
        corners = np.stack(np.unravel_index(cells, solid.shape), 1) * width
        inside = (winding_numbers(mesh, grid.centres(corners + (width - 1) / 2)) > 0.5)[cell]
    else:
        around = np.clip(where[:, None] + _CUBE, 0, np.array(solid.shape) - 1)
        inside = solid[tuple(np.moveaxis(around, 2, 0))].sum(1) > len(_CUBE) // 2
    solid[tuple(where[inside].T)] = True


def _keep_thin_parts(mesh: Mesh, grid: Grid, solid: np.ndarray, alone: np.ndarray) -> None:
    """Add, in place, surface voxels far from the solid where the skin around faces all ways: limbs too thin for any
    centre to lie in them. A sheet, whose sides are no further apart than its faces, is no limb, unless there is nothing
    else."""
    if alone.any() and solid.any():
        solid |= alone & _is_round(mesh, grid, alone)
    if not solid.any():
        solid |= alone


def _is_round(mesh: Mesh, grid: Grid, where: np.ndarray) -> np.ndarray:
    """(nx, ny, nz) bool: voxels of `where` around which the skin's sides cancel out."""
    held = argwhere(where)
    low, high = grid.centres(np.stack([held.min(0) - 2, held.max(0) + 2]))
    corners = mesh.vertices[mesh.faces.T]
    mesh = Mesh(mesh.vertices, mesh.faces[((corners.max(0) > low) & (corners.min(0) < high)).all(1)])
    points, face = sample_surface(mesh, SAMPLE_SPACING * grid.spacing)
    voxel = np.ravel_multi_index(tuple(grid.index_of(points).T), grid.shape)
    near = np.flatnonzero(dilate(where).ravel().take(voxel))
    corner = mesh.triangles[face[near]]
    area = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]) / np.bincount(face)[face[near], None]
    voxel = voxel[near]
    at = np.flatnonzero(where)
    centre = np.ravel_multi_index((1, 1, 1), grid.shape)
    around = at[:, None] + np.ravel_multi_index(tuple((_CUBE + 1).T), grid.shape) - centre
    *sides, total = (np.bincount(voxel, weight, where.size)[around].sum(1)
                     for weight in (*area.T, np.linalg.norm(area, axis=1)))
    is_round = np.zeros(where.size, bool)
    is_round[at] = np.linalg.norm(sides, axis=0) < _SIDED * total
    return is_round.reshape(where.shape)


def _is_mirrored(voxels: np.ndarray) -> bool:
    return bool((voxels == voxels[::-1]).all())


def _reachable_from_border(free: np.ndarray) -> np.ndarray:
    """Voxels of `free` connected through faces to the first voxel; the grid's margin is free by construction."""
    labels, _ = label_pieces(free, corners=False)
    return labels == labels[0, 0, 0]


def _drop_crumbs(solid: np.ndarray, *, share: float = 2e-4) -> tuple[np.ndarray, int]:
    """Remove pieces smaller than `share` of the whole: they are noise of the votes or too small to hold a joint. Also
    how many are left."""
    labels, count = label_pieces(solid, corners=True)
    if count <= 1:
        return solid, count
    size = np.bincount(labels.ravel())
    size[0] = 0
    keep = size >= max(share * size.sum(), 1)
    keep[size.argmax()] = True
    keep[0] = False
    kept = int(keep.sum())
    return solid if kept == count else keep[labels], kept
