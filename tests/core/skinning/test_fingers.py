"""Fingers have weights of their own, and none of their neighbours'."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.segments import segment_distances
from core.pipeline import bind, prepare
from core.quality.range_of_motion import range_of_motion
from core.skeleton.chain import Chain, finger_of, with_chains
from core.skeleton.twist import with_twists
from core.skinning.bind import BindOptions
from core.skinning.fingers import finger_groups, without_fingers
from core.skinning.weights import Kept
from tests.characters import person
from tests.core.motion.bodies import grown_rig

FIVE = ("thumb", "index", "middle", "ring", "pinky")


@pytest.fixture(scope="module")
def hands():
    """A person with five fingers, and the skeleton they were grown around."""
    character = person(digits=5, splay=12.0, vertices=2000)
    rig = grown_rig(character, "biped")
    chains = []
    for side in "LR":
        for finger in FIVE:
            joints = tuple(f"{finger}_{k}.{side}" for k in (1, 2, 3, "tip"))
            chains.append(Chain(f"{finger}.{side}", f"hand.{side}", joints,
                                [character.joints[j] for j in joints], (0, 0, -1)))
    return character, with_chains(rig, chains), prepare(character.mesh)


@pytest.fixture(scope="module", params=["heat", "geodesic"])
def weights(hands, request):
    character, rig, shape = hands
    return bind(character.mesh, rig, request.param, shape=shape, options=BindOptions(resolution=96)).matrix.toarray()


def test_rows_sum_to_one_with_few_influences(weights):
    np.testing.assert_allclose(weights.sum(1), 1.0, atol=1e-9)
    assert weights.min() >= 0 and (weights > 0).sum(1).max() <= 4


def test_no_finger_takes_from_another(hands, weights):
    """Where one of the two outer bones of a finger is the nearest there is no weight of another finger."""
    character, rig, _ = hands
    own = [finger_of(n) for n in rig.names]
    unit = hands[2].frame.to_unit
    away = segment_distances(unit(character.mesh.vertices), unit(rig.heads), unit(rig.tails))
    outer = [b for b, f in enumerate(own) if f and f[1] in "23"]
    for b in outer:
        around = (away.argmin(1) == b) & (away[:, b] < 1.5 * away[:, b].min())
        foreign = [i for i, f in enumerate(own) if f and (f[0], f[2]) != (own[b][0], own[b][2])]
        assert around.any() and weights[around][:, foreign].sum(1).max() < 0.05, rig.names[b]


def test_both_hands_mirror(hands, weights):
    character, rig, _ = hands
    vertices = character.mesh.vertices
    partner = np.array([rig.names.index(n[:-1] + {"L": "R", "R": "L"}[n[-1]]) if n[-2:] in (".L", ".R") else i
                        for i, n in enumerate(rig.names)])
    order, image = (np.lexsort(np.round(v, 7).T) for v in (vertices, vertices * [-1, 1, 1]))
    np.testing.assert_allclose(weights[order], weights[image][:, partner], atol=1e-9)


def test_a_hand_and_its_fingers_are_bound_as_one_bone_first(hands):
    _, rig, _ = hands
    groups = finger_groups(rig)
    assert [len(g.fingers) for g in groups] == [15, 15]
    whole = without_fingers(rig, groups)
    assert whole.deform.sum() == rig.deform.sum() - 30
    assert np.linalg.norm(whole.tails[groups[0].hand] - rig.joints["middle_tip.L"]) < 1e-9
    body = rig.only([n for n in rig.names if finger_of(n) is None])
    assert finger_groups(body) == []


@pytest.mark.long
def test_a_finger_or_a_twist_bone_that_is_locked_leaves_the_rest_of_the_skin_as_it_is(hands):
    """Bound again, the hand and the forearm are dealt among the same bones as before."""
    character, rig, shape = hands
    rig = with_twists(rig, 2)
    before = bind(character.mesh, rig, shape=shape).matrix
    kept = Kept(before, np.isin(rig.names, ["index_1.L", "forearm_twist_1.L", "thigh_twist_1.R"]))
    after = bind(character.mesh, rig, shape=shape, kept=kept).matrix
    np.testing.assert_allclose(after.toarray(), before.toarray(), atol=1e-9)


def test_the_weight_check_closes_every_finger(hands):
    _, rig, _ = hands
    fists = next(p for p in range_of_motion(rig) if p.name == "Fists")
    assert {rig.names[b] for b in fists.bones} == {n for n in rig.names if finger_of(n)}
    assert not any(set(p.bones) & set(fists.bones) for p in range_of_motion(rig) if p.is_general)
