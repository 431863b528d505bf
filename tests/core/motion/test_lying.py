"""What happens on floors that lean, to bodies that are down, and to feet of other lengths."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from core.geometry.rotation import from_axis_angle, identity, multiply
from core.motion.arms import Arms
from core.motion.body import body_of
from core.motion.clip import MotionClip
from core.motion.clip_file import load_motion
from core.motion.contacts import pivot_places, raised_contacts
from core.motion.floor import floor_lean
from core.motion.girth import ALONG, AROUND, PALM, Part, line, parts_of, radius
from core.motion.hold import hold_feet
from core.motion.kinematics import Kinematics
from core.motion.lying import Hull, laid_down
from core.motion.resting import Resting
from core.motion.retarget import RetargetOptions, Transfer, retarget, retarget_told
from core.motion.skin import deform
from core.motion.sole import Skin
from core.pipeline import bind
from core.skeleton.rig import Rig
from tests.characters import person
from tests.core.motion.bodies import grown_rig, person_rig
from tests.limits import turning_point
from tests.motion_files import repeated


@pytest.fixture(scope="module")
def fat():
    grown = person(np.random.default_rng(5), vertices=2500)
    rig = grown_rig(grown, "biped")
    return rig, Skin(grown.mesh.vertices, bind(grown.mesh, rig, "heat").matrix)


def lying(frames: int = 40) -> MotionClip:
    """A person who stands, and then lies on its back: the whole body tipped, its hips near the floor."""
    rig = load_motion("idle").rig
    rotations = np.tile([1.0, 0, 0, 0], (frames, len(rig.names), 1))
    tip = (np.arange(frames) >= frames // 2).astype(float)
    hips = rig.names.index("hips")
    rotations[:, hips] = from_axis_angle(np.array([-1.0, 0, 0]), tip * np.pi / 2)
    root = np.stack([0 * tip, 0 * tip, (0.06 - rig.heads[hips, 2]) * tip], 1)
    return MotionClip(rig, rotations, root, 30.0)


@pytest.mark.slow
def test_a_hull_is_as_low_as_the_whole_skin(fat, rng):
    rig, skin = fat
    clip = retarget(load_motion("dance"), rig, RetargetOptions(skin=skin))
    body = Kinematics(rig)
    frames = rng.integers(0, len(clip.root), 6)
    turns = multiply(from_axis_angle(np.array([1.0, 0, 0]), rng.uniform(-3, 3, 6))[:, None],
                     body.turns(clip.rotations[frames]))
    low = Hull(skin, body).lowest(turns, body.heads(turns, clip.root[frames]))
    naive = [deform(skin.vertices, skin.weights, MotionClip(rig, body.local(t[None]), r[None], 30.0), 0)[:, 2].min()
             for t, r in zip(turns, clip.root[frames], strict=True)]
    assert (low >= np.array(naive) - 1e-9).all() and np.abs(low - naive).max() < 0.01 * np.ptp(skin.vertices[:, 2])


def test_skin_speaks_for_a_bone_that_it_follows_by_three_tenths():
    rig = person_rig(2)

    def speaks(share: float) -> bool:
        weights = np.zeros((1, len(rig.names)))
        weights[0, :2] = share, 1 - share
        return not Hull(Skin(np.zeros((1, 3)), sparse.csr_matrix(weights)), Kinematics(rig), [0]).is_empty

    assert turning_point(speaks, 0.0, 1.0) == pytest.approx(0.3, abs=0.002)


def test_how_far_a_hand_is_over_its_own_body_does_not_depend_on_whom_it_moves(fat):
    """A point over a part of the source, so far out as the part is thick and then as much again."""
    rig, skin = fat
    source, target = body_of(load_motion("idle").rig), body_of(rig)
    resting = Resting(source, target, skin, Arms(target, skin))
    seen = identity(1, len(source.rig.names)), source.rig.heads[None]
    assert {"trunk", "head", "thigh.L"} <= set(resting.pairs)
    for name in ("trunk", "thigh.L"):
        part = parts_of(source, None)[name]
        start, along = line(source, part, *seen)
        middle, out = start + 0.5 * along, np.cross(along, [0.0, 1.0, 0.0])
        for far in (0.1, 0.3):
            t, _, way, gap = resting._seen(name, middle + far * out / np.linalg.norm(out), seen)
            assert t == pytest.approx(0.5)
            np.testing.assert_allclose(gap, far - radius(part, t, way) - PALM * resting.leg, atol=1e-12)
        below = resting._seen(name, start - along, seen)[0]
        assert below == pytest.approx(-0.3 if name == "trunk" else 0.0), "a belly hangs lower than the hips"


def test_a_heads_skin_is_as_far_as_measured_at_the_height_its_direction_has():
    """From the lowest row, straight down, to the highest; lengths that rounding leaves over 1 are straight up too."""
    head = Part("head", 0, -1, np.eye(3)[:2], np.repeat(np.arange(15.0)[:, None], 16, axis=1), np.zeros(3))
    ways = np.array([[0, 0, -1 - 1e-15], [-0.6, 0, -0.8], [0, 1, 0], [0, -0.6, 0.8], [0, 0, 1 + 1e-15]])
    rise = np.arcsin(0.8) / np.pi
    assert radius(head, np.zeros(5), ways) == pytest.approx([0, 14 * (0.5 - rise), 7, 14 * (0.5 + rise), 14])


def test_a_limbs_skin_is_as_far_as_measured_there_and_in_between_as_both_sides_of_it(rng):
    table = rng.uniform(1, 2, (len(ALONG), len(AROUND)))
    limb = Part("thigh.L", 0, 1, np.eye(3)[:2], table, np.zeros(3))
    between = (AROUND[0] + AROUND[1]) / 2
    angles = np.array([AROUND[0], AROUND[5], AROUND[-1], between, -between])
    ways = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    expected = [table[0, 0], table[3, 5], table[-1, -1], table[3, :2].mean(), table[3, [0, -1]].mean()]
    assert radius(limb, np.array([-9, ALONG[3], 9, ALONG[3], ALONG[3]]), ways) == pytest.approx(expected)


def test_the_floor_moves_who_lies_up_and_down_only(fat):
    rig, skin = fat
    body = Kinematics(rig)
    turns, root = np.tile([1.0, 0, 0, 0], (6, len(rig.names), 1)), np.arange(18.0).reshape(6, 3)
    down = np.array([0.0, 0, 1, 1, 1, 1])
    out = laid_down(turns, root, down, Hull(skin, body), body, 0.0, 1.0)
    np.testing.assert_array_equal(out[:, :2], root[:, :2])
    assert (np.abs(out[:, 2] - root[:, 2]) > 0.1).any()


def test_who_falls_goes_down_to_the_floor_as_who_gets_up_comes_from_it(fat):
    rig, skin = fat
    body = Kinematics(rig)
    turns, down = np.tile([1.0, 0, 0, 0], (20, len(rig.names), 1)), np.clip(np.arange(20) / 6 - 1, 0.0, 1.0)
    root = np.linspace(0.0, -0.5, 20)[:, None] * [0.0, 1.0, 1.0]
    falls, rises = (laid_down(turns, root[::way], down[::way], Hull(skin, body), body, 0.0, 30.0) for way in (1, -1))
    np.testing.assert_allclose(rises[::-1], falls, atol=1e-12)


def test_who_lies_touches_the_floor(fat):
    rig, skin = fat
    out = retarget(lying(), rig, RetargetOptions(skin=skin))
    floor, tall = skin.vertices[:, 2].min(), np.ptp(skin.vertices[:, 2])
    assert abs(deform(skin.vertices, skin.weights, out, 35)[:, 2].min() - floor) < 0.01 * tall
    bones = retarget(lying(), rig)
    assert abs(deform(skin.vertices, skin.weights, bones, 35)[:, 2].min() - floor) > 0.02 * tall, "shows little"


def test_wherever_a_source_has_its_floor_who_lies_lies_alike(fat):
    rig, skin = fat
    low, high = lying(), lying()
    own = high.rig
    lifted = Rig(own.names, own.parents, own.heads + [0, 0, 0.7], own.tails + [0, 0, 0.7], own.x_axes)
    high = MotionClip(lifted, high.rotations, high.root, high.rate)
    both = [retarget(clip, rig, RetargetOptions(skin=skin)).root for clip in (low, high)]
    np.testing.assert_allclose(both[1], both[0], atol=1e-6)


def test_a_floor_that_leans_is_made_level():
    walk = repeated(load_motion("walk"), 5).changed(loop=False, stride=(0, 0, 0), contacts=None, feet=())
    slope = walk.changed(root=walk.root + 0.02 * walk.root[:, 1:2] * [0.0, 0.0, 1.0])
    out, told = retarget_told(slope, person_rig(2))
    own = retarget(walk, person_rig(2))
    apart = out.root[:, 2] - own.root[:, 2]
    assert np.ptp(apart) < 0.2 * np.ptp(0.02 * walk.root[:, 1]) and told.leg_middle < 3
    body = body_of(walk.rig)
    turns = body.kinematics.turns(walk.rotations)
    feet = pivot_places(body.legs, turns, body.kinematics.heads(turns, slope.root))
    lean, _ = floor_lean(feet, 30.0, body.legs[0].length)
    np.testing.assert_allclose(lean, [0.0, 0.02], atol=0.003)
    stairs = feet + np.floor(-feet[..., 1:2] / 0.5) * [0.0, 0.0, 0.1]
    assert np.abs(floor_lean(stairs, 30.0, body.legs[0].length)[0]).max() < 0.05


def test_a_tipped_foot_in_the_air_stands_on_nothing():
    places = np.zeros((60, 2, 3))
    places[..., 2] = [0.6, 0.5]
    hips, none = places + [0, 0, 0.9], np.zeros((60, 2), bool)
    places[:, 0, 1] = np.arange(60)  # the other foot moves
    found = raised_contacts(places, hips, ~none, none, [0, 1], 30.0, 1.0)
    assert found[:, 1].all() and not found[:, 0].any()
    assert not raised_contacts(places, hips, none, none, [0, 1], 30.0, 1.0).any()


def test_a_heel_comes_up_before_the_hips_go_down():
    """Feet of half the length must roll further over their balls to push off as high."""
    walk = load_motion("walk")
    rig = person_rig(2)
    transfer = Transfer(walk.rig, rig)
    body = transfer.target
    turns, root = transfer.pose(transfer.turns_in(walk.rotations), walk.root + [0, 0, 0.02])
    contacts = transfer.contacts(np.stack([walk.contacts[:, walk.feet.index(walk.rig.names[b])]
                                           for leg in transfer.source.legs for b in leg.pivots], 1),
                                 [b for leg in transfer.source.legs for b in leg.pivots])
    out, moved = hold_feet(body.kinematics, body.legs, turns, root, contacts, walk.rate, body.ground)
    heels = contacts.copy()
    heels[:, 0] |= contacts[:, 1]
    heels[:, 2] |= contacts[:, 3]
    _, flat = hold_feet(body.kinematics, body.legs, turns, root, heels, walk.rate, body.ground)
    assert moved[:, 2].mean() > flat[:, 2].mean()
    feet = pivot_places(body.legs, out, body.kinematics.heads(out, moved))
    assert abs(feet[contacts][:, 2] - body.ground).max() < 0.005, "and its ball stays on the ground"


def test_uneven_feet_on_the_spot_are_told():
    walk = repeated(load_motion("walk"), 3)
    spot = walk.changed(root=walk.root * [1, 0, 1], loop=False, stride=(0, 0, 0), contacts=None, feet=())
    even = retarget_told(spot, person_rig(2))[1]
    shake = 0.022 * np.sin(0.6 * np.arange(len(spot.root)))[:, None] * [0.0, 1.0, 0.0]
    told = retarget_told(spot.changed(root=spot.root + shake), person_rig(2))[1]
    assert not even.uneven and told.uneven and any("on the spot" in text for text in told.warnings())
