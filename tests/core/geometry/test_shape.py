"""A prepared character: one solid, whatever came in, and the same one wherever and however large it stands."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import BadMesh, RigError, ShapeTooThin
from core.geometry.gaps import count_parts
from core.geometry.mesh import Mesh
from core.geometry.shape import Shape, prepare_steps
from tests import shapes
from tests.core.geometry.soups import ball, cube, join, keep_faces, turn_faces


def prepare(mesh: Mesh, **options) -> Shape:
    steps = prepare_steps(mesh, **({"resolution": 40} | options))
    while True:
        try:
            stage, fraction = next(steps)
            assert stage and 0 <= fraction <= 1
        except StopIteration as done:
            return done.value


def unit_vertices(shape: Shape) -> np.ndarray:
    """The original vertices, in their order, in the unit frame."""
    return shape.mesh.vertices[shape.welded_of_vertex]


FIGURE = join(ball((0, 0, 0.4), 0.4), ball((0, 0, 1.1), 0.25), cube((0.3, -0.1, 0.3), (0.9, 0.1, 0.5)),
              cube((-0.95, -0.1, 0.3), (-0.45, 0.1, 0.5)))


def test_the_shape_is_one_piece_in_the_unit_frame():
    shape = prepare(FIGURE)
    size = np.ptp(shape.mesh.vertices, axis=0)
    assert np.isclose(size.max(), 1) and np.isclose(shape.mesh.vertices[:, 2].min(), 0)
    assert count_parts(shape.field.solid) == 1
    there = shape.frame.to_object(shape.mesh.vertices)[shape.welded_of_vertex]
    assert np.allclose(there, FIGURE.vertices, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-29, 1e-3, 1024.0, 1e28])
def test_size_and_place_do_not_matter(scale):
    here = prepare(FIGURE)
    away = np.array([3.0, -8, 21]) * scale
    there = prepare(Mesh(FIGURE.vertices * scale + away, FIGURE.faces))
    assert np.isclose(there.frame.scale, here.frame.scale * scale)
    assert np.allclose(unit_vertices(there), unit_vertices(here), atol=1e-9)
    assert (there.field.solid != here.field.solid).mean() < 1e-3


def test_the_same_mesh_gives_the_same_bits():
    a, b = prepare(FIGURE), prepare(FIGURE)
    assert np.array_equal(a.field.values, b.field.values) and np.array_equal(a.field.to_surface, b.field.to_surface)
    assert np.array_equal(a.mesh.faces, b.mesh.faces)


def test_a_turned_mesh_is_turned_back():
    turn = np.array([[0, -1.0, 0], [1, 0, 0], [0, 0, 1]])
    turned = prepare(Mesh(FIGURE.vertices @ turn, FIGURE.faces), rotation=turn)
    assert np.allclose(unit_vertices(turned) - unit_vertices(prepare(FIGURE)), 0, atol=1e-9)


def test_a_mirrored_character_has_a_mirrored_shape():
    half = join(ball((0.4, 0, 1), 0.4, fineness=4), cube((0.7, -0.1, 0.9), (1.6, 0.1, 1.1)),
                cube((0.1, -0.15, 0), (0.4, 0.1, 0.9)))
    mesh = join(half, Mesh(half.vertices * [-1, 1, 1], half.faces[:, [0, 2, 1]]))
    field = prepare(mesh, resolution=64).field
    assert np.array_equal(field.solid, field.solid[::-1])
    assert np.abs(field.values - field.values[::-1]).max() < 1e-6


@pytest.mark.parametrize("stray", [np.nan, np.inf, -1e308, 1e30])
def test_loose_vertices_are_kept_and_harm_nothing(stray):
    strewn = prepare(Mesh(np.concatenate([FIGURE.vertices, [[stray, 0, 0]]]), FIGURE.faces))
    assert np.array_equal(strewn.field.values, prepare(FIGURE).field.values)
    assert len(strewn.welded_of_vertex) == len(FIGURE.vertices) + 1
    assert np.isfinite(strewn.mesh.vertices).all()


def test_production_damage_does_not_matter(rng):
    some = rng.random(len(FIGURE.faces)) < 0.3
    flipped = turn_faces(FIGURE, some)
    apart = Mesh(FIGURE.triangles.reshape(-1, 3), np.arange(3 * len(FIGURE.faces)).reshape(-1, 3))
    doubled = Mesh(FIGURE.vertices, np.concatenate([FIGURE.faces, FIGURE.faces[some]]))
    expected = prepare(FIGURE).field
    for mesh in (flipped, apart, doubled):
        assert np.abs(prepare(mesh).field.values - expected.values).max() < 0.003


GRID = np.stack(np.meshgrid(np.arange(6), np.arange(6), indexing="ij"), -1).reshape(-1, 2) / 5
CELLS = [(6 * i + j, 6 * i + j + 1, 6 * i + j + 7) for i in range(5) for j in range(5)]
ODD = {
    "a triangle": Mesh([[0, 0, 0], [1, 0, 0.3], [0, 1, 0.5]], [[0, 1, 2]]),
    "a sheet": Mesh(np.c_[GRID, GRID.sum(1)], CELLS),
    "a bent sheet": Mesh(np.c_[GRID, 0.3 * GRID[:, 0] ** 2], CELLS),
    "one point": Mesh([[1, 1, 1]] * 3, [[0, 1, 2]]),
    "a line": Mesh([[0, 0, 0], [1, 1, 1], [2, 2, 2]], [[0, 1, 2]]),
    "only degenerate faces": Mesh(FIGURE.vertices, FIGURE.faces[:, [0, 0, 1]]),
    "a spike": Mesh(np.concatenate([FIGURE.vertices, [[1e5, 0, 0]]]), np.concatenate([FIGURE.faces, [[0, 1, 386]]])),
    "too small": Mesh(FIGURE.vertices * 1e-200, FIGURE.faces),
    "too large": Mesh(FIGURE.vertices * 1e200, FIGURE.faces),
    "too far away": Mesh(FIGURE.vertices + 1e17, FIGURE.faces),
    "a pencil": Mesh(shapes.capsule().mesh.vertices * [0.01, 0.01, 1], shapes.capsule().mesh.faces),
    "confetti": keep_faces(ball(fineness=4), slice(None, None, 7)),
}


@pytest.mark.long
@pytest.mark.parametrize("kind", ODD)
def test_odd_meshes_are_prepared_or_refused_in_words(kind):
    try:
        field = prepare(ODD[kind], resolution=64).field
    except RigError as refusal:
        assert isinstance(refusal, BadMesh | ShapeTooThin)
        assert f"'{ODD[kind].name}'" in str(refusal)
    else:
        assert field.solid.any() and np.isfinite(field.values).all() and count_parts(field.solid) == 1


@pytest.mark.parametrize("kind", ["a triangle", "a sheet", "one point", "a line", "only degenerate faces", "too small",
                                  "too large", "too far away"])
def test_what_has_no_volume_is_refused(kind):
    with pytest.raises(BadMesh):
        prepare(ODD[kind])


def test_input_is_not_modified():
    vertices, faces = FIGURE.vertices.copy(), FIGURE.faces.copy()
    prepare(FIGURE)
    assert np.array_equal(vertices, FIGURE.vertices) and np.array_equal(faces, FIGURE.faces)
