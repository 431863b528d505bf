"""Where a loose part begins to be a beard: by what it weighs, lies before, hangs from, and how large it is."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from core.skinning.beards import follow_chin
from tests.core.skinning.solids import box
from tests.limits import turning_point

HEAD = box((-0.1, -0.1, 0.8), (0.1, 0.14, 1.0), cells=16).vertices  # the chin at 0.8, the face at y = -0.1
CHEST = box((-0.15, -0.1, 0.2), (0.15, 0.1, 0.7)).vertices
RIG = SimpleNamespace(names=("chest", "neck", "head"), parents=(-1, 0, 1))


def board(low: float, top: float, aside: float, off: float, wide: float) -> np.ndarray:
    """(N, 3) vertices of a board before the face, so far off it and beside its middle."""
    x, z = (one.ravel() for one in np.meshgrid(np.linspace(-wide / 2, wide / 2, 5), np.linspace(low, top, 101)))
    return np.stack([aside + x, np.full(len(x), -0.1 - off), z], 1)


def beard(*, low: float = 0.6, top: float = 0.85, aside: float = 0.0, off: float = 0.01) -> np.ndarray:
    return board(low, top, aside, off, 0.04)


def follows(points: np.ndarray | None = None, *, head: float = 0.0, neck: float = 0.0, of_face: float = 1.0,
            beneath: float | None = None) -> bool:
    """Whether a part follows the head alone that has such shares of its weights on head and neck; else nothing changes.

    of_face : the head's share of the face;  beneath : that of a part between beard and face
    """
    parts = [(HEAD, of_face, 0.0), (CHEST, 0.0, 0.0), (beard() if points is None else points, head, neck)]
    if beneath is not None:
        parts.insert(0, (board(0.75, 0.9, 0.0, 0.005, 0.04), beneath, 0.0))
    size = [len(one) for one, *_ in parts]
    at = np.concatenate([one for one, *_ in parts]) + [0.3, 0, 0]  # it may stand anywhere
    shares = np.repeat([[1 - h - n, n, h] for _, h, n in parts], size, axis=0)
    shape = SimpleNamespace(mesh=SimpleNamespace(vertices=at), welded_of_vertex=np.arange(len(at)))
    found = follow_chin(shape, RIG, sparse.csr_matrix(shares), np.repeat(np.arange(len(parts)), size)).toarray()
    np.testing.assert_array_equal(found[:-size[-1]], shares[:-size[-1]])
    is_beard = bool((found[-size[-1]:] == [0, 0, 1]).all())
    assert is_beard or np.array_equal(found, shares)
    return is_beard


def test_what_head_and_neck_hold_half_of_is_right_as_it_is():
    assert follows(head=0.2, neck=0.2) and not follows(head=0.3, neck=0.3)
    assert turning_point(lambda share: follows(head=share), 0.0, 0.9) == pytest.approx(0.5, abs=0.002)


def test_a_face_is_what_the_head_moves_almost_alone():
    assert turning_point(lambda share: follows(of_face=share), 0.5, 1.0) == pytest.approx(0.9, abs=0.002)


def test_what_is_seen_from_the_side_or_behind_or_ends_above_the_chin_is_no_beard():
    assert not follows(beard(low=0.81)), "a moustache"
    assert not follows(beard() + [0, 0.26, 0]), "a plait"
    for side in (1, -1):  # a quarter of the face's width to either side
        limit = turning_point(lambda aside, side=side: follows(beard(aside=side * aside)), 0.0, 0.09)
        assert limit == pytest.approx(0.05, abs=0.001)


def test_a_beard_begins_on_skin_of_the_head():
    assert turning_point(lambda off: follows(beard(off=off)), 0.005, 0.05) == pytest.approx(0.03, abs=0.003)
    assert not follows(beard(top=0.74, low=0.5)), "a tie"
    assert turning_point(lambda share: follows(beneath=share), 0.55, 0.85) == pytest.approx(0.7, abs=0.002)
    low = turning_point(lambda low: follows(beard(low=low, top=0.81)), 0.3605, 0.7)
    seat = np.sqrt(0.03**2 - 0.01**2) + 0.01  # as far down from its top as skin of the head is near
    assert seat / (0.81 - low) == pytest.approx(0.7 * 0.15, rel=0.05), "most of its upper end, a seventh of its height"


def test_how_large_a_beard_is():
    low = turning_point(lambda low: follows(beard(low=low, top=0.9)), 0.3, 0.6)
    assert 0.9 - low == pytest.approx(0.45, abs=0.002), "longer is a scarf"
    few = np.array([[0, -0.11, 0.85], [-0.02, -0.11, 0.85], [0.02, -0.11, 0.85], [0, -0.11, 0.6], [0.01, -0.11, 0.6]])
    assert follows(few) and not follows(few[:4]), "a button"


def test_a_body_without_a_head_or_in_one_piece_keeps_its_weights():
    shape = SimpleNamespace(mesh=SimpleNamespace(vertices=HEAD), welded_of_vertex=np.arange(len(HEAD)))
    weights = sparse.csr_matrix(np.tile([0.0, 0.0, 1.0], (len(HEAD), 1)))
    one, two = np.zeros(len(HEAD), int), (HEAD[:, 2] > 0.9).astype(int)
    headless = SimpleNamespace(names=("chest", "neck", "skull"), parents=RIG.parents)
    assert follow_chin(shape, RIG, weights, one) is follow_chin(shape, headless, weights, two) is weights
