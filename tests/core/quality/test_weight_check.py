"""The check tells good weights from bad ones, and says where."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial import cKDTree

from core.errors import BadMesh
from core.geometry.mesh import Mesh
from core.geometry.rotation import from_axis_angle, to_matrix
from core.quality.bleed import bled_weight, survey
from core.quality.findings import ONE, Finding
from core.quality.sheet import weight_sheet
from core.quality.skin import read_skin
from core.quality.strain import EdgeStretch, Region, _rim, joint_region
from core.quality.symmetry import mirror_error
from core.quality.weight_check import check_weights
from core.skeleton.rig import Rig
from tests.characters import damage
from tests.core.motion.bodies import moved_rig
from tests.core.skinning.solids import tube
from tests.shapes import ball


@pytest.fixture(scope="module")
def checks(bound, hanging):
    return {"good": check_weights(bound.mesh, bound.rig, bound.good),
            "bad": check_weights(hanging.mesh, hanging.rig, hanging.bad)}


@pytest.mark.slow
def test_good_weights_are_not_faulted(checks):
    assert checks["good"].verdict != "poor"
    assert all(f.verdict == "good" for f in checks["good"].findings if f.key != "stretch")
    assert checks["good"].finding("bleed").value < 1e-4


def test_weights_through_the_air_bleed_and_tear(checks):
    assert checks["bad"].finding("bleed").verdict != "good"
    assert checks["bad"].finding("bleed").value > 0.001
    assert checks["bad"].finding("stretch").verdict == "poor"


def test_bleeding_vertices_follow_another_limb(hanging, checks):
    worst = checks["bad"].finding("bleed").vertices[:50]
    arms = [i for i, n in enumerate(hanging.rig.names) if n.split(".")[0] in ("upper_arm", "forearm", "hand")]
    legs = [i for i, n in enumerate(hanging.rig.names) if n.split(".")[0] in ("thigh", "shin", "foot", "toe")]
    both = np.minimum(hanging.bad[worst][:, arms].sum(1), 1 - hanging.bad[worst][:, arms].sum(1))
    across = np.minimum(hanging.bad[worst][:, arms].sum(1), hanging.bad[worst][:, legs].sum(1))
    assert np.median(both) > 0.08 and (across > 0.02).any()


def test_bare_vertices_are_named(bound):
    weights = bound.good.copy()
    weights[[3, 77, 500]] = 0
    check = check_weights(bound.mesh, bound.rig, weights)
    assert check.finding("bare").verdict == "poor"
    np.testing.assert_array_equal(check.finding("bare").vertices, [3, 77, 500])
    assert (check.badness[[3, 77, 500]] == 1).all()
    assert "3 vertices" in check.finding("bare").words


def test_influences_are_counted(bound):
    weights = np.zeros_like(bound.good)
    weights[:, :3] = 1 / 3
    weights[9, :6] = 1 / 6
    found = check_weights(bound.mesh, bound.rig, weights).finding("influences")
    assert found.value == 6 and found.verdict == "fair"
    np.testing.assert_array_equal(found.vertices, [9])


def test_one_stray_vertex_is_found(bound):
    weights = bound.good.copy()
    foot = bound.rig.names.index("foot.L")
    head = int(bound.mesh.vertices[:, 2].argmax())
    weights[head] = np.eye(len(bound.rig.names))[foot]
    check = check_weights(bound.mesh, bound.rig, weights)
    assert check.finding("bleed").vertices[0] == head
    assert head in check.finding("stretch").vertices[:10]


def test_one_sided_weights_are_told_from_mirrored_ones(bound, checks):
    weights = bound.good.copy()
    left = bound.mesh.vertices[:, 0] > 0.05
    weights[left] = 0.5 * weights[left] + 0.5 * np.roll(weights[left], 1, axis=1)
    assert checks["good"].finding("mirror").value < 0.01
    worse = check_weights(bound.mesh, bound.rig, weights).finding("mirror")
    assert worse.verdict == "poor" and len(worse.vertices) > left.sum()


def test_the_mirror_error_is_the_naive_one(hanging):
    skin = read_skin(hanging.mesh, hanging.rig, hanging.bad)
    apart, has = mirror_error(skin, np.eye(3))
    assert has.mean() > 0.95
    names = list(hanging.rig.names)
    flip = [names.index(n[:-1] + {"L": "R", "R": "L"}[n[-1]]) if n[-2:] in (".L", ".R") else i
            for i, n in enumerate(names)]
    dense, points = skin.weights.toarray(), skin.mesh.vertices
    for i in np.flatnonzero(has)[::97]:
        j = np.linalg.norm(points - points[i] * [-1, 1, 1], axis=1).argmin()
        assert apart[i] == pytest.approx(np.abs(dense[i] - dense[j][flip]).sum(), abs=1e-9)


@pytest.mark.parametrize(("moved", "is_compared"), [(0.2, True), (0.4, False)])
def test_weights_are_compared_if_most_of_the_mesh_is_its_own_mirror_image(hanging, rng, moved, is_compared):
    """A vertex that is moved off takes its partner along: of 0.2 two thirds remain, of 0.4 a third."""
    vertices = np.array(hanging.mesh.vertices)
    some = rng.random(len(vertices)) < moved
    vertices[some] += 0.02 * np.ptp(vertices[:, 2]) * np.array([0, 0, 1.0]) * rng.uniform(1, 2, (some.sum(), 1))
    found = mirror_error(read_skin(Mesh(vertices, hanging.mesh.faces), hanging.rig, hanging.bad), np.eye(3))
    assert (found is not None) == is_compared


@pytest.mark.slow
def test_an_opened_seam_is_found(bound):
    cut = np.flatnonzero(np.abs(bound.mesh.vertices[:, 2] - np.median(bound.mesh.vertices[:, 2])) < 0.02)
    copies = np.arange(len(bound.mesh.vertices))
    copies[cut] = len(copies) + np.arange(len(cut))
    above = bound.mesh.vertices[bound.mesh.faces].mean(1)[:, 2] > np.median(bound.mesh.vertices[:, 2])
    faces = np.where(above[:, None], copies[bound.mesh.faces], bound.mesh.faces)
    mesh = Mesh(np.concatenate([bound.mesh.vertices, bound.mesh.vertices[cut]]), faces)
    closed = np.concatenate([bound.good, bound.good[cut]])
    assert check_weights(mesh, bound.rig, closed).finding("seams").verdict == "good"
    opened = np.concatenate([bound.good, np.roll(bound.good[cut], 1, axis=1)])
    found = check_weights(mesh, bound.rig, opened).finding("seams")
    assert found.verdict == "poor" and set(found.vertices) <= set(range(len(bound.good), len(closed)))


def test_turning_scaling_and_renumbering_change_nothing(hanging, checks, rng):
    matrix = 3.0 * to_matrix(from_axis_angle(np.array([1.0, 2, 2]) / 3, 0.9))
    order = rng.permutation(len(hanging.mesh.vertices))
    number = np.empty(len(order), int)
    number[order] = np.arange(len(order))
    mesh = Mesh((hanging.mesh.vertices @ matrix.T + [5, 1, -2])[order], number[hanging.mesh.faces])
    other = check_weights(mesh, moved_rig(hanging.rig, matrix, (5, 1, -2)), hanging.bad[order])
    for mine, theirs in zip(checks["bad"].findings, other.findings, strict=True):
        assert (mine.key, mine.verdict) == (theirs.key, theirs.verdict)
        assert theirs.value == pytest.approx(mine.value, rel=2e-2, abs=1e-6)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("kind", ["duplicate", "flip", "split", "shuffle"])
def test_damage_that_leaves_the_skin_where_it_is_changes_no_verdict(bound, checks, rng, kind):
    mesh = damage(bound.mesh, rng, kind)
    nearest = cKDTree(bound.mesh.vertices).query(mesh.vertices)[1]
    check = check_weights(mesh, bound.rig, bound.good[nearest])
    for mine, theirs in zip(checks["good"].findings, check.findings, strict=True):
        assert (mine.key, mine.verdict) == (theirs.key, theirs.verdict)
        assert theirs.value == pytest.approx(mine.value, abs=0.05)


def test_vertices_without_faces_may_be_anywhere_and_sizes_extreme(bound, checks):
    mesh = Mesh(np.concatenate([bound.mesh.vertices * 1e-9, [[np.nan] * 3, [1e6, 0, 0]]]), bound.mesh.faces)
    weights = np.concatenate([bound.good, np.zeros((2, bound.good.shape[1]))])
    check = check_weights(mesh, moved_rig(bound.rig, 1e-9 * np.eye(3)), weights)
    assert [f.verdict for f in check.findings] == [f.verdict for f in checks["good"].findings]
    assert (check.badness[-2:] == 0).all()


def test_the_numbers_go_into_a_report(checks):
    told = json.loads(json.dumps(checks["bad"].numbers(), allow_nan=False))
    assert told["verdict"] == "poor"
    assert told["bleed"] == pytest.approx(checks["bad"].finding("bleed").value, abs=1e-4)
    assert told["words"] == [f.words for f in checks["bad"].findings if f.verdict != "good"]
    assert told["worst_stretch_pose"] in {s.pose.name for s in checks["bad"].strains}
    assert told["volume_joint"] in checks["bad"].finding("volume").words or told["volume"] > 0.3
    assert told["volume"] == pytest.approx(1 - checks["bad"].finding("volume").value, abs=1e-3)


def test_sparse_or_scaled_weights_are_the_same_weights(hanging, checks):
    again = check_weights(hanging.mesh, hanging.rig, sparse.csr_matrix(0.5 * hanging.bad))
    for mine, theirs in zip(checks["bad"].findings, again.findings, strict=True):
        assert theirs.value == pytest.approx(mine.value, abs=1e-9)


def test_nothing_to_judge_is_said(bound):
    with pytest.raises(BadMesh, match="no weights"):
        check_weights(bound.mesh, bound.rig, np.zeros_like(bound.good))


def test_bodies_in_pieces_do_not_bleed_into_each_other(bound):
    """Cut into shells that only touch, a body's ways are as short as before."""
    whole = survey(read_skin(bound.mesh, bound.rig, bound.good), np.ones(len(bound.rig.names), bool))
    owner = whole.owner[read_skin(bound.mesh, bound.rig, bound.good).of_vertex]
    arm = np.array(["arm" in n or "hand" in n for n in bound.rig.names])[owner]
    keep = [bound.mesh.faces[side[bound.mesh.faces].all(1)] for side in (arm, ~arm)]
    pieces = Mesh(bound.mesh.vertices, np.concatenate(keep))
    skin = read_skin(pieces, bound.rig, bound.good)
    assert bled_weight(skin, survey(skin, np.ones(len(bound.rig.names), bool)))[skin.used].mean() < 1e-3


def test_volume_of_a_closed_region_is_the_bodys():
    shape = ball(0.5, segments=32)
    region = Region(shape.mesh.faces, np.zeros((0, 2), int), np.zeros(0, int))
    assert region.volume(shape.mesh.vertices) == pytest.approx(shape.volume, rel=0.02)
    assert region.is_solid(shape.mesh.vertices)


def test_a_joints_region_is_a_stretch_of_the_limb_closed_at_its_ends():
    mesh = tube(radius=0.1, length=1.0, around=48, along=101)
    rig = Rig(("a", "b"), (-1, 0), [[0, 0, 0], [0.5, 0, 0]], [[0.5, 0, 0], [1, 0, 0]])
    weights = np.stack([mesh.vertices[:, 0] < 0.5, mesh.vertices[:, 0] >= 0.5], 1).astype(float)
    skin = read_skin(mesh, rig, weights)
    region = joint_region(skin, 1, survey(skin, np.ones(2, bool)).owner)
    ends = skin.mesh.vertices[region.faces].reshape(-1, 3)[:, 0]
    area = 0.5 * 48 * 0.1**2 * np.sin(2 * np.pi / 48)
    assert region.volume(skin.mesh.vertices) == pytest.approx(area * np.ptp(ends), rel=1e-6)
    assert len(np.unique(region.loop)) == 2
    turned = skin.mesh.vertices @ to_matrix(from_axis_angle([0.0, 0, 1], 1.0)).T + 4
    assert region.volume(turned) == pytest.approx(region.volume(skin.mesh.vertices))


def test_stretch_is_one_at_rest_and_tells_how_much_longer():
    mesh = tube()
    rig = Rig(("a",), (-1,), [[0, 0, 0]], [[1, 0, 0]])
    skin = read_skin(mesh, rig, np.ones((len(mesh.vertices), 1)))
    edges = EdgeStretch(skin)
    np.testing.assert_array_equal(edges.of(skin.mesh.vertices), 1.0)
    along = np.abs(np.diff(skin.mesh.vertices[edges.edges], axis=1)[:, 0] / 0.025) @ [1.0, 0, 0] > 0.99
    assert edges.of(skin.mesh.vertices * [3, 1, 1])[along].max() == pytest.approx(3, rel=0.2)
    np.testing.assert_array_less(edges.of(skin.mesh.vertices * [3, 1, 1]), 3.0)


@pytest.mark.slow
def test_the_picture_shows_where(bound, checks, rng):
    weights = bound.good.copy()
    stray = rng.random(len(weights)) < 0.1
    weights[stray] = np.eye(weights.shape[1])[rng.integers(0, weights.shape[1], stray.sum())]
    clean = weight_sheet(bound.mesh, checks["good"], bound.rig, bound.good, poses=1, height=120)
    red = weight_sheet(bound.mesh, check_weights(bound.mesh, bound.rig, weights), bound.rig, weights, poses=1,
                       height=120)
    is_red = lambda image: ((image[..., 0] > 2.5 * image[..., 1]) & (image[..., 0] > 60)).mean()  # noqa: E731
    assert is_red(red) > 0.02 > 5 * is_red(clean)


@pytest.mark.parametrize(("preserve", "other"), [(True, "blend_linear"), (False, "blend_dual_quaternions")])
def test_the_sheet_poses_as_the_skeleton_will(bound, checks, monkeypatch, preserve, other):
    monkeypatch.setattr(f"core.quality.sheet.{other}", None)
    weight_sheet(bound.mesh, checks["good"], bound.rig, bound.good, poses=1, height=24, preserve_volume=preserve)


def test_the_rim_of_a_region_is_what_no_two_faces_share():
    rim, loop = _rim(np.array([[0, 1, 2], [0, 2, 3], [7, 9, 8]]))
    sides = {tuple(side): k for side, k in zip(rim.tolist(), loop.tolist(), strict=True)}
    assert set(sides) == {(1, 0), (2, 1), (3, 2), (0, 3), (9, 7), (8, 9), (7, 8)}
    assert len({sides[s] for s in [(1, 0), (2, 1), (3, 2), (0, 3)]}) == 1 and len(set(sides.values())) == 2


@pytest.mark.parametrize(("faces", "edges"), [
    ([[0, 2, 1], [0, 1, 3]], [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3]]),
    ([[2, 0, 3], [0, 1, 3]], [[0, 1], [0, 2], [0, 3], [1, 3], [2, 3]]),
])
def test_every_edge_of_a_skin_is_listed_once(faces, edges):
    corners = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]], float)
    rig = Rig(("a",), np.array([-1]), np.zeros((1, 3)), np.ones((1, 3)))
    assert read_skin(Mesh(corners, np.array(faces)), rig, np.ones((4, 1))).edges.tolist() == edges


def test_one_vertex_is_told_as_one_and_a_volume_below_none_as_inside_out():
    none = np.zeros(0, np.int64)
    for key in ("bare", "bleed", "mirror"):
        assert Finding(key, 1.0, "poor", (1,), none).words == ONE[key]["poor"]
        assert "2 vertices" in Finding(key, 1.0, "poor", (2,), none).words
    said = Finding("volume", 1.33, "poor", (-0.33, "thigh.L", "Hips bent 90°", -0.1), none).words
    assert "'thigh.L' turns inside out" in said and "keeps 0%" in said and "-" not in said
    assert "collapses to 5%" in Finding("volume", 0.95, "poor", (0.05, "thigh.L", "Fists", 0.4), none).words
