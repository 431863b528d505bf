"""Strands of hair and wings of one surface with a body, and a loose plait, on the simplest bodies that have them."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.mesh import Mesh
from core.geometry.shape import Shape
from core.hanging.find import _fused_things, _in_unit, _loose_things
from core.hanging.fused import Strand, thin_strands
from core.hanging.loose import SPACING
from core.hanging.wings import find_wings
from core.skeleton.rig import Rig
from tests.characters.implicit import Blend, Squashed, strand
from tests.characters.surface_nets import grow
from tests.core.skinning.solids import joined, prepare
from tests.shapes import ball

THICK = 0.02  # radius of a strand
BODY = (strand([[0, 0, 0.1], [0, 0, 0.6]], [0.12, 0.1]), strand([[0, 0, 0.6], [0, 0, 0.8]], [0.06, 0.06]),
        strand([[0, 0, 0.8], [0, 0, 0.86]], [0.12, 0.12]))  # 1 high, the head from 0.7 up
RIG = Rig(("hips", "chest", "head", "upper_arm.L", "upper_arm.R"), (-1, 0, 1, 1, 1),
          [[0, 0, 0.1], [0, 0, 0.3], [0, 0, 0.72], [0.05, 0, 0.55], [-0.05, 0, 0.55]],
          [[0, 0, 0.3], [0, 0, 0.6], [0, 0, 0.95], [0.09, 0, 0.55], [-0.09, 0, 0.55]])


def shape_of(*parts, mirrored: bool = True) -> Shape:
    """A body with some parts, one closed surface."""
    return prepare(grow(Blend((*BODY, *parts), 0.01), 0.012, mirrored=mirrored), 128)


def bunch(sign: int, *, long: float = 0.3, high: float = 0.87):
    """A straight strand of a length, backwards and down from one side of the head or the back, or 0 the middle."""
    way = np.array([sign * 0.06, 0.26, -0.12])
    start = np.array([sign * 0.04, 0.05, high])
    return strand([start, start + long * way / np.linalg.norm(way)], [THICK, THICK])


def strands_of(shape: Shape) -> list[Strand]:
    return thin_strands(shape, _in_unit(shape, RIG), SPACING)


def names_of(shape: Shape) -> list[str]:
    return sorted(thing.name for thing in _fused_things(shape, _in_unit(shape, RIG), strands_of(shape)))


@pytest.mark.long
def test_each_of_two_bunches_is_found_with_its_own_skin():
    shape = shape_of(bunch(1), bunch(-1))
    found = strands_of(shape)
    assert len(found) == 2 and names_of(shape) == ["hair.L", "hair.R"]
    points = shape.frame.to_object(shape.mesh.vertices)
    for one, sign in zip(sorted(found, key=lambda s: -points[s.rows, 0].mean()), (1, -1), strict=True):
        away = np.linalg.norm(points - np.clip(points, [0, 0, 0.8], [0, 0, 0.86]), axis=1)
        mine = (away > 0.16) & (points[:, 1] > 0.05) & (points[:, 2] > 0.7) & (points[:, 0] * sign > 0)
        assert set(np.flatnonzero(mine)) <= set(one.rows) and (away[one.rows] > 0.1).all()
        assert (points[one.rows, 0] * sign > 0).all()
        tip = points[mine, 1].max()
        assert shape.frame.to_object(one.points)[one.root.argmax(), 1] == pytest.approx(tip, abs=0.02)
        long = one.root.max()
        assert one.root.min() < 0.01 and long == pytest.approx(0.3 + THICK - 0.1, abs=0.03)
        assert one.areas.sum() == pytest.approx(2 * np.pi * THICK * long, rel=0.15)
        np.testing.assert_allclose(np.linalg.norm(one.normals, axis=1), 1, atol=1e-6)
        assert len(one.points) == len(one.normals) == len(one.areas) == len(one.root)


@pytest.mark.long
def test_what_is_short_or_begins_on_the_back_is_no_strand():
    assert strands_of(shape_of(bunch(1, long=0.13), bunch(-1, long=0.13))) == []
    assert strands_of(shape_of(bunch(1, high=0.55), bunch(-1, high=0.55))) == []


@pytest.mark.long
def test_one_beside_the_head_alone_may_be_a_hand_and_one_behind_is_a_tail_of_hair():
    aside = shape_of(bunch(1), mirrored=False)
    assert len(strands_of(aside)) == 1 and names_of(aside) == []
    assert names_of(shape_of(bunch(0))) == ["hair"]


def leaf(sign: int, *, broad: float = 0.15, out: float = 0.4):
    """A wing that rises from the back, so broad and so far out."""
    at = np.array([0, 0.1, 0.5])
    line = [at + [sign * x * out / 0.4, 0.0, z] for x, z in ((0.02, 0), (0.2, 0.15), (0.4, 0.3))]
    flat = Squashed(strand(line, [0.05, broad, 0.6 * broad]), (1.0, 0.014 / broad, 1.0), tuple(at))
    return Blend((flat, strand(line[:2], [0.03, 0.02])), 0.01)


@pytest.mark.long
def test_wings_of_one_surface_are_found_with_their_own_skin():
    shape = shape_of(leaf(1), leaf(-1))
    body = _in_unit(shape, RIG)
    things = find_wings(shape, body)
    assert [thing.name for thing in things] == ["wing.L", "wing.R"]
    points = shape.frame.to_object(shape.mesh.vertices)
    for thing, sign in zip(things, (1, -1), strict=True):
        assert thing.parent == "chest" and thing.is_fused and thing.bones == tuple(
            f"wing_{k}.{thing.name[-1]}" for k in (1, 2, 3))
        far = (sign * points[:, 0] > 0.25) & (points[:, 1] > 0.05)
        own = 1 - thing.shares[:, 0]
        assert set(np.flatnonzero(far)) <= set(thing.rows) and (points[thing.rows, 0] * sign > 0).all()
        assert own[np.isin(thing.rows, np.flatnonzero(far))].min() > 0.9 and own.min() < 0.05
        np.testing.assert_allclose(thing.shares.sum(1), 1)
        ends = shape.frame.to_object(np.vstack([thing.heads[0], thing.tails]))
        assert np.linalg.norm(ends[0] - [0, 0.1, 0.5]) < 0.15 and (np.diff(sign * ends[:, 0]) > 0).all()
        assert np.linalg.norm(ends[-1] - points[(sign * points[:, 0]).argmax()]) < 0.15


@pytest.mark.long
def test_a_wing_alone_and_spikes_are_no_wings():
    for shape in (shape_of(leaf(1), mirrored=False), shape_of(leaf(1, broad=0.03), leaf(-1, broad=0.03))):
        assert find_wings(shape, _in_unit(shape, RIG)) == []


@pytest.mark.long
def test_what_has_no_arms_has_no_wings_on_its_back():
    """What looks like wings are a bird's own, or a ray's fins."""
    shape = shape_of(leaf(1), leaf(-1))
    assert find_wings(shape, _in_unit(shape, RIG.only(["hips", "chest", "head"]))) == []


@pytest.mark.long
def test_a_plait_on_loose_hair_is_hair_though_it_touches_no_flesh():
    """A cap of hair stands off the head, and the plait begins on it."""
    whole, plait = ball(0.18, segments=32).mesh, grow(strand([[0, 0.205, 0.8], [0, 0.3, 0.55]], [0.02, 0.02]), 0.01)
    middle = whole.vertices[whole.faces].mean(1)
    kept = whole.faces[(middle[:, 1] > 0) | (middle[:, 2] > 0.05)]
    used, faces = np.unique(kept, return_inverse=True)
    cap = Mesh(whole.vertices[used] + [0, 0, 0.83], faces.reshape(-1, 3))
    shape = prepare(joined(grow(Blend(BODY, 0.01), 0.012), cap, plait), 128)
    thing, = _loose_things(shape, _in_unit(shape, RIG), [])
    assert (thing.name, thing.parent) == ("hair", "head") and len(thing.rows) == len(plait.vertices)
