"""The weight check: look at anybody's weights, go to where they are bad."""

import bmesh
import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt

from .. import names, props, session
from ..characters.checking import armature_moving, check_steps, misplaced_told
from ..characters.rigged import followers, give_own_meshes
from ..current import active_in, selected_in, set_mode
from ..editing import joints
from ..job import JobOperator
from ..modes import as_it_was
from ..polls import LINKED, is_free, is_saved_here
from ..words.telling import tell

NONE_MARKED = "The marked vertices are gone or hidden: show them with Alt-H in Edit mode, or check the weights again"


class CheckWeights(JobOperator):
    """Put the character through a range of motion and find wrong joints and weights, on rigs from any program"""

    bl_idname = names.CHECK_WEIGHTS
    bl_label = "Check Joints and Weights"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs an armature, or a mesh that follows one."""
        return is_free(cls) and _has_armature(cls, context)

    def steps(self, context):
        """Read everything the armature moves, pose it, judge it."""
        return check_steps(context, armature_moving(active_in(context)))

    def finish(self, context, result) -> None:
        """The panel shows it, the viewport where."""
        session.keep_weights(result.armature, result)
        joints.redraw()
        for found in result.joints:
            self.report({"WARNING"}, tell(misplaced_told(found)))
        for finding in result.findings:
            if finding.verdict != "good":
                self.report({"WARNING" if finding.verdict == "poor" else "INFO"}, tell(finding.words))
        if result.verdict == "good":
            self.report({"INFO"}, pgettext_rpt("The weights are good"))


class MarkWeights(bpy.types.Operator):
    """Select the vertices this is about and go to Edit mode, to see and correct them"""

    bl_idname = names.MARK_WEIGHTS
    bl_label = "Select Vertices"
    bl_options = {"REGISTER", "UNDO"}

    finding: props.StringProperty(name="Finding", description="Which of the findings", options={"HIDDEN"})

    @classmethod
    def poll(cls, context) -> bool:
        """Needs findings."""
        return _is_checked(cls, context)

    def execute(self, context) -> set:
        """Select in the meshes, then show it in Edit mode."""
        return {"FINISHED"} if _mark(self, context, self.finding) else {"CANCELLED"}


class SmoothWeights(bpy.types.Operator):
    """Let the marked vertices take the mean of their neighbours' weights, a few times over"""

    bl_idname = names.SMOOTH_WEIGHTS
    bl_label = "Smooth Weights"
    bl_options = {"REGISTER", "UNDO"}

    finding: props.StringProperty(name="Finding", description="Which of the findings", options={"HIDDEN"})
    repeat: props.IntProperty(name="Times", description="How often the weights are averaged", default=4, min=1, max=50)

    @classmethod
    def poll(cls, context) -> bool:
        """Needs findings."""
        return is_free(cls) and _is_checked(cls, context)

    def execute(self, context) -> set:
        """Smooth them where Blender does it: in Edit mode, on what is selected."""
        armature, most = armature_moving(active_in(context)), getattr(context.scene, names.SETTINGS).influences
        with as_it_was(context):
            give_own_meshes([o for o, _ in _marked(context, self.finding)])
            if not _mark(self, context, self.finding):
                return {"CANCELLED"}
            bpy.ops.mesh.select_more()
            bpy.ops.object.vertex_group_smooth(group_select_mode="BONE_DEFORM", factor=0.5, repeat=self.repeat)
            for o in context.objects_in_mode:  # in Edit mode: what is not selected keeps its weights
                context.view_layer.objects.active = o
                bpy.ops.object.vertex_group_limit_total(group_select_mode="BONE_DEFORM", limit=most)
                bpy.ops.object.vertex_group_normalize_all(group_select_mode="BONE_DEFORM", lock_active=False)
            set_mode(context, "OBJECT")
        session.drop_weights(armature.session_uid)
        joints.redraw()
        self.report({"INFO"}, pgettext_rpt("Smoothed. Check the weights again"))
        return {"FINISHED"}


class PaintWeights(bpy.types.Operator):
    """Go to Weight Paint mode with the bone chosen that moves the worst vertex most"""

    bl_idname = names.PAINT_WEIGHTS
    bl_label = "Paint Weights"
    bl_options = {"REGISTER", "UNDO"}

    finding: props.StringProperty(name="Finding", description="Which of the findings", options={"HIDDEN"})

    @classmethod
    def poll(cls, context) -> bool:
        """Needs findings."""
        return is_free(cls) and _is_checked(cls, context)

    def execute(self, context) -> set:
        """Choose the mesh, the armature and the group, and paint."""
        armature, marked = armature_moving(active_in(context)), _marked(context, self.finding)
        if not marked:
            self.report({"INFO"}, pgettext_rpt(NONE_MARKED))
            return {"CANCELLED"}
        if context.mode != "OBJECT":
            set_mode(context, "OBJECT")
        o, vertices = marked[0]
        for other in selected_in(context):
            other.select_set(other in (o, armature))
        o.select_set(True)
        context.view_layer.objects.active = o
        bones = {i for i, group in enumerate(o.vertex_groups) if group.name in armature.data.bones}
        held = max((g for g in o.data.vertices[int(vertices[0])].groups if g.group in bones), key=lambda g: g.weight,
                   default=None)
        if held is not None:
            o.vertex_groups.active_index = held.group
        set_mode(context, "WEIGHT_PAINT")
        return {"FINISHED"}


class PreserveVolume(bpy.types.Operator):
    """Turn on Preserve Volume in the Armature modifiers: joints that bend and twist keep more of their volume. Game \
engines do not know it"""

    bl_idname = names.PRESERVE_VOLUME
    bl_label = "Preserve Volume"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs an armature, or a mesh that follows one."""
        if not is_free(cls) or not _has_armature(cls, context):
            return False
        armature = armature_moving(active_in(context))
        return is_saved_here(cls, followers(armature) or [armature])

    def execute(self, context) -> set:
        """Turn it on."""
        armature = armature_moving(active_in(context))
        for o in [o for o in followers(armature) if o.library is None]:
            for modifier in o.modifiers:
                if modifier.type == "ARMATURE" and modifier.object == armature:
                    modifier.use_deform_preserve_volume = True
        return {"FINISHED"}


def _has_armature(operator, context) -> bool:
    """Whether the active object is an armature or follows one."""
    if armature_moving(active_in(context)) is None:
        operator.poll_message_set("Select a mesh that follows an armature, or the armature")
        return False
    return True


def _marked(context, key: str) -> list:
    """(object, vertices) of a finding that can be seen and edited."""
    found = []
    for o, vertices in _checked(context).marked(key):
        is_hidden = np.empty(len(o.data.vertices), bool)
        o.data.vertices.foreach_get("hide", is_hidden)
        if o.visible_get() and _is_editable(o) and not is_hidden[vertices].all():
            found.append((o, vertices[~is_hidden[vertices]]))
    return found


def _is_editable(o) -> bool:
    """Whether Blender goes into Edit mode on an object: never on what is linked, overridden or not."""
    return all(data is None for data in (o.library, o.override_library, o.data.library, o.data.override_library))


def _mark(operator, context, key: str) -> bool:
    """Select the vertices of a finding, alone, in Edit mode.  Returns whether there are any."""
    marked = _marked(context, key)
    if not marked:
        operator.report({"INFO"}, pgettext_rpt(NONE_MARKED))
        return False
    if context.mode != "OBJECT":
        set_mode(context, "OBJECT")
    for o in selected_in(context):
        o.select_set(False)
    for o, _ in marked:
        o.select_set(True)
    context.view_layer.objects.active = marked[0][0]
    context.tool_settings.mesh_select_mode = (True, False, False)
    set_mode(context, "EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    for o, vertices in marked:  # in Edit mode: Blender 5.0 crashes where a mesh never had a selection
        edited = bmesh.from_edit_mesh(o.data)
        edited.verts.ensure_lookup_table()
        for vertex in vertices:
            edited.verts[vertex].select_set(True)
        edited.select_flush_mode()
        bmesh.update_edit_mesh(o.data, loop_triangles=False, destructive=False)
    return True


def _checked(context):
    armature = armature_moving(active_in(context))
    return session.weights_of(armature.session_uid) if armature is not None else None


def _is_checked(cls, context) -> bool:
    if _checked(context) is None:
        cls.poll_message_set("Press Check Joints and Weights first")
        return False
    objects = [o for o, _ in _checked(context).objects()]
    if objects and not any(map(_is_editable, objects)):
        cls.poll_message_set(LINKED)
        return False
    return True


CLASSES = (CheckWeights, MarkWeights, SmoothWeights, PaintWeights, PreserveVolume)
