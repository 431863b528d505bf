"""A tail is drawn out to where its flesh ends, over the back too, and what has none is left alone."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from core.detail.grow import DetailOptions, Grower
from core.fitting import tail as tails
from core.fitting.check import check_character
from core.fitting.fit import Fitter
from core.fitting.flesh import RING, width_of
from core.fitting.missing import find_missing
from core.fitting.tail import ASIDE, BEHIND, CLINGS, LONG, NARROW, SURE, has_tail, tail_end
from core.fitting.verdict import weigh_kinds
from core.pipeline import prepare
from core.seeing.limb_census import count_limbs
from core.seeing.silhouette import slice_shape
from core.seeing.stance import UPRIGHT
from core.seeing.views import CELLS, Sight
from core.skeleton.preset import load_template
from tests import characters
from tests.characters import people, person
from tests.characters.animals import SPECIES, WILD
from tests.characters.implicit import strand
from tests.limits import turning_point

TAILED = load_template("biped_tail")
TREE = SimpleNamespace(names=("hips", "neck", "tail", "tail_tip", "thigh", "foot"), parents=(-1, 0, 0, 2, 0, 4))
PLACES = np.array([[0.5, 0.3, 0.5], [0.5, 0.3, 0.9], [0.5, 0.36, 0.48], [0.5, 0.4, 0.48], [0.5, 0.3, 0.4],
                   [0.5, 0.3, 0.05]])


def solid(*tail) -> Sight:
    """A trunk on a leg, and a tail of boxes, each between two corners."""
    held = np.zeros((CELLS,) * 3, bool)
    for low, high in (((0.42, 0.22, 0.4), (0.58, 0.38, 0.9)), ((0.46, 0.26, 0.02), (0.54, 0.34, 0.4)), *tail):
        held[tuple(slice(round(a * CELLS), round(b * CELLS)) for a, b in zip(low, high, strict=True))] = True
    return Sight(held, 1.0, np.zeros(3))


BACK, FRONT = ((0.48, 0.38, 0.46), (0.52, 0.8, 0.5)), ((0.48, 0.02, 0.46), (0.52, 0.22, 0.5))


def test_what_no_bone_reaches_behind_the_root_is_the_tails_end():
    end = tail_end(TREE, PLACES, solid(BACK))
    np.testing.assert_allclose(end, [0.5, 0.8, 0.48], atol=0.03)
    there = PLACES.copy()
    there[3] = end
    assert tail_end(TREE, there, solid(BACK)) is None, "the tail's bones reach it"


@pytest.mark.parametrize("tail", [FRONT, ((0.48, 0.38, 0.46), (0.52, 0.5, 0.5)),
                                  ((0.48, 0.34, 0.02), (0.52, 0.8, 0.1))], ids=["in front", "short", "on the leg"])
def test_bellies_stumps_and_what_grows_out_of_a_limb_are_no_tails(tail):
    assert tail_end(TREE, PLACES, solid(tail)) is None


def test_a_tail_that_curls_over_the_back_ends_before_its_root():
    up, over = ((0.48, 0.6, 0.5), (0.52, 0.64, 0.97)), ((0.48, 0.1, 0.94), (0.52, 0.64, 0.97))
    end = tail_end(TREE, PLACES, solid(((0.48, 0.38, 0.46), (0.52, 0.64, 0.5)), up, over))
    np.testing.assert_allclose(end, [0.5, 0.1, 0.95], atol=0.03)


@pytest.mark.long
def test_a_rump_far_from_all_bones_is_no_tail():
    rng = np.random.default_rng(1300133)
    horse = characters.quadruped(rng, species=str(rng.choice(sorted(SPECIES | WILD))))
    rig = Fitter(prepare(horse.mesh, stance=UPRIGHT), load_template("quadruped")).rig()
    away = np.linalg.norm(rig.joints["tail_tip"] - horse.joints["tail_tip"])
    assert away < 0.03 * np.ptp(horse.mesh.vertices, axis=0).max(), "0.15 if flesh that clings to other flesh counts"


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("seed", range(3))
def test_a_dogs_tail_that_curls_is_followed_to_its_tip(seed):
    rng = np.random.default_rng(seed)
    dog = characters.quadruped(species="dog", tail=rng.uniform(0.6, 0.85), tail_angle=rng.uniform(40, 55),
                               tail_curl=rng.uniform(160, 185))
    rig = Fitter(prepare(dog.mesh, stance=UPRIGHT), load_template("quadruped")).rig()
    away = np.linalg.norm(rig.joints["tail_tip"] - dog.joints["tail_tip"]) / np.ptp(dog.mesh.vertices, axis=0).max()
    assert away < 0.03, "0.11 to 0.25 where the network alone says it"


def swung(joints, o, u, thinnest):
    s = np.linspace(0, 1, 9)
    way = np.stack([0.3 * s**2, 0.06 * u + 0.4 * s, -0.03 * u - 0.1 * s], axis=1)
    return strand(joints["hips"] + way, np.maximum((0.03 - 0.014 * s) * u, thinnest))


def test_a_foot_that_lies_against_the_back_is_no_tail():
    bent = PLACES.copy()
    bent[TREE.names.index("foot")] = [0.5, 0.75, 0.48]
    assert tail_end(TREE, bent, solid(BACK)) is None and tail_end(TREE, PLACES, solid(BACK)) is not None


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("is_swung", [False, True])
def test_a_long_tail_has_the_bones_of_its_skeleton_and_no_others(monkeypatch, is_swung):
    """Also where it hangs to one side of a body whose sides are alike."""
    if is_swung:
        monkeypatch.setattr(people, "_tail", swung)
    body = person(tail=0.6, vertices=2500, pose=lambda joints: joints)
    shape = prepare(body.mesh, stance=UPRIGHT)
    rig = Grower(shape, TAILED, detail=DetailOptions("hands")).rig()
    furthest = body.mesh.vertices[body.mesh.vertices[:, 1].argmax()]
    assert np.linalg.norm(rig.joints["tail_tip"] - furthest) < 0.04 * body.height
    along = np.array([rig.joints[n] for n in ("tail_2", "tail_3")])
    assert (shape.body.sample(shape.frame.to_unit(along)) < 0).all()
    assert rig.confidence["tail_tip"] <= SURE and not [n for n in rig.names if n.startswith("limb")]


def told(monkeypatch, sight: Sight) -> bool:
    """Whether a body is told to have a tail whose joints are seen at PLACES."""
    seen = SimpleNamespace(names=TREE.names, places=PLACES, likeliest=np.arange(len(PLACES)), sight=sight)
    monkeypatch.setattr(tails, "look", lambda mesh, kind: seen)
    monkeypatch.setattr(tails, "load_tree", lambda kind: TREE)
    return has_tail(None)


def back(long: float, wide: float) -> tuple:
    """A tail behind the trunk, so far past its root and so wide."""
    return (0.5 - wide / 2, 0.38, 0.46), (0.5 + wide / 2, 0.36 + long, 0.5)


def test_a_long_and_narrow_thing_behind_the_hips_is_a_tail(monkeypatch):
    assert told(monkeypatch, solid(back(0.5, 0.05)))
    assert not told(monkeypatch, solid(FRONT)), "before the body"
    assert not told(monkeypatch, solid(back(0.5, 0.34))), "a sheet"
    assert not told(monkeypatch, solid(((0.48, 0.34, 0.02), (0.52, 0.8, 0.1)))), "on the leg"


@pytest.mark.long
def test_how_long_and_narrow_a_tail_is_at_least(monkeypatch):
    cell = 1 / CELLS
    long = turning_point(lambda long: told(monkeypatch, solid(back(long, 0.05))), 0.1, 0.5)
    assert LONG - 2 * cell < long < LONG + 3 * cell
    wide = turning_point(lambda wide: not told(monkeypatch, solid(back(0.5, wide))), 0.04, 0.4)
    assert wide == pytest.approx(NARROW * 0.5, abs=4 * cell)


def test_what_is_beside_the_middle_and_has_an_image_there_are_wings(monkeypatch):
    """A tail may hang to one side, and one in the middle is its own image."""
    aside = [((0.5 + a, 0.5, 0.46), (0.5 + b, 0.86, 0.5)) for a, b in ((0.1, 0.15), (-0.15, -0.1))]
    root = ((0.35, 0.38, 0.46), (0.65, 0.5, 0.5))
    assert told(monkeypatch, solid(root, aside[0]))
    assert not told(monkeypatch, solid(root, *aside))
    sheets = [((0.5 + a, 0.5, 0.4), (0.5 + a + 1 / CELLS, 0.86, 0.56)) for a in (0.12, -0.12)]
    assert told(monkeypatch, solid(root, sheets[0]))
    assert not told(monkeypatch, solid(root, *sheets)), "the image of a thin one lies a little beside"
    assert told(monkeypatch, solid(back(0.5, 2 * ASIDE - 0.02)))


def test_what_has_its_image_outside_of_the_cube_has_none_there():
    far = np.array([[0.5, 0.6, 0.5], [0.55, 0.6, 0.5]])
    assert tails._paired(far, 0.8, solid(BACK)) == tails._paired(far, 0.2, solid(BACK)) == 0.0


@pytest.mark.parametrize("sides", [(1, 1), (5, 4), (2, 9)])
def test_a_tail_is_as_wide_as_its_rings_are_across(sides):
    layer = np.argwhere(np.ones((sides[0], 1, sides[1])))
    voxels = np.concatenate([layer + [30, y, 30] for y in range(40)])
    wide = width_of((voxels + 0.5) / CELLS, (voxels[:, 1] + 0.5) * RING)  # one layer to a ring
    assert wide == pytest.approx(np.linalg.norm([*sides, 1]) / CELLS)


@pytest.mark.long
def test_what_clings_to_other_flesh_must_be_longer(monkeypatch):
    least = {}
    for share in (0.0, 1.0):
        monkeypatch.setattr(tails, "_clinging", lambda flesh, counts, sight, share=share: share)
        least[share] = turning_point(lambda long: told(monkeypatch, solid(back(long, 0.05))), 0.1, 0.6)
    assert least[1.0] - least[0.0] == pytest.approx(CLINGS, abs=1.5 / CELLS)


def test_a_tail_clings_where_other_flesh_is_beside_it():
    sight = solid(back(0.4, 0.05))
    voxels = np.argwhere(sight.solid)
    behind = voxels[:, 1] > 0.5 * CELLS
    flesh = tails._Flesh((voxels + 0.5) / CELLS, np.zeros(len(voxels)), behind, behind)
    assert tails._clinging(flesh, voxels[:, 1] > 0.5 * CELLS + 1, sight) == 0
    first = voxels[behind, 1] == voxels[behind, 1].min()
    assert tails._clinging(flesh, behind, sight) == pytest.approx(first.mean())


def test_the_body_s_own_size_is_the_measure(monkeypatch):
    """The cube is as large as the whole body with all it holds: in a small one a tail is as short."""
    sight = solid(back(0.34, 0.05))
    assert told(monkeypatch, sight) and not told(monkeypatch, replace(sight, scale=2.0))


def test_ways_are_not_measured_in_bodies_that_are_not_deep(monkeypatch):
    monkeypatch.setattr(tails, "ways_from", None)
    assert not told(monkeypatch, solid(((0.48, 0.38, 0.46), (0.52, 0.28 + BEHIND, 0.5))))


def hanging(joints, o, u, thinnest):
    """A tail that slopes down, which the network does not know."""
    s = np.linspace(0, 1, 12)
    way = np.stack([0 * s, 0.05 * u + 0.45 * s, -0.4 * s], axis=1)
    return strand(joints["hips"] + way, np.maximum((0.04 - 0.014 * s) * u, thinnest))


@pytest.mark.long
def test_a_person_with_a_tail_is_told_by_it_whatever_the_network_says(monkeypatch):
    monkeypatch.setattr(people, "_tail", hanging)
    shape = prepare(person(tail=0.6, vertices=2500, pose=lambda joints: joints).mesh, stance=UPRIGHT)
    census = count_limbs(slice_shape(shape))
    assert next(iter(weigh_kinds(shape.mesh, census, shape))) == "biped_tail"
    found = check_character(shape)
    assert found.preset == "biped_tail" and found.odds["biped_tail"] > 0.9 and not found.warnings
    lacks_arm = replace(find_missing(shape.mesh, load_template("biped")), joints=frozenset({"hand.L"}))
    with monkeypatch.context() as patch:
        patch.setattr("core.fitting.verdict.find_missing", lambda *_: lacks_arm)
        assert next(iter(weigh_kinds(shape.mesh, census, shape))) == "biped", "its preset knows no missing arm"
    monkeypatch.setattr("core.fitting.verdict.has_tail", lambda mesh: False)
    assert next(iter(weigh_kinds(shape.mesh, census, shape))) == "biped"


def test_a_tail_whose_flesh_is_there_is_not_missing(monkeypatch):
    mesh = prepare(person(vertices=2500).mesh, stance=UPRIGHT).mesh
    monkeypatch.setattr("core.fitting.missing._lost_tail", lambda *_: {"tail", "tail_tip"})
    assert {"tail", "tail_tip"} <= find_missing(mesh, TAILED).joints
    monkeypatch.setattr("core.fitting.missing.has_tail", lambda mesh: True)
    assert not find_missing(mesh, TAILED).joints


@pytest.mark.long
def test_people_in_capes_have_no_tail():
    for things in (("cape",), ()):
        shape = prepare(characters.dressed(*things).mesh, stance=UPRIGHT)
        assert not has_tail(shape.mesh) and check_character(shape).preset == "biped"


@pytest.mark.long
def test_pins_say_where_a_tail_ends_and_those_elsewhere_change_nothing_of_it():
    fitter = Fitter(prepare(person(tail=0.6, vertices=2500).mesh, stance=UPRIGHT), TAILED)
    rig = fitter.rig()
    middle = np.array(rig.joints["tail_2"])
    np.testing.assert_allclose(fitter.rig({"tail_tip": middle}).joints["tail_tip"], middle)
    pinned = fitter.rig({"hand.L": np.add(rig.joints["hand.L"], [0.01, 0, 0])})
    np.testing.assert_allclose(pinned.joints["tail_tip"], rig.joints["tail_tip"], atol=1e-6)
