"""Creatures as they walk, crouch and face either way: their legs differ from side to side, or hardly rise."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from core.fitting.check import check_character, stand_steps
from core.fitting.from_shape import seen_in
from core.fitting.verdict import weigh_kinds
from core.geometry.mesh import Mesh
from core.pipeline import prepare_shape_steps, run
from core.seeing.limb_census import count_limbs
from core.seeing.silhouette import slice_shape
from core.seeing.stance import Stance, detect_stance, stance_facing
from tests import characters
from tests.characters.implicit import Blend, Ellipsoid, strand
from tests.characters.surface_nets import grow
from tests.core.fitting.bodies import prepared

ABOUT = np.diag([-1.0, -1.0, 1.0])


@cache
def bug(pairs: int, seed: int = 0, unlike: float = 0.0, *, knee: float = 0.2, abdomen: float = 0.3) -> Mesh:
    """A body on pairs of legs that faces -Y, 0.15 above the ground.

    unlike : by how many radians legs are turned at random;  knee : how far knees rise over the body
    abdomen : how long it is
    """
    rng, legs = np.random.default_rng(seed), []
    for angle in np.radians(np.linspace(50, -50, pairs)):
        for sign in (1.0, -1.0):
            turned = angle + unlike * rng.normal()
            way = np.array([sign * np.cos(turned), -np.sin(turned), 0])
            start = np.array([sign * 0.06, -0.1 * np.sin(angle) - 0.05, 0.15])
            legs.append(strand([start, start + 0.25 * way + [0, 0, knee], start * [1, 1, 0] + 0.6 * way],
                               [0.026, 0.02, 0.013]))
    trunk = [Ellipsoid((0, -0.05, 0.15), (0.09, 0.14, 0.07)),
             Ellipsoid((0, 0.06 + abdomen / 2, 0.15), (0.13, abdomen / 2 + 0.05, 0.11))]
    return grow(Blend((*trunk, *legs), 0.02), 0.011, mirrored=False)


@pytest.mark.long
@pytest.mark.parametrize(("pairs", "seed", "unlike", "creature"), [
    (3, 0, 0.1, "insect"), (3, 3, 0.1, "insect"), (3, 2, 0.15, "insect"), (4, 1, 0.1, "spider"),
    (4, 3, 0.15, "spider")])
def test_each_leg_of_a_creature_that_walks_is_one_limb_of_the_trunk(pairs, seed, unlike, creature):
    shape = prepared(bug(pairs, seed, unlike, abdomen=0.55))
    seen = seen_in(shape)
    legs = [line for line in seen.limbs if "leg" in seen.sorts[id(line)]]
    assert len(legs) == 2 * pairs and all(line.twin is not None for line in legs)
    assert not seen.parts and check_character(shape).preset == creature


@pytest.mark.long
def test_legs_that_rise_little_over_the_body_are_legs():
    assert check_character(prepared(bug(3, knee=0.05))).preset == "insect"


def facing(mesh: Mesh, stance: Stance) -> np.ndarray:
    return run(stand_steps(mesh, stance, prepare_shape_steps))[0].front_vector


@pytest.mark.long
@pytest.mark.parametrize("pairs", [3, 4])
def test_a_creature_faces_away_from_its_abdomen_however_its_file_lies(pairs):
    mesh = bug(pairs)
    for turn in (np.eye(3), ABOUT):
        turned = mesh.moved(mesh.vertices @ turn.T)
        assert facing(turned, detect_stance(turned)) @ turn @ [0, -1, 0] > 0.99


@pytest.mark.long
def test_a_creature_that_is_turned_about_offers_the_way_back():
    mesh = bug(3)
    backwards = mesh.moved(mesh.vertices @ ABOUT.T)
    stance, shape = run(stand_steps(backwards, Stance(np.eye(3), reason=""), prepare_shape_steps))
    assert check_character(shape, stance=stance).other_stance == ("Z", "-Y")


@pytest.mark.long
def test_nobody_is_turned_about_whose_front_the_artist_has_set():
    mesh = bug(3)
    backwards = mesh.moved(mesh.vertices @ ABOUT.T)
    for stance in (stance_facing("Z", "-Y"), detect_stance(backwards, front="-Y")):
        assert np.allclose(facing(backwards, stance), [0, -1, 0])


@pytest.mark.long
def test_what_is_alike_at_both_ends_faces_as_its_file_says():
    legs = bug(3, abdomen=0.0)
    for turn in (np.eye(3), ABOUT):
        turned = legs.moved(legs.vertices @ turn.T)
        assert np.allclose(facing(turned, Stance(np.eye(3), reason="")), [0, -1, 0])


@pytest.mark.long
def test_what_stands_on_many_legs_is_no_bird_however_broad_its_sides_look():
    shape = prepared(characters.many_legged(lost=1).mesh)
    census = replace(count_limbs(slice_shape(shape)), wings=True)
    assert next(iter(weigh_kinds(shape.mesh, census, shape))) == "spider"
