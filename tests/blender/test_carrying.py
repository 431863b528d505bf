"""Copy Weights to Selected and Symmetrise Weights, in Blender."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from geppetto.addon.characters.carrying import copy_weights
from geppetto.addon.characters.rigging import auto_rig
from geppetto.core.skeleton.preset import load_template

from .scenes import add_character, add_mesh, array_of, deformed_points, fingerprint, group_weights, world_points

pytestmark = pytest.mark.usefixtures("rigged_once")


@pytest.fixture
def rigged(extension, context, person):
    """A character bound to an armature: (mesh object, armature)."""
    body, = add_character(person)
    return body, auto_rig(context, [body], load_template("biped")).armature


@pytest.fixture
def shirt(rigged):
    """A coat around the body: its own faces, moved outwards."""
    body, _ = rigged
    points, normals = world_points(body), array_of(body.data.vertices, "normal", 3)
    faces = [tuple(p.vertices) for p in body.data.polygons if 0.8 < points[list(p.vertices), 2].mean() < 1.4]
    used = np.unique(np.concatenate(faces))
    number = {int(v): k for k, v in enumerate(used)}
    return add_mesh("shirt", (points + 0.01 * normals)[used], [[number[v] for v in f] for f in faces])


def select(active, *others) -> None:
    for o in bpy.context.selected_objects:
        o.select_set(False)
    for o in (active, *others):
        o.select_set(True)
    bpy.context.view_layer.objects.active = active


def copy() -> set:
    return bpy.ops.geppetto.copy_weights()


@pytest.mark.parametrize("from_armature", [False, True])
def test_clothes_follow_the_body_they_lie_on(rigged, shirt, from_armature):
    body, armature = rigged
    before = fingerprint(body)
    select(armature if from_armature else body, shirt)
    assert copy() == {"FINISHED"}
    assert fingerprint(body) == before
    assert [m.object for m in shirt.modifiers if m.type == "ARMATURE"] == [armature] and shirt.parent == armature
    groups = group_weights(shirt)
    total = sum(groups.values())
    np.testing.assert_allclose(total, 1, atol=1e-5)
    arm = armature.pose.bones["upper_arm.L"]
    arm.rotation_mode = "XYZ"
    arm.rotation_euler.x = 0.6
    rest, moved = world_points(shirt), deformed_points(shirt)
    skin_rest, skin = world_points(body), deformed_points(body)
    nearest = np.linalg.norm(rest[:, None] - skin_rest[None], axis=2).argmin(1)
    np.testing.assert_allclose(np.linalg.norm(moved - skin[nearest], axis=1), np.linalg.norm(rest - skin_rest[nearest],
                               axis=1), atol=0.01)


def test_the_mode_and_the_selection_stay(rigged, shirt):
    body, _ = rigged
    select(body, shirt)
    bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
    assert copy() == {"FINISHED"}
    assert bpy.context.object == body and body.mode == "WEIGHT_PAINT" and shirt.select_get()


def test_what_lies_apart_is_told(rigged, shirt):
    body, armature = rigged
    for place, count in ((0.0, 0), (2.0, 1)):
        shirt.location.x = place
        bpy.context.view_layer.update()
        told = copy_weights(bpy.context, [body], armature, [shirt], 4)
        assert [text.startswith("'shirt' lies apart from 'body'") for text in told] == [True] * count


def test_own_groups_and_locked_ones_stay(rigged, shirt):
    body, _ = rigged
    shirt.vertex_groups.new(name="buttons").add([0, 1], 0.25, "REPLACE")
    held = shirt.vertex_groups.new(name="head")
    held.add(list(range(5)), 0.5, "REPLACE")
    held.lock_weight = True
    select(body, shirt)
    assert copy() == {"FINISHED"}
    after = group_weights(shirt)
    np.testing.assert_allclose(after["buttons"][:3], [0.25, 0.25, 0])
    np.testing.assert_allclose(after["head"], np.where(np.arange(len(after["head"])) < 5, 0.5, 0))
    np.testing.assert_allclose(sum(w for g, w in after.items() if g != "buttons"), 1, atol=1e-5)


def test_a_second_copy_replaces_the_first(rigged, shirt):
    body, _ = rigged
    select(body, shirt)
    copy()
    once = group_weights(shirt)
    body.vertex_groups["head"].add(range(len(body.data.vertices)), 0.5, "ADD")
    copy()
    assert len(shirt.modifiers) == 1
    assert max(np.abs(once.get(g, 0) - w).max() for g, w in group_weights(shirt).items()) > 0.05


def test_a_body_without_weights_is_told_and_nothing_changes(rigged, shirt):
    body, _ = rigged
    body.vertex_groups.clear()
    before = fingerprint(shirt)
    select(body, shirt)
    with pytest.raises(RuntimeError, match="no weights"):
        copy()
    assert fingerprint(shirt) == before


def test_the_button_says_what_to_select(rigged, shirt):
    select(shirt)
    assert not bpy.ops.geppetto.copy_weights.poll()


@pytest.mark.parametrize(("side", "good_side"), [(".L", 1), (".R", -1), ("BETTER", 1), ("BETTER", -1)])
def test_spoiled_weights_of_one_side_are_mended_from_the_other(rigged, side, good_side):
    body, _ = rigged
    good, points, sign = group_weights(body), world_points(body), good_side
    spoiled = np.flatnonzero(sign * points[:, 0] < -0.02)
    body.vertex_groups["chest"].add(spoiled.tolist(), 1.0, "REPLACE")
    select(body)
    assert bpy.ops.geppetto.symmetrise_weights(side=side) == {"FINISHED"}
    after = group_weights(body)
    for name, weight in good.items():
        np.testing.assert_allclose(after[name], weight, atol=0.02, err_msg=name)


@pytest.mark.parametrize("bad_side", [1, -1])
def test_which_side_is_better_is_told_wherever_the_character_stands(extension, person, bad_side):
    body, = add_character(person)
    body.data.transform(Matrix.Translation((7, -3, 0)))
    auto_rig(extension, [body], load_template("biped"))
    good, spoiled = group_weights(body), np.flatnonzero(bad_side * (world_points(body)[:, 0] - 7) > 0.02)
    body.vertex_groups["chest"].add(spoiled.tolist(), 1.0, "REPLACE")
    select(body)
    assert bpy.ops.geppetto.symmetrise_weights(side="BETTER") == {"FINISHED"}
    np.testing.assert_allclose(group_weights(body)["chest"], good["chest"], atol=0.02)


def test_locked_groups_that_would_change_are_told(rigged):
    body, _ = rigged
    body.vertex_groups["chest"].add(np.flatnonzero(world_points(body)[:, 0] < -0.02).tolist(), 1.0, "REPLACE")
    for group in body.vertex_groups:
        group.lock_weight = True
    before = fingerprint(body)
    select(body)
    with pytest.raises(RuntimeError, match="locked"):
        bpy.ops.geppetto.symmetrise_weights(side=".L")
    assert fingerprint(body) == before


def test_names_without_sides_are_told(rigged):
    body, armature = rigged
    for k, bone in enumerate(armature.data.bones):
        bone.name = f"bone {k}"
    before = fingerprint(body)
    select(body)
    with pytest.raises(RuntimeError, match="two sides"):
        bpy.ops.geppetto.symmetrise_weights(side=".L")
    assert fingerprint(body) == before


def test_a_painters_rig_with_words_for_sides(rigged):
    body, armature = rigged
    for bone in armature.data.bones:
        if bone.name.endswith((".L", ".R")):
            bone.name = ("Left" if bone.name[-1] == "L" else "Right") + bone.name[:-2]
    good, points = group_weights(body), world_points(body)
    body.vertex_groups["chest"].add(np.flatnonzero(points[:, 0] < -0.02).tolist(), 1.0, "REPLACE")
    select(armature)
    assert bpy.ops.geppetto.symmetrise_weights(side=".L") == {"FINISHED"}
    np.testing.assert_allclose(group_weights(body)["Rightupper_arm"], good["Rightupper_arm"], atol=0.02)


@pytest.mark.parametrize("spelling", ["mixamorig:{word}{part}", "J_Bip_{letter}_{part}", "{small}{part}",
                                      "Bip01 {letter} {part}"])
@pytest.mark.parametrize("good_side", ["Left", "Right"])
def test_sides_are_told_as_other_programs_name_them(rigged, spelling, good_side):
    body, armature = rigged
    for bone in armature.data.bones:
        if bone.name[-2:] in (".L", ".R"):
            letter, part = bone.name[-1], bone.name[:-2].title().replace("_", "")
            word = {"L": "Left", "R": "Right"}[letter]
            bone.name = spelling.format(word=word, letter=letter, small=letter.lower(), part=part)
    good = group_weights(body)
    bad = np.flatnonzero(world_points(body)[:, 0] * (1 if good_side == "Right" else -1) > 0.02)
    body.vertex_groups["chest"].add(bad.tolist(), 1.0, "REPLACE")
    select(armature)
    assert bpy.ops.geppetto.symmetrise_weights(side=f".{good_side[0]}") == {"FINISHED"}
    after = group_weights(body)
    for name, weight in good.items():
        np.testing.assert_allclose(after[name], weight, atol=0.02, err_msg=name)


def test_one_undo_takes_the_mended_side_back(rigged):
    body, _ = rigged
    spoiled = np.flatnonzero(world_points(body)[:, 0] < -0.02)
    body.vertex_groups["chest"].add(spoiled.tolist(), 1.0, "REPLACE")
    select(body)
    bpy.ops.ed.undo_push(message="spoiled")
    assert bpy.ops.geppetto.symmetrise_weights("EXEC_DEFAULT", True, side=".L") == {"FINISHED"}
    assert group_weights(body)["chest"][spoiled].max() < 1
    bpy.ops.ed.undo()
    assert group_weights(bpy.data.objects["body"])["chest"][spoiled].min() == 1


def test_a_mesh_that_follows_already_is_not_bound_twice(rigged, shirt):
    body, armature = rigged
    select(body, shirt)
    copy()
    new = add_mesh("vest", world_points(shirt), [tuple(p.vertices) for p in shirt.data.polygons])
    shirt.vertex_groups.new(name="buttons")
    select(body, shirt, new)
    assert copy() == {"FINISHED"}
    for o in (shirt, new):
        assert [m.object for m in o.modifiers if m.show_viewport] == [armature] and len(o.modifiers) == 1
        assert not any("(" in g.name for g in o.vertex_groups)


def test_a_loose_vertex_that_is_no_number_does_no_harm(rigged, shirt):
    body, _ = rigged
    shirt.data.vertices.add(1)
    shirt.data.vertices[-1].co = (float("nan"),) * 3
    select(body, shirt)
    assert copy() == {"FINISHED"}
    np.testing.assert_allclose(sum(group_weights(shirt).values())[:-1], 1, atol=1e-5)
