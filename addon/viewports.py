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


def show_beside(o: bpy.types.Object, others) -> None:
    """Show a new object in the local views in which some others are shown."""
    for manager in bpy.data.window_managers:
        for area in (area for window in manager.windows for area in window.screen.areas if area.type == "VIEW_3D"):
            space = area.spaces.active
            if space.local_view is not None and any(other.local_view_get(space) for other in others):
                o.local_view_set(space, True)
