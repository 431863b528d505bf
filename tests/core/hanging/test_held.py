"""What a hand holds in one surface with it moves with the hand, and is no limb."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from core.detail.grow import DetailOptions
from core.hanging.held import held_in_hands
from core.pipeline import bind, fit, prepare
from core.seeing.stance import UPRIGHT
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skinning.bind import BindOptions
from core.skinning.things import hold
from tests.characters import Character, person
from tests.characters.melted import holding, robed

BIPED = load_template("biped")
SWORD = {"end": (0, -0.5, 0.15), "arm_angle": 50.0}


def rigged(make, **how) -> SimpleNamespace:
    return _rigged(make, tuple(how.items()))


@cache
def _rigged(make, how: tuple) -> SimpleNamespace:
    character: Character = make(**dict(how))
    shape = prepare(character.mesh, stance=UPRIGHT)
    rig = fit(character.mesh, BIPED, shape=shape, detail=DetailOptions("hands"))
    unit = rig.only(rig.names)
    object.__setattr__(unit, "heads", shape.frame.to_unit(rig.heads))
    object.__setattr__(unit, "tails", shape.frame.to_unit(rig.tails))
    return SimpleNamespace(character=character, shape=shape, rig=rig, held=held_in_hands(shape, unit))


def sword() -> SimpleNamespace:
    return rigged(holding, **SWORD)


def along_the_rod(case) -> np.ndarray:
    """(V,) how far out on the rod each vertex is, in its lengths; less than 0 on the body."""
    joints = case.character.joints
    grip = (joints["hand.R"] + joints["hand_tip.R"]) / 2
    way = np.array(SWORD["end"]) * (joints["head_top"][2] - joints["toe.R"][2])
    off = case.character.mesh.vertices - grip
    along = off @ way / (way @ way)
    near = np.linalg.norm(off - along[:, None] * way, axis=1) < 0.04
    return np.where(near, along, -1.0)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("method", ["heat", "geodesic"])
def test_a_sword_follows_the_hand_from_the_guard_to_the_point(method):
    case = sword()
    weights = bind(case.character.mesh, case.rig, method, shape=case.shape).matrix.toarray()
    on_rod = along_the_rod(case) > 0.35
    assert on_rod.sum() > 50
    np.testing.assert_allclose(weights[on_rod][:, case.rig.names.index("hand.R")], 1.0)
    np.testing.assert_allclose(weights.sum(1), 1.0)


@pytest.mark.long
def test_skin_off_the_sword_keeps_its_weights_and_the_hand_takes_over_little_by_little():
    case = sword()
    hips, hand = (case.rig.names.index(name) for name in ("hips", "hand.R"))
    count = len(case.character.mesh.vertices)
    plain = csr_matrix((np.ones(count), (np.arange(count), np.full(count, hips))), (count, len(case.rig.names)))
    held = hold(case.shape, case.rig, plain, 4, 0.0).toarray()
    along = along_the_rod(case)
    np.testing.assert_array_equal(held[along < 0.05, hips], 1.0)
    np.testing.assert_allclose(held[:, hips] + held[:, hand], 1.0)
    between = (held[:, hand] > 0.1) & (held[:, hand] < 0.9)
    assert between.sum() > 10 and np.ptp(along[between]) < 0.15


@pytest.mark.long
@pytest.mark.parametrize("influences", [1, 2])
def test_a_vertex_between_hand_and_sword_follows_no_more_bones_than_asked_for(influences):
    case = sword()
    weights = bind(case.character.mesh, case.rig, shape=case.shape, options=BindOptions(influences=influences)).matrix
    assert weights.getnnz(1).max() == influences
    even = csr_matrix(np.full(weights.shape, 1 / weights.shape[1]))
    held = hold(case.shape, case.rig, even, influences, 0.0)
    between = np.flatnonzero(np.abs(held - even).sum(1) > 1e-6)
    assert len(between) and held[between].getnnz(1).max() <= influences
    np.testing.assert_allclose(np.asarray(held[between].sum(1)), 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("how", [{"end": (0, -0.5, 0.15), "arm_angle": 80.0},
                                 {"end": (0, -0.1, 0.55), "arm_angle": 30.0}])
def test_a_sword_in_line_with_the_arm_or_beside_it_is_no_limb(how):
    case = rigged(holding, **how)
    assert not [name for name in case.rig.names if name.startswith("limb")]
    assert not any("limbs that the skeleton does not know" in warning for warning in case.rig.warnings)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("make", "how"), [
    (person, {"vertices": 3000}), (robed, {}), (holding, {"end": (0, -0.04, 0.0), "radius": 0.02}),
    (holding, {"end": (0.0, 0.4, -0.2), "arm_angle": 8.0, "radius": 0.1})])
def test_hands_sleeves_and_what_reaches_the_legs_too_are_not_held(make, how):
    assert not rigged(make, **how).held


def test_hands_far_from_all_flesh_hold_nothing():
    far = Rig(("hand.L", "hand.R"), (-1, 0), [[5.0, 0, 0], [6.0, 0, 0]], [[5.1, 0, 0], [6.1, 0, 0]])
    assert held_in_hands(sword().shape, far) == []
