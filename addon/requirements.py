"""Registers the add-on where scipy is there and no other copy is on; elsewhere only a panel that says what to do.

Blender brings numpy and not scipy. Nothing here may import the core, which cannot be imported without it.
"""

from __future__ import annotations

import platform
import sys
import textwrap
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar

import bpy

from . import names
from .libraries import fault_of_scipy
from .manifest import VERSION

# What tests/packaging/build.py makes zips for: Blender's platforms, and the Pythons of the wheels inside.
PLATFORMS = {("linux", "x86_64"): "linux_x64", ("windows", "amd64"): "windows_x64",
             ("darwin", "x86_64"): "macos_x64", ("darwin", "arm64"): "macos_arm64"}
PYTHONS = ((3, 11), (3, 13))

_undo = ExitStack()  # what unregister() has to take back: it may find scipy where register() found none


def register() -> None:
    """Register the add-on, or what stands in for it; undone completely if any step fails."""
    with ExitStack() as steps:
        fault = fault_of_scipy()
        if texts := (fault, remedy()) if fault else of_other_copy():
            has_panel = bpy.types.Panel.bl_rna_get_subclass_py(names.PANEL_REMEDY) is not None  # a third copy's
            for cls in (RemedyPreferences,) if has_panel else (RemedyPanel, RemedyPreferences):
                cls.texts = texts  # once: a failing import is too slow for every redraw
                bpy.utils.register_class(cls)
                steps.callback(bpy.utils.unregister_class, cls)
        else:
            from . import registration

            registration.register()
            steps.callback(registration.unregister)
        _undo.push(steps.pop_all())


def unregister() -> None:
    """Take back what register() did."""
    _undo.close()


def of_other_copy() -> tuple[str, str] | None:
    """Which other copy of the add-on is on, and what to do, None without: two would take each other's classes away."""
    panel = bpy.types.Panel.bl_rna_get_subclass_py(names.PANEL_CHARACTER)
    other = panel.__module__.removesuffix(".addon.panels.character") if panel is not None else names.PACKAGE
    return None if other == names.PACKAGE else (
        f"Another copy of Geppetto is on: {other}. This one is {names.PACKAGE}.",
        "Turn the other one off under Preferences, Add-ons, then this one off and on again. Or remove this one.")


def remedy() -> str:
    """What to do, in the words of this Blender's kind and platform."""
    python = sys.version_info[:2]
    said = f"{python[0]}.{python[1]}"
    homes = [bpy.utils.resource_path(kind) for kind in ("LOCAL", "SYSTEM")]
    brings_python = any(home and Path(sys.prefix).is_relative_to(home) for home in homes)
    system = PLATFORMS.get((platform.system().lower(), platform.machine().lower()))
    if brings_python and system and python in PYTHONS:
        return (f"Download geppetto-{VERSION}-{system}.zip, which brings scipy, and install it over this one: "
                "Preferences, Get Extensions, Install from Disk.")
    if brings_python or not bpy.app.binary_path:  # no zip for this platform, or the bpy wheel
        return f"Install scipy into its Python, then restart: {sys.executable} -m pip install scipy"
    return (f"It runs on the system's Python {said}: install the system's scipy (python3-scipy; on Arch python-scipy), "
            "then restart Blender.")


def draw_texts(layout, texts, width: int) -> None:
    """The fault, marked, and the way out, in lines of at most `width` characters."""
    for text, icon in zip(texts, ("ERROR", "INFO"), strict=True):
        column = layout.column(align=True)
        for number, line in enumerate(textwrap.wrap(text, width)):
            column.label(text=line, icon="BLANK1" if number else icon)


class RemedyPanel(bpy.types.Panel):
    """Stands where the add-on's panel would be."""

    bl_idname = names.PANEL_REMEDY
    bl_label = "Geppetto cannot start"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = names.TAB
    texts: ClassVar = ("", "")

    def draw(self, context) -> None:
        """What is missing and how to get it, in a narrow sidebar."""
        draw_texts(self.layout, self.texts, 36)


class RemedyPreferences(bpy.types.AddonPreferences):
    """The same words where the add-on was just enabled."""

    bl_idname = names.PACKAGE
    texts: ClassVar = ("", "")

    def draw(self, context) -> None:
        """What is missing and how to get it."""
        draw_texts(self.layout, self.texts, 100)
