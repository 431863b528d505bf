"""Weights hang on the shape, not on the last bits of its coordinates, and survive what happens to meshes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.geometry.mesh import Mesh
from core.skeleton.preset import load_template
from core.skeleton.template import rig_from_joints
from core.skinning.bind import BindOptions, bind_shape
from core.skinning.visibility import visibility
from core.skinning.weights import limit_influences
from tests.characters import damage, person
from tests.core.skinning.solids import box, joined, prepare

EXACT = BindOptions(influences=20, least=0.0)


@cache
def somebody():
    """A person of average build and the preset's bones at its true joints."""
    character, template = person(vertices=1500), load_template("biped")
    return character.mesh, rig_from_joints(template, np.array([character.joints[n] for n in template.names]))


@cache
def weights_of_somebody() -> np.ndarray:
    mesh, rig = somebody()
    return bind_shape(prepare(mesh), rig, "auto").matrix.toarray()


@pytest.mark.sweep(1)
@pytest.mark.parametrize("noise", ["single precision", 1e-6])
def test_noise_too_small_to_see_moves_no_weight(noise, rng):
    mesh, rig = somebody()
    if noise == "single precision":
        vertices = mesh.vertices.astype(np.float32)
    else:
        vertices = mesh.vertices + noise * mesh.vertices.max() * rng.uniform(-1, 1, mesh.vertices.shape)
    one, two = (bind_shape(prepare(m), rig, "heat", EXACT).matrix.toarray() for m in (mesh, Mesh(vertices, mesh.faces)))
    assert np.abs(one - two).max() < 1e-3


def test_visibility_fades_from_seen_to_hidden():
    """The way to a bone beyond a gap, as the gap opens."""
    shape = prepare(joined(box((0, 0, 0), (0.3, 0.3, 1)), box((0.38, 0, 0), (0.7, 0.3, 1))))
    start, end = (shape.frame.to_unit(np.stack([x, np.full(601, 0.15), np.full(601, 0.5)], 1))
                  for x in (np.full(601, 0.2), np.linspace(0.25, 0.45, 601)))
    seen = visibility(shape.field, start, end)
    assert seen[0] == 1 and seen[-1] == 0
    assert ((seen > 0) & (seen < 1)).any()
    assert np.abs(np.diff(seen)).max() < 0.15, "no jump"


def test_skin_that_the_solid_lost_sees_the_bone_under_it():
    shape = prepare(box((0, 0, 0), (0.3, 0.3, 1)))
    start, end = (shape.frame.to_unit(np.array([[0.15, 0.15, z]])) for z in (1.06, 0.8))
    assert shape.field.sample(start)[0] > 0.02
    assert visibility(shape.field, start, end)[0] == 1


def test_the_bone_that_goes_is_the_one_that_faded(rng):
    """Two alike bones compete for the last place: the weights change no faster than what they are made of."""
    share = np.linspace(0.15, 0.25, 2001)
    raw = np.stack([np.full(2001, 0.3), np.full(2001, 0.3), share, 0.4 - share], 1)
    kept = limit_influences(raw, 3).toarray()
    assert ((kept > 0).sum(1) <= 3).all() and np.allclose(kept.sum(1), 1)
    assert np.abs(np.diff(kept, axis=0)).max() < 40 * np.abs(np.diff(raw, axis=0)).max()
    assert np.allclose(kept[0], np.array([0.3, 0.3, 0, 0.25]) / 0.85)
    even = limit_influences(np.full((1, 5), 0.2), 4).toarray()
    assert even.sum() == 1 and (even > 0).sum() <= 4


@pytest.mark.sweep(2)
@pytest.mark.parametrize("kinds", ["duplicate", "flip", "holes", "pepper", "shatter", ("shatter", "loosen"),
                                   ("duplicate", "flip", "pepper", "shatter", "loosen")])
def test_damage_moves_weights_little_and_leaves_no_vertex_bare(kinds):
    mesh, rig = somebody()
    numbered = Mesh(mesh.vertices, mesh.faces, "someone", np.arange(len(mesh.vertices)))
    broken = damage(numbered, np.random.default_rng(1), kinds)
    weights = bind_shape(prepare(Mesh(broken.vertices, broken.faces)), rig, "auto").matrix.toarray()
    assert np.allclose(weights.sum(1), 1)
    assert np.abs(weights - weights_of_somebody()[broken.part_of_vertex]).sum(1).mean() < 0.1
