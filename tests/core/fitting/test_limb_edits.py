"""A limb added by a click on its tip, and one taken away: the rest keeps its names and places."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.errors import BadTemplate
from core.fitting.fit import Fitter
from core.fitting.from_shape import shape_template
from core.fitting.limb_edits import LimbEdit, edited
from core.geometry.mesh import Mesh
from core.geometry.ray import skin_along_ray
from core.geometry.shape import Shape
from tests import characters
from tests.core.fitting.bodies import prepared
from tests.shapes import ball


@cache
def spider() -> Shape:
    return prepared(characters.many_legged().mesh)


def place(template, joint: str) -> tuple[float, float, float]:
    return tuple(template.positions[template.index(joint)])


@pytest.mark.slow
def test_what_was_taken_away_comes_back_under_a_name_of_its_own():
    template = shape_template(spider(), what="spider")
    tip = place(template, "leg_2_tip.L")
    less = edited(template, spider(), [LimbEdit(False, tip)])
    assert set(template.names) - set(less.names) == {f"leg_2_{k}.{s}" for k in (1, 2, 3, 4, "tip") for s in "LR"}
    for name in less.names:
        assert place(less, name) == place(template, name)
    more = edited(template, spider(), [LimbEdit(False, tip), LimbEdit(True, tip)])
    new = [n for n in more.names if n not in less.names]
    assert {n.split("_")[0] for n in new} == {"limb"} and {n[-2:] for n in new} == {".L", ".R"}
    assert np.linalg.norm(np.array(place(more, "limb_1_tip.L")) - tip) < 0.02
    assert more.mirror[more.index("limb_1_1.L")] == more.index("limb_1_1.R")
    rig = Fitter(spider(), more).rig()
    inner = [more.index(n) for n in new if "tip" not in n]
    assert (spider().body.sample(more.positions[inner]) < spider().body.grid.spacing).all()
    assert (rig.parents < 0).sum() == 1


def test_one_side_alone_is_edited_where_that_is_wanted():
    template = shape_template(spider(), what="spider")
    tip = place(template, "leg_3_tip.R")
    less = edited(template, spider(), [LimbEdit(False, tip, is_both=False)])
    assert "leg_3_1.L" in less.names and "leg_3_1.R" not in less.names and less.mirror[less.index("leg_3_1.L")] == -1
    again = edited(less, spider(), [LimbEdit(True, tip, is_both=False)])
    assert "limb_1_1.R" in again.names and "limb_1_1.L" not in again.names


def test_the_trunk_stays():
    template = shape_template(spider(), what="spider")
    with pytest.raises(BadTemplate, match="no limb here"):
        edited(template, spider(), [LimbEdit(False, place(template, "abdomen_tip"))])


@pytest.mark.long
def test_a_limb_is_added_to_the_limb_it_grows_out_of():
    shape = prepared(characters.octopus().mesh)
    template = shape_template(shape)
    tip = place(template, "limb_2_tip.L")
    more = edited(edited(template, shape, [LimbEdit(False, tip)]), shape, [LimbEdit(True, tip)])
    stems = {n.rpartition("_")[0] for n in more.names if n.startswith("limb_")}
    assert "limb_2" not in stems and "limb_5" in stems
    for bone in more.bones:
        assert bone.parent is None or bone.parent in {b.name for b in more.bones}


def test_a_click_far_from_all_bones_takes_nothing():
    template = shape_template(spider(), what="spider")
    less = edited(template, spider(), [LimbEdit(False, tip := place(template, "leg_2_tip.L"))])
    with pytest.raises(BadTemplate, match="no limb here"):
        edited(less, spider(), [LimbEdit(False, tip)])


def test_a_limb_without_room_is_refused_in_the_artists_words():
    template = shape_template(spider(), what="spider")
    with pytest.raises(BadTemplate, match="no room"):
        edited(template, spider(), [LimbEdit(True, place(template, template.bones[0].head))])


@cache
def finned() -> Shape:
    """A body with a sheet on its left."""
    body = ball(0.5).mesh
    sheet = np.array([[0.15, -0.3, 0.0], [0.15, 0.3, 0.0], [0.8, 0.5, 0.05], [0.8, 0.3, 0.05]])
    return prepared(Mesh(np.vstack([body.vertices * [0.4, 1.6, 0.5], sheet]),
                         np.vstack([body.faces, np.array([[0, 1, 2], [0, 2, 3]]) + len(body.vertices)])))


def on_the_sheet(x: float, y: float) -> np.ndarray:
    above = finned().frame.to_unit(np.array([x, y, 3.0]))
    return skin_along_ray(finned().mesh, above, np.array([0.0, 0.0, -1.0]))


@pytest.mark.long
def test_a_limb_of_one_bone_is_one_and_what_is_nearer_to_a_joint_than_a_bone_is_long_is_none():
    template = shape_template(finned())
    more = edited(template, finned(), [LimbEdit(True, tuple(tip := on_the_sheet(0.4, 0.18)))])
    new = [n for n in more.names if n not in template.names]
    assert len(new) == 2 and np.linalg.norm(np.subtract(*(place(more, n) for n in new))) > 0.1
    np.testing.assert_allclose(place(more, new[-1]), tip, atol=1e-9)
    beside = np.array(place(template, "spine_4")) + [0.0, 0.013, 0.0]
    with pytest.raises(BadTemplate, match="no room"):
        edited(template, finned(), [LimbEdit(True, tuple(beside))])


def test_of_short_limbs_side_by_side_the_one_that_is_clicked_goes():
    template = shape_template(finned())
    for k in (1, 2):
        tip = np.array(place(template, f"limb_{k}_tip"))
        less = edited(template, finned(), [LimbEdit(False, tuple(tip))])
        assert set(template.names) - set(less.names) == {f"limb_{k}_1", f"limb_{k}_tip"}


def test_a_limb_reaches_the_place_that_is_clicked_on_a_sheet_without_an_inside():
    shape = finned()
    clicked = on_the_sheet(0.7, 0.37)
    template = shape_template(shape)
    more = edited(template, shape, [LimbEdit(True, tuple(clicked))])
    new = [n for n in more.names if n not in template.names]
    np.testing.assert_allclose(place(more, new[-1]), clicked, atol=1e-9)
    assert len(new) > 2 and all(n.endswith(".L") for n in new), "it has several joints, and no image without a sheet"
    with pytest.raises(BadTemplate, match="no room"):
        edited(more, shape, [LimbEdit(True, tuple(clicked))])


@pytest.mark.slow
def test_no_limb_grows_where_the_other_side_has_none():
    lame = prepared(characters.many_legged(lost=1).mesh)
    template = shape_template(lame, what="spider")
    lone = next(n for n in template.names if n.endswith("_tip.R") and template.mirror[template.index(n)] < 0)
    tip = place(template, lone)
    less = edited(template, lame, [LimbEdit(False, tip)])
    new = set(edited(less, lame, [LimbEdit(True, tip)]).names) - set(less.names)
    assert new and all(n.endswith(".R") for n in new)
