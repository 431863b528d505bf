"""A strip of the NLA editor may be open for tweaking when a button is pressed: Blender then lets nobody change the
action."""

from __future__ import annotations

import bpy
import pytest

from geppetto.addon.motion import moving

from .test_control_motion import points_at, rigged
from .test_handing_over import IN_PLACE, apart, pushed_down, to_rest


def tweak(rig) -> None:
    """Open the rig's strip, as Tab in the NLA editor does."""
    track = rig.animation_data.nla_tracks[0]
    rig.animation_data.nla_tracks.active = track
    track.strips[0].select = track.select = True
    rig.animation_data.use_tweak_mode = True
    assert rig.animation_data.use_tweak_mode and rig.animation_data.action == track.strips[0].action


def rig_with_strip(extension, person, *, controls: bool = False):
    body = rigged(extension, person)
    if controls:
        assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    rig = extension.object
    action = moving.move(extension, rig, "walk", IN_PLACE).action
    pushed_down(rig, action, "walk")
    to_rest(rig)
    return body, rig, action


@pytest.mark.sweep(1)
@pytest.mark.parametrize("controls", [False, True])
def test_a_motion_is_put_on_a_rig_whose_strip_is_open(extension, person, controls):
    _, rig, action = rig_with_strip(extension, person, controls=controls)
    tweak(rig)
    done = moving.move(extension, rig, "idle", IN_PLACE).action
    assert not rig.animation_data.use_tweak_mode and rig.animation_data.action == done != action
    assert rig.animation_data.nla_tracks[0].strips[0].action == action


@pytest.mark.slow
@pytest.mark.sweep(1)
@pytest.mark.parametrize("controls", [False, True])
def test_strips_that_are_open_go_along_to_controls_and_back(extension, person, controls):
    body, rig, action = rig_with_strip(extension, person, controls=controls)
    wanted = points_at(body, action, (0.25, 0.7))
    tweak(rig)
    if not controls:
        assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
        for got, want in zip(points_at(body, action, (0.25, 0.7)), wanted, strict=True):
            assert apart(got, want) < 0.003
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    for got, want in zip(points_at(body, action, (0.25, 0.7)), wanted, strict=True):
        assert apart(got, want) < 0.003


@pytest.mark.long
def test_a_plain_rigs_strip_that_is_open_does_not_keep_its_controls(extension, person):
    _, plain, _ = rig_with_strip(extension, person)
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    extension.object.animation_data.action = None
    to_rest(extension.object)
    tweak(plain)
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    assert not plain.animation_data.use_tweak_mode and plain.animation_data.action is None


def test_an_open_strip_is_a_take_of_an_export(extension, person, tmp_path):
    _, plain, action = rig_with_strip(extension, person)
    tweak(plain)
    extension.view_layer.objects.active = plain
    assert bpy.ops.geppetto.export_for(engine="godot", filepath=str(tmp_path / "hero.glb")) == {"FINISHED"}
    assert plain.animation_data.nla_tracks[0].strips[0].action == action
    before = set(bpy.data.actions)
    bpy.ops.import_scene.gltf(filepath=str(tmp_path / "hero.glb"))
    assert {a.name for a in set(bpy.data.actions) - before}
