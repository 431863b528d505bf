"""Limbs that a skeleton does not know get chains; clothes, hair and what is held get none."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from core.detail import limbs
from core.detail.grow import LOW_BASE, DetailOptions, Grower, may_pin
from core.fitting.from_shape import shape_template
from core.fitting.outline import Line
from core.geometry.base import Base
from core.geometry.grid import Grid
from core.geometry.segments import segment_distances
from core.pipeline import bind, prepare
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skeleton.template import rig_from_joints
from tests.characters import gowned, many_armed, person, quadruped

BIPED = load_template("biped")


@cache
def grown(pairs: int = 0, tentacle: float = 0.0) -> SimpleNamespace:
    character = many_armed(pairs=pairs, tentacle=tentacle)
    shape = prepare(character.mesh)
    grower = Grower(shape, BIPED, detail=DetailOptions("hands"))
    return SimpleNamespace(character=character, shape=shape, grower=grower, rig=grower.rig())


@pytest.mark.slow
@pytest.mark.parametrize(("pairs", "tentacle", "names"), [
    (1, 0.0, {"limb_1.L", "limb_1.R"}), (-1, 0.0, {"limb_1.L"}), (0, 0.4, {"limb_1"})])
def test_what_no_bone_runs_through_gets_a_chain(pairs, tentacle, names):
    case = grown(pairs, tentacle)
    rig, limbs = case.rig, [c for c in case.rig.chains if c.name.startswith("limb")]
    assert {c.name for c in limbs} == names and all(c.parent in ("chest", "spine") for c in limbs)
    assert any("limbs that the skeleton does not know" in w for w in rig.warnings)
    truth = np.array([p for n, p in case.character.joints.items() if n.startswith("limb") and n[-1] != "0"])
    assert segment_distances(truth, rig.heads, rig.tails).min(1).max() < 0.03 * case.character.height
    for name, place in case.grower.fitter.rig().joints.items():
        np.testing.assert_array_equal(rig.joints[name], place)


@pytest.mark.slow
def test_its_skin_follows_it_and_the_chest_does_not():
    case = grown(0, 0.4)
    weights = bind(case.character.mesh, case.rig, shape=case.shape).matrix.toarray()
    own = [b for b, name in enumerate(case.rig.names) if name.startswith("limb")]
    tip = case.character.joints["limb_0_3"]
    near = np.linalg.norm(case.character.mesh.vertices - tip, axis=1) < 0.06
    assert near.any() and weights[near][:, own].sum(1).min() > 0.95
    assert weights[case.character.mesh.vertices[:, 2] < 0.5][:, own].max() == 0


@pytest.mark.long
def test_both_sides_mirror_and_a_pin_holds_for_both():
    case = grown(1)
    place = np.add(case.rig.joints["limb_1_2.L"], [0, -0.02, 0.01])
    pinned = case.grower.rig({"limb_1_2.L": place})
    x = case.shape.frame.to_object(np.array([[case.grower.plane.x, 0, 0]]))[0, 0]
    for name in [n for n in pinned.joints if n.startswith("limb") and n.endswith(".L")]:
        image = np.array(pinned.joints[name]) * [-1, 1, 1] + [2 * x, 0, 0]
        np.testing.assert_allclose(pinned.joints[name[:-1] + "R"], image, atol=1e-6)
    np.testing.assert_allclose(pinned.joints["limb_1_2.L"], place)
    assert pinned.confidence["limb_1_2.L"] == 1
    assert pinned.joints["limb_1_tip.L"] == case.rig.joints["limb_1_tip.L"], "its end was seen where it is"


@pytest.mark.slow
@pytest.mark.parametrize("make", [lambda: person(vertices=2000, hair="long", skirt="knee"), gowned])
def test_hair_and_skirts_are_no_limbs(make):
    rig = Grower(prepare(make().mesh), BIPED, detail=DetailOptions("hands")).rig()
    assert not [n for n in rig.names if n.startswith("limb")]


@pytest.mark.long
def test_the_body_alone_has_none_and_a_shape_knows_its_own():
    case = grown(1)
    assert not [n for n in Grower(case.shape, BIPED, detail=DetailOptions("body")).rig().names if "limb" in n]
    template = shape_template(case.shape)
    assert may_pin(BIPED, "limb_9_1") and not may_pin(template, "limb_9_1")
    assert set(Grower(case.shape, template).rig().names) == {b.name for b in template.bones}


BONES = Rig(("spine", "arm.L", "hand.L"), (-1, 0, 1), [[0, 0, 0], [0, 0, 1], [0.5, 0, 1.0]],
            [[0, 0, 1], [0.5, 0, 1], [0.6, 0, 1.0]])


def line(base, end, *, part: str = "limb", parent: Line | None = None, **more) -> Line:
    return Line(part, "", np.linspace(base, end, 5), np.full(5, 0.03), parent, 4.0, **more)


@pytest.mark.parametrize(("base", "end", "how", "is_limb"), [
    ((0.1, 0, 0.5), (0.31, 0, 0.5), {}, True), ((0.1, 0, 0.5), (0.29, 0, 0.5), {}, False),
    ((0.1, 0, 0.5), (0.31, 0, 0.5), {"flat": 1.8}, False), ((0.1, 0, 0.5), (0.31, 0, 0.5), {"part": "tail"}, False),
    ((0.13, 0, 0.5), (0.13, 0, 0.1), {}, True), ((0.11, 0, 0.5), (0.11, 0, 0.1), {}, False),
    ((0.4, 0, 1.1), (0.4, 0, 1.5), {}, True), ((0.6, 0, 1.1), (0.6, 0, 1.5), {}, False)])
def test_what_is_long_and_round_and_far_from_bones_is_a_limb_unless_it_grows_out_of_an_end(base, end, how, is_limb,
                                                                                         monkeypatch):
    spine = line((0, 0, 0), (0, 0, 1), part="spine")
    seen = line(base, end, parent=spine, **how)
    monkeypatch.setattr(limbs, "seen_in", lambda shape: SimpleNamespace(lines=[spine, seen]))
    assert len(limbs._without_bones(None, BONES, [2], [2])) == is_limb


@pytest.mark.parametrize(("begins", "is_limb"), [((0.55, 0, 1.0), False), ((0.3, 0, 1.2), True)])
def test_a_staff_that_goes_from_a_hand_along_the_trunk_is_held(begins, is_limb, monkeypatch):
    spine = line((0, 0, 0), (0, 0, 1), part="spine")
    points = np.array([begins, (0.4, 0, 0.8), (0.05, 0, 0.5), *((0.05, -y, 0.5) for y in (0.2, 0.4, 0.6))])
    staff = Line("limb", "", points, np.full(6, 0.03), spine, 4.0)
    monkeypatch.setattr(limbs, "seen_in", lambda shape: SimpleNamespace(lines=[spine, staff]))
    assert len(limbs._without_bones(None, BONES, [2], [2])) == is_limb


def test_of_a_limb_that_forks_the_longest_way_counts(monkeypatch):
    spine = line((0, 0, 0), (0, 0, 1), part="spine")
    stem = line((0.1, 0, 0.5), (0.3, 0, 0.5), parent=spine, flat=1.0)
    short, long = (line((0.3, 0, 0.5), (0.3, y, 0.5), parent=stem, flat=1.6) for y in (0.3, -0.6))
    monkeypatch.setattr(limbs, "seen_in", lambda shape: SimpleNamespace(lines=[spine, stem, short, long]))
    found, = limbs._without_bones(None, BONES, [2], [2])
    np.testing.assert_array_equal(found.points, [*stem.points, *long.points])
    assert found.parent is spine and found.flat == pytest.approx((0.2 * 1.0 + 0.6 * 1.6) / 0.8)


@pytest.mark.parametrize(("reach", "wide", "ends", "has"), [(0.5, 1, [], True), (0.15, 1, [], False),
                                                            (0.5, 7, [], False), (0.5, 1, [0], False)])
def test_a_limbs_end_has_little_flesh_around_it_and_lies_far_from_bones(reach, wide, ends, has):
    grid = Grid(np.array([-0.275, -0.275, -0.025]), 0.05, (20, 11, 21))
    solid = np.zeros(grid.shape, bool)
    solid[5, 5] = True
    solid[5:6 + round(reach / 0.05), 6 - (wide + 1) // 2:5 + (wide + 1) // 2, 10 - wide // 2:11 + wide // 2] = True
    shape = SimpleNamespace(body=SimpleNamespace(grid=grid, solid=solid))
    assert limbs._has_far_end(shape, BONES, ends) == has


def test_limbs_are_numbered_from_front_to_back_pairs_as_one_and_hang_on_the_trunk_or_on_a_limb():
    spine = line((0, 0, 0), (0, 0, 1), part="spine")
    arm = line((0, 0, 1), (0.5, 0, 1), parent=spine)
    back = line((0, 0.1, 0.5), (0, 0.5, 0.5), parent=spine)
    left, right = (line((0.1 * s, -0.1, 0.9), (0.6 * s, -0.1, 0.9), parent=spine, tip=int(s)) for s in (1, -1))
    left.side, right.side, left.twin, right.twin = "L", "R", right, left
    forked = line((0.45, 0, 1.1), (0.45, 0, 1.6), parent=arm)
    shape = SimpleNamespace(frame=SimpleNamespace(to_object=lambda p: p, turn_to_object=lambda p: p))
    found = limbs._chains([back, right, forked, left], shape, BONES, [])
    assert [(one.name, one.parent) for one in found] == [
        ("limb_1.L", "spine"), ("limb_1.R", "spine"), ("limb_2", "arm.L"), ("limb_3", "spine")]
    assert found[0].joints[0] == "limb_1_1.L" and found[0].joints[-1] == "limb_1_tip.L"
    assert len(limbs._chains([forked], shape, BONES, [0])) == 1
    low, high = (line((0, y, z), (0, y - 0.5, z), parent=spine) for y, z in ((-0.1, 0.3), (-0.097, 0.8)))
    assert [one.places[0, 2] for one in limbs._chains([low, high], shape, BONES, [])] == pytest.approx([0.8, 0.3]), (
        "of two that grow out as far in front the upper one is the first")


@pytest.mark.parametrize(("aside", "is_free"), [(0.0, False), (0.1, True)])
def test_what_goes_on_where_a_tail_of_the_skeleton_ends_gets_no_bones(aside, is_free):
    """A pin may end the tail too soon; a second one begins elsewhere."""
    template = load_template("biped_tail")
    rig = rig_from_joints(template, template.positions)
    end = np.add(rig.joints["tail_tip"], [aside, 0, 0])
    chain = SimpleNamespace(places=np.linspace(end - [0, 0.02, 0], end + [0, 0.6, 0], 4))
    shape = SimpleNamespace(frame=SimpleNamespace(to_unit=np.asarray))
    assert limbs.without_bones([chain], shape, rig) == [chain] * is_free


@pytest.mark.slow
@pytest.mark.parametrize(("species", "has"), [("elephant", True), ("rhino", False), ("giraffe", False)])
def test_an_elephants_trunk_hangs_on_its_head(species, has):
    animal = quadruped(species=species)
    rig = Grower(prepare(animal.mesh), load_template("quadruped"), detail=DetailOptions("hands")).rig()
    trunk = [c for c in rig.chains if c.name.startswith("limb")]
    assert [c.parent for c in trunk] == ["head"] * has
    if has:  # it ends near the trunk's end, the lowest flesh before the legs
        ahead = animal.mesh.vertices[animal.mesh.vertices[:, 1] < animal.joints["head_top"][1]]
        assert np.linalg.norm(trunk[0].places[-1] - ahead[ahead[:, 2].argmin()]) < 0.1 * animal.height
        assert trunk[0].places[0][2] > trunk[0].places[-1][2]


@pytest.mark.parametrize(("end", "hangs"), [((0, -1.0, 0.55), True), ((0, -1.2, 1.0), False), ((0, -1.1, 1.5), False)])
def test_what_goes_on_past_a_head_is_a_trunk_if_it_hangs_down(end, hangs, monkeypatch):
    head = Rig(("head",), [-1], [[0, -0.6, 1.0]], [[0, -0.8, 1.0]])
    way = np.concatenate([np.linspace((0, -0.6, 1.0), (0, -0.8, 1.0), 20), np.linspace((0, -0.8, 1.0), end, 20)[1:]])
    spine = Line("spine", "", way, np.full(len(way), 0.05), 1.0, None)
    monkeypatch.setattr(limbs, "seen_in", lambda shape: SimpleNamespace(lines=[spine]))
    assert len(limbs._trunk(None, head, 0)) == int(hangs)


@pytest.mark.long
def test_the_bone_of_a_base_that_is_a_flat_sheet_stands_up():
    """A shelf's board may be one: a bone without a length ended the whole file."""
    shape = prepare(person(vertices=1200).mesh)
    flat = replace(shape, base=Base(np.arange(3), np.array([[-0.3, -0.2, 0.0], [0.3, -0.2, 0.0], [0.0, 0.3, 0.0]])))
    rig = Grower(flat, BIPED, detail=DetailOptions("body")).rig()
    base = rig.names.index("base")
    up = shape.frame.to_object(np.eye(3)[[2]] * LOW_BASE) - shape.frame.to_object(np.zeros((1, 3)))
    np.testing.assert_allclose(rig.tails[base] - rig.heads[base], up[0], atol=1e-9)
