"""Control rigs leave stiff what is stiff, and share skin by where it lies along a bone: Rigify wrings no plate of a
robot, whatever objects it is made of."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from geppetto.addon.characters.rigging import auto_rig
from geppetto.addon.characters.segments import hand_over
from geppetto.core.detail.grow import DetailOptions
from geppetto.core.geometry.mesh import Mesh, vertex_components
from geppetto.core.skeleton.preset import load_template
from geppetto.core.skeleton.rig import Rig
from tests.characters import robot
from tests.core.skinning.solids import tube

from .scenes import add_character, add_mesh, deformed_points, group_weights, world_points

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


@pytest.mark.sweep(1, long=True)
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


@pytest.mark.parametrize("long", [0.2, 3.0])
def test_skin_is_shared_among_a_bones_segments_by_where_it_lies_along_it(context, long):
    """However long the bone is; what is stiff goes to one of them."""
    skin, band = tube(0.1 * long, long), tube(0.12 * long, 0.1 * long)
    objects = [add_mesh("skin", skin.vertices, skin.faces),
               add_mesh("band", band.vertices + [0.7 * long, 0, 0], band.faces)]
    for o, share in zip(objects, (0.8, 1.0), strict=True):
        o.location = (1, 2, 3)
        for name, weight in (("arm", share), ("root", 1 - share)):
            if weight:
                o.vertex_groups.new(name=name).add(range(len(o.data.vertices)), weight, "REPLACE")
    context.view_layer.update()
    rig = Rig(("root", "arm"), (-1, 0), np.array([[0, 0, 0], [0, 0, 0]]) + [1, 2, 3],
              np.array([[0, 0, long], [long, 0, 0]]) + [1, 2, 3])
    hard = hand_over(objects, rig, (), {"root": [("DEF-root", 0.0)], "arm": [("DEF-arm", 0.0), ("DEF-arm.001", 0.5)]})
    along, shares = skin.vertices[:, 0] / long, group_weights(objects[0])
    upper, lower = shares["DEF-arm"], shares["DEF-arm.001"]
    np.testing.assert_allclose(shares["DEF-root"], 0.2, atol=1e-6)
    np.testing.assert_allclose(upper + lower, 0.8, atol=1e-6)
    assert (lower[along < 0.249] == 0).all() and (upper[along > 0.751] == 0).all()
    np.testing.assert_allclose(upper[np.abs(along - 0.5) < 1e-6], 0.4, atol=1e-6)
    rising = lower[np.argsort(along, kind="stable")]
    assert (np.diff(rising) > -1e-6).all()
    assert group_weights(objects[1]).keys() == {"DEF-arm.001"} and hard == []
