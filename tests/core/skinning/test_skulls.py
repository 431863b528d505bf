"""A skull is the head's with all that grows on it: a neck that is bent from it ends a little short of their joint."""

from __future__ import annotations

import numpy as np
import pytest

from core.pipeline import bind
from core.skeleton.preset import load_template
from core.skeleton.template import rig_from_joints
from core.skinning import handles
from core.skinning.bind import BindOptions, bind_shape
from core.skinning.handles import _SHORT, skin_handles
from tests import characters
from tests.core.skinning.solids import bones, box, prepare

SHAPE = prepare(box((-1, -1, -1), (1, 1, 1)))
JOINT = np.array([0.0, 0.0, 0.2])


def neck_tail(monkeypatch, turn: float, *, neck: float = 0.8, head: int = 1, **options) -> np.ndarray:
    """(3,) where the handle of a neck along z ends, whose head is turned from it by so many degrees about x."""
    ahead = 0.5 * np.array([0, -np.sin(np.radians(turn)), np.cos(np.radians(turn))])
    rig = bones((JOINT - [0, 0, neck], JOINT), (JOINT, JOINT + ahead))
    monkeypatch.setattr(handles, "find_roles", lambda rig: {"head": head})
    found = skin_handles(SHAPE, rig, **options)
    return SHAPE.frame.to_object(found.tails[:1])[0]


@pytest.mark.parametrize("turn", [0, 30, 60, 90])
def test_a_neck_ends_the_shorter_the_more_the_head_is_bent_from_it(monkeypatch, turn):
    short = _SHORT * 0.8 * (1 - np.cos(np.radians(turn)))  # the joint lies 0.8 under the nearest side of the box
    np.testing.assert_allclose(neck_tail(monkeypatch, turn), JOINT - [0, 0, short], atol=0.01)
    np.testing.assert_allclose(neck_tail(monkeypatch, turn, as_drawn=True), JOINT, atol=1e-9)


def test_half_of_a_neck_is_left_and_other_bones_stay_whole(monkeypatch):
    np.testing.assert_allclose(neck_tail(monkeypatch, 150, neck=0.1), JOINT - [0, 0, 0.05], atol=1e-6)
    np.testing.assert_allclose(neck_tail(monkeypatch, 90, head=-1), JOINT, atol=1e-9)
    np.testing.assert_allclose(neck_tail(monkeypatch, 90, head=0), JOINT, atol=1e-9)


@pytest.mark.parametrize("method", ["heat", "geodesic", "heat_paper", "geodesic_paper"])
def test_bindings_as_published_take_necks_as_they_are_drawn(monkeypatch, method):
    rig, found = bones((JOINT - [0, 0, 0.8], JOINT), (JOINT, JOINT - [0, 0.5, 0])), []
    monkeypatch.setattr(handles, "find_roles", lambda rig: {"head": 1})
    for short in (0.0, _SHORT):
        monkeypatch.setattr(handles, "_SHORT", short)
        found.append(bind_shape(SHAPE, rig, method, BindOptions(resolution=32)).matrix.toarray())
    assert np.array_equal(*found) == method.endswith("paper")


@pytest.mark.parametrize("species", ["rabbit", "cow", "dog"])
def test_ears_and_horns_follow_the_head(species):
    """They follow the neck by 0.45 to 0.48 where it reaches to the joint."""
    animal, template = characters.quadruped(species=species), load_template("quadruped")
    rig = rig_from_joints(template, np.array([animal.joints[name] for name in template.names]))
    head, tip = animal.joints["head"], animal.joints["head_top"]
    ahead, points = (tip - head) / np.linalg.norm(tip - head), animal.mesh.vertices - head
    along = points @ ahead
    above = (points - along[:, None] * ahead) @ np.array([0, ahead[2], -ahead[1]])
    grown = (above > 0.14 * animal.height) & (np.abs(along) < np.linalg.norm(tip - head))
    weights = bind(animal.mesh, rig).matrix[:, [rig.names.index("head")]].toarray()[grown]
    assert len(weights) > 10
    assert 1 - weights.mean() < 0.3
