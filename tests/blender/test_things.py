"""What hangs or is held, in Blender: its bones follow, are switched off, updated, exported, and sway in VRM."""

from __future__ import annotations

from itertools import pairwise

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion

import geppetto
from geppetto.addon import names
from geppetto.addon.bridge.action import read_skeleton
from geppetto.addon.bridge.armature import read_detail, read_things
from geppetto.addon.bridge.curves import curves_of
from geppetto.addon.characters.rigged import armature_of
from geppetto.addon.export.exporting import ExportOptions, export_for
from geppetto.addon.export.glb import read_glb
from geppetto.addon.export.vrm_colliders import Capsule, flesh_of
from geppetto.addon.motion import swaying
from geppetto.addon.panels.character import things_without_bones
from geppetto.addon.words import joint_words
from geppetto.addon.words.translations import german as german_texts
from geppetto.core.hanging.thing import may_be_thing
from geppetto.core.skeleton.engine import load_engine
from tests.characters import dressed, quadruped
from tests.core.hanging.test_wings import WING, winged
from tests.shapes import cylinder

from .batches import QUICK, fresh, main, report_of, save
from .scenes import add_character, add_mesh, bind_to_old, deformed_points, group_weights, world_points

pytestmark = pytest.mark.usefixtures("rigged_once")

RIG = {"preset": "biped", "detail": "full"}


@pytest.fixture
def worn(context):
    """({name: object}, armature) of a person with a cape, a sword and a braid; the extension is on."""
    geppetto.register()
    objects = add_character(dressed("cape", "sword", "braid"))
    for o in objects:
        o.select_set(True)
    context.view_layer.objects.active = objects[0]
    assert bpy.ops.object.geppetto_auto_rig(**RIG) == {"FINISHED"}
    yield {o.name: o for o in objects}, armature_of(objects[0])
    geppetto.unregister()


def things(armature) -> set[str]:
    return {b.name for b in armature.data.bones if may_be_thing(b.name)}


@pytest.mark.long
def test_what_has_no_bones_is_told_until_the_skeleton_is_full(worn):
    objects, armature = worn
    assert things_without_bones(armature) == ()
    assert bpy.ops.object.geppetto_auto_rig(preset="biped", detail="hands") == {"FINISHED"}
    armature = armature_of(objects["sword"])
    assert things_without_bones(armature) == ("cape", "hair", "prop_hand.R") and not things(armature)


@pytest.mark.parametrize(("name", "english", "german"), [
    ("wing_2.R", "Right Wing 2", "Flügel rechts 2"),
    ("cape", "Cape", "Umhang"), ("hair_2", "Hair 2", "Haar 2"), ("ear.L", "Left Ear", "Ohr links"),
    ("prop_hand.R", "Thing (Right Hand)", "Ding (Hand rechts)"),
    ("prop_upper_arm_2.L", "Thing (Left Upper Arm) 2", "Ding (Oberarm links) 2")])
def test_a_thing_is_called_as_people_call_it(name, english, german, monkeypatch):
    assert joint_words.thing_word(name) == english
    known = german_texts()
    monkeypatch.setattr(joint_words, "word", lambda text: known[names.CONTEXT, text])
    assert joint_words.thing_word(name) == german


def test_things_follow_their_bones(worn):
    objects, armature = worn
    assert read_things(armature) == ("cape", "hair", "prop_hand.R")
    assert {c.name for c in armature.data.bones["cape_1.L"].collections} == {"Things"}
    armature.pose.bones["prop_hand.R"].rotation_quaternion = Quaternion((1, 0, 0), 0.5)
    sword, cape, braid = (objects[n] for n in ("sword", "cape", "braid"))
    moved = deformed_points(sword)
    apart = lambda p: np.linalg.norm(p - p[0], axis=1)  # noqa: E731 - used twice
    np.testing.assert_allclose(apart(moved), apart(world_points(sword)), atol=1e-5)
    assert np.abs(moved - world_points(sword)).max() > 0.1
    for o in (cape, braid):
        np.testing.assert_allclose(deformed_points(o), world_points(o), atol=1e-6)
    armature.pose.bones["cape_3.L"].rotation_quaternion = Quaternion((1, 0, 0), 0.5)
    off = np.linalg.norm(deformed_points(cape) - world_points(cape), axis=1)
    height = world_points(cape)[:, 2]
    assert off[height > np.quantile(height, 0.8)].max() < 1e-6 < 0.05 < off.max()


@pytest.mark.long
def test_a_thing_is_switched_off_and_on_again(worn):
    objects, armature = worn
    settings = getattr(bpy.context.scene, names.SETTINGS)
    settings.preset, settings.detail = "biped", "full"
    assert bpy.ops.geppetto.toggle_thing(thing="cape") == {"FINISHED"}
    assert settings.without == "cape"
    assert bpy.ops.object.geppetto_auto_rig(**RIG, without=settings.without) == {"FINISHED"}
    armature = armature_of(objects["cape"])
    assert read_things(armature) == ("cape", "hair", "prop_hand.R") and read_detail(armature).without == ("cape",)
    assert not [name for name in things(armature) if name.startswith("cape")] and "hair_1" in things(armature)
    weights = group_weights(objects["cape"])
    np.testing.assert_allclose(sum(weights.values()), 1, atol=1e-5)
    bpy.ops.geppetto.toggle_thing(thing="cape")
    assert settings.without == ""
    assert bpy.ops.object.geppetto_auto_rig(**RIG) == {"FINISHED"}
    assert "cape_1.L" in things(armature_of(objects["cape"]))


@pytest.mark.long
def test_update_rig_puts_things_back_and_leaves_out_those_that_were_deleted(worn):
    objects, armature = worn
    before = {b.name: np.array(b.head_local) for b in armature.data.bones}
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones["cape_2.L"].head.x += 0.2
    armature.data.edit_bones.remove(armature.data.edit_bones["prop_hand.R"])
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    np.testing.assert_allclose(armature.data.bones["cape_2.L"].head_local, before["cape_2.L"], atol=1e-5)
    assert "prop_hand.R" not in armature.data.bones
    for o in objects.values():
        np.testing.assert_allclose(sum(group_weights(o).values()), 1, atol=1e-5)
    assert "prop_hand.R" not in group_weights(objects["sword"])
    assert group_weights(objects["cape"])["cape_4.L"].max() > 0.9


def weights_by_own_names(objects, armature) -> list[dict]:
    own = {b.name: b.get(names.OWN_NAME, b.name) for b in armature.data.bones}
    return [{own[group]: of for group, of in group_weights(o).items() if of.any()} for o in objects.values()]


def same_weights(objects, armature, before: list[dict]) -> None:
    for now, then in zip(weights_by_own_names(objects, armature), before, strict=True):
        assert now.keys() == then.keys()
        np.testing.assert_allclose([now[bone] for bone in then], list(then.values()), atol=0.03)


@pytest.mark.long
def test_a_renamed_rig_is_bound_again_as_before(worn):
    """Things and twist bones are known by the names they were made with."""
    objects, armature = worn
    before = weights_by_own_names(objects, armature)
    assert bpy.ops.geppetto.rename_bones(engine="unreal") == {"FINISHED"}
    bpy.context.view_layer.objects.active = armature
    assert bpy.ops.geppetto.bind() == {"FINISHED"}
    assert "lowerarm_twist_01_l" in group_weights(objects["body"])
    same_weights(objects, armature, before)


@pytest.mark.long
@pytest.mark.parametrize("button", ["update_rig", "bind"])
def test_chains_keep_their_skin_while_a_bone_of_the_body_is_locked(extension, button):
    mesh = dressed("cape", "sword").mesh
    one = add_mesh("one", mesh.vertices, mesh.faces)
    one.select_set(True)
    bpy.context.view_layer.objects.active = one
    assert bpy.ops.object.geppetto_auto_rig(**RIG) == {"FINISHED"}
    armature, before = armature_of(one), group_weights(one)
    one.vertex_groups["head"].lock_weight = True
    bpy.context.view_layer.objects.active = armature
    assert getattr(bpy.ops.geppetto, button)() == {"FINISHED"}
    after = group_weights(one)
    for bone in filter(may_be_thing, before):
        np.testing.assert_allclose(after[bone], before[bone], atol=1e-5)


def test_vrm_gets_a_spring_for_each_chain(worn, tmp_path):
    """Each bone of a chain, then a node at its end, so that the last bone sways too; a sword does not."""
    export_for(bpy.context, worn[1], load_engine("vrm"), tmp_path / "worn.vrm", ExportOptions(takes="none"))
    tree, _ = read_glb((tmp_path / "worn.vrm").read_bytes())
    springs = tree["extensions"]["VRMC_springBone"]["springs"]
    nodes, lengths = tree["nodes"], {b.name.replace(".", "_"): b.length for b in worn[1].data.bones}
    assert {s["name"] for s in springs} == {"cape_1_L", "cape_1_R", "hair_1"}
    assert "VRMC_springBone" in tree["extensionsUsed"] and "prop_hand_R" in {n["name"] for n in nodes}
    for spring in springs:
        chain = [joint["node"] for joint in spring["joints"]]
        assert all(below in nodes[above]["children"] for above, below in pairwise(chain))
        end = nodes[chain[-1]]
        length = lengths[end["name"].removesuffix("_end")]
        assert end["name"].endswith("_end") and end["translation"] == pytest.approx([0, length, 0], abs=1e-5)
        for joint in spring["joints"]:
            assert 0 <= joint["dragForce"] <= 1 and 0 <= joint["stiffness"] <= 4 and joint["hitRadius"] > 0


def test_vrm_springs_keep_out_of_the_body_and_rest_where_they_were_modelled(worn, tmp_path):
    """Capes know of the trunk and the legs, hair of the head. At rest the tail of each bone, with what is free around
    it, lies outside: else it would jump when the avatar is loaded."""
    export_for(bpy.context, worn[1], load_engine("vrm"), tmp_path / "worn.vrm", ExportOptions(takes="none"))
    tree, binary = read_glb((tmp_path / "worn.vrm").read_bytes())
    flesh, told = flesh_of(tree, binary), tree["extensions"]["VRMC_springBone"]
    groups, colliders = told["colliderGroups"], told["colliders"]
    known = {s["name"]: {groups[g]["name"] for g in s["colliderGroups"]} for s in told["springs"]}
    assert {"J_Bip_L_UpperLeg", "J_Bip_L_LowerLeg"} <= known["cape_1_L"] and "J_Bip_C_Head" not in known["cape_1_L"]
    for spring in told["springs"]:
        parents, ends = ([j["node"] for j in part] for part in (spring["joints"][:-1], spring["joints"][1:]))
        radius = np.array([joint["hitRadius"] for joint in spring["joints"][:-1]])
        tails = np.array([np.linalg.inv(flesh.inverse[above]) @ (*tree["nodes"][below]["translation"], 1.0)
                          for above, below in zip(parents, ends, strict=True)])[:, :3]
        for one in (colliders[c] for g in spring["colliderGroups"] for c in groups[g]["colliders"]):
            capsule = one["shape"]["capsule"]
            around = Capsule(one["node"], capsule["offset"], capsule["tail"], capsule["radius"])
            assert (around.gaps(flesh, tails) > radius - 1e-5).all()


def test_vrm_springs_of_someone_small_are_small(worn, tmp_path):
    """In metres, as forces and radii are."""
    found = []
    for scale in (1.0, 0.1):
        worn[1].scale = [scale] * 3
        bpy.context.view_layer.update()
        export_for(bpy.context, worn[1], load_engine("vrm"), tmp_path / "worn.vrm", ExportOptions(takes="none"))
        tree, _ = read_glb((tmp_path / "worn.vrm").read_bytes())
        found.append([[j[key] for key in ("hitRadius", "stiffness", "gravityPower")]
                      for s in tree["extensions"]["VRMC_springBone"]["springs"] for j in s["joints"]])
    np.testing.assert_allclose(found[1], 0.1 * np.array(found[0]), rtol=0.02)


@pytest.mark.parametrize("engine", ["unreal", "unity", "godot", "roblox"])
def test_engines_take_things(worn, tmp_path, engine):
    described = load_engine(engine)
    path = tmp_path / f"worn.{described.container}"
    export_for(bpy.context, worn[1], described, path, ExportOptions(takes="none"))
    assert path.stat().st_size > 10_000


def test_a_control_rig_keeps_things(worn):
    if bpy.ops.geppetto.make_control_rig() != {"FINISHED"}:
        pytest.fail("no control rig")
    np.testing.assert_allclose(deformed_points(worn[0]["cape"]), world_points(worn[0]["cape"]), atol=1e-4)
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    weights = group_weights(worn[0]["cape"])
    np.testing.assert_allclose(sum(weights.values()), 1, atol=1e-4)
    assert weights["cape_4.L"].max() > 0.9


@pytest.mark.slow
def test_wings_have_bones_by_default_move_and_are_handed_over(context):
    geppetto.register()
    mesh, own = winged((WING, 1, 0.4), (WING, -1, 0.4))
    body = add_mesh("angel", 1.7 * mesh.vertices, mesh.faces)
    body.select_set(True)
    context.view_layer.objects.active = body
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    armature = armature_of(body)
    wings = {f"wing_{k}.{s}" for k in (1, 2, 3) for s in "LR"}
    assert things(armature) == wings and read_things(armature) == ("wing.L", "wing.R")
    assert things_without_bones(armature) == ()
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"} and things(armature) == wings
    before = deformed_points(body)
    armature.pose.bones["wing_1.L"].rotation_mode = "XYZ"
    armature.pose.bones["wing_1.L"].rotation_euler.x = 0.5
    moved = np.linalg.norm(deformed_points(body) - before, axis=1) > 1e-4
    assert moved[own:].sum() > 5 and not moved[:own].any()
    armature.pose.bones["wing_1.L"].rotation_euler.x = 0.0
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"} and bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    np.testing.assert_allclose(deformed_points(body), before, atol=2e-3)
    geppetto.unregister()


@pytest.mark.long
def test_the_batch_leaves_things_out(tmp_path):
    fresh()
    add_character(dressed("cape", "sword"))
    path = save(tmp_path / "worn.blend")
    assert main([str(path), "--out", str(tmp_path / "out"), *QUICK, "--detail", "full", "--without", "cape"]) == 0
    entry, = report_of(tmp_path / "out")
    assert entry["things"] == ["cape", "prop_hand.R"]
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "worn.blend"))
    armature, = (o for o in bpy.data.objects if o.type == "ARMATURE")
    assert things(armature) == {"prop_hand.R"}


def keyed(action) -> dict[tuple[str, int], list]:
    """{(data path, index): its keys} of an action."""
    return {(c.data_path, c.array_index): [tuple(k.co) for k in c.keyframe_points] for c in curves_of(action)}


@pytest.mark.long
def test_chains_follow_the_motions_and_no_longer_without_a_trace(worn):
    """What there is, what comes and what is exported; keys of the artist's own on a chain stay."""
    armature = worn[1]
    bpy.context.view_layer.objects.active = armature
    before_pose = Quaternion((1, 0, 0), 0.2)
    armature.pose.bones["hair_1"].rotation_quaternion = before_pose
    assert bpy.ops.object.geppetto_move(motion="walk") == {"FINISHED"}
    walk = armature.animation_data.action
    before = keyed(walk)
    assert not any("cape" in path for path, _ in before)
    assert bpy.ops.geppetto.toggle_sway() == {"FINISHED"}
    path = 'pose.bones["cape_4.L"].rotation_quaternion'
    during = keyed(walk)
    assert {key: keys for key, keys in during.items() if key in before} == before
    assert np.ptp([value for _, value in during[path, 1]]) > 0.02 and not any("prop" in key for key, _ in during)
    for axis in range(4):
        first, last = during[path, axis][0], during[path, axis][-1]
        assert (first[0], last[0]) == (walk.frame_start, walk.frame_end)
        assert first[1] == pytest.approx(last[1], abs=1e-6)
    assert bpy.ops.object.geppetto_move(motion="wave") == {"FINISHED"}
    wave = armature.animation_data.action
    assert (path, 0) in keyed(wave)
    assert bpy.ops.geppetto.toggle_sway() == {"FINISHED"}
    assert keyed(walk) == before and not any("cape" in key for key, _ in keyed(wave))
    assert names.SWAYS not in armature and names.SWAYS not in walk
    assert armature.pose.bones["hair_1"].rotation_quaternion.rotation_difference(before_pose).angle < 1e-5
    armature.pose.bones["hair_1"].keyframe_insert("rotation_quaternion", frame=3)
    own = {key: keys for key, keys in keyed(wave).items() if "hair" in key[0]}
    assert own and bpy.ops.geppetto.toggle_sway() == {"FINISHED"}
    after = keyed(wave)
    assert (path, 0) in after and {key: keys for key, keys in after.items() if "hair" in key[0]} == own


@pytest.mark.parametrize(("bone", "thick"), [("arm", 0.3), ("hair_1", 0.0)])
def test_what_sways_keeps_as_far_from_a_bone_as_its_flesh_is_thick_wherever_it_lies_along_it(context, bone, thick):
    found = cylinder(0.3, 3.0, (0.0, 0.0, 1.5)).mesh
    body = add_mesh("body", found.vertices, found.faces)
    armature = bind_to_old(body, bone, range(len(found.vertices)))
    armature.data.transform(Matrix.Scale(3.0, 4))
    body.location.x = armature.location.x = 5.0
    context.view_layer.update()
    assert swaying._flesh(context, armature, read_skeleton(armature)).tolist() == pytest.approx([thick], abs=0.01)


@pytest.mark.long
def test_chains_go_on_following_when_a_character_is_rigged_anew(worn):
    bpy.context.view_layer.objects.active = worn[1]
    assert bpy.ops.object.geppetto_move(motion="walk") == {"FINISHED"}
    assert bpy.ops.geppetto.toggle_sway() == {"FINISHED"}
    before = keyed(worn[1].animation_data.action)
    assert bpy.ops.object.geppetto_auto_rig(detail="full") == {"FINISHED"}
    armature = armature_of(worn[0]["body"])
    after = keyed(armature.animation_data.action)
    assert "cape_4.L" in armature[names.SWAYS] and after.keys() == before.keys()
    for key in before:
        np.testing.assert_allclose(after[key], before[key], atol=1e-4, err_msg=str(key))
    assert bpy.ops.geppetto.toggle_sway() == {"FINISHED"}
    assert not any("cape" in path for path, _ in keyed(armature.animation_data.action))


@pytest.mark.long
def test_chains_that_follow_are_exported_as_keys(worn, tmp_path):
    armature = worn[1]
    bpy.context.view_layer.objects.active = armature
    assert bpy.ops.geppetto.toggle_sway() == {"FINISHED"}
    assert bpy.ops.object.geppetto_move(motion="walk") == {"FINISHED"}
    export_for(bpy.context, armature, load_engine("godot"), tmp_path / "worn.glb")
    tree, _ = read_glb((tmp_path / "worn.glb").read_bytes())
    cape = [i for i, node in enumerate(tree["nodes"]) if node.get("name", "").startswith("cape_4")]
    held = {channel["target"]["node"]: animation["samplers"][channel["sampler"]]
            for animation in tree["animations"] for channel in animation["channels"]
            if channel["target"]["path"] == "rotation"}
    assert cape and all(tree["accessors"][held[node]["input"]]["count"] > 10 for node in cape)


@pytest.mark.long
def test_an_animals_tail_follows_instead_of_the_motions_own(context):
    geppetto.register()
    o, = add_character(quadruped(vertices=2000))
    o.select_set(True)
    context.view_layer.objects.active = o
    assert bpy.ops.object.geppetto_auto_rig(preset="quadruped") == {"FINISHED"}
    armature = armature_of(o)
    context.view_layer.objects.active = armature
    assert bpy.ops.object.geppetto_move(motion="quadruped_walk") == {"FINISHED"}
    assert any('"tail"' in path for path, _ in keyed(armature.animation_data.action))
    assert bpy.ops.geppetto.toggle_sway() == {"FINISHED"}
    assert bpy.ops.object.geppetto_move(motion="quadruped_walk") == {"FINISHED"}
    walk = armature.animation_data.action
    assert {"tail", "tail_2", "tail_3"} <= set(walk[names.SWAYS])
    assert np.ptp([value for _, value in keyed(walk)['pose.bones["tail_3"].rotation_quaternion', 3]]) > 0.01
    geppetto.unregister()
