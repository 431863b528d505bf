"""A rigged character as the file an engine takes as it is: read, plan, stage, write. Buttons and batches share it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix
from scipy import sparse

from ...core.errors import BadRig
from ...core.geometry.rotation import continuous, from_matrix, identity
from ...core.motion.clip import MotionClip
from ...core.motion.rest_pose import character_axes, turned_rig
from ...core.posing.reshape import blend, moved
from ...core.posing.stance import palms_of, posed_rig, rest_matrices
from ...core.skeleton.bone_map import find_roles
from ...core.skeleton.engine import Engine
from ...core.skeleton.engine_rig import EngineRig, dealt_weights, engine_rig, file_axes
from ...core.skeleton.rig import Rig
from ...core.skeleton.root import ROOT
from ...core.skinning.weights import merge_weights
from .. import names
from ..bridge.action import write_action
from ..bridge.armature import read_rig, write_armature
from ..bridge.files import Outputs, reason
from ..bridge.mesh import COULD_BE_MESH, own_points
from ..bridge.weights import write_groups
from ..characters.rigged import followers, is_ours
from ..current import metres
from ..formats import ENGINE_SUFFIX, BadFile
from ..motion.takes import Take, actions_of, sample_takes
from .besides import told_of_besides
from .engine_files import write_file
from .mouths import add_mouth
from .staging import Piece, carrier, copy_meshes, lent_names, move_points, moved_keys, stage, unlike_bones

Y_UP = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])  # a Y-up file as Blender shows it
SEEN = {"MESH", *COULD_BE_MESH}  # types of objects that show something
SIDES = {".L": "R", ".R": "L"}
LACKING = 0.25  # of the bones that make a person; a bird lacks 0.4 of them
SCALED = 0.01  # a bone that a motion makes larger or smaller by less keeps its size to the eye


@dataclass(frozen=True)
class ExportOptions:
    """How a character is handed over.

    rest : "engine" as the engine wants it, or "modelled", "T", "A";  takes : "all" motions, the "active" one, or "none"
    meta : what a VRM says of itself, see vrm.py
    """

    rest: str = "engine"
    takes: str = "all"
    meta: dict = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Exported:
    """What was written.  takes : names of motions;  bones, objects : how many;  is_person : with the engine's names
    warnings : what the file lacks
    """

    path: Path
    takes: tuple[str, ...]
    bones: int
    objects: int
    is_person: bool
    warnings: tuple[str, ...] = ()


def export_for(context, armature: bpy.types.Object, engine: Engine, path: Path,
               options: ExportOptions = ExportOptions()) -> Exported:
    """Write a character for an engine.  The scene stays as it is, and the file appears whole or not at all.

    Raises RigError, naming the character, for a body the engine has no skeleton for or a file that cannot be written.
    """
    with Outputs() as outputs:
        return export_into(context, armature, engine, path, options, outputs)


def export_into(context, armature: bpy.types.Object, engine: Engine, path: Path, options: ExportOptions,
                outputs: Outputs) -> Exported:
    """`export_for`, the file among others that appear together."""
    if not path.parent.is_dir():
        raise BadFile(f"'{path}' cannot be written: there is no such folder. Choose another.")
    if path.name in ENGINE_SUFFIX.values():
        raise BadFile(f"The file in '{path.parent}' has no name. Give it one.")
    moved = followers(armature)
    hung = dict.fromkeys([*(o for one in (armature, *moved) for o in one.children_recursive),
                          *(o for o in context.scene.objects
                            if any(getattr(c, "target", None) == armature for c in o.constraints))])
    everything = [*moved, *(o for o in hung if o.type == "MESH" and carrier(o, armature) is not None)]
    objects = [o for o in everything if o.visible_get()]
    if not objects:
        raise BadRig(f"'{armature.name}' moves no mesh. Bind one to it first.")
    rig = read_rig(armature)
    roles = roles_of(armature, rig)
    if armature.matrix_world.is_negative:
        rig, roles = _mirrored(rig, roles)
    actions = _wanted(armature, engine, options)
    unit, besides = metres(context), told_of_besides(context, objects, f"'{path.name}'")
    with stage(context) as scene:
        pieces = copy_meshes(bpy.context, scene, objects, armature, rig, has_keys=engine.container != "dae")
        hand_over = _HandOver(armature, rig, roles, engine, options, pieces, unit)
        takes = sample_takes(bpy.context, scene, armature, rig.names, actions, root_of(armature))
        copy = hand_over.build(bpy.context, scene, takes)
        own = unlike_bones([p.name for p in pieces], {*hand_over.plan.rig.names, engine.armature})
        with lent_names([(copy, engine.armature), *((p.object, name) for p, name in zip(pieces, own, strict=True)),
                         *((p.object.data, p.data_name) for p in pieces)]):
            try:
                write_file(bpy.context, engine, hand_over.plan, options.meta, outputs.beside(path), bool(takes))
            except RuntimeError as error:
                raise BadFile(f"'{path}' cannot be written: {reason(error)}") from error
            except OSError as error:
                raise BadFile(f"'{path}' cannot be written: {error.strerror}.") from error
    return Exported(path, tuple(t.name for t in takes), len(hand_over.plan.rig.names), len(pieces),
                    hand_over.plan.is_person,
                    (*_hidden([o for o in everything if o not in objects]),
                     *_elsewhere([o for o in hung if o not in everything and o.visible_get()]),
                     *besides, *_no_person(armature, engine, hand_over.plan, path), *_renamed(pieces, own, path),
                     *_still(objects, path), *_left_out(armature, engine, options, path), *_unscaled(takes, path),
                     *_sheared(armature, takes, path)))


def roles_of(armature: bpy.types.Object, rig: Rig) -> dict[str, int]:
    """{role: bone} of an armature: for our own by the names the bones were given, whatever they are called now."""
    if not is_ours(armature):
        return find_roles(rig)
    return {armature.data.bones[name].get(names.OWN_NAME, name): i for i, name in enumerate(rig.names)}


def root_of(armature: bpy.types.Object) -> str:
    """The name of our bone on the ground that carries all others, whatever it is called now; "" without."""
    if not is_ours(armature):
        return ""
    return next((b.name for b in armature.data.bones if b.parent is None and not b.use_deform
                 and b.get(names.OWN_NAME, b.name) == ROOT), "")


def _mirrored(rig: Rig, roles: dict[str, int]) -> tuple[Rig, dict[str, int]]:
    """A rig that its scale mirrors, and its roles: what is called left is on the right, and turns go the other way."""
    swapped = {role[:-1] + SIDES.get(role[-2:], role[-1:]): bone for role, bone in roles.items()}
    return replace(rig, x_axes=-rig.x_axes), swapped


def _wanted(armature, engine: Engine, options: ExportOptions) -> list[bpy.types.Action]:
    if not engine.takes or options.takes == "none":
        return []
    active = armature.animation_data.action if armature.animation_data else None
    return actions_of(armature) if options.takes == "all" else [active] if active is not None else []


def _hidden(objects: list) -> list[str]:
    """What to warn of where objects are hidden."""
    if not objects:
        return []
    return [f"{_named(objects)} is not in the file: what is hidden is left out. Show it to export it."]


def _elsewhere(objects: list) -> list[str]:
    """What to warn of where objects hang on a character in a way that a file cannot hold."""
    seen = [o for o in objects if o.type in SEEN or o.instance_type == "COLLECTION"]
    if not seen:
        return []
    return [f"{_named(seen)} is not in the file: only meshes that follow a bone are. Parent it to a bone, or turn it "
            "into a mesh with Object > Convert."]


def _no_person(armature, engine: Engine, plan: EngineRig, path: Path) -> list[str]:
    """What to warn of where a few bones lack of an engine's person: who has fewer is no person, and knows it."""
    missing = [role for role in engine.needed if role not in plan.roles]
    if not 0 < len(missing) <= LACKING * len(engine.needed):
        return []
    return [f"'{armature.name}' has no bone '{missing[0]}': '{path.name}' holds no person as {engine.label} knows "
            "them, and bones keep their names. If the bone was renamed, give it that name again."]


def _renamed(pieces: list[Piece], own: list[str], path: Path) -> list[str]:
    """What to warn of where objects are called like bones.  own : their names in the file"""
    return [f"'{p.name}' is called '{name}' in '{path.name}': a bone has its name there, and engines find bones by "
            "their names." for p, name in zip(pieces, own, strict=True) if p.name != name]


def _still(objects: list, path: Path) -> list[str]:
    """What to warn of where shape keys move."""
    moved = {o: keys for o in objects if (keys := moved_keys(o))}
    if not moved:
        return []
    return [f"'{path.name}' has shape keys of {_named(list(moved))} that keys or drivers move, such as "
            f"'{min(min(keys) for keys in moved.values())}', without their motion and at 0."]


def _named(objects: list) -> str:
    return ", ".join(f"'{o.name}'" for o in objects)


def _left_out(armature, engine: Engine, options: ExportOptions, path: Path) -> list[str]:
    """What to warn of where a file holds no motion though the character has some."""
    if options.takes == "none" or not actions_of(armature):
        return []
    if not engine.takes:
        return [f"{engine.label} knows no motions: '{path.name}' holds the character without one."]
    if _wanted(armature, engine, options):
        return []
    return [f"'{armature.name}' does no motion now: '{path.name}' holds the character without one. Choose one in the "
            "Action Editor, or all motions."]


def _unscaled(takes: list[Take], path: Path) -> list[str]:
    """What to warn of where a motion scales bones: the file has their turns and places alone."""
    sizes = ((take.name, np.linalg.norm(take.poses[..., :3, :3], axis=-2)) for take in takes)
    return [f"The motion '{name}' scales bones, '{path.name}' does not: there they keep their size."
            for name, size in sizes if np.abs(size - 1).max() > SCALED]


def _sheared(armature, takes: list[Take], path: Path) -> list[str]:
    """What to warn of where bones that turn are sheared, which no engine knows."""
    sizes = np.linalg.svd(np.array(armature.matrix_world.to_3x3(), float), compute_uv=False)
    if not takes or sizes.max() < (1 + SCALED) * sizes.min():
        return []
    return [f"'{armature.name}' is scaled unevenly: in motion the character looks different in '{path.name}'. Apply "
            "the scale of the rig and of its meshes first."]


class _HandOver:
    """A character on its way: its rig in the character's frame, brought to rest, planned, in the file's axes.

    unit : metres that one unit of the artist's scene is
    """

    def __init__(self, armature, rig: Rig, roles: dict[str, int], engine: Engine, options: ExportOptions,
                 pieces: list[Piece], unit: float):
        self.armature, self.engine, self.pieces, self.bound = armature, engine, pieces, rig
        axes = character_axes(rig, roles)
        points = np.concatenate([own_points(p.object) for p in pieces]).astype(float)
        if not len(points) or not np.isfinite(points).all():
            raise BadRig(f"'{armature.name}' moves no mesh. Bind one to it first.")
        ground = unit * float((points @ axes.T)[:, 2].min())
        upright = turned_rig(rig, axes)
        upright = replace(upright, heads=unit * upright.heads, tails=unit * upright.tails)
        rest = engine.rest if options.rest == "engine" else options.rest
        if options.rest == "engine" and not {"upper_arm.L", "thigh.L"} <= set(roles):
            rest = "modelled"
        self.motion = np.tile(np.eye(4), (len(rig.names), 1, 1))
        if rest != "modelled":
            self.motion = rest_matrices(upright, roles, rest, palms=palms_of(upright, roles))
        self.plan = engine_rig(posed_rig(upright, self.motion), roles, engine, ground, name=armature.name)
        start = upright.heads[int(np.argmax(upright.parents < 0))]
        self.to_frame = np.eye(4)  # the world -> the character's frame in metres, the ground under its hips the origin
        self.to_frame[:3, :3] = unit * axes
        self.to_frame[:3, 3] = -np.array([start[0], start[1], ground])
        self.to_file = np.eye(4)
        self.to_file[:3, :3] = file_axes(engine)
        shift = np.eye(4)
        shift[:3, 3] = self.to_frame[:3, 3]
        self.motion = shift @ self.motion @ np.linalg.inv(shift)
        self.rig = _moved_rig(self.plan.rig, self.to_file @ shift)

    def build(self, context, scene, takes: list[Take]) -> bpy.types.Object:
        """The engine's armature with its meshes and takes on the stage.  Returns it."""
        place = Matrix(Y_UP) if self.engine.up == "Y" and self.engine.container == "fbx" else Matrix.Identity(4)
        copy = write_armature(context, self.rig, "Geppetto", scene.collection, Matrix.Identity(4), "engine")
        copy.matrix_world = place
        copy.show_in_front = False
        for note in list(copy.data.keys()):  # Blender writes what is noted on an armature into an .fbx
            del copy.data[note]
        for piece in self.pieces:
            self._bind(piece, copy, place)
        for take in takes:
            self._write_take(copy, take, scene)
        if takes and self.engine.container == "fbx":
            self._rest(copy)
        return copy

    def _rest(self, copy) -> None:
        """Let the armature rest besides its takes: an .fbx also holds the pose that it is in without them, and some
        engines take that for its rest."""
        count = len(self.rig.names)
        clip = MotionClip(self.rig, identity(1, count), np.zeros((1, 3)), 1.0, name="rest")
        write_action(copy, clip, 1.0, start=0, channels=[(identity(1), np.zeros((1, 3)))] * count)

    def _bind(self, piece: Piece, copy, place: Matrix) -> None:
        bound = own_points(piece.object).astype(float)
        most = self.engine.influences
        weights = merge_weights(piece.weights, sparse.csr_matrix(piece.weights.shape), most=most)
        weights = dealt_weights(weights, bound, self.bound, self.plan, most)
        blended = blend(piece.weights, self.motion)
        def go(points: np.ndarray) -> np.ndarray:
            upright = points @ self.to_frame[:3, :3].T + self.to_frame[:3, 3]
            return moved(upright, blended) @ self.to_file[:3, :3].T

        move_points(piece.object, go)
        o = piece.object
        o.vertex_groups.clear()
        write_groups([(o, weights)], self.rig.names)
        if self.engine.container == "vrm" and "jaw" in self.plan.roles:
            add_mouth(o, weights, self.rig, self.rig.names.index(self.plan.roles["jaw"]))
        o.parent = copy
        o.matrix_world = place
        modifier = o.modifiers.new("Armature", "ARMATURE")
        modifier.object = copy

    def _write_take(self, copy, take: Take, scene) -> None:
        """An NLA track of its own for the take, its bones' places relative to the engine's rest pose."""
        data = self.armature.data.bones
        rest = np.array([np.array(data[name].matrix_local, float) for name in self.bound.names])
        moves = take.poses @ np.linalg.inv(rest)
        to_file = self.to_file @ self.to_frame @ np.array(self.armature.matrix_world, float)
        back = np.linalg.inv(to_file)
        modelled = np.linalg.inv(self.to_file @ self.motion @ np.linalg.inv(self.to_file))
        sources = self.plan.sources
        own = np.array([np.array(copy.data.bones[name].matrix_local, float) for name in self.rig.names])
        poses = np.tile(own, (len(moves), 1, 1, 1))
        follows = sources >= 0
        poses[:, follows] = to_file @ moves[:, sources[follows]] @ back @ modelled[sources[follows]] @ own[follows]
        if self.engine.root:
            poses[:, 0] = to_file @ take.ways @ back @ own[0]
        channels = _channels(poses, own, self.rig.parents)
        fps = scene.render.fps / scene.render.fps_base
        clip = MotionClip(self.rig, identity(len(poses), len(own)), np.zeros((len(poses), 3)), fps, name=take.name)
        action = write_action(copy, clip, fps, start=0, channels=channels)
        track = copy.animation_data.nla_tracks.new()
        track.name = take.name
        strip = track.strips.new(take.name, 0, action)
        strip.name = take.name
        if getattr(strip, "action_slot", True) is None:
            strip.action_slot = action.slots[0]
        copy.animation_data.action = None


def _moved_rig(rig: Rig, matrix: np.ndarray) -> Rig:
    """A rig in another space.  matrix : (4, 4), a rotation, a scale and a shift"""
    turn = matrix[:3, :3]
    x_axes = rig.x_axes @ turn.T
    return replace(rig, heads=rig.heads @ turn.T + matrix[:3, 3], tails=rig.tails @ turn.T + matrix[:3, 3],
                   x_axes=x_axes / np.linalg.norm(x_axes, axis=1, keepdims=True), joints={})


def _channels(poses: np.ndarray, rest: np.ndarray, parents: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each bone its rotation (T, 4) and location (T, 3) in its own channels' axes.

    poses : (T, B, 4, 4) and rest : (B, 4, 4), in the armature's space
    """
    above = np.maximum(parents, 0)
    has = (parents >= 0)[:, None, None]
    base = np.where(has, np.linalg.inv(rest[above]) @ rest, rest)
    held = np.where(has, np.linalg.inv(poses[:, above]) @ poses, poses)
    basis = np.linalg.inv(base) @ held
    size = np.linalg.norm(basis[..., :3, :3], axis=-2, keepdims=True)
    turns = continuous(from_matrix(basis[..., :3, :3] / np.where(size > 1e-12, size, 1.0)))
    return [(turns[:, b], basis[:, b, :3, 3]) for b in range(len(rest))]

