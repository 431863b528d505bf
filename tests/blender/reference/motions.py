"""Motions written as actions, read from armatures and from files, and taken back where something holds a bone.

Cases are as in `tests.keeping.results`.
"""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np
from mathutils import Matrix

from geppetto.addon.bridge import action, curves, motion_file, pose
from geppetto.core.geometry.rotation import from_vector
from geppetto.core.motion.clip import MotionClip
from geppetto.core.motion.clip_file import load_motion
from geppetto.core.motion.edit import trimmed
from geppetto.core.steps import run
from tests.blender.reference.meshes import MIRRORED, armature_of, on_person
from tests.blender.reference.rigs import LYING, PLACE, bend
from tests.blender.reference.state import everything, said, scratch, truth
from tests.blender.scenes import add_cube
from tests.keeping.results import Shaken
from tests.motion_files import CONVENTIONS, write_bvh


def swinging(rig, frames: int = 9, *, loop: bool = False, rate: float = 24.0, name: str = "swing") -> MotionClip:
    """Every bone swings its own way, the root goes its way."""
    time = np.linspace(0, 1, frames, endpoint=not loop)[:, None, None]
    bones = np.arange(len(rig.names))[:, None]
    turns = 0.4 * np.sin(2 * np.pi * time + bones) * np.sin(bones + np.arange(3)) * (bones % 4 > 0)
    way = np.stack([0.05 * np.sin(6 * time[:, 0, 0]), 0.6 * time[:, 0, 0], 0.03 * np.cos(9 * time[:, 0, 0])], 1)
    return MotionClip(rig, from_vector(turns), way, rate, loop=loop, stride=np.array([0.0, 0.6, 0.0]) * loop, name=name)


def in_modes(made, change=lambda bones: None):
    """An armature whose bones have rotation modes of every kind, changed in Edit mode."""
    bpy.context.view_layer.objects.active = made
    bpy.ops.object.mode_set(mode="EDIT")
    change(made.data.edit_bones)
    bpy.ops.object.mode_set(mode="OBJECT")
    for k, bone in enumerate(made.pose.bones):
        bone.rotation_mode = ("QUATERNION", "XYZ", "AXIS_ANGLE", "YZX")[k % 4]
    return made


def hung(bones) -> None:
    """The hips hung on a root, some bones set to inherit or to measure otherwise."""
    root = bones.new("root")
    root.head, root.tail = (0, 0, 0), (0, 0.3, 0)
    bones["hips"].parent = root
    bones["upper_arm.L"].use_inherit_rotation = False
    bones["thigh.R"].use_connect = False
    bones["thigh.R"].use_local_location = False
    root.use_local_location = False


def actions_written(shaken: Shaken) -> None:
    """Clips as keys: looping or not, at other rates, the way on hips, root and object, few keys, driven bones."""
    plain = in_modes(armature_of(on_person(shaken), "plain", PLACE))
    rooted = in_modes(armature_of(on_person(shaken), "rooted"), hung)
    for made in (plain, rooted):
        rig = action.read_skeleton(made)
        hips = rig.names.index("hips")
        up = np.array([0.0, 0.0, 1.0])
        for k, more in enumerate(({"start": 1}, {"start": 5, "tolerance": 0.1}, {"start": 1, "driven": [2, 3]},
                                  {"start": 0, "up": up, "hips": hips},
                                  {"start": 1, "up": up, "hips": hips, "tolerance": 0.1},
                                  {"start": 1, "hips": hips})):
            clip = swinging(rig, 9 + k, loop=k % 2 == 1, rate=(24.0, 30.0, 31.0)[k % 3], name=f"{made.name} {k}")
            action.write_action(made, clip, (24.0, 30.0)[k % 2], **more)
            run(action.read_action_steps(bpy.context, made))
        clip = swinging(rig)
        action.bone_channels(made, clip, hips=hips), action.bone_channels(made, clip, hips=hips, way=0.5 * clip.root)
        parents = np.array(rig.parents)
        parents[rig.names.index("thigh.R")] = rig.names.index("chest")
        said(action.write_action, made, replace(clip, rig=replace(rig, parents=parents)), 24.0, start=1)
        parents[rig.names.index("hand.R")] = rig.names.index("chest")
        said(action.write_action, made, replace(clip, rig=replace(rig, parents=parents)), 24.0, start=1)
        one = swinging(rig, 1, name="still")
        action.write_action(made, one, 24.0, start=3)
    everything()


def keys_added(shaken: Shaken) -> None:
    """Turns and places added to actions, keys taken out, tracks that play, strips that are tweaked."""
    made = in_modes(armature_of(on_person(shaken), "rig", LYING))
    rig = action.read_skeleton(made)
    for loop in (False, True):
        written = action.write_action(made, trimmed(swinging(rig, 8), 0, 5).changed(loop=loop), 24.0, start=1)
        turns = {name: from_vector(np.outer(np.sin(np.arange(6)), [0.3, 0.1 * k, 0.2]))
                 for k, name in enumerate(("head", "hand.L", "toe.R"))}
        action.remove_keys(written, ['pose.bones["head"]', 'pose.bones["hand.L"]', 'pose.bones["toe.R"]'])
        action.add_turns(made, written, turns, 2)
        for mode in ("XYZ", "QUATERNION", "AXIS_ANGLE"):
            made.rotation_mode = mode
            ways = np.array([PLACE @ Matrix.Rotation(0.9 * k, 4, "Z") @ Matrix.Diagonal((1, 1, 1 + 0.1 * k * loop, 1))
                             @ Matrix.Translation((0, 0.1 * k, 0)) for k in range(6)])
            action.remove_keys(written, ["location", "rotation", "scale"])
            action.add_places(made, written, ways, 1)
            curves.curves_of(written)
            everything()
    data = made.animation_data
    first, second = (data.nla_tracks.new() for _ in range(2))
    strip = first.strips.new("one", 3, written)
    second.strips.new("two", 40, bpy.data.actions[0])
    data.action = None
    for change in (lambda: None, lambda: setattr(first, "mute", True), lambda: setattr(second, "is_solo", True),
                   lambda: setattr(second, "is_solo", False), lambda: setattr(second, "mute", True),
                   lambda: setattr(first, "mute", False), lambda: setattr(strip, "mute", True),
                   lambda: setattr(strip, "mute", False), lambda: setattr(data, "use_nla", False)):
        change()
        said(lambda: [track.name for track in action.playing_tracks(data)])
        action.strips_range(data)
        said(lambda: run(action.read_action_steps(bpy.context, made)))
    data.use_nla = True
    first.strips[0].select, first.select = True, True
    data.nla_tracks.active = first
    data.use_tweak_mode = True
    truth(data.use_tweak_mode)
    action.close_strip(made)
    truth(data.use_tweak_mode)
    holder = add_cube("holder")
    action.close_strip(holder), action.strips_range(None), action.playing_tracks(None)


def armatures_read(shaken: Shaken) -> None:
    """What an armature shows: its own way, that of what carries it, at other rates, between frames, or nothing."""
    scene = bpy.context.scene
    for k, matrix in enumerate((PLACE, LYING, MIRRORED @ Matrix.Diagonal((-1, 1, 1, 1)))):
        made = in_modes(armature_of(on_person(shaken), f"read {k}", matrix), hung if k == 1 else lambda bones: None)
        said(lambda: run(action.read_action_steps(bpy.context, made)))  # noqa: B023
        rig = action.read_skeleton(made)
        written = action.write_action(made, swinging(rig, 7), 24.0, start=1)
        holder = add_cube(f"holder {k}")
        holder.keyframe_insert("location", frame=1)
        holder.location, holder.rotation_euler.z = (1, 2, 3), 0.4
        holder.keyframe_insert("location", frame=9)
        made.parent = holder
        scene.frame_set(4, subframe=0.25)
        scene.render.fps, scene.render.fps_base = (24, 30, 25)[k], (1.0, 1.001, 1.0)[k]
        for frames in (None, (2.0, 5.0), (2.5, 4.75), (3.0, 3.0), (0.0, 200_000.0)):
            said(lambda: run(action.read_action_steps(bpy.context, made, frames=frames, rest_frame=None)))  # noqa: B023
        run(action.read_action_steps(bpy.context, made, rest_frame=2))
        made.animation_data.action = None
        run(action.read_action_steps(bpy.context, made))
        holder.animation_data_clear()
        said(lambda: run(action.read_action_steps(bpy.context, made)))  # noqa: B023
        made.scale = (0, 1, 1)
        made.animation_data.action = written
        said(lambda: run(action.read_action_steps(bpy.context, made)))  # noqa: B023
    everything()


def bones_held(shaken: Shaken) -> None:
    """Constraints, drivers and inverse kinematics that hold bones or do not; what fails is taken back."""
    made = in_modes(armature_of(on_person(shaken), "held"), hung)
    bones = made.pose.bones
    rig = action.read_skeleton(made)
    clip = swinging(rig, 6, loop=True)
    written = action.write_action(made, clip, 24.0, start=1)
    every = list(range(len(rig.names)))

    def check() -> None:
        pose.held_bones(made), pose.poles(made)
        said(pose.check_pose, bpy.context, made, clip, written, every)
        said(pose.check_pose, bpy.context, made, clip, written, every[:4])

    check()
    limit = bones["forearm.L"].constraints.new("LIMIT_ROTATION")
    check()
    for axis in "xyz":
        setattr(limit, f"use_limit_{axis}", True)
    limit.owner_space = "LOCAL"
    for change in (lambda: None, lambda: setattr(limit, "influence", 0.0), lambda: setattr(limit, "influence", 1.0),
                   lambda: setattr(limit, "mute", True)):
        change()
        check()
    driver = made.driver_add('pose.bones["head"].rotation_euler', 0).driver
    driver.expression = "0.5"
    check()
    ik = bones["shin.R"].constraints.new("IK")
    check()
    for change in (lambda: setattr(ik, "pole_target", made), lambda: setattr(ik, "pole_subtarget", "foot.R"),
                   lambda: setattr(ik, "chain_count", 2), lambda: setattr(ik, "chain_count", 30)):
        change()
        check()
    for had in (True, False):
        if not had:
            made.animation_data_clear()
        said(writes_and_fails, made, clip)
        everything()
    said(check_still, made, swinging(rig, 4, name="kept"))
    everything()


def writes_and_fails(made, clip) -> None:
    """What is written before something fails."""
    with pose.unless_it_fails(bpy.context, made):
        action.write_action(made, clip, 30.0, start=7)
        bend(made)
        raise RuntimeError("it fails")


def check_still(made, clip) -> None:
    """What is written and stays."""
    with pose.unless_it_fails(bpy.context, made):
        action.write_action(made, clip, 30.0, start=7)


def motions_read(shaken: Shaken) -> None:
    """Files with one motion, with several, with none, by the motion's name and without."""
    made = armature_of(on_person(shaken), "source")
    rig = action.read_skeleton(made)
    for k in range(2):
        written = action.write_action(made, swinging(rig, 6 + k, name=f"Take {k}"), 24.0, start=1)
        track = made.animation_data.nla_tracks.new()
        track.name = written.name
        track.strips.new(written.name, 1, written)
        track.mute = True
    holder = add_cube("holder")
    holder.keyframe_insert("location", frame=1)
    holder.location = (1, 2, 3)
    holder.keyframe_insert("location", frame=9)
    with scratch() as home:
        bpy.ops.export_scene.gltf(filepath=str(home / "moves.glb"))
        made.parent = holder
        bpy.ops.export_scene.gltf(filepath=str(home / "carried.glb"))
        bpy.ops.export_scene.fbx(filepath=str(home / "carried.fbx"), add_leaf_bones=False)
        made.parent = None
        bpy.ops.export_scene.fbx(filepath=str(home / "moves.fbx"), add_leaf_bones=False)
        made.animation_data_clear()
        for action_of in list(bpy.data.actions):
            bpy.data.actions.remove(action_of)
        bpy.ops.export_scene.gltf(filepath=str(home / "still.glb"))
        walk = trimmed(load_motion("walk"), 0, 6).changed(loop=False)
        write_bvh(home / "walk.bvh", walk.changed(root=shaken(walk.root)), CONVENTIONS["tidy"])
        (home / "broken.glb").write_bytes(b"glTF nonsense")
        for name in ("walk.bvh", "moves.glb", "moves.fbx", "carried.glb", "carried.fbx", "still.glb",
                     "broken.glb", "none.glb", "moves.obj"):
            said(motion_file.motions_in, bpy.context, home / name)
            for chosen in ("", "Take 0", "take 1", "Walk"):
                said(lambda: run(motion_file.opened_motion(bpy.context, home / name, action=chosen)))  # noqa: B023
            everything()


CASES = {case.__name__: case for case in (actions_written, keys_added, armatures_read, bones_held, motions_read)}
