"""Full skeletons in Blender: twist bones and eyes that follow, a root on the ground, and what they leave alone."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Quaternion

import geppetto
from geppetto.addon import names
from geppetto.addon.bridge.armature import read_rig
from geppetto.addon.bridge.curves import curves_of
from geppetto.addon.characters.rest_poses import take_rest_pose
from geppetto.addon.characters.rigged import armature_of
from geppetto.addon.characters.rigging import update_rig_steps
from geppetto.addon.export.exporting import ExportOptions, export_for
from geppetto.addon.export.glb import read_glb
from geppetto.addon.motion.moving import MoveOptions, move
from geppetto.core.geometry.rotation import from_axis_angle, identity, swing_twist
from geppetto.core.skeleton.engine import load_engine
from geppetto.core.skeleton.preset import load_template
from geppetto.core.skeleton.twist import is_twist, turned_twists, twist_groups
from geppetto.core.steps import run
from tests.characters import person, quadruped
from tests.shapes import ball as analytic_ball

from .batches import QUICK, fresh, main, report_of, save
from .scenes import add_character, add_mesh, deformed_points, group_weights, world_points
from .test_foreign_rigs import edited


@pytest.fixture
def full(context):
    """(mesh object, armature) of a person with a full skeleton; the extension is on."""
    geppetto.register()
    o, = add_character(person(vertices=3000))
    o.select_set(True)
    context.view_layer.objects.active = o
    assert bpy.ops.object.geppetto_auto_rig(preset="biped", detail="full") == {"FINISHED"}
    yield o, armature_of(o)
    geppetto.unregister()


def twists(armature) -> list[str]:
    return [b.name for b in armature.data.bones if is_twist(b.get(names.OWN_NAME, b.name))]


def wrung(armature, bone: str, limb: str) -> float:
    """Degrees by which a bone is turned about a limb against it."""
    bpy.context.view_layer.update()
    rest = [armature.data.bones[n].matrix_local for n in (limb, bone)]
    now = [armature.pose.bones[n].matrix for n in (limb, bone)]
    turn = ((rest[0].inverted() @ rest[1]).inverted() @ (now[0].inverted() @ now[1])).to_quaternion()
    return float(np.degrees(2 * np.arctan2(turn.y, turn.w)))


def twist_hand(armature, degrees: float) -> None:
    """Turn the left hand about its forearm."""
    limb, hand = armature.data.bones["forearm.L"], armature.pose.bones["hand.L"]
    axis = hand.bone.matrix_local.to_3x3().inverted() @ (limb.tail_local - limb.head_local).normalized()
    hand.rotation_quaternion = Quaternion(axis, np.radians(degrees))


@pytest.mark.parametrize("degrees", [90, -150])
def test_twist_bones_follow_the_hand_and_the_arm(full, degrees):
    armature = full[1]
    assert len(twists(armature)) == 16
    assert [c.name for c in armature.data.collections if not c.is_visible] == ["Twist"], "they lie on what people pose"
    twist_hand(armature, degrees)
    assert wrung(armature, "forearm_twist_1.L", "forearm.L") == pytest.approx(0.8 * degrees, abs=0.1)
    assert wrung(armature, "forearm_twist_2.L", "forearm.L") == pytest.approx(0.4 * degrees, abs=0.1)
    assert wrung(armature, "forearm_twist_1.R", "forearm.R") == pytest.approx(0, abs=1e-3)
    arm = armature.pose.bones["upper_arm.R"]
    swing = Quaternion((1, 0, 1), np.radians(90))
    arm.rotation_quaternion = swing
    assert wrung(armature, "upper_arm_twist_1.R", "upper_arm.R") == pytest.approx(0, abs=0.05)
    arm.rotation_quaternion = swing @ Quaternion((0, 1, 0), np.radians(60))
    assert wrung(armature, "upper_arm_twist_1.R", "upper_arm.R") == pytest.approx(-48, abs=0.1)


def test_a_wrung_forearm_keeps_its_skin(full):
    """The skin half way along has turned four tenths as far as the hand."""
    o, armature = full
    limb = armature.data.bones["forearm.L"]
    head, along = np.array(limb.head_local), np.array(limb.tail_local - limb.head_local)
    before = world_points(o)
    place = (before - head) @ along / (along @ along)
    off = before - head - place[:, None] * along
    ring = (np.abs(place - 0.5) < 0.1) & (np.linalg.norm(off, axis=1) < 0.5 * np.linalg.norm(along))
    twist_hand(armature, 90)
    after = deformed_points(o)
    moved = after - head - ((after - head) @ along / (along @ along))[:, None] * along
    length = lambda x: np.linalg.norm(x[ring], axis=1)  # noqa: E731 - used three times
    angle = np.degrees(np.arccos(np.clip((off * moved).sum(1)[ring] / (length(off) * length(moved)), -1, 1)))
    assert ring.sum() > 8 and np.median(angle) == pytest.approx(36, abs=5)
    assert (length(moved) > 0.92 * length(off)).all()


def test_a_full_rig_has_a_root_that_carries_it_on_the_ground(full):
    o, armature = full
    root, = [b for b in armature.data.bones if b.parent is None]
    assert root.name == "root" and not root.use_deform and "root" not in o.vertex_groups
    hips = armature.data.bones["hips"]
    ground = world_points(o)[:, 2].min()
    np.testing.assert_allclose(root.head_local, [*hips.head_local[:2], ground], atol=1e-5)
    assert hips.parent == root


@pytest.mark.long
@pytest.mark.parametrize("travel", ["hips", "root", "none"])
def test_the_way_is_on_what_travel_says(full, travel):
    armature = full[1]
    if travel == "none":
        move(bpy.context, armature, "walk", MoveOptions(travel="root"))
    action = move(bpy.context, armature, "walk", MoveOptions(travel=travel)).action
    assert not [c for c in curves_of(action) if "twist" in c.data_path]
    first, last = (int(x) for x in action.frame_range)
    ways = {}
    for name in ("root", "hips"):
        places = []
        for frame in (first, last):
            bpy.context.scene.frame_set(frame)
            places.append(np.array(armature.pose.bones[name].matrix.translation))
        ways[name] = -float(places[1][1] - places[0][1])
        assert name == "hips" or abs(places[0][2] - armature.data.bones["root"].head_local[2]) < 1e-5
    assert ways["root"] == pytest.approx(ways["hips"] if travel == "root" else 0, abs=1e-4)
    assert (ways["hips"] > 0.5) == (travel != "none")


@pytest.mark.long
def test_the_root_of_a_file_goes_with_the_root(full, tmp_path):
    armature = full[1]
    move(bpy.context, armature, "walk", MoveOptions(travel="root"))
    wanted = [np.array(armature.pose.bones["root"].matrix.translation)
              for frame in (1, 15) if not bpy.context.scene.frame_set(frame)]
    export_for(bpy.context, armature, load_engine("godot"), tmp_path / "out.glb")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.render.fps = 24
    bpy.ops.import_scene.gltf(filepath=str(tmp_path / "out.glb"))
    again = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    found = [np.array(again.matrix_world @ again.pose.bones["Root"].matrix.translation)
             for frame in (0, 14) if not bpy.context.scene.frame_set(frame)]
    np.testing.assert_allclose(found[1] - found[0], wanted[1] - wanted[0], atol=1e-4)


@pytest.mark.parametrize(("engine", "expected"), [("unreal", "lowerarm_twist_01_l"), ("vrm", ""), ("mixamo", "")])
def test_engines_get_twist_bones_if_they_know_them(full, tmp_path, engine, expected):
    armature = full[1]
    engine = load_engine(engine)
    done = export_for(bpy.context, armature, engine, tmp_path / f"out.{engine.container}", ExportOptions("modelled"))
    assert done.is_person
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    path = tmp_path / f"out.{engine.container}"
    if engine.container == "fbx":
        bpy.ops.import_scene.fbx(filepath=str(path))
    else:
        path.rename(path.with_suffix(".glb"))
        bpy.ops.import_scene.gltf(filepath=str(path.with_suffix(".glb")))
    again = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    mesh = max((o for o in bpy.data.objects if o.type == "MESH"), key=lambda o: len(o.data.vertices))
    found = [b.name for b in again.data.bones if "twist" in b.name.lower()]
    assert len(found) == (16 if expected else 0)
    weights = np.array(list(group_weights(mesh).values()))
    np.testing.assert_allclose(weights.sum(0), 1, atol=2e-2)
    if expected:
        assert again.data.bones[expected].parent.name == "lowerarm_l"
        assert group_weights(mesh)[expected].max() > 0.9


@pytest.mark.long
def test_pins_renaming_updates_and_rest_poses_take_twist_bones_along(full):
    o, armature = full
    rest = world_points(o)
    where = {n: np.array(armature.data.bones[n].head_local) for n in twists(armature)}
    take_rest_pose(bpy.context, armature, "T")
    limb, bone = armature.data.bones["forearm.L"], armature.data.bones["forearm_twist_1.L"]
    np.testing.assert_allclose(bone.tail_local, limb.tail_local, atol=1e-5)
    take_rest_pose(bpy.context, armature, "modelled")
    np.testing.assert_allclose(world_points(o), rest, atol=1e-5)
    at = np.array(armature.data.bones["forearm.L"].head_local) + [0, 0, 0.03]
    bpy.ops.geppetto.show_joints()
    assert bpy.ops.geppetto.pin_joint(joint="forearm.L", position=at) == {"FINISHED"}
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    assert sorted(twists(armature)) == sorted(where)
    for side in "LR":
        upper = armature.data.bones[f"upper_arm.{side}"]
        np.testing.assert_allclose(armature.data.bones[f"upper_arm_twist_1.{side}"].head_local, upper.head_local,
                                   atol=1e-5)
    twist_hand(armature, 90)
    assert wrung(armature, "forearm_twist_1.L", "forearm.L") == pytest.approx(72, abs=0.1)
    bpy.context.view_layer.objects.active = armature
    assert bpy.ops.geppetto.rename_bones(engine="unreal") == {"FINISHED"}
    assert wrung(armature, "lowerarm_twist_01_l", "lowerarm_l") == pytest.approx(72, abs=0.1)
    assert bpy.ops.geppetto.rename_bones(engine="geppetto") == {"FINISHED"}
    assert sorted(twists(armature)) == sorted(where)


def test_a_control_rig_and_back(full):
    o, armature = full
    before = group_weights(o)
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls = bpy.context.object
    assert not [b.name for b in controls.data.bones if "twist" in b.name and "forearm" in b.name]
    assert not [g.name for g in o.vertex_groups if is_twist(g.name)]
    np.testing.assert_allclose(np.array(list(group_weights(o).values())).sum(0), 1, atol=1e-5)
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    after = group_weights(o)
    assert set(after) == set(before)
    limbs = {armature.data.bones[n].parent.name for n in twists(armature)}
    of = lambda weights, limb: sum(weights[n] for n in weights if n == limb or (  # noqa: E731 - used twice
        is_twist(n) and armature.data.bones[n].parent.name == limb))
    for limb in limbs:
        np.testing.assert_allclose(of(after, limb), of(before, limb), atol=0.1)
    apart = np.array([np.abs(after[n] - before[n]) for n in after]).max(0)
    assert (apart < 1e-5).mean() > 0.95
    twist_hand(armature, 90)
    assert wrung(armature, "forearm_twist_1.L", "forearm.L") == pytest.approx(72, abs=0.1)


@pytest.mark.long
def test_one_twist_bone_or_none_and_a_root_by_itself(context):
    geppetto.register()
    o, = add_character(person(vertices=2000))
    o.select_set(True)
    context.view_layer.objects.active = o
    bpy.ops.object.geppetto_auto_rig(preset="biped", detail="full", twists=1)
    assert len(twists(armature_of(o))) == 8
    bpy.ops.object.geppetto_auto_rig(preset="biped", detail="body", root=True)
    armature = armature_of(o)
    assert twists(armature) == [] and len(armature.data.bones) == 22 and armature.data.bones[0].name == "root"
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    assert len(armature.data.bones) == 22
    geppetto.unregister()


@pytest.mark.long
def test_batches_make_full_skeletons(tmp_path):
    fresh()
    add_character(person(vertices=2000))
    path = save(tmp_path / "one.blend")
    assert main([str(path), "--out", str(tmp_path / "full"), "--detail", "full", *QUICK]) == 0
    assert report_of(tmp_path / "full")[0]["bones"] == 38
    assert main([str(path), "--out", str(tmp_path / "root"), "--detail", "body", "--root", *QUICK]) == 0
    assert report_of(tmp_path / "root")[0]["bones"] == 22


def test_blender_and_the_core_wring_alike(full):
    """What the weight check poses is what the constraints do."""
    armature = full[1]
    rig = read_rig(armature)
    group = next(g for g in twist_groups(rig) if rig.names[g.limb] == "forearm.L")
    along = rig.tails[group.limb] - rig.heads[group.limb]
    local = identity(len(rig.names))
    local[group.source] = from_axis_angle(along / np.linalg.norm(along), np.array(1.2))
    wanted = turned_twists(rig, [group], local)[group.bones]
    twist_hand(armature, np.degrees(1.2))
    for bone, turn in zip(group.bones, wanted, strict=True):
        angle = 2 * np.arccos(np.clip(swing_twist(turn, along / np.linalg.norm(along))[1][0], -1, 1))
        assert wrung(armature, rig.names[bone], "forearm.L") == pytest.approx(np.degrees(angle), abs=0.1)


@pytest.fixture
def sighted(context):
    """(mesh objects, armature) of a person with two loose balls for eyes and a full skeleton."""
    geppetto.register()
    character = person(vertices=3000)
    objects = add_character(character)
    size = np.array(character.joints["head_top"]) - character.joints["head"]
    base = analytic_ball(0.02, segments=16).mesh
    for side, sign in (("L", 1.0), ("R", -1.0)):
        off = np.linalg.norm(size) * np.array([0.28 * sign, -0.62, 0])
        centre = np.array(character.joints["head"]) + 0.45 * size + off
        objects.append(add_mesh(f"eye {side}", base.vertices + centre, base.faces))
    for o in objects:
        o.select_set(True)
    context.view_layer.objects.active = objects[0]
    assert bpy.ops.object.geppetto_auto_rig(preset="biped", detail="full") == {"FINISHED"}
    yield objects, armature_of(objects[0])
    geppetto.unregister()


def test_eyes_turn_about_their_middles(sighted):
    objects, armature = sighted
    for o, side in zip(objects[1:], "LR", strict=True):
        bone = armature.data.bones[f"eye.{side}"]
        places = world_points(o)
        np.testing.assert_allclose(bone.head_local, places.mean(0), atol=1e-3)
        assert bone.parent.name == "head" and {g: w.min() for g, w in group_weights(o).items()} == {f"eye.{side}": 1.0}
        armature.pose.bones[bone.name].rotation_quaternion = Quaternion((1, 0, 0), 0.5)
        after = deformed_points(o)
        np.testing.assert_allclose(after.mean(0), places.mean(0), atol=1e-4)
        front = places[:, 1].argmin()
        assert after[front, 2] < places[front, 2] - 0.005, "a positive turn about X looks down"


@pytest.mark.long
def test_eyes_that_come_later_are_told_to_need_a_rig_anew(sighted):
    (body, *eyes), _ = sighted

    def choose(*objects) -> None:
        for o in bpy.data.objects:
            o.select_set(o in objects)
        bpy.context.view_layer.objects.active = objects[-1]

    choose(body)
    assert bpy.ops.geppetto.remove_rig() == {"FINISHED"}
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped", detail="full") == {"FINISHED"}
    choose(*eyes, body)
    assert bpy.ops.geppetto.copy_weights() == {"FINISHED"}
    armature = armature_of(body)
    steps = update_rig_steps(bpy.context, armature, lambda shape: load_template("biped"))
    told = run(steps).warnings
    assert any("eye.L, eye.R. Rig Anew" in text for text in told) and "eye.L" not in armature.data.bones
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped", detail="full") == {"FINISHED"}
    armature = armature_of(body)
    edited(bpy.context, armature, lambda bones: bones.remove(bones["eye.R"]))
    steps = update_rig_steps(bpy.context, armature, lambda shape: load_template("biped"))
    assert not any("Rig Anew" in text for text in run(steps).warnings), "a bone that was deleted is not missed"


def test_a_vrm_knows_its_eyes(sighted, tmp_path):
    objects, armature = sighted
    export_for(bpy.context, armature, load_engine("vrm"), tmp_path / "out.vrm")
    tree, _ = read_glb((tmp_path / "out.vrm").read_bytes())
    vrm = tree["extensions"]["VRMC_vrm"]
    bones = vrm["humanoid"]["humanBones"]
    assert tree["nodes"][bones["leftEye"]["node"]]["name"] == "J_Adj_L_FaceEye" and "rightEye" in bones
    middle = np.mean([world_points(o).mean(0) for o in objects[1:]], axis=0)
    off = middle - np.array(armature.data.bones["head"].head_local)
    np.testing.assert_allclose(vrm["lookAt"]["offsetFromHeadBone"], [off[0], off[2], -off[1]], atol=0.02)


def test_controls_take_eyes_along(sighted):
    objects = sighted[0]
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    assert "eye.L" in bpy.context.object.data.bones
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    assert set(group_weights(objects[1])) == {"eye.L"}


@pytest.mark.slow
def test_animals_legs_are_wrung_too_and_engines_of_any_body_get_their_twist_bones(context, tmp_path):
    o, = add_character(quadruped(vertices=2000))
    geppetto.register()
    try:
        o.select_set(True)
        context.view_layer.objects.active = o
        assert bpy.ops.object.geppetto_auto_rig(preset="quadruped", detail="full") == {"FINISHED"}
        armature = armature_of(o)
        assert len(twists(armature)) == 16
        paw, lower = armature.pose.bones["front_foot.L"], armature.data.bones["front_lower.L"]
        along = (paw.bone.matrix_local.inverted().to_3x3() @ lower.matrix_local.to_3x3()).col[1]
        paw.rotation_quaternion = Quaternion(along, np.radians(60))
        assert wrung(armature, "front_lower_twist_1.L", "front_lower.L") == pytest.approx(48, abs=0.5)
        assert wrung(armature, "front_lower_twist_1.R", "front_lower.R") == pytest.approx(0, abs=1e-3)
        paw.rotation_quaternion.identity()
        armature.pose.bones["hind_upper.R"].rotation_quaternion = Quaternion((0, 1, 0), np.radians(50))
        assert wrung(armature, "hind_upper_twist_1.R", "hind_upper.R") == pytest.approx(-40, abs=0.5)
        np.testing.assert_allclose(sum(group_weights(o).values()), 1, atol=1e-5)
        assert bpy.ops.object.geppetto_move(motion="quadruped_walk") == {"FINISHED"}
        done = export_for(bpy.context, armature, load_engine("godot"), tmp_path / "dog.glb")
        assert done.takes and not done.is_person
        names_in = {node.get("name") for node in read_glb((tmp_path / "dog.glb").read_bytes())[0]["nodes"]}
        assert len([name for name in names_in if "twist" in str(name)]) == 16
    finally:
        geppetto.unregister()
