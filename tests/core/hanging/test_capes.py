"""A cape that is one surface with the body hangs from the shoulders and follows neither arms nor legs."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.detail.grow import DetailOptions
from core.hanging.capes import fused_capes
from core.hanging.find import _in_unit, plain_body
from core.pipeline import bind, fit, prepare
from core.skeleton.preset import load_template
from tests.characters import person
from tests.characters.beasts import grown
from tests.characters.implicit import Blend, Slab, turn
from tests.characters.people import PersonOptions, flesh, person_joints

BIPED = load_template("biped")
LIMBS = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")


def caped(*, long: float = 0.6, wide: float = 0.4, lean: float = 16.0):
    """The mesh of a person with hanging arms and a slab from the shoulders down, behind the body."""
    options = PersonOptions(arm_angle=72)
    joints = person_joints(options)
    top = joints["upper_arm.L"] * [0, 1, 1] + [0, 0.05, 0]
    rotation = turn("x", lean)
    middle = top + rotation @ [0, 0, -0.5 * long]
    slab = Slab(tuple(middle), (0.5 * wide, 0.012, 0.5 * long), 0.006, rotation)
    return grown("caped", "biped", lambda cell: Blend((flesh(joints, options, 0.92 * cell), slab), 0.01), joints,
                 (0.8, 0.8, 0.8), 9000).mesh


@cache
def hero():
    mesh = caped()
    shape = prepare(mesh)
    return mesh, shape, fit(mesh, BIPED, shape=shape, detail=DetailOptions("full"))


def limb_share(mesh, rig, shape) -> np.ndarray:
    """(N,) what limbs have of the vertices far behind the body, from the hips' height to the shins'."""
    weights = bind(mesh, rig, shape=shape).matrix.toarray()
    height = mesh.vertices[:, 2] / np.ptp(mesh.vertices[:, 2])
    limbs = [i for i, name in enumerate(rig.names) if name.split(".")[0].split("_twist")[0] in LIMBS]
    far = (mesh.vertices[:, 1] > rig.heads[rig.names.index("hips"), 1] + 0.1) & (height < 0.6)
    assert far.sum() > 100
    return weights[far][:, limbs].sum(1)


@pytest.mark.long
def test_a_cape_of_one_surface_has_chains_on_the_chest():
    _, _, rig = hero()
    assert "cape" in rig.things
    first = [i for i, name in enumerate(rig.names) if name.startswith("cape_1")]
    assert len(first) >= 2 and {rig.names[rig.parents[i]] for i in first} == {"chest"}
    lowest = min(rig.tails[i, 2] for i, name in enumerate(rig.names) if name.startswith("cape"))
    assert lowest < rig.heads[rig.names.index("shin.L"), 2] + 0.1


@pytest.mark.long
@pytest.mark.parametrize("level", ["full", "body"])
def test_it_follows_no_limb_with_bones_of_its_own_or_without(level):
    mesh, shape, rig = hero()
    rig = rig if level == "full" else fit(mesh, BIPED, shape=shape)
    assert limb_share(mesh, rig, shape).max() < 0.05


@pytest.mark.long
def test_what_is_narrow_or_short_or_a_skirt_is_no_cape():
    for mesh in (caped(wide=0.12), caped(long=0.15), person(skirt="ankle", hair="long").mesh):
        shape = prepare(mesh)
        assert not fused_capes(shape, _in_unit(shape, plain_body(fit(mesh, BIPED, shape=shape))))
