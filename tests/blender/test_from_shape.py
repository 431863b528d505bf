"""From Shape in Blender: chosen, rigged, updated after a pin; in doubt the other thing is a click away."""

from __future__ import annotations

from unittest.mock import MagicMock

import bpy
import numpy as np
import pytest
from mathutils import Matrix

import geppetto
from geppetto.addon import names, session
from geppetto.addon.bridge.armature import read_notes, read_warnings
from geppetto.addon.characters import templates
from geppetto.addon.choices import template_for
from geppetto.addon.editing import limbs, pins
from geppetto.addon.motion.moving import move
from geppetto.addon.panels import character
from geppetto.core.errors import BadMotion
from geppetto.core.fitting.check import check_character
from geppetto.core.fitting.missing import Missing
from geppetto.core.fitting.verdict import EVEN, LEG_PAIRS
from geppetto.core.pipeline import prepare
from geppetto.core.seeing.stance import UPRIGHT, Stance, stance_facing
from tests import characters

from .scenes import add_mesh


@pytest.fixture
def spider(context):
    geppetto.register()
    mesh = characters.many_legged(vertices=2500).mesh
    o = add_mesh("spider", mesh.vertices, mesh.faces)
    o.select_set(True)
    context.view_layer.objects.active = o
    yield o
    geppetto.unregister()


@pytest.mark.long
def test_a_spider_is_rigged_from_its_shape(context, spider):
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    armature = spider.find_armature()
    assert armature.data[names.MADE_BY] == "spider"
    assert sum(b.name.startswith("leg_") and b.name.split(".")[0].endswith("_1") for b in armature.data.bones) == 8
    assert {g.name for g in spider.vertex_groups} >= {"leg_1_1.L", "leg_1_4.R", "spine_1"}


@pytest.mark.long
def test_a_creature_is_chosen_by_hand_or_refused_in_words(context, spider):
    bpy.ops.object.geppetto_auto_rig(preset="insect")  # two legs too many for one
    assert spider.find_armature().data[names.MADE_BY] == "insect"
    bpy.ops.object.geppetto_auto_rig(preset="fish")
    assert spider.find_armature().data[names.MADE_BY] == "shape"
    assert any("unlike the skeleton 'fish'" in text for text in read_warnings(spider.find_armature()))


@pytest.mark.long
def test_a_spider_does_no_motions_of_people(context, spider):
    bpy.ops.object.geppetto_auto_rig()
    with pytest.raises(BadMotion, match=r"'dance' is for another kind of body\. Choose one of: .*walk"):
        move(context, spider.find_armature(), "dance")


@pytest.mark.long
def test_a_spider_walks_and_its_feet_hold(context, spider):
    bpy.ops.object.geppetto_auto_rig()
    armature = spider.find_armature()
    context.view_layer.objects.active = armature
    assert bpy.ops.object.geppetto_move(motion="walk", travel="hips") == {"FINISHED"}
    action = armature.animation_data.action
    first, last = (round(f) for f in action.frame_range)
    feet = [b.name for b in armature.data.bones if b.name.startswith("leg_") and b.name.split(".")[0].endswith("_4")]
    places = []
    for frame in range(first, last + 1):
        context.scene.frame_set(frame)
        places.append([armature.pose.bones[name].tail.copy() for name in feet])
    steps = np.linalg.norm(np.diff(np.array(places), axis=0), axis=2)
    assert len(feet) == 8 and ((steps < 1e-4).sum(0) >= 0.4 * len(steps)).all() and (steps.max(0) > 0.05).all()
    way = np.array(places[-1]) - np.array(places[0])
    np.testing.assert_allclose(way, np.broadcast_to(way[0], way.shape), atol=1e-4)  # the loop closes
    assert bpy.ops.object.geppetto_move(motion="walk", travel="hips", pace="legs", ground_speed=0.5) == {"FINISHED"}
    slow = tuple(armature.animation_data.action.frame_range)
    assert bpy.ops.object.geppetto_move(motion="walk", travel="hips", pace="legs", ground_speed=1.5) == {"FINISHED"}
    assert np.ptp(armature.animation_data.action.frame_range) < 0.7 * np.ptp(slow), "legs step quicker"
    with pytest.raises(RuntimeError, match="another kind of body"):
        bpy.ops.object.geppetto_move(motion="fly")


@pytest.mark.long
def test_a_template_of_a_spider_goes_on_eight_legs_too(context, spider, tmp_path, monkeypatch):
    monkeypatch.setattr(templates, "folder", lambda *, create=False: tmp_path)
    bpy.ops.object.geppetto_auto_rig()
    context.view_layer.objects.active = spider.find_armature()
    assert bpy.ops.geppetto.save_template(name="mine") == {"FINISHED"}
    context.view_layer.objects.active = spider
    context.scene.geppetto.preset = "own: mine"
    assert bpy.ops.object.geppetto_rig_and_move() == {"FINISHED"}
    armature = spider.find_armature()
    assert armature.data[names.MADE_BY] == "mine" and armature.animation_data.action.name.endswith("walk")
    context.view_layer.objects.active = armature
    assert bpy.ops.object.geppetto_move(motion="walk", travel="none") == {"FINISHED"}
    feet = [b.name for b in armature.data.bones if b.name.startswith("leg_") and b.name.split(".")[0].endswith("_4")]
    heights = []
    for frame in range(*map(round, armature.animation_data.action.frame_range)):
        context.scene.frame_set(frame)
        heights.append([armature.pose.bones[name].tail.z for name in feet])
    assert len(feet) == 8 and (np.ptp(heights, axis=0) > 0.01).all()


@pytest.mark.long
def test_a_spider_that_lies_in_its_file_walks_its_own_way(context, spider):
    """Along its own ground, which is upright in the world, also after the rig is turned to stand on it."""
    spider.data.transform(Matrix.Rotation(np.pi / 2, 4, "X"))  # its up is the world's -Y, its front the world's -Z
    bpy.ops.object.geppetto_auto_rig(up="-Y", front="-Z")
    armature = spider.find_armature()
    assert armature.data[names.MADE_BY] == "spider"
    context.view_layer.objects.active = armature
    for turn, down in ((Matrix.Identity(4), 1), (Matrix.Rotation(-np.pi / 2, 4, "X"), 2)):
        armature.matrix_world = turn
        assert bpy.ops.object.geppetto_move(motion="walk", travel="hips") == {"FINISHED"}
        ends = []
        for frame in armature.animation_data.action.frame_range:
            context.scene.frame_set(round(frame))
            ends.append(armature.matrix_world @ armature.pose.bones["spine_1"].head)
        way = np.abs(ends[1] - ends[0])
        assert way[2 if down == 1 else 1] > 0.05 and way[down] < 1e-3 * way.max()


@pytest.mark.long
def test_the_test_pose_bends_every_limb_of_a_fish(extension):
    """Also those that no exercise of its own is for."""
    mesh = characters.fish(vertices=2000).mesh
    fish = add_mesh("fish", mesh.vertices, mesh.faces)
    fish.select_set(True)
    extension.view_layer.objects.active = fish
    bpy.ops.object.geppetto_auto_rig()
    armature, moved = fish.find_armature(), set()
    for at in np.linspace(0.02, 0.98, 25):
        setattr(armature, names.TEST_POSE, at)
        moved |= {b.name for b in armature.pose.bones if not np.allclose(b.matrix_basis, np.eye(4), atol=1e-3)}
    assert armature.data[names.MADE_BY] == "fish"
    assert moved == {b.name for b in armature.data.bones if b.parent is not None}


@pytest.mark.long
def test_detail_is_kept_with_the_rig_and_pins_move_it(context, spider):
    bpy.ops.object.geppetto_auto_rig(preset="shape", shape_detail=0.2)
    armature = spider.find_armature()
    assert armature.data[names.MADE_BY] == "shape 0.2"
    place = np.array(armature.matrix_world @ armature.data.bones["limb_1_2.L"].head_local) + [0, 0, 0.03]
    pins.set_pin(spider, "limb_1_2.L", place)
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    np.testing.assert_allclose(armature.data.bones["limb_1_2.L"].head_local, place, atol=1e-5)


@pytest.mark.long
def test_a_number_of_bones_that_the_rig_does_not_have_is_told(context, spider):
    def told() -> str | None:
        layout = MagicMock()
        character.draw_made_with(layout, context, 0.2)
        return layout.label.call_args and layout.label.call_args.kwargs.get("text", "")

    assert told() is None
    for detail, said in ((0.5, "Rig anew to apply"), (0.2, "")):
        bpy.ops.object.geppetto_auto_rig(preset="shape", shape_detail=detail)
        assert told() == said


@pytest.mark.long
def test_in_doubt_the_other_thing_is_a_click_away(context, spider, monkeypatch):
    monkeypatch.setattr("geppetto.core.fitting.verdict.find_missing", lambda mesh, template: Missing())
    monkeypatch.setattr("geppetto.core.fitting.verdict.unseen", lambda mesh, kind: EVEN[False] + 0.02)
    monkeypatch.setattr("geppetto.core.fitting.verdict.SHOWN", 1.0)
    monkeypatch.setitem(LEG_PAIRS, "centaur", 4)  # or so many legs leave no doubt
    bpy.ops.object.geppetto_auto_rig()
    found = session.check_of(spider.session_uid)
    assert found.preset == "spider" and found.other_preset
    assert bpy.ops.object.geppetto_take_other(preset="biped") == {"FINISHED"}
    assert context.scene.geppetto.preset == "biped"
    assert spider.find_armature().data[names.MADE_BY] == "biped"


@pytest.mark.long
def test_a_stance_that_was_taken_is_in_doubt_no_more(context, spider, monkeypatch):
    doubtful = Stance(np.eye(3), 0.5, other=("Z", "Y"))
    monkeypatch.setattr("geppetto.addon.choices.detect_stance", lambda mesh, up, front, has_base: (
        doubtful if up == "auto" else stance_facing(up, front)))
    bpy.ops.object.geppetto_auto_rig()
    assert session.check_of(spider.session_uid).other_stance == ("Z", "Y")
    assert bpy.ops.object.geppetto_take_other(up="Z", front="Y") == {"FINISHED"}
    assert (context.scene.geppetto.up, context.scene.geppetto.front) == ("Z", "Y")
    assert session.check_of(spider.session_uid).front == "Y" and session.check_of(spider.session_uid).other_stance == ()
    asked = bpy.ops.object.geppetto_take_other.get_rna_type().properties
    assert all(asked[key].is_skip_save for key in ("preset", "up", "front")), "Blender would ask the same next time"


@pytest.mark.long
def test_a_body_that_was_laid_down_by_mistake_is_stood_up_at_a_click(context, extension, person):
    o = add_mesh("person", person.mesh.vertices, person.mesh.faces)
    o.select_set(True)
    context.view_layer.objects.active = o
    bpy.ops.object.geppetto_auto_rig(up="Y", front="Z")
    assert any(text.startswith("Y is set as up, but with Z up") for text in read_warnings(o.find_armature()))
    up, front = session.check_of(o.session_uid).other_stance
    assert bpy.ops.object.geppetto_take_other(up=up, front=front) == {"FINISHED"}
    assert o.find_armature().data[names.MADE_BY] == "biped"
    assert not read_warnings(o.find_armature())


@pytest.mark.long
def test_a_creature_on_its_side_stands_up_in_all_that_is_done_with_it(context, extension):
    mesh = characters.octopus(np.random.default_rng(1400001)).mesh
    o = add_mesh("octopus", mesh.vertices @ [[1.0, 0, 0], [0, 0, 1], [0, -1, 0]], mesh.faces)
    o.select_set(True)
    context.view_layer.objects.active = o
    bpy.ops.geppetto.check()
    assert session.check_of(o.session_uid).preset == "octopus" and session.check_of(o.session_uid).up == "-Y"
    bpy.ops.object.geppetto_auto_rig()
    rig = o.find_armature()
    assert rig.data[names.MADE_BY] == "octopus" and not read_warnings(rig)
    assert read_notes(rig) == (
        "'octopus' is taken to stand with -Y up, facing Z: it looks like a creature standing so.",)
    names_now, heads = zip(*((bone.name, tuple(bone.head_local)) for bone in rig.data.bones), strict=True)
    bpy.ops.geppetto.update_rig()
    assert np.allclose([rig.data.bones[name].head_local for name in names_now], heads, atol=1e-4)
    up, front = session.check_of(o.session_uid).other_stance
    assert bpy.ops.object.geppetto_take_other(up=up, front=front) == {"FINISHED"}
    assert context.scene.geppetto.up == "Z" and o.find_armature().data[names.MADE_BY] == "shape"


@pytest.mark.long
def test_joints_and_weights_of_a_creature_are_checked(context, spider):
    bpy.ops.object.geppetto_auto_rig()
    context.view_layer.objects.active = spider.find_armature()
    assert bpy.ops.geppetto.check_weights() == {"FINISHED"}


@pytest.mark.long
def test_the_menu_and_the_command_line_mean_the_same():
    mesh = characters.many_legged(vertices=2500).mesh
    shape = prepare(mesh, stance=UPRIGHT)
    assert check_character(shape).preset == "spider"
    assert template_for("auto")(shape) is template_for("spider")(shape)
    assert len(template_for("shape 0.9")(shape).bones) > len(template_for("shape")(shape).bones)


@pytest.mark.long
def test_a_limb_goes_and_comes_by_a_click_and_the_rest_stays(context, spider):
    bpy.ops.object.geppetto_auto_rig()
    armature = spider.find_armature()
    before = {b.name: b.head_local.copy() for b in armature.data.bones}
    tip = armature.matrix_world @ armature.data.bones["leg_2_4.L"].tail_local
    lost = {f"leg_2_{k}.{s}" for k in (1, 2, 3, 4) for s in "LR"}
    assert bpy.ops.geppetto.show_joints() == {"FINISHED"}
    assert bpy.ops.geppetto.remove_limb(place=tip) == {"FINISHED"}
    assert bpy.ops.geppetto.hide_joints() == {"FINISHED"}
    armature = spider.find_armature()
    assert set(before) - {b.name for b in armature.data.bones} == lost
    assert not lost & {g.name for g in spider.vertex_groups}
    assert bpy.ops.geppetto.show_joints() == {"FINISHED"}
    assert bpy.ops.geppetto.add_limb(place=tip) == {"FINISHED"}
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    armature = spider.find_armature()
    new = {b.name for b in armature.data.bones} - set(before)
    assert {"limb_1_1.L", "limb_1_1.R"} <= new and {n.split("_")[0] for n in new} == {"limb"}
    assert new <= {g.name for g in spider.vertex_groups}
    for name in set(before) - lost:
        np.testing.assert_allclose(armature.data.bones[name].head_local, before[name], atol=1e-5)
    assert armature.data.bones["limb_1_1.L"].parent is not None
    assert all(abs(sum(g.weight for g in v.groups) - 1) < 1e-4 for v in spider.data.vertices)
    assert bpy.ops.geppetto.clear_limbs() == {"FINISHED"}
    assert bpy.ops.geppetto.hide_joints() == {"FINISHED"}
    assert {b.name for b in spider.find_armature().data.bones} == set(before)


@pytest.mark.long
def test_a_click_that_takes_away_no_limb_changes_nothing(context, spider):
    bpy.ops.object.geppetto_auto_rig()
    armature = spider.find_armature()
    assert bpy.ops.geppetto.show_joints() == {"FINISHED"}
    place = armature.matrix_world @ armature.data.bones["spine_1"].tail_local
    with pytest.raises(RuntimeError, match="no limb here"):
        bpy.ops.geppetto.remove_limb(place=place)
    assert getattr(spider, names.LIMBS) == ""
    assert bpy.ops.geppetto.remove_limb(place=armature.matrix_world @ armature.data.bones["leg_1_4.R"].tail_local) == {
        "FINISHED"}
    assert bpy.ops.geppetto.discard_joints() == {"FINISHED"}
    assert getattr(spider, names.LIMBS) == ""


@pytest.mark.slow
def test_limbs_taken_away_stay_away_when_a_scale_is_applied(context, spider):
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    armature = spider.find_armature()
    tip = armature.matrix_world @ armature.data.bones["leg_2_4.L"].tail_local
    assert bpy.ops.geppetto.show_joints() == {"FINISHED"}
    assert bpy.ops.geppetto.remove_limb(place=tip) == {"FINISHED"}
    assert bpy.ops.geppetto.hide_joints() == {"FINISHED"}
    bones = set(armature.data.bones.keys())
    assert "leg_2_4.L" not in bones
    bpy.ops.object.select_all(action="DESELECT")
    spider.select_set(True)
    armature.select_set(True)
    armature.scale = (0.2, 0.2, 0.2)
    context.view_layer.update()
    bpy.ops.object.transform_apply()
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    assert set(armature.data.bones.keys()) == bones


@pytest.mark.long
def test_a_limb_that_suits_the_body_no_more_is_left_out_and_told(context, spider):
    limbs.say_limb(spider, np.array([9.0, 0.0, 0.0]), is_added=False, is_both=True)
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    assert any("no longer suit the body" in w for w in read_warnings(spider.find_armature()))
    assert len(spider.find_armature().data.bones) > 20
    assert bpy.ops.geppetto.show_joints() == {"FINISHED"} and bpy.ops.geppetto.clear_limbs() == {"FINISHED"}


@pytest.mark.slow
def test_bones_that_were_renamed_or_deleted_do_not_come_back(context, spider):
    bpy.ops.object.geppetto_auto_rig()
    armature = spider.find_armature()
    armature.data.bones["leg_1_1.L"].name = "Coxa.L"
    context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.remove(armature.data.edit_bones["leg_2_4.R"])
    bpy.ops.object.mode_set(mode="OBJECT")
    left = {b.name for b in armature.data.bones}
    for _ in range(3):
        assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
        assert {b.name for b in spider.find_armature().data.bones} == left


def test_what_was_said_of_limbs_stays_where_a_larger_mesh_joins(context, spider):
    limbs.say_limb(spider, np.zeros(3), is_added=False, is_both=True)
    hat = add_mesh("hat", np.random.default_rng(0).random((60000, 3)), np.arange(60000).reshape(-1, 3))
    assert pins.owner_of([hat, spider]) == spider


@pytest.mark.long
def test_a_style_is_left_out_of_a_motion_made_to_measure_and_told(context, spider):
    assert bpy.ops.object.geppetto_rig_and_move(energy=0.5) == {"FINISHED"}
    armature = spider.find_armature()
    assert armature.animation_data.action is not None
    assert any("It has no style" in told for told in session.doubts_of(armature.session_uid))


@pytest.mark.long
@pytest.mark.parametrize("travel", ["hips", "root", "none"])
def test_the_way_lies_on_what_travel_says(context, spider, travel):
    bpy.ops.object.geppetto_auto_rig(root=True)
    armature = spider.find_armature()
    assert bpy.ops.object.geppetto_move(motion="walk", travel=travel) == {"FINISHED"}
    far = {}
    context.scene.frame_set(1)
    last = int(armature.animation_data.action.frame_range[1])
    for name in ("root", "spine_1"):
        bone = armature.pose.bones[name]
        context.scene.frame_set(1)
        begin = armature.matrix_world @ bone.head
        context.scene.frame_set(last)
        far[name] = ((armature.matrix_world @ bone.head) - begin).length
    assert (far["root"] > 0.1) == (travel == "root") and (far["spine_1"] > 0.1) == (travel != "none")


@pytest.mark.long
@pytest.mark.parametrize(("system", "warns"), [("METRIC", False), ("NONE", True)])
def test_a_size_that_the_scenes_units_make_right_is_no_matter(context, spider, system, warns):
    context.scene.unit_settings.system, context.scene.unit_settings.scale_length = system, 0.01
    spider.data.transform(Matrix.Scale(200.0, 4))
    bpy.ops.object.geppetto_auto_rig()
    assert any("huge" in text for text in read_warnings(spider.find_armature())) == warns


@pytest.mark.parametrize(("name", "bones", "is_so"), [
    ("shape", (), True), ("shape", ("spine_1",), True), ("my own", ("spine_1",), True), ("my own", ("spine",), False),
    ("biped", ("spine_1",), False)])
def test_a_skeleton_is_as_from_the_shape_by_its_name_or_if_it_is_the_artists_by_its_bones(name, bones, is_so):
    assert templates.is_as_from_shape(name, bones) == is_so
