"""What is flat from front to back, as a cookie, a relief or a cut-out, is read like the round body of its outline."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.fitting.check import check_character
from core.fitting.verdict import CLEAR
from core.geometry.mesh import Mesh
from core.pipeline import fit, prepare
from core.seeing import views
from core.seeing.evidence import is_flat, kind_odds
from core.seeing.stance import UPRIGHT
from core.skeleton.preset import load_template
from tests import characters
from tests.characters.character import merge
from tests.characters.implicit import Blend, Common, Ellipsoid, HalfSpace, RoundCone, Slab, strand
from tests.characters.surface_nets import grow

CORE = [f"{name}.{side}" for name in ("upper_arm", "forearm", "hand", "thigh", "shin", "foot") for side in "LR"]


def pressed(mesh: Mesh, share: float) -> Mesh:
    """A mesh made so deep, a share of its height."""
    size = np.ptp(mesh.vertices, axis=0)
    return Mesh(mesh.vertices * [1, share * size[2] / size[1], 1], mesh.faces)


def cut_out(parts, depth: float) -> Mesh:
    """What a cutter makes of solids, from a sheet of this depth."""
    sheet = HalfSpace((0, 1, 0), depth / 2), HalfSpace((0, -1, 0), depth / 2)
    return grow(Common((Blend(tuple(parts), 0.04), *sheet), 0.01), 0.012)


@cache
def cookie(depth: float) -> tuple[Mesh, dict]:
    """A gingerbread man without feet and hands, 1 high, with icing for eyes and buttons, and where its joints are."""
    joints = {}
    for side, sign in ("L", 1), ("R", -1):
        line = [(0.18 + t, 0.0, 0.62) for t in (0.0, 0.16, 0.29)] + [
            (0.12 + 0.08 * t, 0.0, 0.38 - 0.28 * t) for t in (0.0, 0.5, 1.0)]
        joints |= {f"{name}.{side}": np.array(at) * [sign, 1, 1] for name, at in zip(
            ("upper_arm", "forearm", "hand", "thigh", "shin", "foot"), line, strict=True)}
    parts = [Ellipsoid((0, 0, 0.82), (0.18, 0.18, 0.18)), Ellipsoid((0, 0, 0.52), (0.19, 0.3, 0.2))]
    for side in "LR":
        arm, leg = ([joints[f"{name}.{side}"] for name in names]
                    for names in (("upper_arm", "forearm", "hand"), ("thigh", "shin", "foot")))
        parts += [strand(arm, [0.09] * 3), strand(leg, [0.11, 0.105, 0.1])]
    icing = [((x, -depth / 2, z), 0.02) for x, z in ((0.06, 0.86), (-0.06, 0.86), (0.0, 0.6), (0.0, 0.48))]
    drops = [grow(Ellipsoid(at, 3 * (radius,)), 0.008, mirrored=False) for at, radius in icing]
    return merge([cut_out(parts, depth), *drops], "cookie"), joints


@pytest.mark.long
@pytest.mark.parametrize("depth", [0.04, 0.05, 0.06, 0.08])
def test_a_gingerbread_man_is_a_person(depth):
    mesh, _ = cookie(depth)
    found = check_character(mesh, stance=UPRIGHT)
    assert found.preset == "biped"


@pytest.mark.long
@pytest.mark.parametrize("depth", [0.04, 0.06, 0.08])
def test_the_limbs_of_a_gingerbread_man_are_found(depth):
    mesh, joints = cookie(depth)
    rig = fit(mesh, load_template("biped"), stance=UPRIGHT)
    away = {n: np.linalg.norm(rig.heads[rig.names.index(n)] - joints[n]) for n in CORE}
    assert max(away.values()) < 0.1, away


@pytest.mark.parametrize("share", [0.03, 0.06])
def test_a_person_pressed_flat_is_one_still(share):
    person = characters.person()
    mesh = pressed(person.mesh, share)
    shape = prepare(mesh, stance=UPRIGHT)
    assert is_flat(shape.mesh)
    found = check_character(mesh, stance=UPRIGHT)
    assert found.preset == "biped" and found.odds["biped"] > CLEAR
    rig = fit(mesh, load_template("biped"), shape=shape)
    height = np.ptp(mesh.vertices[:, 2])
    for name in CORE:
        away = (rig.heads[rig.names.index(name)] - person.joints[name])[[0, 2]]
        assert np.linalg.norm(away) < 0.1 * height, name


@pytest.mark.long
def test_flat_things_without_legs_are_no_people():
    guitar = [Ellipsoid((0, 0, 0.18), (0.22, 0.2, 0.18)), Ellipsoid((0, 0, 0.38), (0.17, 0.2, 0.14)),
              RoundCone((0, 0, 0.4), (0, 0, 0.92), 0.03, 0.05)]
    bottle = [Slab((0, 0, 0.3), (0.16, 0.2, 0.3), 0.05), Slab((0, 0, 0.75), (0.06, 0.2, 0.25), 0.02)]
    for parts in (guitar, bottle):
        for depth in (0.04, 0.08):
            assert check_character(cut_out(parts, depth), stance=UPRIGHT).kind == "unknown"


def test_a_body_as_deep_as_any_real_one_is_seen_as_it_is(monkeypatch):
    mesh = pressed(characters.person().mesh, views.DEEP + 0.001)
    seen = kind_odds(Mesh(mesh.vertices, mesh.faces))
    monkeypatch.setattr(views, "DEEP", 0.0)
    assert kind_odds(Mesh(mesh.vertices, mesh.faces)) == seen and not is_flat(mesh)
