"""What else can be done with a character: look at it first, bind it to a skeleton it has, take its rig away."""

import bpy

from ...core.fitting.check import check_character, stand_steps
from .. import names, session
from ..bridge.mesh import read_character
from ..characters.bodies import bodies_of
from ..characters.parting import separate_characters
from ..characters.rest_poses import skins_as_modelled
from ..characters.rigged import armature_of, remove_rig, selected_character
from ..characters.rigging import bind_steps
from ..choices import bind_options, detail_options, only_selected_property, stance_of, within_property
from ..current import active_in, metres
from ..editing import joints, pins
from ..job import JobOperator
from ..modes import object_mode
from ..polls import has_character, has_rig, is_free, is_readable, is_rig_local, may_change
from ..words.telling import tell


class Check(JobOperator):
    """Look at the selected character before rigging it: what it is, how it stands, what is likely to go wrong"""

    bl_idname = names.CHECK
    bl_label = "Check"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a mesh, and no other job."""
        return is_free(cls) and has_character(cls, context) and is_readable(cls, context)

    def steps(self, context):
        """Read and prepare the mesh; the shape is remembered for rigging."""
        settings, found = getattr(context.scene, names.SETTINGS), []
        yield "Reading the mesh", 0.0
        for body in bodies_of(selected_character(context)[0], settings.up)[0]:
            character = read_character(context, body.objects)
            owner = pins.owner_of(part.object for part in character.parts).session_uid
            yield "Seeing how it stands", 0.1
            stance = stance_of(character.mesh, settings, detail_options(settings))
            stance, shape = yield from stand_steps(character.mesh, stance, session.shape_steps)
            session.keep_check(owner, check_character(shape, stance=stance, metres=metres(context)))
            found.append(session.check_of(owner))
        return found

    def finish(self, context, found) -> None:
        """The panel shows it."""
        for body in found:
            self.report({"INFO"}, tell(f"{body.kind}: {body.reason}"))
        if len(found) > 1:
            self.report({"INFO"}, tell(f"{len(found)} characters stand apart"))


class Bind(JobOperator):
    """Bind the selected meshes to the active armature: yours, or ours with changed bones. Locked groups stay"""

    bl_idname = names.BIND
    bl_label = "Bind to Active Armature"
    bl_options = {"REGISTER", "UNDO"}

    only_selected: only_selected_property()
    within: within_property()

    @classmethod
    def poll(cls, context) -> bool:
        """Needs an active armature and a mesh."""
        if not may_change(cls, context):
            return False
        if active_in(context) is None or active_in(context).type != "ARMATURE":
            cls.poll_message_set("Select the meshes, then the armature with Shift so that it is active")
            return False
        if not selected_character(context)[0]:
            cls.poll_message_set("Select the character's mesh objects first")
            return False
        return True

    def steps(self, context):
        """The work on the selection."""
        settings = getattr(context.scene, names.SETTINGS)
        return bind_steps(context, selected_character(context)[0], active_in(context), method=settings.method,
                          options=bind_options(settings), only_selected=self.only_selected, within=self.within)

    def finish(self, context, result) -> None:
        """Tell how."""
        self.report_rig(f"{result.weights.method}: {sum(result.seconds.values()):.1f} s",
                        [part.object for part in result.character.parts], result.warnings)


class RemoveRig(bpy.types.Operator):
    """Take the rig away: armature, modifiers and its vertex groups. The meshes, as modelled, and the pins stay"""

    bl_idname = names.REMOVE_RIG
    bl_label = "Remove Rig"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a rig of ours."""
        return may_change(cls, context) and has_rig(cls, context) and is_rig_local(cls, context)

    def execute(self, context) -> set:
        """Remove it and select the meshes."""
        armature = armature_of(active_in(context))
        meshes = [o for o in context.view_layer.objects if o.type == "MESH" and armature_of(o) == armature]
        with object_mode(context):
            with skins_as_modelled(context, [armature]) as told:
                remove_rig(context, armature)
            for o in meshes:
                o.select_set(True)
            context.view_layer.objects.active = next(iter(meshes), None)
        for warning in told:
            self.report({"WARNING"}, tell(warning))
        joints.redraw()
        return {"FINISHED"}


class SeparateCharacters(bpy.types.Operator):
    """Make each character that stands apart in the selected meshes an object of its own, with the same materials, \
modifiers and groups"""

    bl_idname = names.SEPARATE
    bl_label = "Separate Characters"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a mesh."""
        return may_change(cls, context) and has_character(cls, context)

    def execute(self, context) -> set:
        """Separate them; all are selected, and what was found about them together is forgotten."""
        up = getattr(context.scene, names.SETTINGS).up
        meshes = [o for o in selected_character(context)[0] if o.visible_get() and not o.library]
        owner = pins.owner_of(meshes)
        with object_mode(context):
            made = separate_characters(context, meshes, up)
        if not made:
            self.report({"INFO"}, tell("Only one character stands here"))
            return {"CANCELLED"}
        if owner is not None:
            session.drop_check(owner.session_uid)
        self.report({"INFO"}, tell(f"{len(made) + len(meshes)} objects now: press Check or Auto Rig"))
        joints.redraw()
        return {"FINISHED"}


CLASSES = (Check, Bind, RemoveRig, SeparateCharacters)
