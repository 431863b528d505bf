"""Belts and what hangs on them move with the trunk as one; skirts get chains that take over what legs move of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from core.detail.grow import DetailOptions
from core.hanging.find import Piece, _holder, find_things
from core.hanging.girdle import TRUNK, _girds, _hangs
from core.pipeline import bind, fit, prepare
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skinning.bind import BindOptions
from core.skinning.girdles import gird
from tests.characters import person, sample
from tests.characters.dressed import dressed

BIPED = load_template("biped")
STANDING = Rig(("hips", "spine", "chest", "thigh.L", "thigh.R"), (-1, 0, 1, 0, 0),
               [[0, 0, -0.05], [0, 0, 0.03], [0, 0, 0.12], [0.05, 0, -0.08], [-0.05, 0, -0.08]],
               [[0, 0, 0.03], [0, 0, 0.12], [0, 0, 0.25], [0.05, 0, -0.3], [-0.05, 0, -0.3]])


def rows_of(character, name: str) -> np.ndarray:
    return character.mesh.part_of_vertex == [m.name for m in character.meshes].index(name)


@pytest.mark.long
def test_a_belt_and_its_pouch_follow_the_trunk_alone():
    character = dressed("belt", "pouch")
    shape = prepare(character.mesh)
    rig = fit(character.mesh, BIPED, shape=shape)
    matrix = bind(character.mesh, rig, shape=shape).matrix.toarray()
    own = rows_of(character, "belt") | rows_of(character, "pouch")
    trunk = [rig.names.index(name) for name in TRUNK]
    assert np.ptp(matrix[own], axis=0).max() < 1e-12, "as one"
    np.testing.assert_allclose(matrix[own][:, trunk].sum(1), 1, atol=1e-12)
    loose = bind(character.mesh, rig, shape=shape, options=BindOptions(rigid_parts=False)).matrix.toarray()
    assert loose[own][:, trunk].sum(1).min() < 0.9, "a thigh would take the pouch along"
    assert find_things(shape, rig) == [], "and no bone of their own"


def around(width: float, depth: float, height: float) -> np.ndarray:
    """(N, 3) samples of a band of a width and depth around the waist of STANDING."""
    turn, up = (g.ravel() for g in np.meshgrid(np.linspace(0, 2 * np.pi, 96), np.linspace(-0.5, 0.5, 9)))
    return np.stack([0.5 * width * np.cos(turn), 0.5 * depth * np.sin(turn), height * up], 1)


@pytest.mark.parametrize(("depth", "width", "is_pouch"), [(0.03, 0.03, True), (0.13, 0.19, False)])
def test_briefs_under_a_belt_do_not_hang_on_it(depth, width, is_pouch):
    """A pouch is aside; what is as wide as the belt lies around the hips, and bends with the thighs."""
    points = around(width, depth, 0.08)
    assert _hangs(points, STANDING, 0.2) == is_pouch


def test_a_short_shirt_with_sleeves_is_no_belt():
    """Its sleeves make it wide, but it is as high as the chest is deep."""
    sleeve = around(0.08, 0.08, 0.12)[:, [2, 1, 0]]
    shirt = np.concatenate([around(0.2, 0.15, 0.14), sleeve + [0.16, 0, 0.03], sleeve - [0.16, 0, -0.03]])
    assert not _girds(shirt, STANDING)
    assert _girds(around(0.2, 0.15, 0.06), STANDING)


@pytest.mark.slow
def test_the_belt_of_the_sample_and_its_buckle_stay_on_the_trunk():
    character = sample(cell=0.03)
    shape = prepare(character.mesh)
    rig = fit(character.mesh, BIPED, shape=shape)
    matrix = bind(character.mesh, rig, shape=shape).matrix
    trunk = [rig.names.index(name) for name in TRUNK]
    for name in ("belt", "buckle"):
        np.testing.assert_allclose(matrix[rows_of(character, name)][:, trunk].sum(1), 1, atol=1e-12)


@pytest.fixture(scope="module")
def skirted():
    """(character, shape, full rig) of a person in a gown that is an object of its own."""
    character = person(vertices=2500, layers=True, skirt="ankle")
    shape = prepare(character.mesh)
    return character, shape, fit(character.mesh, BIPED, shape=shape, detail=DetailOptions("full", twists=0))


def test_a_gown_has_three_chains_on_each_thigh_and_shin(skirted):
    _, _, rig = skirted
    assert rig.things == ("skirt",)
    above = {name: rig.names[rig.parents[i]] for i, name in enumerate(rig.names) if name.startswith("skirt_")}
    for side in "LR":
        firsts = sorted(name for name, bone in above.items() if bone == f"thigh.{side}")
        assert firsts == [f"skirt_{where}_1.{side}" for where in ("back", "front", "side")]
        assert sum(bone == f"shin.{side}" for bone in above.values()) == 3
    ahead, beside, behind = (rig.heads[rig.names.index(f"skirt_{w}_2.L")] for w in ("front", "side", "back"))
    assert ahead[1] < beside[1] < behind[1] and beside[0] > max(ahead[0], behind[0]) > 0


@pytest.mark.long
def test_at_rest_a_skirt_follows_each_limb_as_without_its_chains(skirted):
    character, shape, rig = skirted
    options = BindOptions(influences=64, least=0.0)
    matrix = bind(character.mesh, rig, shape=shape, options=options).matrix.toarray()
    plain = fit(character.mesh, BIPED, shape=shape, detail=DetailOptions("full", twists=0, without=("skirt",)))
    bare = bind(character.mesh, plain, shape=shape, options=options).matrix.toarray()
    cloth = rows_of(character, "skirt")
    of = lambda rig, stems: [i for i, n in enumerate(rig.names) if n in stems]  # noqa: E731 - used twice
    for side in "LR":
        carried = {f"skirt_{w}_{k}.{side}": k for w in ("front", "side", "back") for k in (1, 2, 3, 4)}
        thigh = {n for n in carried if n in rig.names and f"thigh.{side}" in (
            rig.names[rig.parents[rig.names.index(n)]], *_up(rig, n))}
        np.testing.assert_allclose(matrix[cloth][:, of(rig, thigh | {f"thigh.{side}"})].sum(1),
                                   bare[cloth][:, of(plain, {f"thigh.{side}"})].sum(1), atol=1e-9)
    assert matrix[cloth][:, [i for i, n in enumerate(rig.names) if n.startswith("skirt_")]].sum(1).max() > 0.8
    np.testing.assert_array_equal(matrix[~cloth][:, [rig.names.index(n) for n in plain.names]], bare[~cloth])


def test_a_gown_leaves_out_the_arms_and_the_trunk_lets_go_of_it(skirted):
    character, shape, _ = skirted
    plain = fit(character.mesh, BIPED, shape=shape)
    hung = np.full((len(character.mesh.vertices), len(plain.names)), 0.0)
    hung[:, plain.names.index("spine")], hung[:, plain.names.index("hand.L")] = 0.6, 0.4
    got = gird(shape, plain, sparse.csr_matrix(hung)).toarray()
    cloth = rows_of(character, "skirt")
    low = cloth & (character.mesh.vertices[:, 2] < plain.heads[plain.names.index("shin.L"), 2])
    of = {stem: [i for i, n in enumerate(plain.names) if n.split(".")[0] == stem] for stem in ("hand", "spine", "shin")}
    np.testing.assert_allclose(got.sum(1), 1, atol=1e-12)
    assert not got[cloth][:, of["hand"]].any()
    np.testing.assert_allclose(got[low][:, of["spine"]].sum(1), 0.25, atol=1e-9)
    np.testing.assert_allclose(got[low][:, of["shin"]].sum(1), 0.75, atol=1e-9)
    np.testing.assert_array_equal(got[~cloth], hung[~cloth])


def _up(rig, name: str) -> list[str]:
    """The bones above one, up to the first that is no skirt's."""
    out, at = [], rig.parents[rig.names.index(name)]
    while rig.names[at].startswith("skirt_"):
        at = rig.parents[at]
        out.append(rig.names[at])
    return out


def test_no_hand_holds_what_hangs_around_both_legs():
    points = np.array([[0.0, 0, 0], [0, 0, 0.3]])
    def piece(votes):
        return Piece(points, points, np.ones(2), np.arange(2), points, np.zeros(2), np.ones(2, bool), votes,
                     {"hand.R": 0.01})
    assert _holder(piece({"thigh.L": 0.3, "thigh.R": 0.3, "hand.R": 0.4}), True) is None
    assert _holder(piece({"thigh.R": 0.4, "hand.R": 0.6}), True) == "hand.R"
