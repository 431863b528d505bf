"""The character's rest pose: level arms, half lowered arms, or as it was modelled."""

import bpy

from ...core.errors import RigError
from .. import names, props
from ..characters.rest_poses import pose_of, take_rest_pose
from ..characters.rigged import armature_of
from ..current import active_in
from ..modes import object_mode
from ..polls import has_rig, may_change
from ..words.telling import tell

POSES = (("T", "T-Pose", "Arms level, palms down, legs upright"),
         ("A", "A-Pose", "Arms half lowered, legs upright"),
         ("modelled", "As Modelled", "Exactly the pose the character was modelled in"))


class RestPose(bpy.types.Operator):
    """Change how the character stands at rest: mesh, shape keys and bones together, by its own weights, and exactly \
back"""

    bl_idname = names.REST_POSE
    bl_label = "Rest Pose"
    bl_options = {"REGISTER", "UNDO"}

    pose: props.EnumProperty(name="Rest Pose", description="How the character stands at rest", items=POSES, default="T")

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a rig of ours."""
        return may_change(cls, context) and has_rig(cls, context)

    def execute(self, context) -> set:
        """Change it, unless it is so already."""
        armature = armature_of(active_in(context))
        try:
            with object_mode(context):
                take_rest_pose(context, armature, self.pose)
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        now = pose_of(armature)
        self.report({"INFO"}, tell(f"'{armature.name}' rests in the {now}-pose" if now != "modelled" else
                                   f"'{armature.name}' rests as it was modelled"))
        return {"FINISHED"}


CLASSES = (RestPose,)
