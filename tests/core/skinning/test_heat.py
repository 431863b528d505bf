"""Heat weights: equilibrium, visibility, and weights for every vertex of whatever comes."""

import numpy as np
import pytest
from scipy import sparse

from core.errors import BadRig
from core.geometry.laplacian import cotangent_laplacian, lumped_mass
from core.geometry.mesh import Mesh
from core.geometry.normals import vertex_normals
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skeleton.template import rig_from_joints
from core.skinning import heat
from core.skinning.bind import BindOptions, bind_shape
from core.skinning.handles import Handles, skin_handles
from core.skinning.heat import heat_equilibrium, heat_sources, heat_weights
from core.skinning.visibility import is_visible
from tests.characters import person
from tests.core.motion.bodies import person_rig, reordered
from tests.core.skinning.solids import bones, box, joined, prepare, tube, two_bones


def bound(mesh, rig, method="heat", options=None):
    return bind_shape(prepare(mesh), rig, method, options).matrix.toarray()


def test_two_bones_share_a_tube_evenly_and_smoothly():
    mesh = tube()
    weights = bound(mesh, two_bones())
    x = mesh.vertices[:, 0]
    assert np.allclose(weights.sum(1), 1.0)
    middle = np.isclose(x, 0.5)
    assert np.abs(weights[middle] - 0.5).max() < 0.02
    by_ring = [weights[np.isclose(x, at), 0].mean() for at in np.unique(x)]
    assert (np.diff(by_ring) < 1e-9).all(), "the first bone's share never rises along the tube"
    mirrored = [weights[np.isclose(x, 1 - at), 1].mean() for at in np.unique(x)]
    assert np.allclose(by_ring, mirrored, atol=0.02)
    assert weights[x < 0.3, 0].min() > 0.98
    assert np.abs(np.diff(by_ring)).max() < 0.2, "no step"


def test_transition_is_as_wide_as_the_body_is_thick():
    widths = []
    for radius in (0.05, 0.1):
        mesh = tube(radius, along=81)
        first = bound(mesh, two_bones())[:, 0]
        x = mesh.vertices[:, 0]
        mixed = x[(first > 0.1) & (first < 0.9)]
        widths.append(np.ptp(mixed))
    assert widths[1] == pytest.approx(2 * widths[0], rel=0.35)


def test_equilibrium_equals_a_dense_solve(rng):
    mesh = tube(along=9, around=8)
    shape = prepare(mesh)
    handles = skin_handles(shape, two_bones())
    sources = heat_sources(shape.mesh.vertices, vertex_normals(shape.mesh), shape.field, handles)
    stiffness, mass = cotangent_laplacian(shape.mesh, least=1e-3), lumped_mass(shape.mesh)
    heat_matrix = np.diag(mass * sources.conductance)
    expected = np.linalg.solve(stiffness.toarray() + heat_matrix, heat_matrix @ sources.targets)
    assert np.allclose(heat_equilibrium(stiffness, mass, sources), expected, atol=1e-9)


def test_parts_without_heat_stay_zero_and_do_not_spoil_the_rest():
    stiffness = sparse.block_diag([np.array([[1.0, -1], [-1, 1]])] * 2).tocsr()
    sources = heat.HeatSources(np.array([[1.0], [0], [0], [0]]), np.array([2.0, 0, 0, 0]), np.ones(4), np.ones(4))
    assert np.allclose(heat_equilibrium(stiffness, np.ones(4), sources), [[1], [1], [0], [0]])


def test_shares_however_small_sum_to_one_and_nothing_stays_nothing():
    found = heat._as_shares(np.array([[1e-5, 3e-5], [0.0, 0.0], [-1e-9, 2.0]]))
    np.testing.assert_allclose(found, [[0.25, 0.75], [0.0, 0.0], [0.0, 1.0]])


def test_the_way_out_is_as_long_at_an_edge_as_on_a_side_and_none_far_away():
    shape = prepare(box((0, 0, 0), (1.0, 0.6, 0.8)))
    out = heat._out_of(shape.field, shape.mesh.vertices)
    np.testing.assert_allclose(np.linalg.norm(out, axis=1), 1.0)
    assert np.einsum("vi,vi->v", out, vertex_normals(shape.mesh)).min() > 0.5
    np.testing.assert_array_equal(heat._out_of(shape.field, np.full((1, 3), 9.0)), 0.0)


def test_a_report_is_of_the_share_of_some_skin_that_sees_nothing_or_not_the_nearest():
    sources = heat.HeatSources(np.zeros((4, 2)), np.zeros(4), np.array([1, 0.5, 0, 0]), np.array([1, 0, 0.25, 0]))
    assert sources.report(np.array([True, True, True, False])) == pytest.approx({"unseen": 0.5, "hidden": 1.75 / 3})


def test_a_bone_beyond_a_gap_is_not_seen():
    arm_beside_trunk = joined(box((0, 0, 0), (0.3, 0.3, 1)), box((0.36, 0.1, 0), (0.46, 0.2, 1)))
    shape = prepare(arm_beside_trunk)
    to = shape.frame.to_unit
    side = to([[0.3, 0.15, 0.5]])
    assert is_visible(shape.field, side, to([[0.15, 0.15, 0.5]]))[0]
    assert not is_visible(shape.field, side, to([[0.41, 0.15, 0.5]]))[0]
    rig = bones(((0.15, 0.15, 0), (0.15, 0.15, 1)), ((0.41, 0.15, 0), (0.41, 0.15, 1)), parents=[-1, -1])
    weights = bind_shape(shape, rig, "heat").matrix.toarray()
    trunk = arm_beside_trunk.vertices[:, 0] <= 0.3
    assert (weights[trunk, 0] == 1).all()
    assert (weights[~trunk, 1] == 1).all()


def test_skin_belongs_to_the_bone_behind_it():
    """Near the middle of a box's long side, a bone under that side beats one that passes closer beside it."""
    under, beside = np.array([[0.0, 0.0, 0.0]]), np.array([[0.12, 0.0, 0.1]])
    rig = Handles(np.arange(2), np.arange(2), np.concatenate([under, beside]), np.concatenate([under, beside]))
    skin = np.array([[0.0, 0.0, 0.14]])
    plain, _, _ = rig.nearest(skin)
    assert plain[0, 1] < plain[0, 0]
    facing, _, reach = rig.nearest(skin, np.array([[0.0, 0.0, 1.0]]))
    assert reach[0, 0] < reach[0, 1]
    assert facing[0, 0] == pytest.approx(0.14)
    cosine = 0.04 / np.hypot(0.12, 0.04)
    assert facing[0, 1] == pytest.approx(np.hypot(0.12, 0.04) * 2 / (1 + cosine))
    away, _, _ = rig.nearest(skin, np.array([[0.0, 0.0, -1.0]]))
    assert away[0, 0] == pytest.approx(5 * 0.14)


def test_a_head_reaches_further_than_its_neck():
    """Chin: nearer to the neck's axis than to the skull's, yet the head's."""
    head = tube(0.2, 0.4, axis=2)
    neck = tube(0.06, 0.3, axis=2)
    mesh = joined(neck, Mesh(head.vertices + np.array([0, -0.05, 0.28]), head.faces))
    rig = bones(((0.0, 0, 0), (0.0, 0, 0.3)), ((0.0, 0, 0.3), (0.0, 0, 0.65)), names=("neck", "head"))
    weights = bound(mesh, rig)
    chin = (mesh.vertices[:, 2] < 0.35) & (np.arange(len(mesh.vertices)) >= len(neck.vertices))
    assert weights[chin & (mesh.vertices[:, 1] < -0.1), 1].min() > 0.5
    assert weights[mesh.vertices[:, 2] < 0.1, 0].min() > 0.9


def test_mirrored_input_gives_mirrored_weights():
    legs = joined(tube(0.08, 1.0, axis=2), tube(0.08, 1.0, axis=2))
    legs = Mesh(legs.vertices + np.where(np.arange(len(legs.vertices)) < len(legs.vertices) // 2, 0.2, -0.2)[:, None]
                * [1.0, 0, 0], legs.faces)
    rig = bones(((0.2, 0, 1), (0.2, 0, 0.5)), ((0.2, 0, 0.5), (0.2, 0, 0)),
                ((-0.2, 0, 1), (-0.2, 0, 0.5)), ((-0.2, 0, 0.5), (-0.2, 0, 0)), parents=[-1, 0, -1, 2])
    weights = bound(legs, rig)
    half = len(legs.vertices) // 2
    assert np.abs(weights[:half, :2] - weights[half:, 2:]).max() < 1e-6
    assert weights[:half, 2:].max() == 0


@pytest.mark.parametrize("move", [lambda x: x + np.array([30.0, -4, 7]), lambda x: 0.01 * x, lambda x: 1000.0 * x])
def test_moving_and_scaling_change_nothing(move):
    mesh, rig = tube(), two_bones()
    moved = Rig(rig.names, rig.parents, move(rig.heads), move(rig.tails))
    assert np.abs(bound(Mesh(move(mesh.vertices), mesh.faces), moved) - bound(mesh, rig)).max() < 1e-4


def test_renumbering_vertices_renumbers_weights(rng):
    mesh, rig = tube(along=21), two_bones()
    order = rng.permutation(len(mesh.vertices))
    place = np.argsort(order)
    shuffled = Mesh(mesh.vertices[order], place[mesh.faces])
    assert np.abs(bound(shuffled, rig) - bound(mesh, rig)[order]).max() < 1e-6


def test_renumbering_bones_renumbers_weights():
    mesh, rig = person(vertices=300).mesh, person_rig()
    shape, other = prepare(mesh), [reordered(rig, first) for first in ("hips", "head", "foot.L")]
    expected = bind_shape(shape, rig, "heat").matrix.toarray()
    for own, order in other:
        found = bind_shape(shape, own, "heat").matrix.toarray()
        np.testing.assert_allclose(found, expected[:, order], atol=1e-9)


def test_unwelded_faces_bind_like_welded_ones():
    mesh, rig = tube(along=21), two_bones()
    soup = Mesh(mesh.vertices[mesh.faces].reshape(-1, 3), np.arange(3 * len(mesh.faces)).reshape(-1, 3))
    assert np.abs(bound(soup, rig) - bound(mesh, rig)[mesh.faces.ravel()]).max() < 1e-9


def test_no_vertex_is_bare_on_a_damaged_mesh(rng):
    mesh = tube()
    faces = mesh.faces[rng.random(len(mesh.faces)) > 0.15]
    faces = np.concatenate([faces, faces[:50, ::-1], faces[60:80]])
    floating = box((0.4, 0.3, 0.3), (0.45, 0.35, 0.35), 2)
    loose = Mesh(np.concatenate([mesh.vertices, [[0.7, 0.02, 0.0], [0.1, 5.0, 0.0]]]), faces)
    weights = bound(joined(loose, floating), two_bones())
    assert np.isfinite(weights).all()
    assert np.allclose(weights.sum(1), 1.0)
    assert ((weights > 0).sum(1) <= 4).all()


def test_a_floating_part_follows_the_skin_next_to_it():
    badge = box((0.2, 0.0, 0.13), (0.24, 0.04, 0.15), 2)
    mesh = joined(tube(), badge)
    weights = bound(mesh, two_bones())
    assert (weights[-len(badge.vertices):, 0] > 0.99).all()


def test_bones_far_from_any_flesh_still_bind_everything():
    rig = bones(((0.0, 3, 0), (0.5, 3, 0)), ((0.5, 3, 0), (1.0, 3, 0)))
    weights = bound(tube(along=11), rig)
    assert np.allclose(weights.sum(1), 1.0)


def test_end_marks_and_bones_that_do_not_deform_get_nothing():
    rig = bones(((0.0, 0, 0), (0.5, 0, 0)), ((0.5, 0, 0), (0.8, 0, 0)), ((0.8, 0, 0), (1.0, 0, 0)),
                ((0.2, 0, 0), (0.3, 0, 0)), parents=[-1, 0, 1, 0], names=("a", "b", "b_end", "helper"),
                deform=[True, True, True, False])
    weights = bound(tube(along=21), rig)
    assert weights[:, 2:].max() == 0
    assert weights[-1, 1] == 1


def test_influences_are_limited_and_small_shares_dropped():
    rig = bones(*[((x, 0.0, 0), (x + 0.1, 0.0, 0)) for x in np.arange(0, 1, 0.1)])
    weights = bound(tube(0.2), rig, options=BindOptions(influences=2, least=0.05))
    assert (weights > 0).sum(1).max() == 2
    assert weights[weights > 0].min() >= 0.05


@pytest.fixture(params=[0, 64_000], ids=["clusters ask", "own heat"])
def clustered(request, monkeypatch):
    """Sends meshes above 2000 vertices to stand-ins of so many clusters; says 1 if vertices have own heat, else 2."""
    def use(clusters):
        for name, value in (("MOST_VERTICES", 2000), ("_OWN_HEAT", request.param), ("_COARSE_SHARE", 1.0),
                            ("_LEAST_COARSE", 0), ("_MOST_COARSE", clusters), ("_COARSE_VERTICES", clusters)):
            monkeypatch.setattr(heat, name, value)
        return 1 if request.param else 2
    return use


def test_a_heavy_mesh_is_solved_on_its_stand_in_with_nearly_the_same_weights(clustered):
    shape = prepare(tube(0.1, around=40, along=121))
    handles = skin_handles(shape, two_bones())
    exact, _ = heat_weights(shape.mesh, shape.field, handles)
    clustered(1500)
    light, _ = heat_weights(shape.mesh, shape.field, handles)
    assert np.allclose(light.sum(1), 1.0)
    assert light.min() >= 0
    assert 0 < np.abs(light - exact).max() < 0.06


def test_a_stand_in_for_a_body_loses_little_where_bones_meet(clustered):
    """On clusters of 1.6 vertices each. With heat from their middles alone it would be 0.035 and 0.29."""
    somebody, template = person(vertices=4000), load_template("biped")
    shape = prepare(somebody.mesh)
    handles = skin_handles(shape, rig_from_joints(template, np.array([somebody.joints[n] for n in template.names])))
    exact, _ = heat_weights(shape.mesh, shape.field, handles)
    loss = clustered(2500)
    light, _ = heat_weights(shape.mesh, shape.field, handles)
    apart = np.abs(light - exact).sum(1)
    assert apart.mean() < 0.0125 * loss
    assert np.quantile(apart, 0.99) < 0.09 * loss


def test_heat_passes_obtuse_triangles_as_it_passes_others():
    """A tube of slanted triangles, each ring turned against the one before, has the weights of a straight one."""
    mesh = tube()
    turn = np.repeat(np.arange(41), 24) * 2 * np.pi / 24
    x, y, z = mesh.vertices[:-2].T
    slanted = np.stack([x, y * np.cos(turn) - z * np.sin(turn), y * np.sin(turn) + z * np.cos(turn)], 1)
    slanted = Mesh(np.concatenate([slanted, mesh.vertices[-2:]]), mesh.faces)
    assert np.abs(bound(slanted, two_bones()) - bound(mesh, two_bones())).max() < 0.02


def test_a_skeleton_without_deforming_bones_is_refused():
    with pytest.raises(BadRig, match="Deform"):
        bound(tube(along=5), bones(((0.0, 0, 0), (1.0, 0, 0)), deform=[False]))
    with pytest.raises(BadRig, match="no bones"):
        bound(tube(along=5), Rig((), np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3))))
    with pytest.raises(ValueError, match="method"):
        bound(tube(along=5), two_bones(), "magic")
