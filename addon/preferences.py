"""What holds for every file: choices new files begin with, how handles look, where templates lie, where help is."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import bpy

from . import names, props
from .characters import templates
from .choices import METHODS, preset_items
from .names import PACKAGE
from .overlay.lines import COLORS

DEFAULTS: Mapping[str, object] = {"preset": "auto", "method": "auto", "influences": 4, "rigid_parts": True,
                                  "mirror": True, "snap": True, "handle_size": 1.0, **COLORS}
FOR_RIGS, FOR_JOINTS = ("preset", "method", "influences", "rigid_parts"), ("mirror", "snap")
SHADES = tuple(COLORS)


def _color(key: str, name: str, description: str):
    return props.FloatVectorProperty(name=name, description=description, subtype="COLOR_GAMMA", size=3, min=0.0,
                                         max=1.0, default=COLORS[key], update=_redraw)


def _redraw(preferences, context) -> None:
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


class GeppettoPreferences(bpy.types.AddonPreferences):
    """Kept with Blender's own preferences."""

    bl_idname = PACKAGE

    preset: props.EnumProperty(name="Skeleton", description="The skeleton that is fitted into the character",
                                   items=preset_items)
    method: props.EnumProperty(name="Weights", description="How the skin is bound to the bones", items=METHODS)
    influences: props.IntProperty(name="Influences", description="Bones that may move one vertex; most game "
                                      "engines take 4", default=4, min=1, max=16, soft_max=8)
    rigid_parts: props.BoolProperty(name="Rigid Parts", description="Loose parts such as buttons, teeth or armour "
                                        "that mostly follow one bone follow it wholly", default=True)
    mirror: props.BoolProperty(name="Mirror", default=True,
                                   description="Moving a joint moves its partner on the other side too")
    snap: props.BoolProperty(name="Snap to Middle", default=True, description="Keep a dragged joint in the middle "
                                 "of the limb under the mouse. Hold Ctrl while dragging for the opposite")
    handle_size: props.FloatProperty(name="Size", description="How large joints and bones are drawn, and how far "
                                         "from a joint the mouse takes hold of it", default=1.0, min=0.5, max=3.0,
                                         subtype="FACTOR", update=_redraw)
    left: _color("left", "Left", "Bones of the character's left")
    right: _color("right", "Right", "Bones of the character's right")
    middle: _color("middle", "Middle", "Bones of the middle")
    joint: _color("joint", "Joint", "Joints that the fit places")
    pinned: _color("pinned", "Pinned", "Joints that you have placed")

    def draw(self, context) -> None:
        """Choices of new files, handles, folder and help."""
        self.draw_into(self.layout)

    def draw_into(self, layout) -> None:
        """The same, wherever it is to be seen."""
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.label(text="New Files")
        column = layout.column()
        for key in (*FOR_RIGS, *FOR_JOINTS):
            column.prop(self, key)
        layout.label(text="Joints")
        layout.prop(self, "handle_size", slider=True)
        row = _beside(layout, "Colors")
        for key in SHADES:
            row.prop(self, key, text="")
        row.operator(names.THEME_COLORS, text="", icon="COLOR")
        layout.separator()
        row = _beside(layout, "Templates")
        row.label(text=str(templates.folder()), translate=False)
        row.operator(names.OPEN_TEMPLATES, text="", icon="FILE_FOLDER")
        row = layout.row()
        row.operator(names.HELP, icon="HELP")
        row.operator(names.RESET_PREFERENCES, icon="LOOP_BACK")


def _beside(layout, name: str):
    """A row beside a name, aligned as a property's value is."""
    parts = layout.split(factor=0.4, align=True)
    label = parts.row()
    label.alignment = "RIGHT"
    label.label(text=name)
    row = parts.row(align=True)
    row.use_property_split = False
    return row


def preferences():
    """The person's preferences, or what they are at first where the extension runs from its source."""
    addon = bpy.context.preferences.addons.get(PACKAGE)
    return addon.preferences if addon is not None and addon.preferences is not None else SimpleNamespace(**DEFAULTS)


@bpy.app.handlers.persistent
def begin_new_file(*_) -> None:
    """A file that was never saved begins with the preferred choices; others keep their own."""
    if bpy.data.filepath:
        return
    wanted = preferences()
    for scene in bpy.data.scenes:
        for group, keys in ((getattr(scene, names.SETTINGS), FOR_RIGS), (getattr(scene, names.JOINTS), FOR_JOINTS)):
            for key in keys:
                value = getattr(wanted, key)  # a template that is no longer there gives ""
                if value not in (DEFAULTS[key], "") and not group.is_property_set(key):
                    setattr(group, key, value)


CLASSES = (GeppettoPreferences,)
HANDLERS = (("load_post", begin_new_file),)
