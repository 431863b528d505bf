"""A mesh that one armature moves and another did before: each keeps its own binding, also under the same bone names."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from geppetto.addon.characters.rigged import armature_of

from .scenes import add_character, deformed_points, group_weights, world_points
from .test_situations import choose


def own_armature(bones=("low", "head")):
    """An artist's armature of two bones above one another."""
    own = bpy.data.objects.new("own", bpy.data.armatures.new("own"))
    bpy.context.scene.collection.objects.link(own)
    choose(own)
    bpy.ops.object.mode_set(mode="EDIT")
    for name, low, high in zip(bones, (0.0, 0.9), (0.9, 1.7), strict=True):
        bone = own.data.edit_bones.new(name)
        bone.head, bone.tail = (0, 0, low), (0, 0, high)
    bpy.ops.object.mode_set(mode="OBJECT")
    return own


def moved_by_head(body, armature) -> float:
    """How far skin goes when an armature's head is moved by 1."""
    armature.pose.bones["head"].scale.y = 10.0
    far = float(np.abs(deformed_points(body) - world_points(body)).max())
    armature.pose.bones["head"].scale.y = 1.0
    return far


@pytest.fixture
def bound_to_own(extension, person):
    """(body, our rig, the artist's armature the body was bound to after it); both have a bone `head`."""
    body, = add_character(person)
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    ours, own = armature_of(body), own_armature()
    choose(body, own)
    assert bpy.ops.geppetto.bind() == {"FINISHED"}
    assert {m.object: m.show_viewport for m in body.modifiers} == {own: True, ours: False}
    return body, ours, own


def test_a_binding_of_ours_is_kept_beside_the_artists(bound_to_own):
    body, ours, own = bound_to_own
    assert {"head", "head (body rig)", "low"} <= {g.name for g in body.vertex_groups} and ours.name == "body rig"
    assert moved_by_head(body, own) > 0.9


def test_removing_a_rig_that_is_switched_off_leaves_the_groups_another_uses(bound_to_own):
    body, ours, own = bound_to_own
    weights = group_weights(body)
    choose(ours)
    assert bpy.ops.geppetto.remove_rig() == {"FINISHED"}
    now = group_weights(body)
    assert now.keys() == {"low", "head"} & weights.keys()
    np.testing.assert_array_equal(now["head"], weights["head"])
    assert moved_by_head(body, own) > 0.9


def test_updating_a_rig_that_is_switched_off_changes_no_group_another_uses(bound_to_own):
    body, ours, own = bound_to_own
    before = group_weights(body)
    for aside in (True, False):  # put aside when it was bound, or not: as where only some vertices were bound
        if not aside:
            body.vertex_groups.remove(body.vertex_groups["head (body rig)"])
        choose(ours)
        assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
        now = group_weights(body)
        np.testing.assert_array_equal(now["head"], before["head"])
        np.testing.assert_allclose(now["head (body rig)"], before["head (body rig)"], atol=1e-5)
        assert moved_by_head(body, own) > 0.9


def test_a_rig_switched_off_by_hand_has_groups_of_its_own_from_its_next_update_on(extension, person):
    body, = add_character(person)
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    ours, own = armature_of(body), own_armature()
    for modifier in body.modifiers:
        modifier.show_viewport = False
    body.modifiers.new("own", "ARMATURE").object = own
    held = group_weights(body)["head"]
    choose(ours)
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    np.testing.assert_array_equal(group_weights(body)["head"], held)
    np.testing.assert_allclose(group_weights(body)["head (body rig)"], held, atol=1e-5)
    choose(ours)
    assert bpy.ops.geppetto.remove_rig() == {"FINISHED"}
    assert group_weights(body).keys() == {"head"}, "what is left is the other's"
    assert moved_by_head(body, own) > 0.9


def test_a_new_rig_of_ours_makes_room_for_the_artists_bones_and_gives_their_groups_back(bound_to_own):
    body, first, own = bound_to_own
    held = group_weights(body)["head"]
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    second = armature_of(body)
    np.testing.assert_array_equal(group_weights(body)["head (own)"], held)
    weights = group_weights(body)
    choose(first)
    assert bpy.ops.geppetto.remove_rig() == {"FINISHED"}
    assert group_weights(body).keys() == weights.keys() - {"head (body rig)"}, "the second rig has the same bones"
    choose(second)
    assert bpy.ops.geppetto.remove_rig() == {"FINISHED"}
    np.testing.assert_array_equal(group_weights(body)["head"], held)
    assert moved_by_head(body, own) > 0.9 and len(body.modifiers) == 1


@pytest.mark.parametrize("renamed", ["armature", "modifier", "both"])
def test_what_moved_the_mesh_before_does_so_again_though_it_was_renamed(extension, person, renamed):
    body, = add_character(person)
    own = own_armature(("hips", "head"))
    high = [v.index for v in body.data.vertices if v.co.z >= 1.0]
    body.vertex_groups.new(name="head").add(high, 1.0, "REPLACE")
    modifier = body.modifiers.new("Own", "ARMATURE")
    modifier.object = own
    limited = body.modifiers.new("limited", "SMOOTH")
    limited.vertex_group = "head"
    limited.show_viewport = False
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    assert limited.vertex_group == "head (own)"
    if renamed != "modifier":
        own.name = "Carl"
    if renamed != "armature":
        modifier.name = "the old skeleton"
    choose(body)
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert bpy.ops.geppetto.remove_rig() == {"FINISHED"}
    for o in (body, copy):
        assert [(m.type, m.show_viewport) for m in o.modifiers] == [("ARMATURE", True), ("SMOOTH", False)]
        assert [g.name for g in o.vertex_groups] == ["head"] and o.modifiers["limited"].vertex_group == "head"
        assert moved_by_head(o, own) > 0.9


def bind_to(body, armature, **choices) -> None:
    choose(body, armature)
    assert bpy.ops.geppetto.bind(**choices) == {"FINISHED"}


def test_a_mesh_bound_again_to_what_moved_it_first_follows_that(bound_to_own):
    body, ours, own = bound_to_own
    held = group_weights(body)
    for armature, other in ((ours, own), (own, ours), (ours, own)):
        bind_to(body, armature)
        assert {m.object: m.show_viewport for m in body.modifiers} == {armature: True, other: False}
        assert moved_by_head(body, armature) > 0.9 and moved_by_head(body, other) < 1e-6
        now = group_weights(body)
        assert now.keys() == {*held, f"head ({other.name})"} - {f"head ({armature.name})"}
    np.testing.assert_array_equal(now["head (own)"], held["head"])
    np.testing.assert_allclose(now["head"], held["head (body rig)"], atol=1e-5)


def test_weights_copied_to_a_mesh_whose_binding_is_off_switch_it_on(bound_to_own):
    body, _, own = bound_to_own
    new = body.copy()
    bpy.context.scene.collection.objects.link(new)
    new.modifiers["own"].show_viewport = False
    choose(new, body)
    assert bpy.ops.geppetto.copy_weights() == {"FINISHED"}
    assert moved_by_head(new, own) > 0.9


@pytest.mark.long
@pytest.mark.parametrize("way", ["locked", "selected", "copied"])
def test_what_another_armature_moves_a_mesh_by_stays_though_some_weights_are_to_stay(extension, person, way):
    body, = add_character(person)
    own, other = own_armature(), own_armature(("hips", "head"))
    bind_to(body, own)
    painted = group_weights(body)["head"]
    some = np.flatnonzero((painted > 0.4) & (painted < 0.6))
    painted[some] = 0.25
    body.vertex_groups["head"].add(some.tolist(), 0.25, "REPLACE")
    body.vertex_groups["low"].lock_weight = True
    body.data.vertices.foreach_set("select", world_points(body)[:, 2] > 1.0)
    if way == "selected":
        bind_to(body, other, only_selected=True)
    elif way == "locked":
        body.vertex_groups["head"].lock_weight = True
        bind_to(body, other)
        assert body.vertex_groups["head"].lock_weight
    else:
        new, = add_character(person)
        bind_to(new, other)
        body.vertex_groups["head"].lock_weight = True
        choose(body, new)
        assert bpy.ops.geppetto.copy_weights() == {"FINISHED"}
    now = group_weights(body)
    np.testing.assert_array_equal(now["head (own)"], painted)
    stays = world_points(body)[:, 2] <= 1.0 if way == "selected" else slice(None)
    np.testing.assert_array_equal(now["head"][stays], painted[stays])
    assert moved_by_head(body, other) > 0.2 and moved_by_head(body, own) < 1e-6
    body.vertex_groups["low"].lock_weight = False
    bind_to(body, own, only_selected=True)
    assert moved_by_head(body, own) > 0.2 and moved_by_head(body, other) < 1e-6
    np.testing.assert_array_equal(group_weights(body)["head (own.001)"], now["head"])
