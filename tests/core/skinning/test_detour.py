"""Arms that hang against the body: the flank stays when they rise."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.normals import vertex_normals
from core.skeleton.preset import load_template
from core.skeleton.template import rig_from_joints
from core.skinning import detour, heat
from core.skinning.bind import bind_shape
from core.skinning.detour import _way_along_bones, stray_contacts
from core.skinning.handles import Handles, skin_handles
from tests.characters import PersonOptions, people, person
from tests.core.skinning.solids import prepare

STOUT = {"limb": 1.35, "shoulders": 0.95, "belly": 0.6}


def stout(arm_angle: float):
    """A stout person, prepared, on true joints; which vertices are trunk or leg below the shoulder, which are arm."""
    options = PersonOptions(arm_angle=arm_angle, **STOUT)
    character, template = person(vertices=1500, arm_angle=arm_angle, **STOUT), load_template("biped")
    rig = rig_from_joints(template, np.array([character.joints[n] for n in template.names]))
    joints, points = people.person_joints(options), character.mesh.vertices / options.height
    unit = people.unit_of(joints)
    sides = [(people.arm(joints, *side, options, unit, 0.0), people.leg(joints, *side, options, unit, 0.0))
             for side in people.SIDES]
    arm = np.min([a.distance(points) for a, _ in sides], axis=0)
    trunk = people.torso(joints, options, unit).distance(points)
    rest = np.min([trunk, *(leg.distance(points) for _, leg in sides)], axis=0)
    low = points[:, 2] < joints["upper_arm.L"][2] - 0.07 * unit
    return prepare(character.mesh), rig, low & (rest < arm), low & (arm < rest - 0.01)


def arm_share(shape, rig) -> np.ndarray:
    """(V,) weight of both arms."""
    arms = [i for i, name in enumerate(rig.names) if name.split(".")[0] in ("upper_arm", "forearm", "hand")]
    return bind_shape(shape, rig, "heat").matrix.toarray()[:, arms].sum(1)


@pytest.mark.slow
def test_flanks_stay_when_hanging_arms_rise(monkeypatch):
    shape, rig, flank, arm = stout(84)
    monkeypatch.setattr(detour, "_LEAN", 1.0)
    after = arm_share(shape, rig)
    monkeypatch.setattr(heat, "STRONGER", 0.0)
    before = arm_share(shape, rig)
    assert after[flank].mean() < 0.65 * before[flank].mean()
    assert after[arm].mean() > before[arm].mean() - 1e-3, "what the flank loses, the arm does not"


@pytest.mark.slow
def test_flanks_lose_far_more_of_hanging_arms_weight_than_arms_do(monkeypatch):
    shape, rig, flank, arm = stout(84)
    after = arm_share(shape, rig)
    monkeypatch.setattr(detour, "_LEAN", 1.0)
    lost = arm_share(shape, rig) - after
    assert lost[flank].sum() > 0.4 * (after + lost)[flank].sum()
    assert lost[arm].sum() < 0.3 * lost[flank].sum()


def test_outstretched_arms_touch_nothing():
    shape, rig, _, _ = stout(0)
    vertices, handles = shape.mesh.vertices, skin_handles(shape, rig)
    distance, where, reach = handles.nearest(vertices, vertex_normals(shape.mesh))
    order = np.argsort(reach, axis=1, kind="stable")[:, :10]
    assert not stray_contacts(handles, shape.field, vertices, order, distance, where, reach).any()


@pytest.mark.parametrize(("out", "up", "bone"), [(0.07, -0.5, "spine"), (0.09, -0.5, "arm"), (0.07, -0.02, "arm")],
                         ids=["a little nearer to the arm", "clearly nearer", "below the shoulder"])
def test_skin_that_is_hardly_nearer_to_an_arm_beside_the_body_is_the_bodys(out, up, bone, monkeypatch):
    monkeypatch.setattr(heat, "visibility", lambda field, starts, ends: np.ones(len(starts)))
    monkeypatch.setattr(detour, "visibility", lambda field, starts, ends: np.ones(len(starts)))
    handles = Handles(np.arange(3), np.arange(3), [(0, 0, -1.0), (0, 0, 0), (0.13, 0, 0)],
                      [(0, 0, 0), (0.13, 0, 0), (0.13, 0, -0.7)], parent=[-1, 0, 1], limb=[0, -1, 1])
    point, normal = np.array([[out, 0, up]]), np.array([[0.0, 1, 0]])
    barred = np.array([[False, True, False]])  # the shoulder is out of it
    targets = heat.heat_sources(point, normal, None, handles, barred).targets
    assert ("spine", "shoulder", "arm")[targets[0].argmax()] == bone


def test_the_way_from_arm_to_spine_goes_over_the_shoulder():
    """Bones by hand: spine, chest in two segments, a shoulder beside it, a hanging arm, a rib without parent."""
    heads = [(0, 0, 0), (0, 0, 0.3), (0, 0, 0.3), (0.05, 0, 0.5), (0.25, 0, 0.5), (0.1, 0, 0.1)]
    tails = [(0, 0, 0.3), (0, 0, 0.4), (0, 0, 0.6), (0.25, 0, 0.5), (0.25, 0, 0.1), (0.2, 0, 0.1)]
    handles = Handles(np.arange(5), [0, 1, 1, 2, 3, 4], heads, tails, parent=[-1, 0, 1, 2, -1], limb=[0, 0, -1, 1, 0])
    way = lambda a, at, b, to: float(_way_along_bones(  # noqa: E731 - one line, used at once
        handles, np.array([a]), np.array([at]), np.array([b]), np.array([to]))[0])
    up_the_arm, shoulder, gap = 0.2, 0.2, 0.05
    assert way(4, 0.5, 0, 0.5) == pytest.approx(up_the_arm + shoulder + gap + 0.2 + 0.15)
    assert way(4, 0.0, 3, 1.0) == pytest.approx(0.0, abs=1e-6)
    assert way(4, 0.0, 2, 1.0) == pytest.approx(shoulder + gap + 0.1)
    assert way(5, 1.0, 0, 0.0) == pytest.approx(0.1 + 0.1 + 0.1), "a bone without parent hangs on the nearest one"
