"""Loose parts that move as one piece: blocks do, limbs and bodies made of blocks do not."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.mesh import Mesh, vertex_components
from core.skinning.handles import SHOULDER, Handles
from core.skinning.islands import _fullness, fill_bare, stiffen_parts
from tests.core.skinning.solids import joined, tube

FAR = tube(0.02, 0.1)  # a second part, since a mesh in one piece is left alone


def block(low, high) -> Mesh:
    """A welded box: 8 vertices."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    corner = np.array(np.meshgrid([0, 1], [0, 1], [0, 1], indexing="ij")).reshape(3, -1).T
    faces = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
                      [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])
    return Mesh(low + corner * (high - low), faces)


def gingerbread() -> Mesh:
    """A body cut out of a flat board, arms and legs spread: one closed part, not convex."""
    outline = np.array([[-.05, -.5], [-.05, -.1], [-.5, -.1], [-.5, .1], [-.05, .1], [-.05, .5],
                        [.05, .5], [.05, .1], [.5, .1], [.5, -.1], [.05, -.1], [.05, -.5]])
    count, turn = len(outline), np.arange(len(outline))
    vertices = np.concatenate([np.insert(outline, 1, y, axis=1) for y in (-0.05, 0.05)])
    squares = [[0, 1, 10, 11], [1, 4, 7, 10], [2, 3, 4, 1], [4, 5, 6, 7], [7, 8, 9, 10]]
    front = np.array([[s[i] for i in t] for s in squares for t in ([0, 1, 2], [0, 2, 3])])
    after = (turn + 1) % count
    sides = np.concatenate([np.stack([turn, turn + count, after + count], 1),
                            np.stack([turn, after + count, after], 1)])
    return Mesh(vertices, np.concatenate([front, front[:, ::-1] + count, sides]))


def stiffened(mesh: Mesh) -> np.ndarray:
    """(V,) share of the left of two bones, after stiffening weights that change over from left to right."""
    both = joined(mesh, FAR)
    heads, tails = np.array([[-1.0, 0, 0], [0.1, 0, 0]]), np.array([[0.1, 0, 0], [1.0, 0, 0]])
    handles = Handles(np.arange(2), np.arange(2), heads, tails)
    left = np.clip(0.5 - 5 * both.vertices[:, 0], 0, 1)
    weights = stiffen_parts(both, vertex_components(both), np.stack([left, 1 - left], 1), handles)
    assert np.allclose(weights.sum(1), 1)
    return weights[:len(mesh.vertices), 0]


@pytest.mark.parametrize(("middle", "expected"), [(0.05, 1.0), (0.15, 0.0)])
def test_a_block_follows_the_bone_next_to_its_middle(middle, expected):
    assert np.array_equal(np.unique(stiffened(block([middle - 0.2, -.2, -.2], [middle + 0.2, .2, .2]))), [expected])


@pytest.mark.parametrize("mesh", [tube(0.1, 0.4), gingerbread()], ids=["round", "not convex"])
def test_round_parts_and_bodies_bend(mesh):
    shifted = Mesh(mesh.vertices - mesh.vertices.mean(0), mesh.faces)
    assert len(np.unique(stiffened(shifted))) > 2


def test_a_block_that_is_open_bends():
    whole = block([-.2, -.2, -.2], [.2, .2, .2])
    assert len(np.unique(stiffened(Mesh(whole.vertices, whole.faces[:-2])))) > 1


def test_a_vertex_that_no_heat_reached_follows_what_is_near_by_inverse_squares():
    """Two warm vertices at distances 1 and 2 and the nearest bone at 2: shares 1, 1/4 and 1/4, made to sum to 1."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0]], float)
    heads, tails = np.array([[-1, 0, 2], [-1, 0, 8]], float), np.array([[1, 0, 2], [1, 0, 8]], float)
    weights = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    mesh = Mesh(corners, np.zeros((0, 3), int))
    filled = fill_bare(mesh, weights, Handles(np.arange(3), np.arange(2), heads, tails))
    np.testing.assert_allclose(filled, [np.array([1, 4, 1]) / 6, [0, 1, 0], [0, 0, 1]], atol=1e-12)


def test_where_nothing_is_warm_bones_share_by_how_far_they_are():
    heads, tails = np.array([[-1, 0, 1], [-1, 0, -2]], float), np.array([[1, 0, 1], [1, 0, -2]], float)
    mesh, handles = Mesh(np.zeros((3, 3)), np.array([[0, 1, 2]])), Handles(np.arange(2), np.arange(2), heads, tails)
    filled = fill_bare(mesh, np.zeros((3, 2)), handles)
    np.testing.assert_allclose(filled, np.tile(np.array([64, 1]) / 65, (3, 1)), atol=1e-12)


@pytest.mark.parametrize("size", [0.003, 0.1, 1.0])
def test_how_full_a_block_is_depends_on_no_size(size):
    box = block([0, 0, 0], size * np.array([0.3, 1.0, 0.5]))
    board = gingerbread()
    for mesh, full in ((box, 1.0), (Mesh(size * board.vertices, board.faces), 0.28 / (1 - 2 * 0.45 * 0.4))):
        corner = mesh.triangles
        normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]) / 2
        assert _fullness(corner, normal) == pytest.approx(full, rel=1e-6)


def test_a_plate_without_thickness_is_no_block():
    assert len(np.unique(stiffened(block([-.2, 0, -.2], [.2, 0, .2])))) > 1


@pytest.mark.parametrize(("base", "long", "expected"), [(0.35, 0.2, 0.0), (0.35, 0.5, None), (0.12, 0.2, None)])
def test_a_horn_follows_the_skin_on_which_it_sits_and_no_bone_that_it_leans_over(base, long, expected):
    """It leans back over the left bone; what is long, or sits where two bones meet, bends as before."""
    cone = tube(0.03, 1.0, along=9)
    along = cone.vertices[:, :1]
    bent = np.concatenate([-along**2, np.sin(np.pi * along) * 0.6, 0 * along], 1)
    lean = np.array([base, 0.11, 0]) + bent * long
    horn = Mesh(lean + cone.vertices * [0, 0.2, 1] * (1.2 - along), cone.faces)
    body = Mesh(tube(0.1, 2.0, along=81).vertices - [1, 0, 0], tube(0.1, 2.0, along=81).faces)
    both = joined(horn, body)
    handles = Handles(np.arange(2), np.arange(2), np.array([[-1.0, 0, 0], [0.1, 0, 0]]),
                      np.array([[0.1, 0, 0], [1.0, 0, 0]]))
    left = np.clip(0.5 - 2 * (both.vertices[:, 0] - 0.1), 0, 1)
    weights = stiffen_parts(both, vertex_components(both), np.stack([left, 1 - left], 1), handles)
    found = weights[:len(horn.vertices), 0]
    assert np.ptp(found) > 0 if expected is None else np.array_equal(np.unique(found), [expected])


def bent_at(middle: float, mesh: Mesh, *, chain: bool = True, above: float = 0.2) -> np.ndarray:
    """(V,) share of the second of two bones that meet at x = 0, the first as long as `above`, beside a part far away.

    chain : the second hangs from the first
    """
    both = joined(mesh, FAR)
    handles = Handles(np.arange(2), np.arange(2), np.array([[-above, 0, 0], [0, 0, 0]]),
                      np.array([[0, 0, 0], [1.0, 0, 0]]), parent=np.array([-1, 0 if chain else -1]))
    upper = np.clip(0.5 + 5 * (both.vertices[:, 0] - middle), 0, 1)
    weights = stiffen_parts(both, vertex_components(both), np.stack([1 - upper, upper], 1), handles)
    return weights[:len(mesh.vertices), 1]


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize(("reaches", "bends"), [(-0.15, False), (-0.25, True)])
def test_a_head_bends_where_the_whole_neck_is_in_it(reaches, bends, is_open):
    """A head of its own that ends in a collar, closed or cut there; what covers but some of the neck is stiff."""
    whole = tube(0.1, 1.0, along=41)
    if is_open:
        whole = Mesh(whole.vertices, whole.faces[(whole.faces != len(whole.vertices) - 2).all(1)])
    shifted = Mesh(whole.vertices * [1 - reaches, 1, 1] + [reaches, 0, 0], whole.faces)
    assert (len(np.unique(bent_at(0.0, shifted))) > 2) == bends


@pytest.mark.parametrize(("low", "high", "bends"), [(-0.25, 1.0, True), (-0.12, 1.0, False), (-0.12, 0.35, False)])
def test_a_bare_leg_bends_at_a_knee_that_lies_in_it(low, high, bends):
    """Little of the thigh in it lets it be stiff, and so does a shin that is not: a robot's knee."""
    whole = tube(0.05, 1.0, along=41)
    leg = Mesh(whole.vertices * [high - low, 1, 1] + [low, 0, 0], whole.faces)
    assert (len(np.unique(bent_at(low / 3, leg, above=1.0))) > 2) == bends


def test_a_part_whose_bone_hangs_from_no_bone_in_it_is_stiff():
    whole = tube(0.1, 1.25, along=41)
    assert np.array_equal(np.unique(bent_at(0.0, Mesh(whole.vertices - [0.25, 0, 0], whole.faces), chain=False)), [1])


def test_an_arm_whose_hand_has_most_of_its_vertices_bends():
    """Most of the skin follows the forearm, but four of five vertices lie on the hand."""
    arm, hand = tube(0.1, 1.0, along=9), tube(0.1, 0.3, along=81)
    vertices = np.concatenate([arm.vertices - [1.0, 0, 0], hand.vertices])
    seam = np.flatnonzero(arm.vertices[:, 0] == 1.0)[:2]
    sewn = np.array([[seam[0], seam[1], len(arm.vertices)]])
    one = Mesh(vertices, np.concatenate([arm.faces, hand.faces + len(arm.vertices), sewn]))
    assert len(np.unique(bent_at(0.0, one, chain=False))) > 2


def followed(*blocks: Mesh, limb=(0, 0, 0, 0), joints=(0.0, -0.2, -0.6, -1.0, -1.2), beside=0.5) -> list[int]:
    """The bone that each of some blocks follows, beside one far off: a girdle, and three bones that hang below each
    other. All of it is moved so far to a side."""
    places = np.array([(0.3, 0, 0), *((0.0, 0, z) for z in joints[1:])]) + [beside, 0, 0]
    handles = Handles(np.arange(4), np.arange(4), places[:-1], places[1:], parent=np.arange(-1, 3), limb=np.array(limb))
    aside = (Mesh(each.vertices + [beside, 0, 0], each.faces) for each in blocks)
    both = joined(*aside, Mesh(FAR.vertices + [5, 0, 0], FAR.faces))
    near = handles.nearest(both.vertices)[0]
    weights = (near == near.min(1, keepdims=True)).astype(float)
    weights /= weights.sum(1, keepdims=True)
    part = vertex_components(both)
    out = stiffen_parts(both, part, weights, handles)
    rows = [out[part == k] for k in range(len(blocks))]
    assert all((each == np.round(each)).all() for each in rows)
    return [int(each[0].argmax()) for each in rows]


LEG, FOOT = ([-.15, -.15, -.95], [.15, .15, -.2]), ([-.15, -.35, -1.2], [.15, .15, -.97])


def test_a_foot_on_a_leg_of_one_block_goes_with_it():
    """It would come off where the shin turns in a leg that follows the thigh, though the ankle lies in the foot."""
    assert followed(block(*LEG), block(*FOOT)) == [1, 1]


def test_a_trunk_of_one_block_takes_nothing_with_it_that_is_above():
    """It is no limb: of bones in the middle it goes up by one, and what is at their end turns."""
    assert followed(block(*LEG), block(*FOOT), beside=0.0)[1] == 3


def test_a_foot_on_a_shin_of_its_own_block_turns_at_the_ankle():
    thigh, shin = block([-.15, -.15, -.58], [.15, .15, -.2]), block([-.15, -.15, -.95], [.15, .15, -.62])
    assert followed(thigh, shin, block(*FOOT)) == [1, 2, 3]


def test_a_narrow_plate_along_a_leg_takes_no_foot_with_it():
    plate = block([-.01, -.01, -.95], [.01, .01, -.2])
    assert followed(plate, block(*FOOT)) == [1, 3]


@pytest.mark.parametrize(("limb", "joints", "wide"), [
    ((SHOULDER, 1, 1, 1), (0.0, -0.2, -0.7, -1.0, -1.2), 0.2), ((0, 0, 0, 0), (0.0, -0.2, -0.35, -0.5, -1.2), 0.1)],
    ids=["arm", "leg"])
def test_a_limb_of_one_block_follows_the_bone_it_begins_with(limb, joints, wide):
    """Of an arm, though much of the shoulder's bone is in it; of a leg, though its last bone is next to its middle."""
    assert followed(block([-wide, -.1, -1.2], [wide, .1, 0]), block([-.4, -.4, 1], [.4, .4, 2]), limb=limb,
                    joints=joints)[0] == 1


def test_a_head_around_the_neck_follows_the_heads_own_bone():
    assert followed(block([-.2, -.2, -1.2], [.2, .2, -.61]), block([-.4, -.4, 1], [.4, .4, 2]),
                    joints=(0.0, -0.2, -0.6, -0.8, -1.2))[0] == 3
