"""Moving characters: a motion of the library or of a file on a rig, and everything at once for a beginner."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import bpy

from ...core.errors import RigError
from ...core.motion.authoring.pace import GroundSpeed
from ...core.motion.authoring.style import Style
from ...core.motion.choose import first_motion
from ...core.motion.clip import MotionClip
from ...core.skeleton.bone_map import BoneMap, load_bone_map
from ...core.skeleton.template import SkeletonTemplate, rig_from_joints
from ...core.steps import each, run
from .. import names, props, session
from ..bridge.action import strips_range
from ..bridge.motion_file import motions_in
from ..bridge.pose import told_of_strips
from ..characters.rigged import is_ours
from ..characters.templates import is_as_from_shape
from ..choices import chosen_preset, template_for
from ..current import active_in, selected_in
from ..formats import BadFile
from ..job import JobOperator
from ..modes import object_mode
from ..motion.moving import (
    WRITING,
    Moved,
    MoveOptions,
    Steps,
    armature_of,
    move_steps,
    scene_rate,
    show_range,
)
from ..polls import INSTANCE, is_free, is_saved_here, may_rig
from ..properties import (
    bone_map_property,
    energy_property,
    fps_property,
    ground_speed_property,
    hold_property,
    mood_property,
    motion_property,
    no_drift_property,
    pace_property,
    reduce_property,
    rest_frame_property,
    speed_property,
    travel_property,
    trim_first_property,
    trim_last_property,
    width_property,
)
from ..words.telling import tell
from .auto_rig import asks, bodies_property, report_rigs, selection_steps

STYLE = ("energy", "width", "mood", "pace", "ground_speed")


class _Mover(JobOperator):
    """What all operators that move a character share: the choices, and playing the result."""

    bl_options = {"REGISTER", "UNDO"}

    speed: speed_property()
    travel: travel_property()
    hold: hold_property()
    reduce: reduce_property()
    no_drift: no_drift_property()

    @classmethod
    def poll(cls, context) -> bool:
        """Needs an armature, or a mesh that follows one, and no other job."""
        if not is_free(cls):
            return False
        armature = armature_of(active_in(context))
        if armature is None:
            is_instance = active_in(context) is not None and active_in(context).instance_collection is not None
            cls.poll_message_set(INSTANCE if is_instance else "Select a rigged character first")
            return False
        return is_saved_here(cls, [armature])

    @staticmethod
    def characters(context) -> list:
        """The armatures to move: the active character's, and those of Geppetto's characters selected besides."""
        found = [armature_of(o) for o in selected_in(context)]
        others = [o for o in found if o is not None and o.library is None and (is_ours(o) or names.PLAIN_RIG in o)]
        return list(dict.fromkeys([armature_of(active_in(context)), *others]))

    def take_settings(self, context) -> None:
        """The sidebar's choices."""
        settings = getattr(context.scene, names.SETTINGS)
        for key in ("speed", "travel", "hold", "reduce", "no_drift", *(STYLE if isinstance(self, _Styled) else ())):
            setattr(self, key, getattr(settings, key))

    def invoke(self, context, event) -> set:
        """From a button: with the sidebar's choices."""
        self.take_settings(context)
        return super().invoke(context, event)

    def choices(self, context, source_map: BoneMap | None = None) -> MoveOptions:
        """The choices as the core's; the artist's own bone maps are kept with the armatures."""
        return MoveOptions(self.speed, self.travel, self.hold, source_map, reduce=self.reduce, no_drift=self.no_drift)

    def steps(self, context):
        """The work in Object or Pose mode; from another mode through Object mode, and back as `object_mode` says."""
        with object_mode(context) if context.mode not in {"OBJECT", "POSE"} else nullcontext():
            return (yield from self.motion_steps(context))

    def each_steps(self, works: list[Steps], armatures: list):
        """The work on several characters as one: nothing is written before all is computed."""
        titles = [armature.name for armature in armatures]
        done, errors = yield from each(works, WRITING)
        self._left_out = [f"'{titles[number]}' was left out: {error}" for number, error in errors.items()]
        return done

    def finish(self, context, done: list[Moved]) -> None:
        """Play it, and tell how much of each body moves. A test pose ends."""
        for armature in [moved.armature for moved in done if getattr(moved.armature, names.TEST_POSE)]:
            setattr(armature, names.TEST_POSE, 0.0)
        if done:
            show_range(context.scene, done[0].action)
        if done and not bpy.app.background and context.screen is not None and not context.screen.is_animation_playing:
            bpy.ops.screen.animation_play()
        doubts: dict[str, None] = {}
        for moved in done:
            frames = round(moved.clip.seconds * scene_rate(context))
            self.report({"INFO"}, tell(f"'{moved.action.name}': {frames} frames, {moved.known} of {moved.bones} bones"
                                       if frames != 1 else
                                       f"'{moved.action.name}': 1 frame, {moved.known} of {moved.bones} bones"))
            warnings = (*told_of_strips(moved.armature), *moved.clip.warnings)
            session.keep_doubts(moved.armature.session_uid, warnings)
            doubts |= dict.fromkeys(warnings[:1])
        if len(done) > 1:
            self.report({"INFO"}, tell(f"{len(done)} characters moved"))
        for said in (*doubts, *self._left_out):
            self.report({"WARNING"}, tell(said))


class _Styled(_Mover):
    """What operators share that do a motion of the library."""

    energy: energy_property()
    width: width_property()
    mood: mood_property()
    pace: pace_property()
    ground_speed: ground_speed_property()

    def choices(self, context, source_map: BoneMap | None = None) -> MoveOptions:
        """The style and the pace too."""
        return replace(super().choices(context, source_map), style=Style(self.energy, self.width, self.mood),
                       ground=GroundSpeed(self.pace, self.ground_speed))


class Move(_Styled):
    """Let the selected characters do a motion of the library"""

    bl_idname = names.MOVE
    bl_label = "Apply Motion"

    motion: motion_property()

    def invoke(self, context, event) -> set:
        """From a button: with the sidebar's choices."""
        self.motion = getattr(context.scene, names.SETTINGS).motion
        return super().invoke(context, event)

    def motion_steps(self, context):
        """The motion on each selected character."""
        options, armatures = self.choices(context), self.characters(context)
        return self.each_steps([move_steps(context, one, self.motion, options) for one in armatures], armatures)


class MoveFromFile(_Mover):
    """Let the selected characters do a motion from a file: .bvh, .fbx, .glb, .gltf, or Geppetto's own .json"""

    bl_idname = names.MOVE_FROM_FILE
    bl_label = "Motion from File"

    filepath: props.StringProperty(subtype="FILE_PATH")
    filter_glob: props.StringProperty(default="*.bvh;*.fbx;*.glb;*.gltf;*.json", options={"HIDDEN"})
    action: props.StringProperty(name="Action", description="Which of the file's actions, by name; empty takes the one "
                                     "it shows", options={"SKIP_SAVE"})
    rest_frame: rest_frame_property()
    trim_first: trim_first_property()
    trim_last: trim_last_property()
    fps: fps_property()
    bone_map: bone_map_property()

    def invoke(self, context, event) -> set:
        """Ask for the file, unless one of its actions was chosen."""
        self.take_settings(context)
        if self.action and self.filepath:
            return super().invoke(context, event)
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def motion_steps(self, context):
        """The file's motion on the active character."""
        path = bpy.path.abspath(self.filepath)
        if not Path(path).suffix:
            raise BadFile("No file was chosen. Choose one that ends with .bvh, .fbx, .glb, .gltf or .json.")
        if Path(path).suffix.lower() in {".fbx", ".glb", ".gltf"} and Path(path).is_file():
            session.keep_motions(path, motions_in(context, Path(path)))
        options = replace(self.choices(context, chosen_map(self.bone_map)),
                          rest_frame=None if self.rest_frame < 0 else self.rest_frame,
                          trim=(self.trim_first, self.trim_last), fps=self.fps)
        motion, heard, armatures = f"{path}:{self.action}" if self.action else path, dict[str, MotionClip](), (
            self.characters(context))
        return self.each_steps([move_steps(context, one, motion, options, heard) for one in armatures], armatures)


class MoveFromArmature(_Mover):
    """Put the motion of another selected armature on the active character"""

    bl_idname = names.MOVE_FROM_ARMATURE
    bl_label = "Motion from Selected Armature"

    bone_map: bone_map_property()

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a second armature with an action in the selection."""
        if not super().poll(context):
            return False
        if cls.source(context) is None:
            cls.poll_message_set("Select an armature with an action too, the character last")
            return False
        return True

    @staticmethod
    def source(context):
        """The other armature."""
        own = armature_of(active_in(context))
        return next((o for o in selected_in(context) if o.type == "ARMATURE" and o != own and o.animation_data
                     and (o.animation_data.action or strips_range(o.animation_data))), None)

    def invoke(self, context, event) -> set:
        """From a button: with the sidebar's bone map."""
        self.bone_map = getattr(context.scene, names.SETTINGS).bone_map
        return super().invoke(context, event)

    def motion_steps(self, context):
        """The other armature's motion on the active character."""
        own = armature_of(active_in(context))
        return self.each_steps([move_steps(context, own, self.source(context),
                                           self.choices(context, chosen_map(self.bone_map)))], [own])


class RigAndMove(_Styled):
    """Rig the selected meshes, bind them and let them walk: everything at once"""

    bl_idname = names.RIG_AND_MOVE
    bl_label = "Rig and Walk"

    bodies: bodies_property()

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a mesh, and no other job."""
        return may_rig(cls, context)

    def invoke(self, context, event) -> set:
        """From a button: asks if there are several characters."""
        if asks(context, self, getattr(context.scene, names.SETTINGS).up):
            return {"INTERFACE"}
        return super().invoke(context, event)

    def steps(self, context):
        """Rig the selection with the sidebar's skeleton, then walk, or do the first motion its kind knows.

        The motion is chosen before and done in the same breath as the rig is written: no way to be left half done.
        """
        settings = getattr(context.scene, names.SETTINGS)
        find_template, motions = template_for(chosen_preset(settings)), {}

        def template_that_moves(shape) -> SkeletonTemplate:
            template = find_template(shape)
            motions[template.name] = "walk" if is_as_from_shape(template.name, [b.name for b in template.bones]) else (
                first_motion(template.name, rig_from_joints(template, template.positions)))
            return template

        self._rigged = yield from selection_steps(context, settings, template_that_moves,
                                                 together=self.bodies == "ONE")
        armatures, options = [rigged.armature for rigged in self._rigged], self.choices(context)
        works = [move_steps(context, rigged.armature, motions[rigged.preset], options) for rigged in self._rigged]
        try:
            return run(self.each_steps(works, armatures))
        except RigError as error:  # the rigs are there all the same
            self._left_out = [str(error)]
            return []

    def finish(self, context, done: list[Moved]) -> None:
        """Play it, and tell what is to know of the rig."""
        super().finish(context, done)
        report_rigs(self, self._rigged)


def chosen_map(choice: str) -> BoneMap | None:
    """The bone map a text names: a shipped one, a file, or none.  Raises BadBoneMap."""
    choice = choice.strip()
    return load_bone_map(bpy.path.abspath(choice) if choice.lower().endswith(".json") else choice) if choice else None


CLASSES = (Move, MoveFromFile, MoveFromArmature, RigAndMove)
