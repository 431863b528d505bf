"""Limbs of stiff parts bend where one part ends and the next begins."""

from __future__ import annotations

import numpy as np
import pytest

from core.fitting.from_shape import template_in
from core.fitting.jointed import StiffParts, _fullness
from core.fitting.outline import Line
from core.geometry.mesh import Mesh
from core.pipeline import bind, fit, prepare
from core.seeing.stance import UPRIGHT
from tests.characters.character import merge
from tests.characters.implicit import frame_along
from tests.characters.loose import lump
from tests.core.skinning.solids import joined
from tests.limits import turning_point
from tests.shapes import ball, box, cylinder


def beam(start, end, thick: float = 0.03) -> Mesh:
    """A closed box from one place to another."""
    start, end = np.array(start, float), np.array(end, float)
    block = box((np.linalg.norm(end - start), 2 * thick, 2 * thick), divisions=4).mesh
    return Mesh(block.vertices @ frame_along(end - start, (0.9, 0.1, 0.2)).T + (start + end) / 2, block.faces)


def line(*points, parent: Line | None = None, side: str = "") -> Line:
    return Line("limb", side, np.array(points, float), np.full(len(points), 0.03), parent, 1.0)


def joints(made: Line, *meshes: Mesh) -> np.ndarray | None:
    return StiffParts(joined(*meshes)).joints(made)


THIGH, SHIN = beam((0, 0, 1.0), (0, 0, 0.54)), beam((0, 0, 0.46), (0, 0, 0))
LEG = line((0, 0, 1.0), (0, 0, 0.5), (0, 0, 0))


def test_a_leg_bends_in_the_gap_between_its_parts():
    np.testing.assert_allclose(joints(LEG, THIGH, SHIN), [[0, 0, 1], [0, 0, 0.5], [0, 0, 0]], atol=0.01)


def test_it_bends_in_the_middle_of_the_ball_between_two_parts_and_a_middle_part_has_a_bone():
    ankle = ball(0.04, (0, 0.01, 0.5)).mesh
    np.testing.assert_allclose(joints(LEG, THIGH, ankle, SHIN)[1], [0, 0.01, 0.5], atol=1e-6)
    lower = [beam((0, 0, 0.46), (0, 0, 0.22)), beam((0, 0, 0.18), (0, 0, 0))]
    np.testing.assert_allclose(joints(LEG, THIGH, *lower)[1:3, 2], [0.5, 0.2], atol=0.01)


def test_a_bent_knee_lies_where_the_middles_of_its_parts_meet():
    """The line of the flesh cuts the corner."""
    thigh, shin = beam((0, 0, 1.0), (0, -0.27, 0.55)), beam((0, -0.27, 0.45), (0, 0, 0))
    bent = joints(line((0, 0, 1), (0, -0.22, 0.58), (0, -0.24, 0.5), (0, -0.22, 0.42), (0, 0, 0)), thigh, shin)
    np.testing.assert_allclose(bent[1], [0, -0.3, 0.5], atol=1e-6)
    far = beam((0, -0.27, 0.45), (0.1, 0.2, 0))
    apart = joints(line((0, 0, 1), (0, -0.22, 0.58), (0, -0.2, 0.45), (0.1, 0.2, 0)), thigh,
                   Mesh(far.vertices + [0, 0.3, 0.15], far.faces))
    assert apart is None or np.abs(apart[1] - [0, -0.3, 0.5]).max() > 0.05, "these middles meet in the air"


def test_a_limb_begins_where_it_leaves_the_trunk_or_in_the_ball_that_it_hangs_on():
    trunk = box((0.6, 0.6, 0.4), (0, 0, 1.24)).mesh
    spine = line((0, 0, 1.1), (0, 0, 1.4))
    whole = line((0, 0, 1.2), (0, 0, 0.5), (0, 0, 0), parent=spine)
    np.testing.assert_allclose(joints(whole, trunk, THIGH, SHIN)[:, 2], [1.02, 0.5, 0], atol=0.01)
    stick = line((0, 0, 1.2), (0, 0, 0.77), (0, 0, 0.54), parent=spine)
    np.testing.assert_allclose(joints(stick, trunk, THIGH)[:, 2], [1.02, 0.54], atol=0.01)
    hip, thigh = ball(0.04, (0, 0.01, 1.0)).mesh, beam((0, 0, 0.94), (0, 0, 0.54))
    np.testing.assert_allclose(joints(whole, trunk, hip, thigh, SHIN)[0], [0, 0.01, 1.0], atol=1e-6)


def test_a_short_part_at_the_end_and_a_plate_beside_the_leg_have_no_bones():
    plate = beam((0, -0.05, 0.9), (0, -0.05, 0.7), 0.015)
    assert len(joints(LEG, THIGH, SHIN, plate)) == 3
    ends = lambda share: len(joints(LEG, THIGH, beam((0, 0, 0.46), (0, 0, 0.46 * share)),  # noqa: E731
                                    beam((0, 0, 0.46 * share), (0, 0, 0)))) == 4
    # a share x of a shin is shorter than 0.25 of the rest up to 0.25 / 1.25
    assert turning_point(ends, 0.05, 0.45) == pytest.approx(0.2, abs=0.04)


@pytest.mark.parametrize("size", [0.1, 3.0])
def test_a_closed_plate_fills_its_hull_and_a_sheet_nothing(size):
    def fills(thick: float) -> bool:
        mesh = box((size, size, size * thick)).mesh
        share = _fullness(mesh.vertices[mesh.faces], mesh.vertices)
        assert share == pytest.approx(float(share > 0))
        return share > 0

    assert turning_point(fills, 1e-5, 1e-3) == pytest.approx(1e-4 * 2**1.5, rel=0.02)


def test_a_short_thigh_is_no_pin_and_a_disc_is_one():
    upper, lower = beam((0, 0, 1.0), (0, 0, 0.84)), beam((0, 0, 0.76), (0, 0, 0))
    np.testing.assert_allclose(joints(LEG, upper, lower)[:, 2], [1, 0.8, 0], atol=0.01)
    disc = cylinder(0.08, 0.04, (0, 0.01, 0.8)).mesh
    np.testing.assert_allclose(joints(LEG, upper, disc, lower)[1], [0, 0.01, 0.8], atol=1e-6)


@pytest.mark.parametrize("soft", ["open", "hollow", "alone"])
def test_a_limb_that_is_not_all_stiff_parts_bends_as_skin_does(soft):
    hook = Mesh(*lump((0, 0, 0.46), (0, 0, 0), (0.03, 0.03), 1.0))
    if soft == "open":
        hook = Mesh(hook.vertices, hook.faces[4:])
    if soft == "hollow":
        hook = hook.moved(hook.vertices + 0.6 * np.outer((hook.vertices[:, 2] - 0.23) ** 2 * 10, [0, 1, 0]))
    assert joints(LEG, *([] if soft == "alone" else [THIGH]), hook) is None


def test_limbs_that_mirror_each_other_bend_alike_bit_by_bit():
    at = np.array([0.2, 0.0, 0.0])
    left, right = (line(*(LEG.points + sign * at), side=side) for side, sign in (("L", 1), ("R", -1)))
    left.twin, right.twin = right, left
    parts = StiffParts(joined(*(Mesh(m.vertices * [1, 1, 1 + 1e-3 * sign] + sign * at, m.faces)
                                for m in (THIGH, SHIN) for sign in (1, -1))))
    assert (parts.joints(right) == parts.joints(left) * [-1, 1, 1]).all()


def test_limbs_that_nearly_mirror_each_other_bend_as_mirror_images():
    """The lines of a pair differ by a voxel or two; a knee must not lie higher on one side for that."""
    at = np.array([0.2, 0.0, 0.0])
    left = line(*(LEG.points + at), side="L")
    right = line(*(LEG.points - at + [[0.0, 0.0, 0.0], [0.02, -0.02, 0.02], [0.0, 0.02, 0.0]]), side="R")
    left.twin, right.twin = right, left
    parts = StiffParts(joined(*(Mesh(m.vertices * [1, 1, 1 + 0.1 * sign] + sign * at, m.faces)
                                for m in (THIGH, SHIN) for sign in (1, -1))))
    np.testing.assert_allclose(parts.joints(right), parts.joints(left) * [-1, 1, 1], atol=0.01)
    apart = line(*(right.points + [[0.0, 0.0, 0.0], [0.0, -0.1, 0.0], [0.0, 0.0, 0.0]]), side="R")
    left.twin, apart.twin = apart, left
    assert np.abs(parts.joints(apart) - parts.joints(left) * [-1, 1, 1]).max() > 0.01, "posed unlike"


@pytest.mark.slow
def test_each_part_of_a_walking_machine_moves_with_one_bone_of_its_own():
    parts = {"hull": box((0.4, 0.9, 0.2), (0, 0, 0.6)).mesh}
    for side, sign in (("L", 1), ("R", -1)):
        for row, y in enumerate((-0.4, 0.4)):
            hip, knee, foot = (sign * 0.23, y, 0.6), (sign * 0.45, y, 0.75), (sign * 0.5, y, 0.0)
            parts[f"femur {row}{side}"] = beam(hip, knee, 0.03)
            parts[f"tibia {row}{side}"] = beam(np.array(knee) - [0, 0, 0.06], foot, 0.03)
    mesh = merge(parts.values())
    shape = prepare(mesh, stance=UPRIGHT)
    rig = fit(mesh, template_in(shape, "shape"), shape=shape)
    weights = bind(mesh, rig, shape=shape).matrix.toarray()
    leader = {}
    for k, name in enumerate(parts):
        own = weights[mesh.part_of_vertex == k]
        assert np.abs(own - own[0]).max() < 1e-6 or name == "hull", name
        leader[name] = int(own.mean(0).argmax())
    assert len(set(leader.values())) == len(parts)
    for name in parts:
        if "tibia" in name:
            knee = rig.heads[leader[name]]
            np.testing.assert_allclose(np.abs(knee), [0.45, 0.4, 0.75], atol=0.04)
