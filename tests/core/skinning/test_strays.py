"""Skin of the body close to a hand does not follow the hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from core.geometry.laplacian import graph_laplacian
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skeleton.template import rig_from_joints
from core.skinning import heat
from core.skinning.bind import bind_shape
from core.skinning.handles import Handles, skin_handles
from core.skinning.strays import LOST, _is_lost, stray_skin
from tests.characters import person
from tests.core.skinning.solids import prepare

SPINE, SHOULDER, UPPER, HAND = range(4)
FOREARM, PALM, FINGER = 3, 4, 5
HANDLES = Handles(np.arange(4), np.arange(4), np.zeros((4, 3)), np.ones((4, 3)), parent=[-1, 0, 1, 2],
                  limb=[0, -1, 1, 1])
FINGERED = Handles(np.arange(6), np.arange(6), np.zeros((6, 3)), np.ones((6, 3)), parent=[-1, 0, 1, 2, 3, 4],
                   limb=[0, -1, 1, 1, 1, 1])


def strays(own, places, edges, *, handles=HANDLES, normals=None, what: int = 1) -> list[int]:
    """Vertices that are no part of the left arm, or what else is found. own : the handle of each, None for one that
    sees no bone, or two that warm it alike;  normals : by default none, as of skin that lies on every bone"""
    bones = np.arange(len(handles.bones))
    targets = np.array([np.isin(bones, bone) / np.size(bone) if bone is not None else 0.0 * bones for bone in own])
    one, two = np.array(edges).T
    links = sparse.coo_matrix((np.ones(len(one)), (one, two)), (len(own), len(own)))
    places = np.array(places, float)
    if normals is None:
        at, where, _ = handles.nearest(places)
        nearest = at.argmin(1)
        normals = places - handles.points(nearest, where[np.arange(len(own)), nearest])
    found = stray_skin(places, np.array(normals, float), targets, handles,
                       graph_laplacian((links + links.T).tocsr()), np.ones(len(own)))
    assert set(found) <= {0, 1, LOST}
    return np.flatnonzero(found == what).tolist()


def ladder(patch, *, height: float = 0.1) -> tuple[list, list, list]:
    """An arm along a thigh, joined to it at the shoulder: arm, trunk and thigh in a line of vertices each; the last of
    the thigh but one is warmed by the bone `patch`."""
    own = [SHOULDER, UPPER, UPPER, HAND, HAND, HAND, SPINE, SPINE, SPINE, SPINE, patch, SPINE]
    places = [(0, 0, -k) for k in range(6)] + [(height, 0, -k) for k in range(6)]
    edges = [(k, k + 1) for k in [*range(5), *range(6, 11)]] + [(0, 6)]
    return own, places, edges


@pytest.mark.parametrize(("patch", "height", "found"), [
    (HAND, 0.1, [10]), (UPPER, 0.1, []), (SPINE, 0.1, []), (None, 0.1, []), (HAND, 3.0, [])],
    ids=["near the hand", "near the upper arm", "its own", "unseen", "far off"])
def test_a_patch_beside_the_hand_is_no_part_of_the_arm(patch, height, found):
    assert strays(*ladder(patch, height=height)) == found


@pytest.mark.parametrize(("patch", "beside", "found"), [
    (FINGER, SPINE, [10]), (PALM, SHOULDER, [10]), (FOREARM, SHOULDER, [])],
    ids=["the only skin of a finger", "a palm on a shoulder", "a sleeve that begins there"])
def test_a_patch_near_the_hand_is_no_part_of_it_whichever_of_its_bones_warms_it(patch, beside, found):
    own, places, edges = ladder(patch)
    own[2:6], own[11] = [FOREARM, PALM, PALM, PALM], beside
    assert strays(own, places, edges, handles=FINGERED) == found


def test_a_hand_that_is_cut_off_by_the_thigh_it_rests_on_is_still_the_hand():
    own, places, edges = ladder(SPINE)
    own[3] = SPINE  # the wrist looks to the thigh: the hand's skin lies beyond it
    assert strays(own, places, [*edges, (4, 10)]) == []


@pytest.mark.parametrize(("bone", "more", "found"), [
    (SPINE, [], [5]), (None, [], [5]), (SHOULDER, [], [5]), (SPINE, [(5, 10)], []), (UPPER, [], [])],
    ids=["looks to the thigh", "sees no bone", "looks to the shoulder", "melted into the thigh", "its own"])
def test_fingers_that_only_the_hand_joins_to_the_rest_are_its_own(bone, more, found):
    own, places, edges = ladder(SPINE)
    own[5] = bone
    assert strays(own, places, edges + more, what=LOST) == found
    assert strays(own, places, edges + more) == []


def test_what_an_upper_arm_joins_or_there_is_more_of_than_of_the_hand_is_not_the_arms():
    own, places, edges = ladder(SPINE)
    own[2:6] = [SPINE, SPINE, SPINE, HAND]
    assert strays(own, places, edges, what=LOST) == [], "joined to an upper arm"
    alone = [HAND, SPINE, SPINE], places[:3], edges[:2]
    assert strays([*own, *alone[0]], [*places, *alone[1]], [*edges, (12, 13), (13, 14)], what=LOST) == []


def test_a_glove_keeps_its_arm_and_a_loose_plate_on_the_thigh_does_not():
    own, places, edges = ladder(SPINE)
    own, places = own + [HAND, HAND, SPINE] + [HAND, SPINE, SPINE], places + [(0.05, 0, -k) for k in (4, 4.5, 5) * 2]
    assert strays(own, places, [*edges, (12, 13), (13, 14), (15, 16), (16, 17)]) == [15]


def test_a_forearm_in_a_part_of_its_own_is_the_arm_and_a_patch_beside_it_is_not():
    own, places, edges = ladder(HAND)
    edges.remove((2, 3))  # a sleeve ends above the forearm's skin
    assert strays(own, places, edges) == [10]


def test_skin_that_an_arm_warms_a_little_belongs_to_it_only_where_it_touches_it():
    own, places, edges = ladder((SPINE, HAND))
    assert strays(own, places, edges) == [10]
    own[6] = own[7] = (SPINE, UPPER)  # below the shoulder
    assert strays(own, places, edges) == [10]
    own[8] = own[9] = (SPINE, UPPER)
    assert strays(own, places, edges) == []


def test_what_may_not_warm_a_vertex_does_not_though_it_is_the_nearest(monkeypatch):
    monkeypatch.setattr(heat, "visibility", lambda field, starts, ends: np.ones(len(starts)))
    handles = Handles(np.arange(2), np.arange(2), np.array([[0.0, 0, 0], [0, 0, 1]]),
                      np.array([[1.0, 0, 0], [1, 0, 1]]))
    point, out = np.array([[0.5, 0, 0.2]]), np.array([[0.0, 0, 1]])
    free = heat.heat_sources(point, out, None, handles)
    held = heat.heat_sources(point, out, None, handles, np.array([[True, False]]))
    assert free.targets.tolist() == [[1, 0]] and held.targets.tolist() == [[0, 1]]


def flank(*, spine: float = 0.3, facing=(1, 0, 0), joined: bool = True) -> list[int]:
    """An arm that hangs 0.1 beside a flank that its bones warm: vertices of the arm, and after them of the flank.

    spine : how far behind the flank the trunk's bone lies;  facing : where the flank's skin looks
    joined : whether the trunk's own skin goes on from the flank's lower end; the arm does from its upper one
    """
    low, high = np.array([[0, 0, -4.0], [0.1, 0, 0], [0.1, 0, 0], [0.1, 0, -2]]), np.zeros((4, 3))
    high[:] = [[0, 0, 0], [0.1, 0, 0.2], [0.1, 0, -2], [0.1, 0, -4]]
    low[0, 0] = high[0, 0] = -spine
    handles = Handles(np.arange(4), np.arange(4), low, high, parent=[-1, 0, 1, 2], limb=[0, -1, 1, 1])
    places = [(0.15, 0, -k) for k in range(1, 5)] + [(0, 0, -k) for k in range(1, 5)] + [(-2 * spine, 0, -4)]
    normals = [(1, 0, 0)] * 4 + [facing] * 4 + [(-1, 0, 0)]
    edges = [(0, 1), (1, 2), (2, 3), (0, 4), (4, 5), (5, 6), (6, 7)] + [(7, 8)] * joined
    return strays([UPPER, UPPER, HAND, HAND] * 2 + [SPINE], places, edges, handles=handles, normals=normals)


def test_the_flank_beside_a_hanging_arm_does_not_follow_it():
    assert flank() == [4, 5, 6, 7], "it faces the arm's bones, and its own lie behind it"
    assert flank(spine=3.0) == [], "a sleeve's lining: nothing else is near"
    past = {"facing": (0, 1, 0), "spine": 0.15}
    assert flank(**past) == [6, 7], "skin that looks past the arm goes with what it is joined to more closely"
    assert flank(**past, joined=False) == []
    assert flank(facing=(-1, 0, 0)) == [], "the skin of the arm's own inside"


@pytest.mark.parametrize(("most", "own_heat"), [(20_000, 64_000), (1000, 64_000), (1000, 0)])
def test_stray_skin_is_warmed_by_the_bones_that_are_left(most, own_heat, monkeypatch):
    character, template = person(vertices=1500), load_template("biped")
    rig = rig_from_joints(template, np.array([character.joints[n] for n in template.names]))
    shape = prepare(character.mesh)
    for name, value in (("MOST_VERTICES", most), ("_OWN_HEAT", own_heat), ("_LEAST_COARSE", 0),
                        ("_COARSE_VERTICES", 700)):
        monkeypatch.setattr(heat, name, value)
    arm = [i for i, name in enumerate(rig.names) if name in ("upper_arm.L", "forearm.L", "hand.L")]
    beside = abs(character.mesh.vertices[:, 0]) < abs(character.joints["upper_arm.L"][0])  # where trunk bones are seen
    before = bind_shape(shape, rig, "heat").matrix[beside][:, arm].sum()
    monkeypatch.setattr(heat, "stray_skin", lambda vertices, *rest: np.ones(len(vertices), np.int64))
    after = bind_shape(shape, rig, "heat").matrix[beside][:, arm].sum()
    assert after < 0.55 * before, "half comes back from the other side, when weights are mirrored"


def test_bones_are_the_arms_in_whatever_order_they_stand():
    character, template = person(vertices=1500), load_template("biped")
    rig = rig_from_joints(template, np.array([character.joints[n] for n in template.names]))
    last, shape = len(rig.names) - 1, prepare(character.mesh)
    turned = Rig(rig.names[::-1], np.where(rig.parents < 0, -1, last - rig.parents)[::-1], rig.heads[::-1],
                 rig.tails[::-1])
    limbs = [dict(zip(np.array(r.names)[h.bones].tolist(), h.limb.tolist(), strict=True))
             for r in (rig, turned) for h in (skin_handles(shape, r),)]
    assert limbs[0] == limbs[1] and limbs[0]["hand.L"] == 1


def test_lost_skin_takes_its_weights_from_the_arm_around_it(monkeypatch):
    warm = heat.HeatSources(np.eye(2)[[0, 1]], np.ones(2), np.ones(2), np.ones(2))
    monkeypatch.setattr(heat, "stray_skin", lambda *_: np.array([0, LOST]))
    left = heat._without_strays(warm, np.zeros((2, 3)), np.zeros((2, 3)), None, HANDLES, None, np.ones(2))
    assert left.targets.tolist() == [[1, 0], [0, 0]] and left.conductance.tolist() == [1, 0]
    stiffness = graph_laplacian(sparse.csr_matrix([[0.0, 1], [1, 0]]))
    assert np.allclose(heat.heat_equilibrium(stiffness, np.ones(2), left), [[1, 0], [1, 0]])


def test_skin_that_sees_no_other_bone_keeps_its_arm(monkeypatch):
    """The lining of a sleeve, say."""
    monkeypatch.setattr(heat, "visibility", lambda field, starts, ends: np.abs(ends - starts)[:, 2] < 0.5)
    monkeypatch.setattr(heat, "stray_skin", lambda vertices, *rest: np.ones(len(vertices), np.int64))
    handles = Handles(np.arange(2), np.arange(2), np.array([[0.0, 0, 0], [0, 0, 1]]),
                      np.array([[1.0, 0, 0], [1, 0, 1]]), limb=[1, 0])
    points, out = np.array([[0.5, 0, 0.2], [0.5, 0, 0.7], [0.5, 0, 0.5]]), np.array([[0.0, 0, 1]] * 3)
    warm = heat.HeatSources(np.array([[1.0, 0]] * 3), np.ones(3), np.ones(3), np.ones(3))
    left = heat._without_strays(warm, points, out, None, handles, None, np.ones(3))
    assert left.targets.tolist() == [[1, 0], [0, 1], [1, 0]]


@pytest.mark.parametrize(("room", "lost"), [(1.0, [5]), (6.0, [])])
def test_skin_is_lost_to_an_arm_if_only_its_forearm_joins_it_and_the_arm_has_more(room, lost):
    """An upper arm 0 1, a forearm 2 3 4; a patch 5 on the forearm, a trunk 6 7 on the upper arm, a patch 8 on both.

    room : the area of the patch on the forearm; every other vertex has 1
    """
    one_way = np.array([(0, 1), (1, 2), (2, 3), (3, 4), (3, 5), (0, 6), (6, 7), (4, 8), (1, 8)]).T
    edges = np.concatenate([one_way, one_way[::-1]], 1)
    arm, lower = (np.isin(np.arange(9), own) for own in ([0, 1, 2, 3, 4], [2, 3, 4]))
    mass = np.where(np.arange(9) == 5, room, 1.0)
    assert np.flatnonzero(_is_lost(edges, arm, lower, mass)).tolist() == lost
