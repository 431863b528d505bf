"""Control rigs leave stiff what is stiff: Rigify wrings no plate of a robot, whatever objects it is made of."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from geppetto.addon.characters.rigging import auto_rig
from geppetto.core.detail.grow import DetailOptions
from geppetto.core.geometry.mesh import Mesh, vertex_components
from geppetto.core.skeleton.preset import load_template
from tests.characters import robot

from .scenes import add_character, deformed_points, group_weights, world_points

POSES = {"hand_fk.L": "Y", "upper_arm_fk.R": "Y", "foot_fk.L": "Y", "chest": "Y", "head": "Z"}


def joined(objects):
    for o in objects:
        o.select_set(True)
    bpy.context.view_layer.objects.active = objects[0]
    bpy.ops.object.join()
    return [bpy.context.object]


def drawn_out(o) -> list[float]:
    """The largest change of a distance within each loose part of an object, over the part's size."""
    faces = [corners for p in o.data.polygons for corners in zip(p.vertices[:1] * len(p.vertices[2:]),
                                                                  p.vertices[1:-1], p.vertices[2:], strict=True)]
    before, after = world_points(o), deformed_points(o)
    part = vertex_components(Mesh(before, np.array(faces)))
    out = []
    for one in np.unique(part):
        own = part == one
        rest, moved = (np.linalg.norm(at[:, None] - at[None], axis=2) for at in (before[own], after[own]))
        out.append(float(np.abs(rest - moved).max() / max(rest.max(), 1e-9)))
    return out


@pytest.mark.sweep(1)
@pytest.mark.parametrize("is_one", [False, True], ids=["objects", "joined"])
def test_plates_of_a_robot_are_not_wrung_by_segments(extension, is_one):
    objects = add_character(robot())
    objects = joined(objects) if is_one else objects
    plain = auto_rig(extension, objects, load_template("biped"), detail=DetailOptions("full", fingers=0)).armature
    before = [group_weights(o) for o in objects]
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls = extension.object
    for limb in ("upper_arm_parent.L", "upper_arm_parent.R", "thigh_parent.L"):
        controls.pose.bones[limb]["IK_FK"] = 1.0
    for control, axis in POSES.items():
        posed = controls.pose.bones[control]
        posed.matrix_basis = Matrix.Rotation(np.deg2rad(60), 4, axis)
    extension.view_layer.update()
    assert max(np.linalg.norm(deformed_points(o) - world_points(o), axis=1).max() for o in objects) > 0.1
    assert max(share for o in objects for share in drawn_out(o)) < 1e-3
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    assert extension.object == plain
    for o, weights in zip(objects, before, strict=True):
        after = group_weights(o)
        assert max(np.abs(after[name] - own).max() for name, own in weights.items()) < 1e-5
