"""The 3D viewports of all windows."""

from __future__ import annotations

import bpy


def redraw(*, panels: bool = True) -> None:
    """Have every 3D viewport drawn again, with its panels or, while something is dragged, without."""
    for manager in bpy.data.window_managers:
        for area in (area for window in manager.windows for area in window.screen.areas if area.type == "VIEW_3D"):
            for region in area.regions:
                if panels or region.type == "WINDOW":
                    region.tag_redraw()
