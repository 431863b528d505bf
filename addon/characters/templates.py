"""The artist's own skeleton templates: JSON files in the extension's user folder, which survives updates."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import bpy

from ...core.errors import BadTemplate
from ...core.skeleton.preset import load_template, template_data
from ...core.skeleton.template import SkeletonTemplate
from ..names import PACKAGE

OWN = "own: "  # what the menu's names of own templates begin with


def folder(*, create: bool = False) -> Path:
    """Where own templates lie."""
    if PACKAGE.startswith("bl_ext."):
        return Path(bpy.utils.extension_path_user(PACKAGE, path="skeletons", create=create))
    path = Path(bpy.utils.user_resource("DATAFILES", path="geppetto")) / "skeletons"  # run from its source
    if create:
        path.mkdir(parents=True, exist_ok=True)
    return path


def own_templates() -> list[str]:
    """Their names."""
    return sorted(path.stem for path in folder().glob("*.json"))


def path_of(name: str) -> Path:
    """The file of an own template."""
    return folder() / f"{name}.json"


def save_template(template: SkeletonTemplate, name: str) -> str:
    """Keep a template under a name, by which rigs made of it know it.  Returns the name it got.

    Raises BadTemplate if the file cannot be written.
    """
    stem = re.sub(r"[^\w .()-]", "_", name).strip(" .") or "skeleton"
    write_template(replace(template, name=stem), folder(create=True) / f"{stem}.json")
    return stem


def write_template(template: SkeletonTemplate, path: Path) -> None:
    """Write a template's JSON file.  Raises BadTemplate if it cannot be written."""
    try:
        path.write_text(json.dumps(template_data(template), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadTemplate(f"'{path}' cannot be written: {error.strerror}.") from error


def import_template(path: Path) -> str:
    """Keep a copy of a template's file.  Returns its name.  Raises BadTemplate if it is none."""
    return save_template(load_template(path), path.stem)


def delete_template(name: str) -> None:
    """Delete an own template.  Raises BadTemplate if it cannot be deleted."""
    try:
        path_of(name).unlink()
    except OSError as error:
        raise BadTemplate(f"'{path_of(name)}' cannot be deleted: {error.strerror}.") from error
