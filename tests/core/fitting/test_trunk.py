"""The trunk runs where an artist draws it; handles are no limbs; legs have feet; pairs are alike."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from core.fitting.from_shape import SHIN, shape_template, with_foot
from core.fitting.outline import UNLIKE, Line, are_alike
from core.fitting.trunk import _with_spine, without_clutter
from core.geometry.mesh import Mesh
from core.geometry.shape import Shape
from tests import characters, shapes
from tests.core.fitting.bodies import prepared


@cache
def body(name: str) -> Shape:
    """A lump on the ground, one with a handle behind, a ball on two legs."""
    lump, legs = shapes.ball(0.4, (0, 0, 0.4)).mesh, [shapes.capsule(0.05, 0.5, (x, 0, 0.3)).mesh for x in (0.3, -0.3)]
    turned = shapes.torus(0.22, 0.03).mesh
    handle = Mesh(turned.vertices[:, [2, 0, 1]] + [0, 0.45, 0.4], turned.faces)
    parts = {"lump": [lump], "jug": [lump, handle], "walker": [shapes.ball(0.4, (0, 0, 0.8)).mesh, *legs]}
    return prepared(characters.merge(parts[name]), 64)


def trunk(name: str) -> np.ndarray:
    """(B + 1, 3) the joints of the spine, unit frame."""
    template = shape_template(body(name))
    return np.array([p for n, p in zip(template.names, template.positions, strict=True) if n.startswith("spine")])


@pytest.mark.slow
def test_the_spine_of_a_lump_goes_from_the_ground_to_its_top():
    joints, shape = trunk("lump"), body("lump")
    low, high = shape.mesh.vertices[:, 2].min(), shape.mesh.vertices[:, 2].max()
    assert joints[0, 2] < low + 0.1 * (high - low) and joints[-1, 2] > low + 0.75 * (high - low)
    assert (np.diff(joints[:, 2]) > 0).all() and np.abs(joints[:, :2]).max() < 0.05


@pytest.mark.long
def test_the_spine_of_what_stands_on_legs_begins_between_them():
    template = shape_template(body("walker"))
    legs = [template.positions[template.index(f"limb_1_1.{s}")] for s in "LR"]
    np.testing.assert_allclose(trunk("walker")[0], np.mean(legs, axis=0), atol=0.06)


def test_a_leg_and_a_toe_of_the_other_leg_are_no_pair():
    leg, other, toe = (Line("limb", "L", np.array([[0, 0, 0], [0, 0, -long]]), np.ones(2), None, 1.0)
                       for long in (0.5, 0.45, 0.49 / UNLIKE))
    assert are_alike(leg, other) and are_alike(other, leg) and not are_alike(leg, toe) and not are_alike(toe, leg)


@pytest.mark.long
def test_the_halves_of_a_handle_are_no_limbs():
    assert not any(n.startswith("limb") for n in shape_template(body("jug")).names)


@pytest.mark.parametrize(("apart", "thick", "end", "stay"), [
    (0.03, 0.01, 0.5, False), (0.05, 0.01, 0.5, True), (0.03, 0.03, 0.5, True), (0.03, 0.01, 0.03, True),
    (0.05, 0.024, 0.5, False)])
def test_thin_lines_that_meet_off_the_ground_are_a_rings_halves_and_go_with_what_hangs_on_them(apart, thick, end, stay):
    """On a trunk 0.2 deep, in voxels of 0.02: two that meet or not, another thin one, a finger of the first."""
    outline = SimpleNamespace(depth=np.array([0.1, 0.2]), interior=SimpleNamespace(
        centres=np.array([[0, 0, 3.0], [0, 0, 4]]), grid=SimpleNamespace(spacing=0.02)))

    def line(x: float, z: float, parent: Line | None, part: str = "limb") -> Line:
        return Line(part, "", np.array([[0, 0, 3.5], [x, 0, 3 + z]]), np.full(2, thick), parent, 1.0)

    spine = line(0.0, 1.0, None, "spine")
    half, other, alone = (line(x, end, spine) for x in (0.3, 0.3 + apart, -0.3))
    lines = [spine, half, other, alone, line(0.6, 0.8, half)]
    kept = without_clutter(lines, outline)
    assert [id(one) for one in kept] == [id(one) for one in (lines if stay else [spine, alone])]


@pytest.mark.parametrize(("flat", "below", "length", "stays"), [
    (3.5, 1.0, 0.3, False), (3.3, 1.0, 0.3, True), (3.5, 3.5, 0.3, True), (3.5, 1.0, 0.4, True)])
def test_short_plates_on_limbs_that_are_none_are_armour(flat, below, length, stays):
    spine = Line("spine", "", np.array([[0, 0, 0.0], [0, 0, 1]]), np.full(2, 0.1), None, 1.0)
    limb = Line("limb", "", np.array([[0, 0, 0.5], [0.5, 0, 0.5]]), np.full(2, 0.1), spine, 1.0, flat=below)
    plate = Line("limb", "", np.array([[0.5, 0, 0.5], [0.5, length, 0.5]]), np.full(2, 0.1), limb, 1.0, flat=flat)
    outline = SimpleNamespace(depth=np.array([0.2]), interior=SimpleNamespace(centres=np.zeros((1, 3))))
    assert len(without_clutter([spine, limb, plate], outline)) == 2 + stays
    on_trunk = Line("limb", "", plate.points, plate.radii, spine, 1.0, flat=flat)
    assert len(without_clutter([spine, limb, on_trunk], outline)) == 3


def test_a_leg_that_reaches_the_ground_has_a_foot():
    template = shape_template(body("walker"))
    bones = [b for b in template.bones if b.name.startswith("limb_1") and b.name.endswith(".L")]
    sizes = [np.linalg.norm(np.subtract(*template.positions[[template.index(b.head), template.index(b.tail)]]))
             for b in bones]
    assert len(bones) > 2 and sizes[-1] < SHIN * sum(sizes)


def test_a_foot_lies_on_the_shin_and_is_not_made_twice():
    joints = with_foot(np.array([[0, 0, 1.0], [0, 0, 0]]))
    np.testing.assert_allclose(joints, [[0, 0, 1], [0, 0, 0.1], [0, 0, 0]])
    assert with_foot(joints) is joints


@pytest.mark.parametrize(("last", "count"), [(0.29, 3), (0.31, 4)])
def test_a_last_bone_of_three_tenths_of_the_leg_is_a_shin(last, count):
    assert len(with_foot(np.array([[0, 0, 1.0], [0, 0, last], [0, 0, 0]]))) == count


def test_a_spine_that_is_laid_anew_is_as_thick_as_the_flesh_and_no_thinner_than_a_quarter_voxel():
    old = Line("spine", "", np.zeros((2, 3)), np.ones(2), None, 1.0)
    limb = Line("limb", "", np.ones((2, 3)), np.ones(2), old, 1.0)
    body = SimpleNamespace(sample=lambda p: -p[:, 2], grid=SimpleNamespace(spacing=0.1))
    points = np.array([[0, 0, 0.2], [0, 0, 0.01]])
    spine, hung = _with_spine(SimpleNamespace(lines=[old, limb], rear=None), points, body)
    assert spine.radii == pytest.approx([0.2, 0.025]) and spine.points is points and hung.parent is spine
