"""People whose limbs hardly show are people: figures of blocks in one surface, balls with stubs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from core.fitting.check import check_character
from core.fitting.from_shape import template_in
from core.fitting.missing import find_missing
from core.fitting.stubby import has_stubs, is_block_person
from core.geometry.distance import DistanceField
from core.geometry.grid import Grid
from core.pipeline import fit, prepare
from core.seeing.evidence import look
from core.seeing.stance import UPRIGHT
from core.skeleton.preset import load_template
from tests import characters
from tests.characters.stubby import block_statue, penguin, puff


def rigged(character):
    """(what a character is taken for, how far its joints are off at most, a share of its height)."""
    shape = prepare(character.mesh, stance=UPRIGHT)
    found = check_character(shape)
    rig = fit(character.mesh, template_in(shape, found.preset), shape=shape)
    heads = dict(zip(rig.names, rig.heads, strict=True))
    tall = np.ptp(character.mesh.vertices[:, 2])
    off = [np.linalg.norm(heads[name] - place) / tall for name, place in character.joints.items() if name in heads]
    assert len(off) == len(character.joints) or found.preset != "biped"
    return found, max(off, default=np.inf)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("sizes", [{}, {"head": 0.14, "arm": 0.055}, {"trunk": 0.14, "leg": 0.42, "depth": 0.06}],
                         ids=["plain", "large head", "long legs"])
def test_blocks_in_one_surface_without_gaps_are_a_person(sizes):
    found, off = rigged(block_statue(**sizes))
    assert found.preset == "biped" and off < 0.1


@pytest.mark.long
def test_a_ball_with_stubs_is_a_person():
    found, off = rigged(puff())
    assert found.preset == "biped" and off < 0.12
    assert any("not clear what it is" in warning for warning in found.warnings)


@pytest.mark.long
def test_what_stands_on_feet_without_legs_shows_no_mermaid():
    found, off = rigged(penguin())
    assert found.preset == "biped" and off < 0.1


@pytest.mark.long
def test_a_ball_on_four_stubs_is_no_person():
    assert has_stubs(prepare(puff().mesh, stance=UPRIGHT).body)
    assert not has_stubs(prepare(puff(feet=4).mesh, stance=UPRIGHT).body)


@pytest.mark.long
@pytest.mark.parametrize(("make", "is_one"), [
    (block_statue, True), (lambda: block_statue(trunk=0.08, span=0.2), False),
    (lambda: block_statue(depth=0.2), False), (puff, False), (characters.person, False)],
    ids=["statue", "cross", "tower", "ball", "person"])
def test_crosses_towers_and_round_bodies_are_no_people_of_blocks(make, is_one):
    mesh = prepare(make().mesh, stance=UPRIGHT).mesh
    assert is_block_person(mesh, look(mesh, "biped").sight.solid) == is_one


@pytest.mark.long
def test_a_person_of_blocks_has_the_arms_that_are_one_with_the_trunk(monkeypatch):
    mesh = prepare(block_statue(head=0.14, arm=0.07).mesh, stance=UPRIGHT).mesh
    assert not find_missing(mesh, load_template("biped")).joints
    monkeypatch.setattr("core.fitting.missing.is_block_person", lambda *_: False)
    assert find_missing(mesh, load_template("biped")).joints


def ball_with_stubs(*, foot=(0, 0), arm=(0, 0)) -> DistanceField:
    """A ball on two feet with an arm to each side, 0.02 a voxel.

    foot, arm : by how many voxels the left one lies further back and higher
    """
    x, y, z = np.indices((60, 50, 50)) - np.array([30, 25, 0])[:, None, None, None] + 0.5
    solid = x**2 + y**2 + (z - 25) ** 2 < 18**2
    for sign, (back, up) in ((-1, (0, 0)), (1, foot)):
        solid |= (abs(sign * x - 7) < 3) & (abs(y - back) < 3) & (z > up) & (z < 20)
    for sign, (back, up) in ((-1, (0, 0)), (1, arm)):
        solid |= (sign * x > 10) & (sign * x < 26) & (abs(y - back) < 3) & (abs(z - 25 - up) < 3)
    depth = ndimage.distance_transform_edt(solid) - ndimage.distance_transform_edt(~solid)
    return DistanceField(Grid(np.array([-0.6, -0.5, 0.0]), 0.02, solid.shape), -0.02 * depth,
                         np.zeros((*solid.shape, 3)))


@pytest.mark.parametrize(("foot", "arm", "are_stubs"), [
    ((0, 0), (0, 0), True), ((2, 0), (0, 0), True), ((3, 0), (0, 0), False), ((0, 0), (2, 0), True),
    ((0, 0), (3, 0), False), ((0, 1), (0, 0), True), ((0, 2), (0, 0), False)])
def test_feet_and_arms_are_pairs_if_near_each_others_image_and_feet_reach_the_ground(foot, arm, are_stubs):
    assert has_stubs(ball_with_stubs(foot=foot, arm=arm)) == are_stubs
