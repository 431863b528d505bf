"""What all panels of the sidebar share: where they are, help in the header, columns and paragraphs."""

from __future__ import annotations

from textwrap import wrap

import bpy

from .. import names

UNIT, LETTER = 20, 6  # pixels, where the interface is not enlarged: of a unit of the interface, of a letter with room
TABS, ICON = 2.0, 1.2  # units: what the tabs and edges of the sidebar take, and the icon before a text


class SidebarPanel(bpy.types.Panel):
    """A panel of the sidebar's tab.  topic : of the manual, what the question mark in the header opens"""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = names.TAB
    topic = "in-blender"

    def draw_header_preset(self, context) -> None:
        """Help about this panel."""
        row = self.layout.row()
        row.operator(names.HELP, text="", icon="QUESTION", emboss=False).topic = self.topic
        row.separator(factor=0.5)


def columns(layout):
    """The layout with names left of their values."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    return layout


def width_of(context) -> float:
    """How wide the sidebar is, in units of the interface, as `ui_units_x` has them."""
    return context.region.width / (UNIT * context.preferences.system.ui_scale)


def paragraph(layout, context, text: str, icon: str, units: float = 0.0) -> None:
    """A text in as many lines as it needs.

    units : how wide the layout is, as `bl_ui_units_x` of a popover; 0 for the sidebar
    """
    room = (units or width_of(context) - TABS) - ICON
    width = max(int(room * UNIT / LETTER), 20)
    column = layout.column(align=True)
    for i, line in enumerate(wrap(text, width)):
        column.label(text=line, icon=icon if i == 0 else "BLANK1", translate=False)
