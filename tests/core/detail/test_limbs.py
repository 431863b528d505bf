"""Limbs that a skeleton does not know get chains; clothes, hair and what is held get none."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from core.detail.grow import DetailOptions, Grower, may_pin
from core.fitting.from_shape import shape_template
from core.geometry.segments import segment_distances
from core.pipeline import bind, prepare
from core.skeleton.preset import load_template
from tests.characters import gowned, many_armed, person

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


def test_the_body_alone_has_none_and_a_shape_knows_its_own():
    case = grown(0, 0.4)
    assert not [n for n in Grower(case.shape, BIPED, detail=DetailOptions("body")).rig().names if "limb" in n]
    template = shape_template(case.shape)
    assert may_pin(BIPED, "limb_9_1") and not may_pin(template, "limb_9_1")
    assert set(Grower(case.shape, template).rig().names) == {b.name for b in template.bones}
