"""What a figure stands on is told from the figure, and nothing else is."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.geometry.mesh import Mesh
from core.geometry.shape import Shape
from core.pipeline import prepare
from core.seeing.stance import UPRIGHT, detect_stance
from tests.characters import BASES, LOW, low_body, many_legged, octopus, on_base, on_mound, person, snake
from tests.characters.character import Piece, grow_pieces, merge
from tests.characters.dolls import gowned
from tests.characters.implicit import Blend, Slab
from tests.shapes import ball, box, dumbbell

FUSED = [(base, fused) for fused in (True, False) for base in BASES]


@cache
def standing(base: str, fused: bool) -> tuple[Mesh, Shape]:
    mesh = on_base(base, fused=fused, vertices=3000).mesh
    return mesh, prepare(mesh, stance=UPRIGHT)


@pytest.mark.sweep(2, long=True)
@pytest.mark.parametrize("base", BASES)
def test_all_that_lies_clearly_below_the_soles_is_the_base_and_nothing_clearly_above(base):
    mesh, shape = standing(base, True)
    of_base = np.zeros(len(mesh.vertices), bool)
    of_base[shape.base.rows] = True
    assert of_base[mesh.vertices[:, 2] < -0.025].all()
    assert not of_base[(mesh.vertices[:, 2] > 0.03) & (np.abs(mesh.vertices[:, 0]) < 0.15)].any()  # but for the stone


@pytest.mark.sweep(3, long=True)
@pytest.mark.parametrize(("base", "fused"), FUSED)
def test_the_unit_frame_is_that_of_the_figure_alone(base, fused):
    _, shape = standing(base, fused)
    assert shape.frame.scale == pytest.approx(1.0, abs=0.03)
    assert np.abs(shape.frame.origin[2]) < 0.03
    assert shape.mesh.vertices[:, 2].min() > -0.02
    assert shape.field.sample(np.array([[0.0, 0.0, -0.03]]))[0] > 0


@pytest.mark.sweep(3, long=True)
@pytest.mark.parametrize("base", BASES)
def test_the_vertices_of_a_base_keep_their_places(base):
    mesh, shape = standing(base, True)
    np.testing.assert_allclose(shape.frame.to_object(shape.base.points), mesh.vertices[shape.base.rows], atol=1e-9)
    assert len(np.unique(shape.base.rows)) == len(shape.base.rows)
    assert len(shape.welded_of_vertex) == len(mesh.vertices)


@pytest.mark.sweep(3, long=True)
@pytest.mark.parametrize("base", BASES)
def test_a_loose_base_is_taken_whole_and_a_figure_that_sinks_into_it_is_not_cut(base):
    mesh, shape = standing(base, False)
    assert set(shape.base.rows) == set(np.flatnonzero(mesh.part_of_vertex == 1))


@pytest.mark.sweep(4, long=True)
@pytest.mark.parametrize("body", [
    lambda: person(vertices=1800), lambda: person(vertices=1800, stance=0.0, hips=0.8),
    lambda: person(vertices=1800, skirt="ankle"), gowned, lambda: gowned(train=0.3), snake, octopus,
    many_legged], ids=["person", "feet together", "skirt", "gown", "train", "snake", "octopus", "spider"])
def test_feet_hems_and_creatures_on_the_ground_are_no_base(body):
    assert not len(prepare(body().mesh, stance=UPRIGHT).base.rows)


@pytest.mark.sweep(2, long=True)
@pytest.mark.parametrize("name", LOW)
def test_a_bodys_own_broad_lower_end_is_no_base(name):
    assert not len(prepare(low_body(name).mesh, stance=UPRIGHT).base.rows)


@pytest.mark.slow
@pytest.mark.parametrize("wide", [1.2, 2.5])
def test_a_mound_wider_than_the_animal_on_it_is_long_is_a_base(wide):
    mesh = on_mound(wide=wide).mesh
    shape = prepare(mesh, stance=UPRIGHT)
    of_base = np.zeros(len(mesh.vertices), bool)
    of_base[shape.base.rows] = True
    height = mesh.vertices[:, 2].max()
    assert of_base[mesh.vertices[:, 2] < -0.05 * height].all()
    assert not of_base[mesh.vertices[:, 2] > 0.15 * height].any()


def test_what_lies_low_on_a_block_and_has_no_feet_stands_on_no_base():
    hull, turret = box((0.6, 1.0, 0.1), (0.0, 0.0, 0.05)).mesh, box((0.3, 0.35, 0.14), (0.0, 0.1, 0.16)).mesh
    assert not len(prepare(merge([hull, turret]), stance=UPRIGHT).base.rows)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("fused", [True, False])
def test_stones_grass_and_a_sign_beside_the_figure_are_of_the_base(fused):
    figure = standing("board", fused)[0]
    stones = [ball(radius, centre).mesh for radius, centre in ((0.05, (0.2, -0.15, 0.04)), (0.03, (-0.19, -0.1, 0.03)))]
    sign = [box((0.02, 0.02, 0.4), (-0.2, 0.12, 0.2)).mesh, box((0.16, 0.02, 0.1), (-0.2, 0.12, 0.38)).mesh]
    blade = Mesh(np.array([[0.18, 0.1, 0.0], [0.2, 0.1, 0.0], [0.19, 0.11, 0.12]]), np.array([[0, 1, 2]]))
    mesh = merge([figure, *stones, *sign, blade])
    rows = prepare(mesh, stance=UPRIGHT).base.rows
    count = len(figure.vertices)
    assert set(range(count, len(mesh.vertices))) <= set(rows)
    assert not (figure.vertices[rows[rows < count], 2] > 0.04).any()


@pytest.mark.long
@pytest.mark.parametrize(("high", "is_thing"), [(0.45, True), (0.6, False)])
def test_what_is_more_than_half_as_high_as_the_figure_beside_it_is_not_of_the_base(high, is_thing):
    figure, board = box((0.3, 0.25, 1.0), (0.0, 0.0, 0.5)).mesh, box((1.0, 0.7, 0.05), (0.2, 0.0, -0.02)).mesh
    mesh = merge([board, box((0.15, 0.15, high), (0.45, 0.0, high / 2)).mesh, figure])
    assert set(mesh.part_of_vertex[prepare(mesh, stance=UPRIGHT).base.rows]) == ({0, 1} if is_thing else {0})


@pytest.mark.slow
def test_a_post_of_one_surface_with_board_and_figure_is_of_the_base():
    solid = Blend((Slab((0.0, 0.0, -0.02), (0.5, 0.3, 0.03), 0.004), Slab((-0.2, 0.0, 0.5), (0.12, 0.1, 0.5), 0.004),
                   Slab((0.3, 0.0, 0.2), (0.05, 0.05, 0.2), 0.004)), 0.004)
    pieces = [Piece("all", solid, (0.5, 0.5, 0.5))]
    mesh = grow_pieces("all", pieces, {}, "other", 0.02, mirrored=False).mesh
    of_base = np.zeros(len(mesh.vertices), bool)
    of_base[prepare(mesh, stance=UPRIGHT).base.rows] = True
    high = mesh.vertices[:, 2] > 0.06
    assert of_base[high & (mesh.vertices[:, 0] > 0.2)].all() and not of_base[high & (mesh.vertices[:, 0] < 0)].any()


@pytest.mark.slow
def test_feet_that_are_apart_from_the_body_are_no_stones():
    feet = [box((0.12, 0.24, 0.1), (-0.13, -0.05, 0.06)).mesh, box((0.12, 0.2, 0.07), (0.15, -0.08, 0.045)).mesh]
    body = box((0.4, 0.3, 0.5), (0.0, 0.0, 0.5)).mesh
    board = box((0.7, 0.6, 0.05), (0.0, 0.0, -0.01)).mesh
    mesh = merge([*feet, body, board])
    assert set(prepare(mesh, stance=UPRIGHT).base.rows) == set(np.flatnonzero(mesh.part_of_vertex == 3))


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("thick", [0.016, 0.02, 0.024])
def test_soles_of_their_own_are_shoes_and_a_mat_on_a_board_is_of_the_base(thick):
    """Each is a loose part, and the base's top may be told at theirs."""
    figure = person(vertices=1800).mesh
    low = figure.vertices[figure.vertices[:, 2] < figure.vertices[:, 2].min() + 0.03]
    feet = [low[np.sign(low[:, 0]) == side] for side in (-1, 1)]
    top = low[:, 2].min() + 0.002
    soles = [box((*np.ptp(foot, axis=0)[:2] + 0.01, thick), (*np.mean([foot.min(0), foot.max(0)], 0)[:2],
                                                              top - thick / 2), divisions=4).mesh for foot in feet]
    mat = box((0.3, 0.3, thick), (0.0, 0.0, top - 1.5 * thick), divisions=4).mesh
    for under, ground in (([], top - thick), ([mat], top - 2 * thick)):
        board = box((0.5, 0.45, 0.05), (0.0, 0.0, ground - 0.025), divisions=6).mesh
        mesh = merge([figure, *soles, *under, board])
        assert set(prepare(mesh, stance=UPRIGHT).base.rows) == set(np.flatnonzero(mesh.part_of_vertex > 2))


@pytest.mark.slow
def test_a_ball_under_a_neck_and_a_bare_block_are_no_base():
    for solid in (dumbbell(), box((1.0, 1.0, 0.3)), ball()):
        assert not len(prepare(solid.mesh, stance=UPRIGHT).base.rows)


@pytest.mark.long
def test_what_lies_along_the_ground_and_raises_its_head_stands_on_no_base():
    lies = box((1.0, 0.22, 0.2), (0.0, 0.0, 0.1)).mesh
    rises = box((0.16, 0.16, 0.7), (0.35, 0.0, 0.45)).mesh
    assert not len(prepare(merge([lies, rises]), stance=UPRIGHT).base.rows)
    wide = box((1.0, 0.8, 0.2), (0.0, 0.0, 0.1)).mesh
    assert len(prepare(merge([wide, rises]), stance=UPRIGHT).base.rows)


@pytest.mark.long
def test_two_plinths_on_each_other_are_one_base():
    figure = standing("plinth", False)[0]
    below = box((0.9, 0.9, 0.2), (0.0, 0.0, -0.18)).mesh
    mesh = merge([figure, below])
    shape = prepare(mesh, stance=UPRIGHT)
    assert set(shape.base.rows) == {*np.flatnonzero(mesh.vertices[:, 2] < 0.013)} - {
        *np.flatnonzero(figure.part_of_vertex == 0)}


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("yaw", [40.0, 100.0, 190.0])
def test_a_figure_faces_where_its_feet_point_whatever_it_stands_on(yaw):
    mesh, turn = standing("plinth", True)[0], np.radians(yaw)
    rotation = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    found = detect_stance(Mesh(mesh.vertices @ rotation.T, mesh.faces))
    np.testing.assert_allclose(found.rotation @ rotation, np.eye(3), atol=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("turn", [np.eye(3)[[1, 2, 0]], np.diag([1.0, -1.0, -1.0]), np.eye(3)[[2, 0, 1]]])
def test_what_stands_on_a_base_if_another_end_is_up_stands_so(turn):
    mesh = on_mound("dog").mesh
    found = detect_stance(Mesh(mesh.vertices @ turn.T, mesh.faces))
    np.testing.assert_allclose(found.up_vector, turn[:, 2], atol=0.05)
    assert found.confidence > 0.5
