"""The octree against a recursive twin, its neighbours against a double loop, ways against a plain priority queue."""

import heapq

import numpy as np
import pytest

from core.geometry.grid import Grid
from core.geometry.mesh import Mesh
from core.skinning import voxel_tree as module
from core.skinning.geodesic import GeodesicDistances, cell_distances, handle_seeds, vertex_distances
from core.skinning.handles import Handles
from core.skinning.voxel_tree import tree_grid, voxel_tree
from tests.core.skinning.solids import joined, prepare, tube


def handles_of(*segments) -> Handles:
    heads, tails = (np.array(x, float) for x in zip(*segments, strict=True))
    return Handles(np.arange(len(heads)), np.arange(len(heads)), heads, tails)


def tree_of(mesh, handles, resolution=32, levels=3):
    shape = prepare(mesh)
    return voxel_tree(shape.mesh, handle_seeds(handles, 0.5 / resolution)[0], resolution=resolution, levels=levels)


AXIS = handles_of(((-0.5, 0, 0.1), (0, 0, 0.1)), ((0, 0, 0.1), (0.5, 0, 0.1)))  # the tube's axis in the unit frame


def octree_twin(body, detail, low, width):
    """Leaves of the octree, by recursion: (low corner, width) of cells that hold any of the body."""
    box = tuple(slice(a, a + width) for a in low)
    if width == 1 or not detail[box].any():
        return {(*low, width)} if body[box].any() else set()
    half = width // 2
    return set().union(*(octree_twin(body, detail, tuple(np.add(low, np.multiply(o, half))), half)
                         for o in np.ndindex(2, 2, 2)))


def test_leaves_are_those_of_the_recursive_octree(rng):
    body = rng.random((16, 8, 16)) < 0.3
    body[4:12, :, 4:12] = True
    detail = body & (rng.random(body.shape) < 0.02)
    cell_of_voxel, corner, width = module._leaves(body, detail, 2)
    expected = set()
    for low in np.ndindex(4, 2, 4):
        block = tuple(slice(4 * a, 4 * a + 4) for a in low)
        if not detail[block].any():  # whole blocks
            expected |= {(*np.multiply(low, 4), 4)} if body[block].any() else set()
        else:
            expected |= octree_twin(body, detail, tuple(np.multiply(low, 4)), 4)
    assert {(*map(int, c), int(w)) for c, w in zip(corner, width, strict=True)} == {
        tuple(map(int, leaf)) for leaf in expected}
    for number, (low, size) in enumerate(zip(corner, width, strict=True)):
        assert (cell_of_voxel[tuple(slice(a, a + size) for a in low)] == number).all()
    assert (cell_of_voxel[body] >= 0).all()


def test_cells_touch_exactly_where_their_boxes_do():
    tree = tree_of(tube(0.2, along=9, around=12), AXIS, resolution=16, levels=2)
    gap = np.abs(tree.centres[:, None] - tree.centres).max(2) - (tree.sizes[:, None] + tree.sizes) / 2
    touching = (gap < 1e-9) & ~np.eye(len(gap), dtype=bool)
    assert ((tree.steps.toarray() > 0) == touching).all()
    length = np.linalg.norm(tree.centres[:, None] - tree.centres, axis=2)
    assert np.allclose(tree.steps.toarray(), np.where(touching, length, 0))


@pytest.mark.parametrize("spacing", [0.01, 0.3, 10.0])
def test_seeds_run_from_the_head_of_each_segment_to_its_tail_evenly(spacing):
    points, segment = handle_seeds(AXIS, spacing)
    for handle, (head, tail) in enumerate(zip(AXIS.heads, AXIS.tails, strict=True)):
        own = points[segment == handle]
        np.testing.assert_allclose(own[[0, -1]], [head, tail], atol=1e-12)
        steps = np.linalg.norm(np.diff(own, axis=0), axis=1)
        assert steps.max() <= spacing * (1 + 1e-9) and np.ptp(steps) < 1e-9


def test_ways_are_those_of_a_priority_queue():
    tree = tree_of(tube(0.2, along=9, around=12), AXIS, resolution=16, levels=2)
    penalty = 4.0
    found = cell_distances(tree, AXIS, penalty=penalty, thickness=0.0)
    points, segment = handle_seeds(AXIS, 0.5 * tree.grid.spacing)
    for handle in range(2):
        expected = np.full(len(tree.centres), np.inf)
        queue = [(float(np.linalg.norm(p - tree.centres[c])), int(c)) for p, around in
                 zip(points[segment == handle], tree.cells_around(points[segment == handle]), strict=True)
                 for c in around if c >= 0]
        heapq.heapify(queue)
        while queue:
            way, cell = heapq.heappop(queue)
            if way >= expected[cell]:
                continue
            expected[cell] = way
            row = slice(tree.steps.indptr[cell], tree.steps.indptr[cell + 1])
            for other, step in zip(tree.steps.indices[row], tree.steps.data[row], strict=True):
                heapq.heappush(queue, (way + step * (penalty if tree.boundary[other] else 1.0), int(other)))
        assert np.allclose(found[handle], expected, atol=1e-6)


@pytest.mark.long
def test_sparse_and_uniform_voxels_measure_alike():
    """[DL14] figure 9: the octree is a saving, not another result."""
    mesh = tube(0.2)
    sparse_tree, uniform = (tree_of(mesh, AXIS, 64, levels) for levels in (3, 0))
    assert len(sparse_tree.centres) < 0.7 * len(uniform.centres)
    points = prepare(mesh).mesh.vertices
    a, b = (vertex_distances(t, cell_distances(t, AXIS), points).weights(0.1) for t in (sparse_tree, uniform))
    assert np.abs(a - b).max() < 0.2
    assert np.abs(a - b).mean() < 0.04


def test_every_cell_can_be_reached_even_over_gaps():
    far = tube(0.05)
    mesh = joined(tube(0.1), Mesh(far.vertices + np.array([0, 0, 0.4]), far.faces))
    tree = tree_of(mesh, AXIS, 48)
    assert np.isfinite(cell_distances(tree, AXIS)).all()


def test_giving_up_early_changes_no_weight():
    mesh = tube(0.1)
    handles = handles_of(*[((x - 0.5, 0, 0.1), (x - 0.4, 0, 0.1)) for x in np.arange(0, 1, 0.1)])
    tree = tree_of(mesh, handles, 64)
    points = prepare(mesh).mesh.vertices
    ways = [cell_distances(tree, handles, reach=r) for r in (np.inf, 2.5)]
    measured = np.isfinite(ways[1])
    assert measured[ways[0] <= 2.5 * ways[0].min(0)].all()
    assert measured.mean() < (ways[0] <= 2.5 * ways[0].min(0).max()).mean()  # not as far as any cell needs it
    np.testing.assert_allclose(ways[1][measured], ways[0][measured], atol=1e-8)
    full, early = (vertex_distances(tree, each, points) for each in ways)
    assert not np.isfinite(early.values).all()
    assert np.abs(full.weights(0.1) - early.weights(0.1)).max() < 1e-3


def test_a_penalty_on_the_skin_makes_ways_through_it_longer():
    tree = tree_of(tube(0.1), AXIS, 48)
    plain, dear = (cell_distances(tree, AXIS, penalty=p, thickness=0.0) for p in (1.0, 4.0))
    skin = tree.boundary
    assert (dear >= plain - 1e-9).all()
    assert (dear[:, skin].min(0) > plain[:, skin].min(0) + tree.grid.spacing).mean() > 0.9


def test_falloff_is_the_papers():
    values = np.array([[0.1, 0.2, 0.4], [0.3, 0.3, 5.0], [1e-9, 0.2, 0.3]])
    for alpha in (0.0, 0.1, 1.0):
        power = (1 - alpha) * 5 + alpha * 30
        near = np.maximum(values, 1e-3)
        expected = near**-power / (near**-power).sum(1, keepdims=True)
        assert np.allclose(GeodesicDistances(values).weights(alpha, 3), expected, atol=1e-5)
    two = GeodesicDistances(values).weights(0.1, 2)
    assert ((two > 0).sum(1) <= 2).all()
    assert np.allclose(two.sum(1), 1)


def test_vertex_distances_have_no_facets():
    """Sliding along the tube, the paper's sum jumps at each voxel's wall; the average does not."""
    mesh = tube(0.1)
    tree = tree_of(mesh, AXIS, 32)
    ways = cell_distances(tree, AXIS, thickness=0.0)
    x = np.linspace(-0.4, -0.1, 400)
    line = np.stack([x, np.full(400, 0.07), np.full(400, 0.17)], 1)
    smooth = vertex_distances(tree, ways, line).values[:, 1]
    cell = tree.cell_of_voxel[tuple(tree.grid.index_of(line).T)]
    jumpy = ways[1, cell] + np.linalg.norm(line - tree.centres[cell], axis=1)
    assert np.abs(np.diff(smooth)).max() < 0.5 * np.abs(np.diff(jumpy)).max()


def test_only_very_fine_grids_take_their_votes_at_half_the_resolution(monkeypatch):
    mesh, asked = tube(0.1, 1.0), []
    monkeypatch.setattr(module, "solidify",
                        lambda mesh, grid, *_, **__: asked.append(grid) or np.ones(grid.shape, bool))
    for spacing, halved in ((1 / 64, False), (1 / 500, False), (1 / 700, True)):
        grid = Grid(np.zeros(3), spacing, (8, 6, 4))
        assert module._solid(mesh, grid, np.zeros((0, 3)), True).shape == grid.shape
        assert (asked[-1].shape == (4, 3, 2)) == halved and asked[-1].spacing == (2 if halved else 1) * spacing


def test_the_coarsest_cells_tile_a_grid_that_is_no_larger_than_it_must_be(rng):
    for levels in (1, 2, 3):
        points = rng.uniform(-1, 1, (9, 3)) * rng.uniform(0.1, 1, 3)
        grid, block = tree_grid(points, 50, levels), 2**levels
        count, extent = np.array(grid.shape), np.ptp(points, axis=0) * 50
        assert (count % block == 0).all() and grid.spacing == 1 / 50
        assert (count >= extent + 4 + 2 * block - 1e-6).all() and (count < extent + 4 + 3 * block).all()
        middle = grid.origin + count * grid.spacing / 2
        np.testing.assert_allclose(middle, (points.min(0) + points.max(0)) / 2, atol=1e-12)
