"""Creatures that lie on their sides are stood up, or told of with the way they would stand; what stands is not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from core.fitting.check import SURE, check_character, stand_steps
from core.geometry.mesh import Mesh
from core.pipeline import prepare, prepare_shape_steps, run
from core.seeing.stance import AS_CREATURE, REASONS, Stance, detect_stance, stance_facing
from tests import characters
from tests.characters.crawlers import BLUE, SIDES, grown
from tests.characters.implicit import Blend, strand
from tests.characters.stubby import piggy_bank

IMPORTED = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # a file whose Z is up, read as if its Y were


@cache
def octopus() -> tuple[Mesh, Mesh]:
    """One that stands, and on its side."""
    mesh = characters.octopus(np.random.default_rng(1400001)).mesh
    return mesh, Mesh(mesh.vertices @ IMPORTED.T, mesh.faces)


def seal(rise: float) -> Mesh:
    """One whose flippers lie on the ground; its head is held up by so much."""
    lines = [strand([(0, -0.27, 0.22), (0, -0.05, 0.17), (0, 0.25, 0.1), (0, 0.5, 0.06)], [0.12, 0.16, 0.09, 0.04]),
             strand([(0, -0.27, 0.22), (0, -0.4, 0.22 + rise), (0, -0.48, 0.26 + rise)], [0.12, 0.085, 0.06])]
    for _, s in SIDES:
        lines.append(strand([(0.1 * s, -0.18, 0.1), (0.22 * s, -0.14, 0.04), (0.32 * s, -0.05, 0.03)],
                            [0.04, 0.035, 0.028]))
        lines.append(strand([(0.02 * s, 0.48, 0.06), (0.1 * s, 0.66, 0.05)], [0.035, 0.03]))
    return grown("seal", "other", lambda cell: Blend(tuple(lines), 0.03), {}, BLUE, 4000).mesh


def looked_at(mesh: Mesh, stance=None):
    stance = detect_stance(mesh) if stance is None else stance
    return check_character(prepare(mesh, stance=stance), stance=stance)


def lies(found) -> bool:
    return any("lie on its side" in warning for warning in found.warnings)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("grow", "seed", "creature", "ups"), [
    (characters.snake, 1400000, "snake", {"Y", "-Y", "X", "-X"}), (characters.octopus, 1400004, "octopus", {"-Y"})],
    ids=["snake", "octopus"])
def test_a_creature_on_its_side_is_known_in_the_way_that_is_told(grow, seed, creature, ups):
    mesh = grow(np.random.default_rng(seed)).mesh
    lying = Mesh(mesh.vertices @ IMPORTED.T, mesh.faces)
    found = looked_at(lying)
    assert found.preset == "shape" and lies(found) and found.other_stance[0] in ups
    stood_up = looked_at(lying, stance_facing(*found.other_stance))
    assert stood_up.preset == creature and not lies(stood_up)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("grow", "seed"), [(characters.octopus, 1400001), (characters.tree, 1410003),
                                            (characters.star, 1410000)], ids=["octopus", "tree", "star"])
def test_what_stands_is_not_said_to_lie(grow, seed):
    assert not lies(looked_at(grow(np.random.default_rng(seed)).mesh))


@pytest.mark.long
def test_a_round_animal_on_four_stubs_is_no_octopus_on_its_head():
    mesh = piggy_bank().mesh
    stance, shape = run(stand_steps(mesh, detect_stance(mesh), prepare_shape_steps))
    assert stance.up == "Z" and not lies(check_character(shape, stance=stance))


@pytest.mark.long
@pytest.mark.parametrize("rise", [0.14, 0.22])
def test_a_seal_on_its_belly_is_no_mermaid_on_hers(rise):
    mesh = seal(rise)
    stance, shape = run(stand_steps(mesh, detect_stance(mesh), prepare_shape_steps))
    assert stance.up == "Z" and not lies(check_character(shape, stance=stance))


@pytest.mark.long
def test_a_person_that_lacks_limbs_may_be_an_insect_that_stands_on_end():
    mesh = characters.many_legged(np.random.default_rng(2140004), pairs=3).mesh
    lying = Mesh(mesh.vertices @ IMPORTED.T, mesh.faces)
    stance = detect_stance(lying)
    assert next(iter(check_character(prepare(lying, stance=stance), stance=stance).odds.items())) > ("biped", SURE)
    stance, shape = run(stand_steps(lying, stance, prepare_shape_steps))
    assert np.allclose(stance.up_vector, [0, -1, 0]) and check_character(shape, stance=stance).preset == "insect"


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("creature", "grow", "seed"), [
    ("wyvern", lambda rng: characters.beast(rng, legs=1), 510), ("mermaid", characters.mermaid, 2)])
def test_a_wyvern_or_a_mermaid_on_its_side_is_stood_up(creature, grow, seed):
    mesh = grow(np.random.default_rng(seed)).mesh
    lying = Mesh(mesh.vertices @ IMPORTED.T, mesh.faces)
    stance, shape = run(stand_steps(lying, replace(stance_facing("Z", "-Y"), reason=REASONS[0]), prepare_shape_steps))
    assert np.allclose(stance.up_vector, [0, -1, 0]) and check_character(shape, stance=stance).preset == creature


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("front", "seed"), [("X", 520), ("-X", 521), ("Y", 522)])
def test_a_bird_in_the_air_that_faces_aside_or_back_is_turned(front, seed):
    """Seen from the side, wings that go up look like a head and a tail."""
    mesh = characters.flyer(np.random.default_rng(seed), rise=0.6).mesh
    stance, shape = run(stand_steps(mesh, replace(stance_facing("Z", front), reason=REASONS[0]), prepare_shape_steps))
    found = check_character(shape, stance=stance)
    assert found.preset == "flyer" and found.front == "-Y" and stance.reason == AS_CREATURE
    assert found.other_stance == ("Z", front)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("is_moved", [True, False])
def test_a_creature_on_its_side_is_stood_up_and_what_its_file_has_is_offered(is_moved):
    _, lying = octopus()
    lying = lying.moved(lying.vertices + (np.array([30.0, -7.0, 2.0]) if is_moved else 0.0))
    stance, shape = run(stand_steps(lying, detect_stance(lying), prepare_shape_steps))
    found = check_character(shape, stance=stance)
    assert np.allclose(stance.up_vector, [0, -1, 0]) and np.allclose(shape.frame.rotation, stance.rotation)
    assert found.preset == "octopus" and found.other_stance == ("Z", "-Y") and not lies(found)
    assert stance.told(found.kind).startswith("-Y up") and stance.told(found.kind).endswith(AS_CREATURE)


@pytest.mark.long
def test_nothing_is_stood_up_that_stands_or_that_the_artist_has_set():
    stands, lying = octopus()
    for one, stance in ((stands, Stance(np.eye(3), reason="")), (lying, stance_facing("Z", "-Y")),
                        (lying, Stance(np.eye(3), reason="", may_lie=False))):
        again, shape = run(stand_steps(one, stance, prepare_shape_steps))
        assert again is stance and np.allclose(shape.frame.rotation, np.eye(3))
