"""A template is one tree with sound bones, or it says what is wrong with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.errors import BadTemplate
from core.skeleton.preset import load_template, preset_names
from core.skeleton.template import Bone, SkeletonTemplate, rig_from_joints


def arm(**changes) -> SkeletonTemplate:
    """Shoulder, elbow, wrist."""
    fields = {"name": "arm", "names": ("shoulder", "elbow", "wrist"), "parents": [-1, 0, 1],
              "positions": [[0, 0, 1], [0.3, 0, 1], [0.6, 0, 1]], "mirror": [-1, -1, -1], "is_foot": [False] * 3,
              "is_fat": [True, False, False],
              "bones": (Bone("upper", "shoulder", "elbow", bend=(0, -1, 0)),
                        Bone("lower", "elbow", "wrist", "upper", True, bend=(0, -1, 0)))}
    return SkeletonTemplate(**(fields | changes))


@pytest.mark.parametrize("words, changes", [
    ("two joints", {"names": ("a",), "parents": [-1], "positions": [[0, 0, 0]], "mirror": [-1], "is_foot": [0],
                    "is_fat": [0]}),
    ("joint 'b' twice", {"names": ("a", "b", "b")}),
    ("'shoulder': the first joint is the root", {"parents": [1, -1, 0]}),
    ("'elbow': .* comes before", {"parents": [-1, 2, 0]}),
    ("'elbow': .* comes before", {"parents": [-1, -1, 0]}),
    ("not a number", {"positions": [[0, 0, 1], [np.nan, 0, 1], [1, 0, 1]]}),
    ("not a number", {"positions": [[0, 0, 1], [1e9, 0, 1], [1, 0, 1]]}),
    ("'wrist' lies on its parent", {"positions": [[0, 0, 1], [1, 0, 1], [1, 0, 1]]}),
    ("'shoulder' is not mutual", {"mirror": [1, 2, 0]}),
    ("mutual", {"mirror": [7, -1, -1]}),
    ("unknown joint 'hand'", {"bones": (Bone("b", "elbow", "hand"),)}),
    ("begins and ends at 'elbow'", {"bones": (Bone("b", "elbow", "elbow"),)}),
    ("parent 'c' of bone 'b'", {"bones": (Bone("b", "elbow", "wrist", "c"),)}),
    ("'b' twice", {"bones": (Bone("b", "elbow", "wrist"), Bone("b", "elbow", "wrist"))}),
    ("no bones", {"bones": ()}),
    ("kind 'fish'", {"kind": "fish"})])
def test_what_is_wrong_is_named(words, changes):
    with pytest.raises(BadTemplate, match=words):
        arm(**changes)


def test_wrong_shapes_are_a_programmers_mistake():
    with pytest.raises(ValueError, match="positions"):
        arm(positions=np.zeros((3, 2)))
    with pytest.raises(KeyError, match="knee"):
        arm().index("knee")


def test_arrays_are_copied_and_read_only():
    positions = np.array([[0, 0, 1.0], [0.3, 0, 1], [0.6, 0, 1]])
    template = arm(positions=positions)
    positions[:] = 7
    assert template.positions.max() == 1
    with pytest.raises(ValueError, match="read-only"):
        template.positions[0, 0] = 1


@pytest.mark.parametrize("name", preset_names())
def test_bones_hang_between_their_joints(name, rng):
    template = load_template(name)
    joints = template.positions + rng.normal(size=template.positions.shape) * 0.02
    rig = rig_from_joints(template, joints, warnings=("look",))
    assert rig.warnings == ("look",)
    assert rig.names == tuple(b.name for b in template.bones)
    for i, bone in enumerate(template.bones):
        np.testing.assert_array_equal(rig.heads[i], joints[template.index(bone.head)])
        np.testing.assert_array_equal(rig.tails[i], joints[template.index(bone.tail)])
        assert rig.parents[i] == (-1 if bone.parent is None else rig.names.index(bone.parent))
        if bone.connected:
            np.testing.assert_array_equal(rig.heads[i], rig.tails[rig.parents[i]])
    assert set(rig.joints) == set(template.names)
    assert all(np.array_equal(rig.joints[n], p) for n, p in zip(template.names, joints, strict=True))


def test_bones_never_have_zero_length():
    """Joints in one place are drawn out along the template; so are all joints in one place."""
    template = arm()
    rig = rig_from_joints(template, [[0, 0, 1], [0.3, 0, 1], [0.3, 0, 1]])
    np.testing.assert_allclose(rig.tails[1] - rig.heads[1], [0.003, 0, 0])
    heap = rig_from_joints(template, np.ones((3, 3)))
    assert (np.linalg.norm(heap.tails - heap.heads, axis=1) > 0).all()
    assert np.isfinite(heap.x_axes).all()


@pytest.mark.parametrize("name", preset_names())
def test_shipped_bones_that_are_drawn_connected_meet_their_parents(name):
    template = load_template(name)
    bones = {b.name: b for b in template.bones}
    for bone in template.bones:
        assert not bone.connected or bone.head == bones[bone.parent].tail, bone.name


def test_a_template_can_be_changed_by_replacing_fields():
    assert replace(arm(), name="other").name == "other"
