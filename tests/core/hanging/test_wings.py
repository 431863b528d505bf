"""Wings on a person's back get bones, a pair of them, and move no skin but their own."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.spatial import cKDTree

from core.detail.grow import DetailOptions
from core.geometry.mesh import Mesh
from core.geometry.shape import Shape
from core.hanging.thing import may_be_thing
from core.hanging.wings import _in_middle, _wing
from core.pipeline import bind, fit, prepare
from core.skeleton.preset import load_template
from core.skeleton.template import rig_from_joints
from tests.characters import person, quadruped
from tests.characters.beasts import grown
from tests.characters.implicit import Blend, Squashed, strand
from tests.characters.people import PersonOptions, flesh, person_joints

BIPED = load_template("biped")
WING = [(0.02, 0.02), (0.12, 0.22), (0.35, 0.32), (0.5, 0.2), (0.45, -0.1), (0.3, -0.3), (0.12, -0.15), (0.02, -0.08)]


def sheet(outline, back: float, high: float, sign: int, lean: float = 0.4) -> tuple[np.ndarray, np.ndarray]:
    """A sheet of one layer behind the back, out to one side: vertices, and triangles around its middle."""
    out, up = np.array(outline).T
    points = np.stack([sign * out, back + lean * out, high + up], axis=1)
    rings = [points, (2 * points + points.mean(0)) / 3, points.mean(0)[None]]
    n, fan = len(points), []
    for i in range(n):
        k = (i + 1) % n
        fan += [(i, k, n + k), (i, n + k, n + i), (n + i, n + k, 2 * n)]
    return np.concatenate(rings), np.array(fan)


def winged(*sheets, joined: bool = False) -> tuple[Mesh, int]:
    """A person one unit tall with some sheets on its back, and the number of its own vertices."""
    body = person(vertices=2500)
    size = float(np.ptp(body.mesh.vertices[:, 2]))
    points, faces, low = body.mesh.vertices / size, body.mesh.faces, float(body.mesh.vertices[:, 2].min()) / size
    near = np.abs(points - [0, 0, low + 0.74]).max(1)
    back = float(points[near < 0.2, 1].max()) - 0.01
    made = [sheet(outline, back, low + 0.74, sign, lean) for outline, sign, lean in sheets]
    all_points, all_faces, count = [points], [faces], len(points)
    for sheet_points, sheet_faces in made:
        all_points.append(sheet_points)
        all_faces.append(sheet_faces + count)
        count += len(sheet_points)
    if joined:  # the two innermost corners of both sheets are bridged
        first, second = len(points), len(points) + len(made[0][0])
        all_faces.append(np.array([(first, first + 7, second + 7), (first, second + 7, second)]))
    return Mesh(np.concatenate(all_points), np.concatenate(all_faces)), len(points)


def bones(mesh: Mesh, level: str = "hands", shape: Shape | None = None):
    shape = shape or prepare(mesh)
    rig = fit(mesh, BIPED, shape=shape, detail=DetailOptions(level, fingers=0))
    return shape, rig, [n for n in rig.names if n.startswith("wing")]


@cache
def angel():
    mesh, own = winged((WING, 1, 0.4), (WING, -1, 0.4))
    return mesh, own, *bones(mesh)


@pytest.mark.long
def test_a_pair_of_wings_gets_chains_on_the_chest_that_reach_out_along_them():
    mesh, own, _, rig, names = angel()
    assert sorted(names) == sorted(f"wing_{k}.{s}" for k in (1, 2, 3) for s in "LR")
    for side, sign in (("L", 1), ("R", -1)):
        chain = [rig.names.index(f"wing_{k}.{side}") for k in (1, 2, 3)]
        assert rig.names[rig.parents[chain[0]]] == "chest" and list(rig.parents[chain[1:]]) == chain[:2]
        wing = mesh.vertices[own:]
        wing = wing[wing[:, 0] * sign > 0]
        off = np.linalg.norm(wing - rig.heads[chain[0]], axis=1)
        tip = np.linalg.norm(rig.tails[chain[2]] - rig.heads[chain[0]])
        assert 0.6 * off.max() < tip < off.max() and np.abs(rig.tails[chain[2], 0]) > 0.25
        np.testing.assert_allclose(rig.tails[chain[:2]], rig.heads[chain[1:]], atol=1e-12)


@pytest.mark.long
def test_wings_follow_their_bones_and_the_chest_alone_and_move_nothing_else():
    mesh, own, shape, rig, names = angel()
    weights = np.asarray(bind(mesh, rig, shape=shape).matrix.todense())
    wings = [rig.names.index(n) for n in names]
    assert weights[:own][:, wings].max() == 0.0
    held = weights[own:][:, [*wings, rig.names.index("chest")]].sum(1)
    np.testing.assert_allclose(held, 1.0, atol=1e-9)
    assert weights[own:][:, wings].sum(1).mean() > 0.6


@pytest.mark.long
def test_wings_have_bones_in_full_skeletons_too_and_none_where_only_the_body_has():
    mesh, _, shape, *_ = angel()
    _, full, names = bones(mesh, "full", shape)
    assert len(names) == 6 and not [n for n in full.names if n.startswith("prop")]
    assert {"wing.L", "wing.R"} <= {*full.things}
    assert bones(mesh, "body", shape)[2] == []
    left_out = fit(mesh, BIPED, shape=shape, detail=DetailOptions("hands", fingers=0, without=("wing.L",)))
    assert {n for n in left_out.names if n.startswith("wing")} == {f"wing_{k}.R" for k in (1, 2, 3)}


@pytest.mark.slow
def test_four_wings_are_two_pairs_and_wings_in_one_part_are_told_apart():
    upper = [(x, 0.7 * z + 0.08) for x, z in WING]
    lower = [(0.6 * x + 0.01, 0.5 * z - 0.06) for x, z in WING]
    names = bones(winged((upper, 1, 0.4), (upper, -1, 0.4), (lower, 1, 0.4), (lower, -1, 0.4))[0])[2]
    assert {n.rpartition("_")[0] for n in names} == {"wing", "wing_2"}
    assert len(bones(winged((WING, 1, 0.4), (WING, -1, 0.4), joined=True)[0])[2]) == 6


@pytest.mark.slow
def test_an_animals_wings_rise_from_its_back():
    horse = quadruped(species="horse")
    long = float(np.ptp(horse.mesh.vertices[:, 1]))
    points, withers = horse.mesh.vertices / long, np.array(horse.joints["chest"]) / long
    top = points[(np.abs(points[:, 1] - withers[1]) < 0.06) & (np.abs(points[:, 0]) < 0.03), 2].max()
    all_points, all_faces = [points], [horse.mesh.faces]
    for sign in (1, -1):
        flat, faces = sheet(WING, 0.0, 0.0, sign, 0.0)
        out = np.abs(flat[:, 0])
        all_faces.append(faces + sum(map(len, all_points)))
        all_points.append(np.stack([0.8 * flat[:, 0], withers[1] + 0.1 + 0.3 * out - 0.1 * flat[:, 2],
                                    top - 0.03 + 0.5 * out + 0.6 * flat[:, 2]], axis=1))
    mesh = Mesh(np.concatenate(all_points), np.concatenate(all_faces))
    rig = fit(mesh, load_template("quadruped"), shape=prepare(mesh), detail=DetailOptions("hands"))
    wings = [n for n in rig.names if n.startswith("wing")]
    chest = rig.heads[rig.names.index("chest"), 2]
    assert len(wings) == 6 and all(rig.tails[rig.names.index(n), 2] > chest for n in wings)


def one_surface(*, high: float = 0.3, wide: float = 0.15, low: float = 0.0):
    """A person whose wings, raised so much and so wide, are one surface with the back."""
    options = PersonOptions(arm_angle=75)
    joints = person_joints(options)
    at = joints["chest"] + [0, 0.07, 0.02 - low]

    def solid(cell):
        flat = max(0.012, 0.7 * cell)
        parts = [flesh(joints, options, cell)]
        for sign in (1, -1):
            line = [at + [sign * x, 0.0, z] for x, z in ((0.02, 0), (0.2, 0.5 * high), (0.4, high))]
            leaf = Squashed(strand(line, [0.05, wide, 0.6 * wide]), (1.0, flat / wide, 1.0), tuple(at))
            parts += [leaf, strand(line[:2], [0.03, 0.02])]
        return Blend(tuple(parts), 0.02)
    return grown("angel", "biped", solid, joints, (0.8, 0.8, 0.8), 6000)


@cache
def whole():
    mesh = one_surface().mesh
    return mesh, *bones(mesh)


@pytest.mark.slow
def test_wings_of_one_surface_with_the_body_get_chains_too():
    mesh, _, rig, names = whole()
    assert sorted(names) == sorted(f"wing_{k}.{s}" for k in (1, 2, 3) for s in "LR")
    size = float(np.ptp(mesh.vertices[:, 2]))
    for side, sign in (("L", 1), ("R", -1)):
        tip, root = rig.tails[rig.names.index(f"wing_3.{side}")], rig.heads[rig.names.index(f"wing_1.{side}")]
        furthest = mesh.vertices[(sign * mesh.vertices[:, 0]).argmax()]
        assert np.linalg.norm(tip - furthest) < 0.17 * size and abs(root[0]) < 0.12 * size
        assert rig.names[rig.parents[rig.names.index(f"wing_1.{side}")]] == "chest"
    assert not [n for n in rig.names if n.startswith("limb")]


@pytest.mark.slow
def test_their_skin_passes_smoothly_into_the_backs():
    mesh, shape, rig, names = whole()
    weights = np.asarray(bind(mesh, rig, shape=shape).matrix.todense())
    wings = [rig.names.index(n) for n in names]
    own = weights[:, wings].sum(1)
    is_wing = np.abs(mesh.vertices[:, 0]) > 0.25
    is_wing &= mesh.vertices[:, 1] > rig.heads[rig.names.index("chest"), 1] + 0.04
    assert own[is_wing].min() > 0.8
    edges = np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]])
    begins = (own[edges] == 0).sum(1) == 1  # there the skin is shared as the back's is: 2 would be all unlike
    assert np.abs(weights[edges[begins, 0]] - weights[edges[begins, 1]]).sum(1).max() < 1.7
    front = mesh.vertices[:, 1] < rig.heads[rig.names.index("chest"), 1]
    assert own[front].max() == 0.0


@pytest.mark.parametrize("has_forearm", [False, True])
def test_what_stands_out_from_where_an_arm_begins_is_a_wing_if_the_arm_does_not_go_on(has_forearm):
    """A bat has no arms, and its wings' roots are taken for some."""
    joints = {name: np.array(place) for name, place in person_joints(PersonOptions()).items()}
    root, out = joints["chest"] + [0.1, 0.1, 0.05], np.array([1.0, 0.3, 0.0])
    for name, far in (("upper_arm", -0.06), ("forearm", 0.0), ("hand", 0.05), ("hand_tip", 0.06)):
        joints[f"{name}.L"] = root + far * out
    rig = rig_from_joints(BIPED, np.array([joints[n] for n in BIPED.names]))
    body = rig.only([n for n in rig.names if has_forearm or not n.startswith(("forearm", "hand"))])
    x, z = (axis.ravel() for axis in np.meshgrid(np.arange(0.03, 0.4, 0.005), np.arange(-0.15, 0.15, 0.005)))
    points, arm = root + x[:, None] * out + z[:, None] * [0, 0, 1], root - np.linspace(0.0, 0.06, 7)[:, None] * out
    wing = _wing(points, np.ones(len(points)), "L", body, cKDTree(arm), "chest", is_fused=True)
    assert (wing is None) == has_forearm


@pytest.mark.slow
@pytest.mark.parametrize("made", [{"wide": 0.03}, {"high": -0.4, "wide": 0.06, "low": 0.3}])
def test_what_is_narrow_or_hangs_below_the_trunk_is_no_wing_of_one_surface(made):
    assert bones(one_surface(**made).mesh)[2] == []


@pytest.mark.sweep(2, long=True)
@pytest.mark.parametrize("sheets", [
    [(WING, 1, 0.4)],  # one alone may be anything
    [(WING, 1, 0.4), ([(0.6 * x, 0.8 * z) for x, z in WING], -1, 0.4)],  # nor are two unlike ones a pair
    [([(0.4 * x, 0.4 * z) for x, z in WING], s, 0.4) for s in (1, -1)],  # too short
    [([(x, 0.1 * z) for x, z in WING], s, 0.4) for s in (1, -1)],  # swords
    [([(0.25 * x + 0.02, z - 0.3) for x, z in WING], s, 0.1) for s in (1, -1)],  # a cape in two halves
    [(WING, 1, -0.7), (WING, -1, -0.7)]])  # not behind the back
def test_what_is_no_pair_of_wings_gets_none(sheets):
    assert bones(winged(*sheets)[0])[2] == []


def test_half_a_cape_begins_in_the_middle_all_along_and_a_wing_does_not(rng):
    cape = rng.uniform((0, 0.1, 0.2), (0.3, 0.15, 0.7), (400, 3))
    assert _in_middle(cape, 0.0) and not _in_middle(cape, -0.05)
    wing = cape[cape[:, 2] - 0.45 < cape[:, 0]]  # joined at its lower part
    wing = wing[(wing[:, 0] > 0.05) | (np.abs(wing[:, 2] - 0.4) < 0.05)]
    assert not _in_middle(wing, 0.0) and _in_middle(wing * [-1, 1, 1], 0.0) == _in_middle(wing, 0.0)


def test_only_a_wings_own_bones_are_a_thing():
    assert may_be_thing("wing_1.L") and may_be_thing("wing_2_3.R")
    assert not may_be_thing("wing_upper.L") and not may_be_thing("wing_tip.L") and not may_be_thing("wing_1")
