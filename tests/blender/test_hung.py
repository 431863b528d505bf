"""What follows a character's rig without being its skin, when a control rig takes over and gives it back."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from geppetto.addon.bridge import rigify
from geppetto.addon.characters.rigging import auto_rig
from geppetto.core.skeleton.preset import load_template

from .scenes import add_character
from .test_control_rig import move

pytestmark = pytest.mark.usefixtures("rigged_once")


def add_child_of(o, plain, bone: str) -> None:
    """As Blender's Set Inverse leaves it: the object stays."""
    constraint = o.constraints.new("CHILD_OF")
    constraint.target, constraint.subtarget = plain, bone
    posed = plain.matrix_world @ plain.data.bones[bone].matrix_local if bone else plain.matrix_world
    constraint.inverse_matrix = posed.inverted()


def add_copy(o, plain, bone: str, kind: str = "COPY_TRANSFORMS") -> None:
    constraint = o.constraints.new(kind)
    constraint.target, constraint.subtarget = plain, bone


def add_armature(o, plain, bone: str) -> None:
    target = o.constraints.new("ARMATURE").targets.new()
    target.target, target.subtarget = plain, bone


def add_child(o, plain, bone: str) -> None:
    o.parent = plain
    o.matrix_parent_inverse = plain.matrix_world.inverted()


@pytest.mark.long
@pytest.mark.parametrize("lies", [False, True])
@pytest.mark.parametrize(("follow", "bone"), [
    (add_child_of, "hand.L"), (add_child_of, ""), (add_copy, "toe.L"), (add_copy, "hand.L"), (add_armature, "hand.L"),
    (lambda *of: add_copy(*of, "COPY_LOCATION"), "forearm.L"), (add_child, "")])
def test_what_follows_the_plain_rig_by_a_constraint_or_hangs_on_it_as_a_whole_goes_along_and_comes_back(
        extension, person, follow, bone, lies):
    body, = add_character(person)
    body.rotation_euler.x = np.pi / 2 if lies else 0.0
    extension.view_layer.update()
    plain = auto_rig(extension, [body], load_template("biped")).armature
    plain.location = (0.5, 0.2, 0.1)
    bag = bpy.data.objects.new("bag", None)
    extension.collection.objects.link(bag)
    bag.location, bag.rotation_euler = (0.3, -0.4, 1.0), (0.1, 0.2, 0.3)
    extension.view_layer.update()
    follow(bag, plain, bone)
    objects = set(bpy.data.objects)

    def seen() -> np.ndarray:
        extension.view_layer.update()
        return np.array(bag.evaluated_get(extension.evaluated_depsgraph_get()).matrix_world)

    def at_rest(rig) -> np.ndarray:
        """Where the bag stands against the rig as a whole."""
        return np.linalg.inv(np.array(rig.matrix_world @ (rigify.to_plain(rig, plain).inverted() if rig != plain
                                                          else Matrix.Identity(4)))) @ seen()

    before, first = at_rest(plain), seen()
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls = extension.object
    np.testing.assert_allclose(at_rest(controls), before, atol=1e-4)
    still = seen()
    controls.location.z += 0.25
    whole = np.array(Matrix.Translation((0.0, 0.0, 0.25)))
    if follow is not add_armature:  # which knows the pose alone
        np.testing.assert_allclose(seen(), whole @ still, atol=1e-4)
    moved = seen()
    if bone:
        hand = np.array(controls.pose.bones["DEF-hand.L"].matrix)
        move(controls, "hand_ik.L" if "toe" not in bone else "foot_ik.L", (0.0, -0.1, 0.05))
        assert np.abs(seen() - moved).max() > 0.03
        if bone == "hand.L":
            turn = np.array(controls.matrix_world @ controls.pose.bones["DEF-hand.L"].matrix)
            turn = turn @ np.linalg.inv(np.array(controls.matrix_world) @ hand)
            np.testing.assert_allclose(seen(), turn @ moved, atol=1e-4)
        for posed in controls.pose.bones:
            posed.matrix_basis.identity()
        extension.view_layer.update()
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    if follow is add_armature:
        np.testing.assert_allclose(seen(), first, atol=1e-4)
    else:
        np.testing.assert_allclose(at_rest(plain), before, atol=1e-4)
    assert set(bpy.data.objects) == objects
    targets = [t for c in bag.constraints for t in (getattr(c, "targets", ()) or (c,))]
    assert all(t.target == plain and t.subtarget == bone for t in targets) and bag.parent in {None, plain}


@pytest.mark.long
@pytest.mark.parametrize("kind", ["COPY_ROTATION", "COPY_SCALE", "COPY_TRANSFORMS"])
@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (1.0, 1.4, 0.8)])
def test_what_copies_the_axes_of_the_rig_as_a_whole_stays_and_comes_back(extension, person, kind, scale):
    """On its back, or scaled unevenly, the control rig has other axes."""
    body, = add_character(person)
    body.rotation_euler.x = np.pi / 2 if scale == (1.0, 1.0, 1.0) else 0.0
    extension.view_layer.update()
    plain = auto_rig(extension, [body], load_template("biped")).armature
    plain.scale = scale
    bag = bpy.data.objects.new("bag", None)
    extension.collection.objects.link(bag)
    add_copy(bag, plain, "", kind)
    objects = set(bpy.data.objects)

    def seen() -> np.ndarray:
        extension.view_layer.update()
        return np.array(bag.evaluated_get(extension.evaluated_depsgraph_get()).matrix_world)

    before = seen()
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    np.testing.assert_allclose(seen(), before, atol=1e-4)
    extension.object.rotation_euler.z += 0.5
    extension.object.scale *= 1.25
    assert np.abs(seen() - before).max() > 0.1
    extension.object.rotation_euler.z -= 0.5
    extension.object.scale /= 1.25
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    np.testing.assert_allclose(seen(), before, atol=1e-4)
    assert bag.constraints[0].target == plain and set(bpy.data.objects) == objects
