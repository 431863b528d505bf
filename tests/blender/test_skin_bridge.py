"""Which vertices stand or lie on the ground: all about the feet of whatever follows a rig at rest, some of its body."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix

from geppetto.addon.bridge import skin as skin_bridge
from geppetto.addon.bridge.action import read_skeleton
from geppetto.addon.bridge.skin import read_skin
from geppetto.addon.names import OWN_NAME
from tests.limits import turning_point

from .scenes import add_cube, add_mesh, world_points
from .test_foreign_rigs import edited
from .test_motion import add_rig

PLACE = Matrix.LocRotScale((1, 2, 3), Euler((0.1, 0.2, 0.3)), (2, 2, 2))


@pytest.fixture
def armature(context, person):
    """A rig that stands elsewhere, turned and twice as large."""
    return add_rig(context, person.joints, matrix=PLACE)


def skin_of(armature, **more):
    bpy.context.view_layer.update()
    return read_skin(armature, read_skeleton(armature), **more)


def shoe(armature, size: float = 0.05):
    """A cube about the left foot."""
    cube = add_cube("shoe", size)
    bone = armature.data.bones["foot.L"]
    cube.matrix_world = armature.matrix_world @ Matrix.Translation((bone.head_local + bone.tail_local) / 2)
    return cube


def follow(o, armature, weights: dict[str, float]) -> None:
    o.modifiers.new("Armature", "ARMATURE").object = armature
    for name, weight in weights.items():
        o.vertex_groups.new(name=name).add(range(len(o.data.vertices)), weight, "REPLACE")


def in_rest(armature, points) -> np.ndarray:
    inverse = np.array(armature.matrix_world.inverted(), float)
    return points @ inverse[:3, :3].T + inverse[:3, 3]


def shares(armature, skin) -> dict[str, float]:
    """The weights of the first vertex."""
    row = skin.weights.toarray()[0]
    return {bone.name: share for bone, share in zip(armature.data.bones, row, strict=True) if share}


def test_what_is_about_the_feet_follows_its_groups(armature, person):
    o = shoe(armature)
    follow(o, armature, {"foot.L": 0.6, "shin.L": 0.2, "mine": 1.0})
    skin = skin_of(armature)
    np.testing.assert_allclose(skin.vertices, in_rest(armature, world_points(o)), atol=1e-5)
    assert shares(armature, skin) == pytest.approx({"foot.L": 0.75, "shin.L": 0.25})
    hat = add_cube("hat", 0.05)
    hat.matrix_world = PLACE @ Matrix.Translation((0, 0, person.height))
    follow(hat, armature, {"head": 1.0})
    assert len(skin_of(armature).vertices) == 8, "what is far from the bone it follows does not count"
    o.vertex_groups["foot.L"].remove([0, 1])
    o.vertex_groups["shin.L"].remove([0, 1])
    assert len(skin_of(armature).vertices) == 6, "nor does what follows nothing"


def test_of_the_rest_of_the_body_some_counts_but_nothing_that_only_hangs_on_it(armature, monkeypatch):
    bone = armature.data.bones["chest"]
    for name, groups, is_on_bone in (("vest", {"chest": 1.0}, False), ("cape", {"neck": 0.3, "cape": 0.7}, False),
                                     ("bag", {}, True)):
        o = add_cube(name, 0.05)
        o.matrix_world = armature.matrix_world @ Matrix.Translation((bone.head_local + bone.tail_local) / 2)
        if is_on_bone:
            o.parent, o.parent_type, o.parent_bone = armature, "BONE", "chest"
        else:
            follow(o, armature, groups)
    edited(bpy.context, armature, lambda bones: add_bone(bones, "cape"))
    follow(shoe(armature), armature, {"foot.L": 1.0})
    skin = skin_of(armature)
    column = [b.name for b in armature.data.bones].index("chest")
    assert len(skin.vertices) == 16 and (skin.weights.toarray()[:, column] == 1).sum() == 8
    monkeypatch.setattr(skin_bridge, "MOST", 3)
    assert 8 + 2 <= len(skin_of(armature).vertices) <= 8 + 3, "all of the shoe"


def add_bone(bones, name: str) -> None:
    made = bones.new(name)
    made.head, made.tail, made.parent = bones["chest"].head, bones["chest"].tail, bones["chest"]


@pytest.mark.parametrize("how", ["", "BONE", "BONE_RELATIVE"], ids=["moved there", "Ctrl-P", "relative"])
def test_a_shoe_on_a_bone_follows_that_where_it_is_at_rest(armature, how):
    o = shoe(armature)
    bpy.context.view_layer.update()
    there = o.matrix_world.copy()
    at_rest = in_rest(armature, world_points(o))
    if how:
        armature.data.bones.active = armature.data.bones["foot.L"]
        with bpy.context.temp_override(object=armature, selected_editable_objects=[o, armature]):
            assert bpy.ops.object.parent_set(type=how) == {"FINISHED"}
    else:
        o.parent, o.parent_type, o.parent_bone = armature, "BONE", "foot.L"
        bpy.context.view_layer.update()
        o.matrix_world = there
    armature.pose.bones["thigh.L"].rotation_quaternion = (0.8, 0.6, 0, 0)
    skin = skin_of(armature)
    np.testing.assert_allclose(skin.vertices, at_rest, atol=1e-5)
    assert shares(armature, skin) == {"foot.L": 1.0}


@pytest.mark.parametrize(("change", "counts"), [
    (lambda o: o.hide_set(True), False), (lambda o: o.modifiers.clear(), False),
    (lambda o: setattr(o.modifiers[0], "show_viewport", False), False),
    (lambda o: setattr(o.modifiers[0], "object", None), False),
    (lambda o: o.vertex_groups.clear(), False), (lambda o: o.modifiers.new("fine", "SUBSURF"), True)])
def test_what_shows_and_follows_counts(armature, change, counts):
    o = shoe(armature)
    follow(o, armature, {"foot.L": 1.0})
    change(o)
    assert (skin_of(armature) is not None) == counts


@pytest.mark.parametrize(("setting", "halves"), [({}, 2), ({"use_axis": (False, True, False)}, 1),
                                                 ({"show_viewport": False}, 1), ({"mirror_object": "rig"}, 1)])
def test_a_mirrors_other_half_follows_the_other_foot(armature, setting, halves):
    bone = armature.data.bones["foot.L"]
    place = np.array((bone.head_local + bone.tail_local) / 2)
    o = add_mesh("half", place + 0.02 * np.eye(3), [(0, 1, 2)])
    o.matrix_world = PLACE
    follow(o, armature, {"foot.L": 1.0})
    mirror = o.modifiers.new("Mirror", "MIRROR")
    for key, value in setting.items():
        setattr(mirror, key, bpy.data.objects[value] if key == "mirror_object" else value)
    skin = skin_of(armature)
    assert len(skin.vertices) == 3 * halves
    if halves == 2:
        np.testing.assert_allclose(skin.vertices[3:], skin.vertices[:3] * [-1, 1, 1], atol=1e-6)
        weights = skin.weights.toarray()
        names = [bone.name for bone in armature.data.bones]
        assert (weights[3:, names.index("foot.R")] == 1).all() and (weights[:3, names.index("foot.L")] == 1).all()


def test_the_skin_that_a_control_rig_has_taken_over_is_the_rigs(context, armature, person):
    controls = add_rig(context, person.joints, name="controls", matrix=PLACE)
    controls.data.bones["foot.L"].name = "DEF-foot.L"
    follow(shoe(armature), controls, {"DEF-foot.L": 0.5})
    skin = skin_of(armature, mover=controls, shares={"DEF-foot.L": "foot.L", "DEF-tail": "tail"})
    assert len(skin.vertices) == 8 and shares(armature, skin) == {"foot.L": 1.0}
    assert skin_of(armature) is None


def test_what_hangs_on_the_rig_or_on_another_rigs_bone_is_no_skin(context, armature, person):
    follow(shoe(armature), armature, {"foot.L": 1.0})
    other = add_rig(context, person.joints, name="other", matrix=PLACE)
    for name, parent, bone in (("stand", armature, ""), ("theirs", other, "foot.L"), ("lost", armature, "gone")):
        o = add_cube(name, 0.05)
        o.parent, o.parent_type, o.parent_bone = parent, "BONE" if bone else "OBJECT", bone
        bpy.context.view_layer.update()
        o.matrix_world = bpy.data.objects["shoe"].matrix_world
    assert len(skin_of(armature).vertices) == 8


def test_how_much_counts_does_not_depend_on_the_characters_size(context, person):
    """Half of a board through the body, all of it on the chest's group, is too far off."""
    counts = set()
    for size in (0.1, 1.0, 10.0):
        rig = add_rig(context, {name: size * place for name, place in person.joints.items()}, name=f"of {size}")
        low, high = 0.0, 1.2 * person.height
        x, z = (side.ravel() for side in np.meshgrid(np.linspace(-0.6, 0.6, 25) * high, np.linspace(low, high, 25)))
        board = add_mesh(f"board {size}", size * np.stack([x, 0 * x, z], 1), [(0, 1, 25)])
        follow(board, rig, {"chest": 1.0})
        counts.add(len(skin_of(rig).vertices))
    assert len(counts) == 1 and 100 < counts.pop() < 400


@pytest.mark.parametrize(("name", "own", "counts"), [("upper_arm_twist_1.L", "", True), ("sleeve", "", False),
                                                     ("DEF_arm2", "upper_arm_twist_1.L", True)])
def test_what_follows_a_twist_bone_is_of_the_body_whatever_the_bone_is_called_since(armature, name, own, counts):
    def add_twist(bones) -> None:
        arm, made = bones["upper_arm.L"], bones.new(name)
        made.head, made.tail, made.parent = arm.head, arm.tail, arm

    edited(bpy.context, armature, add_twist)
    if own:
        armature.data.bones[name][OWN_NAME] = own
    follow(shoe(armature), armature, {"foot.L": 1.0})
    sleeve, bone = add_cube("sleeve", 0.05), armature.data.bones[name]
    sleeve.matrix_world = armature.matrix_world @ Matrix.Translation((bone.head_local + bone.tail_local) / 2)
    follow(sleeve, armature, {name: 1.0})
    assert len(skin_of(armature).vertices) == (16 if counts else 8)


@pytest.mark.parametrize("whole", [0.2, 1.0])
def test_of_the_body_is_what_follows_it_by_at_least_half_of_its_weight(armature, whole):
    edited(bpy.context, armature, lambda bones: add_bone(bones, "cape"))
    follow(shoe(armature), armature, {"foot.L": 1.0})
    vest, bone = add_cube("vest", 0.05), armature.data.bones["chest"]
    vest.matrix_world = armature.matrix_world @ Matrix.Translation((bone.head_local + bone.tail_local) / 2)
    follow(vest, armature, {"chest": 0.5, "cape": 0.5})

    def counts(share: float) -> bool:
        for name, part in (("chest", share), ("cape", 1 - share)):
            vest.vertex_groups[name].add(range(8), whole * part, "REPLACE")
        return len(skin_of(armature).vertices) == 16

    assert turning_point(counts, 0.1, 0.9) == pytest.approx(0.5, abs=0.002)
