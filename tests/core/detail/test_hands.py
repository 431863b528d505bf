"""Fingers are found as they were grown: how many, which, where, and which way they close."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from core.detail import hands
from core.detail.branches import branches, cut_rings
from core.detail.grow import DetailOptions, Grower, finger_counts, see_hands
from core.detail.hand_solid import MODELLED_ONCE, HandSolid, from_wrist, hand_surface, is_modelled_once
from core.detail.hands import Finger, Hand, _beginning, _direction, _stumps, find_fingers, read_hand
from core.errors import BadHint
from core.geometry.grid import Grid
from core.geometry.mesh import Mesh
from core.geometry.rotation import from_axis_angle, rotate
from core.geometry.shape import Shape
from core.pipeline import fit, prepare
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig, doubtful
from tests.characters import person
from tests.characters.character import merge
from tests.core.detail.people import rigged

BIPED = load_template("biped")
FIVE = ("thumb", "index", "middle", "ring", "pinky")


def fingers_of(rig: Rig, side: str) -> list[str]:
    return [c.name[:-2] for c in rig.chains if c.name.endswith(side)]


@pytest.mark.slow
@pytest.mark.parametrize(("digits", "fingers"), [
    (0, []), (2, ["thumb", "fingers"]), (3, ["thumb", "index", "middle"]),
    (4, ["thumb", "index", "middle", "pinky"]), (5, list(FIVE))])
def test_as_many_fingers_as_there_are(digits, fingers):
    rig = rigged(digits).rig
    assert fingers_of(rig, "L") == fingers_of(rig, "R") == fingers
    assert finger_counts(rig) == {"L": len(fingers), "R": len(fingers)} and not any("Hand" in w for w in rig.warnings)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"arm_angle": 0.0}, {"arm_angle": 75.0}, {"splay": 12.0}, {"height": 40.0}])
def test_joints_lie_where_they_were_grown(options):
    case = rigged(5, **options)
    for side in "LR":
        assert fingers_of(case.rig, side) == list(FIVE)
    errors = {n: np.linalg.norm(np.subtract(case.rig.joints[n], place)) / case.character.height
              for n, place in case.character.joints.items() if n.split("_")[0] in FIVE}
    assert len(errors) == 40 and np.mean(list(errors.values())) < 0.006 and max(errors.values()) < 0.02


def test_joints_lie_in_the_flesh(five):
    places = np.array([p for n, p in five.rig.joints.items() if n.split("_")[0] in FIVE and "tip" not in n])
    assert (five.shape.field.sample(five.shape.frame.to_unit(places)) < five.shape.field.grid.spacing).all()


@pytest.mark.sweep(1)
@pytest.mark.parametrize("options", [{}, {"arm_angle": 0.0}, {"arm_angle": 75.0}])
def test_a_positive_turn_about_x_closes_every_finger(options):
    """The palm of a hand whose thumb points forward looks down, or at the hip."""
    case = rigged(5, **options)
    rig = case.rig
    for side, sign in (("L", 1.0), ("R", -1.0)):
        wrist, tip = (np.array(rig.joints[f"{n}.{side}"]) for n in ("hand", "hand_tip"))
        palm = np.cross(tip - wrist, [0, -1, 0]) * sign
        palm /= np.linalg.norm(palm)
        for b, name in enumerate(rig.names):
            if name.endswith(side) and name.split("_")[0] in FIVE:
                bone = rig.tails[b] - rig.heads[b]
                moved = rotate(from_axis_angle(rig.x_axes[b], np.deg2rad(40)), bone) - bone
                assert moved @ palm > 0.3 * np.linalg.norm(moved), name


def test_both_hands_of_a_mirrored_body_mirror(five):
    x = five.shape.frame.to_object(np.array([[five.grower.plane.x, 0, 0]]))[0, 0]
    for name, place in five.rig.joints.items():
        if name.endswith(".L"):
            image = np.array(place) * [-1, 1, 1] + [2 * x, 0, 0]
            np.testing.assert_allclose(five.rig.joints[name[:-1] + "R"], image, atol=1e-9)


@pytest.mark.slow
def test_the_same_bits_twice(five):
    again = Grower(five.shape, BIPED, detail=DetailOptions("hands")).rig()
    assert again.names == five.rig.names and (again.heads == five.rig.heads).all()
    assert (again.tails == five.rig.tails).all() and (again.x_axes == five.rig.x_axes).all()


def test_the_body_keeps_its_bones_and_the_palm_ends_at_the_knuckles(five):
    body = Grower(five.shape, BIPED, detail=DetailOptions("body")).rig()
    count = len(body.names)
    assert five.rig.names[:count] == body.names and not body.chains
    np.testing.assert_array_equal(five.rig.heads[:count], body.heads)
    knuckles = np.mean([five.rig.joints[f"{f}_1.L"] for f in FIVE[1:]], axis=0)
    np.testing.assert_allclose(five.rig.tails[five.rig.names.index("hand.L")], knuckles)
    assert five.rig.joints["hand_tip.L"] == body.joints["hand_tip.L"]


def test_a_pinned_finger_joint_is_exact_and_takes_its_finger_and_partner_along(five):
    place = np.array(five.rig.joints["index_2.L"]) + [0.0, 0.0, 0.01]
    rig = five.grower.rig({"index_2.L": place})
    np.testing.assert_array_equal(rig.joints["index_2.L"], place)
    assert rig.confidence["index_2.L"] == 1.0
    moved = {n: np.linalg.norm(np.subtract(rig.joints[n], p)) for n, p in five.rig.joints.items()}
    assert moved["index_2.R"] == pytest.approx(0.01) and moved["index_3.L"] == pytest.approx(0.01)
    assert moved["index_1.L"] == moved["middle_2.L"] == moved["hand.L"] == 0.0
    bone = rig.names.index("index_2.L")
    np.testing.assert_array_equal(rig.heads[bone], place)
    np.testing.assert_array_equal(rig.tails[bone - 1], place)


def test_a_pin_that_is_no_place_is_refused(five):
    for place in ([np.nan, 0, 0], [1e9, 0, 0], [0, 0]):
        with pytest.raises(BadHint, match=r"index_2\.L"):
            five.grower.rig({"index_2.L": np.array(place)})


@pytest.mark.long
def test_hints_of_fingers_that_do_not_show_wait():
    case = rigged(0)
    assert case.grower.rig({"index_2.L": np.zeros(3)}).joints.keys() == case.rig.joints.keys()


def rod(start, end, width: float) -> Mesh:
    """A square rod between two places."""
    along = np.subtract(end, start) / np.linalg.norm(np.subtract(end, start))
    across = np.cross(along, [0.3, 0.5, 0.8])
    across /= np.linalg.norm(across)
    square = width / 2 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) @ [across, np.cross(along, across)]
    quads = np.array([[3, 2, 1, 0], [4, 5, 6, 7], *([i, (i + 1) % 4, 4 + (i + 1) % 4, 4 + i] for i in range(4))])
    return Mesh(np.concatenate([start + square, end + square]), np.concatenate([quads[:, :3], quads[:, [0, 2, 3]]]))


def holding(character, *rods) -> Shape:
    """The shape of a character with rods at its left hand's tip: (start, end, width), along the hand, to the front."""
    wrist, tip = (np.array(character.joints[n]) for n in ("hand.L", "hand_tip.L"))
    axes = np.array([(tip - wrist) / np.linalg.norm(tip - wrist), [0.0, -1.0, 0.0]])
    return prepare(merge([character.mesh, *(rod(tip + np.array(a) @ axes, tip + np.array(b) @ axes, w)
                                            for a, b, w in rods)]))


@pytest.mark.slow
def test_a_sword_is_no_finger():
    sword = ((-0.03, -0.1), (-0.03, 0.7), 0.025), ((-0.09, 0.1), (0.06, 0.1), 0.02)
    shape = holding(person(vertices=2000), *sword)
    assert finger_counts(Grower(shape, BIPED, detail=DetailOptions("hands")).rig()) == {"L": 0, "R": 0}


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("board", [((-0.6, -0.06), (0.6, -0.06), 0.06), ((-0.02, -0.6), (-0.02, 0.6), 0.02)],
                         ids=["beside the little finger", "across the fingertips"])
def test_what_passes_by_a_hand_hides_no_finger(five, board):
    """As a thigh, a skirt or a blade does."""
    body = five.grower.fitter.rig()
    shape = holding(five.character, board)
    hand = find_fingers(shape, body, "L")
    assert [f.name for f in hand.fingers] == list(FIVE)
    places = [p for f in hand.fingers for p in f.joints[:-1]]
    truth = [five.character.joints[f"{f}_{k}.L"] for f in FIVE for k in (1, 2, 3)]
    assert np.mean(np.linalg.norm(shape.frame.to_unit(np.array(truth)) - places, axis=1)) < 0.01


@pytest.mark.slow
def test_a_stub_on_the_hand_takes_no_fingers_place(five):
    stub = ((-0.12, -0.02), (-0.1, -0.09), 0.03)
    hand = find_fingers(holding(five.character, stub), five.grower.fitter.rig(), "L")
    assert [f.name for f in hand.fingers] == list(FIVE)


def test_a_doubtful_hand_gets_fingers_only_if_asked(five):
    body = five.grower.fitter.rig()
    unsure = replace(body, confidence=body.confidence | {"hand_tip.L": 0.0})
    assert doubtful(unsure) == ("hand_tip.L",)
    assert finger_counts(five.grower._grown(unsure, {})) == {"L": 0, "R": 5}
    asked = Grower(five.shape, BIPED, detail=DetailOptions("hands", 5))
    assert finger_counts(asked._grown(unsure, {})) == {"L": 5, "R": 5}


@pytest.mark.slow
def test_a_hand_without_fingers_is_told_if_the_other_has_some():
    halves = []
    for digits, sign in ((5, 1), (0, -1)):
        mesh = person(digits=digits, vertices=2000).mesh
        halves.append(Mesh(mesh.vertices, mesh.faces[sign * mesh.vertices[mesh.faces][..., 0].mean(1) > 0]))
    rig = Grower(prepare(merge(halves)), BIPED, detail=DetailOptions("hands")).rig()
    assert finger_counts(rig) == {"L": 5, "R": 0}
    assert any("Hand 'R' shows no fingers, the other one shows 5" in w for w in rig.warnings)


def comb(*lengths: int) -> tuple[np.ndarray, np.ndarray]:
    """A solid with four teeth as long as told, and where its ways begin."""
    solid = np.zeros((40, 44, 9), bool)
    solid[2:10, 2:42, 2:7] = True
    for tooth, length in enumerate(lengths):
        solid[10:10 + length, 4 + 10 * tooth:8 + 10 * tooth, 2:7] = True
    sources = np.zeros(solid.shape, bool)
    sources[2] = True
    return solid, sources


def comb_hand(x: float) -> HandSolid:
    """A hand that is such a comb, and begins so far from the wrist."""
    solid = comb(20, 26, 20, 20)[0]
    return HandSolid(np.zeros(3), np.eye(3), 1.0, Grid(np.array([x, -1.1, -0.2]), 0.05, solid.shape), solid)


def test_a_curled_finger_goes_on_into_the_palm_as_it_begins():
    curl = np.linspace(0, np.pi, 11)
    line = np.stack([np.sin(curl), 1 - np.cos(curl), 0 * curl], 1)
    np.testing.assert_allclose(_direction(line), np.array([1, 1, 0]) / np.sqrt(2), atol=1e-12)
    np.testing.assert_allclose(_direction(line[[0, 5]]), _direction(line), atol=1e-12)


def test_a_bump_of_one_ring_has_no_direction_and_is_no_finger():
    rings = cut_rings(*comb(2, 26, 1, 20), 0.05)
    assert min(len(b.rings) for b in branches(rings, lambda length, thickness: True)) == 1
    found = _stumps(comb_hand(-0.5), rings, 0.0)
    assert found and all(len(b.rings) > 1 for b in found)


def drawn_hand(voxels: int, thick: float, *fingers: tuple[float, float]) -> HandSolid:
    """A hand with a short thumb low beside its fingers, the wrist at 0 and the tip at 1.

    voxels : from wrist to tip;  thick : half a finger's thickness;  fingers : where across the hand, and where it ends
    """
    low, high = np.array([-0.5, -0.7, -0.35]), np.array([1.2, 1.1, 0.35])
    grid = Grid(low, 1 / voxels, tuple(np.ceil((high - low) * voxels).astype(int)))
    x, y, z = np.moveaxis(grid.centres(np.argwhere(np.ones(grid.shape))).reshape(*grid.shape, 3), 3, 0)
    solid = (np.hypot(y, z) < 0.25) & (x < 0.1) | (np.abs(x - 0.25) < 0.25) & (np.abs(y) < 0.5) & (np.abs(z) < 0.17)
    for middle, end in fingers:
        solid |= (x > 0.4) & (x < end) & (np.abs(y - middle) < thick) & (np.abs(z) < thick)
    solid |= (x > 0.05) & (np.abs(x - 0.2 - 0.1 * y) < 0.12) & (y > 0.3) & (y < 0.85) & (np.abs(z) < 0.11)
    return HandSolid(np.zeros(3), np.eye(3), 1.0, grid, solid)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("wrist", np.linspace(-0.15, 0.15, 13))
def test_the_fingers_of_a_hand_do_not_hang_on_where_exactly_its_wrist_is(wrist):
    glove = drawn_hand(24, 0.13, (-0.36, 0.85), (0.0, 1.0), (0.36, 0.88))
    hand = read_hand(from_wrist(glove, wrist), "L")
    assert [finger.name for finger in hand.fingers] == ["thumb", "index", "middle", "pinky"]


@pytest.mark.long
def test_fingers_that_lie_close_are_told_apart_by_a_second_look():
    close = (-0.36, 0.85), (-0.15, 0.95), (0.05, 1.0), (0.24, 0.9)
    coarse = drawn_hand(24, 0.09, *close)
    assert len(read_hand(coarse, "L").fingers) == 4
    assert len(read_hand(coarse, "L", finer=lambda: None).fingers) == 4
    seen = read_hand(coarse, "L", finer=lambda: drawn_hand(96, 0.09, *close))
    assert [finger.name for finger in seen.fingers] == list(FIVE)


def test_the_flesh_of_a_hand_stays_where_it_is_when_its_wrist_moves():
    hand, at = replace(comb_hand(-0.5), origin=np.array([0.2, 0.3, 0.1]), length=0.7), np.array([[3, 8, 4]])
    moved = from_wrist(hand, 0.1)
    np.testing.assert_allclose(moved.to_unit(moved.grid.centres(at)), hand.to_unit(hand.grid.centres(at)), atol=1e-12)
    np.testing.assert_allclose(moved.origin, hand.to_unit(np.array([0.1, 0.0, 0.0])), atol=1e-12)
    np.testing.assert_allclose(moved.to_unit([1.0, 0.0, 0.0]), hand.to_unit([1.0, 0.0, 0.0]), atol=1e-12)


def test_what_lies_behind_the_wrist_is_no_finger():
    rings = cut_rings(*comb(20, 26, 20, 20), 0.05)
    assert len(_stumps(comb_hand(-0.5), rings, 0.0)) == 4
    assert not _stumps(comb_hand(-2.5), rings, 0.0)


@pytest.mark.parametrize(("first", "late"), [(-0.6, 0.0), (-0.1, 0.2), (0.2, 0.5), (0.35, 0.0)])
def test_ways_begin_in_the_forearm_or_where_a_hand_without_one_does_unless_that_is_too_late(first, late):
    grid = Grid(np.array([-0.65, -0.55, -0.55]), 0.1, (18, 11, 11))
    solid = np.zeros(grid.shape, bool)
    solid[round((first + 0.6) / 0.1):, 5, 5] = True
    solid[:, 0, 0] = True  # a thing beside the arm, farther from its middle than ways begin
    sources, start = _beginning(HandSolid(np.zeros(3), np.eye(3), 1.0, grid, solid))
    assert start == pytest.approx(late) and np.flatnonzero(sources.any((1, 2))) == round((late + 0.3) / 0.1)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("count", [0, 2, 4, 5])
def test_a_count_is_obeyed(five, count):
    hand = find_fingers(five.shape, five.rig, "L", count=count)
    assert len(hand.fingers) == count


@pytest.mark.long
def test_fingers_that_are_missing_are_named():
    case = rigged(3)
    rig = Grower(case.shape, BIPED, detail=DetailOptions("hands", 5)).rig()
    assert any("Hand 'L' shows" in w for w in rig.warnings) == (finger_counts(rig)["L"] < 5)


@pytest.mark.slow
def test_the_pipeline_asks_for_hands_in_so_many_words(five):
    mesh = five.character.mesh
    assert not fit(mesh, BIPED, shape=five.shape).chains
    assert fit(mesh, BIPED, shape=five.shape, detail=DetailOptions("hands")).names == five.rig.names
    with pytest.raises(ValueError, match="level"):
        DetailOptions("fingers")


def test_branches_of_a_comb_are_its_teeth():
    """Ways run along the back and into the teeth; a stump shorter than asked for is none."""
    solid, sources = comb(20, 26, 14, 4)
    rings = cut_rings(solid, sources, 1.0)
    found = branches(rings, lambda length, thickness: length >= 8)
    assert [tuple(b.tip[:2] // 10) for b in found] == [(3, 1), (2, 0), (2, 2)]
    assert [b.length for b in found] == pytest.approx([26, 20, 14], abs=3.5)
    assert cut_rings(solid, ~solid, 1.0) is None


@pytest.mark.parametrize(("left", "right", "shown"), [(3, 5, 5), (5, 3, 5), (4, 4, 4)])
def test_of_two_mirrored_hands_the_one_with_more_fingers_speaks_for_both(five, monkeypatch, left, right, shown):
    whole = Hand("L", (Finger("index", np.full((4, 3), 0.1), np.array([0.0, 0, 1])),) * 5)
    plane = five.grower.plane
    other = whole.mirrored(plane)
    found = {"L": replace(whole, fingers=whole.fingers[:left]), "R": replace(other, fingers=other.fingers[:right])}
    for name in ("hand_solid", "_are_alike"):
        monkeypatch.setattr(f"core.detail.grow.{name}", lambda *_: True)
    monkeypatch.setattr("core.detail.grow.is_modelled_once", lambda *_: False)
    monkeypatch.setattr("core.detail.grow.read_hand", lambda flesh, side, **_: found[side])
    seen = see_hands(five.shape, five.rig, ["L", "R"], plane, None)
    assert {side: len(hand.fingers) for side, hand in seen.items()} == {"L": shown, "R": shown}
    for mine, others in zip(seen["L"].fingers, seen["R"].fingers, strict=True):
        np.testing.assert_allclose(plane.reflect(mine.joints), others.joints, atol=1e-9)


@pytest.mark.parametrize(("moved", "once"), [(0.0, True), (0.5 * MODELLED_ONCE, True), (2 * MODELLED_ONCE, False)])
def test_hands_are_modelled_once_if_each_vertex_has_its_partner_in_the_mirror(five, moved, once):
    left, right = (hand_surface(five.shape, five.rig, side) for side in "LR")
    vertices = right.mesh.vertices.copy()
    furthest = int(vertices[:, 0].argmax())
    vertices[furthest, 0] += moved
    assert is_modelled_once(left, replace(right, mesh=Mesh(vertices, right.mesh.faces))) == once
    assert not is_modelled_once(left, replace(right, mesh=Mesh(vertices, right.mesh.faces[1:])))
    assert not is_modelled_once(left, None) and not is_modelled_once(None, right)


@pytest.mark.parametrize("once", [True, False])
def test_of_hands_that_are_modelled_once_one_is_read(five, monkeypatch, once):
    read = []
    monkeypatch.setattr("core.detail.grow.is_modelled_once", lambda *_: once)
    monkeypatch.setattr("core.detail.grow._are_alike", lambda *_: True)
    monkeypatch.setattr("core.detail.grow.read_hand", lambda flesh, side, **_: read.append(side) or Hand(side))
    see_hands(five.shape, five.rig, ["L", "R"], five.grower.plane, None)
    assert read == (["L"] if once else ["L", "R"])


def test_inside_the_palm_a_thumb_goes_on_as_it_begins(monkeypatch):
    away = np.linspace(0.4, 0.9, 6)
    line = [0.1, 0.2, 0.3] + np.outer(away, [0.6, 0.0, 0.8])
    monkeypatch.setattr(hands, "_middle_line", lambda *_: (away, line))
    hand = SimpleNamespace(to_unit=np.array, axes=np.eye(3))
    thumb = hands._finger(hand, None, SimpleNamespace(start=0.7, end=0.9 - hands.BEGIN), "thumb", np.eye(3)[2])
    at = np.array([*hands.THUMB, 1.0]) * 0.9
    assert (at < away[0]).any() and (at > away[0]).any()
    np.testing.assert_allclose(thumb.joints, [0.1, 0.2, 0.3] + np.outer(at, [0.6, 0.0, 0.8]), atol=1e-12)
