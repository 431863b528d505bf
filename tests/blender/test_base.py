"""A character that stands on a base of one surface with it, in Blender."""

from __future__ import annotations

from unittest.mock import MagicMock

import bpy
import numpy as np
import pytest

from geppetto.addon import session
from geppetto.addon.bridge.armature import read_things, read_warnings, write_detail
from geppetto.addon.characters.rigged import armature_of
from geppetto.addon.panels.character import draw_things, things_without_bones
from geppetto.core.detail.grow import DetailOptions
from geppetto.core.skeleton.root import ON_BASE
from tests.characters import on_base

from .batches import QUICK, main, save
from .scenes import add_character, deformed_points, group_weights, world_points
from .test_again import rig
from .test_situations import choose

pytestmark = pytest.mark.usefixtures("rigged_once")


@pytest.fixture
def body(extension):
    return add_character(on_base(vertices=2500))[0]


def below(body) -> np.ndarray:
    return world_points(body)[:, 2] < -0.03


def edit(context, armature) -> None:
    """Go to Edit mode of an armature."""
    bpy.ops.object.select_all(action="DESELECT")
    armature.select_set(True)
    context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")


@pytest.mark.long
def test_a_base_stays_where_it_is_while_the_figure_moves(extension, body):
    armature = rig(body)
    rest = deformed_points(body)
    armature.pose.bones["hips"].location = (0.0, 0.2, 0.0)
    armature.pose.bones["thigh.L"].rotation_mode = "XYZ"
    armature.pose.bones["thigh.L"].rotation_euler.x = 0.8
    extension.view_layer.update()
    moved = np.linalg.norm(deformed_points(body) - rest, axis=1)
    assert moved[below(body)].max() < 1e-6
    assert moved[rest[:, 2] > 0.08].min() > 0.1
    assert any("stands on a base" in text for text in read_warnings(armature))


def test_a_base_whose_bone_was_deleted_follows_the_body_when_the_rig_is_updated(extension, body):
    armature = rig(body)
    assert (np.array(group_weights(body)["base"])[below(body)] == 1.0).all()
    edit(extension, armature)
    armature.data.edit_bones.remove(armature.data.edit_bones["base"])
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    assert "base" not in armature.data.bones and not any("a base" in text for text in read_warnings(armature))
    assert (np.array(group_weights(body)["hips"])[below(body)] == 1.0).all()


def test_a_base_goes_to_a_control_rig_and_back(extension, body):
    rig(body)
    rest = deformed_points(body)
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    extension.view_layer.update()
    np.testing.assert_allclose(deformed_points(body), rest, atol=2e-4)
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    extension.view_layer.update()
    np.testing.assert_allclose(deformed_points(body), rest, atol=1e-5)
    assert "base" in armature_of(body).data.bones


@pytest.mark.long
def test_a_base_that_is_unticked_is_part_of_the_body_until_it_is_ticked_again(extension, body):
    assert "base" in read_things(rig(body))
    settings = extension.scene.geppetto
    assert bpy.ops.geppetto.toggle_thing(thing="base") == {"FINISHED"}
    assert settings.without == "base"
    armature = rig(body, without=settings.without)
    assert "base" not in armature.data.bones and "base" not in read_things(armature)
    assert not any("a base" in text for text in read_warnings(armature))
    assert skin_of_feet(body) > 0.5
    assert bpy.ops.geppetto.toggle_thing(thing="base") == {"FINISHED"}  # counts when it is rigged anew
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    assert skin_of_feet(body) > 0.5
    assert "base" in rig(body, without=settings.without).data.bones
    assert skin_of_feet(body) == 0.0


def test_a_base_that_is_unticked_is_part_of_the_body_when_it_is_bound_anew_too(extension, body):
    armature = rig(body, without="base")
    body.vertex_groups.clear()
    choose(body, armature)
    assert bpy.ops.geppetto.bind() == {"FINISHED"}
    assert skin_of_feet(body) > 0.5


def test_a_base_is_no_thing_without_bones(extension, body):
    assert not things_without_bones(rig(body))


def test_what_is_unticked_after_the_rig_was_made_is_said_to_count_when_it_is_made_anew(extension, body):
    def said() -> bool:
        layout = MagicMock()
        draw_things(layout, extension)
        return any(call.kwargs.get("text") == "Rig anew to apply" for call in layout.label.call_args_list)

    rig(body)
    assert not said()
    assert bpy.ops.geppetto.toggle_thing(thing="base") == {"FINISHED"}
    assert said()
    assert bpy.ops.geppetto.toggle_thing(thing="base") == {"FINISHED"}
    assert not said()


def test_a_base_that_the_check_tells_of_can_be_unticked_before_the_figure_is_rigged(extension, body):
    def boxes() -> list[str]:
        layout = MagicMock()
        draw_things(layout, extension)
        row = layout.column.return_value.row.return_value
        return [call.kwargs["icon"] for call in row.operator.call_args_list]

    choose(body)
    assert not boxes()
    assert bpy.ops.geppetto.check() == {"FINISHED"}
    assert boxes() == ["CHECKBOX_HLT"]
    assert bpy.ops.geppetto.toggle_thing(thing="base") == {"FINISHED"}
    assert bpy.ops.geppetto.check() == {"FINISHED"}
    assert ON_BASE not in session.check_of(body.session_uid).warnings
    assert boxes() == ["CHECKBOX_DEHLT"]
    choose(body)
    body.select_set(False)
    extension.view_layer.objects.active = None
    assert not boxes()


def skin_of_feet(body) -> float:
    """The most that a vertex of the base follows a foot."""
    weights = group_weights(body)
    feet = [weights[f"{bone}.{side}"] for bone in ("foot", "toe") for side in "LR"]
    return float(np.array(feet)[:, below(body)].max())


def test_a_bone_of_the_artists_own_that_is_called_base_stays_where_it_is(extension, body):
    armature = rig(body, without="base")
    edit(extension, armature)
    bone = armature.data.edit_bones.new("base")
    bone.head, bone.tail = (1.0, 0.0, 0.0), (1.0, 0.0, 0.3)
    bpy.ops.object.mode_set(mode="OBJECT")
    write_detail(armature, DetailOptions())
    for _ in range(2):
        assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
        np.testing.assert_allclose(armature.data.bones["base"].head_local, (1.0, 0.0, 0.0), atol=1e-6)
        assert not np.any(group_weights(body).get("base", 0.0))


@pytest.mark.long
@pytest.mark.parametrize("motion", [[], ["--motion", "idle"]])
def test_a_base_is_part_of_the_body_for_a_skeleton_of_the_files_own_too_if_the_batch_is_told(extension, body, tmp_path,
                                                                                            motion):
    armature = rig(body, without="base")
    for notes in (armature, armature.data):  # the artist's own says nothing
        for key in list(notes.keys()):
            del notes[key]
    body.vertex_groups.clear()
    path = save(tmp_path / "own.blend")
    for without, least, most in (([], 0.0, 0.0), (["--without", "base"], 0.5, 1.0)):
        out = tmp_path / f"out {len(without)}"
        assert main([str(path), "--out", str(out), "--rig", "existing", *QUICK, *motion, *without]) == 0
        bpy.ops.wm.open_mainfile(filepath=str(out / "own.blend"))
        bound = next(o for o in bpy.data.objects if o.type == "MESH" and o.find_armature() is not None)
        assert least <= skin_of_feet(bound) <= most
