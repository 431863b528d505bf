"""Bone maps: names of many houses, and shapes without names."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import BadBoneMap
from core.skeleton.body_plan import _add_trunk, _lower_feet, _raise_thighs, _stood_up
from core.skeleton.bone_map import (
    BoneMap,
    bone_map_data,
    bone_map_from_data,
    find_roles,
    has_limbs,
    load_bone_map,
    map_names,
)
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skeleton.structure import roles_by_structure
from core.skeleton.template import rig_from_joints
from core.skeleton.words import doubts
from tests.core.motion.bodies import moved_rig, reordered

PEOPLE = ("mixamo", "cmu", "rigify", "rigify_deform", "unreal", "unity", "vrm", "common", "joints")
BIPED = load_template("biped")


def preset(name: str, rename=lambda n: n) -> Rig:
    template = load_template(name)
    rig = rig_from_joints(template, template.positions)
    return Rig(tuple(rename(n) for n in rig.names), rig.parents, rig.heads, rig.tails, rig.x_axes)


@pytest.mark.parametrize("name", PEOPLE)
def test_every_house_style_names_a_whole_person(name):
    bones = load_bone_map(name).bones
    assert {b.name for b in BIPED.bones} <= set(bones)
    renamed = preset("biped", lambda n: bones[n][0])
    roles = find_roles(renamed)
    assert {role: renamed.names[b] for role, b in roles.items()} == {n.name: bones[n.name][0] for n in BIPED.bones}


@pytest.mark.parametrize(
    "style", [lambda n: f"mixamorig:{n}", lambda n: f"Armature|{n}".upper(), lambda n: f"mixamorig_{n}"]
)
def test_namespaces_case_and_signs_play_no_part(style):
    bones = load_bone_map("mixamo").bones
    roles = load_bone_map("mixamo").roles([style(names[0]) for names in bones.values()])
    if "mixamorig_" in style("x"):  # no namespace but a prefix: the names say nothing, the structure tells
        roles = find_roles(preset("biped", lambda n: style(bones[n][0])))
    assert set(roles) == {b.name for b in BIPED.bones}


@pytest.mark.parametrize("name", ["biped", "biped_tail", "quadruped", "horse", "centaur", "bird"])
def test_our_own_presets_are_known_by_name(name):
    rig = preset(name)
    assert len(find_roles(rig)) == len(rig.names)


@pytest.mark.parametrize(("name", "fewest"), [("biped", 21), ("quadruped", 19), ("horse", 21)])
def test_nameless_skeletons_are_known_by_shape(name, fewest):
    rig = preset(name)
    found = roles_by_structure(rig)
    assert len(found) >= fewest and all(role == bone for role, bone in found.items()), found


def test_of_a_nameless_tail_the_first_bone_is_the_tail_however_many_it_has():
    rig, count = preset("quadruped"), len(preset("quadruped").names)
    tail = rig.names.index("tail")
    ends = rig.tails[tail] + np.outer(np.arange(1, 4), rig.tails[tail] - rig.heads[tail])
    longer = Rig((*rig.names, "a", "b", "c"), [*rig.parents, tail, count, count + 1],
                 [*rig.heads, rig.tails[tail], *ends[:2]], [*rig.tails, *ends])
    assert roles_by_structure(longer)["tail"] == "tail"


@pytest.mark.parametrize(("above", "name"), [(0.1, "hips"), (-0.1, "hips"), (0.6, "carrier"), (-0.6, "carrier")])
def test_what_is_called_hips_and_carries_the_legs_is_the_hips_only_near_them(above, name):
    """Lengths in legs: further off it is a control, and the hips are the bone that the legs hang on."""
    rig = preset("biped")
    hips, thigh, foot = (rig.names.index(n) for n in ("hips", "thigh.L", "foot.L"))
    leg = rig.heads[thigh, 2] - rig.heads[foot, 2]
    place = rig.heads[[thigh, rig.names.index("thigh.R")]].mean(0) + [0, 0, above * leg]
    names = tuple("carrier" if i == hips else n for i, n in enumerate(rig.names)) + ("hips",)
    parents = np.append(rig.parents, -1)
    parents[hips] = len(rig.names)
    under = Rig(names, parents, [*rig.heads, place], [*rig.tails, place + [0, 0, 0.05]])
    assert names[find_roles(under)["hips"]] == name


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_of_two_toes_without_names_the_lower_ends_the_leg(order):
    rig = preset("biped")
    rows = [i for i, name in enumerate(rig.names) if not name.startswith("toe")]
    toes = {"a": [0.0, -0.05, 0.0], "b": [0.03, -0.05, 0.03]}  # how far their ends lie from the toe's end
    names, parents = [rig.names[i] for i in rows], [rows.index(p) if p >= 0 else -1 for p in rig.parents[rows]]
    heads, tails = list(rig.heads[rows]), list(rig.tails[rows])
    for which in order:
        for side, sign in (("L", 1), ("R", -1)):
            at = rig.names.index(f"toe.{side}")
            names.append(f"{which}.{side}")
            parents.append(names.index(f"foot.{side}"))
            heads.append(rig.heads[at])
            tails.append(rig.tails[at] + np.array(toes[which]) * [sign, 1, 1])
    found = roles_by_structure(Rig(tuple(names), np.array(parents), np.array(heads), np.array(tails)))
    assert (found["toe.L"], found["toe.R"]) == ("a.L", "a.R")


def test_arms_that_hang_on_legs_make_no_arms_of_them():
    rig = preset("biped")
    parents = np.array(rig.parents)
    for side in "LR":
        parents[rig.names.index(f"shoulder.{side}")] = rig.names.index(f"thigh.{side}")
    found = roles_by_structure(Rig(rig.names, parents, rig.heads, rig.tails))
    assert found["thigh.L"] == "thigh.L" and len(set(found.values())) == len(found)


def test_shapes_that_are_nobody_have_no_roles():
    chain = np.array([[0, 0, z] for z in range(6)], float)
    snake = Rig(tuple("abcde"), np.arange(5) - 1, chain[:5], chain[1:])
    assert roles_by_structure(snake) == {} and find_roles(snake) == {}
    assert find_roles(Rig((), np.zeros(0, int), np.zeros((0, 3)), np.zeros((0, 3)))) == {}


def test_a_foot_that_hangs_on_the_ground_is_the_legs_if_it_begins_where_the_leg_ends():
    rig = preset("biped")
    parents, heads = np.array(rig.parents), np.array(rig.heads)
    foot = rig.names.index("foot.L")
    parents[foot] = -1
    near = Rig(rig.names, parents, heads, rig.tails)
    assert find_roles(near) == find_roles(rig)
    heads[foot] += [0.3, 0.4, 0.0]
    roles = find_roles(Rig(rig.names, parents, heads, rig.tails))
    assert "foot.L" not in roles and "shin.L" in roles and "foot.R" in roles


def test_a_map_of_ones_own_decides():
    rig = preset("biped")
    own = BoneMap("mine", {"hips": ("chest",), "spine": ("nobody", "head")})
    assert find_roles(rig, own) == {"hips": rig.names.index("chest"), "spine": rig.names.index("head")}


def test_files_come_back(tmp_path):
    for name in map_names():
        bone_map = load_bone_map(name)
        assert bone_map_from_data(bone_map_data(bone_map)).bones == bone_map.bones


@pytest.mark.parametrize(("data", "words"), [
    ([], "not a bone map"), ({"format": "geppetto-bone-map", "version": 3}, "version 3"),
    ({"format": "geppetto-bone-map", "version": 1}, '"bones"'),
    ({"format": "geppetto-bone-map", "version": 1, "bones": {}, "nme": "a"}, 'no field "nme". Use: .*name'),
    ({"format": "geppetto-bone-map", "version": 1, "bones": {"hips": 3}}, '"hips"'),
    ({"format": "geppetto-bone-map", "version": 1, "bones": {"hips": ["", "a"]}}, '"hips"')])
def test_broken_maps_are_told(data, words):
    with pytest.raises(BadBoneMap, match=words):
        bone_map_from_data(data)


def test_files_that_are_none(tmp_path):
    (tmp_path / "a.json").write_text("[")
    with pytest.raises(BadBoneMap, match="not JSON"):
        load_bone_map(tmp_path / "a.json")
    with pytest.raises(BadBoneMap, match="cannot be read"):
        load_bone_map(tmp_path / "b.json")
    with pytest.raises(BadBoneMap, match="Choose one of"):
        load_bone_map("nobody")


@pytest.mark.parametrize(("parts", "known"), [
    (("upper_arm",), True), (("forearm", "hand"), False), (("thigh",), False), (("thigh", "shin"), True),
    (("hind_upper", "hind_lower"), True), (("hips", "spine", "chest", "neck", "head"), False)])
def test_a_pair_of_upper_arms_or_of_two_parts_of_legs_is_a_limb(parts, known):
    assert has_limbs({f"{part}.{side}": 0 for part in parts for side in "LR"} | dict.fromkeys(parts, 0)) is known
    assert not has_limbs({f"{part}.L": 0 for part in parts}), "one side alone is no pair"


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["biped", "biped_tail", "bird", "centaur", "horse", "quadruped"])
@pytest.mark.parametrize("size", [0.01, 40.0])
def test_place_and_size_do_not_matter_with_names_or_without(name, size):
    """Below the ground, above it, and far to a side."""
    template = load_template(name)
    rig = rig_from_joints(template, template.positions)
    for names in (rig.names, tuple(f"bone {i}" for i in range(len(rig.names)))):
        plain = moved_rig(rig, np.eye(3), names=names)
        roles = find_roles(plain)
        assert roles
        for offset in ([0, 0, -3.0], [5.0, -4.0, 2.0]):
            assert find_roles(moved_rig(rig, size * np.eye(3), size * np.array(offset), names)) == roles


@pytest.mark.parametrize("first", ["hips", "foot", "shin", "hand", "head", "hind_upper", "hind_foot", "front_foot"])
@pytest.mark.parametrize("name", ["biped", "bird", "centaur", "horse"])
def test_the_order_of_bones_does_not_matter_with_names_or_without(name, first):
    rig = preset(name)
    first = next((n for n in rig.names if n.startswith(first)), rig.names[-1])
    for bare in (False, True):
        names = tuple(f"bone {i}" for i in range(len(rig.names))) if bare else rig.names
        plain = Rig(names, rig.parents, rig.heads, rig.tails, rig.x_axes)
        other, order = reordered(plain, names[rig.names.index(first)])
        assert {role: order[b] for role, b in find_roles(other).items()} == find_roles(plain)


@pytest.mark.parametrize("lift", [-3.0, 0.0, 2.0])
def test_front_legs_that_end_high_are_arms_wherever_the_ground_is(lift):
    template = load_template("quadruped")
    rig = rig_from_joints(template, template.positions)
    number = {n: i for i, n in enumerate(rig.names)}
    roles = {n: i for n, i in number.items() if n in find_roles(rig)}
    raised, size = rig.heads.copy(), np.ptp(rig.heads[:, 2])
    front = [i for i, n in enumerate(rig.names) if n.startswith("front_")]
    raised[front] += [0, 0, 0.8 * size]
    for heads, kinds in ((rig.heads, {"front_upper.L", "hind_upper.L"}), (raised, {"upper_arm.L", "thigh.L"})):
        placed = Rig(rig.names, rig.parents, heads + [0, 0, lift], heads + rig.tails - rig.heads + [0, 0, lift])
        assert kinds <= _stood_up(placed, roles).keys()


@pytest.mark.parametrize("lift", [-3.0, 0.0, 2.0])
@pytest.mark.parametrize(("high", "foot"), [(0.21, "ankle"), (0.23, "paw"), (0.5, "paw")])
def test_a_foot_that_begins_high_over_the_ground_is_a_heel_and_its_lowest_long_bone_the_foot(high, foot, lift):
    """Of a leg that is 1 high; of the bones after it one goes down too little, the nail ends on the ground."""
    names = ("hips", "hind_upper.L", "hind_lower.L", "ankle", "claw", "knob", "paw", "nail")
    heights = np.array([1.1, 1.0, 0.6, high, 0.4 * high, 0.6 * high, 0.2 * high, 0.0]) + lift
    heads = np.stack([np.zeros(8), np.zeros(8), heights], axis=1)
    roles = {"hind_upper.L": 1, "hind_lower.L": 2, "hind_foot.L": 3}
    _lower_feet(rig := Rig(names, (-1, 0, 1, 2, 3, 3, 3, 6), heads, heads + [0, 0.01, 0]), roles)
    assert rig.names[roles["hind_foot.L"]] == foot and roles.get("hind_heel.L", 3) == 3


@pytest.mark.parametrize("lift", [-3.0, 0.0, 2.0])
@pytest.mark.parametrize(("down", "ahead", "thigh"), [
    (0.17, 0.0, "haunch"), (0.13, 0.0, "upper"), (0.5, 0.45, "haunch"), (0.5, 0.55, "upper")])
def test_a_long_bone_that_comes_down_to_an_animals_upper_leg_is_its_thigh(down, ahead, thigh, lift):
    """Over what is called upper leg, which is 1 high on both sides."""
    names = ("hips", "haunch", "upper", "lower", "foot", "other")
    heads = np.array([[0, 0, 2.0], [0, ahead, 1 + down], [0, 0, 1.0], [0, 0, 0.5], [0, 0, 0], [0.3, 0, 1.0]])
    roles = {"hind_upper.L": 2, "hind_lower.L": 3, "hind_foot.L": 4, "hind_upper.R": 5}
    heads = heads + [0, 0, lift]
    _raise_thighs(rig := Rig(names, (-1, 0, 1, 2, 3, 0), heads, heads + [0, 0.01, 0]), roles)
    assert rig.names[roles["hind_upper.L"]] == thigh
    assert thigh == "upper" or (roles["hind_lower.L"], roles["hind_heel.L"]) == (2, 3)


@pytest.mark.parametrize(("how", "told"), [
    ({"lower": 0.37}, []), ({"lower": 0.33}, ["forearm.L", "forearm.R"]), ({"lower": 2.7}, []),
    ({"lower": 3.0}, ["upper_arm.L", "upper_arm.R"]),
    ({"beyond": 0.68}, []), ({"beyond": 0.72}, ["hand.L", "hand.R"]), ({"beyond": 0.72, "name": "index"}, []),
    ({"lower": 0.8, "beyond": 0.58}, ["hand.L", "hand.R"]),
    ({"left": 0.76}, []), ({"left": 0.74}, ["upper_arm.L"]), ({"left": 1.4}, ["upper_arm.R"])])
def test_arms_are_doubted_whose_bones_no_arm_has_or_that_differ(how, told):
    """Of each arm the upper part is 1 long, but `left` for the left one, whose other lengths grow with it."""
    lower, beyond, name, left = (how.get(key, usual) for key, usual in (
        ("lower", 1.0), ("beyond", 0.1), ("name", "palm"), ("left", 1.0)))
    parts, along = ("upper_arm", "forearm", "hand", name), np.cumsum([0.0, 1.0, lower, beyond])
    names = ("hips", *(f"{part}.{side}" for side in "LR" for part in parts))
    heads = np.array([[0, 0, 0], *([size * x + 0.1, 0, 0] for size in (left, -1) for x in along)])
    rig = Rig(names, (-1, 0, 1, 2, 3, 0, 5, 6, 7), heads, heads + [0, 0, 0.1])
    assert doubts(rig, {n: i for i, n in enumerate(names) if i % 4}) == told


def test_chest_spine_and_neck_lie_between_hips_arms_and_head_where_no_name_tells_them():
    parents = (-1, 0, 1, 2, 3, 3, 3, 6, 7)  # hips, three above them, two arms, two to the head
    rig = Rig(tuple("abcdefghi"), parents, np.zeros((9, 3)), np.ones((9, 3)))
    known = {"hips": 0, "upper_arm.L": 4, "upper_arm.R": 5, "head": 8}
    roles = dict(known)
    _add_trunk(rig, roles)
    assert roles == known | {"chest": 3, "spine": 1, "neck": 6}
