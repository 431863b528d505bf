"""The weight check: look at anybody's weights, go to where they are bad."""

import bmesh
import bpy
from bpy.app.translations import pgettext_rpt

from .. import joints, names, props, session
from ..checking import armature_moving, check_steps
from ..job import JobOperator, running
from ..telling import tell


class CheckWeights(JobOperator):
    """Put the character through a range of motion and find what its weights do wrong, whoever made them"""

    bl_idname = names.CHECK_WEIGHTS
    bl_label = "Check Weights"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs an armature, or a mesh that follows one."""
        if running() is not None:
            cls.poll_message_set("Another job is still running")
            return False
        if context.mode not in {"OBJECT", "POSE", "PAINT_WEIGHT"}:
            cls.poll_message_set("Switch to Object, Pose or Weight Paint mode first")
            return False
        if armature_moving(context.object) is None:
            cls.poll_message_set("Select a mesh that follows an armature, or the armature")
            return False
        return True

    def steps(self, context):
        """Read everything the armature moves, pose it, judge it."""
        return check_steps(context, armature_moving(context.object))

    def finish(self, context, result) -> None:
        """The panel shows it, the viewport where."""
        session.keep_weights(result.armature, result)
        joints.redraw()
        for finding in result.findings:
            if finding.verdict != "good":
                self.report({"WARNING" if finding.verdict == "poor" else "INFO"}, tell(finding.words))
        if result.verdict == "good":
            self.report({"INFO"}, pgettext_rpt("The weights are good"))


class MarkWeights(bpy.types.Operator):
    """Select the vertices this is about and go to Edit mode, to see and mend them"""

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
        marked = [(o, v) for o, v in _checked(context).marked(self.finding) if o.visible_get() and not o.library]
        if not marked:
            self.report({"INFO"}, pgettext_rpt("The marked vertices are gone: check the weights again"))
            return {"CANCELLED"}
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        for o in context.selected_objects:
            o.select_set(False)
        for o, _ in marked:
            o.select_set(True)
        context.view_layer.objects.active = marked[0][0]
        context.tool_settings.mesh_select_mode = (True, False, False)
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="DESELECT")
        for o, vertices in marked:  # in Edit mode: Blender 5.0 crashes where a mesh never had a selection
            edited = bmesh.from_edit_mesh(o.data)
            edited.verts.ensure_lookup_table()
            for vertex in vertices:
                edited.verts[vertex].select_set(True)
            edited.select_flush_mode()
            bmesh.update_edit_mesh(o.data, loop_triangles=False, destructive=False)
        return {"FINISHED"}


def _checked(context):
    armature = armature_moving(context.object)
    return session.weights_of(armature.name) if armature is not None else None


def _is_checked(cls, context) -> bool:
    if _checked(context) is None:
        cls.poll_message_set("Press Check Weights first")
        return False
    return True


CLASSES = (CheckWeights, MarkWeights)
