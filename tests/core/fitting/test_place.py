"""From a reading to a template's joints: between two others, along the flesh, and never in the air beside the body."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from core.fitting.bird import place_bird
from core.fitting.joint_tree import JointTree
from core.fitting.place import (
    ARM,
    DEPTH,
    ELBOW,
    HAND,
    REACH,
    limb_in_air,
    middle_line,
    place_joints,
    pull_inside,
    through_flesh,
    with_likely_elbows,
    with_likely_hands,
)
from core.seeing.views import CELLS, Sight, see
from tests.characters.implicit import Blend, RoundCone
from tests.characters.surface_nets import grow
from tests.core.fitting.bodies import prepared, solid
from tests.shapes import box

CENTRES = (np.stack(np.meshgrid(*3 * [np.arange(CELLS)], indexing="ij"), -1) + 0.5) / CELLS
BEND, TUBE = 0.28, 0.06  # of a tube around a quarter and more of a circle in the plane y = 0.5
MIDDLE = np.array([0.4, 0.5, 0.35])


def on_arc(turn) -> np.ndarray:
    """(N, 3) the middle of the bent tube."""
    turn = np.asarray(turn, float)
    return MIDDLE + BEND * np.stack([np.cos(turn), 0 * turn, np.sin(turn)], -1)


@cache
def bent_tube(tube: float = TUBE, end: float = 2.0) -> np.ndarray:
    """(CELLS, CELLS, CELLS) bool, from 0 to `end` radians."""
    solid = np.zeros((CELLS, CELLS, CELLS), bool)
    slab = (slice(None), np.abs(CENTRES[0, :, 0, 1] - MIDDLE[1]) <= tube)
    for at in on_arc(np.linspace(0, end, 80)):
        solid[slab] |= ((CENTRES[slab] - at) ** 2).sum(-1) <= tube**2
    solid.setflags(write=False)
    return solid


def some_tree(between=None, along=None, lowest=None) -> JointTree:
    return JointTree(("root", "tip"), np.array([-1, 0]), np.zeros((2, 3)), np.array([np.eye(3)] * 2), weight=1.0,
                     floor=-12.0, doubtful=np.zeros(2), slope=1.0, odd=-6.5, between=between or {}, along=along or {},
                     lowest=lowest or {})


def placed(solid: np.ndarray, ends: np.ndarray, names: tuple[str, ...], *, scale: float = 1.0, offset=(0, 0, 0),
           **rows) -> dict[str, np.ndarray]:
    sight = Sight(solid, scale, np.array(offset, float))
    return dict(zip(names, place_joints(some_tree(**rows), ends, sight, names, {}), strict=True))


# Between, along, and no lower than some share of the flesh

@pytest.mark.parametrize("height, found", [(0.35, 0.45), (0.42, 0.45), (0.52, 0.52), (0.3, 0.3)])
def test_a_joint_is_raised_to_its_share_of_the_flesh_it_lies_in(height, found):
    """If that is not far: in a trunk that stands upright it stays."""
    solid = np.zeros((CELLS, CELLS, CELLS), bool)
    solid[:, :, round(0.25 * CELLS):round(0.65 * CELLS)] = True  # the trunk, in whole cells from 0.25 to 0.656
    solid[:, :, round(0.8 * CELLS):] = True  # what hangs above it has nothing to do with it
    ends = np.array([[0.2, 0.4, height], [0.8, 0.4, 0.3]])
    at = placed(solid, ends, ("root", "tip", "half"), between={"half": {"root": 1.0}},
                lowest={"root": 0.5, "half": 0.5})
    np.testing.assert_allclose(at["root"], [0.2, 0.4, found], atol=0.5 / CELLS)
    np.testing.assert_array_equal(at["half"], at["root"])
    np.testing.assert_array_equal(at["tip"], ends[1])


def test_a_joint_in_no_flesh_stays():
    """A tail that curls over the rump says nothing about a joint under it."""
    solid = np.zeros((CELLS, CELLS, CELLS), bool)
    solid[:, :, round(0.6 * CELLS):] = True
    at = placed(solid, np.array([[0.2, 0.4, 0.3], [0.8, 0.4, 0.3]]), ("root",), lowest={"root": 0.5})
    np.testing.assert_allclose(at["root"], [0.2, 0.4, 0.3])


def test_joints_come_in_the_templates_order_and_the_meshs_frame():
    ends = np.array([[0.2, 0.4, 0.6], [0.8, 0.4, 0.2]])
    found = placed(bent_tube(), ends, ("half", "tip", "root"), scale=0.5, offset=(0.1, -0.2, 0.3),
                   between={"half": {"root": 0.5, "tip": 0.5}})
    for name, place in zip(("root", "tip", "half"), (*ends, ends.mean(0)), strict=True):
        np.testing.assert_allclose(found[name], (place - [0.1, -0.2, 0.3]) / 0.5, atol=1e-12)


def test_a_line_is_found_again_while_its_ends_stay(monkeypatch):
    ends, sight, lines = on_arc([0.0, 2.0]), Sight(bent_tube(), 1.0, np.zeros(3)), {}
    tree, names = some_tree(along={"mid": ("root", "tip", 0.5)}), ("root", "mid", "tip")
    found = place_joints(tree, ends, sight, names, lines)
    other = place_joints(tree, ends[::-1], sight, names, lines)
    monkeypatch.setattr("core.fitting.place.middle_line", None)
    np.testing.assert_array_equal(place_joints(tree, ends, sight, names, lines), found)
    np.testing.assert_array_equal(place_joints(tree, ends[::-1], sight, names, lines), other)
    np.testing.assert_allclose(other[1], found[1], atol=0.5 / CELLS)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("share", [0.0, 0.25, 0.9, 1.0, 1.3])
def test_joints_between_lie_on_the_straight_way_flesh_or_not(share):
    ends = on_arc([0.0, 2.0])
    found = placed(bent_tube(), ends, ("root", "tip", "mid"), between={"mid": {"root": 1 - share, "tip": share}})["mid"]
    np.testing.assert_allclose(found, ends[0] + share * (ends[1] - ends[0]), atol=1e-12)


@pytest.mark.slow
def test_joints_seen_may_be_corrected_by_others_as_they_are_seen():
    """In whatever order: what is corrected has no say in the next."""
    ends = on_arc([0.0, 2.0])
    for names in (("root", "tip"), ("tip", "root")):
        found = placed(bent_tube(), ends, names, between={"root": {"root": 0.25, "tip": 0.75},
                                                          "tip": {"root": 0.5, "tip": 0.5}})
        np.testing.assert_allclose(found["root"], 0.25 * ends[0] + 0.75 * ends[1], atol=1e-12)
        np.testing.assert_allclose(found["tip"], ends.mean(0), atol=1e-12)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("tube", [0.04, 0.06, 0.09])
def test_joints_along_lie_in_the_flesh_of_a_bent_tube_at_their_shares(tube):
    """Ways through flesh cut corners: their middle lies on the inner side of the tube's own."""
    shares = {"one": 0.25, "two": 0.5, "three": 0.75}
    found = placed(bent_tube(tube), on_arc([0.0, 2.0]), ("root", *shares, "tip"),
                   along={n: ("root", "tip", s) for n, s in shares.items()})
    for name, share in shares.items():
        off = found[name] - MIDDLE
        assert abs(off[1]) < 1 / CELLS
        assert -0.7 * tube < np.hypot(off[0], off[2]) - BEND < 0.1 * tube
        assert np.arctan2(off[2], off[0]) / 2.0 == pytest.approx(share, abs=0.04)


def test_the_middle_line_goes_through_the_flesh_from_end_to_end():
    solid, ends = bent_tube(), on_arc([0.0, 2.0])
    line = middle_line(solid, *ends)
    np.testing.assert_array_equal(line[[0, -1]], ends)
    cells = (line * CELLS).astype(int)
    assert solid[tuple(cells.T)].all()
    steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
    assert steps.max() < 6 / CELLS and steps.sum() == pytest.approx(2.0 * BEND, rel=0.12)


@pytest.mark.slow
def test_the_middle_line_backwards_is_the_same_line():
    solid, ends = bent_tube(), on_arc([0.1, 1.9])
    one, two = middle_line(solid, *ends), middle_line(solid, *ends[::-1])[::-1]
    assert len(one) == len(two)
    np.testing.assert_allclose(one, two, atol=1.5 / CELLS)


@pytest.mark.slow
def test_the_middle_line_of_a_mirrored_tube_is_mirrored():
    ends = on_arc([0.1, 1.9])
    one, two = middle_line(bent_tube(), *ends), middle_line(bent_tube()[::-1], *(ends * [-1, 1, 1] + [1, 0, 0]))
    np.testing.assert_allclose(two * [-1, 1, 1] + [1, 0, 0], one, atol=1e-9)


def test_the_way_is_straight_where_there_is_no_flesh_or_no_way():
    parted = np.zeros((CELLS, CELLS, CELLS), bool)
    parted[5:12, 20:30, 20:30] = parted[40:50, 20:30, 20:30] = True
    ends = np.array([[0.12, 0.4, 0.4], [0.7, 0.4, 0.4]])
    np.testing.assert_array_equal(middle_line(parted, *ends), ends)
    near = np.array([[0.12, 0.4, 0.4], [0.13, 0.41, 0.4]])
    np.testing.assert_array_equal(middle_line(parted, *near), near)


@pytest.mark.slow
def test_ends_outside_the_flesh_are_kept_and_the_line_between_them_is_not_torn():
    ends = on_arc([0.0, 2.0]) + [0.0, 0.1, 0.0]
    line = middle_line(bent_tube(), *ends)
    np.testing.assert_array_equal(line[[0, -1]], ends)
    np.testing.assert_allclose(line[4:-4, 1], 0.5, atol=1.1 / CELLS)


# Into the body

@pytest.mark.slow
def test_joints_outside_come_in_where_the_surface_is_nearest_and_no_others_move(rng):
    ideal, shape = solid("bent")
    field = shape.body
    joints = rng.uniform([-0.6, -0.3, 0.0], [0.6, 0.3, 1.0], (300, 3))
    free, before = rng.random(300) < 0.8, joints.copy()
    moved = pull_inside(joints, field, free)
    np.testing.assert_array_equal(joints, before)
    away = field.sample(joints)
    exact = ideal.distance(shape.frame.to_object(joints)) / shape.frame.scale
    near, far = free & (away > 0) & (exact < REACH - 0.01), free & (exact > REACH + 0.01)
    assert near.sum() > 20 and far.sum() > 20
    assert (field.sample(moved[near]) < -0.5 * DEPTH).all()
    step = np.linalg.norm(moved - joints, axis=1)
    np.testing.assert_allclose(step[near], exact[near] + DEPTH, atol=2.5 * field.grid.spacing)
    stays = far | ~free | (away <= 0)
    np.testing.assert_array_equal(moved[stays], joints[stays])


@pytest.mark.slow
def test_joints_inside_stay_as_they_are():
    field = solid("ball")[1].body
    joints = np.array([[0.0, 0.0, 0.5], [0.1, 0.2, 0.4]])
    np.testing.assert_array_equal(pull_inside(joints, field, np.ones(2, bool)), joints)


def test_bodies_thinner_than_the_depth_take_their_joints_too():
    """In a thin one the middle is as deep as a joint gets."""
    sheet = box((1.0, 0.018, 0.8)).mesh
    field = prepared(sheet).body
    moved = pull_inside(np.array([[0.1, -0.05, 0.4], [0.0, 0.03, 0.2]]), field, np.ones(2, bool))
    assert (field.sample(moved) < 0).all() and (np.abs(moved[:, 1]) < 0.009).all()


@pytest.mark.parametrize(("depth", "head"), [([0.1, 0.1, 0.1, 0.1, 0.1], 0.36), ([0.1, 0.2, 0.3, 0.2, 0.1], 0.5)])
def test_a_birds_head_is_where_the_skull_stands_out_or_else_a_third_of_the_way_from_beak_to_breast(depth, head):
    """The middle line goes from the beak's tip at 2 straight down to the breast at 0, in quarters."""
    names = ("hips", "spine", "chest", "neck", "head", "beak", "tail", "tail_tip", *(
        f"{j}.{s}" for s in "LR" for j in ("wing_upper", "thigh")))
    line = np.linspace([0, 0, 1.5], [0, 0, 0.5], 3)
    profile = SimpleNamespace(centres=line, root=2)
    body = SimpleNamespace(
        template=SimpleNamespace(names=names), plane_x=None, section_middle=lambda y: 0.0,
        limbs={"beak": SimpleNamespace(profile=profile, tip=np.array([0, 0, 2.0])),
               "tail_tip": SimpleNamespace(profile=profile, tip=np.zeros(3))},
        field=SimpleNamespace(sample=lambda p: -np.interp(2 - p[:, 2], np.linspace(0, 2, 5), depth)))
    found = dict(zip(names, place_bird(body, np.zeros((len(names), 3))), strict=True))
    assert found["head"][2] == pytest.approx(2 - 2 * head)
    assert found["neck"][2] == pytest.approx((1 - 0.56) * found["head"][2])


@pytest.mark.parametrize("size", [0.01, 1.0])
@pytest.mark.parametrize("side", ["L", "R"])
def test_a_tip_farther_from_its_hand_than_the_arm_is_long_lies_ahead_of_the_forearm(size, side):
    names = (*(f"{name}.{side}" for name in ARM), "head")
    joints = size * np.array([[0.2, 0, 1.4], [0.5, 0, 1.4], [0.5, 0, 1.2], [0.5, 0, 0.8], [0, 0, 1.6]])
    free = np.zeros(5, bool)
    np.testing.assert_array_equal(with_likely_hands(joints, names, free), joints)
    for far in (0.49, 0.51):
        away = np.array(joints)
        away[3] = joints[2] + size * far * np.array([0.6, -0.8, 0.0])
        found = with_likely_hands(away, names, free)
        ahead = joints[2] + size * HAND * 0.5 * np.array([0, 0, -1.0])
        np.testing.assert_allclose(found[3], away[3] if far < 0.5 else ahead, atol=1e-12)
        np.testing.assert_array_equal(np.delete(found, 3, 0), np.delete(away, 3, 0))
        np.testing.assert_array_equal(with_likely_hands(away, names, np.arange(5) == 3), away)


def test_arms_of_which_a_part_is_missing_are_left_alone():
    joints = np.array([[0.5, 0, 1.4], [0.5, 0, 1.2], [0.5, 0, -9.0]])
    np.testing.assert_array_equal(with_likely_hands(joints, ("forearm.L", "hand.L", "hand_tip.L"), np.zeros(3, bool)),
                                  joints)


def test_no_hand_of_a_mirrored_body_ends_on_the_other_side():
    names = tuple(f"{name}.L" for name in ARM)
    joints = np.array([[0.6, 0, 1.4], [0.6, -0.3, 1.4], [0.6, -0.6, 1.4], [0.45, -0.7, 1.4]])
    free = np.zeros(4, bool)
    for middle in (None, 0.4):
        np.testing.assert_array_equal(with_likely_hands(joints, names, free, middle), joints)
    crossing = with_likely_hands(joints, names, free, 0.5)
    np.testing.assert_allclose(crossing[3], joints[2] + HAND * 0.6 * np.array([0, -1.0, 0]), atol=1e-12)


KNEE, HOCK, BALL = np.array([[0.0, -0.25, 0.9], [0.0, 0.2, 0.4], [0.0, -0.1, 0.05]])
LOW = np.array([0.0, -0.03, 0.12])  # an ankle where people have it who walk on their soles


@cache
def on_toes():
    """A leg that stands on its toes: its shape, what is seen of it, and its knee, ankle and toes in the unit frame."""
    parts = [RoundCone((0, 0, 1.5), tuple(KNEE), 0.12, 0.1), RoundCone(tuple(KNEE), tuple(HOCK), 0.1, 0.06),
             RoundCone(tuple(HOCK), tuple(BALL), 0.06, 0.05), RoundCone(tuple(BALL), (0, -0.25, 0.05), 0.05, 0.05)]
    shape = prepared(grow(Blend(tuple(parts), 0.02), 0.03, mirrored=False))
    return shape, see(shape.mesh.vertices, shape.mesh.faces), shape.frame.to_unit(np.array([KNEE, HOCK, BALL, LOW]))


@pytest.mark.parametrize("is_pinned", [False, True])
def test_an_ankle_from_which_bones_leave_the_flesh_goes_to_the_heel_in_the_air(is_pinned):
    shape, sight, (knee, hock, ball, low) = on_toes()
    names, given = ("shin.L", "foot.L", "toe.L"), np.array([knee, low, ball])
    placed = through_flesh(given, names, shape.body, sight, np.array([False, is_pinned, False]))
    assert (placed[[0, 2]] == given[[0, 2]]).all()
    assert np.linalg.norm(placed[1] - (low if is_pinned else hock)) < (1e-12 if is_pinned else 0.06)


def test_an_ankle_whose_bones_stay_in_the_flesh_stays():
    shape, sight, (knee, hock, ball, _) = on_toes()
    given = np.array([knee, hock, ball])
    assert (through_flesh(given, ("shin.R", "foot.R", "toe.R"), shape.body, sight, np.zeros(3, bool)) == given).all()
    assert (through_flesh(given, ("a", "b", "c"), shape.body, sight, np.zeros(3, bool)) == given).all()


@pytest.mark.parametrize("turn, is_free, moves", [
    (0.2, True, True), (1.7, True, True), (0.2, False, False), (0.8, True, False)],
    ids=["at the shoulder", "at the hand", "seen", "in between"])
def test_a_hardly_seen_elbow_near_either_end_of_the_arm_goes_to_the_middle_of_its_flesh(turn, is_free, moves):
    sight, names = Sight(bent_tube(), 1.0, np.zeros(3)), ("hips", "upper_arm.L", "forearm.L", "hand.L")
    given = np.array([[0.9, 0.9, 0.9], *on_arc([0.1, turn, 1.9])])
    placed = with_likely_elbows(given, names, sight, np.full(4, is_free))
    assert (placed[[0, 1, 3]] == given[[0, 1, 3]]).all()
    assert np.linalg.norm(placed[2] - (on_arc(0.1 + ELBOW * 1.8) if moves else given[2])) < (0.05 if moves else 1e-12)


def test_how_far_a_bone_goes_through_the_air():
    """Of limbs alone, in the unit frame: the hips beside a leg are in the air anyway."""
    shape, sight, (knee, hock, _, low) = on_toes()
    tree = JointTree(("hips", "shin.L", "foot.L"), np.array([-1, 0, 1]), np.zeros((3, 3)), np.stack([np.eye(3)] * 3),
                     1.0, -5.0, np.ones(3), 1.0, -5.0, {}, {})
    beside = sight.to_cube(np.array([knee + [0.3, 0, 0], knee, hock]))
    assert limb_in_air(tree, beside, sight, shape.body) == 0
    straight = sight.to_cube(np.array([knee, knee, low]))
    assert 0.05 < limb_in_air(tree, straight, sight, shape.body) < np.linalg.norm(low - knee)
