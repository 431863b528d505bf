"""Motions made to measure: feet hold, snakes do not slip aside, loops are exact, whichever way a rig lies."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import BadMotion
from core.geometry.rotation import angle, from_axis_angle, rotate, to_matrix
from core.motion.choose import check_motion_name, suited_motion
from core.motion.kinematics import Kinematics
from core.motion.made import SWAY, WAVES, _step, fitting_names, made_motion, made_names, slither
from core.motion.shape_body import ShapeBody
from core.motion.skin import deform
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skeleton.template import rig_from_joints
from tests.core.motion.creatures import BODIES, SLIDE, WALKERS, rigged, steps


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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.sweep(1)
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


def test_wings_go_up_and_down_alike():
    rig = rigged("dragon")[1]
    clip = made_motion("fly", rig)
    kinematics = Kinematics(rig)
    turns = kinematics.turns(clip.rotations)
    tips = kinematics.tails(turns, kinematics.heads(turns, clip.root))
    left, right = (tips[:, rig.names.index(f"wing_3.{s}"), 2] for s in "LR")
    np.testing.assert_allclose(left, right, atol=1e-6)
    assert np.ptp(left) > 0.5 * np.linalg.norm(rig.tails[rig.names.index("wing_3.L")][:2])


@pytest.mark.sweep(1)
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


@pytest.mark.slow
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
