"""What all panels of the sidebar share: where they are, help in the header, columns and paragraphs."""

from __future__ import annotations

from textwrap import wrap

import bpy

from .. import names


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


def paragraph(layout, context, text: str, icon: str) -> None:
    """A text in as many lines as the sidebar needs."""
    width = max(int(context.region.width / (7 * context.preferences.system.ui_scale)) - 4, 20)
    column = layout.column(align=True)
    for i, line in enumerate(wrap(text, width)):
        column.label(text=line, icon=icon if i == 0 else "BLANK1", translate=False)
