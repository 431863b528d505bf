"""T-pose and A-pose: arms where they belong, palms down, feet on the ground, and the way back."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from core.errors import BadRig
from core.geometry.rotation import from_axis_angle, rotate
from core.posing.reshape import blend, in_space, inverse, moved
from core.posing.stance import palms_of, posed_rig, rest_matrices
from core.skeleton.preset import load_template
from core.skeleton.template import rig_from_joints
from tests.core.skeleton.test_engine import person


def direction(rig, roles, first, second):
    along = rig.heads[roles[second]] - rig.heads[roles[first]]
    return along / np.linalg.norm(along)


@pytest.mark.parametrize("pose, down", [("T", 0.0), ("A", np.pi / 4)])
def test_arms_lie_in_one_line_legs_stand_and_nothing_changes_its_length(pose, down):
    rig, roles = person()
    posed = posed_rig(rig, rest_matrices(rig, roles, pose))
    for side, sign in (("L", 1), ("R", -1)):
        wanted = [sign * np.cos(down), 0.0, -np.sin(down)]
        for pair in (("upper_arm", "forearm"), ("forearm", "hand")):
            np.testing.assert_allclose(direction(posed, roles, *(f"{p}.{side}" for p in pair)), wanted, atol=1e-12)
        np.testing.assert_allclose(direction(posed, roles, f"thigh.{side}", f"foot.{side}"), [0, 0, -1], atol=1e-12)
    lengths = lambda r: np.linalg.norm(r.tails - r.heads, axis=1)  # noqa: E731
    np.testing.assert_allclose(lengths(posed), lengths(rig), atol=1e-12)
    above = np.maximum(rig.parents, 0)
    np.testing.assert_allclose(np.linalg.norm(posed.heads - posed.heads[above], axis=1),
                               np.linalg.norm(rig.heads - rig.heads[above], axis=1), atol=1e-12)
    feet = [roles["foot.L"], roles["foot.R"]]
    assert np.isclose(posed.heads[feet, 2].min(), rig.heads[feet, 2].min())
    again = posed_rig(posed, rest_matrices(posed, roles, pose))
    np.testing.assert_allclose(again.heads, posed.heads, atol=1e-9)


@pytest.mark.parametrize("turned", [-1.5, -0.4, 0.0, 1.0, 2.5])
def test_palms_look_down_however_the_forearm_was_turned(turned):
    rig, roles = person(hands=True)
    hand = roles["hand.L"]
    along = rig.tails[hand] - rig.heads[hand]
    spin = from_axis_angle(along / np.linalg.norm(along), np.array(turned))
    below = [i for name, i in roles.items() if name.endswith(".L") and name.split("_")[0] in
             ("thumb", "index", "middle", "ring", "pinky")]
    heads, tails = rig.heads.copy(), rig.tails.copy()
    for ends in (heads, tails):
        ends[below] = rig.heads[hand] + rotate(spin, ends[below] - rig.heads[hand])
    rig = type(rig)(rig.names, rig.parents, heads, tails)
    posed = posed_rig(rig, rest_matrices(rig, roles, "T", palms=palms_of(rig, roles)))
    for normal in palms_of(posed, roles).values():
        np.testing.assert_allclose(normal, [0, 0, -1], atol=0.15)  # knuckles do not lie exactly along the hand


def test_a_vertex_goes_back_where_it_came_from(rng):
    rig, roles = person()
    weights = rng.random((500, len(rig.names))) ** 8
    weights[:5] = 0.0
    weights = sparse.csr_matrix(weights / np.maximum(weights.sum(1, keepdims=True), 1e-12))
    points = rng.random((500, 3))
    space = np.eye(4)
    space[:3] = np.c_[2.0 * np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]]), [3, -1, 2]]
    there = blend(weights, rest_matrices(rig, roles, "T"))
    gone = moved(points, there)
    np.testing.assert_array_equal(gone[:5], points[:5])
    np.testing.assert_allclose(moved(gone, inverse(there)), points, atol=1e-9)
    back = points @ np.linalg.inv(space)[:3, :3].T + np.linalg.inv(space)[:3, 3]
    np.testing.assert_allclose(moved(back, in_space(there, space)) @ space[:3, :3].T + space[:3, 3], gone, atol=1e-9)


def test_bodies_without_arms_have_no_t_pose():
    template = load_template("quadruped")
    rig = rig_from_joints(template, template.positions)
    with pytest.raises(BadRig, match=r"Only people.*upper_arm\.L"):
        rest_matrices(rig, {name: i for i, name in enumerate(rig.names)}, "T")
