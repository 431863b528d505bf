"""Binding to a skeleton that is there: what is locked or not selected stays, to the last bit."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from geppetto.addon.bridge.armature import read_rig
from geppetto.addon.bridge.groups import read_groups
from geppetto.addon.bridge.mesh import read_character
from geppetto.addon.characters.rigging import auto_rig, bind_steps
from geppetto.core.errors import BadMesh, BadRig
from geppetto.core.pipeline import run
from geppetto.core.skeleton.preset import load_template

from .scenes import add_character, add_mesh, group_weights, world_points
from .test_weights_bridge import BONES

pytestmark = pytest.mark.usefixtures("rigged_once")


@pytest.fixture
def rigged(context, person):
    """A character bound to an armature, its weights since painted by somebody."""
    body, = add_character(person)
    done = auto_rig(context, [body], load_template("biped"))
    for o in context.selected_objects:
        o.select_set(False)
    return body, done.armature


def entries(o, vertices) -> list:
    """Everything the vertices' groups say, weights of nothing included, in Blender's order."""
    return [[(o.vertex_groups[g.group].name, g.weight) for g in o.data.vertices[int(v)].groups] for v in vertices]


def sums(o, bones) -> np.ndarray:
    groups = group_weights(o)
    return sum(groups[b] for b in bones if b in groups)


def test_groups_are_read_as_they_are(context, rng):
    half = add_mesh("half", [(x, y, 1 + z) for x in (0, 1) for y in (-0.5, 0.5) for z in (-0.5, 0.5)],
                    [(4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    values = rng.random((8, 3)).astype(np.float32)
    for j, bone in enumerate(BONES):
        group = half.vertex_groups.new(name=bone)
        for v in range(8):
            group.add([v], float(values[v, j]), "REPLACE")
    half.vertex_groups.new(name="something else").add([0], 1.0, "REPLACE")
    character = read_character(context, [half])
    np.testing.assert_array_equal(read_groups(context, character, BONES).toarray(), values)
    half.modifiers.new("Mirror", "MIRROR")
    character = read_character(context, [half])
    whole = read_groups(context, character, BONES).toarray()
    for point, own in zip(character.mesh.vertices, whole, strict=True):
        v = np.linalg.norm(np.array([w.co for w in half.data.vertices]) - np.abs(point) * [1, 0, 1]
                           - point * [0, 1, 0], axis=1).argmin()
        want = values[v] if point[0] > -1e-6 else values[v][[0, 2, 1]]
        if abs(point[0]) > 1e-6:
            np.testing.assert_allclose(own, want, atol=1e-6)


def test_locked_groups_keep_their_weights_and_the_rest_shares_what_is_left(context, rigged):
    body, armature = rigged
    head = body.vertex_groups["head"]
    for v in range(0, len(body.data.vertices), 3):
        head.add([v], 0.3, "REPLACE")
    head.lock_weight = True
    before = group_weights(body)["head"]
    run(bind_steps(context, [body], armature))
    after = group_weights(body)
    np.testing.assert_array_equal(after["head"], before)
    np.testing.assert_allclose(sums(body, armature.data.bones.keys()), 1.0, atol=1e-5)
    assert body.vertex_groups["head"].lock_weight
    assert [m.object for m in body.modifiers if m.type == "ARMATURE"] == [armature]


def test_only_selected_vertices_are_bound(extension, rigged, rng):
    body, armature = rigged
    count = len(body.data.vertices)
    for v in range(count):
        body.vertex_groups["spine"].add([v], float(rng.random()), "REPLACE")
    body.vertex_groups["toe.L"].add(list(range(count)), 0.0, "REPLACE")
    chosen = rng.random(count) < 0.3
    body.data.vertices.foreach_set("select", chosen)
    before = entries(body, np.flatnonzero(~chosen))
    groups = [g.name for g in body.vertex_groups]
    body.select_set(True)
    extension.view_layer.objects.active = armature
    armature.select_set(True)
    assert bpy.ops.geppetto.bind(only_selected=True) == {"FINISHED"}
    assert entries(body, np.flatnonzero(~chosen)) == before
    assert [g.name for g in body.vertex_groups] == groups
    np.testing.assert_allclose(sums(body, armature.data.bones.keys())[chosen], 1.0, atol=1e-5)


def test_a_group_says_how_much_of_the_new_weights_is_taken(context, rigged):
    body, armature = rigged
    bones = armature.data.bones.keys()
    fresh = group_weights(body)
    everything = list(range(len(body.data.vertices)))
    for name in bones:
        body.vertex_groups[name].add(everything, 1.0 if name == "hips" else 0.0, "REPLACE")
    mask = body.vertex_groups.new(name="mask")
    mask.add(everything[::2], 0.25, "REPLACE")
    before = entries(body, everything[1::2])
    run(bind_steps(context, [body], armature, within="mask"))
    assert entries(body, everything[1::2]) == before
    head = group_weights(body)["head"]
    mine = fresh["head"] > 0.99
    mine[1::2] = False
    np.testing.assert_allclose(head[mine], 0.25, atol=0.01)


def test_locks_and_selection_hold_for_a_mesh_that_is_not_bound_yet(context, person):
    body, = add_character(person)
    done = auto_rig(context, [body], load_template("biped"))
    body.modifiers.clear()
    body.parent = None
    body.vertex_groups["forearm.L"].lock_weight = True
    before = group_weights(body)["forearm.L"]
    run(bind_steps(context, [body], done.armature))
    np.testing.assert_array_equal(group_weights(body)["forearm.L"], before)
    assert body.find_armature() is done.armature and body.parent is done.armature


@pytest.mark.parametrize("button", ["bind", "only_selected", "copy"])
def test_a_mesh_in_edit_mode_is_bound_though_another_object_is_active(extension, rigged, button):
    body, armature = rigged
    new = add_mesh("new", world_points(body), [p.vertices for p in body.data.polygons])
    new.select_set(True)
    extension.view_layer.objects.active = new
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    body.select_set(button == "copy")
    extension.view_layer.objects.active = body if button == "copy" else armature
    assert new.mode == "EDIT" and extension.mode == "OBJECT"
    assert (bpy.ops.geppetto.copy_weights() if button == "copy" else
            bpy.ops.geppetto.bind(only_selected=button == "only_selected")) == {"FINISHED"}
    assert new.mode == "OBJECT" and [m.object for m in new.modifiers] == [armature]
    np.testing.assert_allclose(sums(new, armature.data.bones.keys()), 1.0, atol=1e-5)


def told(body, armature, **choices) -> tuple[str, ...]:
    return run(bind_steps(bpy.context, [body], armature, **choices)).warnings


@pytest.mark.long
@pytest.mark.parametrize(("scale", "place"), [(100, 0), (0.01, 0), (1, 3)])
def test_a_skeleton_of_another_size_or_place_is_told(context, rigged, scale, place):
    body, armature = rigged
    assert not told(body, armature)
    body.parent = None
    armature.scale, armature.location.x = (scale,) * 3, place
    context.view_layer.update()
    said, = told(body, armature)
    assert said.startswith("No bone of 'body rig' lies in 'body'")


def test_vertices_that_were_not_chosen_and_follow_no_bone_are_told(context, rigged):
    body, armature = rigged
    chosen = world_points(body)[:, 2] > 1.0
    body.data.vertices.foreach_set("select", chosen)
    assert not told(body, armature, only_selected=True)
    body.vertex_groups.clear()
    said, = told(body, armature, only_selected=True)
    assert said.startswith(f"{(~chosen).sum()} vertices follow no bone")


@pytest.mark.parametrize("name", ["forearm.L", "mine"])
@pytest.mark.parametrize("is_locked", [False, True])
def test_the_active_group_stays_active(context, rigged, name, is_locked):
    body, armature = rigged
    body.vertex_groups.new(name="mine").lock_weight = True
    body.vertex_groups["head"].lock_weight = is_locked
    body.vertex_groups.remove(body.vertex_groups["toe.L"])
    body.vertex_groups.active_index = body.vertex_groups[name].index
    run(bind_steps(context, [body], armature))
    assert body.vertex_groups.active.name == name and "toe.L" in body.vertex_groups


def test_what_followed_envelopes_follows_its_weights(context, rigged):
    body, armature = rigged
    modifier = body.modifiers[0]
    modifier.use_vertex_groups, modifier.use_bone_envelopes = False, True
    run(bind_steps(context, [body], armature))
    assert modifier.use_vertex_groups and modifier.use_bone_envelopes


@pytest.mark.long
def test_a_mesh_of_which_nothing_is_chosen_is_not_bound(context, rigged):
    body, armature = rigged
    hat = add_mesh("hat", world_points(body) * 0.1 + [0, 0, 1.7], [p.vertices for p in body.data.polygons])
    body.vertex_groups.new(name="mask").add(range(900), 1.0, "REPLACE")
    done = run(bind_steps(context, [body, hat], armature, within="mask"))
    assert not hat.modifiers and hat.parent is None and not hat.vertex_groups and not done.warnings


def test_an_armature_without_a_third_dimension_is_refused_before_anything_changes(context, rigged):
    body, armature = rigged
    body.modifiers.clear()
    body.parent = None
    armature.scale.z = 0.0
    context.view_layer.update()
    before = group_weights(body).keys()
    with pytest.raises(BadRig, match="'body rig' is flat"):
        run(bind_steps(context, [body], armature))
    assert not body.modifiers and group_weights(body).keys() == before


def test_nothing_selected_is_said_and_nothing_changes(context, rigged):
    body, armature = rigged
    body.data.vertices.foreach_set("select", np.zeros(len(body.data.vertices), bool))
    before = entries(body, range(len(body.data.vertices)))
    with pytest.raises(BadMesh, match="No vertex is chosen"):
        run(bind_steps(context, [body], armature, only_selected=True))
    with pytest.raises(BadMesh, match="No vertex is chosen"):
        run(bind_steps(context, [body], armature, within="nowhere"))
    assert entries(body, range(len(body.data.vertices))) == before


def test_only_deforming_bones_get_weights(context, rigged):
    body, armature = rigged
    armature.data.bones["spine"].use_deform = False
    assert "spine" not in read_rig(armature).names
    body.vertex_groups["chest"].lock_weight = True
    spine = group_weights(body)["spine"]
    run(bind_steps(context, [body], armature))
    np.testing.assert_array_equal(group_weights(body)["spine"], spine)  # not ours to touch: it moves nothing now
