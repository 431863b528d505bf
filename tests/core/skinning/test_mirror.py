"""Mirrored mesh and skeleton, mirrored weights: to the bit, whatever the method."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.geometry.mesh import Mesh
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skeleton.template import rig_from_joints
from core.skinning.bind import BindOptions, bind_shape
from core.skinning.handles import skin_handles
from core.skinning.mirror import _exact_partners, mirror_partners, mirrored
from tests.characters import person
from tests.core.skinning.solids import box, joined, prepare

COARSE = BindOptions(resolution=64)


@cache
def somebody() -> tuple[Mesh, Rig]:
    character, template = person(vertices=1500), load_template("biped")
    return character.mesh, rig_from_joints(template, np.array([character.joints[n] for n in template.names]))


def other_side(mesh: Mesh, rig: Rig) -> tuple[np.ndarray, np.ndarray]:
    """The vertex and the bone on the other side of each, by exact position and by name."""
    place = {tuple(v): i for i, v in enumerate((mesh.vertices + 0.0).tolist())}
    vertex = np.array([place[tuple(v)] for v in (mesh.vertices * [-1.0, 1, 1] + 0.0).tolist()])
    swap = {".L": ".R", ".R": ".L"}
    return vertex, np.array([rig.names.index(n[:-2] + swap[n[-2:]] if n[-2:] in swap else n) for n in rig.names])


@pytest.mark.sweep(1)
@pytest.mark.parametrize("method", ["auto", "heat", "geodesic"])
def test_both_sides_get_the_same_weights(method):
    mesh, rig = somebody()
    vertex, bone = other_side(mesh, rig)
    weights = bind_shape(prepare(mesh), rig, method, COARSE).matrix.toarray()
    assert np.abs(weights - weights[vertex][:, bone]).max() < 1e-12


def test_small_differences_between_the_sides_do_not_matter(rng):
    """Noise of 1e-5 of the size, faces in another order: an artist's mirrored mesh after export."""
    mesh, rig = somebody()
    vertex, bone = other_side(mesh, rig)
    moved = Mesh(mesh.vertices + 1e-5 * rng.uniform(-1, 1, mesh.vertices.shape), mesh.faces[::-1])
    weights = bind_shape(prepare(moved), rig, "heat", COARSE).matrix.toarray()
    assert np.abs(weights - weights[vertex][:, bone]).max() < 1e-12


def test_a_hole_takes_its_weights_from_the_other_side():
    """The weights of vertices that lost their faces are those their mirror images have."""
    mesh, rig = somebody()
    vertex, bone = other_side(mesh, rig)
    middle = mesh.triangles.mean(1)
    broken = Mesh(mesh.vertices, mesh.faces[np.linalg.norm(middle - rig.heads[rig.names.index("forearm.L")], axis=1)
                                            > 0.07 * np.ptp(mesh.vertices[:, 2])])
    lost = np.setdiff1d(np.arange(len(mesh.vertices)), broken.faces)
    weights = bind_shape(prepare(broken), rig, "heat", COARSE).matrix.toarray()
    assert len(lost) > 5
    assert np.abs(weights[lost] - weights[vertex[lost]][:, bone]).max() < 1e-12


@pytest.mark.slow
def test_a_sword_in_one_hand_leaves_the_body_mirrored():
    mesh, rig = somebody()
    hand = rig.tails[rig.names.index("hand.L")]
    armed = joined(mesh, box(hand - 0.02, hand + [0.02, 0.02, 0.9], 2))
    vertex, bone = other_side(mesh, rig)
    partners = mirror_partners(prepare(armed).mesh, skin_handles(prepare(armed), rig))
    assert partners is not None and np.isfinite(partners[2]), "what is on one side only may pull its side away"
    assert np.isinf(mirror_partners(prepare(mesh).mesh, skin_handles(prepare(mesh), rig))[2])
    weights = bind_shape(prepare(armed), rig, "heat", COARSE).matrix.toarray()[: len(mesh.vertices)]
    assert np.abs(weights - weights[vertex][:, bone]).max() < 1e-12


@pytest.mark.parametrize("bone", ["shin.L", "hand.L"])
def test_what_one_side_alone_wears_has_whole_weights_of_that_side(bone):
    """Ways to far bones are not measured; the partner's bones across the body must not be missed for that."""
    mesh, rig = somebody()
    middle = 0.5 * (rig.heads + rig.tails)[rig.names.index(bone)]
    worn = joined(mesh, box(middle - 0.1, middle + 0.1, 2))
    weights = bind_shape(prepare(worn), rig, "geodesic", BindOptions(resolution=96, rigid_parts=False)).matrix.toarray()
    np.testing.assert_allclose(weights.sum(1), 1, atol=1e-9)
    others = [b for b, name in enumerate(rig.names) if name.endswith(".R")]
    assert weights[len(mesh.vertices):, others].max() < 0.01


def test_distances_are_averaged_but_where_a_side_misses_what_the_other_is_nearest_to():
    partners = np.array([1, 0, 3, 2]), np.array([1, 0, 2]), np.inf, np.full(4, 0.5)
    far = np.inf
    values = np.array([[1, 3, 2], [5, 1, 4], [1, far, 3], [2, far, far]], np.float32)
    even = mirrored(values, partners)
    np.testing.assert_array_equal(even, [[1, 4, 3], [4, 1, 3], [1, far, 3], [2, far, far]])


def test_unlike_sides_are_left_alone():
    mesh, rig = somebody()
    bent = rig.heads + np.where(np.array([n.endswith(".L") for n in rig.names])[:, None], [0, 0, 0.05], 0)
    lame = Rig(rig.names, rig.parents, bent, rig.tails)
    shape = prepare(mesh)
    assert mirror_partners(shape.mesh, skin_handles(shape, lame)) is None
    lopsided = prepare(Mesh(mesh.vertices * np.where(mesh.vertices[:, :1] > 0, [1.1, 1, 1], 1), mesh.faces))
    assert mirror_partners(lopsided.mesh, skin_handles(lopsided, rig)) is None
    values = np.arange(6.0).reshape(3, 2)
    assert mirrored(values, None) is values


@pytest.mark.parametrize("middle", [0.0, 0.5, -0.25])
def test_partners_are_found_wherever_the_mirror_plane_lies(middle):
    mesh, rig = somebody()
    vertex, _ = other_side(mesh, rig)
    points = np.round(mesh.vertices, 6)
    near = _exact_partners(points + [middle, 0, 0], middle)
    known = near >= 0
    assert known.mean() > 0.9
    np.testing.assert_array_equal(near[known], vertex[known])


def test_mirrored_values_are_the_same_however_many_are_taken_at_a_time(rng, monkeypatch):
    mesh, rig = somebody()
    shape = prepare(mesh)
    handles = skin_handles(shape, rig)
    partners = mirror_partners(shape.mesh, handles)
    values = rng.random((len(shape.mesh.vertices), len(handles.bones)))
    whole = mirrored(values, partners)
    monkeypatch.setattr("core.skinning.mirror._ROWS", 7)
    np.testing.assert_array_equal(mirrored(values, partners), whole)
