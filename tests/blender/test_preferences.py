"""Preferences, help and what is cut open: kept, obeyed, reset; the manual's page has every topic that is asked for."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlparse

import bpy
import numpy as np
import pytest

import geppetto
from geppetto.addon import manual, names, preferences, registration
from geppetto.addon.characters import templates
from geppetto.addon.overlay.slices import FADE, cells, cut, depth_colors
from geppetto.addon.panels.sidebar import SidebarPanel


@pytest.fixture
def extension(context):
    """The extension, enabled, with preferences of its own as an installed one has them."""
    geppetto.register()
    bpy.context.preferences.addons.new().module = preferences.PACKAGE
    yield context
    addons = bpy.context.preferences.addons
    addons.remove(addons[preferences.PACKAGE])
    geppetto.unregister()


def test_the_defaults_are_those_of_the_properties(extension):
    wanted = preferences.preferences()
    assert isinstance(wanted, preferences.GeppettoPreferences)
    for key, value in preferences.DEFAULTS.items():
        kept = getattr(wanted, key)
        np.testing.assert_allclose(kept, value, atol=1e-6) if key in preferences.SHADES else None
        assert key in preferences.SHADES or kept == value, key


def test_without_being_installed_it_works_with_the_defaults(context):
    geppetto.register()
    assert preferences.preferences().handle_size == 1.0 and preferences.preferences().mirror
    geppetto.unregister()


def test_new_files_begin_with_what_is_preferred_and_saved_ones_keep_their_own(extension, tmp_path):
    wanted = preferences.preferences()
    wanted.influences, wanted.method, wanted.mirror, wanted.preset = 8, "heat", False, "horse"
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    settings = getattr(bpy.context.scene, names.SETTINGS)
    assert (settings.influences, settings.method, settings.preset) == (8, "heat", "horse")
    assert not getattr(bpy.context.scene, names.JOINTS).mirror and getattr(bpy.context.scene, names.JOINTS).snap
    settings.influences = 3
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "mine.blend"))
    wanted.influences = 12
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "mine.blend"))
    assert getattr(bpy.context.scene, names.SETTINGS).influences == 3


def test_colors_come_from_the_theme_and_all_goes_back(extension):
    wanted = preferences.preferences()
    wanted.handle_size = 2.0
    assert bpy.ops.geppetto.theme_colors() == {"FINISHED"}
    theme = extension.preferences.themes[0].user_interface
    np.testing.assert_allclose(wanted.left, theme.axis_z, atol=1e-6)
    assert bpy.ops.geppetto.reset_preferences() == {"FINISHED"}
    assert wanted.handle_size == 1.0
    np.testing.assert_allclose(wanted.left, preferences.DEFAULTS["left"], atol=1e-6)


def test_the_package_is_the_one_blender_knows():
    assert geppetto.__name__ == preferences.PACKAGE
    assert templates.folder().name == "skeletons"


class _Page(HTMLParser):
    """What can be linked to in a page, and whether its elements are closed."""

    def __init__(self, page: str):
        super().__init__()
        self.anchors, self.open = set(), []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.anchors |= {value for key, value in attributes if key == "id"}
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_manual_has_every_topic_and_is_sound(extension):
    url = urlparse(manual.address("In Blender"))
    assert url.scheme == "file" and url.fragment == "in-blender"
    text = Path(unquote(url.path)).read_text(encoding="utf-8")
    page = _Page(text)
    assert page.open == []
    asked = {topic for _, topic in manual.TOPICS} | {
        cls.topic for module in registration.MODULES for cls in getattr(module, "CLASSES", ())
        if issubclass(cls, SidebarPanel)}
    assert asked <= page.anchors
    assert "**" not in re.sub(r"<code>.*?</code>", "", text, flags=re.DOTALL) and "<table>" in text


def test_markdown_becomes_what_it_means():
    page = manual.html("# T & U\n\nsome `a*b` *it* **Bold One** [x](y)\nmore\n\n- one\n  two\n- three\n\n"
                       "```\na < b\n\n# c\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |")
    assert "<title>T &amp; U</title>" in page and '<h1 id="t-u">' in page
    assert '<code>a*b</code> <i>it</i> <b id="bold-one">Bold One</b> <a href="y">x</a>' in page
    assert "<li>one\n  two</li><li>three</li>" in page and "a &lt; b\n\n# c" in page.replace("<pre><code>\n", "")
    assert "<th>a</th>" in page and "<td>2</td>" in page and _Page(page).open == []


@pytest.mark.parametrize(("rna", "topic"), [
    ("bpy.ops.object.geppetto_auto_rig", "in-blender"), ("bpy.ops.object.geppetto_move", "motion"),
    ("bpy.ops.geppetto.bind", "skin"), ("bpy.ops.geppetto.save_template", "templates"),
    ("bpy.types.GeppettoSettings.influences", "skin"), ("bpy.ops.geppetto.pin_joint", "a-joint-lies-wrong")])
def test_online_manual_in_the_context_menu_opens_the_right_part(extension, rna, topic):
    from bl_operators.wm import WM_OT_doc_view_manual

    assert WM_OT_doc_view_manual._lookup_rna_url(rna) == f"{manual.address()}#{topic}"


def test_a_cut_lies_in_the_body_where_it_is_asked_for():
    low, high = np.array([-1.0, -0.5, 0.0]), np.array([1.0, 0.5, 3.0])
    for axis in range(3):
        points = cut(low, high, axis, 0.25)
        np.testing.assert_allclose(points[..., axis], low[axis] + 0.25 * (high - low)[axis])
        np.testing.assert_allclose(points.min((0, 1))[[a for a in range(3) if a != axis]],
                                   low[[a for a in range(3) if a != axis]])
        steps = [np.linalg.norm(points[1, 0] - points[0, 0]), np.linalg.norm(points[0, 1] - points[0, 0])]
        assert steps[0] == pytest.approx(steps[1], rel=0.05)


def test_depth_is_seen_as_brightness_and_outside_fades_away():
    colors = depth_colors(np.array([-0.9, -0.5, -0.1, FADE / 2, FADE, 1.0]), 1.0)
    light = colors[:, :3].sum(1)
    assert light[0] > light[1] > light[2]
    assert colors[0, 3] == colors[1, 3] > colors[3, 3] > colors[4, 3] == colors[5, 3] == 0
    assert colors.min() >= 0 and colors.max() <= 1


def test_cells_cover_what_is_seen_and_not_transparent():
    corners = np.stack(np.meshgrid(np.arange(4.0), np.arange(3.0), indexing="ij"), axis=-1)
    colors, seen = np.ones((4, 3, 4)), np.ones((4, 3), bool)
    at, paint = cells(corners, colors, seen)
    triangles = at.reshape(-1, 3, 2)
    (u, v) = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    assert 0.5 * np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]).sum() == pytest.approx(6.0)
    assert len(paint) == len(at)
    seen[0, 0] = False
    colors[2:, :, 3] = 0
    assert len(cells(corners, colors, seen)[0]) == 6 * 3
