"""Joints of figures of blocks lie in the blocks that they move, and where two of these meet."""

from __future__ import annotations

import numpy as np
import pytest

from core.fitting.block_joints import FARTHEST, joints_in_blocks
from core.fitting.missing import Missing, part_template
from core.geometry.blocks import blocks_of
from core.pipeline import fit
from core.skeleton.preset import load_template
from core.skeleton.reduce import reduce_template
from tests.characters import person
from tests.characters.blocky import block_animal, block_figure, box, jointed_figure
from tests.characters.character import merge
from tests.limits import turning_point

BIPED = load_template("biped")
SCALE = 5.1  # of a jointed figure


def off(figure, preset: str) -> dict[str, float]:
    """{joint: how far it is off, of the height}"""
    rig = fit(figure.mesh, load_template(preset))
    return {name: float(np.linalg.norm(rig.heads[rig.names.index(name)] - place) / figure.height)
            for name, place in figure.joints.items()}


@pytest.mark.long
@pytest.mark.parametrize(("figure", "most"), [
    (jointed_figure(), 0.05), (jointed_figure(arms="level", foot=0.6), 0.06), (jointed_figure(gap=0.03), 0.05)],
    ids=["hanging", "level", "gaps"])
def test_joints_lie_where_the_blocks_of_a_limb_meet(figure, most):
    found = off(figure, "biped")
    assert max(found.values()) < most, found


@pytest.mark.long
def test_an_animals_leg_of_one_block_begins_at_its_top():
    found = off(block_animal(), "quadruped")
    assert max(x for name, x in found.items() if "upper" in name) < 0.05, found


def seen() -> np.ndarray:
    """(J, 3) joints of the biped as they may be seen in a figure with hanging arms, of height 1: shoulders and hips too
    far in."""
    joints = np.array(BIPED.positions, float)
    joints[:, 1] = 0.0
    middle = {"hips": .42, "spine": .5, "chest": .6, "neck": .78, "head": .8, "head_top": 1.0}
    for name, z in middle.items():
        joints[BIPED.index(name)] = (0, 0, z)
    limbs = {"shoulder": (.05, .72), "upper_arm": (.18, .7), "forearm": (.24, .57), "hand": (.28, .43),
             "hand_tip": (.29, .38), "thigh": (.06, .42), "shin": (.08, .22), "foot": (.09, .04), "toe": (.1, .01),
             "toe_tip": (.1, 0)}
    for name, (x, z) in limbs.items():
        joints[BIPED.index(f"{name}.L")], joints[BIPED.index(f"{name}.R")] = (x, 0, z), (-x, 0, z)
    return joints


def told(*more, joints=None, template=BIPED, broad: float = 1.0) -> dict[str, np.ndarray]:
    """{joint: place} that blocks of a jointed figure of height 1, so many times as broad, and more of them tell."""
    parts = [m.moved(m.vertices / SCALE * [broad, 1, 1]) for m in jointed_figure(gap=0.05).meshes]
    blocks = blocks_of(merge((*parts, *more)))
    joints = seen() if joints is None else joints
    own = joints[[BIPED.index(name) for name in template.names]]
    found = joints_in_blocks(blocks, own, reduce_template(template))
    return {template.names[j]: place for j, place in found.items()}


def test_a_limb_begins_on_the_axis_of_its_first_block_and_bends_where_two_meet():
    found = told()
    assert set(found) == {f"{n}.{s}" for n in ("upper_arm", "forearm", "hand", "thigh", "shin", "foot") for s in "LR"}
    assert found["upper_arm.L"] == pytest.approx([1.5 / SCALE, 0, .7])
    assert found["forearm.L"] == pytest.approx([1.5 / SCALE, 0, (3.9 - .925) / SCALE])
    assert found["thigh.R"] == pytest.approx([-.5 / SCALE, 0, 2 / SCALE])
    assert found["shin.R"] == pytest.approx([-.5 / SCALE, 0, 1.175 / SCALE])


def test_sleeves_buttons_and_blocks_of_the_middle_change_nothing():
    sleeve = box("sleeve", (1 / SCALE - .01, -.11, 3.2 / SCALE), (2 / SCALE + .01, .11, 3.8 / SCALE))
    button = box("button", (.28, -.11, .6), (.3, -.1, .62))
    belt = box("belt", (-.21, -.11, .4), (.21, .11, .44))
    plain, dressed = told(), told(sleeve, button, belt)
    assert set(dressed) == set(plain)
    for name, place in plain.items():
        assert dressed[name] == pytest.approx(place), name


def test_a_button_has_less_than_a_twentieth_of_the_room_of_the_largest_block():
    """A cube on the shoulder as that was seen: the arm begins in it if it is one of the arm's blocks."""
    plain = told()
    blocks = blocks_of(merge([m.moved(m.vertices / SCALE) for m in jointed_figure(gap=0.05).meshes]))
    largest = blocks.room[np.linalg.norm(blocks.middles - plain["forearm.L"], axis=1) < 0.2].max()

    def is_button(side: float) -> bool:
        cube = box("cube", (.19, -side / 2, .705), (.19 + side, side / 2, .705 + side))
        return told(cube)["upper_arm.L"] == pytest.approx(plain["upper_arm.L"])

    assert turning_point(is_button, 0.01, 0.14)**3 / largest == pytest.approx(0.05, rel=0.05)


def test_what_lies_far_from_where_a_joint_was_seen_does_not_move_it():
    joints = seen()
    arm = [BIPED.index(f"{n}.L") for n in ("upper_arm", "forearm", "hand", "hand_tip")]
    joints[arm] += [0, -1.5 * FARTHEST, 0]
    assert not any(name in told(joints=joints) for name in ("upper_arm.L", "forearm.L", "hand.L"))


@pytest.mark.parametrize("left", [(), ("upper_arm", "forearm"), ("upper_arm", "forearm", "hand")])
def test_an_arm_that_is_not_seen_whole_begins_in_its_block_and_changes_nothing_on_the_other_side(left):
    gone = {"upper_arm", "forearm", "hand", "hand_tip"} - set(left)
    found, whole = told(template=part_template(BIPED, Missing(joints=frozenset(f"{n}.L" for n in gone)))), told()
    assert set(whole) - set(found) == {"upper_arm.L", "forearm.L", "hand.L"} - {f"{n}.L" for n in left[:-1]}
    assert all(place == pytest.approx(whole[name]) for name, place in found.items())


@pytest.mark.parametrize("mesh", [person(vertices=1500).mesh, merge(block_figure().meshes[:4])],
                         ids=["no blocks", "too few"])
def test_no_other_body_has_blocks(mesh):
    assert blocks_of(mesh) is None


@pytest.mark.long
def test_a_pinned_joint_of_a_figure_of_blocks_stays_where_it_is_pinned():
    figure = jointed_figure()
    place = np.array([1.4, 0.1, 3.3])
    rig = fit(figure.mesh, BIPED, {"upper_arm.L": place})
    assert rig.heads[rig.names.index("upper_arm.L")] == pytest.approx(place)


def test_the_axis_of_a_block_is_the_way_along_which_the_limb_goes_most_of_it():
    """An arm that is seen to end rather far out than down hangs in its block none the less."""
    joints = seen() * [.4, 1, 1]
    joints[BIPED.index("hand_tip.L")] = .42, 0, .45
    assert told(joints=joints, broad=.4)["upper_arm.L"] == pytest.approx([.4 * 1.5 / SCALE, 0, .7])


def test_a_block_through_which_the_trunk_runs_between_two_joints_is_of_no_limb():
    """A plate that begins in the middle and lies under one arm."""
    plate = box("plate", (-.01, -.2, .557), (.28, .2, .562))
    plain, plated = told(), told(plate)
    assert {name: list(place) for name, place in plated.items()} == {n: list(p) for n, p in plain.items()}
