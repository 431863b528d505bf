"""When a person's top on four legs is a centaur's and when a rider's, on both sides of every limit."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from core.fitting import grown_together
from core.fitting.grown_together import HEAD, Rider, person_on_four_legs
from tests.limits import turning_point

LEGS = {"biped": ("thigh.L", "foot.R"), "quadruped": ("front_foot.L", "hind_foot.R"), "centaur": ()}
NOBODY = Rider(-np.inf, False)


@pytest.fixture
def judged(monkeypatch):
    """A function of how well each kind's head and legs are seen, of how far the person's head is behind the withers, of
    what lies ahead of the forefeet, and of whether something on the back looks like a person."""
    def rider(*, head: float = -1.0, animal_head: float = -2.0, legs: float = -2.0, own_legs: float = -3.0,
              behind: float = 0.0, ahead: float = 0.0, carries: bool = False) -> Rider:
        seen = {"biped": (head, own_legs), "quadruped": (animal_head, legs), "centaur": (0.0, 0.0)}

        def look(mesh, kind: str):
            names = (*HEAD, "withers", *LEGS[kind])
            places = np.zeros((len(names), 3))
            places[names.index("head"), 1] = 0.5 + behind
            places[names.index("withers"), 1] = 0.5
            values = np.where(np.isin(names, HEAD), seen[kind][0], np.where(np.isin(names, LEGS[kind]), seen[kind][1],
                                                                           99.0))
            return SimpleNamespace(names=names, kind=kind, seen=values, places=places, likeliest=np.arange(len(names)),
                                   sight=None)
        monkeypatch.setattr(grown_together, "look", look)
        monkeypatch.setattr(grown_together, "_ahead", lambda sight: ahead)
        monkeypatch.setattr(grown_together, "_carries_person", lambda mesh, animal: carries)
        return person_on_four_legs(None)
    return rider


def test_a_persons_head_over_the_withers_is_a_centaurs_the_surer_the_better_it_is_seen_as_one(judged):
    assert judged(head=-1.0, animal_head=-2.0) == Rider(pytest.approx(12 * (1.0 + 0.45)), False)
    assert judged(head=-2.5, animal_head=-2.0) == Rider(pytest.approx(12 * (0.45 - 0.5)), False)
    for sign in (1, -1):
        is_centaur = lambda off, sign=sign: np.isfinite(judged(behind=sign * off).centaur)  # noqa: E731
        assert turning_point(is_centaur, 0.0, 0.2) == pytest.approx(0.06, abs=1e-3)
    assert turning_point(lambda ahead: np.isfinite(judged(ahead=ahead).centaur), 0.0, 0.2) == pytest.approx(
        0.09, abs=1e-3), "ahead of its forelegs there is no neck"


def test_no_legs_of_an_animal_carry_nobody(judged):
    carries = lambda legs: judged(legs=legs, own_legs=-9.0) != NOBODY  # noqa: E731
    assert turning_point(carries, -6.0, 0.0) == pytest.approx(-3.5, abs=0.01), "as well as a body's joints are seen"
    better = lambda legs: judged(legs=legs, own_legs=-2.0) != NOBODY  # noqa: E731
    assert turning_point(better, -3.4, 0.0) == pytest.approx(-2.0, abs=0.01), "better than as a person's"


@pytest.mark.parametrize("carries", [True, False])
def test_a_head_that_is_seen_as_a_persons_rides_unless_it_lies_ahead_and_another_if_one_is_on_the_back(judged, carries):
    for how in ({"ahead": 0.2}, {"behind": 0.3}):
        assert judged(**how, carries=carries) == Rider(-np.inf, True)
        assert judged(**how, head=-3.0, carries=carries) == Rider(-np.inf, carries)
    rides = lambda behind: judged(behind=behind, ahead=0.2, carries=carries).rides  # noqa: E731
    assert turning_point(rides, -0.2, 0.2) == pytest.approx(-0.06, abs=1e-3)
    assert turning_point(lambda head: judged(head=head, animal_head=-2.0, behind=-0.2, carries=True).rides, -3.0, -1.0
                         ) == pytest.approx(-2.0, abs=0.01)
