"""What an artist has locked or not selected stays; the rest shares what is left."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from core.errors import BadRig
from core.pipeline import bind
from core.skeleton.rig import Rig
from core.skinning.weights import Kept, SkinWeights, limit_influences, merge_weights
from tests.core.skinning.solids import tube


@pytest.fixture
def skins(rng):
    """Fresh and old weights of 200 vertices to 6 bones, some rows of the old ones not summing to 1, some bare."""
    fresh = rng.random((200, 6)) * (rng.random((200, 6)) > 0.4)
    fresh[:, 0] += 1e-3
    old = rng.random((200, 6)) * (rng.random((200, 6)) > 0.5)
    old[:20] = 0
    return fresh / fresh.sum(1, keepdims=True), old * 0.3


LOCKED = np.array([False, True, False, False, True, False])


def naive(fresh, old, locked, where):
    """The same, a vertex at a time."""
    out = old.copy()
    for i in np.flatnonzero(where > 0):
        held, mine, new = old[i] * locked, old[i] * ~locked, fresh[i] * ~locked
        new, mine = (x / x.sum() if x.sum() > 0 else x for x in (new, mine))
        new = new if new.any() else mine
        blend = where[i] * new + (1 - where[i]) * mine if mine.any() else new
        if blend.any():
            out[i] = held + max(1 - held.sum(), 0) * blend / blend.sum()
        elif held.any():
            out[i] = held / min(held.sum(), 1)
        else:
            out[i] = 0
    return out


def test_it_equals_the_naive_loop(skins, rng):
    fresh, old = skins
    where = np.where(rng.random(200) < 0.3, 0, rng.random(200))
    merged = merge_weights(fresh, old, locked=LOCKED, where=where).toarray()
    np.testing.assert_allclose(merged, naive(fresh, old, LOCKED, where), atol=1e-12)


def test_locked_bones_keep_their_weights_and_rows_sum_to_one(skins):
    fresh, old = skins
    merged = merge_weights(fresh, old, locked=LOCKED).toarray()
    np.testing.assert_allclose(merged.sum(1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(merged[:, LOCKED], old[:, LOCKED])


def test_a_lock_may_hold_on_some_vertices_only(skins):
    fresh, old = skins
    of_vertex = LOCKED & (np.arange(200) < 100)[:, None]
    merged = merge_weights(fresh, old, locked=of_vertex).toarray()
    np.testing.assert_array_equal(merged[:100], merge_weights(fresh, old, locked=LOCKED).toarray()[:100])
    np.testing.assert_allclose(merged[100:], fresh[100:], atol=1e-12)


def test_vertices_left_out_keep_their_bits_even_if_they_sum_to_nothing_sensible(skins):
    fresh, old = skins
    where = np.arange(200) % 3 == 0
    merged = merge_weights(fresh, old, locked=LOCKED, where=where).toarray()
    np.testing.assert_array_equal(merged[~where], old[~where])
    np.testing.assert_allclose(merged[where].sum(1), 1.0, atol=1e-12)


def test_without_locks_and_selection_the_fresh_weights_come_out(skins):
    fresh, old = skins
    np.testing.assert_allclose(merge_weights(fresh, old).toarray(), fresh, atol=1e-12)


def test_influences_are_limited_locked_ones_counted(skins):
    fresh, old = skins
    merged = merge_weights(fresh, old, locked=LOCKED, most=3).toarray()
    held = (old[:, LOCKED] > 0).sum(1)
    assert ((merged > 0).sum(1) <= np.maximum(held + 1, 3)).all()
    np.testing.assert_allclose(merged.sum(1), 1.0, atol=1e-12)


@pytest.mark.parametrize("most", [2, 3, 4, 7])
def test_limiting_does_not_tear_neighbours_apart(rng, most):
    """Along a path on which bones pass each other, ever closer vertices get ever closer weights."""
    start, end = (x / x.sum() for x in rng.random((2, 8)))
    largest = []
    for count in (1001, 10001):
        path = start + np.linspace(0, 1, count)[:, None] * (end - start)
        limited = limit_influences(path, most).toarray()
        np.testing.assert_allclose(limited.sum(1), 1.0)
        assert ((limited > 0).sum(1) <= most).all()
        np.testing.assert_allclose(merge_weights(path, 0 * path, most=most).toarray(), limited, atol=1e-9)
        largest.append(np.abs(np.diff(limited, axis=0)).sum(1).max())
    assert largest[1] < 0.2 * largest[0]


def test_more_than_everything_locked_leaves_no_room():
    merged = merge_weights([[0.5, 0.5]], [[1.5, 0.25]], locked=[True, False]).toarray()
    np.testing.assert_array_equal(merged, [[1.5, 0.0]])


def test_what_only_locked_bones_could_move_keeps_its_proportions():
    merged = merge_weights([[1.0, 0, 0]], [[0.25, 0.1, 0.1]], locked=[True, False, False]).toarray()
    np.testing.assert_allclose(merged, [[0.25, 0.375, 0.375]])
    alone = merge_weights([[1.0, 0]], [[0.25, 0]], locked=[True, False]).toarray()
    np.testing.assert_array_equal(alone, [[1.0, 0]])


def test_binding_shares_what_a_locked_bone_leaves():
    mesh = tube(length=1.0)
    rig = Rig(("a", "b", "c"), (-1, 0, 1), [[0, 0, 0], [0.3, 0, 0], [0.6, 0, 0]],
              [[0.3, 0, 0], [0.6, 0, 0], [1.0, 0, 0]])
    old = np.zeros((len(mesh.vertices), 3))
    old[:, 1] = np.where(mesh.vertices[:, 0] < 0.5, 0.5, 0.0)
    chosen = mesh.vertices[:, 0] > 0.2
    kept = Kept(sparse.csr_matrix(old), np.array([False, True, False]), chosen)
    matrix = bind(mesh, rig, kept=kept).matrix.toarray()
    np.testing.assert_array_equal(matrix[:, 1], old[:, 1])
    np.testing.assert_array_equal(matrix[~chosen], old[~chosen])
    np.testing.assert_allclose(matrix[chosen].sum(1), 1.0, atol=1e-12)
    assert (matrix[mesh.vertices[:, 0] > 0.9, 2] > 0.9).all()


def test_a_skeleton_locked_altogether_is_refused():
    mesh = tube()
    rig = Rig(("a",), (-1,), [[0, 0, 0]], [[1, 0, 0]])
    kept = Kept(sparse.csr_matrix(np.ones((len(mesh.vertices), 1))), np.array([True]))
    with pytest.raises(BadRig, match="locked"):
        bind(mesh, rig, kept=kept)


def test_a_share_that_is_no_number_is_refused():
    """Its vertex lost all weights."""
    weights = sparse.csr_matrix(np.full((2, 2), 0.5))
    with pytest.raises(ValueError, match="no number"):
        merge_weights(weights, weights, where=[np.nan, 1.0])


def test_a_weight_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="no number"):
        SkinWeights(sparse.csr_matrix([[1.0, 0.0], [np.nan, 0.5]]), ("a", "b"), "heat")
