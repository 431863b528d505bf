"""The steps as a menu of the 3D viewport: menus are what Blender's search looks through."""

import bpy

from ...core.skeleton.engine import engines, load_engine
from .. import names
from ..words.telling import word

# As the panels lead, a line between two steps.
STEPS = (
    (names.CHECK, names.SEPARATE, names.AUTO_RIG, names.CONTROL_RIG, names.PLAIN_RIG_AGAIN, names.REMOVE_RIG),
    (names.SHOW_JOINTS, names.NEXT_DOUBT, names.OTHER_READING, names.UPDATE_RIG, names.HIDE_JOINTS,
     names.DISCARD_JOINTS),
    (names.CHECK_WEIGHTS, names.BIND, names.COPY_WEIGHTS, names.SYMMETRISE_WEIGHTS),
    (names.MOVE, names.RIG_AND_MOVE, names.MOVE_FROM_FILE, names.MOVE_FROM_ARMATURE),
)


class StepsMenu(bpy.types.Menu):
    """What the sidebar's tab offers."""

    bl_idname = names.STEPS_MENU
    bl_label = "Geppetto"

    def draw(self, context) -> None:
        """The buttons, then the engines."""
        layout = self.layout
        for step in STEPS:
            for operator in step:
                layout.operator(operator)
            layout.separator()
        for name in engines():
            text = f"{word('Export for')} {load_engine(name).label}"
            layout.operator(names.EXPORT_FOR, text=text, translate=False).engine = name


def menu_entry(menu, context) -> None:
    """The menu at the end of another."""
    menu.layout.menu(names.STEPS_MENU)


CLASSES = (StepsMenu,)
MENUS = tuple((menu, menu_entry) for menu in ("VIEW3D_MT_object", "VIEW3D_MT_pose", "VIEW3D_MT_paint_weight"))
