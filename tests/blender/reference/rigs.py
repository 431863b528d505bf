"""Skeletons written, moved, changed and read; controls made of them; files written and opened again.

Cases are as in `tests.keeping.results`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import addon_utils
import bpy
import numpy as np
from mathutils import Euler, Matrix

from geppetto.addon import names
from geppetto.addon.bridge import action, armature, files, rigify, skinned_glb
from geppetto.addon.bridge.mesh import read_character
from geppetto.addon.bridge.weights import write_weights
from geppetto.addon.export.glb import read_glb
from geppetto.core.detail.grow import DetailOptions
from geppetto.core.skeleton.bone_map import find_roles
from geppetto.core.skeleton.control_rig import plan_controls
from geppetto.core.skeleton.preset import load_template, preset_names
from geppetto.core.skeleton.rig import Rig
from geppetto.core.skeleton.template import rig_from_joints
from geppetto.core.skeleton.twist import with_twists
from tests.blender.reference.meshes import TILTED, armature_of, ball, follow, nearby, objects_of, on_person
from tests.blender.reference.state import everything, listed, said, scratch
from tests.blender.scenes import add_cube
from tests.keeping.results import Shaken

PLACE = Matrix.LocRotScale((0.4, -1.2, 0.7), Euler((0.3, -0.5, 1.1)), (0.7, 0.7, 0.7))
LYING = Matrix.LocRotScale((2, 1, 0), Euler((1.4, 0, 0.3)), (2, 2, 2))


def skeletons_written(shaken: Shaken) -> None:
    """Every preset as bones, and read again; in hidden collections, with bones that do not deform or hang loosely."""
    hidden = bpy.data.collections.new("hidden")
    bpy.context.scene.collection.children.link(hidden)
    hidden.hide_viewport = True
    for k, name in enumerate(preset_names()):
        template = load_template(name)
        rig = rig_from_joints(template, shaken(1.3 * template.positions))
        if k % 2:
            rig = with_twists(rig, 1 + k % 3)
        loose = np.array(rig.connected) & (np.arange(len(rig.names)) % 5 != 3)
        rig = replace(rig, connected=loose, deform=np.arange(len(rig.names)) % 7 != 4, reading=k, readings=k + 3,
                      says=f"a body of kind {k}")
        where = hidden if k == 1 else bpy.context.scene.collection
        made = armature.write_armature(bpy.context, rig, name, where, (PLACE, LYING, Matrix.Identity(4))[k % 3], name)
        armature.read_rig(made), armature.read_reading(made), action.read_skeleton(made), action.rest_turns(made)
        armature.write_up(made, np.array(made.matrix_world.col[2][:3]) / made.matrix_world.col[2].length)
        armature.read_up(made), action.read_skeleton(made)
        bend(made)
        armature.posed_rig(replace(rig, joints=dict(zip(template.names, 1.3 * template.positions, strict=True))), made)
    everything()


def bend(made) -> None:
    """Every bone turned a little, each in a rotation mode of its own."""
    for k, bone in enumerate(made.pose.bones):
        bone.rotation_mode = ("QUATERNION", "XYZ", "AXIS_ANGLE", "ZYX")[k % 4]
        turn = Euler((0.05 * (k % 5), 0.1, -0.04 * k % 0.3))
        bone.matrix_basis = Matrix.LocRotScale((0, 0.01 * (k % 3), 0), turn, None)
    bpy.context.view_layer.update()


def skeletons_changed(shaken: Shaken) -> None:
    """Bones moved, added, taken away; notes on an armature; bones that Blender would not keep."""
    rig = on_person(shaken)
    made = armature_of(rig, "changed", PLACE)
    made.data.use_mirror_x = True
    bpy.ops.object.mode_set(mode="EDIT")
    bones = made.data.edit_bones
    for name, parent, joined in (("sword", "hand.R", False), ("hat", "head", True), ("plume", "hat", True)):
        bone = bones.new(name)
        bone.parent, bone.use_connect = bones[parent], joined
        bone.head = bones[parent].tail
        bone.tail = bone.head + (bones[parent].tail - bones[parent].head) * 0.4
    bpy.ops.object.mode_set(mode="OBJECT")
    add_cube("selected too").select_set(True)
    wide = [1.1, 1, 1.2]
    wider = replace(rig, heads=rig.heads * wide, tails=rig.tails * wide, reading=2, readings=5, says="x")
    armature.move_bones(bpy.context, made, wider.only(set(rig.names[1:])))
    everything()
    grown = with_twists(wider, 2)
    armature.change_bones(bpy.context, made, grown, ["plume", "hand.L"])
    for detail in (DetailOptions("body"), DetailOptions("full", 4, 3, True, ("cape", "hair")),
                   DetailOptions("hands", 0)):
        armature.write_detail(made, detail)
        armature.read_detail(made)
    for texts in ((), ("one", "two, and three")):
        armature.write_things(made, texts), armature.write_warnings(made, texts), armature.write_notes(made, texts)
        armature.read_things(made), armature.read_warnings(made), armature.read_notes(made)
    for up in ([0, 0, 1.0], [0, 0.6, 0.8], [0, 0.02, 0.9998], [0, 0.06, 0.998]):
        armature.write_up(made, np.array(up))
        armature.read_up(made), action.read_skeleton(made)
    everything()
    bare = bpy.data.objects.new("bare", bpy.data.armatures.new("bare"))
    bpy.context.scene.collection.objects.link(bare)
    for read in (armature.read_rig, armature.read_reading, armature.read_detail, armature.read_things,
                 armature.read_warnings, armature.read_notes, armature.read_up, action.read_skeleton):
        said(read, bare)
    for k, size in enumerate((1e-14, 3e-7, 1e-5, 1e4)):
        small = replace(rig, heads=size * rig.heads, tails=size * rig.tails)
        said(armature_of, small, f"sized {k}")
        said(armature_of, rig, f"scaled {k}", Matrix.Diagonal((size, size, size, 1)))
    long = [*rig.names[:-1], "ß" * 32]
    said(armature_of, replace(rig, names=tuple(long), joints={}), "long")
    said(armature_of, replace(rig, names=(*rig.names[:-1], "m" * 63), joints={}), "just not too long")
    uneven = armature_of(rig, "uneven", TILTED)
    uneven.data.bones["spine"].use_deform = uneven.data.bones["thigh.L"].use_deform = False
    armature.read_rig(uneven)
    everything()


def bound(shaken: Shaken, matrix=None):
    """The small person with its bones and weights."""
    rig = on_person(shaken)
    objects = objects_of(shaken)
    made = armature_of(rig, "rig", matrix)
    bpy.context.view_layer.update()
    character = read_character(bpy.context, objects)
    weights = nearby(character.mesh.vertices, rig)
    write_weights(bpy.context, character, made, weights)
    return character, made, weights


def glb_written(shaken: Shaken) -> None:
    """Skinned .glb files of plain scenes and of others, and what they hold."""
    character, made, weights = bound(shaken)
    body = character.parts[0].object
    known = skinned_glb.Known(weights.bones, {part.object.name: weights.matrix[part.source]
                                              for part in character.parts})
    tree_of(character, "plain"), tree_of(character, "known", known)
    made.matrix_world = PLACE
    tree_of(character, "elsewhere")
    body.vertex_groups.new(name="her own").add([1, 2, 3], 1.0, "REPLACE")
    changes = [lambda: body.data.attributes.new("_own", "FLOAT", "POINT"),
               lambda: body.data.attributes.remove(body.data.attributes["_own"]),
               lambda: setattr(made.pose.bones["head"], "location", (0.1, 0, 0)),
               lambda: setattr(made.pose.bones["head"], "location", (0, 0, 0)),
               lambda: bpy.data.actions.new("moves"), lambda: bpy.data.actions.remove(bpy.data.actions["moves"]),
               lambda: body.shape_key_add(name="Basis"), body.shape_key_clear,
               lambda: setattr(body, "instance_type", "VERTS"), lambda: setattr(body, "instance_type", "NONE"),
               lambda: setattr(body.modifiers[0], "show_viewport", False),
               lambda: setattr(body.modifiers[0], "show_viewport", True),
               lambda: setattr(add_cube("child"), "parent", body),
               lambda: bpy.data.objects.remove(bpy.data.objects["child"]),
               lambda: setattr(body, "parent_type", "BONE"), lambda: setattr(body, "parent_type", "OBJECT"),
               lambda: body.modifiers.new("more", "TRIANGULATE")]
    for k, change in enumerate(changes):
        change()
        bpy.context.view_layer.update()
        plan = skinned_glb._plan(skinned_glb.Known())
        if k % 6 == 1:
            tree_of(character, f"change {k}")
        del plan
    everything()


def tree_of(character, name: str, known=skinned_glb.Known()) -> None:
    """Write a .glb of the scene and look at what it holds."""
    with scratch() as home:
        path = home / f"{name}.glb"
        with files.Outputs("tag") as outputs:
            outputs.scene("glb", path, known)
        told(*read_glb(path.read_bytes()))


def told(tree: dict, binary: bytes) -> tuple:
    """What a .glb holds, without the pictures of its numbers as text."""
    return listed([len(binary), *(str(node.get("name")) for node in tree["nodes"]), len(tree.get("skins", ())),
            *(len(skin["joints"]) for skin in tree.get("skins", ())), len(tree["accessors"]),
            *(a["count"] for a in tree["accessors"]),
            *(np.array(a[end]) for a in tree["accessors"] for end in ("min", "max") if end in a)])


def files_opened(shaken: Shaken) -> None:
    """Files of each kind written and opened again, what each scene then is, and what is said of those that fail."""
    bound(shaken)
    body = bpy.data.objects[0]
    body.modifiers.new("more", "TRIANGULATE")
    body.shape_key_add(name="Basis")
    body.modifiers["more"].show_viewport = False
    with scratch() as home:
        with files.Outputs("tag") as outputs:
            for kind, suffix in (("blend", ".blend"), ("glb", ".glb"), ("fbx", ".fbx"), ("usd", ".usdz")):
                outputs.scene(kind, home / f"scene{suffix}")
            outputs.data(home / "data.bin", b"some bytes")
            outputs.beside(home / "beside.txt").write_text("text", encoding="utf-8")
            listed(path.name for path in outputs.paths)
        listed(path.name for path in sorted(home.iterdir()))
        lost = files.Outputs("lost")
        for broken in (lambda: lost.data(home / "none" / "data.bin", b""), lambda: fails_inside(home),
                       lambda: lost.scene("blend", home / "none" / "a.blend")):
            said(broken)
        listed(path.name for path in sorted(home.iterdir()))
        for name in ("empty.glb", "broken.glb", "broken.blend", "word.docx"):
            (home / name).write_bytes(b"" if name.startswith("empty") else b"glTF nonsense")
        for name in ("none.glb", "word.docx", "empty.glb", "", "scene.blend", "broken.glb", "broken.blend",
                     "scene.glb"):
            said(files.check_file, home / name)
            said(files.open_file, home / name)
            everything()
        files.named_files()
    for text in ("Error: one.\nError: two", "", "Location: here\nError: three..", "Traceback\nRecursionError: deep"):
        files.reason(RuntimeError(text))


def fails_inside(home: Path) -> None:
    """What is written is not kept if the block fails."""
    with files.Outputs("lost") as outputs:
        outputs.data(home / "lost.bin", b"bytes")
        outputs.scene("glb", home / "lost.glb")
        raise RuntimeError("no")


def controls_made(shaken: Shaken) -> None:
    """Rigify's metarig and rig of a person and a dog, standing and lying."""
    addon_utils.disable(rigify.NAME, default_set=True)  # which an earlier test may have turned on
    rigify.is_rigify_on()
    rigify.enable_rigify()
    rigify.is_rigify_on()
    for k, (name, matrix) in enumerate((("biped", Matrix.Identity(4)), ("quadruped", PLACE))):
        template = load_template(name)
        rig: Rig = rig_from_joints(template, shaken(template.positions))
        plain = armature_of(rig, name, matrix)
        plan = plan_controls(rig, find_roles(rig), {})
        home = bpy.data.collections.new(name)
        bpy.context.scene.collection.children.link(home)
        home.hide_viewport = bool(k)
        metarig = rigify.write_metarig(bpy.context, plan, f"{name} metarig", home, matrix)
        layers(metarig)
        everything()
        if k:
            continue
        controls = rigify.generate(bpy.context, metarig)
        table = rigify.deform_bones(controls, plan)
        rigify.to_plain(controls, plain)
        for bone in controls.data.bones:
            if bone.name.startswith("DEF-"):
                rigify.whole_bone(controls.data.bones, bone.name)
        controls[names.SHARES] = {source: [bone for bone, _ in parts] for source, parts in table.items()}
        controls[names.UPRIGHT] = [x for row in Matrix.Translation((1, 2, 3)) for x in row]
        rigify.to_plain(controls, plain)
        said(rigify.deform_bones, controls, [*plan, replace(plan[0], name="no such", source="nothing")])
    metarig.pose.bones[0].rigify_type = "no.such"
    said(rigify.generate, bpy.context, metarig)


def layers(metarig) -> tuple:
    """A metarig's rows of buttons, colours and settings."""
    out = []
    for group in metarig.data.collections_all:
        out += [group.name, group.rigify_ui_row, group.rigify_color_set_id, group.rigify_ui_title]
    for bone in metarig.pose.bones:
        settings = bone.rigify_parameters
        out += [bone.name, bone.rigify_type, settings.extra_ik_toe if hasattr(settings, "extra_ik_toe") else None,
                *(ref.name for key in ("fk", "tweak") for ref in getattr(settings, f"{key}_coll_refs", ()))]
    return listed(out)


def unposed(shaken: Shaken) -> None:
    """A second skin over what an artist bound by hand."""
    character, made, _ = bound(shaken, PLACE)
    extra = ball("extra", shaken)
    follow(extra, made)
    bend(made)
    bpy.context.view_layer.update()
    read_character(bpy.context, [*(part.object for part in character.parts), extra])
    everything()


CASES = {case.__name__: case for case in (skeletons_written, skeletons_changed, glb_written, files_opened,
                                          controls_made, unposed)}
