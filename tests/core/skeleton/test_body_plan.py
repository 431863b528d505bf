"""Roles that names leave out or put on a control: from which place or length on the tree is believed."""

from __future__ import annotations

import numpy as np
import pytest

from core.skeleton.body_plan import completed
from core.skeleton.rig import Rig
from tests.limits import turning_point

Bones = dict[str, tuple[str, list, list]]


def rig_of(bones: Bones) -> Rig:
    """{bone: (parent, head, tail)}, parents first."""
    names = tuple(bones)
    return Rig(names, [names.index(parent) if parent else -1 for parent, _, _ in bones.values()],
               np.array([head for _, head, _ in bones.values()], float),
               np.array([tail for _, _, tail in bones.values()], float))


def roles_of(bones: Bones, **named: str) -> dict[str, str]:
    """{role: bone} of what is found.  named : {role with _L for .L: bone} that names tell"""
    names = list(bones)
    given = {role[:-2] + "." + role[-1] if role[-2:] in ("_L", "_R") else role: names.index(bone)
             for role, bone in named.items()}
    return {role: names[bone] for role, bone in completed(rig_of(bones), given).items()}


def legs(last: float = 0.0) -> Bones:
    """A pelvis at a height of 1 with two legs, each of a thigh, a shin and a foot."""
    bones: Bones = {"pelvis": ("", [0, 0, 1.0], [0, 0, 1.2])}
    for side, x in (("l", 0.1), ("r", -0.1)):
        bones |= {f"thigh_{side}": ("pelvis", [x, 0, 1.0], [x, 0, 0.5]),
                  f"shin_{side}": (f"thigh_{side}", [x, 0, 0.5], [x, 0, last]),
                  f"foot_{side}": (f"shin_{side}", [x, 0, last], [x, -0.2, last])}
    return bones


NAMED = {"thigh_L": "thigh_l", "thigh_R": "thigh_r", "foot_L": "foot_l", "foot_R": "foot_r"}


def test_the_middle_of_a_leg_lies_between_its_ends_and_hips_carry_both_legs():
    found = roles_of(legs(), **NAMED)
    assert (found["shin.L"], found["shin.R"], found["hips"]) == ("shin_l", "shin_r", "pelvis")
    found = roles_of(legs(), thigh_L="thigh_l", thigh_R="thigh_r")
    assert found["shin.L"] == "shin_l", "the bone that follows"
    assert roles_of(legs(), foot_L="foot_l") == {"foot.L": "foot_l"}, "without both thighs nothing is known"
    assert roles_of(legs(), **NAMED, spine="pelvis").get("spine") is None, "what carries both legs is no spine"


def test_hips_that_are_named_are_believed_up_to_a_third_of_a_leg_away():
    def hips(high: float) -> str:
        named = {"hips": ("", [0, 0, 1.0 + high], [0, 0, 1.3 + high])}
        bones = named | {name: (parent or "hips", *ends) for name, (parent, *ends) in legs().items()}
        return roles_of(bones, **NAMED, hips="hips")["hips"]

    assert turning_point(lambda high: hips(high) == "hips", 0.0, 1.0) == pytest.approx(0.35, rel=0.01)
    aside = legs() | {"control": ("", [0, 0, 1.0], [0, 0.3, 1.0])}
    assert roles_of(aside, **NAMED, hips="control")["hips"] == "pelvis", "it does not carry the legs"


def test_a_birds_long_bone_between_shin_and_foot_is_its_foot():
    def foot(long: float, turn: float = 1.0) -> tuple[str, str | None]:
        bones = legs(0.4)
        end = [0.1, long * np.sin(turn), 0.4 - long * np.cos(turn)]
        del bones["foot_l"]
        bones |= {"heel_l": ("shin_l", [0.1, 0, 0.4], end), "foot_l": ("heel_l", end, [0.1, -0.5, end[2]])}
        found = roles_of(bones, **NAMED, shin_L="shin_l", shin_R="shin_r")
        return found["foot.L"], found.get("toe.L")

    assert foot(0.3) == ("heel_l", "foot_l") and foot(0.02) == ("foot_l", None)
    long = turning_point(lambda long: foot(long)[0] == "heel_l", 0.02, 0.4)
    assert long / np.hypot(long * np.sin(1.0), 0.6 + long * np.cos(1.0)) == pytest.approx(0.15, rel=0.01)
    assert np.cos(turning_point(lambda turn: foot(0.3, turn)[0] == "heel_l", 0.0, 1.0)) == pytest.approx(0.94, rel=0.01)


def animal(*, ankle: float = 0.1, front: float = 0.0, high: float = 1.0) -> Bones:
    """A trunk with two pairs of legs: an upper and a lower bone, a foot and a toe that ends on the ground."""
    bones: Bones = {"hips": ("", [0, 1, 1.0], [0, 0.5, 1.0]), "chest": ("hips", [0, 0, high], [0, -0.3, high])}
    for kind, y, low, top in (("hind", 1.0, 0.0, 1.0), ("front", 0.0, front, high)):
        for side, x in (("L", 0.2), ("R", -0.2)):
            at = lambda z, x=x, y=y, low=low, top=top: [x, y, low + z * (top - low)]  # noqa: E731
            bones |= {f"{kind}_upper.{side}": ("hips" if kind == "hind" else "chest", at(1.0), at(0.6)),
                      f"{kind}_lower.{side}": (f"{kind}_upper.{side}", at(0.6), at(ankle)),
                      f"{kind}_foot.{side}": (f"{kind}_lower.{side}", at(ankle), at(0.0)),
                      f"{kind}_end.{side}": (f"{kind}_foot.{side}", at(0.0), [x, y - 0.1, low])}
    return bones


def called(bones: Bones) -> dict[str, str]:
    told = ("upper", "lower", "foot")
    return {n.replace(".", "_"): n for n in bones if n.split("_")[-1].split(".")[0] in told} | {"hips": "hips"}


def test_an_animals_foot_that_begins_high_is_a_heel():
    foot = lambda ankle: roles_of(animal(ankle=ankle), **called(animal()))["hind_foot.L"]  # noqa: E731
    assert foot(0.1) == "hind_foot.L" and foot(0.4) == "hind_end.L"
    assert turning_point(lambda ankle: foot(ankle) == "hind_foot.L", 0.05, 0.5) == pytest.approx(0.22, rel=0.01)
    assert roles_of(animal(ankle=0.4), **called(animal()))["hind_heel.L"] == "hind_foot.L"


def test_what_stands_on_its_hind_legs_with_high_shoulders_is_called_like_a_person():
    stands = lambda **how: "thigh.L" in roles_of(animal(**how), **called(animal()))  # noqa: E731
    assert not stands() and stands(front=0.8, high=1.5)
    up = roles_of(animal(front=0.8, high=1.5), **called(animal()))
    assert (up["shin.R"], up["foot.R"], up["upper_arm.L"], up["forearm.L"], up["hand.L"]) == (
        "hind_lower.R", "hind_foot.R", "front_upper.L", "front_lower.L", "front_foot.L")
    assert turning_point(lambda front: stands(front=front, high=1.5), 0.0, 1.0) == pytest.approx(0.5, rel=0.01)
    assert turning_point(lambda high: stands(front=0.7, high=high), 0.8, 2.0) == pytest.approx(1.2, rel=0.01)


def test_a_loose_foot_belongs_to_the_leg_whose_end_it_begins_at():
    def foot(off: float, high: float = 0.0) -> str | None:
        bones = {name: row for name, row in legs().items() if not name.startswith("foot")}
        bones["loose"] = ("", [0.1 + off, 0, high], [0.1 + off, -0.2, high])
        return roles_of(bones, thigh_L="thigh_l", thigh_R="thigh_r", shin_L="shin_l", shin_R="shin_r").get("foot.L")

    assert foot(0.0) == "loose"
    off = turning_point(lambda off: foot(off) == "loose", 0.0, 0.4)
    shin = np.hypot(off, 0.5)
    assert np.hypot(off, 0.5 - shin) / (0.5 + shin) == pytest.approx(0.12, rel=0.02)
    assert foot(0.0, 0.6) is None, "it begins below the knee"


def test_chest_spine_and_neck_lie_between_hips_arms_and_head():
    bones = legs() | {"a": ("pelvis", [0, 0, 1.2], [0, 0, 1.3]), "b": ("a", [0, 0, 1.3], [0, 0, 1.4]),
                      "c": ("b", [0, 0, 1.4], [0, 0, 1.5]), "d": ("c", [0, 0, 1.5], [0, 0, 1.6]),
                      "e": ("d", [0, 0, 1.6], [0, 0, 1.8])}
    for side, sign in (("l", 1), ("r", -1)):
        bones[f"arm_{side}"] = ("c", [0.2 * sign, 0, 1.5], [0.5 * sign, 0, 1.5])
    found = roles_of(bones, **NAMED, hips="pelvis", upper_arm_L="arm_l", upper_arm_R="arm_r", head="e")
    assert (found["chest"], found["spine"], found["neck"]) == ("c", "a", "d")
    found = roles_of(bones, **NAMED, hips="pelvis", upper_arm_L="arm_l", upper_arm_R="arm_r", head="d", spine="b")
    assert found["spine"] == "b" and "neck" not in found
