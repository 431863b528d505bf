"""Skeletons made from the shape: what stands out gets bones, pairs mirror, pins hold, and any body gets one rig."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from core.errors import BadTemplate
from core.fitting.creature import Creature, Limbs, Match
from core.fitting.fit import Fitter
from core.fitting.from_shape import (
    _name_lines,
    _with_neck,
    bone_count,
    bone_length,
    cut,
    detail_of,
    is_shape,
    joints_along,
    shape_name,
    shape_template,
    template_in,
)
from core.fitting.outline import Line
from core.geometry.mesh import Mesh, vertex_components
from core.geometry.shape import Shape
from core.geometry.symmetry import MirrorPlane, lopsided_sides
from core.geometry.wheels import find_wheels
from core.pipeline import bind
from core.skeleton.preset import template_data, template_from_data
from tests import characters
from tests.characters.character import Character
from tests.core.fitting.bodies import prepared, star
from tests.limits import turning_point
from tests.shapes import ball, torus

BODIES = {"spider": characters.many_legged, "insect": lambda: characters.many_legged(pairs=3),
          "snake": characters.snake, "fish": characters.fish, "octopus": characters.octopus,
          "chair": characters.chair, "tree": characters.tree, "ghost": characters.ghost, "star": characters.star}
# How many limbs each has; pairs; how far joints lie from the true ones, in shares of the size (J2J).
LIMBS = {"spider": (8, 4), "insect": (6, 3), "snake": (0, 0), "octopus": (8, 4), "ghost": (2, 1), "star": (4, 2)}


@cache
def body(name: str) -> tuple[Character, Shape]:
    made = BODIES[name]()
    return made, prepared(made.mesh)


def limbs(template) -> set[str]:
    return {n for n in template.names if n.startswith("limb_") and n.split(".")[0].endswith("_tip")}


@pytest.mark.slow
@pytest.mark.parametrize("name", LIMBS)
def test_each_limb_gets_a_line_of_bones_and_pairs_are_named_alike(name):
    found = limbs(shape_template(body(name)[1]))
    pairs = {n[:-2] for n in found if n.endswith(".L")}
    assert (len(found), len(pairs)) == LIMBS[name]
    assert pairs == {n[:-2] for n in found if n.endswith(".R")}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", BODIES)
def test_bones_lie_where_an_artist_would_put_them(name):
    made, shape = body(name)
    rig = Fitter(shape, shape_template(shape)).rig()
    truth, joints = np.array(list(made.joints.values())), np.array(list(rig.joints.values()))
    apart = cdist(truth, joints)
    assert (apart.min(0).mean() + apart.min(1).mean()) / 2 < 0.09 * np.ptp(made.mesh.vertices, axis=0).max()
    assert (rig.parents < 0).sum() == 1 and rig.names[0] == "spine_1"
    inner = np.isin(np.arange(len(joints)), shape_template(shape).parents)
    assert (shape.body.sample(shape.frame.to_unit(joints))[inner] < shape.body.grid.spacing).all()
    weights = bind(made.mesh, rig, shape=shape).matrix
    np.testing.assert_allclose(np.asarray(weights.sum(1)).ravel(), 1.0)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["spider", "octopus", "fish"])
def test_pairs_are_mirror_images(name):
    template = shape_template(body(name)[1])
    mirror = template.mirror
    left = np.flatnonzero(mirror >= 0)
    np.testing.assert_allclose(template.positions[left], template.positions[mirror[left]] * [-1, 1, 1], atol=1e-9)
    np.testing.assert_allclose(template.positions[mirror < 0, 0], 0, atol=1e-9)


@pytest.mark.slow
def test_no_spine_spans_the_air_between_the_posts_of_a_chair():
    shape = prepared(characters.chair(np.random.default_rng(22)).mesh)
    template = shape_template(shape)
    trunk = [j for j, n in enumerate(template.names) if not n.startswith("limb_") and template.parents[j] >= 0]
    middles = (template.positions[trunk] + template.positions[template.parents[trunk]]) / 2
    assert (shape.body.sample(middles) < shape.body.grid.spacing).all()


def test_tips_of_a_star_that_mirrors_nothing_are_found():
    tips, shape = star(5)
    template = shape_template(shape)
    ends = ~np.isin(np.arange(len(template.names)), template.parents)
    found = shape.frame.to_object(template.positions[ends])
    assert (cdist(tips, found).min(1) < 0.15).all()


@pytest.mark.slow
def test_more_detail_gives_more_bones():
    shape = body("octopus")[1]
    count = [len(shape_template(shape, detail).bones) for detail in (0.0, 0.5, 1.0)]
    assert count[0] < count[1] < count[2]
    assert shape_template(shape, 0.5) is shape_template(shape)


def test_a_pinned_joint_is_exact_and_its_partner_follows():
    _, shape = body("spider")
    fitter = Fitter(shape, shape_template(shape))
    before = fitter.rig()
    place = np.array(before.joints["limb_1_2.L"]) + [0.04, 0.0, 0.05]
    after = fitter.rig({"limb_1_2.L": place})
    assert after.joints["limb_1_2.L"] == tuple(place) and after.confidence["limb_1_2.L"] == 1
    np.testing.assert_allclose(after.joints["limb_1_2.R"], place * [-1, 1, 1], atol=1e-9)
    assert after.joints["limb_2_2.L"] == before.joints["limb_2_2.L"]


@pytest.mark.slow
@pytest.mark.parametrize("mesh", [ball(0.5).mesh, torus().mesh], ids=["ball", "torus"])
def test_what_has_no_limbs_gets_a_rig_as_well(mesh):
    shape = prepared(mesh)
    rig = Fitter(shape, shape_template(shape)).rig()
    assert len(rig.names) >= 1 and np.isfinite(rig.heads).all()
    assert (np.linalg.norm(rig.tails - rig.heads, axis=1) > 0).all()


@pytest.mark.slow
def test_moved_and_enlarged_bodies_get_moved_and_enlarged_bones():
    made, shape = body("fish")
    other = prepared(made.moved(3 * np.eye(3), (5, -2, 1)).mesh)
    one, two = (Fitter(s, shape_template(s)).rig() for s in (shape, other))
    assert one.names == two.names
    np.testing.assert_allclose(one.heads * 3 + [5, -2, 1], two.heads, atol=1e-6)


def test_a_body_is_lopsided_if_one_side_alone_reaches_far_from_what_both_have():
    both, plane = np.zeros((40, 9, 9), bool), MirrorPlane(0.0, 39, 1.0)
    both[15:25, 2:7, 2:7] = True
    more = both.copy()
    more[25:35, 4, 4] = True  # ten voxels beyond
    assert lopsided_sides(both, plane, 1.0) == 0
    limit = turning_point(lambda spacing: lopsided_sides(more, plane, spacing) == 1, 0.001, 0.02)
    assert limit == pytest.approx(0.008, rel=0.03)
    more[5:15, 4, 6] = True  # another thing on the other side
    assert lopsided_sides(more, plane, 1.0) == 2


def test_a_bent_line_is_cut_at_its_bends():
    t = np.linspace(0, 1, 41)
    line = np.where(t[:, None] < 0.5, np.stack([t, 0 * t, t], 1), np.stack([t, 0 * t, 1 - t], 1))
    assert joints_along(line, np.ones(41), 2).tolist() == [0, 20, 40]


@pytest.mark.parametrize("size", [0.1, 1.0, 10.0])
def test_a_line_of_any_size_with_a_slight_bend_is_cut_between_its_bend_and_its_middle(size):
    t = np.linspace(0, 1, 41)
    line = np.stack([t, 0 * t, 0.5 * np.minimum(t, 0.3)], 1)
    assert joints_along(size * line, size * np.ones(41), 2).tolist() == [0, 16, 40]


@pytest.mark.parametrize("bones", [1, 3, 30])
def test_a_straight_line_is_cut_into_bones_nearly_alike_however_many(bones):
    line = Line("limb", "", np.outer(np.array([0.0, 0.1, 0.9, 1.0]), [0, 0.6, 0.8]), np.full(4, 0.05), None, 1.0)
    points, joints = cut(line, bones)
    lengths = np.linalg.norm(np.diff(joints, axis=0), axis=1)
    assert len(lengths) == bones and lengths.max() < 1.6 * lengths.min()
    np.testing.assert_allclose(joints[[0, -1]], line.points[[0, -1]], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(np.diff(points, axis=0), axis=1), 1 / (len(points) - 1))


def test_a_limb_of_straight_pieces_has_a_bone_for_each_and_with_more_detail_more():
    elbow = Line("limb", "", np.array([[0, 0, 0], [0.3, 0, 0], [0.3, 0, 0.3]]), np.full(3, 0.05), None, 1.0)
    assert [bone_count(elbow, bone_length(detail)) for detail in (0.0, 0.5, 0.75, 1.0)] == [2, 2, 3, 4]


def test_its_name_tells_its_detail():
    assert is_shape("shape") and is_shape("shape 0.8") and not is_shape("shaped")
    assert shape_name(0.5) == "shape" and detail_of(shape_name(0.83)) == 0.83
    shape = body("snake")[1]
    assert template_in(shape, "shape 0.2") is shape_template(shape, 0.2)
    assert template_in(shape, "biped").name == "biped"
    assert detail_of("shape 0") == 0.0 and detail_of("shape 1") == 1.0
    for name in ("shape 1.01", "shape -0.01", "shape x"):
        with pytest.raises(BadTemplate, match="0 to 1"):
            detail_of(name)


def test_it_is_kept_as_any_template_is():
    template = shape_template(body("spider")[1])
    again = template_from_data(template_data(template))
    assert again.names == template.names and again.bones[3].name == template.bones[3].name


@cache
def cart() -> tuple[Character, Shape]:
    made = characters.wheeled()
    return made, prepared(made.mesh)


@pytest.mark.slow
def test_wheels_turn_about_their_own_axes_and_take_nothing_along():
    made, shape = cart()
    rig = Fitter(shape, shape_template(shape)).rig()
    wheels = {n: i for i, n in enumerate(rig.names) if n.startswith("wheel_")}
    assert wheels.keys() == made.joints.keys()
    weights = bind(made.mesh, rig, shape=shape).matrix.toarray()
    for name, bone in wheels.items():
        np.testing.assert_allclose(rig.heads[bone], made.joints[name], atol=0.01)
        axis = rig.tails[bone] - rig.heads[bone]
        np.testing.assert_allclose(np.abs(axis / np.linalg.norm(axis)), [1, 0, 0], atol=0.01)
        assert axis[0] * rig.heads[bone, 0] > 0  # outwards
        is_own = np.linalg.norm((made.mesh.vertices - made.joints[name])[:, 1:], axis=1) < 0.16
        is_own &= np.sign(made.mesh.vertices[:, 0]) == np.sign(made.joints[name][0])
        is_own &= np.abs(made.mesh.vertices[:, 0]) > 0.2
        np.testing.assert_allclose(weights[is_own, bone], 1.0)
        assert (weights[~is_own, bone] == 0).all()


@pytest.mark.long
@pytest.mark.parametrize("squeezed", [(1.0, 1.0, 0.7), (8.0, 1.0, 1.0), (0.2, 0.2, 0.2)],
                         ids=["oval", "long", "tiny"])
def test_what_is_not_round_and_flat_and_large_is_no_wheel(squeezed):
    mesh = cart()[1].mesh
    part = vertex_components(mesh)
    assert len(find_wheels(mesh)) == 4
    own = part == part[mesh.vertices[:, 2].argmin()]
    middle = mesh.vertices[own].mean(0)
    moved = np.where(own[:, None], middle + (mesh.vertices - middle) * squeezed, mesh.vertices)
    assert len(find_wheels(Mesh(moved, mesh.faces))) == 3


@pytest.mark.slow
def test_legs_of_a_chair_hang_on_its_seat_and_not_on_each_other():
    template = shape_template(prepared(characters.chair().mesh))
    first = [bone for bone in template.bones if bone.name.split(".")[0].endswith("_1") and bone.parent]
    assert len([bone for bone in first if bone.name.startswith("limb")]) >= 6
    assert all(bone.parent.startswith(("spine", "tail")) for bone in first)


def test_limbs_are_numbered_from_front_to_back_and_those_side_by_side_from_top_to_bottom():
    spine = Line("spine", "", np.array([[0, 1, 0], [0, -1, 0.0]]), np.ones(2), None, 1.0)
    bases = {"limb_3": (0.304, 0.1), "limb_2": (0.296, 0.9), "limb_1": (0.28, 0.2)}
    limbs = [Line("limb", "L", np.array([[0, y, z], [1, y, z]]), np.ones(2), spine, 1.0) for y, z in bases.values()]
    assert [name for name, _, _ in _name_lines([spine, *limbs], None)] == ["spine", *bases]


def test_what_grows_out_of_a_named_limb_is_its_finger_on_whichever_side_it_grows():
    ends = np.array([[0, 0, 0], [1, 0, 0.0]])
    spine = Line("spine", "", ends, np.ones(2), None, 1.0)
    left, right = (Line("limb", side, ends + [0, 0, 1], np.ones(2), spine, 1.0) for side in "LR")
    left.twin, right.twin = right, left
    horn = Line("limb", "", ends - [0, 0.5, 0], np.ones(2), spine, 1.0)
    thumb, spur, branch = (Line("limb", side, ends + [0, y, 2], np.ones(2), above, 1.0)
                           for side, y, above in (("L", 0.1, left), ("R", 0.2, right), ("", 0.3, horn)))
    lines = [spine, left, right, horn, thumb, spur, branch]
    arms = Creature("ape", "any", (Limbs("arm", "arm", 2, 2, bones=3),))
    found = _name_lines(lines, Match(arms, 0.0, dict.fromkeys(range(7), -1) | {1: 0, 2: 0}, ()))
    assert found == [("spine", "", 0), ("arm", ".L", 3), ("arm", ".R", 3), ("limb_1", "", 0),
                     ("arm_finger_1", ".L", 0), ("arm_finger_2", ".R", 0), ("limb_2", "", 0)]


@pytest.mark.parametrize("limbs, expected", [
    ({3.0: "leg", 1.0: "leg"}, ["spine_1", "spine_2", "spine_3", "neck_1", "head"]),  # from the foremost limb on
    ({4.0: "leg"}, ["spine_1", "spine_2", "spine_3", "spine_4", "head"]),
    ({5.0: "leg"}, ["spine_1", "spine_2", "spine_3", "spine_4", "head"]),  # where the head begins at the latest
    ({0.2: "leg"}, ["spine_1", "neck_1", "neck_2", "neck_3", "head"]),  # a trunk has a bone
    ({}, ["spine_1", "neck_1", "neck_2", "neck_3", "head"]),
    ({2.0: "leg", 5.0: "neck"}, ["spine_1", "spine_2", "spine_3", "spine_4", "spine_5"]),  # it ends in necks
    ({2.0: "leg", 3.0: "neck"}, ["spine_1", "spine_2", "spine_3", "neck_1", "head"]),
])
def test_from_the_foremost_limb_on_a_spine_is_a_neck_with_a_head(limbs, expected):
    points = np.array([[0.0, -float(k), 0.0] for k in range(6)])
    spine = Line("spine", "", points, np.ones(6), None, 5.0)
    lines, sorts = [spine], {0: -1}
    creature = Creature("it", "level", tuple(Limbs(name, name, 0, 9) for name in ("leg", "neck")), has_neck=True)
    for place, name in limbs.items():
        side = "L" if name == "leg" else ""
        sorts[len(lines)] = ("leg", "neck").index(name)
        lines.append(Line("limb", side, np.array([[0.0, -place, 0.0], [1.0, -place, 0.0]]), np.ones(2), spine, 5.0))
    toe = Line("limb", "L", np.array([[0.0, -5.0, 0.0], [2.0, -5.0, 0.0]]), np.ones(2), lines[-1], 5.0)
    sorts[len(lines)] = -1
    assert _with_neck(points, [*lines, *[toe] * (len(limbs) > 0)], Match(creature, 0.0, sorts, ())) == expected


def test_a_spine_of_one_bone_has_no_head():
    spine = Line("spine", "", np.array([[0.0, 0, 0], [0, -1, 0]]), np.ones(2), None, 5.0)
    creature = Creature("it", "level", (), has_neck=True)
    assert _with_neck(spine.points, [spine], Match(creature, 0.0, {0: -1}, ())) == ["spine_1"]
