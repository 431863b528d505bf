"""Words in bones' names: which bone of a chain is the thigh, the shin, the upper arm, whatever the scheme."""

from __future__ import annotations

import numpy as np
import pytest

from core.skeleton.rig import Rig
from core.skeleton.words import doubts, roles_by_words, words_of

# Scheme of a limb: its bones from the trunk outwards, their lengths, and the roles they have.
DOWN = np.array([0.0, 0.0, -1.0])
LEGS = {
    "thigh and shin": ("Thigh Shin Foot Toe", (4, 4, 2, 1), {"thigh": 0, "shin": 1, "foot": 2, "toe": 3}),
    "a leg above a shin is a thigh": ("Leg Calf Ankle", (4, 4, 2), {"thigh": 0, "shin": 1, "foot": 2}),
    "a leg below a thigh is a shin": ("UpLeg Leg Foot", (4, 4, 2), {"thigh": 0, "shin": 1, "foot": 2}),
    "two legs": ("Leg1 Leg2 Foot", (4, 4, 2), {"thigh": 0, "shin": 1, "foot": 2}),
    "a hip above a thigh": ("Hip Thigh Knee Foot", (1, 4, 4, 2), {"thigh": 1, "shin": 2, "foot": 3}),
    "two thighs and what is below": ("Hip Thigh Lower Foot", (1, 4, 4, 2), {"thigh": 1, "shin": 2, "foot": 3}),
    "what is below a thigh, not the leg after it": (
        "Thigh Thing Leg Foot", (4, 1, 3, 2), {"thigh": 0, "shin": 2, "foot": 3}),
    "what is above a shin": ("Odd Strange Shin Foot", (1, 4, 4, 2), {}),
    "a named part is above what is above a shin": (
        "Leg Strange Shin Foot", (4, 1, 4, 2), {"thigh": 0, "shin": 2, "foot": 3}),
    "two feet in a row": ("Thigh Shin Ankle Foot", (4, 4, 1, 2), {"thigh": 0, "shin": 1, "foot": 2, "toe": 3}),
    "a twist bone counts for nothing": (
        "Thigh ThighTwist Leg Foot", (2, 2, 4, 2), {"thigh": 0, "shin": 2, "foot": 3}),
    "the first shin of two": ("Thigh Shin Calf Foot", (4, 3, 1, 2), {"thigh": 0, "shin": 1, "foot": 3}),
    "one leg is not enough": ("Leg Foot", (4, 2), {}),
}
ARMS = {
    "all named": ("Clavicle UpperArm Forearm Hand", (1, 3, 3, 1),
                  {"shoulder": 0, "upper_arm": 1, "forearm": 2, "hand": 3}),
    "a shoulder may be an upper arm": ("Shoulder Elbow Wrist", (3, 3, 1), {"upper_arm": 0, "forearm": 1, "hand": 2}),
    "a shoulder beside an arm is a collar bone": (
        "Shoulder Arm Forearm Hand", (1, 3, 3, 1), {"shoulder": 0, "upper_arm": 1, "forearm": 2, "hand": 3}),
    "the two longest in a row": ("Shoulder Arm1 Arm2 Hand", (1, 3, 3, 1),
                                 {"shoulder": 0, "upper_arm": 1, "forearm": 2, "hand": 3}),
    "a shoulder that is long": ("Shoulder Arm Hand", (3, 3, 1), {"upper_arm": 0, "forearm": 1, "hand": 2}),
    "the first forearm of two": ("UpperArm Forearm Elbow Hand", (3, 2, 1, 1),
                                 {"upper_arm": 0, "forearm": 1, "hand": 3}),
    "one bone above the hand is not enough": ("Shoulder Hand", (3, 1), {}),
    "a forearm alone": ("Forearm Hand", (3, 1), {}),
}


def limbs(names: str, lengths: tuple[int, ...], way: np.ndarray) -> tuple[Rig, list[list[int]]]:
    """A trunk with a chain of bones on either side, and which bones they are."""
    all_names, parents, heads, tails = ["Hips"], [-1], [np.zeros(3)], [np.array([0.0, 0.0, 1.0])]
    chains = []
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        at, above, chain = np.array([sign, 0.0, 0.0]), 0, []
        for name, length in zip(names.split(), lengths, strict=True):
            chain.append(len(all_names))
            all_names.append(side + name)
            parents.append(above)
            heads.append(at)
            at, above = at + length * way * [sign, 1.0, 1.0], chain[-1]
            tails.append(at)
        chains.append(chain)
    return Rig(tuple(all_names), np.array(parents), np.array(heads), np.array(tails)), chains


@pytest.mark.parametrize("names, lengths, expected", [*LEGS.values(), *ARMS.values()], ids=[*LEGS, *ARMS])
def test_parts_of_limbs_are_told_by_name_place_and_length(names, lengths, expected):
    is_leg = (names, lengths, expected) in LEGS.values()
    rig, chains = limbs(names, lengths, np.array([0.0, 0.0, -1.0] if is_leg else [1.0, 0.0, 0.0]))
    found = roles_by_words(rig)
    wanted = {f"{role}.{side}": chain[k] for role, k in expected.items() for side, chain in zip("LR", chains,
                                                                                                strict=True)}
    assert found == wanted | ({"hips": 0} if is_leg and expected else {})


def test_bones_of_no_length_on_the_way_are_passed_over():
    rig, chains = limbs("Thigh Leg Shin Foot", (4, 0, 4, 2), np.array([0.0, 0.0, -1.0]))
    rig = Rig(rig.names, rig.parents, rig.heads, rig.tails + [0.0, 0.0, -1e-3])
    found = roles_by_words(rig)
    assert [found[r] for r in ("thigh.L", "shin.L", "foot.L")] == [chains[0][k] for k in (0, 2, 3)]


LEG, ARM = "Thigh Shin Foot", "UpperArm Forearm Hand"


@pytest.mark.parametrize("names, left, right, roles, expected", [
    (LEG, (4, 4, 1), (4, 4, 1), ("thigh", "shin", "foot"), []),
    (LEG, (4, 1.5, 1), (4, 1.5, 1), ("thigh", "shin", "foot"), []),
    (LEG, (4, 1.3, 1), (4, 1.3, 1), ("thigh", "shin", "foot"), ["shin.L", "shin.R"]),  # too short beside the other
    (LEG, (1.3, 4, 1), (1.3, 4, 1), ("thigh", "shin", "foot"), ["thigh.L", "thigh.R"]),
    (ARM, (1, 3, 1), (3, 3, 1), ("upper_arm", "forearm", "hand"), ["upper_arm.L"]),
    (LEG, (4, 4, 1), (3.1, 3, 1), ("thigh", "shin", "foot"), []),
    (LEG, (4, 4, 1), (3, 2.9, 1), ("thigh", "shin", "foot"), ["thigh.R"]),  # shorter than the other side
    (LEG, (3, 2.9, 1), (4, 4, 1), ("thigh", "shin", "foot"), ["thigh.L"]),
])
def test_lengths_that_no_limb_has_are_doubted(names, left, right, roles, expected):
    (rig, chains), (other, _) = limbs(names, left, DOWN), limbs(names, right, DOWN)
    first = chains[1][0]
    rig = Rig(rig.names, rig.parents, np.concatenate([rig.heads[:first], other.heads[first:]]),
              np.concatenate([rig.tails[:first], other.tails[first:]]))
    of = {f"{role}.{side}": bone for side, chain in zip("LR", chains, strict=True)
          for role, bone in zip(roles, chain, strict=True)}
    assert doubts(rig, of) == expected


def test_limbs_that_lack_a_part_or_the_other_side_or_hang_in_no_row_are_doubted():
    rig, ((thigh, shin, foot), right) = limbs(LEG, (4, 4, 1), DOWN)
    left, both = {"thigh.L": thigh, "shin.L": shin, "foot.L": foot}, dict(zip(("thigh.R", "shin.R", "foot.R"), right,
                                                                            strict=True))
    assert doubts(rig, left) == ["shin.R", "thigh.R"]
    assert doubts(rig, both) == ["shin.L", "thigh.L"]
    assert doubts(rig, both | left) == [] == doubts(rig, {})
    assert doubts(rig, both | {"thigh.L": thigh, "foot.L": foot}) == ["shin.L"]
    assert doubts(rig, both | {"shin.L": shin, "foot.L": foot}) == ["thigh.L"]
    assert "shin.L" in doubts(rig, both | left | {"thigh.L": shin, "shin.L": thigh})  # a shin above its thigh


@pytest.mark.parametrize("name, length, expected", [("LeftThing", 2.0, []), ("LeftThing", 2.2, ["hand.L"]),
                                                    ("LeftThumb1", 2.2, []), ("LeftIndexFinger", 2.2, [])])
def test_a_limb_that_goes_on_beyond_the_hand_is_doubted_unless_a_finger_does(name, length, expected):
    way = np.array([1.0, 0.0, 0.0])
    rig, (left, right) = limbs(ARM, (3, 3, 1), way)
    hand, start = left[2], rig.heads[left[2]] + length * way
    rig = Rig((*rig.names, name), np.append(rig.parents, hand), np.concatenate([rig.heads, start[None]]),
              np.concatenate([rig.tails, start[None] + way]))
    of = {f"{role}.{side}": bone for side, chain in (("L", left), ("R", right))
          for role, bone in zip(("upper_arm", "forearm", "hand"), chain, strict=True)}
    assert doubts(rig, of) == expected


@pytest.mark.parametrize("name, expected", [
    ("Bip01 L UpperArm", ("L", "upperarm", False)), ("mixamorig:LeftForeArm", ("L", "forearm", False)),
    ("r_thigh_jnt", ("R", "thigh", False)), ("DEF-upper_arm.L", ("L", "upperarm", False)),
    ("lefthand", ("L", "hand", False)), ("rCollar", ("R", "collar", False)), ("Head", ("", "head", False)),
    ("upperarm_twist_01_l", ("L", "upperarm", True)), ("J_Bip_R_LowerLeg", ("R", "lowerleg", False)),
    ("IK_foot_R", ("R", "foot", True)), ("hand_ik.L", ("L", "hand", True)), ("lShldrBend", ("L", "shldr", False)),
    ("rfoot", ("R", "foot", False)), ("CC_Base_L_ForearmTwist01", ("L", "forearm", True)),
    ("tailbone", ("", "tailbone", False)),
    ("character|rig|Spine2", ("", "spine", False)),
])
def test_names_have_a_side_and_a_word(name, expected):
    assert words_of(name) == expected
