"""The weight check: look at anybody's weights, go to where they are bad, see it in colour."""

import bmesh
import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt

from ...core.picture.heatmap import heat_colors
from .. import names, props, session
from ..checking import COLORS, armature_moving, check_steps
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
        """The panel shows it."""
        session.keep_weights(result.armature, result)
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


class ColorWeights(bpy.types.Operator):
    """Show in colour where weights are bad, from grey over yellow to red; press again to take the colours away"""

    bl_idname = names.COLOR_WEIGHTS
    bl_label = "Show in Colour"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs findings."""
        return _is_checked(cls, context)

    def execute(self, context) -> set:
        """Add a colour attribute, or remove it."""
        objects = [(o, marks) for o, marks in _checked(context).objects() if not o.library and not o.data.library]
        showing = any(COLORS in o.data.color_attributes for o, _ in objects)
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        for o, marks in objects:
            (_uncolor if showing else _color)(o, marks)
        _shade(context, not showing)
        return {"FINISHED"}


def _color(o, marks) -> None:
    colors = o.data.color_attributes
    session.looks()[o.data.name] = colors.active_color_index, colors.render_color_index
    attribute = colors.new(COLORS, "FLOAT_COLOR", "POINT")
    values = np.c_[heat_colors(marks.badness), np.ones(marks.count)]
    attribute.data.foreach_set("color", values.astype(np.float32).ravel())
    colors.active_color = attribute


def _uncolor(o, marks) -> None:
    colors = o.data.color_attributes
    if COLORS in colors:
        colors.remove(colors[COLORS])
        before = session.looks().pop(o.data.name, None)
        if before is not None and len(colors):
            colors.active_color_index, colors.render_color_index = before


def is_colored(checked) -> bool:
    """Whether the colours are shown."""
    return any(COLORS in o.data.color_attributes for o, _ in checked.objects())


def _shade(context, colored: bool) -> None:
    """Let the viewport the button is in show colour attributes in Solid mode, or what it showed before."""
    view = context.space_data
    if view is None or view.type != "VIEW_3D":
        return
    if colored and view.shading.color_type != "VERTEX":
        session.looks()["view"] = view.shading.color_type
        view.shading.color_type = "VERTEX"
    elif not colored and view.shading.color_type == "VERTEX":
        view.shading.color_type = session.looks().pop("view", "MATERIAL")


def _checked(context):
    armature = armature_moving(context.object)
    return session.weights_of(armature.name) if armature is not None else None


def _is_checked(cls, context) -> bool:
    if _checked(context) is None:
        cls.poll_message_set("Press Check Weights first")
        return False
    return True


CLASSES = (CheckWeights, MarkWeights, ColorWeights)
