"""Auto Rig: from selected meshes to a bound armature."""


from .. import names, pins, session
from ..choices import RigChoices, bind_options, copy_choices, detail_options, stance_of, template_for
from ..job import JobOperator
from ..polls import has_character, is_free, is_in_object_mode
from ..rigged import selected_character
from ..rigging import Rigged, auto_rig_steps


class AutoRig(RigChoices, JobOperator):
    """Fit a skeleton into the selected meshes and bind them to it; together they are one character"""

    bl_idname = names.AUTO_RIG
    bl_label = "Auto Rig"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a mesh selected in Object mode, and no other job."""
        # A rig of ours will do too: it is rigged anew, and "Adjust Last Operation" asks before it undoes.
        return is_free(cls) and is_in_object_mode(cls, context) and has_character(cls, context)

    def invoke(self, context, event) -> set:
        """From a button: with the sidebar's choices."""
        copy_choices(getattr(context.scene, names.SETTINGS), self)
        return super().invoke(context, event)

    def steps(self, context):
        """The work on the selection."""
        return selection_steps(context, self, template_for(self.preset))

    def finish(self, context, rigged: Rigged) -> None:
        """Tell what was made."""
        self.report_rig(f"{len(rigged.rig.names)} bones, {len(rigged.character.mesh.vertices)} vertices, "
                        f"{sum(rigged.seconds.values()):.1f} s", [part.object for part in rigged.character.parts],
                        rigged.warnings)


def selection_steps(context, choices, template):
    """Rig the selection with its pins and its reading, as the choices say: `auto_rig_steps`.  template : as there"""
    objects, replaced = selected_character(context)
    owner = pins.owner_of(objects)
    return auto_rig_steps(context, objects, template, method=choices.method, replaced=[o.name for o in replaced],
                          hints=pins.world_pins(owner) if owner is not None else {}, prepare=session.shape_steps,
                          readings=pins.readings_of(owner) if owner is not None else {},
                          stance=lambda mesh: stance_of(mesh, choices), options=bind_options(choices),
                          detail=detail_options(choices))


def menu_entry(menu, context) -> None:
    """Auto Rig in the Object menu."""
    menu.layout.separator()
    menu.layout.operator(names.AUTO_RIG, icon="ARMATURE_DATA")


CLASSES = (AutoRig,)
MENUS = (("VIEW3D_MT_object", menu_entry),)
