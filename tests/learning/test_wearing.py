"""Wings and capes that people wear as the network learns them: closed, behind the back, and now and then."""

from __future__ import annotations

import numpy as np
import pytest

from tests.characters import person
from tests.learning.cutting import ABSENT
from tests.learning.wearing import CAPES, WINGS, cape, wearing, wings

BODY = person(vertices=1500)
VERTICES, JOINTS = BODY.mesh.vertices, {n: np.asarray(p, float) for n, p in BODY.joints.items()}
SEEDS = range(12)


def is_closed(faces: np.ndarray) -> bool:
    """Whether each edge is run through once each way."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    return len(np.unique(edges, axis=0)) == len(edges) and np.array_equal(
        np.unique(edges, axis=0), np.unique(edges[:, ::-1], axis=0))


@pytest.mark.parametrize("make", [wings, cape])
def test_each_sheet_is_closed_and_lies_behind_where_it_hangs(make):
    for seed in SEEDS:
        for points, faces in make(VERTICES, JOINTS, np.random.default_rng(seed)):
            assert np.isfinite(points).all() and is_closed(faces)
            assert points[:, 1].mean() > JOINTS["neck"][1]


def test_wings_come_in_pairs_but_for_a_few_and_reach_out_further_than_a_cape():
    made = [wings(VERTICES, JOINTS, np.random.default_rng(seed)) for seed in SEEDS]
    assert {len(w) for w in made} >= {2, 4}
    for sheets in made:
        if len(sheets) == 2:
            left, right = (np.sort(np.abs(points[:, 0] - JOINTS["neck"][0])) for points, _ in sheets)
            np.testing.assert_allclose(left, right, atol=1e-9)
    height = np.ptp(VERTICES[:, 2])
    assert np.mean([max(np.ptp(p, axis=0).max() for p, _ in sheets) for sheets in made]) > 0.35 * height


def test_capes_hang_from_the_shoulders_to_at_least_the_hips():
    for seed in SEEDS:
        (points, _), = cape(VERTICES, JOINTS, np.random.default_rng(seed))
        assert points[:, 2].min() < JOINTS["hips"][2] + 0.06 * np.ptp(VERTICES[:, 2]) < points[:, 2].max()
        assert points[:, 2].min() > VERTICES[:, 2].min() - 0.03 * np.ptp(VERTICES[:, 2])


def test_so_many_people_wear_something_and_bodies_without_a_trunk_nothing():
    rng = np.random.default_rng(0)
    worn = sum(bool(wearing(VERTICES, JOINTS, rng)) for _ in range(600))
    assert 0.7 * (WINGS + CAPES) < worn / 600 < 1.3 * (WINGS + CAPES)
    assert not any(wearing(VERTICES, JOINTS | {"hips": ABSENT}, rng) for _ in range(100))
