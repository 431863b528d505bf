"""Buttons that carry weights further: to other meshes, and to the other side."""

import bpy

from ...core.errors import RigError
from .. import names, props, session
from ..characters.carrying import copy_weights, symmetrise_weights, weighted_followers
from ..characters.checking import armature_moving
from ..current import active_in, selected_in
from ..editing import joints
from ..modes import as_it_was
from ..polls import may_change
from ..words.telling import tell


class CopyWeights(bpy.types.Operator):
    """Bind the other selected meshes to the active character's armature, with the weights its own meshes have nearby: \
for clothes, simpler or newer versions of a body. Nothing else changes"""

    bl_idname = names.COPY_WEIGHTS
    bl_label = "Copy Weights to Selected"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a rigged mesh or an armature that is active, and other meshes."""
        if not may_change(cls, context):
            return False
        sources, _, targets = _sides(context)
        if not sources or not targets:
            cls.poll_message_set("Select the meshes to bind, then the rigged mesh last, so that it is the active one")
            return False
        return True

    def execute(self, context) -> set:
        """Read all, then write all."""
        sources, armature, targets = _sides(context)
        most = getattr(context.scene, names.SETTINGS).influences
        try:
            with as_it_was(context):
                warnings = copy_weights(context, sources, armature, targets, most)
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        for warning in warnings:
            self.report({"WARNING"}, tell(warning))
        self.report({"INFO"}, tell(f"'{targets[0].name}' follows '{armature.name}' now" if len(targets) == 1 else
                                   f"{len(targets)} objects follow '{armature.name}' now"))
        _forget(armature)
        return {"FINISHED"}


class SymmetriseWeights(bpy.types.Operator):
    """Make the weights of one side the mirror image of the other's, on rigs from any program. Vertices \
without an image on the other side keep theirs"""

    bl_idname = names.SYMMETRISE_WEIGHTS
    bl_label = "Symmetrise Weights"
    bl_options = {"REGISTER", "UNDO"}

    side: props.EnumProperty(name="Side", description="Which side stays as it is", default="BETTER", items=(
        ("BETTER", "Better Side", "The side that does better in Check Joints and Weights stays"),
        (".L", "Left to Right", "The character's left side stays"),
        (".R", "Right to Left", "The character's right side stays")))

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a mesh with weights that follows an armature."""
        if not may_change(cls, context):
            return False
        armature = armature_moving(active_in(context))
        if armature is None or not weighted_followers(armature):
            cls.poll_message_set("Select a mesh that follows an armature, or the armature")
            return False
        return True

    def execute(self, context) -> set:
        """Read, mirror, write."""
        armature = armature_moving(active_in(context))
        try:
            with as_it_was(context):
                changed, without = symmetrise_weights(context, armature, weighted_followers(armature), self.side)
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        if without:
            self.report({"WARNING"}, tell(
                f"{without} vertices have no image on the other side and kept their weights" if without > 1 else
                "1 vertex has no image on the other side and kept its weights"))
        told = f"{changed} vertices have new weights" if changed > 1 else "1 vertex has new weights"
        self.report({"INFO"}, tell(told if changed else "Both sides are alike already"))
        _forget(armature)
        return {"FINISHED"}


def _sides(context) -> tuple[list, bpy.types.Object | None, list]:
    """(meshes to copy from, their armature, meshes to copy to)."""
    active = active_in(context)
    armature = armature_moving(active)
    if armature is None:
        return [], None, []
    targets = [o for o in selected_in(context) if o.type == "MESH" and o != active and o.visible_get()]
    sources = [active] if active.type == "MESH" else weighted_followers(armature, targets)
    return sources, armature, targets


def _forget(armature) -> None:
    """What was found about weights is of others now."""
    session.drop_weights(armature.session_uid)
    joints.redraw()


CLASSES = (CopyWeights, SymmetriseWeights)
