"""Bones for what hangs on a body or is held by it, and none for what is not there."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from core.detail.grow import DetailOptions
from core.geometry.mesh import Mesh
from core.hanging.find import _prop, find_things
from core.hanging.skirt import _around, _Legs
from core.hanging.strips import columns_of, shares_along, ways
from core.hanging.thing import may_be_thing
from core.pipeline import bind, fit, prepare
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skeleton.template import rig_from_joints
from core.skinning.bind import BindOptions
from core.skinning.things import things_of
from core.skinning.weights import Kept
from tests.characters import centaur, doll, gloved, gowned, person, quadruped, robot, sample
from tests.characters.dressed import THINGS, dressed
from tests.core.skinning.solids import joined

BIPED = load_template("biped")
FULL = DetailOptions("full")


@pytest.fixture(scope="module")
def worn():
    """(character, its shape, its full rig) of a person with a cape, a sword, a braid and a pack."""
    character = dressed(*THINGS)
    shape = prepare(character.mesh)
    return character, shape, fit(character.mesh, BIPED, shape=shape, detail=FULL)


def rows_of(character, name: str) -> np.ndarray:
    return character.mesh.part_of_vertex == [m.name for m in character.meshes].index(name)


def test_each_thing_hangs_where_it_is_fastened(worn):
    rig = worn[2]
    assert rig.things == ("cape", "hair", "prop_chest", "prop_hand.R")
    parent = {name: rig.names[rig.parents[i]] for i, name in enumerate(rig.names) if may_be_thing(name)}
    assert {name: bone for name, bone in parent.items() if not may_be_thing(bone)} == {
        "cape_1.L": "chest", "cape_1.R": "chest", "hair_1": "head", "prop_chest": "chest", "prop_hand.R": "hand.R"}
    assert parent["cape_3.L"] == "cape_2.L" and parent["hair_2"] == "hair_1"
    number = rig.names.index
    assert rig.heads[number("cape_1.L")][0] > 0 > rig.heads[number("cape_1.R")][0]
    assert rig.tails[number("hair_2")][2] < rig.heads[number("hair_1")][2]


def test_joints_of_a_chain_lie_in_its_cloth(worn):
    character, _, rig = worn
    points = character.mesh.vertices
    for stem, name in (("cape", "cape"), ("hair", "braid")):
        cloth = points[rows_of(character, name)]
        low, high = cloth.min(0) - 1e-6, cloth.max(0) + 1e-6
        bones = [i for i, bone in enumerate(rig.names) if bone.startswith(f"{stem}_")]
        ends = np.concatenate([rig.heads[bones], rig.tails[bones]])
        assert ((ends > low) & (ends < high)).all()


@pytest.mark.slow
@pytest.mark.parametrize("influences", [1, 2, 4])
def test_weights_of_things(worn, influences):
    """Props follow their bone alone; chains take over from the body within their first bone; the body keeps its bits
    as without things."""
    character, shape, rig = worn
    options = BindOptions(influences=influences)
    matrix = bind(character.mesh, rig, shape=shape, options=options).matrix
    assert matrix.min() >= 0 and matrix.max() <= 1 and np.diff(matrix.indptr).max() <= influences
    np.testing.assert_allclose(matrix.sum(1), 1, atol=1e-12)
    column = lambda name: matrix[:, rig.names.index(name)].toarray().ravel()  # noqa: E731 - used thrice
    np.testing.assert_array_equal(column("prop_hand.R"), rows_of(character, "sword"))
    np.testing.assert_array_equal(column("prop_chest"), rows_of(character, "pack"))
    own = sum(column(name) for name in rig.names if name.startswith("cape_"))
    cape = rows_of(character, "cape")
    down = character.mesh.vertices[cape, 2].max() - character.mesh.vertices[cape, 2]
    assert not own[~cape].any()
    np.testing.assert_allclose(own[cape][down > 0.3 * down.max()], 1, atol=1e-9)
    assert (own[cape][down < 0.02 * down.max()] < 0.1).all()
    plain = fit(character.mesh, BIPED, shape=shape, detail=DetailOptions("full", without=rig.things))
    bare = bind(character.mesh, plain, shape=shape, options=options).matrix
    of = [rig.names.index(name) for name in plain.names]
    flesh = np.flatnonzero(character.mesh.part_of_vertex == 0)
    np.testing.assert_array_equal(matrix[flesh][:, of].toarray(), bare[flesh].toarray())


@pytest.mark.slow
def test_a_thing_that_is_switched_off_has_no_bones(worn):
    character, shape, whole = worn
    rig = fit(character.mesh, BIPED, shape=shape, detail=DetailOptions("full", without=("cape", "no such")))
    assert rig.things == whole.things
    assert {n for n in whole.names if n not in rig.names} == {n for n in whole.names if n.startswith("cape_")}


@pytest.mark.slow
def test_only_full_skeletons_have_things_and_the_body_is_the_same(worn):
    character, shape, rig = worn
    for level in ("body", "hands"):
        plain = fit(character.mesh, BIPED, shape=shape, detail=DetailOptions(level))
        assert plain.things == () and not any(map(may_be_thing, plain.names))
        for name in set(plain.names) - {"hand.L", "hand.R"}:
            np.testing.assert_array_equal(rig.heads[rig.names.index(name)], plain.heads[plain.names.index(name)])


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("make", [
    lambda: person(vertices=2500), lambda: person(vertices=3000, layers=True, hair="long"),
    lambda: person(digits=5, vertices=3000), lambda: person(vertices=2500, tail=0.25), sample, robot,
    lambda: gowned(vertices=3000), lambda: gloved(vertices=3000),
    lambda: quadruped(vertices=2500), lambda: centaur(vertices=2500)],
    ids=["naked", "dressed", "hands", "tail", "sample", "robot", "gown", "gloves", "animal", "centaur"])
def test_nothing_is_invented(make):
    """Hair caps, trousers, shirts, shoes, gowns in one piece with the body, plates of a robot get no bones."""
    character = make()
    shape = prepare(character.mesh)
    preset = character.kind if character.kind in {"quadruped", "centaur"} else "biped"
    assert find_things(shape, fit(character.mesh, load_template(preset), shape=shape)) == []


def hair_cards(body, off) -> list[Mesh]:
    """Strips of hair that fall from the sides and the back of the head to the shoulder blades, free of each other.

    off : how far from the head each ends, of the height
    """
    tall, head, points = body.height, body.joints["head"], body.meshes[0].vertices
    skull = points[points[:, 2] > head[2]]
    s, made = np.linspace(0, 1, 9), []
    for turn, far in zip(np.linspace(0.1, np.pi - 0.1, len(off)), off, strict=True):
        out, along = np.array([np.cos(turn), np.sin(turn), 0]), np.array([-np.sin(turn), np.cos(turn), 0])
        root = (skull.max(0) + skull.min(0)) / 2 + 0.5 * np.ptp(skull, axis=0) * out + [0, 0, 0.02 * tall]
        middle = root + np.outer(far * tall * np.sqrt(s), out) - np.outer(0.27 * tall * s, [0, 0, 1])
        strip = np.stack([middle - 0.006 * tall * along, middle + 0.006 * tall * along], 1).reshape(-1, 3)
        first = 2 * np.arange(len(s) - 1)[:, None]
        made.append(Mesh(strip, np.concatenate([first + [0, 1, 3], first + [0, 3, 2]]), "card"))
    return made


@pytest.mark.long
@pytest.mark.parametrize(("off", "chains"), [([0.08] * 7, 7), ([0.05, 0.05, 0.08] * 3, 0)])
def test_of_many_cards_of_hair_no_few_swing_alone(off, chains):
    """Locks that are all strips swing; where most cards lie on the body, those that happen to stand off stay, too."""
    body = person(vertices=2500)
    mesh = joined(body.mesh, *hair_cards(body, off))
    shape = prepare(mesh)
    things = find_things(shape, fit(mesh, BIPED, shape=shape))
    assert len(things) == chains and all(thing.name.startswith("hair") for thing in things)


@pytest.mark.slow
def test_strands_in_one_surface_with_the_head():
    """Two bunches of a doll in one closed surface: a chain each, outwards and down, its skin alone."""
    character = doll(vertices=4000)
    shape = prepare(character.mesh)
    rig = fit(character.mesh, BIPED, shape=shape, detail=FULL)
    assert rig.things == ("hair.L", "hair.R")
    matrix = bind(character.mesh, rig, shape=shape).matrix
    np.testing.assert_allclose(matrix.sum(1), 1, atol=1e-12)
    for side, sign in (("L", 1), ("R", -1)):
        bones = [i for i, name in enumerate(rig.names) if may_be_thing(name) and name.endswith(side)]
        assert rig.names[rig.parents[bones[0]]] == "head" and len(bones) >= 2
        assert (shape.field.sample(shape.frame.to_unit(rig.heads[bones])) < 0).all()
        moved = matrix[:, bones].sum(1).A1 > 0.5
        assert moved.any() and (character.mesh.vertices[moved, 0] * sign > 0).all()


@pytest.mark.long
def test_bones_moved_by_hand_are_bound_as_any_bone(worn):
    """What a thing's bones would move is known only where they belong."""
    character, shape, rig = worn
    heads, tails = rig.heads.copy(), rig.tails.copy()
    sword = rig.names.index("prop_hand.R")
    heads[sword, 2] += 0.1 * character.height
    moved = type(rig)(rig.names, rig.parents, heads, tails, deform=rig.deform)
    assert [thing.name for thing in things_of(shape, rig)] == ["cape", "hair", "prop_chest", "prop_hand.R"]
    assert [thing.name for thing in things_of(shape, moved)] == ["cape", "hair", "prop_chest"]
    np.testing.assert_allclose(bind(character.mesh, moved, shape=shape).matrix.sum(1), 1, atol=1e-12)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("gone", "takes"), [("cape_3.L", "cape_2.L"), ("cape_1.L", "chest"), ("hair_2", "hair_1")])
def test_where_a_bone_of_a_chain_was_deleted_what_is_above_takes_its_skin(worn, gone, takes):
    """And nothing else changes."""
    character, shape, rig = worn
    fewer = rig.only([name for name in rig.names if name != gone])
    before, after = (bind(character.mesh, r, shape=shape, options=BindOptions(influences=9)).matrix.toarray()
                     for r in (rig, fewer))
    expected = np.delete(before, rig.names.index(gone), axis=1)
    np.testing.assert_allclose(after.sum(1), 1, atol=1e-12)
    expected[:, fewer.names.index(takes)] += before[:, rig.names.index(gone)]
    chains = [i for i, name in enumerate(fewer.names) if may_be_thing(name)]
    np.testing.assert_allclose(after[:, chains], expected[:, chains], atol=0.05)
    free = before[:, rig.names.index(gone)] == 0
    np.testing.assert_allclose(after[free], expected[free], atol=0.01)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("locked", ["head", "hips", "cape_3.L"])
def test_what_hangs_is_known_while_bones_are_locked(worn, locked):
    """Bound again, a cape and a pack keep their weights, and a sword the body's skin off."""
    character, shape, rig = worn
    before = bind(character.mesh, rig, shape=shape).matrix
    kept = Kept(before, np.array(rig.names) == locked)
    after = bind(character.mesh, rig, shape=shape, kept=kept).matrix
    for part in ("cape", "pack", "sword"):
        rows = rows_of(character, part)
        assert np.abs(after[rows] - before[rows]).sum(1).mean() < 0.02
    sword = rig.names.index("prop_hand.R")
    np.testing.assert_array_equal(after[:, sword].toarray(), before[:, sword].toarray())


def test_places_around_two_legs_are_told_from_the_middle_between_them(rng):
    """Wherever somebody stands: ahead, left, behind and right of the middle, and how far beside the line of legs."""
    middle = np.array([2.0, 3.0])
    left, right = (np.c_[np.tile(middle + [x, 0], (3, 1)), [2.0, 1.0, 0.0]] for x in (0.5, -0.5))
    points = np.array([[0, -1, 1.5], [1, 0, 0.5], [0, 1, 1.0], [-1, 0, 1.0], [0.25, -0.2, 0.1]])
    angle, apart, along = _around(points + [*middle, 0], _Legs(left, right))
    np.testing.assert_allclose(angle[:4], [0, 90, 180, 270])
    np.testing.assert_allclose(apart, [1, 0.5, 1, 0.5, 0.2])
    np.testing.assert_allclose(along, [0.5, 1, 0.5, 0, 0.75])


@pytest.mark.parametrize(("half", "end"), [((0.2, 0.2), (0.4, 0.1, 0)), ((0.5, 0.05), (1.0, 0.05, 0))],
                         ids=["shield", "staff"])
def test_a_props_bone_goes_through_the_middle_of_a_plate_and_to_the_tip_of_a_staff(half, end):
    x, y = (g.ravel() for g in np.meshgrid(np.linspace(0, 2 * half[0], 41), np.linspace(-1, 1, 41) * half[1]))
    points = np.stack([x, y + 0.1, 0 * x], 1)
    spread = np.sqrt(np.sort(points.var(0))[::-1])
    held = SimpleNamespace(points=points, areas=np.ones(len(x)), fast=x == 0, hands={}, middle=points.mean(0),
                           spread=spread, rows=np.arange(3))
    thing = _prop(Rig(("hand.L",), (-1,), [[-0.1, 0.1, 0]], [[0.0, 0.1, 0]]), held, "hand.L")
    np.testing.assert_allclose([thing.heads[0], thing.tails[0]], [[0, 0.1, 0], end], atol=1e-12)


def test_a_props_bone_has_a_length_also_where_the_hand_is_in_its_middle():
    """A ball that is held; its bone goes to its furthest place."""
    points = 0.2 * np.concatenate([np.eye(3), -np.eye(3)]) + [0.95, 0.1, 0]
    held = SimpleNamespace(points=points, areas=np.ones(6), fast=np.arange(6) == 0, hands={"hand.L": 0.0},
                           middle=points.mean(0), spread=np.full(3, 0.1), rows=np.arange(6))
    thing = _prop(Rig(("hand.L",), (-1,), [[0.9, 0.1, 0]], [[1.0, 0.1, 0]]), held, "hand.L")
    np.testing.assert_allclose(thing.heads, [[0.95, 0.1, 0]])
    assert np.linalg.norm(thing.tails - thing.heads) == pytest.approx(0.2)


def test_ways_follow_the_surface():
    """Round a half circle the way is its arc, not its chord."""
    turn = np.linspace(0, np.pi, 200)
    points = np.stack([np.cos(turn), np.sin(turn), 0 * turn], 1)
    found = ways(points, turn == 0, np.pi / 199)
    np.testing.assert_allclose(found, turn, atol=1e-3)


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("bones", [1, 2, 5])
def test_shares_down_a_sheet(count, bones):
    """Rows sum to 1, the body has the beginning, the last bone of a column the end of its middle."""
    across, along = (g.ravel() for g in np.meshgrid(np.linspace(0, 1, 13), np.linspace(0, 1.1, 23)))
    shares = shares_along(np.tile(along[:, None], count), columns_of(across, count), bones)
    assert shares.shape == (len(along), 1 + count * bones) and (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(1), 1, atol=1e-12)
    assert (shares[along == 0, 0] == 1).all() and (shares[along > 1, 0] == 0).all()
    np.testing.assert_allclose(shares[along > 1][:, bones::bones].sum(1), 1, atol=1e-12)


@pytest.mark.parametrize("held", [True, False])
def test_a_stiff_thing_has_a_bone_from_where_it_is_held_to_its_far_end(held):
    """From the middle of the hand; otherwise from where it touches the body."""
    body = rig_from_joints(BIPED, BIPED.positions)
    hand = body.names.index("hand.L")
    middle = (body.heads[hand] + body.tails[hand]) / 2
    along = np.linspace(0, 0.5, 51)
    points = middle + [0.02, 0, 0] + along[:, None] * [0.0, -1.0, 0.0]
    piece = SimpleNamespace(points=points, fast=along < 0.055, areas=np.ones(51), hands={"hand.L": 0.02 if held else 9},
                            middle=points.mean(0), spread=np.array([0.2, 0.01, 0.01]), rows=np.arange(51))
    thing = _prop(body, piece, "hand.L")
    start = middle if held else points[:6].mean(0)
    assert (thing.name, thing.parent, thing.bones) == ("prop_hand.L", "hand.L", ("prop_hand.L",))
    np.testing.assert_allclose(thing.heads, [start])
    np.testing.assert_allclose(thing.tails, [points[-1]])
    np.testing.assert_array_equal(thing.shares, np.tile([0.0, 1.0], (51, 1)))
