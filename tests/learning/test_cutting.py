"""Characters that lack something: what is beyond a cut is gone, joints with it, and the hole is closed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.learning.cutting import ABSENT, LIMBS, cut
from tests.learning.test_posing import woman

SEEDS = range(24)


def made_with_joints() -> tuple[dict, dict[str, np.ndarray]]:
    made = woman()
    heads = {j["name"]: np.asarray(j["head"]) for j in made["joints"]}
    tails = {j["name"]: np.asarray(j["tail"]) for j in made["joints"]}
    joints = {n: heads[n] for names, _ in LIMBS["biped"].values() for stem in names
              for n in (f"{stem}.L", f"{stem}.R") if n in heads}
    return made, joints | {"hips": heads["hips"], "neck": heads["neck"], "head": heads["head"]} | {
        f"{end}.{s}": tails[f"{bone}.{s}"] for end, bone in (("hand_tip", "hand"), ("toe_tip", "toe")) for s in "LR"}


def edges_of(faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How often each edge is used, without regard to the way, and with it."""
    directed = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    return tuple(np.unique(e, axis=0, return_counts=True)[1] for e in (np.sort(directed, 1), directed))


@pytest.mark.parametrize("seed", SEEDS)
def test_joints_are_absent_from_a_place_on_and_lie_in_what_is_left(seed):
    made, joints = made_with_joints()
    vertices, faces, left = cut(made, joints, np.random.default_rng(seed))
    assert set(left) == set(joints) and any(p is ABSENT for p in left.values())
    for names, _ in LIMBS["biped"].values():
        for side in "LR":
            gone = [left[f"{n}.{side}"] is ABSENT for n in names]
            assert gone == sorted(gone)  # nothing is there again beyond what is cut off
    used = vertices[np.unique(faces)]
    low, high = used.min(0) - 0.01, used.max(0) + 0.01
    there = np.array([p for p in left.values() if p is not ABSENT])
    assert (low < there).all() and (there < high).all()
    assert left["neck"] is joints["neck"] and left["head"] is joints["head"]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_hole_is_closed_or_left_open(seed):
    made, joints = made_with_joints()
    before, _ = edges_of(made["faces"])
    assert (before == 2).all()
    _, faces, _ = cut(made, joints, np.random.default_rng(seed))
    count, directed = edges_of(faces)
    closed = np.random.default_rng(seed).random() > 0.3  # the first thing that is drawn
    assert (count == 2).all() == closed and (not closed or (directed == 1).all())


def test_a_wooden_leg_ends_on_the_ground_with_the_joint_of_the_foot():
    made, joints = made_with_joints()
    ground, seen = made["vertices"][:, 2].min(), 0
    for seed in range(120):
        _, _, left = cut(made, joints, np.random.default_rng(seed))
        for side in "LR":
            if left[f"toe.{side}"] is ABSENT and left[f"foot.{side}"] is not ABSENT:
                is_peg = not np.array_equal(left[f"foot.{side}"], joints[f"foot.{side}"])
                seen += is_peg
                assert not is_peg or ground < left[f"foot.{side}"][2] < ground + 0.05
    assert seen >= 3


def test_the_same_seed_cuts_the_same():
    made, joints = made_with_joints()
    one, other = (cut(made, joints, np.random.default_rng(5))[:2] for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_a_body_without_arms_of_its_own_is_refused():
    made, joints = made_with_joints()
    with pytest.raises(ValueError, match="three joints"):
        for seed in range(9):
            cut(made | {"landmark_bones": {}}, joints, np.random.default_rng(seed))
