"""What VRM's spring bones keep out of: capsules as thick as the skin around a bone is, that give way at rest."""

from __future__ import annotations

import numpy as np
import pytest

from geppetto.addon.export.vrm_colliders import Flesh, capsules, cross_section


def skin(wide: float, deep: float, *, length: float = 1.0) -> Flesh:
    """The skin of a limb along X of the file that is so wide and deep, and begins at X = 2; its joint's Y is that X."""
    turn, along = np.meshgrid(np.linspace(0, 2 * np.pi, 40, endpoint=False), np.linspace(0, length, 9))
    points = np.stack([2 + along, deep * np.sin(turn), wide * np.cos(turn)], -1).reshape(-1, 3)
    inverse = np.array([[0.0, -1, 0, 0], [1, 0, 0, -2], [0, 0, 1, 0], [0, 0, 0, 1]])
    return Flesh(points, np.full(len(points), 5), {5: inverse})


def test_a_cross_section_is_the_ellipse_of_the_skin():
    _, half_axes, directions = cross_section(skin(0.3, 0.1).at(5))
    np.testing.assert_allclose(half_axes, [0.1, 0.3], atol=1e-9)
    np.testing.assert_allclose(np.abs(directions), [[1, 0], [0, 1]], atol=1e-9)


@pytest.mark.parametrize(("wide", "count"), [(0.1, 1), (0.2, 2)])
def test_a_body_that_is_broad_has_two_capsules_side_by_side_within_its_skin(wide, count):
    flesh = skin(wide, 0.1)
    found = capsules(flesh, 5, 1.0)
    assert len(found) == count
    gaps = np.min([c.gaps(flesh, flesh.points) for c in found], axis=0)
    assert gaps.min() > -0.03 and np.abs(gaps).mean() < 0.02


def test_too_little_skin_is_no_body():
    flesh = skin(0.1, 0.1)
    assert capsules(Flesh(flesh.points[:7], flesh.node[:7], flesh.inverse), 5, 1.0) == []


def test_a_capsule_gives_way_to_what_rests_close_but_not_to_what_lies_in_it():
    one, = capsules(skin(0.1, 0.1), 5, 1.0)
    assert one.giving_way(0.5).radius == one.radius
    assert one.giving_way(-0.01).radius == pytest.approx(0.09)
    assert one.giving_way(-0.5).radius == pytest.approx(0.07)
