"""A body is called what it is, and what is nothing known is not called a person."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from core.fitting.check import check_character, unlike_preset
from core.fitting.grown_together import Rider
from core.fitting.missing import Missing
from core.fitting.verdict import (
    AHEAD,
    BLOCKS,
    CLEAR,
    CLEAR_CREATURE,
    EVEN,
    PERSON,
    SLOPE,
    _ahead,
    pairs_on_ground,
    weigh_kinds,
)
from core.fitting.wheels import wheels_under
from core.geometry.frame import unit_frame
from core.geometry.grid import Grid
from core.geometry.mesh import Mesh
from core.geometry.shape import Shape
from core.pipeline import prepare
from core.seeing.limb_census import LimbCensus, count_limbs
from core.seeing.silhouette import slice_mesh, slice_shape
from core.seeing.stance import REASONS, UP_SET, UPRIGHT, stance_facing
from core.skeleton.preset import load_template
from tests import characters
from tests.characters.blocky import block_animal
from tests.characters.crawlers import BROWN, SIDES, grown
from tests.characters.implicit import Blend, strand
from tests.limits import turning_point
from tests.shapes import box


def centipede() -> Mesh:
    """One of eleven pairs of legs, each nearer to the next than a tenth of its length, and two feelers."""
    lines = [strand([(0, -0.45, 0.1), (0, 0.45, 0.1)], [0.05, 0.05])]
    for _, s in SIDES:
        lines += [strand([(0.03 * s, y, 0.1), (0.12 * s, y, 0.12), (0.17 * s, y, 0.025)], [0.018, 0.017, 0.016])
                  for y in np.linspace(-0.45, 0.45, 11)]
        lines.append(strand([(0.02 * s, -0.48, 0.12), (0.1 * s, -0.62, 0.16)], [0.015, 0.015]))
    return grown("centipede", "other", lambda cell: Blend(tuple(lines), 0.015), {}, BROWN, 7000).mesh


@pytest.mark.long
def test_a_centipede_is_no_animal_on_two_pairs_of_legs():
    assert check_character(prepare(centipede(), stance=UPRIGHT)).preset == "shape"


@pytest.mark.slow
@pytest.mark.parametrize("make", [characters.many_legged, characters.snake, characters.octopus, characters.chair,
                                  characters.star, characters.fish], ids=lambda f: f.__name__)
def test_what_is_of_no_known_kind_is_rigged_from_its_shape(make):
    found = check_character(make().mesh, stance=UPRIGHT)
    assert (found.kind, found.preset) == ("unknown", "shape")
    assert any("follow its shape" in w for w in found.warnings)


@pytest.mark.long
def test_what_has_six_legs_is_no_animal():
    mesh = characters.six_legged_beast().mesh
    found = check_character(mesh, stance=UPRIGHT)
    assert found.preset == "shape" and found.odds["quadruped"] == 0


@pytest.mark.slow
def test_what_stands_on_wheels_is_no_animal():
    dog, cart = characters.quadruped(species="dog").mesh, characters.wheeled().mesh
    dog = Mesh(unit_frame(dog, UPRIGHT.rotation).to_unit(dog.vertices), dog.faces)
    census = count_limbs(slice_mesh(dog))
    low = [0, 0, dog.vertices[:, 2].min() - cart.vertices[:, 2].min() - 0.01]
    both = Mesh(np.concatenate([dog.vertices, cart.vertices + low]),
                np.concatenate([dog.faces, cart.faces + len(dog.vertices)]))
    assert weigh_kinds(dog, census)["quadruped"] > 0.9 and weigh_kinds(both, census)["quadruped"] == 0
    assert wheels_under(both) == 4 and wheels_under(dog) == 0
    found = check_character(prepare(cart))
    assert found.preset == "shape" and found.warnings, "its long body made it a snake"


@pytest.mark.long
def test_a_sheet_with_the_outline_of_a_creature_is_doubted():
    """The skin of one side of a fish has no inside, and clouds, decks and roofs may have its outline."""
    mesh = characters.fish().mesh
    left = mesh.faces[mesh.triangles.mean(1)[:, 0] > np.ptp(mesh.vertices[:, 0]) / 2 + mesh.vertices[:, 0].min()]
    used, faces = np.unique(left, return_inverse=True)
    whole, half = (check_character(prepare(m, stance=UPRIGHT)).odds
                   for m in (mesh, Mesh(mesh.vertices[used], faces.reshape(-1, 3))))
    assert whole["fish"] > CLEAR_CREATURE > 0.6 > half["fish"] > 0.4


@pytest.mark.sweep(2, long=True)
@pytest.mark.parametrize(("make", "name"), [(characters.mermaid, "mermaid"), (characters.fish, "fish"),
                                            (characters.octopus, "octopus"), (characters.many_legged, "spider")])
def test_what_stands_on_legs_shows_no_mermaid_and_what_is_upright_no_fish(monkeypatch, make, name):
    """Of a body that may as well be a person."""
    shape = prepare(make().mesh, stance=UPRIGHT)
    census = count_limbs(slice_shape(shape))
    for what, value in (("kind_odds", {"biped": 0.0, "biped_tail": -99.0, "quadruped": -99.0, "centaur": -99.0}),
                        ("find_missing", Missing()), ("person_on_four_legs", Rider(-np.inf, False))):
        monkeypatch.setattr(f"core.fitting.verdict.{what}", lambda *_, value=value: value)

    def shows(upright: bool, pairs: int) -> bool:
        monkeypatch.setattr("core.fitting.verdict.unseen", lambda *_: EVEN[pairs == 1])
        odds = weigh_kinds(shape.mesh, replace(census, upright=upright, leg_pairs=pairs, wings=False), shape)
        return odds[name] > 0.6 * (odds[name] + odds["biped"])

    assert shows(False, 0) and shows(False, 1)
    assert shows(True, 0) == (name != "fish") and shows(True, 1) == (name in ("octopus", "spider"))


@pytest.mark.long
def test_folds_of_a_gown_that_look_like_six_legs_leave_a_person_a_person():
    mesh = characters.person(vertices=1600).mesh
    frame = unit_frame(mesh, UPRIGHT.rotation)
    unit = Mesh(frame.to_unit(mesh.vertices), mesh.faces)
    folds = replace(count_limbs(slice_mesh(unit)), leg_pairs=3)
    assert weigh_kinds(unit, folds)["biped"] > 0.9
    assert weigh_kinds(unit, replace(folds, upright=False))["biped"] == 0


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("make", "preset"), [(characters.person, "biped"), (characters.quadruped, "quadruped"),
                                              (characters.centaur, "centaur"), (characters.bird, "bird")],
                         ids=["person", "animal", "centaur", "bird"])
def test_known_kinds_are_likely_and_the_odds_sum_to_one(make, preset):
    found = check_character(make(vertices=1600).mesh, stance=UPRIGHT)
    assert next(iter(found.odds)) == found.preset == preset
    assert found.odds[preset] > CLEAR and found.other_preset == ""
    assert sum(found.odds.values()) == pytest.approx(1)
    assert list(found.odds.values()) == sorted(found.odds.values(), reverse=True)


@pytest.mark.slow
def test_a_shield_on_a_level_arm_makes_no_wings():
    """Alone, or with a sword in the other hand, which makes both sides reach far ahead."""
    for things in (("shield",), ("sword", "shield")):
        mesh = characters.dressed(*things, arm_angle=0).mesh
        found = check_character(mesh, stance=UPRIGHT)
        assert found.preset == "biped" and found.odds["biped"] > CLEAR and "bird" not in found.odds
        assert unlike_preset(found, load_template("biped")) == ()


def test_doubt_names_the_two_likeliest(monkeypatch):
    monkeypatch.setattr("core.fitting.verdict.unseen", lambda mesh, kind: EVEN[True])
    found = check_character(characters.person(vertices=1600).mesh, stance=UPRIGHT)
    assert {found.preset, found.other_preset} == {"biped", "shape"}
    assert any("'biped'" in w and "'shape'" in w and "not clear what" in w for w in found.warnings)


@pytest.mark.parametrize(("preset", "share", "doubts"), [
    ("theropod", 0.78, True), ("theropod", 0.82, False), ("biped", 0.58, True), ("biped", 0.62, False),
    ("shape", 0.62, False)])
def test_a_creature_is_told_without_doubt_only_where_it_is_likelier_than_others_are(monkeypatch, preset, share, doubts):
    other = "quadruped" if preset == "shape" else "shape"
    monkeypatch.setattr("core.fitting.check.weigh_kinds", lambda *_: {preset: share, other: 1 - share})
    found = check_character(characters.person(vertices=1600).mesh, stance=UPRIGHT)
    assert (found.preset, found.other_preset == other) == (preset, doubts)
    assert any("not clear what" in w for w in found.warnings) == doubts


@pytest.mark.parametrize(("odds", "told"), [
    ({"dragon": 0.9, "biped": 0.1}, "quadruped bird"), ({"dragon": 0.99, "biped": 0.01}, "biped quadruped bird"),
    ({"dragon": 0.82, "shape": 0.18}, "biped quadruped bird"), ({"dragon": 0.78, "shape": 0.22}, ""),
    ({"quadruped": 0.62, "shape": 0.38}, ""), ({"quadruped": 0.99, "shape": 0.01}, "biped bird"),
    ({"biped": 0.6, "biped_tail": 0.395, "quadruped": 0.005}, "quadruped bird"),
    ({"dragon": 0.6, "wyvern": 0.4}, "biped quadruped bird"), ({"bird": 0.97, "biped": 0.03}, "quadruped")])
def test_who_chooses_a_kind_is_told_that_another_suits_better_only_where_that_is_sure(monkeypatch, odds, told):
    """That it is one of several others is as sure as their odds together; of no known kind at all it may be too."""
    monkeypatch.setattr("core.fitting.check.weigh_kinds", lambda *_: odds)
    found = check_character(characters.person(vertices=1600).mesh, stance=UPRIGHT)
    chosen = [name for name in ("biped", "quadruped", "bird") if unlike_preset(found, load_template(name))]
    assert chosen == told.split()


def test_broad_wings_make_a_bird_of_what_is_not_clearly_seen_as_a_person(monkeypatch):
    mesh = characters.person(vertices=1600).mesh
    mesh = Mesh(unit_frame(mesh).to_unit(mesh.vertices), mesh.faces)
    census = replace(count_limbs(slice_mesh(mesh)), wings=True)
    assert next(iter(weigh_kinds(mesh, census))) == "biped"
    for unlike, kind in ((PERSON - 0.05, "biped"), (PERSON + 0.05, "bird")):
        monkeypatch.setattr("core.fitting.verdict.unseen", lambda mesh, kind, unlike=unlike: unlike)
        assert next(iter(weigh_kinds(mesh, census))) == kind


def test_legs_that_show_make_a_kind_likelier(monkeypatch):
    monkeypatch.setattr("core.fitting.verdict.unseen", lambda mesh, kind: (EVEN[True] + EVEN[False]) / 2)
    mesh = characters.person(vertices=1600).mesh
    mesh = Mesh(unit_frame(mesh).to_unit(mesh.vertices), mesh.faces)
    census = count_limbs(slice_mesh(mesh))
    assert census.leg_pairs == 1 and next(iter(weigh_kinds(mesh, census))) == "biped"
    assert next(iter(weigh_kinds(mesh, replace(census, leg_pairs=0)))) == "shape"


@pytest.mark.parametrize(("further", "share"), [(-1.0, 1.0), (0.0, 0.5), (1.0, 0.0)])
def test_how_unlike_a_body_is_what_was_learned_says_how_likely_it_is_of_no_kind(monkeypatch, further, share):
    monkeypatch.setattr("core.fitting.verdict.unseen", lambda mesh, kind: EVEN[True] + 10 * further / SLOPE)
    mesh = characters.person(vertices=1600).mesh
    mesh = Mesh(unit_frame(mesh).to_unit(mesh.vertices), mesh.faces)
    odds = weigh_kinds(mesh, count_limbs(slice_mesh(mesh)))
    assert odds["shape"] == pytest.approx(1 - share, abs=1e-3) and sum(odds.values()) == pytest.approx(1)


def test_a_doubtful_stance_offers_the_next_likeliest():
    mesh = characters.person(vertices=1600).mesh
    stance = stance_facing("Z", "-Y")
    sure = check_character(mesh, stance=stance)
    assert sure.other_stance == ()
    doubtful = type(stance)(stance.rotation, 0.5, other=("Z", "Y"))
    assert check_character(mesh, stance=doubtful).other_stance == ("Z", "Y")
    assert np.allclose(doubtful.rotation, np.eye(3))


@pytest.mark.parametrize(("up", "front", "reason", "offered"), [
    ("-Z", "X", REASONS[0], ("Z", "X")), ("Y", "Z", REASONS[0], ("Z", "-Y")), ("Z", "X", REASONS[0], ()),
    ("-Z", "X", UP_SET, ())])
def test_what_was_turned_for_sure_can_be_turned_back(up, front, reason, offered):
    """Unless an artist has said how it stands."""
    stance = replace(stance_facing(up, front), confidence=0.9, reason=reason)
    assert check_character(box((1.0, 0.6, 0.3)).mesh, stance=stance).other_stance == offered


@cache
def standing_hen() -> tuple[Shape, LimbCensus]:
    shape = prepare(characters.hen().mesh, stance=UPRIGHT)
    return shape, replace(count_limbs(slice_shape(shape)), leg_pairs=1)


@pytest.mark.long
@pytest.mark.parametrize(("kind", "unlike", "ahead", "told"), [
    ("biped", 3.0, AHEAD + 0.01, "theropod"), ("biped", 3.0, AHEAD - 0.01, "biped"),
    ("biped", PERSON - 0.01, AHEAD + 0.01, "biped"), ("quadruped", 2.85, AHEAD + 0.01, "theropod"),
    ("quadruped", 2.85, AHEAD - 0.01, "quadruped"), ("biped_tail", 2.85, AHEAD + 0.01, "biped_tail")])
def test_a_bird_that_stands_is_no_person_and_no_animal(monkeypatch, kind, unlike, ahead, told):
    """It is like a dinosaur, and its head lies ahead of its feet."""
    odds = {"biped": -9.0, "biped_tail": -9.0, "quadruped": -9.0, "centaur": -9.0} | {kind: -1e-3}
    for name, value in (("kind_odds", odds), ("find_missing", Missing()), ("unseen", unlike), ("_ahead", ahead),
                        ("has_tail", False)):
        monkeypatch.setattr(f"core.fitting.verdict.{name}", lambda *_, value=value: value)
    shape, census = standing_hen()
    assert next(iter(weigh_kinds(shape.mesh, census, shape))) == told


@pytest.mark.parametrize(("feet", "pairs"), [
    ([(0.1, -0.2), (-0.1, -0.2), (0.1, 0.05), (-0.1, 0.05)], 2), ([(0.1, -0.2), (-0.1, -0.2), (0.1, -0.05)], 1),
    ([(0.1, -0.2), (-0.1, -0.2), (0.1, 0.05)], 1), ([(0.1, -0.2), (-0.1, -0.2), (0.0, 0.05)], 1), ([], 0),
    ([(0.1, -0.2), (-0.1, -0.2), (0.1, 0.1), (-0.1, 0.1), (0.1, 0.4), (-0.1, 0.4)], 3)])
def test_pairs_of_feet_stand_one_behind_the_other_on_both_sides(feet, pairs):
    grid = Grid((-0.5, -0.5, -0.1), 0.02, (50, 50, 30))
    solid = np.zeros(grid.shape, bool)
    solid[:, :, 10:] = True
    for x, y in feet:
        i, j, _ = grid.index_of(np.array([[x, y, 0.0]]))[0]
        solid[i - 1:i + 2, j - 1:j + 2, 5:10] = True
    solid[:, :, 10:] = len(feet) > 0
    field = SimpleNamespace(grid=grid, solid=solid)
    assert pairs_on_ground(SimpleNamespace(body=field)) == pairs


@pytest.mark.long
def test_a_pair_of_feet_that_haunches_hide_makes_an_animal_likelier(monkeypatch):
    odds = {"biped": -9.0, "biped_tail": -9.0, "quadruped": -1e-3, "centaur": -9.0}
    for name, value in (("kind_odds", odds), ("find_missing", Missing()), ("unseen", sum(EVEN.values()) / 2),
                        ("_ahead", 0.0)):
        monkeypatch.setattr(f"core.fitting.verdict.{name}", lambda *_, value=value: value)
    shape = prepare(characters.hen().mesh, stance=UPRIGHT)
    census = replace(count_limbs(slice_shape(shape)), leg_pairs=1)
    for pairs, is_likely in ((1, False), (2, True)):
        monkeypatch.setattr("core.fitting.verdict.pairs_on_ground", lambda _, pairs=pairs: pairs)
        assert (weigh_kinds(shape.mesh, census, shape)["quadruped"] > 0.5) == is_likely


def test_how_far_a_head_lies_ahead_of_the_feet():
    mesh = Mesh([[0, 0.1, 0], [0, 0.3, 0.07], [0, 5, 0.5], [0, -0.2, 0.9], [0, -0.4, 1.0]], [[0, 1, 2], [2, 3, 4]])
    assert _ahead(mesh) == pytest.approx(0.5)
    taller = Mesh(mesh.vertices * [1, 1, 3], mesh.faces)
    assert _ahead(taller) == pytest.approx(0.5)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("tall", [0.4, 1.0])
@pytest.mark.parametrize(("kind", "pairs"), [("biped", 1), ("quadruped", 2)])
def test_what_stands_on_two_legs_and_is_nearly_as_long_as_tall_may_be_a_creature(monkeypatch, tall, kind, pairs):
    asked = []
    odds = {"biped": -9.0, "biped_tail": -9.0, "quadruped": -9.0, "centaur": -9.0} | {kind: -1e-3}
    for name, value in (("kind_odds", odds), ("find_missing", Missing()), ("unseen", PERSON), ("is_on_wheels", False),
                        ("person_on_four_legs", Rider(-np.inf, False)), ("_parted", 0.0)):
        monkeypatch.setattr(f"core.fitting.verdict.{name}", lambda *_, value=value: value)
    monkeypatch.setattr("core.fitting.verdict._with_creature",
                        lambda share, shape, census, odd, shown, leans: asked.append(odd) or share)
    census = replace(count_limbs(slice_mesh(box((0.3, 0.3, 1.0)).mesh)), leg_pairs=pairs, upright=pairs == 1,
                     wings=False, reach=(0.1, 0.1))

    def is_odd(deep: float) -> bool:
        asked.clear()
        weigh_kinds(box((0.2, deep, tall)).mesh, census, shape=object())
        return True in asked

    if kind == "biped":
        assert turning_point(is_odd, 0.1, 2.0) == pytest.approx(0.9 * tall, rel=0.01)
    else:
        assert not is_odd(0.1) and not is_odd(2.0), "animals are as long as they are"


@pytest.mark.long
@pytest.mark.parametrize(("make", "preset"), [(block_animal, "quadruped"), (characters.quadruped, "shape")])
def test_an_animal_of_blocks_shows_its_joints_less(monkeypatch, make, preset):
    monkeypatch.setattr("core.fitting.verdict.unseen", lambda *_: BLOCKS - 0.1)
    monkeypatch.setattr("core.fitting.verdict.find_missing", lambda *_: Missing())
    shape = prepare(make().mesh, stance=UPRIGHT)
    census = count_limbs(slice_shape(shape))
    assert census.leg_pairs == 2 and next(iter(weigh_kinds(shape.mesh, census))) == preset
    assert next(iter(weigh_kinds(shape.mesh, replace(census, leg_pairs=1)))) == "shape"


@pytest.mark.long
@pytest.mark.parametrize("of_blocks", [False, True])
def test_a_creatures_limbs_tell_no_more_than_others_where_a_body_is_of_blocks(monkeypatch, of_blocks):
    odds = {"biped": 0.0, "biped_tail": -99.0, "quadruped": -99.0, "centaur": -99.0}
    for what, value in (("kind_odds", odds), ("find_missing", Missing()), ("unseen", EVEN[True] - 0.1),
                        ("person_on_four_legs", Rider(-np.inf, False)), ("blocks_of", of_blocks or None)):
        monkeypatch.setattr(f"core.fitting.verdict.{what}", lambda *_, value=value: value)
    shape = prepare(characters.octopus().mesh, stance=UPRIGHT)
    census = replace(count_limbs(slice_shape(shape)), upright=True, leg_pairs=1, wings=False)
    assert (next(iter(weigh_kinds(shape.mesh, census, shape))) == "biped") == of_blocks
