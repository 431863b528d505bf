"""Motions on Rigify's controls: the character does what its plain rig would do, the pose and undo are the artist's."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from geppetto.addon.motion import moving

from .scenes import add_character, deformed_points


def points_at(body, action, parts) -> list[np.ndarray]:
    """The character at some parts of an action."""
    found = []
    for part in parts:
        frame = action.frame_start + part * (action.frame_end - action.frame_start)
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1.0)
        found.append(deformed_points(body))
    return found


def test_a_control_rig_walks_as_its_plain_rig_does(extension, person):
    body, = add_character(person)
    body.select_set(True)
    extension.view_layer.objects.active = body
    bpy.ops.object.geppetto_auto_rig(preset="biped")
    plain = extension.object
    parts = (0.0, 0.25, 0.5, 0.875)
    options = moving.MoveOptions(travel="hips")
    wanted = points_at(body, moving.move(extension, plain, "walk", options).action, parts)
    plain.animation_data_clear()
    for bone in plain.pose.bones:
        bone.matrix_basis.identity()
    extension.view_layer.update()
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls = extension.object
    controls.pose.bones["hand_ik.L"].location.x = 0.1
    steps = moving.move_steps(extension, controls, "walk", options)
    while next(steps)[1] < 0.95:
        continue
    steps.close()
    limbs = [b for b in controls.pose.bones if "IK_FK" in b]
    assert controls.pose.bones["hand_ik.L"].location.x == pytest.approx(0.1)
    assert controls.pose.bones["torso"].location.length == 0 and {b["IK_FK"] for b in limbs} == {0.0}, "stopped"
    assert controls.animation_data.action is None
    moved = moving.move(extension, controls, "walk", options)
    assert moved.action.name.startswith("body rig controls walk") and len(limbs) == 4
    assert {b["IK_FK"] for b in limbs} == {1.0}
    for got, want in zip(points_at(body, moved.action, parts), wanted, strict=True):
        apart = np.linalg.norm(got - want, axis=1) / np.ptp(want, axis=0).max()
        assert apart.mean() < 0.004 and apart.max() < 0.02
        assert apart[want[:, 2] < want[:, 2].min() + 0.05].max() < 0.003, "feet stand where they ought to"
    first = moved.action
    assert bpy.ops.object.geppetto_move(motion="wave") == {"FINISHED"}
    assert controls.animation_data.action is not first and first.use_fake_user
