"""Naive surface nets over a sparse lattice: implicit solids become closed, manifold triangle meshes.

One vertex per lattice cell the surface passes, at the mean of the points where it crosses the cell's edges; one quad
per crossed lattice edge (Gibson, Constrained Elastic Surface Nets, 1998). Only cells near the surface are ever visited.
"""

from __future__ import annotations

import numpy as np

from core.geometry.mesh import Mesh

CORNERS = np.array([[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(8)])
EDGES = np.array([[a, a | 1 << axis] for axis in range(3) for a in range(8) if not a >> axis & 1])
FACES = [[a, a | 1 << u, a | 1 << u | 1 << v, a | 1 << v] for u, v in ((0, 1), (1, 2), (0, 2))
         for a in range(8) if not a >> u & 1 and not a >> v & 1]
LIMIT = 1 << 20  # lattice indices stay below this in absolute value, so three fit into one key


def _touching_only() -> np.ndarray:
    """(256,) corner patterns whose solid or void touches itself only in a point or edge: one vertex is too few."""
    inside = (np.arange(256)[:, None] >> np.arange(8) & 1).astype(bool)
    bad = np.zeros(256, bool)
    for a, b, c, d in FACES:
        bad |= (inside[:, a] == inside[:, c]) & (inside[:, b] == inside[:, d]) & (inside[:, a] != inside[:, b])
    for a in range(4):
        for state in (True, False):
            alone = inside != state
            alone[:, [a, 7 - a]] = inside[:, [a, 7 - a]] == state
            bad |= alone.all(1)
    return bad


TOUCHING = _touching_only()


def grow(solid, cell: float, *, mirrored: bool = True, name: str = "mesh") -> Mesh:
    """The surface of an implicit solid, as a closed manifold mesh with faces outwards.

    cell : lattice spacing.  mirrored : only x >= 0 of the solid counts; the rest is its exact mirror image, with a line
    of vertices on x = 0.  Features thinner than about 1.8 cells may break.  O(area / cell²).
    """
    cells, corner_value = _surface_cells(solid, cell, mirrored)
    vertices = _onto_surface(solid, (cells - 0.5 + _mean_crossings(corner_value)) * cell, cell)
    if mirrored:
        vertices[cells[:, 0] == 0, 0] = 0.0
    quads = _quads(cells, corner_value, mirrored)
    faces = _split_quads(vertices, quads)
    if mirrored:
        vertices, faces = _add_mirror_image(vertices, faces, cells[:, 0] == 0)
    return Mesh(vertices, faces, name)


def _surface_cells(solid, cell: float, mirrored: bool) -> tuple[np.ndarray, np.ndarray]:
    """(N, 3) the cells the surface passes, one for each vertex, and (N, 8) the distances at their corners."""
    low, high = solid.box()
    cells = _cells_near_surface(solid, cell, low, high, mirrored)
    corner_key, corner_of_cell = np.unique(_key(cells[:, None] + CORNERS), return_inverse=True)
    corner_of_cell = corner_of_cell.reshape(-1, 8)
    points = (_unkey(corner_key) - 0.5) * cell
    if mirrored:
        points[:, 0] = np.abs(points[:, 0])
    value = solid.distance(points)
    value[value == 0] = 1e-12 * cell
    pattern = _separate(value, corner_of_cell, _key(_unkey(corner_key) * [-1, 1, 1] + [1, 0, 0]) if mirrored else None,
                        corner_key, cell)
    active = (pattern > 0) & (pattern < 255)
    return cells[active], value[corner_of_cell[active]]


def cell_for(solid, vertices: int, *, mirrored: bool = True) -> float:
    """The lattice spacing at which the solid's mesh has about `vertices` vertices."""
    low, high = solid.box()
    trial = float(np.sort(high - low)[1:].mean()) / 36
    cells = _surface_cells(solid, trial, mirrored)[0]
    count = 2 * len(cells) - np.count_nonzero(cells[:, 0] == 0) if mirrored else len(cells)
    return trial * float(np.sqrt(max(count, 1) / vertices))


def _key(index: np.ndarray) -> np.ndarray:
    i = index.astype(np.int64) + LIMIT
    return (i[..., 0] << 42) | (i[..., 1] << 21) | i[..., 2]


def _unkey(key: np.ndarray) -> np.ndarray:
    mask = (1 << 21) - 1
    return np.stack([key >> 42, key >> 21 & mask, key & mask], axis=-1) - LIMIT


def _cells_near_surface(solid, cell, low, high, mirrored) -> np.ndarray:
    """(N, 3) sorted lattice cells that can touch the surface, found by halving boxes; cell i surrounds i * cell."""
    level = max(int(np.floor(np.log2(max((high - low).max() / 16 / cell, 1)))), 0)
    width = 1 << level
    start = np.floor((low / cell - 1) / width).astype(int)
    stop = np.floor((high / cell + 1) / width).astype(int) + 1
    if mirrored:
        start[0] = 0
        stop[0] = max(stop[0], 1)
    blocks = np.stack(np.meshgrid(*(np.arange(a, b) for a, b in zip(start, stop, strict=True)), indexing="ij"),
                      axis=-1).reshape(-1, 3)
    while True:
        width = 1 << level
        centre = (blocks * width + (width - 1) / 2) * cell
        reach = (1.3 * width + 0.6) * cell  # half a diagonal is 0.87; the rest allows for overstated distances
        blocks = blocks[np.abs(solid.distance(centre)) < reach]
        if level == 0:
            return blocks[np.argsort(_key(blocks), kind="stable")]
        blocks = (blocks[:, None] * 2 + CORNERS).reshape(-1, 3)
        level -= 1


def _separate(value, corner_of_cell, mirror_key, corner_key, cell) -> np.ndarray:
    """The corner pattern of each cell, after filling corners until the solid nowhere merely touches itself.

    Changes `value` in place. Such touching would give an edge four faces. Each round fills, in each bad cell, the void
    corner nearest the surface; there are finitely many, so it ends.
    """
    bits = 1 << np.arange(8)
    while True:
        corner_value = value[corner_of_cell]
        pattern = (corner_value < 0) @ bits
        bad = TOUCHING[pattern]
        if not bad.any():
            return pattern
        outside = np.where(corner_value[bad] < 0, np.inf, corner_value[bad])
        fill = np.unique(corner_of_cell[bad, outside.argmin(1)])
        if mirror_key is not None:  # the two lattice planes beside x = 0 are one another's image
            partner = np.searchsorted(corner_key, mirror_key[fill])
            partner = np.minimum(partner, len(corner_key) - 1)
            fill = np.union1d(fill, partner[corner_key[partner] == mirror_key[fill]])
        value[fill] = -np.maximum(np.abs(value[fill]), 0.05 * cell)


def _mean_crossings(corner_value: np.ndarray) -> np.ndarray:
    """(N, 3) mean of the points where a cell's edges cross the surface, in cell units from its low corner."""
    total, count = np.zeros((len(corner_value), 3)), np.zeros(len(corner_value))
    for a, b in EDGES:
        u, v = corner_value[:, a], corner_value[:, b]
        crossed = (u < 0) != (v < 0)
        t = np.where(crossed, u / np.where(crossed, u - v, 1.0), 0.0)
        total += np.where(crossed[:, None], CORNERS[a] + t[:, None] * (CORNERS[b] - CORNERS[a]), 0.0)
        count += crossed
    return total / count[:, None]


def _onto_surface(solid, points: np.ndarray, cell: float) -> np.ndarray:
    """One Newton step along the gradient, at most 0.3 cells: means of crossings lie a little inside round bodies."""
    step = 0.05 * cell
    tetrahedron = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    values = np.stack([solid.distance(points + step * t) for t in tetrahedron], axis=1)
    gradient = values @ tetrahedron / (4 * step)
    size = np.maximum(np.einsum("ij,ij->i", gradient, gradient), 0.25)
    move = -gradient * (values.mean(1) / size)[:, None]
    length = np.linalg.norm(move, axis=1, keepdims=True)
    return points + move * np.minimum(1.0, 0.3 * cell / np.maximum(length, 1e-300))


def _quads(cells, corner_value, mirrored) -> np.ndarray:
    """(Q, 4) cells around each crossed lattice edge, outward order."""
    key, quads = _key(cells), []
    inside = corner_value < 0
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        crossed = inside[:, 0] != inside[:, 1 << axis]
        if mirrored and axis != 0:
            crossed &= cells[:, 0] > 0
        own = np.nonzero(crossed)[0]
        step_u, step_v = np.eye(3, dtype=int)[u], np.eye(3, dtype=int)[v]
        around = cells[own, None] - np.array([0 * step_u, step_u, step_u + step_v, step_v])
        wanted = _key(around)
        found = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        if (key[found] != wanted).any():
            raise ValueError("the search lost the surface: the solid overstates its distance")
        quad = np.where(inside[own, 0][:, None], found, found[:, ::-1])
        quads.append(quad)
    return np.concatenate(quads)


def _split_quads(vertices: np.ndarray, quads: np.ndarray) -> np.ndarray:
    """(2Q, 3) triangles: every quad is cut along its shorter diagonal."""
    a, b, c, d = (vertices[quads[:, i]] for i in range(4))
    first = ((a - c) ** 2).sum(1) <= ((b - d) ** 2).sum(1)
    turned = np.where(first[:, None], quads, np.roll(quads, -1, axis=1))
    return np.concatenate([turned[:, [0, 1, 2]], turned[:, [0, 2, 3]]])


def _add_mirror_image(vertices, faces, on_plane) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and faces together with their reflection at x = 0, sharing the vertices on the plane."""
    image = np.where(on_plane, np.arange(len(vertices)), len(vertices) + np.cumsum(~on_plane) - 1)
    return (np.concatenate([vertices, vertices[~on_plane] * [-1.0, 1.0, 1.0]]),
            np.concatenate([faces, image[faces][:, ::-1]]))
