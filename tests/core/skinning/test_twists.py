"""Weights of twist bones: limbs keep theirs as a whole, wrung skin keeps its volume and does not tear."""

from __future__ import annotations

import numpy as np
import pytest

from core.pipeline import auto_rig, bind, prepare
from core.quality.weight_check import check_weights
from core.skeleton.preset import load_template
from core.skeleton.twist import twist_groups, with_twists
from core.skinning.twists import gather_twists
from tests.characters import person


@pytest.fixture(scope="module")
def body():
    """(mesh, its rig, the shape, weights without twist bones)."""
    mesh = person(vertices=8000).mesh
    rig, weights = auto_rig(mesh, load_template("biped"))
    return mesh, rig, prepare(mesh), weights.matrix


@pytest.mark.sweep(1)
@pytest.mark.parametrize("method", ["heat", "geodesic"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_weights_are_sound(body, count, method):
    mesh, rig, shape, _ = body
    matrix = bind(mesh, with_twists(rig, count), method, shape=shape).matrix
    assert np.isfinite(matrix.data).all() and matrix.data.min() > 0 and matrix.data.max() <= 1
    np.testing.assert_allclose(matrix.sum(1), 1, atol=1e-12)
    assert np.diff(matrix.indptr).max() <= 4


def test_each_limb_moves_what_it_moved(body):
    mesh, rig, shape, plain = body
    whole = with_twists(rig, 2)
    matrix = bind(mesh, whole, shape=shape).matrix
    gathered = gather_twists(twist_groups(whole), matrix)[:, :len(rig.names)]
    apart = np.asarray(abs(gathered - plain).sum(1)).ravel()
    assert (apart < 1e-9).mean() > 0.95 and apart.max() < 0.25  # where there were too many bones the least made room


def test_both_sides_are_each_others_image(body):
    mesh, rig, shape, _ = body
    whole = with_twists(rig, 2)
    matrix = bind(mesh, whole, shape=shape).matrix.toarray()
    place = {tuple(p): i for i, p in enumerate(np.round(mesh.vertices, 9) + 0.0)}
    image = np.array([place[tuple(p)] for p in np.round(mesh.vertices * [-1, 1, 1], 9) + 0.0])
    other = [whole.names.index(n[:-1] + {"L": "R", "R": "L"}[n[-1]] if n[-2] == "." else n) for n in whole.names]
    np.testing.assert_allclose(matrix, matrix[image][:, other], atol=1e-12)


@pytest.mark.slow
def test_wrung_limbs_keep_their_volume(body):
    """By the weight check's own measure, 90 degrees at the wrist and at the shoulder."""
    mesh, rig, shape, _ = body
    kept = []
    for count in (0, 2):
        whole = with_twists(rig, count)
        check = check_weights(mesh, whole, bind(mesh, whole, shape=shape).matrix)
        kept.append({s.pose.name: s.volume for s in check.strains})
        assert check.finding("stretch").verdict == "good"
    for pose in ("Hands twisted 90°", "Arms twisted 90°"):
        assert kept[0][pose] < 0.85 and kept[1][pose] > 0.95
