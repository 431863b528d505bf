"""Which bodies are mirrored, and which have a limb on either side that its partner does not answer."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.symmetry import MirrorPlane, find_mirror_plane, has_unlike_limbs, likeness
from tests.characters.implicit import Blend, Ellipsoid, RoundCone
from tests.characters.surface_nets import grow
from tests.core.fitting.bodies import prepared

TRUNK = Ellipsoid((0, 0, 1.0), (0.3, 0.25, 0.7))
LEGS = tuple(RoundCone((s * 0.15, 0, 0.6), (s * 0.2, 0, 0.05), 0.1, 0.06) for s in (-1, 1))
UP, DOWN, OUT = (0.7, 0, 1.9), (0.6, 0, 0.7), (0.9, 0, 1.3)


def body(left, right, *more, radii=(0.08, 0.05)) -> Blend:
    arms = tuple(RoundCone((s * 0.2, 0, 1.4), (s * x, y, z), *radii) for s, (x, y, z) in ((1, left), (-1, right)))
    return Blend((TRUNK, *LEGS, *arms, *more), 0.02)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("solid, is_unlike", [
    (body(OUT, OUT), False), (body(UP, DOWN), True), (body(DOWN, UP), True), (body(OUT, DOWN), True),
    (body(OUT, OUT, RoundCone((0.9, 0, 1.3), (0.9, -0.8, 1.9), 0.05, 0.04)), False),
    (body(OUT, OUT, Ellipsoid((0.06, 0, 1.3), (0.3, 0.3, 0.35)), Ellipsoid((-0.06, 0, 0.8), (0.3, 0.3, 0.35))), False)],
    ids=["mirrored", "left up", "right up", "left out", "a sword", "a wry coat"])
def test_unlike_limbs(solid, is_unlike):
    field = prepared(grow(solid, 0.05, mirrored=False)).field
    assert has_unlike_limbs(field, find_mirror_plane(field)) == is_unlike


@pytest.mark.parametrize("left, is_unlike", [(UP, True), (DOWN, False)])
def test_arms_of_less_than_two_voxels_are_unlike_if_they_are_far_from_each_others_image(left, is_unlike):
    field = prepared(grow(body(left, DOWN, radii=(0.03, 0.02)), 0.025, mirrored=False)).field
    assert has_unlike_limbs(field, find_mirror_plane(field)) == is_unlike


@pytest.mark.parametrize("longest", [0.05, 0.15, 0.6])
def test_limbs_count_as_unlike_from_a_length_in_units_not_in_voxels(longest):
    """The arms stick out of each side's mirror image by the same, some 0.5 from corner to corner of their boxes."""
    field = prepared(grow(body(UP, DOWN), 0.05, mirrored=False)).field
    plane = find_mirror_plane(field)
    assert has_unlike_limbs(field, plane, least=longest) == (longest < 0.6)


def test_what_one_hand_holds_makes_no_side_unlike_but_a_bent_limb_does():
    solid = np.zeros((20, 6, 20), bool)
    solid[8:12, 2:4] = solid[4:16, 2:4, 10:12] = True
    plane = MirrorPlane(0.0, 19, 1.0)
    assert likeness(solid, plane) == 1.0
    held = solid.copy()
    held[0:4, :, 5:18] = True
    assert likeness(held, plane) == 1.0
    bent = solid.copy()
    bent[4:8, 2:4, 10:12], bent[6:8, 2:4, 4:10] = False, True
    assert likeness(bent, plane) < 0.95
