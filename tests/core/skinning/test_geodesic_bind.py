"""Geodesic binding end to end: any mesh, any skeleton, any falloff, without measuring anew."""

from types import SimpleNamespace

import numpy as np
import pytest

from core.geometry.mesh import Mesh
from core.skinning.bind import BindOptions, bind_shape, geodesic_binding_steps, tidy
from core.skinning.geodesic import (
    MOST_CELLS,
    MOST_WAYS,
    PER_AREA,
    cell_distances,
    suitable_resolution,
    vertex_distances,
)
from core.skinning.handles import Handles, skin_handles
from core.skinning.voxel_tree import voxel_tree
from tests.core.skinning.solids import bones, box, joined, prepare, tube, two_bones

COARSE = BindOptions(resolution=64)


def drain(steps):
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value


def bound(mesh, rig, options=COARSE):
    return bind_shape(prepare(mesh), rig, "geodesic", options).matrix.toarray()


def shifted(mesh, *by):
    return Mesh(mesh.vertices + np.array(by, float), mesh.faces)


def handles_of(radius, count=20):
    return SimpleNamespace(thinnest=lambda field: radius, bones=range(count))


def test_voxels_are_as_fine_as_the_thinnest_limb_asks_and_no_finer():
    for radius in np.geomspace(0.002, 0.2, 60):
        found = suitable_resolution(handles_of(radius), None, 1.0)
        assert found % 16 == 0 and 96 <= found <= 256
        assert found == 256 or found * radius >= 2.5
        assert found == 96 or (found - 16) * radius < 2.5


@pytest.mark.parametrize(("apart", "is_air", "thinnest"), [(0.5, True, 0.1), (0.3, True, 0.05), (0.3, False, 0.1)])
def test_voxels_must_resolve_thin_bones_and_half_of_narrow_gaps_of_air(apart, is_air, thinnest):
    """Two bones 0.1 thick lean towards each other, a third has no thickness; the gap is looked at in its middle."""
    heads, tails = np.array([[0, 0, 0], [0.9, 0, 0], [0, 9, 0.0]]), np.array([[0, 0, 1], [apart, 0, 1], [0, 9, 1.0]])
    handles = Handles(np.arange(3), np.arange(3), heads, tails, np.repeat([0.1, 0.1, 0.0], 17).reshape(3, 17))
    middle = np.array([apart / 2, 0, 1])
    field = SimpleNamespace(sample=lambda p: np.where((np.abs(p - middle).max(1) < 1e-9) & is_air, 1.0, -1.0))
    assert handles.thinnest(field) == pytest.approx(thinnest)
    bare = Handles(handles.bones, handles.owner, heads, tails)
    assert bare.thinnest(field) == pytest.approx(apart / 2 if is_air else np.inf)


def test_two_bones_share_a_tube_evenly_and_monotonously():
    mesh = tube()
    weights = bound(mesh, two_bones())
    x = mesh.vertices[:, 0]
    assert np.allclose(weights.sum(1), 1)
    assert np.abs(weights[np.isclose(x, 0.5)] - 0.5).max() < 0.1
    by_ring = np.array([weights[np.isclose(x, at), 0].mean() for at in np.unique(x)])
    assert (np.diff(by_ring) < 0.02).all()
    assert np.allclose(by_ring, 1 - by_ring[::-1], atol=0.05)
    assert weights[x < 0.25, 0].min() > 0.95


@pytest.mark.slow
def test_mirrored_input_gives_mirrored_weights():
    left = shifted(tube(0.08, axis=2), 0.2, 0, 0)
    legs = joined(left, Mesh(left.vertices * [-1, 1, 1], left.faces[:, ::-1]))
    rig = bones(((0.2, 0, 1), (0.2, 0, 0.5)), ((0.2, 0, 0.5), (0.2, 0, 0)),
                ((-0.2, 0, 1), (-0.2, 0, 0.5)), ((-0.2, 0, 0.5), (-0.2, 0, 0)), parents=[-1, 0, -1, 2])
    weights = bound(legs, rig)
    half = len(weights) // 2
    assert np.abs(weights[:half, :2] - weights[half:, 2:]).max() < 1e-3
    assert weights[:half, 2:].max() < 1e-6


@pytest.mark.slow
def test_damage_leaves_no_vertex_bare_and_hardly_moves_weights(rng):
    mesh, rig = tube(0.08), two_bones()
    fine = BindOptions(resolution=128)
    whole = bound(mesh, rig, fine)
    faces = mesh.faces[rng.random(len(mesh.faces)) > 0.03]
    faces = np.concatenate([faces, faces[:200, ::-1], faces[300:400]])
    speck = box((0.4, 0.3, 0.3), (0.42, 0.32, 0.32), 1)
    broken = bound(joined(Mesh(mesh.vertices, faces), speck), rig, fine)
    assert np.allclose(broken.sum(1), 1)
    assert np.abs(broken[: len(whole)] - whole).sum(1).mean() < 0.06


def test_wide_bodies_and_many_bones_get_no_more_cells_than_people_have():
    """A shelf whose boards are thin would be cut as finely as fingers, everywhere."""
    for count, area in ((20, 4.0), (20, 8.0), (180, 1.2)):
        found = suitable_resolution(handles_of(0.001, count), None, area)
        cells = PER_AREA * area * (found - 16) ** 2  # at the step below
        assert found < 256 and cells < MOST_CELLS and cells * count < MOST_WAYS
    tree = voxel_tree(tube(0.1), np.zeros((0, 3)), resolution=128)
    assert len(tree.centres) == pytest.approx(PER_AREA * tube(0.1).area * 128**2, rel=0.3)


@pytest.mark.slow
def test_limbs_that_nearly_touch_stay_apart():
    mesh = joined(tube(0.05), shifted(tube(0.05), 0, 0.108, 0))
    rig = bones(((0.0, 0, 0), (1.0, 0, 0)), ((0.0, 0.108, 0), (1.0, 0.108, 0)), parents=[-1, -1])
    shape = prepare(mesh, 128)
    assert suitable_resolution(skin_handles(shape, rig), shape.field, shape.mesh.area) == 256
    weights = bind_shape(shape, rig, "geodesic").matrix.toarray()
    half = len(weights) // 2
    assert weights[:half, 0].min() > 0.95
    assert weights[half:, 1].min() > 0.95


def test_thick_bodies_need_few_voxels():
    shape = prepare(tube(0.2))
    assert suitable_resolution(skin_handles(shape, two_bones()), shape.field, shape.mesh.area) == 96


def test_bones_outside_and_skeletons_in_pieces():
    rig = bones(((0.0, 0, 0), (0.4, 0, 0)), ((0.7, 0.5, 0), (0.9, 0.5, 0)), parents=[-1, -1])
    mesh = tube()
    weights = bound(mesh, rig)
    assert np.allclose(weights.sum(1), 1)
    assert weights[mesh.vertices[:, 0] < 0.3, 0].min() > 0.9
    assert weights[mesh.vertices[:, 0] > 0.85, 1].max() > 0.3


def test_a_point_is_a_handle_too():
    rig = bones(((0.1, 0, 0), (0.1, 0, 0)), ((0.9, 0, 0), (0.9, 0, 0)), parents=[-1, -1])
    mesh = tube()
    weights = bound(mesh, rig)
    assert weights[mesh.vertices[:, 0] < 0.3, 0].min() > 0.9
    assert weights[mesh.vertices[:, 0] > 0.7, 1].min() > 0.9


def test_one_measurement_serves_every_falloff():
    mesh, rig = tube(), two_bones()
    binding = drain(geodesic_binding_steps(prepare(mesh), rig, COARSE))
    soft, stiff = (binding.weights(alpha).matrix.toarray() for alpha in (0.0, 1.0))
    mixed = lambda w: ((w > 0.05) & (w < 0.95)).any(1).sum()  # noqa: E731
    assert mixed(stiff) < mixed(soft)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_only_ways_too_long_to_be_seen_in_the_weights_are_not_measured(alpha):
    """A tenth of the share below which a bone is dropped cannot be seen; alpha 0 keeps a share of one in a hundred."""
    mesh, shape = tube(), prepare(tube())
    rig = bones(*(((x, 0, 0), (x + 0.1, 0, 0)) for x in np.linspace(0, 0.9, 10)), parents=range(-1, 9))
    near = drain(geodesic_binding_steps(shape, rig, COARSE, softest=alpha))
    tree, handles = near.tree, near.handles
    full = cell_distances(tree, handles)
    left = ~np.isfinite(near.ways)
    share = (full.min(0) / np.maximum(full, 1e-9)) ** (5 + 25 * alpha)
    assert left.any()
    assert share[left].max() < (0.0103 if alpha == 0 else 1e-3)
    np.testing.assert_allclose(near.ways[~left], full[~left], atol=1e-6)
    whole = vertex_distances(tree, full, shape.mesh.vertices)
    drawn = [tidy(shape, rig, handles, d.weights(alpha, 8), COARSE, np.zeros(len(mesh.vertices), int)).toarray()
             for d in (near.distances, whole)]
    assert np.abs(drawn[0] - drawn[1]).max() < (0.05 if alpha == 0 else 1e-3)


def test_a_vertex_between_cells_that_no_handle_reaches_both_of_follows_the_cell_beside_it():
    mesh, rig = tube(), two_bones()
    binding = drain(geodesic_binding_steps(prepare(mesh), rig, COARSE))
    tree, far = binding.tree, np.inf
    is_left = tree.centres[:, 0] < 0.5 * (tree.centres[:, 0].min() + tree.centres[:, 0].max())
    ways = np.where(np.array([is_left, ~is_left]), 0.1, far)
    vertices = binding.shape.mesh.vertices
    values = vertex_distances(tree, ways, vertices).values
    assert (np.isfinite(values).sum(1) == 1).all()


def test_auto_says_why_it_chose():
    mesh, rig = tube(), two_bones()
    plain = bind_shape(prepare(mesh), rig, "auto")
    assert plain.method == "heat"
    assert "nothing between itself and its nearest bone" in plain.reason
    pieces = joined(*[box((x, -0.1, -0.1), (x + 0.15, 0.1, 0.1), 4) for x in (0.0, 0.4, 0.8)])
    only_first = bones(((0.02, 0, 0), (0.12, 0, 0)), ((0.85, 0, 0), (0.93, 0, 0)), parents=[-1, -1])
    chosen = bind_shape(prepare(pieces), only_first, "auto", COARSE)
    assert chosen.method == "geodesic"
    assert "something between itself and its nearest bone" in chosen.reason
    assert np.allclose(chosen.matrix.sum(1), 1)


def test_options_are_checked():
    for wrong in ({"resolution": 16}, {"resolution": "fine"}, {"alpha": 2.0}, {"penalty": 0.5}, {"influences": 0}):
        with pytest.raises(ValueError, match=r"between|least"):
            BindOptions(**wrong)
