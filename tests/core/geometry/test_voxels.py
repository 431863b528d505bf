"""Votes against a naive parity count, and surface samples that leave no gap and know no left or right."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage
from scipy.spatial import cKDTree

from core.geometry.grid import Grid, grid_around
from core.geometry.mesh import Mesh
from core.geometry.voxels import dilate, sample_surface, surface_voxels, thin_samples, vote_inside
from tests.core.geometry.soups import ball, cube, join, keep_faces, turn_faces

SHIFT = (1.234567e-4, 2.718281e-4)


def naive_votes(mesh: Mesh, grid: Grid) -> np.ndarray:
    """Three pairs of views, one ray and one voxel at a time; voxels in a row share their rays."""
    votes, rows = np.zeros(grid.shape, int), {}
    for i in np.ndindex(*grid.shape):
        for axis in range(3):
            u, v = (a for a in range(3) if a != axis)
            at = grid.centres(np.array([i]))[0].copy()
            for other, shift in zip((u, v), SHIFT, strict=True):
                outward = 1 if 2 * i[other] >= grid.shape[other] - 1 else -1
                at[other] += outward * shift * grid.spacing
            row = axis, i[u], i[v]
            if row not in rows:
                rows[row] = [h for t in mesh.triangles if (h := crossing(t, at, u, v, axis)) is not None]
            crossings = rows[row]
            before = sum(h < at[axis] for h in crossings)
            votes[i] += before % 2 == 1 and len(crossings) % 2 == 0
    return votes


def crossing(triangle, at, u, v, axis):
    """The height at which the axis through `at` crosses the triangle, or None."""
    (a, b, c) = triangle[:, [u, v]] - at[[u, v]]
    area = [p[0] * q[1] - p[1] * q[0] for p, q in ((b, c), (c, a), (a, b))]
    if not (min(area) > 0 or max(area) < 0):
        return None
    return np.dot(area, triangle[:, axis]) / sum(area)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("seed", range(2))
def test_votes_equal_a_naive_parity_count(seed):
    rng = np.random.default_rng(seed)
    body = join(ball(fineness=1), ball((0.8, 0.3, 0.1), 0.6, fineness=1), cube((-1.4, -0.3, -0.5), (-0.2, 0.5, 0.4)))
    body = Mesh(body.vertices + 0.01 * rng.normal(size=body.vertices.shape), body.faces)
    mesh = keep_faces(body, rng.random(len(body.faces)) > 0.2) if seed else body
    grid = grid_around(mesh.vertices, 0.5, margin=1)
    assert np.array_equal(vote_inside(mesh, grid), naive_votes(mesh, grid))


def test_the_winding_of_faces_has_no_vote(rng):
    mesh = ball(fineness=2)
    grid = grid_around(mesh.vertices, 0.1)
    turned = turn_faces(mesh, rng.random(len(mesh.faces)) < 0.5)
    assert np.array_equal(vote_inside(mesh, grid), vote_inside(turned, grid))


@pytest.mark.parametrize("cells", [8, 9])
def test_round_numbers_do_not_leak(cells):
    """A cube whose faces, edges and corners run through voxel centres or along walls."""
    mesh = cube((-1, -1, -1), (1, 1, 1))
    for offset in (0.0, 0.5):
        spacing = 2 / cells
        grid = Grid(np.full(3, -1 - (2 + offset) * spacing), spacing, (cells + 5,) * 3)
        at = grid.centres(np.argwhere(np.ones(grid.shape, bool)))
        inside, outside = (np.abs(at) < 1 - 1e-9).all(1), (np.abs(at) > 1 + 1e-9).any(1)
        votes = vote_inside(mesh, grid).ravel()
        assert (votes[inside] == 3).all() and (votes[outside] == 0).all()


def test_memory_is_bounded_by_chunks_without_changing_the_answer(monkeypatch):
    mesh, grid = ball(fineness=2), grid_around(ball(fineness=2).vertices, 0.08)
    expected = vote_inside(mesh, grid)
    monkeypatch.setattr("core.geometry.voxels._CHUNK", 50)
    assert np.array_equal(vote_inside(mesh, grid), expected)


def furthest_uncovered(mesh: Mesh, points: np.ndarray, faces: np.ndarray, rng: np.random.Generator) -> float:
    """How far any of 20,000 places on a surface is from its samples, which lie on their faces, one or more on each."""
    t = mesh.triangles[faces]
    normal = np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0])
    assert np.abs(((points - t[:, 0]) * normal).sum(1)).max() < 1e-12
    assert np.array_equal(np.unique(faces), np.arange(len(mesh.faces)))
    weight = rng.dirichlet(np.ones(3), 20000)
    anywhere = np.einsum("nc,ncd->nd", weight, mesh.triangles[rng.integers(0, len(mesh.faces), 20000)])
    return float(cKDTree(points).query(anywhere)[0].max())


def test_samples_lie_on_their_faces_and_cover_them(rng):
    mesh = join(cube((-1, -1, -1), (1, 0.2, 1)), ball((3, 0, 0), fineness=3))
    assert furthest_uncovered(mesh, *sample_surface(mesh, 0.1), rng) < 0.1


def column(sides: int) -> Mesh:
    """A prism from -1 to 1 along z whose faces are long and slim: strips around it and fans at both ends."""
    turn = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    ring = np.stack([np.cos(turn), np.sin(turn), np.ones(sides)], 1)
    i, j = np.arange(sides), np.roll(np.arange(sides), -1)
    fan = np.stack([np.zeros(sides - 2, int), i[1:-1], j[1:-1]], 1)
    strips = np.concatenate([np.stack([i, j, i + sides], 1), np.stack([j, j + sides, i + sides], 1)])
    return Mesh(np.concatenate([ring * [1, 1, -1], ring]), np.concatenate([strips, fan[:, ::-1], fan + sides]))


def test_slim_faces_take_few_samples_that_cover_them(rng):
    mesh = column(300)
    points, faces = sample_surface(mesh, 0.02)
    area = np.linalg.norm(np.cross(*(mesh.triangles[:, k] - mesh.triangles[:, 0] for k in (1, 2))), axis=1).sum() / 2
    assert len(points) < 4 * area / 0.02**2  # cut alike in both directions they would take 27 times as many
    assert furthest_uncovered(mesh, points, faces, rng) < 0.75 * 0.02


@pytest.mark.parametrize("image", [(-1, 1, 1), (1, -1, 1)])
def test_samples_of_a_slim_face_depend_neither_on_the_order_of_its_corners_nor_on_the_side(image):
    corners = np.array([[0.0, 0.1, 0.3], [0.05, 0.1, 0.2], [0.7, 1.4, -0.5]])
    points = sample_surface(Mesh(corners, [[0, 1, 2]]), 0.03)[0]
    for order in ([1, 2, 0], [2, 0, 1], [1, 0, 2]):
        others = sample_surface(Mesh(corners * image, [order]), 0.03)[0]
        assert len(others) == len(points)
        assert cKDTree(points * image).query(others)[0].max() < 1e-12


@pytest.mark.parametrize("turn", [0.0, 0.3, 0.7])
@pytest.mark.parametrize("mesh", [cube((-1, -1, -1), (1, 1, 1)), column(9), column(60)], ids=["cube", "9", "60"])
def test_no_walk_through_faces_passes_the_surface(mesh, turn):
    c, s = np.cos(turn), np.sin(turn)
    mesh = Mesh(mesh.vertices @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ [[1, 0, 0], [0, c, -s], [0, s, c]],
                mesh.faces)
    grid = grid_around(mesh.vertices, 0.05)
    surface = surface_voxels(grid, thin_samples(grid, *sample_surface(mesh, 0.6 * grid.spacing))[0])
    labels, _ = ndimage.label(~surface)
    assert labels[tuple(n // 2 for n in grid.shape)] != labels[0, 0, 0]


def test_thinning_keeps_a_sample_in_each_eighth_of_a_voxel():
    mesh = ball(fineness=5)
    grid = grid_around(mesh.vertices, 0.15)
    points, faces = sample_surface(mesh, 0.03)
    kept, kept_faces = thin_samples(grid, points, faces)
    assert len(kept) < len(points) / 3
    assert np.array_equal(surface_voxels(grid, kept), surface_voxels(grid, points))
    eighth = Grid(grid.origin, grid.spacing / 2, tuple(2 * n for n in grid.shape))
    held = [np.unique(np.ravel_multi_index(tuple(eighth.index_of(p).T), eighth.shape)) for p in (points, kept)]
    assert np.array_equal(*held)
    assert len(kept) == len(kept_faces) == len(held[1])


def test_mirrored_meshes_have_mirrored_votes_and_samples():
    half = cube((0, -0.5, -1), (0.75, 0.5, 1))
    mesh = join(half, Mesh(half.vertices * [-1, 1, 1], half.faces), ball((0, 0, 1.5), fineness=2))
    for spacing in (0.25, 0.11):
        grid = grid_around(mesh.vertices, spacing)
        votes = vote_inside(mesh, grid)
        points = thin_samples(grid, *sample_surface(mesh, 0.6 * spacing))[0]
        surface = surface_voxels(grid, points)
        assert np.array_equal(votes, votes[::-1]) and np.array_equal(surface, surface[::-1])
        assert cKDTree(points).query(points * [-1, 1, 1])[0].max() < 1e-12


def test_points_on_walls_belong_to_the_voxel_nearer_the_middle():
    grid = Grid(np.full(3, -2.0), 1.0, (4, 4, 4))
    assert np.array_equal(grid.index_of([[-1, 1, -2], [1, -1, 2], [0.5, -0.5, 9]]), [[1, 2, 0], [2, 1, 3], [2, 1, 3]])
    assert np.allclose(grid.centres(grid.index_of([[0.5, -0.5, 1.5]])), [[0.5, -0.5, 1.5]])


def test_dilation_equals_the_general_one(rng):
    marked = rng.random((7, 8, 9)) < 0.05
    assert np.array_equal(dilate(marked), ndimage.binary_dilation(marked, np.ones((3, 3, 3))))
