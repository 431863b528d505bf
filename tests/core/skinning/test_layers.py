"""Clothes over a body: they bend with it and nothing pokes through; free cloth and hard parts are left alone."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from core.geometry.mesh import Mesh
from core.geometry.normals import vertex_normals
from core.skeleton.rig import Rig
from core.skinning.bind import BindOptions, bind_shape
from core.skinning.layers import Worn, _kindred, _worn
from tests.core.skinning.solids import box, joined, prepare, tube

ALONE = BindOptions(layers=False)


def sleeve(radius, *, low=0.2, high=0.8, along=25) -> Mesh:
    """An open tube around the x axis; the radius may change along it."""
    closed = tube(1.0, 1.0, around=20, along=along)
    points = closed.vertices[:-2] * [high - low, 1, 1] + [low, 0, 0]
    radii = np.interp(points[:, 0], np.linspace(low, high, len(np.atleast_1d(radius))), np.atleast_1d(radius))
    faces = closed.faces[(closed.faces < len(points)).all(1)]
    return Mesh(points * np.stack([np.ones(len(points)), radii, radii], 1), faces)


def elbow() -> Rig:
    """Two bones that meet off the middle."""
    return Rig(("upper", "lower"), [-1, 0], [[0.0, 0, 0], [0.5, 0.03, 0]], [[0.5, 0.03, 0], [1.0, 0, 0]])


def bent(mesh: Mesh, weights: np.ndarray) -> np.ndarray:
    """(V, 3) the mesh with the lower bone turned by 90 degrees about z."""
    turned = (mesh.vertices - [0.5, 0.03, 0]) @ np.array([[0, 1.0, 0], [-1, 0, 0], [0, 0, 1]]) + [0.5, 0.03, 0]
    return weights[:, :1] * mesh.vertices + weights[:, 1:] * turned


@cache
def dressed():
    """An arm, a sleeve 0.006 over it, a coat's 0.012 over it; meshes, their start in the whole, prepared."""
    meshes = (tube(0.1, 1.0, along=61), sleeve(0.106), sleeve(0.112, along=40, low=0.1))
    return meshes, np.cumsum([0] + [len(m.vertices) for m in meshes]), prepare(joined(*meshes))


def sunk(options: BindOptions | None) -> list[float]:
    """How deep the sleeve lies in the arm and the coat in the sleeve, bent, summed over their vertices."""
    meshes, start, shape = dressed()
    weights = bind_shape(shape, elbow(), "heat", options).matrix.toarray()
    posed = [Mesh(bent(m, weights[a:b]), m.faces) for m, a, b in zip(meshes, start, start[1:], strict=False)]
    depths = []
    for under, over, below, above in zip(meshes, meshes[1:], posed, posed[1:], strict=False):
        near = np.linalg.norm(over.vertices[:, None] - under.vertices, axis=2).argmin(1)
        out = vertex_normals(below)[near]
        depths.append(float(np.maximum(-((above.vertices - below.vertices[near]) * out).sum(1), 0).sum()))
    return depths


@pytest.mark.slow
def test_clothes_bend_with_what_is_below_them():
    meshes, start, shape = dressed()

    def differs(options) -> np.ndarray:
        weights = bind_shape(shape, elbow(), "heat", options).matrix.toarray()
        assert np.allclose(weights.sum(1), 1)
        skin = weights[:start[1], 0]
        near = [np.linalg.norm(m.vertices[:, None] - meshes[0].vertices, axis=2).argmin(1) for m in meshes[1:]]
        cloth = [weights[a:b, 0] for a, b in pairwise(start[1:])]
        return np.array([np.abs(c - skin[n]).mean() for c, n in zip(cloth, near, strict=True)])

    assert (differs(None) < 0.85 * differs(ALONE)).all()


@pytest.mark.long
def test_less_pokes_through_a_bent_elbow():
    """What is left is the crease inside the elbow, where layers meet whatever their weights."""
    assert np.all(np.array(sunk(None)) < 0.95 * np.array(sunk(ALONE)))


def test_what_hangs_free_keeps_its_own_weights():
    """A sleeve that flares from the elbow on: close at its upper end, free at the lower."""
    meshes = (tube(0.1, 1.0, along=61), sleeve((0.105, 0.105, 0.105, 0.2)))
    start, shape = len(meshes[0].vertices), prepare(joined(*meshes))
    after, alone = (bind_shape(shape, elbow(), "heat", o).matrix.toarray()[start:] for o in (None, ALONE))
    height = np.hypot(*meshes[1].vertices.T[1:]) - 0.1
    assert np.array_equal(after[height > 0.025], alone[height > 0.025])
    assert np.abs(after - alone)[height < 0.008].max() > 1e-3


@pytest.mark.parametrize("at", [0.2, 0.47])
def test_small_parts_are_no_clothes(at):
    mesh = joined(tube(0.1, 1.0, along=61), box((at, -0.03, 0.105), (at + 0.06, 0.03, 0.115), 4))
    shape = prepare(mesh)
    after, alone = (bind_shape(shape, elbow(), "heat", o).matrix.toarray() for o in (None, ALONE))
    assert np.array_equal(after, alone)


def test_loose_parts_move_in_one_piece_with_what_they_sit_on():
    """A plate on the upper arm, a button on the elbow, and a ball that is the elbow's own joint."""
    arm, plate = tube(0.1, 1.0, along=61), box((0.2, -0.03, 0.105), (0.3, 0.03, 0.115), 3)
    button, ball = box((0.48, -0.02, 0.102), (0.52, 0.02, 0.112), 3), box((0.48, 0.01, -0.02), (0.52, 0.05, 0.02), 3)
    start = np.cumsum([0] + [len(m.vertices) for m in (arm, plate, button, ball)])
    weights = bind_shape(prepare(joined(arm, plate, button, ball)), elbow(), "heat").matrix.toarray()
    skin, on_arm, on_elbow, joint = (weights[a:b] for a, b in pairwise(start))
    assert (on_arm[:, 0] == 1).all()
    assert np.ptp(on_elbow, axis=0).max() < 1e-12
    below = skin[np.linalg.norm(arm.vertices - [0.5, 0, 0.1], axis=1).argsort()[:6]]
    assert np.abs(on_elbow[0] - below.mean(0)).max() < 0.1, "it stays where it sits"
    assert (joint[:, 1] == 1).all()


def test_a_sleeve_that_reaches_beyond_what_it_covers_follows_it_on_every_side():
    """Also where it lies outside of the box of the arm."""
    arm, over = tube(0.1, 1.0, along=61), sleeve(0.106)
    whole = joined(arm, over)
    part = np.repeat([0, 1], [len(arm.vertices), len(over.vertices)])
    worn = _worn(whole, part, np.array([1.0, 0.6]), np.array([True, True]))
    np.testing.assert_array_equal(worn.rows, np.flatnonzero(part == 1))
    assert (part[worn.beneath] == 0).all() and (worn.much > 0.5).all()
    np.testing.assert_allclose(worn.shares.sum(1), 1.0)


def sheet(first, second) -> Mesh:
    """Two lines of steps (N, 3), (M, 3) from the origin spanned to a surface that looks along first x second."""
    place = np.arange(len(first) * len(second)).reshape(len(first), -1)
    a, b, c, d = place[:-1, :-1], place[1:, :-1], place[1:, 1:], place[:-1, 1:]
    faces = np.concatenate([np.stack(three, -1).reshape(-1, 3) for three in ((a, b, c), (a, c, d))])
    return Mesh((np.asarray(first)[:, None] + np.asarray(second)).reshape(-1, 3), faces)


def test_a_wall_beside_cloth_does_not_hide_the_surface_beneath_it_though_it_is_nearer():
    x, y, z = np.eye(3)
    along = np.outer(np.linspace(0, 0.12, 13), y)
    ground = sheet(np.outer(np.linspace(0, 0.04, 5), x), along)
    wall = sheet(along, np.outer(np.linspace(-0.04, 0.06, 11), z))
    strip = sheet(np.outer([0.012, 0.016], x) + 0.018 * z, along)
    part = np.repeat([0, 1, 2], [len(m.vertices) for m in (ground, wall, strip)])
    worn = _worn(joined(ground, wall, strip), part, np.array([0.12, 0.12, 0.12]), np.array([False, False, True]))
    np.testing.assert_array_equal(worn.rows, np.flatnonzero(part == 2))
    assert (part[worn.beneath] == 0).all()


@pytest.mark.parametrize("larger", [0, 1])
def test_of_two_surfaces_beneath_the_nearer_counts_whichever_has_more_vertices(larger):
    x, y, z = np.eye(3)
    along = np.outer(np.linspace(0, 0.12, 13), y)
    layers = [sheet(np.outer(np.linspace(0, 0.04, 6 if k == larger else 5), x) + 0.006 * k * z, along) for k in (0, 1)]
    strip = sheet(np.outer([0.015, 0.025], x) + 0.013 * z, along)
    part = np.repeat([0, 1, 2], [len(m.vertices) for m in (*layers, strip)])
    worn = _worn(joined(*layers, strip), part, np.array([0.12, 0.12, 0.12]), np.array([False, False, True]))
    assert len(worn.rows) == len(strip.vertices) and (part[worn.beneath] == 1).all()


def test_a_skirt_does_not_follow_the_hand_that_hangs_beside_it():
    """The skin beneath it lies a little further off than the hand's."""
    weights = np.array([[1.0, 0, 0], [0.9, 0.1, 0], [0, 0.5, 0.5], [0, 0, 1.0], [0, 0, 1.0]])
    worn = Worn(np.array([0, 1]), np.array([[1, 2, 3, 4], [2, 3, 4, 3]]), np.array([[0.1, 0.2, 0.3, 0.4], [0.25] * 4]),
                np.array([1.0, 0.5]))
    found = _kindred(weights, worn)
    assert found.rows.tolist() == [0, 1] and found.much.tolist() == [1.0, 0.5]
    np.testing.assert_allclose(found.shares, [[1, 0, 0, 0], [1, 0, 0, 0]])
    bare = _kindred(weights, Worn(np.array([0]), np.array([[2, 3, 4, 3]]), np.full((1, 4), 0.25), np.ones(1)))
    assert len(bare.rows) == len(bare.beneath) == len(bare.shares) == len(bare.much) == 0
