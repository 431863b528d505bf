"""Which bones of foreign rigs move skin: parts of the body do, what an animator pulls at does not."""

from __future__ import annotations

import numpy as np

from core.skeleton.rig import Rig
from core.skinning.handles import skin_handles
from tests.core.skinning.solids import prepare, tube

SHAPE = prepare(tube())


def moving(**more) -> set[str]:
    """The bones that get handles, of two bones in a tube along x on a root below it and some more: (head, tail) hung on
    the root, or (head, tail, the bone it hangs on)."""
    bones = {"root": ((0.5, 0, -0.5), (0.5, 0, -0.3), -1), "near": ((0.05, 0, 0), (0.5, 0, 0), -1),
             "far": ((0.5, 0, 0), (0.95, 0, 0), 1)}
    numbers = {name: number for number, name in enumerate([*bones, *more])}
    bones |= {name: (head, tail, numbers[up[0]] if up else 0) for name, (head, tail, *up) in more.items()}
    heads, tails, parents = zip(*bones.values(), strict=True)
    rig = Rig(tuple(bones), np.array(parents), np.array(heads, float), np.array(tails, float))
    return {rig.names[bone] for bone in skin_handles(SHAPE, rig).bones}


def test_a_root_outside_the_body_moves_no_skin():
    assert moving(tip=((0.9, 0, 0), (0.95, 0, 0))) == {"near", "far", "tip"}


def test_a_foot_that_hangs_on_the_root_moves_skin_though_it_begins_behind_the_heel():
    assert "foot" in moving(foot=((0.8, 0.15, 0), (0.8, -0.05, 0)))


def test_a_target_that_floats_beside_the_body_moves_none():
    assert "pole" not in moving(pole=((0.8, 0.3, 0), (0.8, 0.4, 0)))


def test_a_target_that_ends_in_the_body_moves_none():
    assert "pole" not in moving(pole=((0.8, 0.9, 0), (0.8, 0.05, 0)))


def test_a_control_at_the_place_of_a_bone_moves_none():
    assert "ik" not in moving(ik=((0.5, 0, 0), (0.5, 0, 0.05)))


def test_a_limb_that_begins_where_a_bone_does_moves_skin_and_a_chain_of_controls_that_passes_one_does_not():
    """A neck that hangs on the root and begins with the spine is a part of the body, a foot's roll chain is none."""
    away = ((0.05, 0, 0), (0.3, 0, 0.05)), ((0.3, 0, 0.05), (0.4, 0, 0.05), "neck")
    assert {"neck", "head"} <= moving(neck=away[0], head=away[1])
    roll = ((0.7, 0, 0.02), (0.5, 0, 0)), ((0.5, 0, 0), (0.5, 0, 0.05), "roll")
    assert not {"roll", "heel"} & moving(roll=roll[0], heel=roll[1])


def test_ends_and_sockets_are_known_by_their_names():
    inside = ((0.8, 0, 0), (0.85, 0, 0))
    assert moving(far_end=inside, HeadTop_End=inside, Finger3Nub=inside, **{"handslot.l": inside}) == {"near", "far"}
    assert "bend" in moving(bend=inside)


def test_an_end_from_which_a_bone_goes_on_moves_skin_and_one_that_only_another_end_follows_does_not():
    one, two = ((0.8, 0, 0), (0.85, 0, 0)), ((0.85, 0, 0), (0.9, 0, 0))
    assert moving(Tail_End=one, Tail_Tip=(*two, "Tail_End")) == {"near", "far", "Tail_End", "Tail_Tip"}
    assert moving(Toe_End=one, Toe_End_end=(*two, "Toe_End")) == {"near", "far"}
    assert moving(**{"handslot.l": one}, knife=(*two, "handslot.l")) == {"near", "far", "knife"}
