"""The bone map in Blender: guessed, edited, kept with the armature, used by motions, saved and loaded."""

from __future__ import annotations

import json

import bpy
import numpy as np
import pytest

from geppetto.addon import names, whole
from geppetto.addon.bridge.action import read_skeleton
from geppetto.addon.characters.rigging import auto_rig
from geppetto.addon.choices import template_for
from geppetto.addon.motion.bone_maps import keep_map, map_of
from geppetto.addon.motion.moving import move
from geppetto.addon.operators.motion import chosen_map
from geppetto.core.skeleton.bone_map import BoneMap, bone_map_data, find_roles, load_bone_map
from tests.characters import maimed

from .scenes import add_character
from .test_motion import add_rig, read


def roles_of(armature) -> dict[str, str]:
    return {item.name: item.bone for item in getattr(armature.data, names.BONE_MAP).roles}


def test_a_guess_lists_all_parts_of_the_body_and_can_be_taken_back(extension, person):
    armature = add_rig(extension, person.joints)
    armature.data.bones["shin.L"].name = "mystery"
    assert map_of(armature) is None
    assert bpy.ops.geppetto.guess_bone_map() == {"FINISHED"}
    roles = roles_of(armature)
    assert roles["shin.L"] == "mystery" and roles["hips"] == "hips" and roles["tail"] == ""
    assert "front_upper.L" not in roles and map_of(armature).bones["shin.L"] == ("mystery",)
    assert "tail" not in map_of(armature).bones
    assert bpy.ops.geppetto.clear_bone_map() == {"FINISHED"} and map_of(armature) is None


def test_a_map_is_named_or_a_file_also_beside_the_scenes_own(context, tmp_path):
    mixamo = load_bone_map("mixamo")
    (tmp_path / "own.json").write_text(json.dumps(bone_map_data(mixamo)))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    assert chosen_map(" ") is None and chosen_map(" mixamo ").bones == mixamo.bones
    for choice in ("//own.json", str(tmp_path / "own.json")):
        assert chosen_map(choice).bones == mixamo.bones


@pytest.mark.long
def test_a_rig_of_ours_has_no_wrong_bones_unless_one_is_renamed(extension):
    """A person without a right forearm has no bone there, and that is right."""
    body, = add_character(maimed(arms="L"))
    rigged = auto_rig(extension, [body], template_for("auto"))
    assert "forearm.R" not in rigged.armature.data.bones

    def told() -> bool:
        return any("wrong bone" in warning for warning in move(extension, rigged.armature, "walk").clip.warnings)
    assert not told()
    rigged.armature.data.bones["forearm.L"].name = "mystery"
    assert told()


def test_what_is_edited_is_what_moves(extension, person):
    """On the target, and on the source."""
    source = add_rig(extension, person.joints, name="source")
    extension.scene.render.fps = 30
    bpy.ops.geppetto.guess_bone_map()
    roles = roles_of(source)
    keep_map(source, roles | {"upper_arm.R": "", "forearm.R": "", "hand.R": ""})
    move(extension, source, "wave")
    still = read(extension, source)
    arm = still.rig.names.index("upper_arm.R")
    assert np.abs(still.rotations[:, arm, 1:]).max() < 1e-6
    keep_map(source, roles)
    move(extension, source, "wave")
    assert np.abs(read(extension, source).rotations[:, arm, 1:]).max() > 0.3
    keep_map(source, roles | {"upper_arm.L": "upper_arm.R", "upper_arm.R": "upper_arm.L", "forearm.L": "forearm.R",
                              "forearm.R": "forearm.L", "hand.L": "hand.R", "hand.R": "hand.L"})
    other = add_rig(extension, person.joints, name="other")
    source.select_set(True)
    extension.view_layer.objects.active = other
    assert bpy.ops.object.geppetto_move_from_armature() == {"FINISHED"}
    swapped = read(extension, other)
    raised = [np.abs(swapped.rotations[:, swapped.rig.names.index(f"forearm.{s}"), 1:]).max() for s in "LR"]
    assert raised[0] > 2 * raised[1], "the left arm waves: the map says it is the source's right"


def test_it_is_kept_in_files(extension, person, tmp_path):
    armature = add_rig(extension, person.joints)
    bpy.ops.geppetto.guess_bone_map()
    before = roles_of(armature)
    path = str(tmp_path / "map.json")
    assert bpy.ops.object.geppetto_save_bone_map(filepath=path) == {"FINISHED"}
    assert json.loads((tmp_path / "map.json").read_text())["bones"]["hips"] == "hips"
    bpy.ops.geppetto.clear_bone_map()
    assert bpy.ops.geppetto.load_bone_map(filepath=path) == {"FINISHED"} and roles_of(armature) == before
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(RuntimeError, match="not a bone map"):
        bpy.ops.geppetto.load_bone_map(filepath=str(tmp_path / "bad.json"))
    assert roles_of(armature) == before
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "kept.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "kept.blend"))
    assert roles_of(bpy.data.objects["rig"]) == before


def test_a_file_gets_its_suffix_and_is_never_left_half_written(extension, person, tmp_path, monkeypatch):
    """Chosen without a suffix it was not found again; a full disk took the map that was there before."""
    armature = add_rig(extension, person.joints)
    bpy.ops.geppetto.guess_bone_map()
    before, path = roles_of(armature), tmp_path / "hero.json"
    assert bpy.ops.object.geppetto_save_bone_map(filepath=str(tmp_path / "hero")) == {"FINISHED"}
    bpy.ops.geppetto.clear_bone_map()
    assert bpy.ops.geppetto.load_bone_map(filepath=str(tmp_path / "hero")) == {"FINISHED"}
    assert roles_of(armature) == before
    assert bpy.ops.object.geppetto_save_bone_map.get_rna_type().properties["check_existing"].default is True
    kept = path.read_bytes()
    bpy.ops.geppetto.clear_bone_map()
    with monkeypatch.context() as full:
        full.setattr(whole.os, "replace", raising(OSError(28, "No space left on device")))
        with pytest.raises(RuntimeError, match=r"hero.json' cannot be written: No space left"):
            bpy.ops.object.geppetto_save_bone_map(filepath=str(path))
    assert path.read_bytes() == kept and [p.name for p in tmp_path.iterdir()] == ["hero.json"]
    path.rename(tmp_path / "HERO.JSON")
    assert bpy.ops.geppetto.load_bone_map(filepath=str(tmp_path / "HERO.JSON")) == {"FINISHED"}
    assert roles_of(armature) == before


def raising(error: Exception):
    def fail(*_):
        raise error
    return fail


def test_names_in_any_script_and_alike_but_for_signs(context, person):
    armature = add_rig(context, person.joints)
    armature.data.bones["thigh.L"].name = "左足"
    armature.data.bones["shin.L"].name = "Bone.01"
    armature.data.bones["hand.L"].name = "Bone01"
    rig = read_skeleton(armature)
    roles = find_roles(rig, BoneMap("own", {"thigh.L": ("左足",), "shin.L": ("Bone.01",), "hand.L": ("Bone01",)}))
    assert {r: rig.names[b] for r, b in roles.items()} == {"thigh.L": "左足", "shin.L": "Bone.01", "hand.L": "Bone01"}


def test_without_an_armature_the_buttons_are_grey(extension):
    for button in ("guess_bone_map", "clear_bone_map", "load_bone_map"):
        assert not getattr(bpy.ops.geppetto, button).poll()
    assert not bpy.ops.object.geppetto_save_bone_map.poll()
