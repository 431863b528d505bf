"""Every text of the extension that Blender shows and can translate."""

from __future__ import annotations

import ast
from pathlib import Path

import bpy

from geppetto.addon import names, registration

ADDON = Path(registration.__file__).resolve().parent
NAMED_BY = {"operator", "prop", "prop_search"}  # with the text's context of what is shown
SHOWN_BY = {"label", "poll_message_set", "pgettext_rpt", "pgettext_iface", "status_text_set"}


def texts() -> set[tuple[str, str]]:
    """(context, text) of labels, tooltips, properties, menus, panel texts and poll messages."""
    found: set[tuple[str, str]] = set()
    for cls in [c for module in registration.MODULES for c in getattr(module, "CLASSES", ())]:
        is_operator = issubclass(cls, bpy.types.Operator)
        rna = _operator_type(cls.bl_idname) if is_operator else cls.bl_rna
        if getattr(cls, "bl_label", ""):
            found.add((names.CONTEXT if is_operator or issubclass(cls, bpy.types.Panel) else "*", cls.bl_label))
        if is_operator and rna.description:
            found.add(("*", rna.description))
        for prop in rna.properties:
            if prop.identifier in _inherited(rna):
                continue
            found |= {(prop.translation_context, prop.name), ("*", prop.description)}
            if prop.type == "ENUM":
                found |= {(prop.translation_context, item.name) for item in prop.enum_items}
                found |= {("*", item.description) for item in prop.enum_items}
    for path in ADDON.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                values = [*node.args, *(k.value for k in node.keywords if k.arg == "text")]
                said = {v.value for v in values if isinstance(v, ast.Constant) and isinstance(v.value, str)}
                if name in SHOWN_BY:
                    found |= {("*", text) for text in said}
                if name == "word":
                    found |= {(names.CONTEXT, text) for text in said}
                if name in NAMED_BY:
                    found |= {(names.CONTEXT, k.value.value) for k in node.keywords
                              if k.arg == "text" and isinstance(k.value, ast.Constant)}
    return {(context, text) for context, text in found if len(text) > 1 and not _is_a_name(text)}


def _operator_type(name: str):
    group, operator = name.split(".")
    return getattr(getattr(bpy.ops, group), operator).get_rna_type()


def _inherited(rna) -> set[str]:
    base = rna.base
    return {p.identifier for p in base.properties} | {"rna_type", "name"} if base is not None else {"rna_type", "name"}


def _is_a_name(text: str) -> bool:
    return text.lstrip("-") in {"X", "Y", "Z"} or text.isdigit()
