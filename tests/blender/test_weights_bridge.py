"""Weights arrive in vertex groups exactly, and nothing else on the objects changes."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix
from scipy import sparse

from geppetto.addon.bridge.armature import write_armature
from geppetto.addon.bridge.held import forget_held, let_go, note_held
from geppetto.addon.bridge.mesh import read_character
from geppetto.addon.bridge.weights import write_weights
from geppetto.core.skeleton.rig import Rig
from geppetto.core.skinning.weights import SkinWeights

from .scenes import add_cube, add_mesh, deformed_points, fingerprint, group_weights, world_points

BONES = ("root", "arm.L", "arm.R")
HEADS, TAILS = [[0, 0, 0], [0.2, 0, 1], [-0.2, 0, 1]], [[0, 0, 1], [1, 0, 1], [-1, 0, 1]]


def armature_for(context, name="New", bones=BONES):
    return write_armature(context, Rig(bones, (-1, 0, 0), HEADS, TAILS), name, context.scene.collection,
                          Matrix.Identity(4), "test")


def some_weights(rng, count: int, bones=BONES) -> SkinWeights:
    dense = rng.random((count, len(bones))) * (rng.random((count, len(bones))) > 0.3)
    dense[dense.sum(1) == 0, 0] = 1
    return SkinWeights(sparse.csr_matrix(dense / dense.sum(1, keepdims=True)), bones, "heat")


def bind(context, objects, weights=None, rng=None, armature=None):
    character = read_character(context, objects)
    weights = weights or some_weights(rng, len(character.mesh.vertices))
    armature = armature or armature_for(context)
    return character, weights, armature, write_weights(context, character, armature, weights)


def test_groups_hold_the_weights_to_the_last_bit(context, rng):
    cubes = [add_cube("a"), add_cube("b")]
    character, weights, _, _ = bind(context, cubes, rng=rng)
    for part in character.parts:
        groups = group_weights(part.object)
        want = weights.matrix[part.source].toarray().astype(np.float32)
        for j, bone in enumerate(BONES):
            np.testing.assert_array_equal(groups.get(bone, np.zeros(len(want))), want[:, j])


def test_nothing_that_helps_to_write_groups_is_left_behind(context, rng):
    cube = add_cube("a")
    before = {name: set(getattr(bpy.data, name)) for name in ("scenes", "meshes", "objects")}
    _, _, armature, _ = bind(context, [cube], rng=rng)
    assert cube.vertex_groups and armature
    after = {name: set(getattr(bpy.data, name)) for name in before}
    assert after["scenes"] == before["scenes"] and after["meshes"] == before["meshes"]
    assert after["objects"] - before["objects"] == {armature}


def test_a_bone_that_moves_nothing_of_an_object_gets_no_group_there(context):
    cube = add_cube()
    rigid = SkinWeights(sparse.csr_matrix(np.tile([0.0, 1.0, 0.0], (8, 1))), BONES, "heat")
    bind(context, [cube], rigid)
    assert [g.name for g in cube.vertex_groups] == ["arm.L"]


@pytest.mark.parametrize("matrix", [
    Matrix.Identity(4), Matrix.LocRotScale((0.1, -7, 2), Euler((1, 2, 3)), (0.3, -2, 1.7))], ids=["still", "moved"])
@pytest.mark.parametrize("parent", [None, "empty", "sheared"])
def test_objects_stay_where_they_are_to_the_last_bit(context, rng, matrix, parent):
    cube = add_cube()
    cube.location, cube.rotation_euler, cube.scale = (1.1, 2.2, 3.3), (0.1, 0.2, 0.3), (1, 2, -3)
    if parent:
        empty = bpy.data.objects.new("empty", None)
        context.scene.collection.objects.link(empty)
        empty.matrix_world = matrix if parent == "empty" else matrix @ Matrix.Diagonal((1, 5, 1, 1))
        context.view_layer.update()
        cube.parent = empty
    context.view_layer.update()
    before, place = fingerprint(cube), np.array(cube.matrix_world)
    armature = armature_for(context)
    bind(context, [cube], rng=rng, armature=armature)
    context.view_layer.update()
    assert cube.parent is armature
    after = fingerprint(cube)
    if parent:  # the parent's place has to be multiplied out once
        np.testing.assert_allclose(np.array(cube.matrix_world), place, rtol=1e-6, atol=1e-6)
        before.pop("world"), after.pop("world")
    assert after == before


def test_an_objects_own_numbers_stay_however_far_away_what_it_hangs_on_is(context, rng):
    cube, empty = add_cube(), bpy.data.objects.new("empty", None)
    context.scene.collection.objects.link(empty)
    empty.matrix_world = Matrix.LocRotScale((40_000.1, -70_000.3, 20_000.7), Euler((1, 2, 3)), (1.3, 1.3, 1.3))
    cube.parent, cube.location, cube.rotation_euler, cube.scale = empty, (1.1, 2.2, 3.3), (0.1, 0.2, 0.3), (1, 2, -3)
    context.view_layer.update()
    before, place = fingerprint(cube)["own transform"], np.array(cube.matrix_world)
    bind(context, [cube], rng=rng)
    context.view_layer.update()
    assert fingerprint(cube)["own transform"] == before
    np.testing.assert_allclose(np.array(cube.matrix_world), place, rtol=1e-6, atol=0.05)


def test_an_object_that_its_parent_carries_along_a_path_stays(context, rng):
    data = bpy.data.curves.new("path", "CURVE")
    data.dimensions, data.use_path = "3D", True
    data.splines.new("POLY").points.add(2)
    data.splines[0].points.foreach_set("co", [0, 0, 0, 1, 3, 4, 5, 1, 6, 0, 1, 1])
    data.eval_time = 40.0
    cube, path = add_cube(), bpy.data.objects.new("path", data)
    context.scene.collection.objects.link(path)
    cube.parent, cube.location = path, (1, 2, 3)
    context.view_layer.update()
    place = np.array(cube.matrix_world)
    assert np.abs(place[:3, 3] - [1, 2, 3]).max() > 1
    armature = bind(context, [cube], rng=rng)[2]
    context.view_layer.update()
    assert cube.parent is armature
    np.testing.assert_allclose(np.array(cube.matrix_world), place, atol=1e-5)


@pytest.mark.parametrize("kind", ["OBJECT", "BONE"])
def test_what_an_artist_hung_on_an_armature_stays_and_so_do_its_own_numbers(context, rng, kind):
    cube, old = add_cube(), armature_for(context, "Old")
    old.matrix_world = Matrix.LocRotScale((1, 2, 3), Euler((0.3, 0.2, 0.1)), None)
    cube.parent, cube.parent_type, cube.parent_bone = old, kind, "arm.L" if kind == "BONE" else ""
    cube.location, cube.rotation_euler = (0.5, -0.2, 0.1), (0.1, 0.2, 0.3)
    cube.matrix_parent_inverse = Matrix.Translation((0, 0, 0.25))
    context.view_layer.update()
    place, own = np.array(cube.matrix_world), np.array(cube.matrix_basis)
    armature = bind(context, [cube], rng=rng)[2]
    context.view_layer.update()
    assert cube.parent is armature and cube.parent_type == "OBJECT"
    np.testing.assert_allclose(np.array(cube.matrix_world), place, atol=1e-5)
    np.testing.assert_array_equal(np.array(cube.matrix_basis), own)


def empty_in(context, name: str, scale=(1.0, 1.0, 1.0)):
    empty = bpy.data.objects.new(name, None)
    context.scene.collection.objects.link(empty)
    empty.scale = scale
    return empty


@pytest.mark.parametrize("scale", [(1, 1, 1), (0.3, 2, 5)])
def test_a_rig_hangs_on_what_all_its_objects_hang_on(context, rng, scale):
    cubes, empties = [add_cube("a"), add_cube("b")], [empty_in(context, name, scale) for name in ("one", "two")]
    for cube in cubes:
        cube.parent = empties[0]
    *_, armature, warnings = bind(context, cubes, rng=rng)
    assert armature.parent is empties[0] and not warnings
    np.testing.assert_allclose(np.array(armature.matrix_world), np.eye(4), atol=1e-6)


def test_a_rig_hangs_on_nothing_where_its_objects_hang_on_two_things_or_on_a_skeleton(context, rng):
    cubes = [add_cube("a"), add_cube("b")]
    for cube, name in zip(cubes, ("one", "two"), strict=True):
        cube.parent = empty_in(context, name)
    *_, armature, _ = bind(context, cubes, rng=rng)
    assert armature.parent is None
    cube = add_cube("c")
    cube.parent = armature_for(context, "Old")
    *_, armature, _ = bind(context, [cube], rng=rng)
    assert armature.parent is None and cube.parent is armature


@pytest.mark.parametrize(("more", "hangs"), [(0.8e-4, True), (1.2e-4, False)])
def test_how_far_axes_may_lean_is_a_ten_thousandth(context, rng, more, hangs):
    turned, cube = empty_in(context, "turned", (1, 1 + more, 1)), add_cube()
    turned.rotation_euler.z, cube.parent = np.pi / 4, turned
    *_, armature, warnings = bind(context, [cube], rng=rng)
    assert (armature.parent is turned) == hangs and bool(warnings) == (not hangs)


def test_a_rig_hangs_where_its_own_axes_stay_upright_on_each_other(context, rng):
    above, below, cube = empty_in(context, "above", (0.3, 2, 5)), empty_in(context, "below"), add_cube()
    below.parent, below.rotation_euler, cube.parent = above, (0.2, 0.5, 0.7), below
    *_, armature, warnings = bind(context, [cube], rng=rng)
    assert armature.parent is below and not warnings
    turned, cube, armature = empty_in(context, "turned", (0.3, 2, 5)), add_cube("b"), armature_for(context)
    cube.parent, turned.rotation_euler = turned, (0.2, 0.5, 0.7)
    armature.rotation_euler = turned.rotation_euler
    *_, warnings = bind(context, [cube], rng=rng, armature=armature)
    assert armature.parent is turned and not warnings


def test_a_child_of_another_part_stays_too(context, rng):
    body, eye = add_cube("body"), add_cube("eye")
    body.scale, eye.parent, eye.location = (2, 1, 1), body, (0.5, 0, 0)
    eye.rotation_euler.z = 0.7
    context.view_layer.update()
    before = world_points(eye)
    bind(context, [body, eye], rng=rng)
    np.testing.assert_allclose(world_points(eye), before, atol=1e-6)


def test_other_vertex_groups_stay(context, rng):
    cube = add_cube()
    cube.vertex_groups.new(name="pinned").add([1, 5], 0.25, "REPLACE")
    before = group_weights(cube)["pinned"]
    bind(context, [cube], rng=rng)
    np.testing.assert_array_equal(group_weights(cube)["pinned"], before)


@pytest.mark.parametrize(("stack", "place"), [
    ([], 0), (["SUBSURF"], 0), (["MIRROR", "SUBSURF"], 1), (["SUBSURF", "ARRAY", "SOLIDIFY"], 2)])
def test_the_armature_modifier_comes_after_what_builds_the_shape(context, rng, stack, place):
    cube = add_cube()
    for kind in stack:
        cube.modifiers.new(kind.title(), kind)
    character = read_character(context, [cube])
    armature = armature_for(context)
    write_weights(context, character, armature, some_weights(rng, len(character.mesh.vertices)))
    modifier = cube.modifiers[place]
    assert modifier.type == "ARMATURE" and modifier.object is armature
    assert [m.type for m in cube.modifiers if m.type != "ARMATURE"] == stack


@pytest.mark.parametrize(("stack", "place"), [([], 0), (["REMESH"], 0), (["MIRROR", "SUBSURF"], 1)])
def test_the_armature_modifier_comes_there_too_where_another_is_pinned_to_be_the_last(context, rng, stack, place):
    """As Smooth by Angle is, which Shade Auto Smooth adds."""
    cube = add_cube()
    for kind in (*stack, "WEIGHTED_NORMAL"):
        cube.modifiers.new(kind.title(), kind)
    cube.modifiers[-1].use_pin_to_last = True
    _, _, armature, _ = bind(context, [cube], some_weights(rng, len(read_character(context, [cube]).mesh.vertices)))
    assert [m.type for m in cube.modifiers] == [*stack[:place], "ARMATURE", *stack[place:], "WEIGHTED_NORMAL"]
    assert cube.modifiers[place].object == armature


def test_who_lies_on_a_moved_body_by_a_modifier_of_its_own_is_not_moved_twice(context):
    body, shirt = add_cube("body", 2.0), add_cube("shirt", 2.2)
    lies_on = shirt.modifiers.new("Surface Deform", "SURFACE_DEFORM")
    lies_on.target = body
    with context.temp_override(object=shirt, active_object=shirt):
        bpy.ops.object.surfacedeform_bind(modifier=lies_on.name)
    assert lies_on.is_bound
    weights = SkinWeights(sparse.csr_matrix(np.tile([0.0, 1.0, 0.0], (16, 1))), BONES, "heat")
    _, _, armature, _ = bind(context, [shirt, body], weights)
    before = deformed_points(body), deformed_points(shirt)
    armature.pose.bones["arm.L"].location = (0.0, 1.0, 0.0)
    way = deformed_points(body) - before[0]
    assert np.linalg.norm(way, axis=1).min() > 0.9
    np.testing.assert_allclose(deformed_points(shirt) - before[1], way, atol=1e-5)


def test_both_halves_of_a_mirrored_mesh_move_with_their_own_side(context):
    half = add_mesh("half", [(x, y, 1 + z) for x in (0, 1) for y in (-0.5, 0.5) for z in (-0.5, 0.5)],
                    [(4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    half.modifiers.new("Mirror", "MIRROR")
    character = read_character(context, [half])
    x = character.mesh.vertices[:, 0]
    dense = np.stack([x == 0, x > 0, x < 0], 1).astype(float)
    _, _, armature, _ = bind(context, [half], SkinWeights(sparse.csr_matrix(dense), BONES, "heat"))
    assert {g.name for g in half.vertex_groups} == set(BONES)
    rest = deformed_points(half)
    armature.pose.bones["arm.R"].location = (0, 0.5, 0)
    moved = np.linalg.norm(deformed_points(half) - rest, axis=1)
    assert (moved[rest[:, 0] < -0.1] > 0.4).all()
    assert (moved[rest[:, 0] > -0.1] < 1e-6).all()


@pytest.mark.parametrize(("names", "is_told"), [(("chest", "arm_l", "arm_r"), False),
                                                (("mixamorig:Spine", "mixamorig:LeftArm", "mixamorig:RightArm"), True)])
def test_names_whose_other_side_a_mirror_modifier_does_not_know_are_told(context, names, is_told):
    half = add_mesh("half", [(1, 0, 0), (2, 0, 0), (1, 1, 0)], [(0, 1, 2)])
    half.modifiers.new("Mirror", "MIRROR")
    dense = np.repeat([[0.0, 1, 0], [0, 0, 1]], 3, axis=0)
    *_, told = bind(context, [half], SkinWeights(sparse.csr_matrix(dense), names, "heat"))
    assert any("'half' has a Mirror modifier" in text for text in told) == is_told


def test_what_was_just_put_elsewhere_stays_there(context, rng):
    cube, armature = add_cube(), armature_for(context)
    character = read_character(context, [cube])
    cube.location = 1, 2, 3
    write_weights(context, character, armature, some_weights(rng, len(character.mesh.vertices)))
    context.view_layer.update()
    np.testing.assert_allclose(cube.matrix_world.translation, [1, 2, 3], atol=1e-6)


def test_mirrored_weights_need_the_groups_of_both_sides_and_no_others(context):
    half = add_mesh("half", [(1, 0, 0), (2, 0, 0), (1, 1, 0)], [(0, 1, 2)])
    half.modifiers.new("Mirror", "MIRROR")
    dense = np.repeat([[0.0, 1, 0], [0, 0, 1]], 3, axis=0)
    bind(context, [half], SkinWeights(sparse.csr_matrix(dense), BONES, "heat"))
    assert {g.name for g in half.vertex_groups} == {"arm.L", "arm.R"}


def test_objects_that_share_a_mesh_keep_sharing_it_only_with_equal_weights(context):
    first, twin, other, outsider = add_cube("first"), add_cube("twin"), add_cube("other"), add_cube("outsider")
    twin.data = other.data = first.data
    rows, columns = np.arange(32) % 24, np.repeat([0, 0, 1, 2], 8)  # of the first a zero is kept as a number
    matrix = sparse.csr_matrix((np.repeat([1.0, 1, 1, 0], 8), (rows, columns)), (24, 3))
    bind(context, [first, twin, other], SkinWeights(matrix, BONES, "heat"))
    assert first.data is twin.data and other.data is not first.data
    assert set(group_weights(twin)) == {"root"} and set(group_weights(other)) == {"arm.L"}
    assert not outsider.vertex_groups


def test_an_object_outside_the_character_keeps_the_mesh_it_shares(context, rng):
    inside, outside = add_cube("inside"), add_cube("outside")
    outside.data = inside.data
    shared = inside.data
    bind(context, [inside], rng=rng)
    assert outside.data is shared and inside.data is not shared
    assert not outside.vertex_groups and inside.vertex_groups


def test_an_earlier_binding_is_kept_switched_off(context, rng):
    cube = add_cube()
    old = armature_for(context, "Old")
    del old.data["geppetto"]
    group = cube.vertex_groups.new(name="arm.L")
    group.add([0, 1], 0.75, "REPLACE")
    cube.modifiers.new("Old", "ARMATURE").object = old
    mask = cube.modifiers.new("Mask", "MASK")
    mask.vertex_group = "arm.L"
    other, called = (cube.modifiers.new(name, "MASK") for name in ("other", "arm.L"))
    other.vertex_group = cube.vertex_groups.new(name="else").name
    mask.show_viewport = other.show_viewport = called.show_viewport = False
    before = group_weights(cube)["arm.L"]
    _, weights, new, warnings = bind(context, [cube], rng=rng)
    assert old.name in bpy.data.objects and "'Old'" in warnings[0]
    assert [(m.object, m.show_viewport) for m in cube.modifiers if m.type == "ARMATURE"] == [(new, True), (old, False)]
    np.testing.assert_array_equal(group_weights(cube)["arm.L (Old)"], before)
    np.testing.assert_array_equal(group_weights(cube)["arm.L"], weights.matrix.toarray()[:, 1].astype(np.float32))
    assert mask.vertex_group == "arm.L (Old)"
    assert (other.vertex_group, called.vertex_group, called.name) == ("else", "", "arm.L"), "the others stay"


@pytest.mark.parametrize("case", ["deleted", "there", "forgotten", "unknown", "another moves it"])
def test_of_a_rig_that_was_deleted_the_modifier_goes_and_the_groups_are_named(context, rng, case):
    cube, other = add_cube(), armature_for(context, "Other", ("root", "leg.L", "leg.R"))
    armature = bind(context, [cube], rng=rng)[2]
    if case != "unknown":
        note_held(cube, other)  # which does not move it
        note_held(cube, armature)
    if case == "forgotten":
        forget_held(cube)
        forget_held(cube)
    if case == "another moves it":
        cube.modifiers.new("Other", "ARMATURE").object = other
    if case != "there":
        bpy.data.objects.remove(armature)
    count = len(cube.modifiers)
    assert let_go(cube) == (set(BONES) if case == "deleted" else set())
    assert count - len(cube.modifiers) == (case in ("deleted", "another moves it"))
    assert let_go(cube) == set()


def test_rigging_again_replaces_our_own_groups(context, rng):
    cube = add_cube()
    bind(context, [cube], rng=rng)
    _, weights, again, _ = bind(context, [cube], rng=rng, armature=armature_for(context, "Again"))
    assert {g.name for g in cube.vertex_groups} <= set(BONES)
    np.testing.assert_array_equal(group_weights(cube)["root"], weights.matrix.toarray()[:, 0].astype(np.float32))
    assert [m.object for m in cube.modifiers if m.show_viewport] == [again]


def test_many_earlier_bindings_are_told_in_one_line_for_each_armature(context, rng):
    olds = [armature_for(context, name) for name in ("Old", "Older")]
    cubes = [add_cube() for _ in range(6)]
    for cube, old in zip(cubes, [olds[0]] * 5 + [olds[1]], strict=True):
        cube.modifiers.new("Old", "ARMATURE").object = old
    warnings = bind(context, cubes, rng=rng)[-1]
    names = [f"'{cube.name}'" for cube in cubes]
    assert warnings == [
        f"{', '.join(names[:3])} and 2 more were bound to 'Old': those bindings are kept but switched off.",
        f"{names[5]} was bound to 'Older': that binding is kept but switched off."]


def test_of_two_armatures_modifiers_the_rigs_own_is_noted(context):
    cube, first, second = add_cube(), armature_for(context, "First"), armature_for(context, "Second")
    for armature in (first, second):
        cube.modifiers.new(armature.name, "ARMATURE").object = armature
    note_held(cube, second)
    bpy.data.objects.remove(first)
    assert let_go(cube) == set() and len(cube.modifiers) == 2, "that one is not ours"
    bpy.data.objects.remove(second)
    assert let_go(cube) == set(BONES) and [m.name for m in cube.modifiers] == ["First"]
