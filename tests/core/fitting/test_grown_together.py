"""Two bodies in one surface are told, a centaur is one, and under a robe there may be a person."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.fitting import grown_together, verdict
from core.fitting.check import check_character
from core.fitting.grown_together import FUSED, RIDDEN, forewarn_grown, person_on_four_legs, two_figures
from core.fitting.missing import Missing
from core.fitting.verdict import CLEAR, GOWNED, PERSONS, weigh_kinds
from core.geometry.frame import unit_frame
from core.geometry.mesh import Mesh, vertex_components
from core.pipeline import prepare
from core.seeing.limb_census import count_limbs
from core.seeing.silhouette import slice_mesh
from core.seeing.stance import UPRIGHT
from tests import characters
from tests.characters import melted
from tests.shapes import cylinder


def prepared(character, *, turned: float = 0.0):
    mesh, cos, sin = character.mesh, np.cos(turned), np.sin(turned)
    turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    assert vertex_components(mesh).max() == 0, "it is one surface"
    return prepare(Mesh(mesh.vertices @ turn.T, mesh.faces), stance=UPRIGHT)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("turned", [0.0, 0.6])
def test_two_people_hand_in_hand_in_one_surface_are_told(turned):
    shape = prepared(melted.pair(vertices=4000), turned=turned)
    assert FUSED in check_character(shape).warnings


@pytest.mark.sweep(1)
@pytest.mark.parametrize("make", [lambda: characters.person(vertices=3000, skirt="knee", arm_angle=5.0),
                                  lambda: characters.quadruped(vertices=3000, species="dog"), characters.centaur,
                                  lambda: characters.hydra(np.random.default_rng(0)), characters.chair,
                                  characters.blob, characters.octopus],
                         ids=["person", "dog", "centaur", "hydra", "chair", "blob", "octopus"])
def test_one_body_is_not_told_as_two(make):
    shape = prepare(make().mesh, stance=UPRIGHT)
    assert not {FUSED, RIDDEN} & set(check_character(shape).warnings)


@pytest.mark.long
def test_what_a_plane_parts_is_two_only_if_both_sides_look_like_bodies(monkeypatch):
    shape = prepared(melted.pair(vertices=3000))
    assert len(grown_together._planes(shape.body)) > 0 and two_figures(shape)
    monkeypatch.setattr(grown_together, "_unseen_body", lambda side: 2.5 if side.vertices[:, 0].mean() > 0 else np.inf)
    assert not two_figures(shape)


@pytest.mark.long
@pytest.mark.parametrize(("lead", "told"), [(-0.1, True), (0.45, True), (0.55, False)])
def test_halves_that_look_like_bodies_are_none_if_the_whole_does_much_more_so(monkeypatch, lead, told):
    """As the hind part of a dog whose curled tail looks like a head."""
    shape = prepared(melted.pair(vertices=3000))
    whole = -float(grown_together._likeliest(shape.mesh).seen.mean())
    unseen = iter((whole + lead, whole) * 4)
    monkeypatch.setattr(grown_together, "_unseen_body", lambda side: next(unseen))
    assert two_figures(shape) == told


def test_a_side_of_which_no_face_has_an_area_is_no_body():
    sheet = Mesh(np.array([[0.0, 0, 0], [0, 0, 0.5], [0, 0, 1.0]]), np.array([[0, 1, 2]]))
    assert grown_together._unseen_body(sheet) == np.inf


def test_each_side_of_the_plane_has_a_body_of_its_own():
    shape = prepared(melted.pair(vertices=3000))
    (normal, place, _), *_ = grown_together._planes(shape.body)
    one, other = grown_together._sides(shape.mesh, normal, place, -np.inf)
    assert len(one.faces) + len(other.faces) == len(shape.mesh.faces)
    assert min(np.ptp(side.vertices[:, 2]) for side in (one, other)) > 0.9 * np.ptp(shape.mesh.vertices[:, 2])


@pytest.mark.slow
def test_a_rider_in_one_surface_with_a_horse_is_told():
    found = check_character(prepared(melted.ridden(vertices=4000)))
    assert RIDDEN in found.warnings and found.preset == "quadruped"
    alone = check_character(prepared(characters.quadruped(species="horse")))
    assert RIDDEN not in alone.warnings


@pytest.mark.long
def test_the_legs_of_a_rider_are_none_of_the_animals():
    mesh = unit(melted.ridden(vertices=4000))
    census = replace(count_limbs(slice_mesh(mesh)), leg_pairs=3)
    assert weigh_kinds(mesh, census)["quadruped"] > 0.9
    alone = unit(characters.quadruped(species="horse"))
    assert weigh_kinds(alone, replace(census, upright=False))["quadruped"] == 0


@pytest.mark.long
def test_what_rises_above_an_animals_shoulders_is_its_own_neck(monkeypatch):
    mesh = unit(melted.ridden(vertices=4000))
    assert person_on_four_legs(mesh).rides
    monkeypatch.setattr(grown_together, "SEAT", 0.7)  # as if the rider sat as near to the shoulders as a neck begins
    assert not person_on_four_legs(mesh).rides


def test_a_rider_is_looked_at_to_the_crown_of_the_head_and_on_both_sides_alike(monkeypatch):
    mesh, only, kept = unit(melted.ridden(vertices=4000)), grown_together._only, []
    monkeypatch.setattr(grown_together, "_only", lambda whole, some: kept.append(some) or only(whole, some))
    assert person_on_four_legs(mesh).rides
    aside, _, height = mesh.triangles.mean(1).T
    assert kept[-1][height > height.max() - 0.02].all()
    assert aside[kept[-1]].max() == pytest.approx(-aside[kept[-1]].min(), abs=0.002)


def test_no_creature_is_told_to_be_ridden(monkeypatch):
    shape = prepare(characters.quadruped(vertices=2500).mesh, stance=UPRIGHT)
    census = count_limbs(slice_mesh(shape.mesh))
    monkeypatch.setattr(grown_together, "two_figures", lambda shape: False)
    monkeypatch.setattr(grown_together, "person_on_four_legs", lambda mesh: grown_together.Rider(0.0, True))
    assert forewarn_grown(shape, census, "quadruped") == [RIDDEN]
    assert forewarn_grown(shape, census, "hydra") == []
    assert forewarn_grown(shape, replace(census, leg_pairs=1), "quadruped") == []


def unit(character) -> Mesh:
    mesh = character.mesh
    return Mesh(unit_frame(mesh).to_unit(mesh.vertices), mesh.faces)


@pytest.mark.long
def test_a_persons_head_over_forelegs_makes_a_centaur_and_an_animals_does_not():
    seen = person_on_four_legs(unit(characters.centaur()))
    assert seen.centaur > 5 and not seen.rides
    for species in ("horse", "dog", "cow"):
        assert person_on_four_legs(unit(characters.quadruped(species=species))).centaur < -5


def test_a_centaur_that_the_network_takes_for_an_animal_is_told_as_one(monkeypatch):
    mesh = unit(characters.centaur())
    census = count_limbs(slice_mesh(mesh))
    monkeypatch.setattr(verdict, "kind_odds", lambda mesh: {
        "biped": -6.0, "biped_tail": -6.0, "quadruped": -0.01, "centaur": -6.0})
    odds = weigh_kinds(mesh, census)
    assert next(iter(odds)) == "centaur" and odds["centaur"] > 0.9 and sum(odds.values()) == pytest.approx(1)
    monkeypatch.setattr(verdict, "person_on_four_legs", lambda mesh: grown_together.Rider(-np.inf, False))
    assert next(iter(weigh_kinds(mesh, census))) == "quadruped"


def test_a_neck_and_head_ahead_of_the_forelegs_make_a_rider_of_what_is_above(monkeypatch):
    mesh = unit(characters.centaur())
    monkeypatch.setattr(grown_together, "_ahead", lambda sight: grown_together.AHEAD + 0.01)
    assert person_on_four_legs(mesh) == grown_together.Rider(-np.inf, True)


@pytest.mark.long
@pytest.mark.parametrize(("upper", "share"), [(GOWNED - 1, PERSONS), (GOWNED + 1, 0.0)])
def test_head_and_arms_over_hidden_legs_are_a_person_in_doubt(monkeypatch, upper, share):
    shape = prepared(melted.robed())
    census = replace(count_limbs(slice_mesh(shape.mesh)), leg_pairs=0)
    monkeypatch.setattr(verdict, "unseen", lambda mesh, kind: 4.0)
    monkeypatch.setattr(verdict, "upper_body_unseen", lambda mesh: upper)
    monkeypatch.setattr(verdict, "find_missing", lambda mesh, template: Missing())
    odds = weigh_kinds(shape.mesh, census, shape)
    assert odds["biped"] == pytest.approx(share, abs=1e-3) and PERSONS < CLEAR
    assert sum(odds.values()) == pytest.approx(1)


def test_a_person_in_a_robe_shows_head_and_arms_and_a_bottle_does_not():
    assert grown_together.upper_body_unseen(unit(melted.robed())) < GOWNED
    bottle = cylinder(0.15, 1.0).mesh
    assert grown_together.upper_body_unseen(Mesh(unit_frame(bottle).to_unit(bottle.vertices), bottle.faces)) > GOWNED
