"""Mesh in, rig and weights out, in one call or in steps."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.errors import BadHint, BadMesh, RigError, ShapeTooThin
from core.fitting.options import FitOptions
from core.geometry.mesh import Mesh
from core.pipeline import auto_rig, bind, bind_steps, fit, fit_steps, prepare, run
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skinning.bind import BindOptions
from core.skinning.weights import SkinWeights
from tests.characters import person, quadruped
from tests.shapes import box


@cache
def someone() -> Mesh:
    return person(vertices=1200).mesh


@cache
def someone_rigged() -> tuple[Rig, SkinWeights]:
    return auto_rig(someone(), load_template("biped"))


def same(one, two) -> bool:
    return one.names == two.names and all(np.array_equal(getattr(one, k), getattr(two, k))
                                          for k in ("parents", "heads", "tails", "x_axes"))


def stages(steps):
    """Everything a generator yields, and its result."""
    seen = []
    while True:
        try:
            seen.append(next(steps))
        except StopIteration as done:
            return seen, done.value


@pytest.mark.slow
def test_the_whole_way_is_its_two_halves():
    mesh, template = someone(), load_template("biped")
    rig, weights = someone_rigged()
    shape = prepare(mesh)
    assert same(rig, fit(mesh, template)) and same(rig, fit(mesh, template, shape=shape))
    alone = bind(mesh, rig, shape=shape)
    assert np.array_equal(weights.matrix.toarray(), alone.matrix.toarray())
    assert weights.matrix.shape == (len(mesh.vertices), len(rig.names))
    np.testing.assert_allclose(weights.matrix.sum(1), 1, atol=1e-9)
    assert weights.matrix.data.min() >= 0


def test_a_shape_of_another_mesh_is_refused():
    mesh, shape, rig = box().mesh, prepare(someone()), Rig(("bone",), [-1], np.zeros((1, 3)), np.ones((1, 3)))
    for work in (lambda: fit(mesh, load_template("biped"), shape=shape), lambda: bind(mesh, rig, shape=shape)):
        with pytest.raises(ValueError, match="another mesh"):
            work()


@pytest.mark.parametrize("options, choice", [
    *((FitOptions, choice) for choice in ({"spheres": 0}, {"fat": 0}, {"reading": 1.5}, {"mirror": np.nan})),
    *((BindOptions, choice) for choice in ({"influences": 0}, {"influences": 2.5}, {"penalty": np.inf},
                                           {"penalty": np.nan}, {"least": np.nan}, {"alpha": np.nan},
                                           {"resolution": 2000}, {"resolution": 128.5}))])
def test_choices_that_are_no_such_numbers_are_refused(options, choice):
    """A search with no spheres went on for ever."""
    with pytest.raises(ValueError, match=next(iter(choice))):
        options(**choice)


def test_the_least_numbers_are_taken():
    assert (FitOptions(spheres=1, fat=1, mirror=0.0).spheres, BindOptions(influences=1).influences) == (1, 1)


def test_whole_numbers_may_be_numpys():
    assert BindOptions(resolution=np.int64(128), influences=np.int32(4)) == BindOptions(resolution=128)
    assert FitOptions(spheres=np.int64(10)) == FitOptions(spheres=10)


@pytest.mark.slow
def test_an_animal_is_rigged_too():
    rig, weights = auto_rig(quadruped(vertices=1200).mesh, load_template("quadruped"))
    assert np.isfinite(rig.heads).all()
    np.testing.assert_allclose(weights.matrix.sum(1), 1, atol=1e-9)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("begin", [lambda: fit_steps(someone(), load_template("biped")),
                                   lambda: bind_steps(someone(), someone_rigged()[0])])
def test_steps_say_what_they_do_and_how_far_they_are(begin):
    seen, result = stages(begin())
    names, fractions = zip(*seen, strict=True)
    assert all(names) and len(set(names)) >= 4
    assert list(fractions) == sorted(fractions) and fractions[0] >= 0 and fractions[-1] <= 1
    assert result is not None


@pytest.mark.slow
def test_steps_may_be_dropped_half_way():
    steps = fit_steps(someone(), load_template("biped"))
    next(steps)
    steps.close()
    assert run(fit_steps(someone(), load_template("biped"))) is not None


def test_pins_reach_the_rig_and_inputs_are_not_modified():
    head = np.array([0.03, 0.0, 1.5])
    mesh, template = someone(), load_template("biped")
    before = mesh.vertices.copy(), mesh.faces.copy(), template.positions.copy()
    rig, _ = auto_rig(mesh, template, {"head": head})
    np.testing.assert_array_equal(rig.joints["head"], head)
    assert np.array_equal(before[0], mesh.vertices) and np.array_equal(before[1], mesh.faces)
    assert np.array_equal(before[2], template.positions)


@pytest.mark.parametrize("vertices, faces", [
    ([], []), ([[0, 0, 0]], []), ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], []),
    ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), ([[0, 0, 0]] * 3, [[0, 1, 2]]),
    ([[0, 0, 0], [1, 1, 1], [2, 2, 2]], [[0, 1, 2], [2, 1, 0]]),
    ([[0, 0, 0], [1, 0, 0], [0, np.nan, 0]], [[0, 1, 2]]), ([[0, 0, 0], [1, 0, np.inf], [0, 1, 0]], [[0, 1, 2]])])
def test_what_has_no_volume_is_refused_naming_the_object(vertices, faces):
    mesh = Mesh(np.array(vertices, float).reshape(-1, 3), np.array(faces, int).reshape(-1, 3), "Scarf")
    for work in (lambda: prepare(mesh), lambda: fit(mesh, load_template("biped")),
                 lambda: auto_rig(mesh, load_template("biped"))):
        with pytest.raises(BadMesh, match="'Scarf'"):
            work()


def test_what_is_too_thin_or_pinned_wrongly_is_refused():
    sheet = box((1.0, 0.004, 0.8)).mesh
    with pytest.raises(ShapeTooThin, match="Solidify"):
        fit(sheet, load_template("biped_paper"))
    with pytest.raises(BadHint, match="'wing'"):
        fit(someone(), load_template("biped"), {"wing": np.zeros(3)})
    assert issubclass(BadHint, RigError) and issubclass(ShapeTooThin, RigError)
