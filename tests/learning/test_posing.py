"""People posed as in games: bones keep their lengths, joints go with the flesh, and nothing else moves."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from tests.characters import person
from tests.learning.posing import STEPS, reaching, stepping
from tests.learning.rigged import rigged

ARM = {"shoulder": "upper_arm", "elbow": "forearm", "wrist": "hand"}
LEG = {"hip": "thigh", "knee": "shin", "ankle": "foot"}


@cache
def woman() -> dict:
    """A person with the bones that the poses ask for."""
    return rigged(person(vertices=2000), {f"{mark}_{s}": f"{bone}.{s.upper()}" for mark, bone in (ARM | LEG).items()
                                          for s in "lr"})


def lengths(made: dict, limb: dict) -> list[float]:
    """Of both bones of the left and the right limb."""
    at = {m: np.asarray(p) for m, p in made["landmarks"].items()}
    return [float(np.linalg.norm(at[f"{a}_{s}"] - at[f"{b}_{s}"])) for s in "lr"
            for a, b in pairwise(limb)]


@pytest.mark.parametrize("seed", range(6))
def test_hands_come_before_the_body_and_bones_keep_their_lengths(seed):
    made = woman()
    out, held = reaching(made, np.random.default_rng(seed))
    assert lengths(out, ARM) == pytest.approx(lengths(made, ARM), rel=1e-6)
    moved = np.abs(out["vertices"] - made["vertices"]).max(1) > 1e-9
    arms = [i for i, n in enumerate(made["bones"]) if n.split(".")[0] in ARM.values()]
    assert moved.any() and not moved[made["weights"][:, arms].sum(1) == 0].any()
    went = [s for s in "lr" if not np.allclose(out["landmarks"][f"wrist_{s}"], made["landmarks"][f"wrist_{s}"])]
    for side in went:
        hand = np.asarray(made["weights"])[:, made["bones"].index(f"hand.{side.upper()}")] > 0.9
        away = np.linalg.norm(out["vertices"][hand] - out["landmarks"][f"wrist_{side}"], axis=1)
        before = np.linalg.norm(made["vertices"][hand] - made["landmarks"][f"wrist_{side}"], axis=1)
        assert away == pytest.approx(before, abs=0.02)
    assert went and len(held) <= 1
    for vertices, faces in held:  # a gun lies in both hands
        low, high = vertices.min(0) - 0.1, vertices.max(0) + 0.1
        wrists = np.array([out["landmarks"][f"wrist_{s}"] for s in "lr"])
        assert faces.max() < len(vertices) and (low < wrists).all() and (wrists < high).all()


@pytest.mark.parametrize("what", STEPS)
def test_legs_step_bones_keep_their_lengths_and_the_rest_leans_as_one(what):
    made = woman()
    out = stepping(made, np.random.default_rng(2), what)
    assert lengths(out, LEG) == pytest.approx(lengths(made, LEG), rel=1e-6)
    legs = [i for i, n in enumerate(made["bones"]) if n.split(".")[0] in (*LEG.values(), "toe")]
    rest = np.asarray(made["weights"])[:, legs].sum(1) == 0
    before, after = made["vertices"][rest], out["vertices"][rest]
    turn = np.linalg.lstsq(before - before.mean(0), after - after.mean(0), rcond=None)[0]
    np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-9)  # a turn, about the axis from side to side
    np.testing.assert_allclose(turn[0], [1, 0, 0], atol=1e-9)
    ankles = [out["landmarks"][f"ankle_{s}"] - made["landmarks"][f"ankle_{s}"] for s in "lr"]
    assert max(np.linalg.norm(a) for a in ankles) > 0.03 and out["height"] == np.ptp(out["vertices"][:, 2])


def test_who_sits_or_kneels_has_knees_where_they_belong():
    """Ahead of who sits, with the feet below them; below who kneels; further out than the feet of crossed legs."""
    made = woman()
    leg = np.mean(np.sum(np.reshape(lengths(made, LEG), (2, 2)), axis=1))

    def knees_and_ankles(what: str, seed: int) -> np.ndarray:
        at = stepping(made, np.random.default_rng(seed), what)["landmarks"]
        ways = np.array([[at[f"{m}_{s}"] - at[f"hip_{s}"] for m in ("knee", "ankle")] for s in "lr"]) / leg
        return ways * np.array([[[1, -1, 1]], [[-1, -1, 1]]])  # to their own side, ahead, up

    for seed in range(4):
        for knee, ankle in knees_and_ankles("sit", seed):
            assert knee[1] > 0.25 and knee[2] > -0.35 and ankle[2] < knee[2] - 0.1
        for knee, ankle in knees_and_ankles("knees", seed):
            assert knee[2] < -0.1 and ankle[1] < knee[1] - 0.2
        for knee, ankle in knees_and_ankles("cross", seed):
            assert ankle[0] < knee[0] - 0.15 and abs(ankle[2]) < 0.35


def test_the_same_seed_gives_the_same_pose():
    one, other = (reaching(woman(), np.random.default_rng(3))[0]["vertices"] for _ in range(2))
    assert np.array_equal(one, other)


def test_an_arm_without_its_joints_is_refused():
    made = woman()
    with pytest.raises(ValueError, match="three joints"):
        reaching(made | {"landmark_bones": {}}, np.random.default_rng(0))
