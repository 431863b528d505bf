"""Hard loose parts move as one piece with one bone: plates, balls in joints, pads, screws. Cloth and limbs bend."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.mesh import Mesh, vertex_components
from core.skinning.handles import Handles
from core.skinning.islands import stiffen_parts
from tests.core.skinning.solids import joined, tube
from tests.limits import turning_point
from tests.shapes import ball, revolve

JOINT = 0.1  # where on x the second of two bones begins and hangs from the first
FLESH = Mesh(tube(0.09, 1.6).vertices - [0.7, 0, 0], tube(0.09, 1.6).faces)


def moved(mesh: Mesh, by) -> Mesh:
    return Mesh(mesh.vertices + np.asarray(by, float), mesh.faces)


def plate(*, thick: float, bow: float = 0.05, long: float = 0.4, wide: float = 0.2) -> Mesh:
    """A closed sheet over the joint, bowed along it, middle at the origin."""
    u, v = (x.ravel() for x in np.meshgrid(np.linspace(-1, 1, 13), np.linspace(-1, 1, 7), indexing="ij"))
    a = np.array([i * 7 + j for i in range(12) for j in range(6)])
    side = np.concatenate([np.stack([a, a + 7, a + 8], 1), np.stack([a, a + 8, a + 1], 1)])
    rim = np.concatenate([np.arange(0, 84, 7), np.arange(84, 90), np.arange(90, 6, -7), np.arange(6, 0, -1)])
    after, count = np.roll(rim, -1), len(u)
    around = np.concatenate([np.stack([rim, rim + count, after + count], 1), np.stack([rim, after + count, after], 1)])
    top = np.stack([u * long / 2, v * wide / 2, bow * (1 - u**2 - v**2)], 1)
    return Mesh(np.concatenate([top + [0, 0, thick], top]),
                np.concatenate([side, side[:, ::-1] + count, around]))


def limb(*others: Mesh, above: float = 1.0) -> tuple[list[np.ndarray], np.ndarray]:
    """[(N,) share that the second bone has of each of some parts, over and about a jointed limb], (V,) of all.

    above : length of the first bone
    """
    parts = [*others, FLESH]
    mesh = joined(*parts)
    handles = Handles(np.arange(2), np.arange(2), np.array([[JOINT - above, 0, 0], [JOINT, 0, 0]]),
                      np.array([[JOINT, 0, 0], [1.0, 0, 0]]), parent=np.array([-1, 0]))
    second = np.clip(0.5 + 2.5 * (mesh.vertices[:, 0] - JOINT), 0, 1)
    weights = stiffen_parts(mesh, vertex_components(mesh), np.stack([1 - second, second], 1), handles)
    assert np.allclose(weights.sum(1), 1)
    ends = np.cumsum([len(part.vertices) for part in parts])
    return np.split(weights[:, 1], ends[:-1])[:-1], weights[:, 1]


@pytest.mark.parametrize(("at", "expected"), [(JOINT + 0.03, 1.0), (JOINT - 0.03, 0.0)])
def test_a_plate_over_a_joint_follows_the_bone_of_which_it_has_more(at, expected):
    (share,), _ = limb(moved(plate(thick=0.04), [at, 0, 0.12]))
    assert np.array_equal(np.unique(share), [expected])


def test_a_sheet_as_thin_as_cloth_bends():
    (share,), _ = limb(moved(plate(thick=0.004), [JOINT, 0, 0.12]))
    assert np.ptp(share) > 0.5


def test_a_ball_in_a_joint_keeps_its_shape_and_follows_the_lower_bone():
    (share,), _ = limb(moved(ball(0.08).mesh, [JOINT, 0, 0]))
    assert np.array_equal(np.unique(share), [1])


def test_a_pad_that_covers_a_joint_does_not_bend():
    pad = ball(0.1).mesh
    (share,), _ = limb(moved(Mesh(pad.vertices * [1, 1, 0.6], pad.faces), [JOINT, 0, 0.04]))
    assert np.ptp(share) == 0


def bowl(height: float) -> Mesh:
    """A thin closed shell of half a ball, 0.4 wide, open below."""
    angle = np.linspace(0, np.pi / 2, 9)[::-1]
    outside = np.stack([np.cos(angle), np.sin(angle)], 1)
    profile = np.concatenate([0.19 * outside, 0.2 * outside[::-1]])
    return Mesh(revolve(profile, 24).vertices * [1, 1, height / 0.2], revolve(profile, 24).faces)


@pytest.mark.parametrize(("height", "bends"), [(0.25, False), (0.05, True)])
def test_a_thin_shell_that_is_deep_does_not_bend(height, bends):
    """A shoulder pad; a shallow one may as well be cloth."""
    (share,), _ = limb(moved(bowl(height), [JOINT, 0, 0.15]))
    assert (np.ptp(share) > 0.3) == bends


@pytest.mark.parametrize("mesh", [tube(0.1, 0.4), tube(0.06, 0.5)])
def test_a_sleeve_with_a_joint_in_it_bends(mesh):
    (share,), _ = limb(moved(mesh, [JOINT - mesh.vertices[:, 0].mean(), 0, 0]))
    assert np.ptp(share) > 0.5


def test_a_body_that_is_a_ball_of_several_whole_bones_bends():
    (share,), _ = limb(moved(ball(0.5).mesh, [JOINT, 0, 0]), above=0.3)
    assert np.ptp(share) > 0.5


@pytest.mark.parametrize(("long", "bends"), [(0.6, True), (0.2, False)])
def test_what_is_long_and_slender_beside_a_joint_bends_as_a_braid_does(long, bends):
    """A piston is short."""
    (share,), _ = limb(moved(tube(0.025, long), [JOINT - long / 2, 0, 0.15]))
    assert (np.ptp(share) > 0.3) == bends


def test_screws_move_with_the_plate_on_which_they_sit():
    """Also where the limb under them follows the other bone."""
    armour = moved(plate(thick=0.04), [JOINT + 0.04, 0, 0.12])
    screws = [moved(ball(0.01, segments=12).mesh, [JOINT + 0.04 + x, 0, 0.2]) for x in (-0.08, 0.0)]
    (plate_share, *screw_shares), _ = limb(armour, *screws)
    assert np.array_equal(np.unique(plate_share), [1])
    for share in screw_shares:
        assert np.array_equal(np.unique(share), [1])


def ring(inner: float, outer: float, long: float) -> Mesh:
    """A closed ring about the x axis, middle at the origin."""
    turn = np.linspace(0, 2 * np.pi, 25)[:-1]
    edges = [np.stack([x + 0 * turn, r * np.cos(turn), r * np.sin(turn)], 1)
             for x, r in ((-long / 2, inner), (long / 2, inner), (long / 2, outer), (-long / 2, outer))]
    a = np.arange(24)
    b = (a + 1) % 24
    faces = [np.concatenate([np.stack([a + s, b + s, b + t], 1), np.stack([a + s, b + t, a + t], 1)])
             for s, t in ((0, 24), (24, 48), (48, 72), (72, 0))]
    return Mesh(np.concatenate(edges), np.concatenate(faces))


def test_a_rib_about_a_bone_follows_it_wholly():
    (share,), _ = limb(moved(ring(0.1, 0.14, 0.04), [JOINT + 0.05, 0, 0]))
    assert np.array_equal(np.unique(share), [1])


def test_a_ring_about_a_bone_bends_as_a_hose_does_if_three_quarters_of_it_are_hollow():
    bends = lambda inner: np.ptp(limb(moved(ring(inner, 0.14, 0.063), [JOINT + 0.05, 0, 0]))[0][0]) > 0.05  # noqa: E731
    assert 1 - (turning_point(bends, 0.1, 0.135) / 0.14) ** 2 == pytest.approx(0.25, abs=0.005)


def test_a_plate_between_two_thighs_follows_the_hips():
    heads = np.array([[0, 0, 0.2], [0.2, 0, 0], [-0.2, 0, 0]])
    handles = Handles(np.arange(3), np.arange(3), heads, heads + [[0, 0, 0.3], [0, 0, -1], [0, 0, -1]],
                      parent=np.array([-1, 0, 0]))
    front = plate(thick=0.04)
    mesh = joined(Mesh(front.vertices @ np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]) + [0, -0.3, -0.1], front.faces),
                  Mesh(FLESH.vertices[:, [2, 1, 0]] - [0, 0, 0.6], FLESH.faces[:, ::-1]))
    left = np.clip(0.5 + 2 * mesh.vertices[:, 0], 0, 1) * 0.8
    weights = stiffen_parts(mesh, vertex_components(mesh), np.stack([0 * left + 0.2, left, 0.8 - left], 1), handles)
    assert np.array_equal(np.unique(weights[:len(front.vertices), 0]), [1])
