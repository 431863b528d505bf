"""Soles: the skin under the feet, not the bones, stands on the ground."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from core.geometry.rotation import from_vector, multiply, rotate, to_matrix
from core.motion.body import body_of
from core.motion.clip_file import load_motion
from core.motion.legs import find_legs
from core.motion.retarget import RetargetOptions, Transfer, retarget
from core.motion.skin import deform
from core.motion.sole import Skin, upward
from core.pipeline import bind
from core.skeleton.bone_map import find_roles
from core.skeleton.rig import Rig
from tests.characters import person, quadruped
from tests.core.motion.bodies import grown_rig, moved_rig
from tests.core.motion.measures import measure


def skinned(grown, preset: str, *, deeper: float = 0.0):
    """A rig, and the skin that heat binds to it.  deeper : of the height, how far soles are pulled down, and
    twice as far back"""
    rig = grown_rig(grown, preset)
    weights = bind(grown.mesh, rig, "heat").matrix
    points = np.array(grown.mesh.vertices)
    low = points[:, 2] < 0.03 * np.ptp(points[:, 2]) + points[:, 2].min()
    points[low, 2] -= deeper * np.ptp(points[:, 2])
    points[low, 1] += 2 * deeper * np.ptp(points[:, 2])
    return rig, Skin(points, weights)


@pytest.fixture(scope="module")
def shod():
    """A person in thick shoes with long heels."""
    return skinned(person(vertices=2500), "biped", deeper=0.03)


def test_heights_are_the_last_row_of_the_matrices(rng):
    for count in (3, 300):
        turns = from_vector(rng.normal(size=(count, 3)))
        np.testing.assert_allclose(upward(turns), to_matrix(turns)[:, 2], atol=1e-12)


def test_the_lowest_point_of_a_sole_is_that_of_all_its_vertices(shod, rng):
    """Against every vertex of the foot, for feet, toes and shins turned as they do, and more."""
    rig, skin = shod
    legs = find_legs(rig, find_roles(rig), 0.0, skin)
    for leg in legs:
        count = 60
        foot, shin, bend = (from_vector(rng.normal(size=(count, 3)) * [0.4, 0.1, 0.2]) for _ in range(3))
        toe = multiply(foot, bend)
        ankle = rig.heads[leg.foot]
        own = np.asarray(skin.weights[:, [leg.foot, leg.toe]].sum(1)).ravel() > 0.9
        shares = [np.asarray(skin.weights[own][:, b].todense()).ravel() for b in (leg.foot, leg.toe, leg.chain[-1])]
        points = skin.vertices[own] - ankle
        placed = [rotate(foot[:, None], points), rotate(foot[:, None], leg.toe_at) + rotate(toe[:, None],
                  points - leg.toe_at), rotate(shin[:, None], points)]
        naive = sum(s * p[..., 2] for s, p in zip(shares, placed, strict=True)) / sum(shares)
        found = leg.lowest(foot, toe, shin)
        assert (found < naive.min(1) + 0.005 * leg.length).all(), "nothing of the foot is lower by more than a hair"


def test_heels_lie_behind_the_ankle_on_the_line_of_the_foot(shod):
    rig, skin = shod
    for leg in find_legs(rig, find_roles(rig), 0.0, skin):
        heel, ball = leg.pivots[leg.foot][:2], leg.pivots[leg.toe][:2]
        assert heel @ ball < 0 and abs(np.cross(heel, ball)) < 1e-9
        assert np.linalg.norm(heel) <= 0.3 * np.linalg.norm(ball) + 1e-9


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("motion", ["walk", "run", "sneak", "idle"])
def test_thick_shoes_stand_on_the_ground(shod, motion):
    rig, skin = shod
    clip = load_motion(motion)
    transfer = Transfer(clip.rig, rig, RetargetOptions(skin=skin))
    out = retarget(clip, rig, transfer.options, transfer=transfer)
    found = measure(out, clip, transfer)
    assert found.sink < 0.005 and found.hover < 0.005 and found.worst_slide <= 0.01 and found.flips == 0
    floor = skin.vertices[:, 2].min()
    lows = [deform(skin.vertices, skin.weights, out, frame)[:, 2].min() - floor for frame in range(0, len(out.root), 3)]
    assert min(lows) > -0.005 * transfer.target.legs[0].length
    if motion in ("walk", "run"):  # those that land on their heels
        bones = measure(retarget(clip, rig), clip, transfer)
        assert bones.sink > 0.008, "where only the bones are known the shoes sink: the test shows something"


@pytest.mark.long
def test_paws_and_turned_rigs(rng):
    rig, skin = skinned(quadruped(species="dog", vertices=2500), "quadruped", deeper=0.02)
    turn = np.array([[0.0, -1, 0], [0, 0, 1.0], [-1.0, 0, 0]])
    clip = load_motion("quadruped_walk")
    for body, cover in ((rig, skin), (moved_rig(rig, 3.0 * turn), Skin(3.0 * skin.vertices @ turn.T, skin.weights))):
        transfer = Transfer(clip.rig, body, RetargetOptions(skin=cover))
        found = measure(retarget(clip, body, transfer.options, transfer=transfer), clip, transfer)
        assert found.sink < 0.005 and found.hover < 0.005 and found.worst_slide <= 0.01


def test_a_foot_with_a_heel_is_no_paw():
    """A chibi's ankle is as high on its leg as a bird's, but its foot goes forward and its heel is on the ground."""
    grown = person(vertices=2500)
    rig, skin = skinned(grown, "biped")
    squeeze = lambda p: np.where(p[:, 2:] > 0.09, np.c_[p[:, :2], 0.09 + 0.3 * (p[:, 2] - 0.09)], p)  # noqa: E731
    short = Rig(rig.names, rig.parents, squeeze(rig.heads), squeeze(rig.tails))
    bare = body_of(short).legs[0]
    known = body_of(short, skin=Skin(squeeze(skin.vertices), skin.weights)).legs[0]
    assert len(bare.chain) == len(known.chain) == 2 and len(bare.pivots) == len(known.pivots) == 2


def test_a_skin_that_follows_no_foot_changes_nothing(shod):
    rig, skin = shod
    head = np.zeros((len(skin.vertices), len(rig.names)))
    head[:, rig.names.index("head")] = 1.0
    assert all(leg.sole is None for leg in body_of(rig, skin=Skin(skin.vertices, head)).legs)


def test_a_hem_that_follows_the_other_leg_in_part_is_no_sole(shod):
    """One leg's bones do not tell where it is: counted as that leg's, it lifts a foot off the ground as it steps."""
    rig, skin = shod
    bare = body_of(rig, skin=skin)
    leg = bare.legs[0]
    other = bare.legs[1].chain[-1]
    hem = rig.heads[leg.foot] + np.array([0.0, 0.1, -1.05]) * abs(bare.ground - rig.heads[leg.foot, 2])
    counted = []
    for across in (0.0, 0.18):
        weights = np.zeros((1, len(rig.names)))
        weights[0, [leg.foot, leg.chain[-1], other]] = 0.6, 0.4 - across, across
        vertices = np.vstack([skin.vertices, hem])
        sole = body_of(rig, skin=Skin(vertices, sparse.vstack([skin.weights, weights]))).legs[0].sole
        counted.append(np.linalg.norm(sole.points - (hem - rig.heads[leg.foot]), axis=1).min() < 1e-9)
    assert counted == [True, False]
