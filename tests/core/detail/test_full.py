"""What a full skeleton has besides hands, and that a body is fitted as without it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from core.detail.grow import DetailOptions
from core.geometry.mesh import Mesh
from core.pipeline import fit, prepare
from core.seeing.stance import detect_stance
from core.skeleton.preset import load_template
from core.skeleton.root import ROOT
from core.skeleton.twist import is_twist
from tests.characters import person

BIPED = load_template("biped")
MESH = person(vertices=2000).mesh
SHAPE = cache(lambda: prepare(MESH))


@pytest.mark.slow
def test_levels_have_what_they_say():
    names = {level: set(fit(MESH, BIPED, shape=SHAPE(), detail=DetailOptions(level)).names)
             for level in ("body", "hands", "full")}
    assert names["body"] <= names["hands"] <= names["full"]
    assert {n for n in names["full"] - names["hands"] if not is_twist(n)} == {ROOT}
    assert ROOT in fit(MESH, BIPED, shape=SHAPE(), detail=DetailOptions("body", root=True)).names


@pytest.mark.slow
def test_the_body_is_fitted_as_without():
    plain, full = (fit(MESH, BIPED, shape=SHAPE(), detail=DetailOptions(level)) for level in ("body", "full"))
    for name in plain.names:
        np.testing.assert_array_equal(full.heads[full.names.index(name)], plain.heads[plain.names.index(name)])
    assert full.joints.keys() >= plain.joints.keys() and not [n for n in full.joints if is_twist(n) or n == ROOT]
    assert (full.parents < np.arange(len(full.names))).all()


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("turn", [np.eye(3), [[1, 0, 0], [0, 0, 1], [0, -1, 0]], [[0, 0, 1], [1, 0, 0], [0, 1, 0]]])
def test_the_root_stands_on_the_ground_whichever_way_is_up(turn):
    """turn : the character's axes to the object's."""
    turn = np.array(turn, float)
    mesh = Mesh(MESH.vertices @ turn.T + [3.0, -2.0, 5.0], MESH.faces)
    shape = prepare(mesh, stance=detect_stance(mesh))
    rig = fit(mesh, BIPED, shape=shape, detail=DetailOptions("body", root=True))
    up = shape.frame.rotation[2]
    hips = rig.heads[rig.names.index("hips")]
    assert rig.names[0] == ROOT and not rig.deform[0] and (rig.parents[1:] >= 0).all()
    assert rig.heads[0] @ up == pytest.approx((mesh.vertices @ up).min(), abs=1e-6)
    np.testing.assert_allclose(np.cross(hips - rig.heads[0], up), 0, atol=1e-9)
    np.testing.assert_allclose(np.cross(rig.tails[0] - rig.heads[0], up), 0, atol=1e-9)


def test_a_template_with_a_root_of_its_own_keeps_that():
    bones = (replace(BIPED.bones[0], name=ROOT), *(replace(b, parent=ROOT if b.parent == "hips" else b.parent)
                                                  for b in BIPED.bones[1:]))
    rig = fit(MESH, replace(BIPED, bones=bones), shape=SHAPE(), detail=DetailOptions("body", root=True))
    assert rig.names.count(ROOT) == 1 and len(rig.names) == len(bones)


@pytest.mark.parametrize("wrong", [{"level": "all"}, {"twists": 4}, {"twists": -1}, {"fingers": 6}])
def test_options_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError):
        DetailOptions(**wrong)
