"""What people have about them as the network learns it: closed shapes near the part they belong to, now and then."""

from __future__ import annotations

import numpy as np
import pytest

from tests.learning.clad import CLAD, MADE, clad, tube
from tests.learning.cutting import ABSENT

from .test_wearing import JOINTS, SEEDS, VERTICES, is_closed

HEIGHT = np.ptp(VERTICES[:, 2])


@pytest.mark.parametrize("what", MADE)
def test_each_thing_is_closed_and_reaches_near_the_body(what):
    for seed in SEEDS:
        made = MADE[what](VERTICES, JOINTS, np.random.default_rng(seed))
        assert all(np.isfinite(points).all() and is_closed(faces) for points, faces in made)
        points = np.concatenate([points for points, _ in made])
        assert np.linalg.norm(points[:, None] - np.array(list(JOINTS.values())), axis=2).min() < 0.15 * HEIGHT
        assert np.ptp(points, axis=0).max() < 1.4 * HEIGHT


def test_hats_lie_above_the_neck_packs_behind_the_back_and_robes_reach_down():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        assert all(points[:, 2].mean() > JOINTS["neck"][2] for points, _ in MADE["hat"](VERTICES, JOINTS, rng))
        assert MADE["pack"](VERTICES, JOINTS, rng)[0][0][:, 1].mean() > JOINTS["neck"][1]
        robe = MADE["robe"](VERTICES, JOINTS, rng)[0][0]
        assert robe[:, 2].min() < VERTICES[:, 2].min() + 0.31 * HEIGHT < JOINTS["hips"][2] < robe[:, 2].max() + 0.03


def test_a_share_of_people_has_some_and_a_body_that_lacks_an_arm_none():
    drawn = [clad(VERTICES, JOINTS, np.random.default_rng(seed)) for seed in range(400)]
    assert np.mean([len(d) > 0 for d in drawn]) == pytest.approx(CLAD, abs=0.08)
    armless = JOINTS | {"hand.L": ABSENT}
    assert not any(clad(VERTICES, armless, np.random.default_rng(seed)) for seed in range(50))


def test_a_round_tube_has_its_radius_and_a_square_one_is_wider_at_its_corners():
    line = np.array([[0.0, 0, 0], [0, 0, 1.0], [0, 0, 2.0]])
    for square, most in ((0.0, 1.0), (1.0, np.sqrt(2))):
        points, _ = tube(line, np.ones(3), np.random.default_rng(1), square)
        away = np.linalg.norm(points[:-2, :2], axis=1)
        assert away.min() > 0.99 and away.max() < most + 1e-9
        assert away.max() > (0.99 if square == 0 else 1.15)
