"""Skeletons as artists hang them: feet and controls on the ground, hips that are none, names that say little."""

from __future__ import annotations

import numpy as np
import pytest

from core.skeleton.bone_map import find_roles
from core.skeleton.carried import ancestors, attached, carriers
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skeleton.template import rig_from_joints
from tests.limits import turning_point


def preset(name: str) -> Rig:
    template = load_template(name)
    return rig_from_joints(template, template.positions)


def changed(rig: Rig, *, parents=(), names=(), added=()) -> Rig:
    """The rig with other parents {bone: parent or ""}, other names {bone: name}, and bones added (name, parent, head,
    tail)."""
    own = list(rig.names)
    up = [int(p) for p in rig.parents]
    for bone, parent in dict(parents).items():
        up[own.index(bone)] = own.index(parent) if parent else -1
    heads, tails = [*rig.heads], [*rig.tails]
    for name, parent, head, tail in added:
        up.append(own.index(parent) if parent else -1)
        own.append(name)
        heads.append(np.array(head, float))
        tails.append(np.array(tail, float))
    return Rig(tuple(dict(names).get(n, n) for n in own), up, np.array(heads), np.array(tails))


def grounded(rig: Rig) -> Rig:
    """The rig over a ground bone that its feet hang on, with poles before the knees."""
    knee = rig.heads[rig.names.index("shin.L")]
    out = changed(rig, added=[("ground", "", (0, 0, 0), (0, 0.2, 0)),
                              ("pole.L", "ground", knee + [0, -0.5, 0], knee + [0, -0.6, 0])])
    return changed(out, parents={"hips": "ground", "foot.L": "ground", "foot.R": "ground"})


def test_feet_on_the_ground_are_carried_by_their_legs():
    rig = grounded(preset("biped"))
    roles = find_roles(rig)
    assert {r: rig.names[b] for r, b in roles.items()} == {n: n for n in preset("biped").names}
    hung = attached(rig, roles)
    for side in "LR":
        assert hung.parents[rig.names.index(f"foot.{side}")] == rig.names.index(f"shin.{side}")
    assert hung.parents[rig.names.index("pole.L")] == rig.names.index("ground")
    told = carriers(rig, roles, {"pole.L": "thigh.L"})
    assert told[rig.names.index("pole.L")] == rig.names.index("thigh.L")


def test_a_rig_that_hangs_together_stays_itself():
    for name in ("biped", "quadruped", "horse", "centaur", "bird"):
        rig = preset(name)
        assert attached(rig, find_roles(rig)) is rig


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
def test_controls_at_joints_go_with_the_limb(size):
    rig = preset("biped")
    wrist = rig.heads[rig.names.index("hand.L")]
    ankle = rig.heads[rig.names.index("foot.R")]
    rig = changed(rig, added=[("handIK", "", wrist, wrist + [0, 0, 0.1]), ("footIK", "", ankle, ankle + [0, 0.1, 0]),
                              ("camera", "", (0, -3, 1), (0, -3.2, 1))])
    rig = Rig(rig.names, rig.parents, size * rig.heads, size * rig.tails)
    hung = attached(rig, find_roles(rig))
    assert hung.parents[rig.names.index("handIK")] == rig.names.index("hand.L")
    assert hung.parents[rig.names.index("footIK")] == rig.names.index("foot.R")
    assert hung.parents[rig.names.index("camera")] == -1


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
def test_a_control_beyond_a_limbs_end_on_its_line_goes_with_it_up_to_a_distance(size):
    rig = preset("biped")
    arm = [rig.names.index(f"{n}.L") for n in ("upper_arm", "forearm", "hand")]
    length = np.linalg.norm(np.diff(rig.heads[arm], axis=0), axis=1).sum()
    along = (rig.tails - rig.heads)[arm[-1]] / np.linalg.norm((rig.tails - rig.heads)[arm[-1]])

    def goes_along(far: float) -> bool:
        place = rig.heads[arm[-1]] + far * length * along
        with_it = changed(rig, added=[("handIK", "", place, place + [0, 0, 0.1])])
        with_it = Rig(with_it.names, with_it.parents, size * with_it.heads, size * with_it.tails)
        return carriers(with_it, find_roles(with_it))[-1] == arm[-1]

    assert turning_point(goes_along, 1.0, 4.0) == pytest.approx(2.5, abs=0.01)


def test_hips_are_what_both_legs_hang_on():
    rig = changed(preset("biped"), names={"hips": "Body", "spine": "Hips", "chest": "Torso"})
    roles = find_roles(rig)
    assert rig.names[roles["hips"]] == "Body"
    far = grounded(preset("biped"))
    far = changed(far, names={"ground": "Hips", "hips": "pelvic"})
    assert far.names[find_roles(far)["hips"]] == "pelvic"


def test_controls_on_the_ground_are_no_legs():
    """Bones without names, and four more pairs of them standing on the ground."""
    rig = preset("quadruped")
    added = []
    for kind in ("front", "hind"):
        for side in "LR":
            foot = rig.heads[rig.names.index(f"{kind}_foot.{side}")] * [1, 1, 0]
            added.append((f"ik {kind}{side}", "", foot, foot + [0, -0.1, 0]))
    known = [*rig.names, *(a[0] for a in added)]
    nameless = changed(rig, added=added)
    nameless = Rig(tuple(f"Bone.{i:03d}" for i in range(len(known))), nameless.parents, nameless.heads, nameless.tails)
    roles = find_roles(nameless)
    for kind in ("front", "hind"):
        for part in ("upper", "lower", "foot"):
            assert known[roles[f"{kind}_{part}.L"]] == f"{kind}_{part}.L"
    hung = attached(nameless, roles)
    assert all("foot" in known[hung.parents[i]] for i in range(len(rig.names), len(known)))


def test_a_middle_bone_without_a_known_name_is_found_between():
    rig = changed(preset("biped"), names={"shin.L": "l-leg", "shin.R": "r-leg", "forearm.L": "xL", "forearm.R": "xR"})
    roles = find_roles(rig)
    assert rig.names[roles["shin.L"]] == "l-leg" and rig.names[roles["forearm.R"]] == "xR"


def test_what_is_called_a_foot_but_begins_high_is_a_heel():
    """As in rigs of foxes and horses: upper, lower, ankle, foot."""
    rig = preset("horse")
    names = {f"hind_{a}.{s}": f"Back_Leg_{b}_{s}" for s in "LR" for a, b in
             (("upper", "Upper"), ("lower", "Lower"), ("heel", "Ankle"), ("foot", "Foot"))}
    names |= {f"front_{a}.{s}": f"Front_Leg_{b}_{s}" for s in "LR" for a, b in
              (("upper", "Upper"), ("lower", "Lower"), ("foot", "Ankle"))}
    foreign = changed(rig, names=names)
    roles = find_roles(foreign)
    assert foreign.names[roles["hind_heel.L"]] == "Back_Leg_Ankle_L"
    assert foreign.names[roles["hind_foot.R"]] == "Back_Leg_Foot_R"


def test_a_shin_in_two_pieces_is_no_birds_leg():
    rig = preset("biped")
    added, parents = [], {}
    for side in "LR":
        shin, foot = (rig.names.index(f"{n}.{side}") for n in ("shin", "foot"))
        half = (rig.heads[shin] + rig.heads[foot]) / 2
        added.append((f"shin.{side}.001", f"shin.{side}", half, rig.heads[foot]))
        parents[f"foot.{side}"] = f"shin.{side}.001"
    rig = changed(changed(rig, added=added), parents=parents)
    assert rig.names[find_roles(rig)["foot.L"]] == "foot.L"


def test_ancestors_end_at_the_root_and_in_a_circle():
    assert ancestors(np.array([-1, 0, 1]), 2) == [1, 0]
    assert ancestors(np.array([1, 0]), 0) == [1, 0]
