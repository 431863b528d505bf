"""How thick bodies are: skin of known girths is measured as it is, at any size, and people's girths are people's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from core.geometry.rotation import identity
from core.motion.body import body_of
from core.motion.girth import ALONG, AROUND, ENDS, PALM, frame, line, palm_of, parts_of, radius
from core.motion.sole import Skin
from core.skeleton.bone_map import BoneMap
from core.skeleton.rig import Rig
from tests.core.motion.bodies import moved_rig, person_rig

RIG = person_rig(2)
BODY = body_of(RIG)
LEG = float(np.mean([leg.reach for leg in BODY.legs]))
REST = identity(1, len(RIG.names)), RIG.heads[None]
GIRTHS = {"trunk": (0.16, 0.11), "thigh": (0.08, 0.08), "shin": (0.05, 0.05), "upper_arm": (0.05, 0.05),
          "forearm": (0.04, 0.04)}


def skin_about(rig, scale: float = 1.0) -> Skin:
    """Tubes around the limbs, wide or deep, and an oval one about the trunk; a ball for a head."""
    body, points, owner = body_of(rig), [], []
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    rest = identity(1, len(rig.names)), rig.heads[None]
    for name, part in parts_of(body, None).items():
        start, along = (x[0] for x in line(body, part, *rest))
        if name == "head":
            high, around = (x.ravel()[:, None] for x in np.meshgrid(np.linspace(-1.5, 1.5, 25), angle, indexing="ij"))
            own = start + 0.1 * scale * np.hstack([np.cos(high) * np.cos(around), np.cos(high) * np.sin(around),
                                                   np.sin(high)])
        else:
            t = np.linspace(-0.1, 1.0, 25)
            axes = frame(body, part, rest[0], rest[1], along[None], np.array([0.5]))[0]
            wide, deep = (scale * x for x in GIRTHS[name.split(".")[0]])
            ring = np.outer(wide * np.cos(angle), axes[0]) + np.outer(deep * np.sin(angle), axes[1])
            own = (start + t[:, None, None] * along + ring).reshape(-1, 3)
        points.append(own)
        bone = body.roles["spine"] if name == "trunk" else part.bone
        owner += [bone] * len(own)
    weights = sparse.csr_matrix((np.ones(len(owner)), (np.arange(len(owner)), owner)), (len(owner), len(rig.names)))
    return Skin(np.vstack(points), weights)


SKIN = skin_about(RIG)


def test_the_parts_are_those_a_hand_can_rest_on():
    limbs = {f"{n}.{s}" for n in ("thigh", "shin", "upper_arm", "forearm") for s in "LR"}
    assert set(parts_of(BODY, None)) == set(parts_of(BODY, SKIN)) == limbs | {"trunk", "head"}
    few = Skin(SKIN.vertices[:11], SKIN.weights[:11])
    assert not parts_of(BODY, few), "so few vertices are no part"
    for name, part in parts_of(BODY, None).items():
        start, along = line(BODY, part, *REST)
        if name[:-2] in ENDS:
            ends = [RIG.heads[BODY.roles[n]] for n in (name, ENDS[name[:-2]] + name[-2:])]
            np.testing.assert_allclose([start[0], (start + along)[0]], ends, atol=1e-12)


@pytest.mark.parametrize("name", ["thigh.L", "shin.R", "upper_arm.L", "forearm.R"])
def test_a_tube_of_skin_is_as_thick_as_it_is_everywhere(name):
    table = parts_of(BODY, SKIN)[name].table
    assert table.shape == (len(ALONG), len(AROUND))
    np.testing.assert_allclose(table, GIRTHS[name[:-2]][0], rtol=1e-6)


def test_an_oval_trunk_is_wide_from_side_to_side_and_less_deep():
    trunk = parts_of(BODY, SKIN)["trunk"]
    wide, deep = GIRTHS["trunk"]
    found = radius(trunk, np.full(4, 0.5), np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]]))
    np.testing.assert_allclose(found, [wide, wide, deep, deep], rtol=0.05)
    axes = frame(BODY, trunk, *REST, line(BODY, trunk, *REST)[1], np.array([0.5]))[0]
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert axes[0, 0] > 0.99 and np.linalg.det(axes) > 0, "the first across is the left"


def test_a_ball_of_a_head_is_as_far_everywhere():
    head = parts_of(BODY, SKIN)["head"]
    ways = np.random.default_rng(1).normal(size=(50, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    rest = identity(50, len(RIG.names)), np.repeat(RIG.heads[None], 50, 0)
    middle = line(BODY, parts_of(BODY, None)["head"], *REST)[0][0]
    own = line(BODY, head, *rest)[0]
    surface = own + radius(head, np.zeros(50), ways)[:, None] * ways
    np.testing.assert_allclose(np.linalg.norm(surface - middle, axis=1), 0.1, rtol=0.04)


def test_of_skins_over_each_other_the_outer_one_counts():
    inner = Skin(np.vstack([SKIN.vertices, skin_about(RIG, 0.5).vertices]), sparse.vstack([SKIN.weights] * 2))
    for name in ("thigh.L", "forearm.R"):
        np.testing.assert_allclose(parts_of(BODY, inner)[name].table, GIRTHS[name[:-2]][0] * 0.5**(1 / 8), rtol=0.06)


@pytest.mark.long
@pytest.mark.parametrize("size", [0.01, 30.0])
def test_sizes_play_no_part_in_girths(size):
    large = body_of(moved_rig(RIG, size * np.eye(3)))
    skin = Skin(size * SKIN.vertices, SKIN.weights)
    for given, own in ((SKIN, skin), (None, None)):
        for name, part in parts_of(BODY, given).items():
            other = parts_of(large, own)[name]
            np.testing.assert_allclose(other.table, size * part.table, rtol=1e-6)
            np.testing.assert_allclose(other.centre, size * part.centre, rtol=1e-6)


def test_people_are_as_wide_and_deep_as_people():
    """Leg lengths, in the middle and at both ends of a part: published means."""
    expected = {"trunk": ([0.21, 0.18, 0.19], [0.14, 0.13, 0.12]), "thigh.L": ([0.115, 0.1, 0.08],) * 2,
                "shin.R": ([0.075, 0.072, 0.045],) * 2, "upper_arm.L": ([0.06, 0.055, 0.05],) * 2,
                "forearm.R": ([0.055, 0.05, 0.035],) * 2}
    parts = parts_of(BODY, None)
    for name, (wide, deep) in expected.items():
        for way, sizes in (([1.0, 0, 0], wide), ([0, 1.0, 0], deep)):
            found = radius(parts[name], np.array([0.0, 0.5, 1.0]), np.tile(way, (3, 1)))
            np.testing.assert_allclose(found, LEG * np.array(sizes), rtol=0.01)
    head = radius(parts["head"], np.zeros(3), np.eye(3))
    np.testing.assert_allclose(head, LEG * np.array([0.1, 0.125, 0.145]), rtol=0.01)
    np.testing.assert_allclose(parts["head"].centre, LEG * np.array([0.0, -0.03, 0.11]))


def hand_skin(count: int = 4000) -> tuple[Skin, int, np.ndarray]:
    """A hand as a board 0.02 thick, turned about its length."""
    hand = BODY.roles["hand.L"]
    vector = np.array([0.17, 0.0, -0.05])
    up = np.cross(vector, [0.0, 1.0, 0.3])
    up /= np.linalg.norm(up)
    aside = np.cross(vector, up) / np.linalg.norm(vector)
    t, across, thick = np.random.default_rng(2).uniform(-0.5, 0.5, (3, count, 1))
    points = RIG.heads[hand] + (t + 0.5) * vector + 0.08 * across * aside + 0.02 * thick * up
    weights = sparse.csr_matrix((np.ones(count), (np.arange(count), np.full(count, hand))), (count, len(RIG.names)))
    return Skin(points, weights), hand, vector


def test_a_palm_is_half_as_thick_as_its_hand():
    skin, hand, vector = hand_skin()
    assert palm_of(BODY, skin, hand, vector) == pytest.approx(0.9 * 0.02 / 2, rel=0.02), "but for a twentieth each side"
    t = (skin.vertices - RIG.heads[hand]) @ vector / (vector @ vector)
    some = np.flatnonzero((t > 0.25) & (t < 0.8))
    few, bare = (Skin(skin.vertices[some[:n]], skin.weights[some[:n]]) for n in (6, 5))
    assert palm_of(BODY, few, hand, vector) < 0.011
    assert palm_of(BODY, bare, hand, vector) == pytest.approx(PALM * LEG) == pytest.approx(0.03 * LEG)


def test_a_palm_is_measured_in_the_middle_of_the_hand():
    """Beside the wrist and at the fingertips it may be as thick as it likes."""
    skin, hand, vector = hand_skin()
    t = (skin.vertices - RIG.heads[hand]) @ vector / (vector @ vector)
    swollen = skin.vertices + np.where((t < 0.24) | (t > 0.81), 5.0, 0.0)[:, None] * np.cross(vector, [0, 1.0, 0.3])
    assert palm_of(BODY, Skin(swollen, skin.weights), hand, vector) == pytest.approx(
        palm_of(BODY, skin, hand, vector), rel=1e-6)
    near = skin.vertices + np.where((t > 0.26) & (t < 0.3), 5.0, 0.0)[:, None] * np.cross(vector, [0, 1.0, 0.3])
    assert palm_of(BODY, Skin(near, skin.weights), hand, vector) > 3 * palm_of(BODY, skin, hand, vector)


def test_a_limb_without_length_is_no_part():
    heads = np.array(RIG.heads)
    heads[RIG.names.index("hand.L")] = heads[RIG.names.index("forearm.L")]
    rig = Rig(RIG.names, RIG.parents, heads, RIG.tails, RIG.x_axes)
    bone_map = BoneMap("as named", {name: (name,) for name in RIG.names})
    parts = parts_of(body_of(rig, bone_map), skin_about(RIG))
    assert "forearm.L" not in parts and "forearm.R" in parts
