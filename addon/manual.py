"""The manual, docs/manual.md, as a page for the web browser, made when it is asked for: help that needs no network."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

import bpy

from . import names

MANUAL = Path(__file__).resolve().parents[1] / "docs" / "manual.md"
STYLE = """body { font: 16px/1.55 system-ui, sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em }
pre, code { background: #8882; border-radius: 4px; padding: .1em .3em } pre { padding: .8em; overflow: auto }
pre code { background: none } table { border-collapse: collapse } td, th { border: 1px solid #8886; padding: .3em .6em }
:target { background: #fd08 } @media (prefers-color-scheme: dark) { body { background: #222; color: #ddd } }"""
# What Blender's right click > Online Manual says to which part of the manual; the last that fits counts least.
TOPICS = (("bpy.ops.object.geppetto_auto_rig*", "in-blender"), ("bpy.ops.object.geppetto_*", "motion"),
          (f"bpy.ops.{names.BIND}*", "skin"), (f"bpy.ops.{names.CONTROL_RIG}*", "rig"),
          (f"bpy.ops.{names.RENAME}*", "rig"), (f"bpy.ops.{names.EXPORT_FOR}*", "export"),
          (f"bpy.ops.{names.REST_POSE}*", "export"),
          ("bpy.ops.geppetto.*template*", "templates"), ("bpy.ops.geppetto.*joint*", "a-joint-lies-wrong"),
          (f"bpy.ops.{names.OTHER_READING}*", "doubt"), (f"bpy.ops.{names.NEXT_DOUBT}*", "doubt"),
          (f"bpy.ops.{names.SYMMETRISE}*", "both-sides"), (f"bpy.ops.{names.UPDATE_RIG}*", "a-joint-lies-wrong"),
          ("bpy.ops.geppetto.*weights*", "test"), ("bpy.ops.geppetto.preserve_volume*", "test"),
          ("bpy.ops.geppetto.*", "in-blender"), ("bpy.types.geppettosettings.*", "skin"),
          ("bpy.types.jointsettings.*", "a-joint-lies-wrong"), ("bpy.types.geppetto*", "in-blender"))


def address(topic: str = "") -> str:
    """The address of the manual's page at a topic; the page is written into Blender's own temporary folder."""
    page = Path(bpy.app.tempdir) / "geppetto.html"
    page.write_text(html(MANUAL.read_text(encoding="utf-8")), encoding="utf-8")
    return page.as_uri() + (f"#{anchor(topic)}" if topic else "")


def manual_map() -> tuple[str, tuple[tuple[str, str], ...]]:
    """What Blender asks for: the page, and which part of it tells about what."""
    return address(), tuple((what, f"#{topic}") for what, topic in TOPICS)


def anchor(title: str) -> str:
    """A title as it stands in an address."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def html(text: str) -> str:
    """A page of the manual's Markdown: headings, paragraphs, lists, tables, code. Bold words can be linked to."""
    body, block, in_code = [], [], False
    for line in [*text.strip().split("\n"), ""]:
        if line.startswith("```"):
            in_code = not in_code
            body.append("<pre><code>" if in_code else "</code></pre>")
        elif in_code:
            body.append(escape(line))
        elif line.strip():
            block.append(line)
        elif block:
            body.append(_block(block))
            block = []
    title = escape(text.strip().split("\n")[0].lstrip("# "))
    return (f"<!DOCTYPE html><html><meta charset='utf-8'><title>{title}</title><style>{STYLE}</style>\n"
            + "\n".join(body) + "</html>\n")


def _block(lines: list[str]) -> str:
    """Lines between empty ones."""
    first = lines[0] if lines else ""
    heading = re.match(r"(#+)\s+(.*)", first)
    if heading:
        size, words = len(heading[1]), heading[2]
        rest = _block(lines[1:])
        return f'<h{size} id="{anchor(words)}">{_inline(words)}</h{size}>{rest}'
    if first.startswith("|"):
        rows = [[_inline(cell.strip()) for cell in line.strip("| ").split("|")] for line in (first, *lines[2:])]
        return "<table>" + "".join(
            "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in row) + "</tr>"
            for tag, row in (("th" if i == 0 else "td", row) for i, row in enumerate(rows))) + "</table>"
    item = re.match(r"(-|\d+\.)\s+", first)
    if item:
        tag = "ul" if item[1] == "-" else "ol"
        items = re.split(r"\n(?:-|\d+\.)\s+", "\n" + "\n".join(lines))[1:]
        return f"<{tag}>" + "".join(f"<li>{_inline(text)}</li>" for text in items) + f"</{tag}>"
    text = "\n".join(line for line in lines if not line.startswith("!["))  # pictures are not in the zip
    return f"<p>{_inline(text)}</p>" if text else ""


def _inline(text: str) -> str:
    """Words within a block."""
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
    text = re.sub(r"\*\*([^*]+)\*\*", lambda m: f'<b id="{anchor(m[1])}">{m[1]}</b>', text)
    text = re.sub(r"(?<![\w*])\*([^*\n]+)\*(?![\w*])", r"<i>\1</i>", text)
    return re.sub(r"\[([^]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', text)
