"""The same word for different bodies."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from core.errors import BadMotion
from core.motion.choose import (
    _has_more_legs,
    check_motion_name,
    first_motion,
    fitting_motions,
    known_motion,
    limbs_of,
    suited_motion,
    with_the_arm_there,
)
from core.motion.clip_file import motion_names
from core.motion.edit import mirrored
from core.motion.kinematics import Kinematics
from core.motion.made import made_names
from core.motion.shape_body import ShapeBody
from core.skeleton.bone_map import find_roles
from core.skeleton.rig import Rig
from tests.core.motion.bodies import preset_rig
from tests.core.motion.creatures import rigged


def test_who_names_no_motion_is_told_all_there_are():
    with pytest.raises(BadMotion) as told:
        check_motion_name("moonwalk")
    assert all(name in str(told.value) for name in (*motion_names(), *made_names()))


@pytest.mark.parametrize(("word", "body", "motion"), [
    ("walk", "biped", "walk"), ("walk", "quadruped", "quadruped_walk"), ("walk", "horse", "quadruped_walk"),
    ("gallop", "quadruped", "quadruped_gallop"), ("gallop", "horse", "horse_gallop"),
    ("gallop", "centaur", "centaur_gallop"), ("walk", "centaur", "centaur_walk"),
    ("hop", "bird", "bird_hop"), ("walk", "bird", "bird_walk"),
    ("horse_gallop", "quadruped", "horse_gallop"),
    ("quadruped_walk", "biped", "walk"), ("idle", "biped_tail", "idle"), ("walk", "biped_paper", "walk")])
def test_a_word_means_what_suits_the_body(word, body, motion):
    assert suited_motion(word, preset_rig(body)).name == motion


@pytest.mark.parametrize("parts", [("shoulder",), ("shoulder", "hand"), ("shoulder", "toe"), ("shoulder", "neck")])
def test_a_person_without_collarbones_walks_as_people_do(parts):
    assert suited_motion("walk", without(*parts)).name == "walk"


def test_a_bird_without_a_tail_walks_as_birds_do():
    assert suited_motion("walk", without("tail", body="bird")).name == "bird_walk"


def test_a_pair_of_limbs_is_called_after_the_bones_that_begin_it_and_needs_two_bones_on_either_side():
    thighs, shins = ["thigh.L", "thigh.R"], ["shin.L", "shin.R"]
    assert limbs_of([*thighs, *shins]) == limbs_of([*thighs, *shins, "hips"]) == {"thigh"}
    assert limbs_of(thighs) == limbs_of([*thighs, "shin.L"]) == set()


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


def without(*parts: str, body: str = "biped") -> Rig:
    """A body's bones without those whose names begin so."""
    rig = preset_rig(body)
    return rig.only([name for name in rig.names if not name.startswith(parts)])


def test_half_bodies_do_what_needs_no_legs():
    half = without("thigh", "shin", "foot", "toe")
    for body in (half, without("thigh.L", "shin.L", "foot.L", "toe.L")):
        assert {"idle", "wave"} <= set(fitting_motions(body))
        assert not {"walk", "run", "jump", "sit", "quadruped_idle"} & set(fitting_motions(body))
    assert suited_motion("wave", half).name == "wave"
    with pytest.raises(BadMotion, match=r"another kind of body\. Choose one of: .*wave"):
        suited_motion("walk", half)
    assert not fitting_motions(without("thigh", "shin", "foot", "toe", "upper_arm", "forearm", "hand"))


def test_who_has_lost_an_arm_waves_with_the_other():
    wave = known_motion("wave")
    assert with_the_arm_there(wave, preset_rig("biped")) is wave
    assert with_the_arm_there(wave, without("forearm.L", "hand.L")) is wave
    other = with_the_arm_there(wave, without("forearm.R", "hand.R"))
    body = Kinematics(wave.rig)
    ends, others = (body.heads(body.turns(clip.rotations), clip.root) for clip in (wave, other))
    left, right = (wave.rig.names.index(f"hand.{side}") for side in "LR")
    np.testing.assert_allclose(others[:, left], ends[:, right] * [-1, 1, 1], atol=1e-6)
    walk = known_motion("walk")
    assert with_the_arm_there(walk, without("forearm.R", "hand.R")) is walk
    assert mirrored(mirrored(walk)).contacts.tolist() == walk.contacts.tolist()


@pytest.mark.parametrize("pairs", [1, 2, 3])
def test_a_body_has_more_legs_than_a_motion_if_some_would_hang(pairs):
    legs = {"thigh", "front", "hind"} if pairs == 3 else {"front", "hind"} if pairs == 2 else {"thigh"}
    more = {count: _has_more_legs(legs, SimpleNamespace(standing=[None] * count)) for count in range(8)}
    assert more == {count: count > 2 * pairs for count in range(8)}
    assert not _has_more_legs(set(), SimpleNamespace(standing=[None] * 4)), "what needs no legs"
    assert not _has_more_legs(legs, None)


@pytest.mark.slow
@pytest.mark.parametrize(("creature", "head"), [("dragon", "head"), ("hydra", "")])
def test_a_skeleton_that_begins_in_the_middle_goes_with_its_head_ahead_not_with_its_tail(creature, head):
    """Its hips are what carries all: so all of it travels, and a control rig's torso is its trunk."""
    rig = rigged(creature)[1]
    roles = {role: rig.names[bone] for role, bone in find_roles(rig).items()}
    assert (roles["hips"], roles.get("head", ""), roles["tail"]) == ("spine_1", head, "tail_1")
    assert not [bone for role, bone in roles.items() if bone.startswith("tail") and role != "tail"]
    assert not [role for role in roles if role.startswith("upper_arm")], "wings are no arms"


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("creature", ["octopus", "whale"])
def test_who_stands_on_no_legs_does_no_motion_of_who_does(creature):
    rig = rigged(creature)[1]
    assert not fitting_motions(rig, None, ShapeBody(rig))
