"""Loose parts of a character: their samples, which of them are its flesh, and which belong together."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from core.geometry.mesh import Mesh
from core.hanging.loose import around_bones, clusters, loose_parts
from core.skeleton.rig import Rig
from tests.core.skinning.solids import joined
from tests.limits import turning_point
from tests.shapes import box


class Looked(SimpleNamespace):
    """A shape of which nothing but its mesh is asked."""

    __hash__ = object.__hash__
    __eq__ = object.__eq__


def shape_of(*meshes: Mesh) -> Looked:
    return Looked(mesh=joined(*meshes))


def block(size, middle=(0.0, 0.0, 0.0)) -> Mesh:
    return box(size, middle, divisions=4).mesh


TRUNK, FAR = block((0.3, 0.2, 0.8), (0, 0, 0.5)), block((0.2, 0.2, 0.2), (0, 2.0, 0.5))
RIG = Rig(("spine", "hand.L"), (-1, 0), [[0, 0, 0.2], [0.5, 0, 0.5]], [[0, 0, 0.8], [0.6, 0, 0.5]])


def test_samples_lie_on_their_parts_and_stand_for_all_of_their_skin():
    parts = loose_parts(shape_of(TRUNK, FAR))
    assert sorted(parts.extents) == pytest.approx([0.2, 0.8])
    for part, (size, middle) in ((0, ((0.3, 0.2, 0.8), (0, 0, 0.5))), (1, ((0.2, 0.2, 0.2), (0, 2.0, 0.5)))):
        own = parts.of_point == parts.of_vertex[0 if part == 0 else -1]
        a, b, c = size
        assert parts.areas[own].sum() == pytest.approx(2 * (a * b + b * c + c * a))
        beside = np.abs(parts.points[own] - middle) / (np.array(size) / 2)
        np.testing.assert_allclose(beside.max(1), 1.0, atol=1e-9)
        out = np.take_along_axis(parts.normals[own] * (parts.points[own] - middle), beside.argmax(1)[:, None], 1)
        assert (out > 0).all()
        assert parts.areas[own].max() < 4 * 0.015**2, "they are spread evenly"


def test_what_is_in_one_piece_or_has_one_part_of_a_size_has_no_loose_parts():
    assert loose_parts(shape_of(TRUNK)) is None
    has_parts = lambda size: loose_parts(shape_of(TRUNK, block((size, 0.02, 0.02), (2, 0, 0)))) is not None  # noqa: E731
    assert turning_point(has_parts, 0.02, 0.3) == pytest.approx(0.1, rel=0.02)


@pytest.mark.long
def test_what_is_long_around_a_hand_is_held_by_it_and_no_glove():
    def is_flesh(size: float) -> bool:
        shape = shape_of(TRUNK, block((size, 0.06, 0.06), (0.55, 0, 0.5)))
        parts = loose_parts(shape)
        return bool(around_bones(shape, RIG, parts)[parts.of_vertex[-1]])

    assert turning_point(is_flesh, 0.15, 0.5) == pytest.approx(2.5 * 0.1, rel=0.02)


def opened(size, gone: int) -> Mesh:
    """A block about the trunk's bone without so many of its six sides."""
    whole = block(size, (0, 0, 0.5))
    side = np.cross(*(whole.triangles[:, k] - whole.triangles[:, 0] for k in (1, 2)))
    number = np.abs(side).argmax(1) * 2 + (side.max(1) > -side.min(1))
    used, corners = np.unique(whole.faces[number >= gone], return_inverse=True)
    return Mesh(whole.vertices[used], corners.reshape(-1, 3))


def test_an_open_part_is_flesh_where_it_fills_nearly_half_of_all_directions_and_no_closed_one_lies_below():
    for gone, alone in ((0, True), (1, True), (2, True), (3, True), (4, False)):
        shape = shape_of(opened((0.4, 0.4, 0.4), gone), FAR)
        parts = loose_parts(shape)
        assert around_bones(shape, RIG, parts)[parts.of_vertex[[0, -1]]].tolist() == [alone, False], gone
    for gone, both in ((0, True), (1, False)):
        shape = shape_of(TRUNK, opened((0.5, 0.5, 1.2), gone))
        parts = loose_parts(shape)
        assert around_bones(shape, RIG, parts)[parts.of_vertex[[0, -1]]].tolist() == [True, both], gone


def test_what_does_not_move_the_skin_has_no_flesh():
    shape = shape_of(TRUNK, FAR)
    still = Rig(RIG.names, RIG.parents, RIG.heads, RIG.tails, deform=[False, True])
    assert not around_bones(shape, still, loose_parts(shape)).any()
    assert around_bones(shape, RIG, loose_parts(shape)).tolist() == [True, False]


@pytest.mark.long
def test_parts_that_touch_are_one_thing_and_small_ones_none():
    def groups(gap: float, size: float = 0.2) -> list[int]:
        shape = shape_of(TRUNK, block((size, 0.05, 0.05), (1 - size / 2, 0, 0)),
                         block((size, 0.05, 0.05), (1 + gap + size / 2, 0, 0)), FAR)
        parts = loose_parts(shape)
        flesh = np.zeros(len(parts.extents), bool)
        flesh[parts.of_vertex[0]] = True
        return sorted(len(group) for group in clusters(parts, flesh))

    assert groups(0.005) == [1, 2] and groups(0.03) == [1, 1, 1]
    assert turning_point(lambda gap: len(groups(gap)) == 2, 0.001, 0.05) == pytest.approx(0.012, rel=0.1)
    assert turning_point(lambda size: len(groups(0.005, size)) == 2, 0.03, 0.2) == pytest.approx(0.1, rel=0.02)
