"""Weights carried over a surface: to other meshes of the same body, and to its other side."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from core.errors import BadMesh
from core.geometry.mesh import Mesh
from core.skinning.copying import (
    _samples,
    copied_weights,
    mirror_plane_of,
    nearest_on_surface,
    symmetrised_weights,
)
from tests.core.skinning.solids import box, joined, tube


def cylinder(radius: float, length: float, around: int = 24, rings: int = 41) -> Mesh:
    """A closed cylinder about x, its middle at the origin."""
    mesh = tube(radius, length, around, rings)
    return Mesh(mesh.vertices - [length / 2, 0, 0], mesh.faces)


BODY = cylinder(0.1, 1.0)


def along(mesh: Mesh) -> np.ndarray:
    """(V, 3) weights of three bones that fade into each other along x."""
    x = mesh.vertices[:, 0]
    first, last = np.clip(0.5 - 2 * x, 0, 1), np.clip(2 * x - 0.5, 0, 1)
    return np.stack([first, 1 - first - last, last], 1)


def test_the_nearest_place_is_the_nearest(rng):
    mesh = box((-1, -2, -3), (1, 2, 3))
    points = rng.uniform(-4, 4, (500, 3))
    place = nearest_on_surface(mesh, points)
    half = np.array([1, 2, 3])
    outside = np.linalg.norm(np.maximum(np.abs(points) - half, 0), axis=1)
    inside = (half - np.abs(points)).min(1)
    np.testing.assert_allclose(place.distance, np.where(outside > 0, outside, inside), atol=2e-3)
    np.testing.assert_allclose(place.shares.sum(1), 1)
    at = np.einsum("nk,nkd->nd", place.shares, mesh.vertices[place.corners])
    np.testing.assert_allclose(np.linalg.norm(at - points, axis=1), place.distance, atol=1e-9)


def test_another_mesh_of_the_same_body_gets_the_same_weights():
    coarse = cylinder(0.1, 1.0, 10, 13)
    found = copied_weights(BODY, along(BODY), coarse).toarray()
    within = np.abs(coarse.vertices[:, 0]) < 0.49  # at the rim the two look different ways
    np.testing.assert_allclose(found[within], along(coarse)[within], atol=0.03)
    np.testing.assert_allclose(found.sum(1), 1, atol=1e-12)


def test_a_copy_of_the_same_mesh_gets_the_same_weights_at_sharp_edges_too(rng):
    held = rng.dirichlet(np.ones(4), len(BODY.vertices))
    np.testing.assert_allclose(copied_weights(BODY, held, BODY).toarray(), held, atol=1e-6)


@pytest.mark.long
def test_what_stands_off_is_filled_in_from_what_lies_close():
    sleeve = cylinder(0.11, 0.5, rings=21)
    apart = sleeve.vertices.copy()
    apart[:, 1:] *= 1 + 12 * np.maximum(apart[:, :1], 0)  # its end flares out, far off the body
    flared = Mesh(apart, sleeve.faces)
    found = copied_weights(BODY, along(BODY), flared).toarray()
    close = sleeve.vertices[:, 0] <= 0
    np.testing.assert_allclose(found[close], along(sleeve)[close], atol=0.03)
    steps = np.abs(np.diff(found[np.argsort(apart[:, 0], kind="stable")], axis=0)).max()
    assert steps < 0.15 and (found >= 0).all(), "no tear where the copied weights end"
    for size in (100, 1e-4):
        body, worn = (Mesh(size * mesh.vertices, mesh.faces) for mesh in (BODY, flared))
        np.testing.assert_allclose(copied_weights(body, along(BODY), worn).toarray(), found, atol=1e-6)


def test_the_arm_beside_is_not_the_trunk():
    """A shirt lies between the flank and a hanging arm: what looks the other way is not what it lies on."""
    arm = Mesh(BODY.vertices * [1, 0.4, 0.4] + [0, 0.21, 0], BODY.faces)
    body = joined(BODY, arm)
    held = np.repeat(np.eye(2), [len(BODY.vertices), len(arm.vertices)], axis=0)
    shirt = Mesh(BODY.vertices * [0.8, 1.35, 1.35], BODY.faces)
    found = copied_weights(body, held, shirt).toarray()
    assert found[:, 0].min() > 0.5


def off_body(size: float, x: float, lift: float = 0.1) -> Mesh:
    """A cube beside the cylinder, at x along it."""
    return box((x - size / 2, -size / 2, lift), (x + size / 2, size / 2, lift + size), cells=3)


@pytest.mark.parametrize(("piece", "wanted"), [
    (off_body(0.02, -0.06), None),  # a button between two bones: as the cloth beneath it, everywhere the same
    (off_body(0.04, -0.23), (1, 0, 0)),  # an eye beside the neck
    (off_body(0.03, -0.04, -0.05), None)])  # inside the body, too
def test_a_small_loose_part_moves_as_one_piece(piece, wanted):
    """Otherwise eyes are squashed and teeth bend where bones blend."""
    found = copied_weights(BODY, along(BODY), joined(piece, cylinder(0.11, 0.8))).toarray()
    found, cloth = found[:len(piece.vertices)], found[len(piece.vertices):]
    assert np.ptp(found, axis=0).max() < 1e-12
    if wanted is not None:
        np.testing.assert_array_equal(found[0], wanted)
    else:
        np.testing.assert_allclose(found[0], along(Mesh(piece.vertices.mean(0)[None], []))[0], atol=0.03)
    assert np.ptp(cloth[:, 0]) > 0.9, "cloth bends"


def test_a_small_part_over_what_moves_apart_follows_one_bone():
    """A tongue lies between chin and throat: half and half, it would hang between the two."""
    held = (BODY.vertices[:, :1] > 0.005).astype(float)
    piece = off_body(0.04, 0.02, -0.05)
    found = copied_weights(BODY, np.concatenate([1 - held, held], 1), piece).toarray()
    np.testing.assert_array_equal(found, np.tile([0.0, 1.0], (len(found), 1)))


def test_a_larger_part_that_one_bone_has_nearly_follows_it_wholly():
    ball = off_body(0.15, -0.3)
    found = copied_weights(BODY, along(BODY), ball).toarray()
    assert along(BODY)[np.abs(BODY.vertices[:, 0] + 0.24) < 0.02, 0].min() < 1
    np.testing.assert_array_equal(found[:, 0], 1)


def test_at_most_as_many_influences_as_asked(rng):
    held = rng.random((len(BODY.vertices), 9))
    found = copied_weights(BODY, held, BODY, most=3)
    assert np.diff(found.indptr).max() == 3 and found.data.min() >= 0
    np.testing.assert_allclose(np.asarray(found.sum(1)).ravel(), 1)


def test_a_surface_without_area_is_refused():
    flat = Mesh(np.zeros((3, 3)), np.array([[0, 1, 2]]), "thread")
    with pytest.raises(BadMesh, match="thread"):
        copied_weights(flat, np.ones((3, 1)), BODY)


def test_the_mirror_plane_lies_between_the_bones_of_pairs(rng):
    heads = rng.normal(size=(6, 3))
    normal = np.array([0.6, 0.8, 0.0])
    images = heads - 2 * ((heads @ normal) - 0.3)[:, None] * normal
    on_side = np.where((heads @ normal > 0.3)[:, None], heads, images)
    both = np.concatenate([on_side, on_side - 2 * ((on_side @ normal) - 0.3)[:, None] * normal])
    found, offset = mirror_plane_of(both, np.arange(6), np.arange(6, 12))
    np.testing.assert_allclose([*found, offset], [*normal, 0.3], atol=1e-12)
    with pytest.raises(BadMesh, match="two sides"):
        mirror_plane_of(both, np.zeros(0, int), np.zeros(0, int))


@pytest.mark.parametrize("remeshed", [False, True])
def test_one_side_becomes_the_image_of_the_other(remeshed):
    x = BODY.vertices[:, 0]
    if remeshed:  # the rings of the two halves lie in other places
        x = np.where(x < 0, -0.5 * (2 * np.abs(x)) ** 1.3, x)
    mesh = Mesh(np.c_[x, BODY.vertices[:, 1:]], BODY.faces)
    left = np.clip(0.5 + 2 * x, 0, 1)
    held = np.stack([left, 1 - left], 1)
    spoiled = held.copy()
    spoiled[x < -0.05] = [0.7, 0.3]
    even, without = symmetrised_weights(mesh, spoiled, np.array([1, 0]), np.array([1.0, 0, 0]), 0.0)
    np.testing.assert_allclose(even.toarray(), held, atol=1e-6)
    assert not without.any()


def test_what_has_no_image_keeps_its_weights():
    sword = Mesh(BODY.vertices * [0.2, 0.2, 0.2] + [-0.3, 0, 0.5], BODY.faces)
    mesh = joined(BODY, sword)
    held = np.tile([0.8, 0.2], (len(mesh.vertices), 1))
    even, without = symmetrised_weights(mesh, sparse.csr_matrix(held), np.array([1, 0]), np.array([1.0, 0, 0]), 0.0)
    at_sword = np.arange(len(mesh.vertices)) >= len(BODY.vertices)
    np.testing.assert_array_equal(without, at_sword)
    np.testing.assert_allclose(even.toarray()[at_sword], held[at_sword])
    right = ~at_sword & (mesh.vertices[:, 0] < -1e-3)
    np.testing.assert_allclose(even.toarray()[right], [0.2, 0.8] * np.ones((right.sum(), 1)))


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_what_lies_in_the_mirror_plane_takes_the_mean_wherever_and_however_large_the_body_is(scale):
    normal, x = np.array([0.0, -1.0, 0.0]), BODY.vertices[:, 0]
    places = scale * np.c_[BODY.vertices[:, 1], 5.0 - x, BODY.vertices[:, 2]]  # its plane is y == 5 scale
    held = np.where((np.abs(x) < 1e-9)[:, None], [0.9, 0.1], np.where((x > 0)[:, None], [0.6, 0.4], [0.2, 0.8]))
    even, without = symmetrised_weights(Mesh(places, BODY.faces), held, np.array([1, 0]), normal, -5.0 * scale)
    expected = np.where((np.abs(x) < 1e-9)[:, None], [0.5, 0.5], np.where((x > 0)[:, None], [0.6, 0.4], [0.4, 0.6]))
    assert (np.abs(x) < 1e-9).any() and not without.any()
    at_edge = np.abs(x) < 0.11  # there the image of a vertex may lie between one in the plane and its neighbour
    np.testing.assert_allclose(even.toarray()[~at_edge | (np.abs(x) < 1e-9)],
                               expected[~at_edge | (np.abs(x) < 1e-9)], atol=1e-6)


@pytest.mark.slow
def test_needles_cost_no_more_than_they_are_worth(rng):
    start = rng.random((4000, 3))
    way = rng.normal(size=(4000, 3))
    way *= 0.5 / np.linalg.norm(way, axis=1, keepdims=True)
    needles = Mesh(np.concatenate([start, start + way, start + [0, 0, 1e-3]]), np.arange(12000).reshape(3, -1).T)
    area = 0.5 * np.linalg.norm(np.cross(way, np.broadcast_to([0, 0, 1e-3], way.shape)), axis=1)
    assert len(_samples(needles.triangles, area)[0]) < 3e6
    place = nearest_on_surface(needles, start[:50] + 0.5 * way[:50])
    assert place.distance.max() < 1e-2
