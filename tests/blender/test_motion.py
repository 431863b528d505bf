"""Motion inside Blender: what plays is what the core says, and nothing of the artist's is lost on the way."""

from __future__ import annotations

import json
from contextlib import contextmanager

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix

from geppetto.addon import batch, session
from geppetto.addon.batching import clock, motions
from geppetto.addon.bridge.action import read_action_steps, read_skeleton
from geppetto.addon.bridge.armature import write_armature
from geppetto.addon.bridge.motion_file import opened_motion
from geppetto.addon.motion.moving import MoveOptions, armature_of, move
from geppetto.core.errors import BadMotion, RigError
from geppetto.core.motion.authoring.pace import speed_of
from geppetto.core.motion.authoring.style import style_of
from geppetto.core.motion.body import body_of
from geppetto.core.motion.contacts import pivot_places
from geppetto.core.motion.kinematics import Kinematics
from geppetto.core.pipeline import run
from geppetto.core.skeleton.preset import load_template
from geppetto.core.skeleton.template import rig_from_joints
from tests.characters import quadruped

from .scenes import add_character, add_mesh

pytestmark = pytest.mark.usefixtures("rigged_once")


def add_rig(context, joints, preset="biped", name="rig", matrix=None):
    """An armature of ours on known joints: no fitting, so that these tests are quick."""
    template = load_template(preset)
    rig = rig_from_joints(template, np.array([joints[n] for n in template.names]))
    return write_armature(context, rig, name, context.scene.collection, matrix or Matrix.Identity(4), preset)


def heads_at(context, armature, frame: float) -> np.ndarray:
    """(B, 3) the bones' heads as Blender poses them, in the armature's space."""
    context.scene.frame_set(int(frame), subframe=frame - int(frame))
    return np.array([b.head for b in armature.evaluated_get(context.evaluated_depsgraph_get()).pose.bones])


def core_heads(clip, frame: int) -> np.ndarray:
    kinematics = Kinematics(clip.rig)
    return kinematics.heads(kinematics.turns(clip.rotations[frame]), clip.root[frame])


def frame_of(context, clip, index: int) -> float:
    render = context.scene.render
    return context.scene.frame_start + index * render.fps / render.fps_base / clip.rate


def curves_of(action):
    if not hasattr(action, "slots"):
        return list(action.fcurves)
    return list(action.layers[0].strips[0].channelbag(action.slots[0]).fcurves)


@pytest.mark.parametrize("travel", ["none", "hips"])
def test_blender_plays_what_the_core_says(context, person, travel):
    armature = add_rig(context, person.joints)
    context.scene.render.fps = 30
    moved = move(context, armature, "walk", MoveOptions(travel=travel))
    assert moved.known == moved.bones == 21
    for index in (0, 7, 20, 31):
        np.testing.assert_allclose(heads_at(context, armature, frame_of(context, moved.clip, index)),
                                   core_heads(moved.clip, index), atol=2e-5)
    period = len(moved.clip.root)
    later = heads_at(context, armature, frame_of(context, moved.clip, 7 + 2 * period))  # it repeats, and travels on
    np.testing.assert_allclose(later, core_heads(moved.clip, 7) + 2 * moved.clip.stride, atol=1e-4)
    assert (np.linalg.norm(moved.clip.stride) > 0.3) == (travel == "hips")


def test_feet_stand_still_in_blender(context, person):
    armature = add_rig(context, person.joints)
    context.scene.render.fps = 30
    moved = move(context, armature, "walk", MoveOptions(travel="hips"))
    clip = read(context, armature)
    body = body_of(moved.clip.rig)
    turns = body.kinematics.turns(clip.rotations)
    places = pivot_places(body.legs, turns, body.kinematics.heads(turns, clip.root))[:len(moved.clip.root)]
    both = moved.clip.contacts[1:] & moved.clip.contacts[:-1]
    slide = np.linalg.norm(np.diff(places, axis=0)[..., :2], axis=-1) * 30 / body.legs[0].length
    assert both.sum() > 20 and slide[both].max() < 0.01
    assert places[..., 2].min() > body.ground - 0.005 * body.legs[0].length


def read(context, armature):
    return run(read_action_steps(context, armature))


def test_a_written_motion_is_read_back(context, person):
    armature = add_rig(context, person.joints)
    context.scene.render.fps = 30
    moved = move(context, armature, "jump")
    again = read(context, armature)
    assert again.rate == 30 and len(again.root) == len(moved.clip.root)
    np.testing.assert_allclose(np.abs(np.einsum("tbi,tbi->tb", again.rotations, moved.clip.rotations)), 1, atol=1e-6)
    np.testing.assert_allclose(again.root, moved.clip.root, atol=1e-5)


@pytest.mark.parametrize("place", [Matrix.LocRotScale((3, 1, 2), Euler((0.3, 0.2, 1.0)), (1, 1, 1)),
                                   Matrix.Diagonal((0.01, 0.01, 0.01, 1.0))])
def test_where_the_armature_stands_plays_no_part(context, person, place):
    armature = add_rig(context, person.joints)
    first = move(context, armature, "run").clip
    armature.matrix_world = place
    again = move(context, armature, "run").clip
    np.testing.assert_array_equal(first.rotations, again.rotations)


def test_speed_and_the_scenes_rate(context, person):
    armature = add_rig(context, person.joints)
    context.scene.render.fps = 60
    moved = move(context, armature, "walk", MoveOptions(speed=2.0))
    length = moved.action.frame_range[1] - moved.action.frame_range[0]
    assert length == pytest.approx(60 * 32 / 30 / 2)
    with pytest.raises(BadMotion, match="speed of 0"):
        move(context, armature, "walk", MoveOptions(speed=0.0))


def test_the_action_is_an_ordinary_one_and_the_old_one_stays(context, person):
    armature = add_rig(context, person.joints)
    first = move(context, armature, "idle").action
    second = move(context, armature, "wave").action
    assert armature.animation_data.action == second and first.use_fake_user and first.name in bpy.data.actions
    if hasattr(second, "slots"):
        assert len(second.slots) == 1 and armature.animation_data.action_slot == second.slots[0]
    curves = curves_of(second)
    assert {c.group.name for c in curves} <= set(armature.data.bones.keys())
    assert all(len(c.keyframe_points) == 92 and not c.modifiers for c in curves)
    assert {key.interpolation for c in curves for key in c.keyframe_points} == {"LINEAR"}
    track = armature.animation_data.nla_tracks.new()
    strip = track.strips.new("wave", 1, second)
    assert strip.frame_end - strip.frame_start == pytest.approx(second.frame_range[1] - second.frame_range[0])


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".fbx"])
def test_motions_come_from_files(context, person, tmp_path, suffix):
    source = add_rig(context, person.joints, name="source")
    context.scene.render.fps = 30
    wanted = move(context, source, "sneak", MoveOptions(travel="hips")).clip
    context.scene.frame_start, context.scene.frame_end = 1, len(wanted.root)
    path = str(tmp_path / f"motion{suffix}")
    follow(source)  # a file without skin says nothing of its rest pose
    {
        ".bvh": lambda: bpy.ops.export_anim.bvh(
            filepath=path, frame_start=1, frame_end=len(wanted.root), root_transform_only=True
        ),
        ".glb": lambda: bpy.ops.export_scene.gltf(filepath=path, export_force_sampling=True),
        ".fbx": lambda: bpy.ops.export_scene.fbx(
            filepath=path, add_leaf_bones=False, bake_anim_use_nla_strips=False, bake_anim_use_all_actions=False
        ),
    }[suffix]()
    armature = add_rig(context, person.joints, name="other")
    kept = {o.name for o in bpy.data.objects}, {a.name for a in bpy.data.actions}
    moved = move(context, armature, path, MoveOptions(travel="hips"))
    assert {o.name for o in bpy.data.objects} == kept[0] and {a.name for a in bpy.data.actions} - kept[1] == {
        moved.action.name}
    assert moved.known >= 19 and abs(len(moved.clip.root) - len(wanted.root)) <= 1
    assert moved.clip.rate == pytest.approx(30, rel=0.01)
    count = min(len(moved.clip.root), len(wanted.root))
    for bone in ("thigh.L", "shin.R", "upper_arm.L", "chest"):
        i = moved.clip.rig.names.index(bone)
        turns = [Kinematics(c.rig).turns(c.rotations[:count])[:, i] for c in (moved.clip, wanted)]
        apart = 2 * np.degrees(np.arccos(np.clip(np.abs(np.einsum("ti,ti->t", *turns)), 0, 1)))
        assert np.median(apart) < 3 and np.percentile(apart, 90) < 12, bone
    travelled = moved.clip.root[-1] - moved.clip.root[0]
    np.testing.assert_allclose(travelled[:2], (wanted.root[-1] - wanted.root[0])[:2], atol=0.06 * person.height)


def follow(armature) -> None:
    """A triangle on every bone."""
    points = np.array([[b.head_local, b.tail_local, b.tail_local + b.x_axis * 0.02] for b in armature.data.bones])
    o = add_mesh("skin", points.reshape(-1, 3), np.arange(3 * len(points)).reshape(-1, 3))
    for i, bone in enumerate(armature.data.bones):
        o.vertex_groups.new(name=bone.name).add([3 * i, 3 * i + 1, 3 * i + 2], 1.0, "REPLACE")
    o.parent = armature
    o.modifiers.new("follow", "ARMATURE").object = armature


BVH = """HIERARCHY
ROOT Hips
{
 OFFSET 0 0 0
 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 End Site
 {
  OFFSET 0 1 0
 }
}
MOTION
Frames: 2
Frame Time: 0.033333
0 0 0 0 0 0
0 1 0 0 10 0
"""


@pytest.mark.parametrize(("change", "words"), [
    (("0 1 0 0 10 0\n", "0 1"), "cut off"), (("Frames: 2", "Frames: 0"), "no frames"), (("HIERARCHY", "X"), "no BVH"),
    ((" }\n}\n", " }\n"), "braces"), (("0.033333", "0"), "frame time of 0"), (("Frames: 2", "Frames:"), "no frames")])
def test_broken_bvh_files_are_told(context, tmp_path, change, words):
    path = tmp_path / "a.bvh"
    path.write_text(BVH.replace(*change))
    with pytest.raises(RigError, match=words):
        run(opened_motion(context, path))
    assert not bpy.data.armatures and not bpy.data.actions


def test_files_without_motion(context, person, tmp_path):
    add_character(person)
    bpy.ops.export_scene.gltf(filepath=str(tmp_path / "still.glb"))
    with pytest.raises(BadMotion, match="no armature that moves"):
        run(opened_motion(context, tmp_path / "still.glb"))
    with pytest.raises(RigError, match="does not exist"):
        run(opened_motion(context, tmp_path / "none.bvh"))
    with pytest.raises(RigError, match="holds no motion"):
        run(opened_motion(context, tmp_path / "a.txt"))
    clip = run(opened_motion(context, _written(tmp_path / "b.bvh", BVH)))
    assert clip.rate == pytest.approx(30, rel=1e-3) and len(clip.root) == 2


def _written(path, text):
    path.write_text(text)
    return path


def test_hips_below_a_root_carry_the_way(context, person):
    """As in Unreal: the root bone stays, the pelvis travels."""
    source = add_rig(context, person.joints, name="source")
    bpy.ops.object.mode_set(mode="EDIT")
    bones = source.data.edit_bones
    root = bones.new("root")
    root.head, root.tail = (0, 0, 0), (0, 0.2, 0)
    bones["hips"].parent = root
    bpy.ops.object.mode_set(mode="OBJECT")
    hips = source.pose.bones["hips"]
    for frame, y in ((1, 0.0), (11, 0.7)):
        hips.location = (
            source.data.bones["hips"].matrix_local.to_3x3().inverted() @ Matrix.Translation((0, -y, 0)).translation
        )
        hips.keyframe_insert("location", frame=frame)
    clip = read(context, source)
    assert "root" not in clip.rig.names and clip.root[-1] - clip.root[0] == pytest.approx([0, -0.7, 0], abs=1e-5)


def test_the_button_moves_and_tells(extension, person):
    armature = add_rig(extension, person.joints)
    assert bpy.ops.object.geppetto_move(motion="dance", speed=1.5, travel="hips") == {"FINISHED"}
    action = armature.animation_data.action
    assert "dance" in action.name and extension.scene.use_preview_range
    assert extension.scene.frame_preview_start == 1
    action.name = "dance of the button"
    own = move(extension, armature, "dance", MoveOptions(speed=1.5, travel="hips")).action
    for a, b in zip(curves_of(action), curves_of(own), strict=True):
        assert [tuple(k.co) for k in a.keyframe_points] == [tuple(k.co) for k in b.keyframe_points]


@pytest.mark.parametrize(("what", "words"), [("star", "The star of the NLA track 'mine'"), ("strips", None),
                                             ("mix", "Blending to Replace"), ("influence", "Influence to 1")])
def test_what_the_nla_editor_makes_of_a_motion_is_told(extension, person, what, words):
    armature = add_rig(extension, person.joints)
    move(extension, armature, "walk")
    data = armature.animation_data
    track = data.nla_tracks.new()
    track.name = "mine"
    track.strips.new("walk", 1, data.action)
    data.action, track.is_solo = None, what == "star"
    data.action_blend_type = "ADD" if what == "mix" else "REPLACE"
    data.action_influence = 0.5 if what == "influence" else 1.0
    assert bpy.ops.object.geppetto_move(motion="wave") == {"FINISHED"}
    told = session.doubts_of(armature.session_uid)
    assert any(words in said for said in told) if words else not any("NLA" in said for said in told)


@pytest.mark.parametrize("name", ["energy", "width", "mood"])
def test_the_sliders_of_a_style_go_from_one_end_of_it_to_the_other(extension, name):
    choices = extension.scene.geppetto
    for end in (-1.0, 1.0):
        setattr(choices, name, 5 * end)
        assert getattr(choices, name) == end and style_of(f"{name}={end}")


def test_a_style_is_the_librarys_and_only_its(extension, person, tmp_path):
    armature = add_rig(extension, person.joints)
    extension.scene.geppetto.mood = -1.0
    assert bpy.ops.object.geppetto_move("INVOKE_DEFAULT", motion="idle") == {"FINISHED"}
    style = style_of("mood=-1")
    own = move(extension, armature, extension.scene.geppetto.motion, MoveOptions(style=style)).clip
    plain = move(extension, armature, extension.scene.geppetto.motion).clip
    head = own.rig.names.index("head")
    assert np.abs(own.rotations[:, head] - plain.rotations[:, head]).max() > 0.02
    with pytest.raises(BadMotion, match="styles"):
        move(extension, armature, str(tmp_path / "any.bvh"), MoveOptions(style=style))


def test_a_walk_goes_as_fast_as_is_asked(extension, person, tmp_path):
    armature = add_rig(extension, person.joints, matrix=Matrix.Scale(2.0, 4))
    assert bpy.ops.object.geppetto_move(motion="walk", pace="metres", ground_speed=3.0) == {"FINISHED"}
    action, fps = armature.animation_data.action, extension.scene.render.fps
    first, last = (int(f) for f in action.frame_range)
    way = (heads_at(extension, armature, last) - heads_at(extension, armature, first))[0]
    assert 2.0 * np.linalg.norm(way) * fps / (last - first) == pytest.approx(3.0, rel=1e-4)
    keys = curves_of(action)[0].keyframe_points
    assert all(k.co[0] == round(k.co[0]) for k in keys)
    with pytest.raises(BadMotion, match="gaits that ship"):
        move(extension, armature, str(tmp_path / "any.bvh"), MoveOptions(ground=speed_of("natural")))
    moved = move(extension, armature, "dance", MoveOptions(ground=speed_of("natural")))
    assert any("ground speed" in text for text in moved.clip.warnings)


@pytest.mark.parametrize(("species", "legs", "name"), [
    ("horse", "6legs", "horse_canter"), ("dog", "9legs", "quadruped_gallop"), ("dog", "1legs", "quadruped_walk")])
def test_an_animal_takes_the_gait_of_its_speed(context, species, legs, name):
    armature = add_rig(context, quadruped(species=species, vertices=300).joints, "quadruped")
    moved = move(context, armature, "walk", MoveOptions(ground=speed_of(legs)))
    assert moved.clip.name.endswith(name)
    length = np.mean([leg.length for leg in body_of(read_skeleton(armature)).legs])
    assert np.linalg.norm(moved.clip.stride) / moved.clip.seconds / length == pytest.approx(float(legs[0]), rel=0.25)


def test_what_cannot_move_is_reported_and_nothing_is_made(extension, person):
    armature = add_rig(extension, person.joints)
    with pytest.raises(RuntimeError, match="another kind of body"):
        bpy.ops.object.geppetto_move(motion="horse_gallop")
    assert armature.animation_data is None and not bpy.data.actions
    bpy.ops.object.select_all(action="DESELECT")
    extension.view_layer.objects.active = None
    assert not bpy.ops.object.geppetto_move.poll() and not bpy.ops.object.geppetto_save_bone_map.poll()


def test_from_one_armature_to_another_with_an_edited_map(extension, person, tmp_path):
    source = add_rig(extension, person.joints, name="source")
    extension.scene.render.fps = 30
    wanted = move(extension, source, "wave").clip
    assert bpy.ops.object.geppetto_save_bone_map(filepath=str(tmp_path / "map.json")) == {"FINISHED"}
    data = json.loads((tmp_path / "map.json").read_text())
    assert data["bones"]["thigh.L"] == "thigh.L" and len(data["bones"]) == 21
    del data["bones"]["upper_arm.R"], data["bones"]["forearm.R"], data["bones"]["hand.R"]
    (tmp_path / "map.json").write_text(json.dumps(data))
    other = add_rig(extension, person.joints, name="other")
    assert not bpy.ops.object.geppetto_move_from_armature.poll()
    source.select_set(True)
    extension.view_layer.objects.active = other
    assert bpy.ops.object.geppetto_move_from_armature(bone_map=str(tmp_path / "map.json")) == {"FINISHED"}
    clip = read(extension, other)
    arm, leg = (clip.rig.names.index(n) for n in ("upper_arm.R", "thigh.L"))
    assert np.abs(clip.rotations[:, arm, 1:]).max() < 1e-6
    np.testing.assert_allclose(
        np.abs(np.einsum("ti,ti->t", clip.rotations[:, leg], wanted.rotations[:, leg])), 1, atol=1e-4
    )


def test_from_an_armature_that_plays_strips(extension, person):
    source, other = (add_rig(extension, person.joints, name=name) for name in ("source", "other"))
    action = move(extension, source, "walk").action
    source.animation_data.nla_tracks.new().strips.new("walk", 1, action)
    source.animation_data.action = None
    source.select_set(True)
    extension.view_layer.objects.active = other
    assert bpy.ops.object.geppetto_move_from_armature() == {"FINISHED"}
    np.testing.assert_allclose(heads_at(extension, other, 9), heads_at(extension, source, 9), atol=5e-3)


def test_where_the_other_armature_stands_and_faces_plays_no_part(extension, person):
    source, other = (add_rig(extension, person.joints, name=name) for name in ("source", "other"))
    move(extension, source, "walk", MoveOptions(travel="hips"))
    places, apart = {"here": Matrix(), "there": Matrix.Translation((3, 2, 0.5)) @ Matrix.Rotation(2, 4, "Z")}, {}
    for key, place in places.items():
        source.matrix_world = place
        move(extension, other, source)
        apart[key] = [heads_at(extension, other, frame) for frame in (1, 9, 20)]
    np.testing.assert_allclose(apart["there"], apart["here"], atol=1e-4)
    np.testing.assert_allclose(apart["here"][2], heads_at(extension, source, 20), atol=5e-3)


def test_rig_and_walk_is_one_button(extension, person):
    body, = add_character(person)
    body.select_set(True)
    extension.view_layer.objects.active = body
    assert bpy.ops.object.geppetto_rig_and_move() == {"FINISHED"}
    armature = armature_of(body)
    assert "walk" in armature.animation_data.action.name
    depsgraph = extension.evaluated_depsgraph_get()
    shapes = []
    for frame in (1, 12):
        extension.scene.frame_set(frame)
        mesh = body.evaluated_get(depsgraph).to_mesh()
        points = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", points)
        shapes.append(points.copy())
    assert np.abs(shapes[0] - shapes[1]).max() > 0.1 * person.height


def test_an_armature_without_bones_or_motion(context):
    empty = bpy.data.objects.new("empty", bpy.data.armatures.new("empty"))
    context.scene.collection.objects.link(empty)
    with pytest.raises(BadMotion, match="another kind of body"):
        move(context, empty, "walk")
    with pytest.raises(BadMotion, match="has no motion"):
        read(context, empty)


@pytest.mark.long
def test_the_program_writes_the_motion_into_its_files(context, person, tmp_path):
    add_character(person)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "person.blend"), copy=True)
    out = tmp_path / "out"
    assert batch.main([str(tmp_path / "person.blend"), "--out", str(out), "--motion", "walk"], isolate=False) == 0
    entry, = json.loads((out / "report.json").read_text())["files"]
    assert entry["motions"][0]["frames"] == 32 and "person-walk.png" in entry["written"]
    assert (out / "person-walk.png").read_bytes().startswith(b"\x89PNG")
    film = bpy.data.images.load(str(out / "person-walk.mp4"))
    assert film.source == "MOVIE" and film.frame_duration == 52, "two rounds of 32 / 30 seconds"
    assert film.size[1] == 360 and [s.name for s in bpy.data.scenes] == ["Scene"]
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.import_scene.gltf(filepath=str(out / "person.glb"))
    action, = bpy.data.actions
    bpy.context.scene.render.fps = 30
    assert action.frame_range[1] - action.frame_range[0] == pytest.approx(32 * 24 / 30, abs=1.5) or (
        action.frame_range[1] - action.frame_range[0] == pytest.approx(32, abs=1.5))
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    places = [heads_at(bpy.context, armature, f) for f in (1, 9)]
    assert np.abs(places[0] - places[1]).max() > 0.1 * person.height


@pytest.mark.long
def test_a_motion_that_takes_too_long_costs_only_itself(context, person, tmp_path, monkeypatch):
    times = iter([clock.TooLong("It took longer."), None])

    @contextmanager
    def own_time():
        if (error := next(times)) is not None:
            raise error
        yield

    monkeypatch.setattr(motions, "own_time", own_time)
    add_character(person)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "person.blend"), copy=True)
    assert batch.main([str(tmp_path / "person.blend"), "--out", str(tmp_path / "out"), "--no-picture", "--format",
                       "blend", "--motion", "walk", "--motion", "run"], isolate=False) == 0
    entry, = json.loads((tmp_path / "out" / "report.json").read_text())["files"]
    assert [one["name"].split()[-1] for one in entry["motions"]] == ["run"]
    assert "The motion 'walk' was left out: It took longer." in entry["warnings"]


def test_the_program_refuses_motions_nobody_knows(context, person, tmp_path, capsys):
    add_character(person)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "person.blend"), copy=True)
    arguments = [str(tmp_path / "person.blend"), "--out", str(tmp_path / "out"), "--no-picture", "--format", "blend"]
    assert batch.main([*arguments, "--motion", "moonwalk"], isolate=False) == 2
    assert "There is no motion 'moonwalk'" in capsys.readouterr().err
    assert batch.main([*arguments, "--motion", "gallop", "--motion", "walk"], isolate=False) == 0
    entry, = json.loads((tmp_path / "out" / "report.json").read_text())["files"]
    assert entry["status"] == "rigged" and [one["name"].split()[-1] for one in entry["motions"]] == ["walk"]
    assert any("'gallop' was left out" in text and "another kind of body" in text for text in entry["warnings"])


def test_a_part_of_a_motion_at_another_rate(context, person):
    armature = add_rig(context, person.joints)
    moved = move(context, armature, "jump", MoveOptions(trim=(10, 39), fps=60.0))
    assert len(moved.clip.root) == 59 and moved.clip.rate == 60.0 and not moved.clip.loop
    with pytest.raises(BadMotion, match="nothing is left"):
        move(context, armature, "jump", MoveOptions(trim=(900, -1)))
