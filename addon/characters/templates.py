"""The artist's own skeleton templates: JSON files in the extension's user folder, which survives updates.

A rig that was made of one carries a copy, so that it is updated on other computers too.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import bpy

from ...core.errors import BadTemplate
from ...core.fitting.from_shape import is_shape
from ...core.skeleton.preset import load_template, preset_names, template_data, template_from_data
from ...core.skeleton.template import SkeletonTemplate
from ..names import PACKAGE, TEMPLATE
from ..whole import write_whole

OWN = "own: "  # what the menu's names of own templates begin with


def folder(*, create: bool = False) -> Path:
    """Where own templates lie.

    create : make the folder if there is none; Blender itself would name the one it was started in if it cannot be made
    Raises BadTemplate if it cannot be made.
    """
    path = (Path(bpy.utils.extension_path_user(PACKAGE, path="skeletons")) if PACKAGE.startswith("bl_ext.") else
            Path(bpy.utils.user_resource("DATAFILES", path="geppetto")) / "skeletons")  # run from its source
    try:
        if create:
            path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadTemplate(f"'{path}' cannot be written: {error.strerror}.") from error
    return path


def own_templates() -> list[str]:
    """Their names."""
    return sorted(path.stem for path in folder().glob("*.json"))


def is_as_from_shape(name: str, bones) -> bool:
    """Whether a skeleton was made from a shape, or is the artist's own with the bones of one.

    name : of its preset or template;  bones : the names of its bones
    """
    return is_shape(name) or (name not in preset_names() and "spine_1" in bones)


def path_of(name: str) -> Path:
    """The file of an own template."""
    return folder() / f"{name}.json"


def save_template(template: SkeletonTemplate, name: str) -> str:
    """Keep a template under a name, by which rigs made of it know it.  Returns the name it got: another than those of
    the skeletons that ship.

    Raises BadTemplate if the folder cannot be made, BadFile if the file cannot be written.
    """
    stem = re.sub(r"[^\w .()-]", "_", name).strip(" .") or "skeleton"
    if stem in {"auto", *preset_names()} or is_shape(stem):
        stem = f"{stem} (own)"
    write_template(replace(template, name=stem), folder(create=True) / f"{stem}.json")
    return stem


def write_template(template: SkeletonTemplate, path: Path) -> None:
    """Write a template's JSON file, whole or not at all.  Raises BadFile if it cannot be written."""
    write_whole(path, [f"{json.dumps(template_data(template), indent=1)}\n".encode()])


def import_template(path: Path) -> str:
    """Keep a copy of a template's file.  Returns its name.  Raises BadTemplate if it is none."""
    return save_template(load_template(path), path.stem)


def delete_template(name: str) -> None:
    """Delete an own template.  Raises BadTemplate if it cannot be deleted."""
    try:
        path_of(name).unlink()
    except OSError as error:
        raise BadTemplate(f"'{path_of(name)}' cannot be deleted: {error.strerror}.") from error


def send_along(armature: bpy.types.Object, template: SkeletonTemplate) -> None:
    """Let a rig carry the template it was made of, if that is no skeleton that ships."""
    if template.name not in preset_names() and not is_shape(template.name):
        armature.data[TEMPLATE] = json.dumps(template_data(template))


def carried_template(armature: bpy.types.Object) -> SkeletonTemplate | None:
    """The template that a rig carries; None if it was made of a skeleton that ships.

    Raises BadTemplate if it was damaged.
    """
    if TEMPLATE not in armature.data:
        return None
    try:
        return template_from_data(json.loads(str(armature.data[TEMPLATE])), source=armature.name)
    except (ValueError, BadTemplate) as error:
        raise BadTemplate(f"The template that '{armature.name}' carries is damaged. Choose a skeleton and press Rig "
                          "Anew.") from error
