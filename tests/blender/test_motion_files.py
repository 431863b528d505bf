"""Motion files of every convention, their actions, and what carries the way."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from geppetto.addon import batch
from geppetto.addon.batching import motions
from geppetto.addon.batching.options import RigOptions
from geppetto.addon.bridge import motion_file
from geppetto.addon.bridge.action import read_action_steps
from geppetto.addon.bridge.motion_file import motions_in, opened_motion
from geppetto.addon.formats import BadFile, split_motion
from geppetto.addon.motion.moving import MoveOptions, move
from geppetto.core.errors import BadMotion
from geppetto.core.geometry.rotation import angle, conjugate, multiply
from geppetto.core.motion.clip_file import load_motion
from geppetto.core.motion.retarget import retarget_told
from geppetto.core.pipeline import run
from tests.core.motion.bodies import person_rig
from tests.motion_files import CONVENTIONS, Convention, repeated, write_bvh

from .scenes import add_character
from .test_motion import add_rig


@pytest.mark.parametrize("kind", CONVENTIONS)
def test_a_walk_lands_whatever_program_wrote_it(context, tmp_path, kind):
    walk = repeated(load_motion("walk"), 2).changed(loop=False)
    clip = run(opened_motion(context, write_bvh(tmp_path / "walk.bvh", walk, CONVENTIONS[kind])))
    _, told = retarget_told(clip, person_rig(1))
    assert told.arm < 3 and told.leg_middle < 3 and told.slide < 0.03 and told.recall > 0.95
    assert 0.9 < told.rise < 1.25 and told.precision > 0.85
    assert any("rest pose" in text for text in clip.warnings) == (CONVENTIONS[kind].rest != "own")


def moving(context, person, name="source"):
    """An armature that waves, and the clip it shows."""
    armature = add_rig(context, person.joints, name=name)
    context.scene.render.fps = 30
    move(context, armature, "walk", MoveOptions(travel="hips"))
    return armature, run(read_action_steps(context, armature))


def same(a, b, scale=1.0) -> bool:
    return bool(angle(multiply(a.rotations, conjugate(b.rotations))).max() < 1e-3
                and np.abs(a.root - scale * b.root).max() < 1e-3 * scale)


def test_the_way_of_an_object_and_of_what_carries_it_counts(context, person):
    armature, wanted = moving(context, person)
    still = add_rig(context, person.joints, name="still")
    armature.animation_data_clear()
    for bone in armature.pose.bones:
        bone.location, bone.rotation_quaternion = (0, 0, 0), (1, 0, 0, 0)
    carrier = bpy.data.objects.new("reference", None)
    context.scene.collection.objects.link(carrier)
    armature.parent = carrier
    for o, keys in ((armature, ((1, (0, 0, 0)), (31, (0, -2, 0)))), (carrier, ((1, (0, 0, 0)), (31, (1, 0, 3))))):
        for frame, place in keys:
            o.location = place
            o.keyframe_insert("location", frame=frame)
    clip = run(read_action_steps(context, armature))
    np.testing.assert_allclose(clip.root[-1] - clip.root[0], (1, -2, 3), atol=1e-4)
    with pytest.raises(BadMotion, match="has no motion"):
        run(read_action_steps(context, still))
    assert np.linalg.norm(wanted.root[-1] - wanted.root[0]) > 0.1


def test_scale_and_axes_of_an_armature_are_its_files_not_the_motions(context, person):
    armature, wanted = moving(context, person)
    turn = Matrix.Rotation(np.pi / 2, 4, "X") @ Matrix.Scale(0.01, 4)
    armature.data.transform(turn.inverted())
    for curve in [c for c in _curves(armature.animation_data.action) if c.data_path.endswith("location")]:
        for key in curve.keyframe_points:
            key.co[1] *= 100
    armature.matrix_world = turn
    context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.object.mode_set(mode="OBJECT")
    found = run(read_action_steps(context, armature))
    assert same(found, wanted)


def _curves(action):
    from geppetto.addon.bridge.curves import curves_of
    return curves_of(action)


def two_actions(context, person, path):
    """A .glb whose armature has the actions "hop" and "stroll"."""
    armature = add_rig(context, person.joints, name="file")
    context.scene.render.fps = 30
    for name, motion in (("hop", "jump"), ("stroll", "walk")):
        action = move(context, armature, motion, MoveOptions(travel="hips")).action
        action.name = name
        track = armature.animation_data.nla_tracks.new()
        track.name, track.mute = name, True
        track.strips.new(name, 1, action)
    armature.animation_data.action = None
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.export_scene.gltf(filepath=str(path), export_format="GLB")
    bpy.data.objects.remove(armature)
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)
    return path


def test_all_actions_of_a_file_are_there_by_name(context, person, tmp_path):
    path = two_actions(context, person, tmp_path / "two.glb")
    before = {kind: set(getattr(bpy.data, kind)) for kind in ("objects", "actions", "armatures")}
    found = {one.name: one.seconds for one in motions_in(context, path)}
    assert set(found) == {"hop", "stroll"} and found["stroll"] == pytest.approx(32 / 30, abs=0.05)
    target = add_rig(context, person.joints)
    hop, stroll = (move(context, target, f"{path}:{name}", MoveOptions()) for name in ("hop", "stroll"))
    assert len(hop.clip.root) > len(stroll.clip.root) and "stroll" in stroll.action.name
    with pytest.raises(BadMotion, match="no action 'fly'"):
        move(context, target, f"{path}:fly")
    assert set(bpy.data.armatures) - before["armatures"] == {target.data}
    assert split_motion(f"{path}:a:b") == (str(path), "a:b") and split_motion("C:/x.bvh") == ("C:/x.bvh", "")


def test_a_file_has_its_frame_rate_and_the_scene_keeps_its_own(context, person, tmp_path):
    armature, wanted = moving(context, person)
    seconds = len(wanted.root[1:]) / wanted.rate
    context.scene.render.fps = 60
    context.scene.frame_end = round(move(context, armature, "walk", MoveOptions(travel="hips")).action.frame_end)
    bpy.ops.export_scene.fbx(filepath=str(tmp_path / "walk60.fbx"), add_leaf_bones=False,
                             bake_anim_use_nla_strips=False, bake_anim_use_all_actions=False)
    render = context.scene.render
    for fps, base in ((24, 1.0), (30, 1.001)):
        render.fps, render.fps_base = fps, base
        assert motions_in(context, tmp_path / "walk60.fbx")[0].seconds == pytest.approx(seconds, abs=0.04)
        moved = move(context, armature, str(tmp_path / "walk60.fbx"))
        assert (render.fps, render.fps_base) == (fps, pytest.approx(base)) and 55 < moved.clip.rate <= 60
        first, last = moved.action.frame_range
        assert (last - first) * base / fps == pytest.approx(seconds, abs=0.05)


@pytest.mark.slow
def test_a_batch_takes_all_actions_or_a_folder(context, person, tmp_path):
    add_character(person)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "person.blend"), copy=True)
    moves = tmp_path / "moves"
    moves.mkdir()
    two_actions(context, person, moves / "two.glb")
    write_bvh(moves / "walk.bvh", load_motion("walk").changed(loop=False), Convention())
    out = tmp_path / "out"
    arguments = [str(tmp_path / "person.blend"), "--out", str(out), "--no-picture", "--format", "glb"]
    assert batch.main([*arguments, "--motion", str(moves)], isolate=False) == 0
    entry, = json.loads((out / "report.json").read_text())["files"]
    assert [one["name"].split()[-1] for one in entry["motions"]] == ["hop", "stroll", "walk"]
    assert 0 < entry["motions"][0]["kept"]["recall"] <= 1
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.import_scene.gltf(filepath=str(out / "person.glb"))
    assert len(bpy.data.actions) == 3
    assert batch.main([*arguments, "--motion", f"{moves / 'two.glb'}:fly", "--speed", "natural"], isolate=False) == 0
    entry, = json.loads((out / "report.json").read_text())["files"]
    assert entry["motions"] == [] and any("two.glb:fly' was left out" in text for text in entry["warnings"])
    assert batch.main([*arguments, "--motion", str(tmp_path / "nothing.bvh")], isolate=False) == 2


@pytest.mark.parametrize(("has", "on", "moves"), [("nothing", "own", False), ("no keys", "own", False),
                                                  ("action", "own", True), ("strip", "own", True),
                                                  ("action", "carrier", True), ("strip", "carrier", True),
                                                  ("no keys", "carrier", False)])
def test_an_armature_moves_if_it_or_what_carries_it_has_an_action_or_strips(context, has, on, moves):
    armature, between, carrier = (bpy.data.objects.new(name, None) for name in ("armature", "between", "carrier"))
    armature.parent, between.parent = between, carrier
    o = armature if on == "own" else carrier
    if has != "nothing":
        data = o.animation_data_create()
        track, action = data.nla_tracks.new(), bpy.data.actions.new("waves")
        if has == "strip":
            track.strips.new("waves", 1, action)
        elif has == "action":
            data.action = action
    assert motion_file._is_moved(armature) == moves


def test_of_a_files_armatures_one_with_actions_counts_most_and_then_one_with_more_bones(context, monkeypatch):
    def read(*_):
        for name, bones in (("carried", 3), ("moves", 2), ("moves less", 1)):
            armature = bpy.data.objects.new(name, bpy.data.armatures.new(name))
            context.scene.collection.objects.link(armature)
            context.view_layer.objects.active = armature
            bpy.ops.object.mode_set(mode="EDIT")
            for k in range(bones):
                armature.data.edit_bones.new(f"{name} {k}").tail = (0, 0, 1)
            bpy.ops.object.mode_set(mode="OBJECT")
            moved = armature.pose.bones[0]
            if name == "carried":
                moved = armature.parent = bpy.data.objects.new("carrier", None)
            moved.keyframe_insert("location", frame=1)
        context.scene.frame_start, context.scene.frame_end = 3, 9
        context.scene.render.fps, context.scene.render.fps_base = 60, 1.5
        context.scene.frame_set(5)

    scene, held = context.scene, bpy.data.objects.new("held", None)
    scene.collection.objects.link(held)
    held.select_set(True)
    context.view_layer.objects.active = held
    scene.frame_start, scene.frame_end = 11, 30
    scene.render.fps, scene.render.fps_base = 25, 1.25
    scene.frame_set(17)
    monkeypatch.setattr(motion_file, "call_first", read)
    with motion_file._imported(context, Path("any.glb")) as (armature, actions):
        assert armature.name == "moves" and len(actions) == 1
    assert not bpy.data.armatures and not bpy.data.actions
    assert (scene.frame_start, scene.frame_end, scene.frame_current) == (11, 30, 17), "the scene is as before"
    assert (scene.render.fps, scene.render.fps_base) == (25, 1.25)
    assert context.selected_objects == [held] and context.view_layer.objects.active == held


@pytest.mark.parametrize("plays", ["", "walk"])
def test_of_a_files_actions_the_one_that_plays_is_taken_or_the_first(context, person, monkeypatch, tmp_path, plays):
    def read(*_):
        armature = add_rig(context, person.joints, name="file")
        actions = {name: move(context, armature, name, MoveOptions()).action for name in ("jump", "walk")}
        for name, action in actions.items():
            action.name, action.use_fake_user = f"{name}|file", True
        armature.animation_data.action = actions.get(plays)

    monkeypatch.setattr(motion_file, "call_first", read)
    (tmp_path / "any.glb").write_text("")
    clip = run(opened_motion(context, tmp_path / "any.glb"))
    assert (plays or "jump") in clip.name
    assert np.ptp(clip.rotations, axis=0).max() > 0.1 and not bpy.data.actions


def test_strips_that_play_are_read_from_the_first_to_the_last(context, person):
    armature, _ = moving(context, person)
    data, action = armature.animation_data, armature.animation_data.action
    data.action = None
    for start, silent in ((11, ""), (50, ""), (200, "strip"), (300, "track")):
        track = data.nla_tracks.new()
        strip = track.strips.new(f"{start}", start, action)
        strip.mute, track.mute = silent == "strip", silent == "track"
        length = strip.frame_end - strip.frame_start
    clip = run(read_action_steps(context, armature))
    assert len(clip.root) == 50 + length - 11 + 1 and clip.rate == 30


def test_reading_leaves_the_scene_at_its_frame(context, person):
    armature, _ = moving(context, person)
    context.scene.frame_set(17, subframe=0.25)
    run(read_action_steps(context, armature))
    assert (context.scene.frame_current, context.scene.frame_subframe) == (17, 0.25)


@pytest.mark.parametrize(("name", "title"), [
    ("walk", "walk"), ("rig|walk", "walk"), ("rig|walk|BaseLayer", "walk"), ("a|b|c", "c")])
def test_an_actions_title_is_its_name_in_its_file(context, name, title):
    assert motion_file._title(SimpleNamespace(name=name)) == title


@pytest.mark.parametrize(("name", "old"), [("walk_rig", "walk"), ("walk_big_rig", "walk"), ("walk_pig", "walk_pig")])
def test_what_importers_before_4_4_put_behind_a_title_is_part_of_it_since(context, name, old):
    for armature in ("rig", "big_rig"):
        bpy.data.objects.new(armature, None)
    assert motion_file._title(SimpleNamespace(name=name)) == (name if bpy.app.version >= (4, 4, 0) else old)


def test_a_range_that_is_a_mistake_is_named(context, person):
    armature = moving(context, person)[0]
    with pytest.raises(BadMotion, match=r"200000 frames long\. Shorten it to 200000"):
        run(read_action_steps(context, armature, frames=(0, 200_000)))


def test_one_frame_is_a_motion_too(context, person):
    armature, wanted = moving(context, person)
    clip = run(read_action_steps(context, armature, frames=(5, 5)))
    assert clip.rate == 30 and len(clip.root) == 1
    np.testing.assert_allclose(clip.root[0], wanted.root[4], atol=1e-5)


def test_reading_a_long_motion_tells_how_far_it_is(context, person):
    told = [share for _, share in read_action_steps(context, add_rig(context, person.joints), frames=(1, 125))]
    assert told == pytest.approx([0, 50 / 125, 100 / 125])


@pytest.mark.parametrize(("frame", "taken"), [(-1, None), (0, 0), (3, 3)])
def test_a_batch_takes_the_rest_pose_of_the_frame_it_is_told_and_else_the_files_own(context, monkeypatch, frame, taken):
    asked = []

    def refused(context, armature, motion, options):
        asked.append(options.rest_frame)
        raise BadMotion("none")

    monkeypatch.setattr(motions, "move", refused)
    armature = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    options = RigOptions(motion=("walk",), rest_frame=frame)
    done, warnings = motions.animate(SimpleNamespace(armature=armature), Path("x"), options, None, lambda *_: None)
    assert asked == [taken] and done == [] and len(warnings) == 1


def test_of_several_motions_the_first_plays_and_the_others_wait_on_silent_tracks(context, person):
    armature, told = add_rig(context, person.joints), []
    options = RigOptions(motion=("walk", "jump"), picture=False)
    done, _ = motions.animate(SimpleNamespace(armature=armature), Path("x"), options, None,
                              lambda stage, _: told.append(stage))
    assert told == ["Moving 1 of 2: walk", "Moving 2 of 2: jump"]
    scene, (walk, jump) = context.scene, done
    assert scene.render.fps == 30 and scene.render.fps_base == 1 and walk["rate"] == 30 and walk["bones"] == 21
    assert armature.animation_data.action.name == walk["name"] and walk["frames"] < jump["frames"]
    assert (scene.frame_start, scene.frame_end) == (1, 1 + walk["frames"])
    tracks = armature.animation_data.nla_tracks
    assert [track.name for track in tracks] == [walk["name"], jump["name"]] and all(track.mute for track in tracks)
    assert [(s.frame_start, s.action.name) for t in tracks for s in t.strips] == [(1, t.name) for t in tracks]


def test_an_artists_weights_stay_as_they_are(context, person, tmp_path):
    body, = add_character(person)
    armature = add_rig(context, person.joints)
    body.modifiers.new("Armature", "ARMATURE").object = armature
    rng = np.random.default_rng(2)
    for bone in armature.data.bones:
        group = body.vertex_groups.new(name=bone.name)
        for v in rng.choice(len(body.data.vertices), 400, replace=False):
            group.add([int(v)], float(rng.random()), "REPLACE")
    before = [[(g.group, g.weight) for g in v.groups] for v in body.data.vertices]
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "person.blend"), copy=True)
    out = tmp_path / "out"
    assert batch.main([str(tmp_path / "person.blend"), "--out", str(out), "--no-picture", "--format", "blend", "--rig",
                       "existing", "--motion", "walk"], isolate=False) == 0
    bpy.ops.wm.open_mainfile(filepath=str(out / "person.blend"))
    after = next(o for o in bpy.data.objects if o.type == "MESH")
    assert [[(g.group, g.weight) for g in v.groups] for v in after.data.vertices] == before
    assert next(o for o in bpy.data.objects if o.type == "ARMATURE").animation_data.action is not None


@pytest.mark.parametrize("with_root", [False, True])
def test_the_root_carries_the_way_if_asked(context, person, with_root):
    armature = add_rig(context, person.joints)
    if with_root:
        context.view_layer.objects.active = armature
        bpy.ops.object.mode_set(mode="EDIT")
        bones = armature.data.edit_bones
        root = bones.new("root")
        root.head, root.tail = (0, 0, 0), (0, 0.2, 0)
        bones["hips"].parent = root
        bpy.ops.object.mode_set(mode="OBJECT")
    context.scene.render.fps = 30
    places = {}
    for travel in ("hips", "root"):
        moved = move(context, armature, "walk", MoveOptions(travel=travel))
        rows = []
        for frame in (1, 12, 30, 70):
            context.scene.frame_set(frame)
            seen = armature.evaluated_get(context.evaluated_depsgraph_get())
            rows.append([(seen.matrix_world @ seen.pose.bones[b].matrix).translation[:] for b in ("hips", "foot.L")])
        places[travel] = np.array(rows)
        if travel == "root":
            carrier = seen.pose.bones["root"].matrix.translation if with_root else seen.matrix_world.translation
            assert np.linalg.norm(np.array(carrier)[:2] - places[travel][-1, 0, :2]) < 0.1
        moved.armature.animation_data_clear()
        armature.location = (0, 0, 0)
        for bone in armature.pose.bones:
            bone.location = (0, 0, 0)
    np.testing.assert_allclose(places["root"], places["hips"], atol=1e-4)


def test_numbers_that_are_none_and_marks_of_byte_order(context, tmp_path):
    path = write_bvh(tmp_path / "walk.bvh", load_motion("walk").changed(loop=False), Convention(bom=True))
    assert len(run(opened_motion(context, path)).root) == 32
    broken = path.read_text(encoding="utf-8-sig").rsplit(" ", 1)[0] + " nan\n"
    path.write_text(broken)
    with pytest.raises(BadMotion, match="no number in frame 31"):
        run(opened_motion(context, path))
    with pytest.raises(BadFile, match="does not exist"):
        motions_in(context, tmp_path / "none.glb")
