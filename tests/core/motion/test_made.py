"""Motions made to measure: feet hold, snakes do not slip aside, loops are exact, whichever way a rig lies."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import BadMotion
from core.geometry.rotation import angle, from_axis_angle, rotate, to_matrix
from core.motion.choose import check_legs, check_motion_name, known_motion, suited_motion
from core.motion.clip import MotionClip
from core.motion.kinematics import Kinematics
from core.motion.made import (
    AMPLITUDE,
    BODY_WAVES,
    DUTY,
    HEADING,
    LAG,
    LIFT,
    SECONDS,
    SWAY,
    WAVES,
    WING,
    _duty,
    _step,
    fitting_names,
    made_motion,
    made_names,
    slither,
)
from core.motion.shape_body import ShapeBody
from core.motion.skin import deform
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skeleton.template import rig_from_joints
from tests.core.motion.creatures import BODIES, SLIDE, WALKERS, plain, rigged, steps


@pytest.mark.slow
@pytest.mark.parametrize("name", WALKERS)
def test_the_skin_under_standing_feet_holds(name):
    mesh, rig, weights = rigged(name)
    clip, body = made_motion("walk", rig), ShapeBody(rig)
    assert clip.name == "walk" and clip.contacts.any(0).all() and not clip.contacts.all(0).any()
    assert np.linalg.norm(clip.stride) > 0.1 * body.legs[0].reach
    for k, (limb, leg) in enumerate(zip(body.standing, body.legs, strict=True)):
        own = np.asarray(weights[:, list(limb.bones)].sum(1)).ravel() > 0.5
        sole = np.flatnonzero(own & (mesh.vertices[:, 2] < mesh.vertices[own, 2].min() + 0.02 * leg.reach))
        places = np.stack([deform(mesh.vertices[sole], weights[sole], clip, t) for t in range(len(clip.root))])
        stands = clip.contacts[:, k] & np.roll(clip.contacts[:, k], -1)
        assert steps(clip, places)[stands].max() * clip.rate / leg.reach < SLIDE
        assert places[~clip.contacts[:, k], :, 2].max() > places[clip.contacts[:, k], :, 2].max() + 0.05 * leg.reach


@pytest.mark.long
@pytest.mark.parametrize(("name", "most"), [("insect", 3), ("spider", 4)])
def test_legs_go_in_two_sets_each_other_one_of_a_side(name, most):
    rig = rigged(name)[1]
    clip, body = made_motion("walk", rig), ShapeBody(rig)
    lifted = ~clip.contacts
    assert lifted.sum(1).max() == most and (lifted.sum(1) <= most).all()
    first = {f"{body.standing[k].name}.{body.standing[k].side}" for k in np.flatnonzero(
        lifted[int(lifted[:, 0].argmax()) + 2])}
    for limb in first:
        place, side = int(limb[4]), limb[-1]
        assert f"leg_{place}.{'R' if side == 'L' else 'L'}" not in first and f"leg_{place + 1}.{side}" not in first


def test_no_part_of_a_snake_slips_aside():
    rig = rigged("snake")[1]
    clip, body = made_motion("walk", rig), ShapeBody(rig)
    assert clip.name == "slither"
    kinematics = Kinematics(rig)
    turns = kinematics.turns(clip.rotations)
    heads = kinematics.heads(turns, clip.root)
    tails = kinematics.tails(turns, heads)
    middles = ((heads + tails) / 2)[:, body.trunk]
    along = (tails - heads)[:, body.trunk]
    along /= np.linalg.norm(along, axis=2, keepdims=True)
    way = np.concatenate([middles[1:], middles[:1] + clip.stride]) - middles
    aside = np.linalg.norm(way - np.einsum("tbi,tbi->tb", way, along)[..., None] * along, axis=2)
    assert aside.mean() < 0.2 * np.linalg.norm(way, axis=2).mean()
    assert np.ptp(middles[:, :, 2], axis=0).max() < 1e-9  # it stays on the ground


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("name", "axis"), [("fish", 0), ("whale", 2), ("mermaid", 1)])
def test_fish_beat_from_side_to_side_and_whales_up_and_down(name, axis):
    rig = rigged(name)[1]
    clip, body = made_motion("swim", rig), ShapeBody(rig)
    kinematics = Kinematics(rig)
    turns = kinematics.turns(clip.rotations)
    steady = clip.root - np.outer(np.arange(len(clip.root)) / len(clip.root), clip.stride)
    tip = kinematics.tails(turns, kinematics.heads(turns, steady))[:, body.behind[-1]]
    beat = np.ptp(tip, axis=0)
    assert beat[axis] > 0.08 * body.length and beat.argmax() == axis


@pytest.mark.long
def test_wings_go_up_and_down_alike():
    rig = rigged("dragon")[1]
    clip = made_motion("fly", rig)
    kinematics = Kinematics(rig)
    turns = kinematics.turns(clip.rotations)
    tips = kinematics.tails(turns, kinematics.heads(turns, clip.root))
    left, right = (tips[:, rig.names.index(f"wing_3.{s}"), 2] for s in "LR")
    np.testing.assert_allclose(left, right, atol=1e-6)
    assert np.ptp(left) > 0.5 * np.linalg.norm(rig.tails[rig.names.index("wing_3.L")][:2])


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("name", BODIES)
def test_every_motion_is_an_exact_loop(name):
    rig = rigged(name)[1]
    for motion in fitting_names(ShapeBody(rig)):
        clip = made_motion(motion, rig)
        kinematics = Kinematics(rig)
        places = kinematics.heads(kinematics.turns(clip.rotations), clip.root)
        gone = steps(clip, places).max(1)
        assert clip.loop and gone[-1] < 1.3 * gone.max() and gone[-1] < 2 * np.median(gone), motion
        twin = made_motion(motion, rig)
        np.testing.assert_array_equal(clip.rotations, twin.rotations)


@pytest.mark.long
def test_what_has_no_legs_does_what_it_can():
    ways = {name: made_motion("walk", rigged(name)[1]).name for name in ("snake", "fish", "ghost", "octopus")}
    assert ways == {"snake": "slither", "fish": "swim", "ghost": "swim", "octopus": "swim"}
    with pytest.raises(BadMotion, match=r"another kind of body.*swim"):
        made_motion("fly", rigged("fish")[1])


def test_a_rig_that_lies_another_way_and_aside_moves_alike():
    rig = rigged("spider")[1]
    turn = from_axis_angle(np.array([1.0, 0, 0]), np.pi / 2)
    lying = Rig(rig.names, rig.parents, *(rotate(turn, ends) + [3, 0, 0] for ends in (rig.heads, rig.tails)),
                rotate(turn, rig.x_axes))
    one, two = made_motion("walk", rig), made_motion("walk", lying, rotate(turn, np.array([0.0, 0, 1])))
    np.testing.assert_allclose(two.stride, to_matrix(turn) @ one.stride, atol=1e-9)
    np.testing.assert_allclose(two.root, rotate(turn, one.root), atol=1e-9)
    np.testing.assert_array_equal(one.contacts, two.contacts)


def test_people_are_told_that_these_are_for_others():
    template = load_template("biped")
    for name in made_names():
        check_motion_name(name)
        with pytest.raises(BadMotion, match="made from a shape"):
            suited_motion(name, rig_from_joints(template, template.positions))


@pytest.mark.parametrize("name", ["dance", "idle", "gallop"])
def test_who_stands_on_more_legs_than_a_motion_is_for_is_refused_it_and_told_its_own(name):
    rig = rigged("spider")[1]
    body = ShapeBody(rig)
    with pytest.raises(BadMotion, match=r"another kind of body. Choose one of: .*walk"):
        suited_motion(name, rig, None, body)
    for other in ("dance", "quadruped_gallop"):
        with pytest.raises(BadMotion, match=f"'{other}' is for another kind of body"):
            check_legs(known_motion(other), rig, body)
    check_legs(made_motion("walk", rig), rig, body)  # its own kind's


@pytest.mark.long
def test_the_outer_bones_of_a_wing_turn_half_as_far_and_later():
    rig = rigged("dragon")[1]
    clip = made_motion("fly", rig)
    bones = [rig.names.index(f"wing_{k}.L") for k in (1, 2, 3)]
    turns = np.rad2deg(np.ptp(2 * np.arcsin(clip.rotations[:, bones, 1:] @ ShapeBody(rig).front), axis=0))
    np.testing.assert_allclose(turns[1:], turns[0] / 2, rtol=0.02)
    assert len({int((clip.rotations[:, bone, 1:] @ ShapeBody(rig).front).argmax()) for bone in bones}) == 3


def test_a_foot_stands_for_its_share_of_the_round():
    ahead, lifted, stands = _step(np.arange(8) / 8, 0.5)
    np.testing.assert_array_equal(stands, np.arange(8) < 4)
    assert (lifted[:5] == 0).all() and (lifted[5:] > 0).all()
    np.testing.assert_allclose(ahead[:5], np.linspace(0.5, -0.5, 5), atol=1e-12)
    assert (np.diff(ahead[4:]) > -0.2).all() and ahead[6] == pytest.approx(0)


def test_tails_sway_while_a_creature_walks():
    rig = rigged("dragon")[1]
    clip = made_motion("walk", rig)
    tail = [b for b, name in enumerate(rig.names) if name.startswith("tail_")]
    swayed = np.ptp(clip.rotations[:, tail], axis=0).max(1)
    assert len(tail) >= 3 and (swayed[1:] > 0.005).all()
    most = np.rad2deg(angle(clip.rotations[:, tail[1:]]).max(0))
    np.testing.assert_allclose(most, 2 * np.rad2deg(SWAY) / len(tail[1:]), rtol=0.01)  # the first carries legs


def test_a_snake_lies_in_as_many_waves_as_it_should():
    rig = rigged("snake")[1]
    clip, body = made_motion("slither", rig), ShapeBody(rig)
    turns = body.kinematics.turns(clip.rotations)
    heads = body.kinematics.heads(turns, clip.root)
    along = (body.kinematics.tails(turns, heads) - heads)[:, body.trunk, :2]
    heading = np.arctan2(*np.moveaxis(along @ np.stack([body.left[:2], body.front[:2]], 1), 2, 0))
    crossings = (np.diff(np.sign(heading - heading.mean(1, keepdims=True)), axis=1) != 0).sum(1)
    assert crossings.mean() == pytest.approx(2 * WAVES, abs=0.7)


@pytest.mark.parametrize("size", [0.3, 4.0])
@pytest.mark.parametrize(("level", "winds"), [(0.45, False), (0.55, True)])
def test_a_raised_head_is_carried_by_a_snake_and_one_that_leans_forward_winds(size, level, winds):
    names = ("spine_1", "spine_2", "neck", *(f"tail_{k}" for k in range(1, 6)))
    heads = size * np.array([[0, 0, 0], [0, -1, 0], [0, -2, 0], *([0, k, 0] for k in range(5))])
    ways = size * np.array([[0, -1, 0], [0, -1, 0], [0, -level, np.sqrt(1 - level**2)], *([[0, 1, 0]] * 5)])
    rig = Rig(names, (-1, 0, 1, 0, 3, 4, 5, 6), heads, heads + ways)
    turned = np.abs(slither(ShapeBody(rig), 30.0).rotations[:, :, 1:]).max(0).max(1)
    assert (turned[[1, *range(4, 8)]] > 0.05).all() and (turned[2] > 0.05) == winds
    assert winds or turned[2] < 1e-12


PLAIN = {"one pair": {"pairs": 1}, "two pairs": {"pairs": 2, "neck": 2}, "three pairs": {"pairs": 3, "spine": 3},
         "four pairs": {"pairs": 4, "spine": 4, "tail": 0}, "snake": {"spine": 6, "tail": 6, "raised": 0.0},
         "fish": {"spine": 3, "tail": 5, "fins": True}, "bird": {"pairs": 1, "wings": 3}}


def ends(clip: MotionClip) -> tuple[np.ndarray, np.ndarray]:
    """(T, B, 3) heads and tails of the bones."""
    kinematics = Kinematics(clip.rig)
    turns = kinematics.turns(clip.rotations)
    heads = kinematics.heads(turns, clip.root)
    return heads, kinematics.tails(turns, heads)


@pytest.mark.parametrize("name", PLAIN)
def test_sizes_and_directions_play_no_part_in_what_is_made(name):
    rig = plain(**PLAIN[name])
    turn = from_axis_angle(np.array([0.36, 0.48, 0.8]), 2.0)
    other = Rig(rig.names, rig.parents, *(7.0 * rotate(turn, e) + [3, 0, 1] for e in (rig.heads, rig.tails)),
                rotate(turn, rig.x_axes))
    motions = fitting_names(ShapeBody(rig))
    assert motions
    for motion in motions:
        one, two = made_motion(motion, rig), made_motion(motion, other, rotate(turn, np.array([0.0, 0, 1])))
        np.testing.assert_allclose(two.root, 7.0 * rotate(turn, one.root), atol=1e-9)
        np.testing.assert_allclose(two.stride, 7.0 * rotate(turn, one.stride), atol=1e-9)
        for a, b in zip(ends(one), ends(two), strict=True):
            np.testing.assert_allclose(b, 7.0 * rotate(turn, a) + [3, 0, 1], atol=1e-6)


@pytest.mark.parametrize("name", [n for n, kind in PLAIN.items() if kind.get("pairs")])
def test_feet_stand_where_they_are_set_down_for_their_share_and_are_lifted_between(name):
    clip = made_motion("walk", plain(**PLAIN[name]))
    body = ShapeBody(clip.rig)
    pairs = PLAIN[name]["pairs"]
    assert len(body.legs) == 2 * pairs and len(clip.root) == round(SECONDS[min(pairs, 3)] * clip.rate)
    tips = ends(clip)[1][:, [limb.bones[-1] for limb in body.standing]]
    later = np.concatenate([tips[1:], tips[:1] + clip.stride])
    for k in range(len(body.legs)):
        stands = clip.contacts[:, k] & np.roll(clip.contacts[:, k], -1)
        assert clip.contacts[:, k].mean() == pytest.approx(DUTY[min(pairs, 3)], abs=1 / len(clip.root))
        np.testing.assert_allclose(later[stands, k], tips[stands, k], atol=1e-5)
        assert np.abs(tips[clip.contacts[:, k], k, 2]).max() < 1e-5, "on the ground"
        assert tips[:, k, 2].max() == pytest.approx(LIFT * body.legs[k].reach, rel=0.03)
    assert np.all(clip.contacts.any(1)), "something always stands"


def test_every_part_of_a_snake_goes_where_the_part_before_it_has_been():
    clip = made_motion("slither", plain(**PLAIN["snake"]))
    body = ShapeBody(clip.rig)
    heads, tails = ends(clip)
    joints = np.stack([*(tails[:, b] for b in body.ahead[::-1]), heads[:, body.root],
                       *(tails[:, b] for b in body.behind)], 1)
    assert np.abs(joints[..., 2]).max() < 1e-9, "it stays on the ground"
    rounds = np.concatenate([joints + k * clip.stride for k in range(-2, 3)])
    path = rounds[:, 0]
    gone = np.linalg.norm(np.diff(path, axis=0), axis=1)
    np.testing.assert_allclose(gone, body.length / WAVES / len(joints), rtol=0.02)
    behind = path[:3 * len(joints), None, None]
    assert np.linalg.norm(joints[None] - behind, axis=-1).min(0).max() < 0.2, "a bone is 1 long"
    heading = np.unwrap(np.arctan2(*np.moveaxis(np.diff(rounds[:, 0, :2], axis=0), 1, 0)))
    assert np.ptp(heading) / 2 == pytest.approx(HEADING, rel=0.05)


def waves(clip: MotionClip, axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(B,) how far each bone turns about an axis, and when in a round it comes by its middle on the way up."""
    first = 2 * np.fft.fft(2 * np.arcsin(clip.rotations[..., 1:] @ axis), axis=0)[1] / len(clip.rotations)
    return np.abs(first), (-np.angle(first) / (2 * np.pi) - 0.25) % 1.0


def test_wings_beat_against_the_body_their_outer_bones_half_as_far_and_later():
    clip = made_motion("fly", plain(**PLAIN["bird"]))
    body, span = ShapeBody(clip.rig), 1.5
    size, when = waves(clip, body.front)
    left, right = ([clip.rig.names.index(f"wing_{k}.{s}") for k in (1, 2, 3)] for s in "LR")
    np.testing.assert_allclose(size[left], WING * np.array([1, 0.5, 0.5]), rtol=1e-6)
    np.testing.assert_allclose(size[right], size[left], rtol=1e-6)
    np.testing.assert_allclose(when[left], LAG * np.arange(3), atol=1e-6)
    np.testing.assert_allclose((when[right] - when[left]) % 1.0, 0.5, atol=1e-6)
    heads, tails = ends(clip)
    tip = tails[:, left[2], 2] - heads[:, body.root, 2]
    assert tip[1] > tip[0] and np.corrcoef(tip, clip.root[:, 2])[0, 1] < -0.9
    assert np.ptp(clip.root[:, 2]) == pytest.approx(2 * 0.12 * span, rel=0.02)
    np.testing.assert_allclose(clip.stride, 2 * span * body.front, atol=1e-9)
    foot = tails[0, clip.rig.names.index("leg_1_2.L")] - clip.root[0]
    rest = clip.rig.tails[clip.rig.names.index("leg_1_2.L")]
    assert (foot - rest) @ body.front < -0.2, "legs are drawn back"


@pytest.mark.parametrize(("tail", "on", "level"), [(2, 1, True), (2, 0, False), (6, 4, True), (6, 3, False)])
def test_a_pair_of_fins_on_the_last_third_of_the_tail_makes_it_beat_up_and_down(tail, on, level):
    rig = plain(tail=tail, fins=True)
    fins = [k for k, name in enumerate(rig.names) if name.startswith("fin")]
    parents = np.array(rig.parents)
    parents[fins] = rig.names.index(f"tail_{on + 1}")
    body = ShapeBody(Rig(rig.names, parents, rig.heads, rig.tails))
    assert len(body.behind) == tail and body.beats_level == level


@pytest.mark.parametrize(("sizes", "foot"), [((1.0, 1.0, 1.3), 4), ((1.0, 1.0, 1.4), -1), ((1.0, 0.2, 1.0), -1),
                                             ((1.0, 0.2), -1)])
def test_the_last_of_three_bones_of_a_leg_is_a_foot_if_it_is_short(sizes, foot):
    ends = np.r_[0.0, np.cumsum(sizes)][:, None] * [0.0, 0.0, -1.0]
    heads, tails = (np.concatenate([trunk, ends[part]]) for trunk, part in (
        ([[0, 0, 0], [0, 0, 0]], slice(None, -1)), ([[0, -1, 0], [0, 1, 0]], slice(1, None))))
    names = ("spine_1", "tail_1", *(f"leg_1_{k + 1}.L" for k in range(len(sizes))))
    leg, = ShapeBody(Rig(names, (-1, 0, 0, *range(2, len(names) - 1)), heads, tails)).legs
    assert leg.foot == foot and len(leg.chain) == len(sizes) - (foot >= 0)


@pytest.mark.parametrize("up", [(0.0, 0.0, 1.0), (0.0, 0.6, 0.8), (0.6, -0.48, 0.64)])
def test_a_trunk_that_stands_upright_goes_where_y_looks_as_far_as_that_is_level(up):
    body = ShapeBody(Rig(("spine_1",), np.array([-1]), np.zeros((1, 3)), np.array([up])), up)
    assert body.front @ up == pytest.approx(0.0, abs=1e-12)
    assert np.cross(body.front, up) @ [0, -1, 0] == pytest.approx(0.0, abs=1e-12) and body.front[1] < 0


def test_a_wave_runs_down_a_fish_and_grows_and_its_fins_beat_alike():
    clip = made_motion("swim", plain(**PLAIN["fish"]))
    body = ShapeBody(clip.rig)
    assert body.beats_level
    size, when = waves(clip, body.left)
    ahead, behind = body.ahead[:0:-1], body.behind
    assert size[body.root] < 1e-12
    assert (np.diff(size[[*ahead, *behind]]) > 0).all()
    places = (np.array([body.trunk.index(b) for b in (*ahead, *behind)]) + 0.5) / len(body.trunk)
    later = BODY_WAVES * places + np.array([0.5] * len(ahead) + [0.0] * len(behind))
    np.testing.assert_allclose((when[[*ahead, *behind]] - later + 0.5) % 1.0, 0.5, atol=1e-6)
    ratio = (0.15 + places[-1]**1.5) / (0.15 + places[-3]**1.5)
    assert size[behind[-1]] / size[behind[-3]] == pytest.approx(ratio, rel=1e-6)
    np.testing.assert_allclose(clip.stride, 0.6 * body.length * body.front, atol=1e-9)
    tips = ends(clip)[1][:, [clip.rig.names.index(f"fin_1.{s}") for s in "LR"]]
    np.testing.assert_allclose(tips[:, 0] * [-1, 1, 1], tips[:, 1], atol=1e-9)
    own = clip.rotations[:, clip.rig.names.index("fin_1.L")]
    assert np.rad2deg(angle(own).max()) == pytest.approx(1.5 * np.rad2deg(AMPLITUDE), rel=0.02)


@pytest.mark.parametrize("place", [0.0, 9.0, -300.0])
def test_what_hangs_in_the_air_is_no_leg_wherever_the_body_is(place):
    rig = plain(pairs=2, wings=2)
    tails = np.array(rig.tails)
    tails[[k for k, name in enumerate(rig.names) if name.startswith("wing_2")], 2] -= 0.2
    names = tuple(name.replace("wing", "claw") for name in rig.names)
    shift = place * np.array([1.0, 1.0, 0.0])
    body = ShapeBody(Rig(names, rig.parents, rig.heads + shift, tails + shift))
    assert {limb.name.split("_")[0] for limb in body.limbs} >= {"leg", "claw"}
    assert len(body.standing) == 4 and all(limb.name.startswith("leg") for limb in body.standing)


def test_a_fish_swims_half_its_length_and_a_bird_flies_twice_its_wings_in_about_a_second():
    rig = plain(spine=3, tail=4)
    swim, body = made_motion("swim", rig), ShapeBody(rig)
    assert np.linalg.norm(swim.stride) / swim.seconds == pytest.approx(0.5 * body.length, rel=0.02)
    rig = plain(wings=2)
    fly, wing = made_motion("fly", rig), 2 * 0.5
    assert np.linalg.norm(fly.stride) / fly.seconds == pytest.approx(2 * wing / 0.9, rel=0.02)


def test_a_foot_stands_as_long_a_part_of_a_round_as_animals_do():
    """A little more than half a round at a dimensionless speed of 0.8, and 1.2 times as long at half of a speed."""
    assert _duty(0.8) == pytest.approx(0.554, abs=0.003)
    assert _duty(0.3) / _duty(0.6) == pytest.approx(2**0.28, rel=0.005)
    assert _duty(0.01) == 0.8 and _duty(9.0) == 0.54


@pytest.mark.parametrize("tail", [1, 2, 4])
def test_a_tail_swings_as_far_in_sum_however_many_bones_it_has(tail):
    """By 12 degrees to either side, shared by its bones."""
    rig = plain(pairs=2, tail=tail)
    clip = made_motion("walk", rig)
    bones = [b for b, name in enumerate(rig.names) if name.startswith("tail")]
    swings = np.rad2deg(angle(clip.rotations[:, bones]).max(0))
    assert swings == pytest.approx(np.full(tail, 12 / tail), rel=0.02)
