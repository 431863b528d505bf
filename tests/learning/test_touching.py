"""Hands that lie on their own body: on its skin, never in it, and arms keep their lengths."""

from __future__ import annotations

import numpy as np
import pytest

from tests.learning import touching as module
from tests.learning.test_posing import ARM, lengths, woman
from tests.learning.touching import touching


def posed(seed: int) -> dict:
    return touching(woman(), np.random.default_rng(seed))


def skin() -> module._Skin:
    made = woman()
    arms = [i for i, n in enumerate(made["bones"]) if n.split(".")[0] in ARM.values()]
    return module._Skin(np.asarray(made["vertices"], float), np.asarray(made["faces"]),
                        np.asarray(made["weights"])[:, arms].sum(1) < 0.2)


@pytest.mark.parametrize("seed", range(4))
def test_arms_keep_their_lengths_and_elbows_stay_out_of_the_body(seed):
    out = posed(seed)
    assert lengths(out, ARM) == pytest.approx(lengths(woman(), ARM), rel=1e-6)
    elbows = np.array([out["landmarks"][f"elbow_{s}"] for s in "lr"])
    assert skin().off(elbows).min() > 0


def test_hands_that_touch_lie_on_the_skin_others_are_anywhere(monkeypatch):
    def away(share: float) -> float:
        monkeypatch.setattr(module, "FREE", share)
        monkeypatch.setattr(module, "ALONE", 0.0)
        made, hands = woman(), []
        for seed in range(6):
            out = posed(seed)
            for side in "LR":
                own = np.asarray(made["weights"])[:, made["bones"].index(f"hand.{side}")] > 0.9
                hands.append(skin().off(out["vertices"][own]).min())
        return float(np.median(hands))

    assert away(0.0) < 0.03 < 0.06 < away(1.0)  # metres


def test_the_same_seed_gives_the_same_pose():
    assert np.array_equal(posed(3)["vertices"], posed(3)["vertices"])


def test_where_no_arm_can_go_anywhere_it_says_so(monkeypatch):
    monkeypatch.setattr(module, "TRIES", 0)
    with pytest.raises(ValueError, match="no pose"):
        posed(0)
