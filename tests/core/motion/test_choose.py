"""The same word for different bodies."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import BadMotion
from core.motion.choose import check_motion_name, first_motion, fitting_motions, suited_motion
from core.motion.clip_file import motion_names
from core.skeleton.rig import Rig
from tests.core.motion.bodies import preset_rig


@pytest.mark.parametrize(("word", "body", "motion"), [
    ("walk", "biped", "walk"), ("walk", "quadruped", "quadruped_walk"), ("walk", "horse", "quadruped_walk"),
    ("gallop", "quadruped", "quadruped_gallop"), ("gallop", "horse", "horse_gallop"),
    ("gallop", "centaur", "centaur_gallop"), ("walk", "centaur", "centaur_walk"),
    ("hop", "bird", "bird_hop"), ("walk", "bird", "bird_walk"),
    ("horse_gallop", "quadruped", "horse_gallop"),
    ("quadruped_walk", "biped", "walk"), ("idle", "biped_tail", "idle"), ("walk", "biped_paper", "walk")])
def test_a_word_means_what_suits_the_body(word, body, motion):
    assert suited_motion(word, preset_rig(body)).name == motion


def test_what_no_body_or_not_this_body_does_is_refused():
    with pytest.raises(BadMotion, match="no motion 'moonwalk'"):
        suited_motion("moonwalk", preset_rig("biped"))
    with pytest.raises(BadMotion, match=r"another kind of body.*walk"):
        suited_motion("gallop", preset_rig("biped"))
    with pytest.raises(BadMotion, match=r"no motion that ships fits this one\. Use"):
        suited_motion("walk", Rig(("a",), np.array([-1]), np.zeros((1, 3)), np.ones((1, 3))))
    check_motion_name("gallop")
    with pytest.raises(BadMotion, match="Choose one of"):
        check_motion_name("moonwalk")


def test_every_motion_fits_a_preset():
    fits = {name: set(fitting_motions(preset_rig(name))) for name in ("biped", "quadruped", "horse", "centaur", "bird")}
    assert set().union(*fits.values()) == set(motion_names())
    assert "walk" in fits["biped"] and "walk" not in fits["horse"]


@pytest.mark.parametrize(
    ("body", "motion"),
    [
        ("biped", "walk"),
        ("biped_tail", "walk"),
        ("quadruped", "quadruped_walk"),
        ("horse", "quadruped_walk"),
        ("centaur", "centaur_walk"),
        ("bird", "bird_walk"),
    ],
)
def test_a_skeleton_is_shown_with_a_motion_made_for_its_like(body, motion):
    assert first_motion(body, preset_rig(body)) == motion
    with pytest.raises(BadMotion, match="No motion of the library suits the skeleton 'snake'"):
        first_motion("snake", Rig(("a",), np.array([-1]), np.zeros((1, 3)), np.ones((1, 3))))
