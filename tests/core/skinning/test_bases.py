"""A base is stiff: it follows its own bone or the body's first, and no skin of the figure follows it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from core.detail.grow import DetailOptions
from core.fitting.check import check_character
from core.geometry.mesh import Mesh
from core.geometry.shape import Shape
from core.pipeline import auto_rig, bind, fit, prepare
from core.seeing.stance import UPRIGHT, detect_stance
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skinning.bases import bones_within
from core.skinning.bind import METHODS
from tests.characters import BASES, on_base, person


@cache
def rigged(level: str = "hands", without: tuple[str, ...] = ()) -> tuple[Mesh, Shape, Rig]:
    mesh = on_base(vertices=3000).mesh
    shape = prepare(mesh, stance=UPRIGHT)
    return mesh, shape, fit(mesh, load_template("biped"), shape=shape, detail=DetailOptions(level, without=without))


@pytest.mark.long
def test_a_base_has_a_bone_on_a_root_and_the_figure_is_told_to_stand_on_it():
    _, shape, rig = rigged()
    base, root = rig.names.index("base"), rig.names.index("root")
    assert rig.parents[base] == root
    assert rig.deform[base] and not rig.deform[root]
    low, high = shape.base.box
    ends = shape.frame.to_unit(np.array([rig.heads[base], rig.tails[base]]))
    np.testing.assert_allclose(ends[:, 2], [low[2], high[2]], atol=1e-9)
    assert any("stands on a base" in warning for warning in rig.warnings)
    assert any("stands on a base" in warning for warning in check_character(shape).warnings)
    assert "base" in rig.things
    assert check_character(shape).preset == "biped"


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("method", METHODS)
def test_a_base_follows_its_bone_alone_and_the_figure_never(method):
    mesh, shape, rig = rigged()
    weights = bind(mesh, rig, method, shape=shape).matrix
    base = np.zeros(len(mesh.vertices))
    base[shape.base.rows] = 1.0
    np.testing.assert_array_equal(weights[:, [rig.names.index("base")]].toarray().ravel(), base)
    np.testing.assert_allclose(np.asarray(weights.sum(1)).ravel(), 1.0)
    soles = (mesh.vertices[:, 2] > 0.04) & (mesh.vertices[:, 2] < 0.06)
    feet = [rig.names.index(f"{bone}.{side}") for bone in ("foot", "toe", "shin") for side in "LR"]
    assert np.asarray(weights[soles][:, feet].sum(1)).min() > 0.9


@pytest.mark.long
def test_without_its_bone_a_base_follows_the_first_bone_of_the_body():
    mesh, shape, rig = rigged(without=("base",))
    assert "base" not in rig.names and "root" not in rig.names
    weights = bind(mesh, rig, shape=shape).matrix
    assert (weights[shape.base.rows][:, [rig.names.index("hips")]].toarray() == 1.0).all()


@pytest.mark.long
def test_a_base_that_is_left_out_is_part_of_the_body():
    mesh = on_base(vertices=3000).mesh
    shape = prepare(mesh, stance=UPRIGHT, has_base=False)
    assert not len(shape.base.rows)
    rig, weights = auto_rig(mesh, load_template("biped"), stance=UPRIGHT, detail=DetailOptions(without=("base",)))
    assert "base" not in rig.names and "base" not in rig.things
    assert not any("stands on a base" in text for text in (*rig.warnings, *check_character(shape).warnings))
    foot = rig.names.index("foot.L")
    assert weights.matrix[mesh.vertices[:, 2] < -0.03][:, [foot]].toarray().max() > 0.5
    assert not detect_stance(mesh, has_base=False).has_base


def test_a_skeleton_with_a_bone_called_base_keeps_it_and_the_base_gets_another():
    mesh, shape, _ = rigged()
    template = load_template("biped")
    bones = tuple(replace(bone, name="base" if bone.name == "spine" else bone.name,
                          parent="base" if bone.parent == "spine" else bone.parent) for bone in template.bones)
    rig = fit(mesh, replace(template, bones=bones), shape=shape)
    weights = bind(mesh, rig, shape=shape).matrix
    assert rig.names.count("base") == 1
    assert (weights[shape.base.rows][:, [rig.names.index("base_2")]].toarray() == 1.0).all()
    spine = weights[:, [rig.names.index("base")]].toarray().ravel()
    assert spine.max() > 0.5 and not spine[shape.base.rows].any()


def test_a_base_follows_bones_of_an_artists_own_that_lie_in_it():
    mesh, shape, rig = rigged()
    own = replace(rig, names=tuple("stand" if name == "base" else name for name in rig.names))
    weights = bind(mesh, own, shape=shape).matrix
    assert (weights[shape.base.rows][:, [own.names.index("stand")]].toarray() == 1.0).all()


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("base", BASES)
def test_feet_on_a_base_are_no_bones_of_it_whatever_stands_up_from_it(base):
    mesh = on_base(base, vertices=3000).mesh
    shape = prepare(mesh, stance=UPRIGHT)
    rig = fit(mesh, load_template("biped"), shape=shape)
    assert [rig.names[b] for b in np.flatnonzero(bones_within(shape, rig))] == ["base"]


def test_joints_are_those_of_the_figure_without_its_base():
    bare = person(hair="short", asymmetry=0.0)
    _, _, rig = rigged()
    error = {name: np.linalg.norm(rig.joints[name] - place * 1.0 / bare.joints["head_top"][2])
             for name, place in bare.joints.items() if name in rig.joints}
    assert max(error.values()) < 0.06, error
