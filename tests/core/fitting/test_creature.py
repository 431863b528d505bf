"""Known creatures are told among shapes, named as their limbs are called, counted from the body."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from core.errors import BadTemplate
from core.fitting.check import check_character, unlike_preset
from core.fitting.creature import Seen, creature_names, load_creature, match, weigh_creatures
from core.fitting.from_shape import DETAIL, is_shape, seen_in, shape_template, template_in
from core.fitting.limb_sorts import alike_around, has_knee
from core.fitting.outline import Line, Outline
from core.fitting.trunk import legs_off_wings
from core.fitting.verdict import SHOWN, _with_creature
from core.geometry.mesh import Mesh
from core.geometry.shape import Shape
from core.geometry.symmetry import MirrorPlane
from core.seeing.limb_census import count_limbs
from core.seeing.silhouette import slice_shape
from core.skeleton.preset import load_template
from tests import characters
from tests.characters.blocky import walker
from tests.core.fitting.bodies import prepared

BODIES = {"spider": characters.many_legged, "insect": lambda: characters.many_legged(pairs=3),
          "ten legs": lambda: characters.many_legged(pairs=5), "seven legs": lambda: characters.many_legged(lost=1),
          "snake": characters.snake, "fish": characters.fish, "whale": characters.whale, "octopus": characters.octopus,
          "bent snake": lambda: characters.snake(bends=1.0), "wound snake": lambda: characters.snake(bends=1.5),
          "dragon": lambda: characters.beast(legs=2), "wyvern": lambda: characters.beast(legs=1),
          "one wing": lambda: characters.beast(legs=2, wings="L"), "mermaid": characters.mermaid,
          "winged hydra": lambda: characters.beast(legs=2, necks=3, tails=2),
          "hydra": lambda: characters.hydra(necks=4), "tree": characters.tree,
          "three necks": lambda: characters.beast(legs=2, necks=3, wings=""),
          "theropod": lambda: characters.beast(legs=1, wings="", arms=True), "ghost": characters.ghost,
          "chair": characters.chair, "star": characters.star}
IS = {"ten legs": "spider", "seven legs": "spider", "whale": "fish", "one wing": "dragon", "winged hydra": "dragon",
      "three necks": "hydra", "bent snake": "snake", "wound snake": "snake",
      **{name: name for name in ("spider", "insect", "snake", "fish", "octopus", "dragon", "wyvern", "theropod",
                                 "mermaid", "hydra")}}
# How many chains of each sort a body of each kind gets.
LIMBS = {"spider": {"leg": 8}, "insect": {"leg": 6}, "ten legs": {"leg": 10}, "seven legs": {"leg": 7}, "snake": {},
         "octopus": {"arm": 8}, "dragon": {"leg": 4, "wing": 2}, "one wing": {"leg": 4, "wing": 1},
         "winged hydra": {"leg": 4, "wing": 2, "neck": 3, "tail": 3}, "hydra": {"leg": 4, "neck": 4},
         "three necks": {"leg": 4, "neck": 3}, "wyvern": {"leg": 2, "wing": 2},
         "theropod": {"leg": 2, "arm": 2}, "mermaid": {"arm": 2, "fluke": 2}}


@cache
def body(name: str) -> Shape:
    return prepared(BODIES[name]().mesh)


def chains(names, stem: str) -> set[str]:
    """The chains of bones of a sort: leg_2_1.L and leg_2_2.L are one."""
    found = {n for n in names if n.split("_")[0].split(".")[0] == stem and "finger" not in n}
    return {n.rpartition("_")[0] + n.partition(".")[2] for n in found}


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("name", BODIES)
def test_a_creature_is_told_and_what_is_none_is_not(name):
    odds = weigh_creatures(seen_in(body(name)))
    assert sum(odds.values()) == pytest.approx(1.0)
    likeliest = next(iter(odds))
    assert likeliest == IS[name] and odds[likeliest] > 0.6 if name in IS else likeliest == "" or odds[likeliest] < 0.6


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("name", LIMBS)
def test_limbs_are_counted_from_the_body_and_called_by_their_names(name):
    template = shape_template(body(name), what=IS[name])
    bones = [b.name for b in template.bones]
    assert template.name == IS[name] and not template.warnings
    assert not [b for b in bones if b.startswith("limb_")]
    for sort, count in LIMBS[name].items():
        assert len(chains(bones, sort)) == count, (sort, bones)
    if name in ("spider", "insect", "ten legs"):
        assert {"leg_1_1.L", "leg_1_4.L", "leg_3_4.R"} <= set(bones) and "leg_1_5.L" not in bones
    if name == "hydra":
        assert {"neck_2_1.L", "neck_2_1.R", "neck_3_1.L", "leg_2_3.R"} <= set(bones) and "head" not in bones
    if name in ("dragon", "wyvern", "theropod", "three necks"):
        assert {"head", "neck_1", "spine_1", "tail_1"} <= set(bones)
        assert ("wing_3.R" in bones) == (name in ("dragon", "wyvern"))


@pytest.mark.slow
def test_legs_that_are_posed_unlike_on_both_sides_are_numbered_alike():
    mesh = characters.many_legged().mesh
    x, y, z = mesh.vertices.T
    turn = 0.15 * np.cos(2 * np.arctan2(y, np.abs(x))) * np.clip(8 * np.abs(x) - 1, 0, 1)  # left forwards, right back
    posed = np.stack([np.cos(turn) * x - np.sin(turn) * y, np.sin(turn) * x + np.cos(turn) * y, z], 1)
    template = template_in(prepared(Mesh(posed, mesh.faces)), "spider")
    starts = {side: [template.positions[template.index(f"leg_{k}_1.{side}")][1] for k in (1, 2, 3, 4)] for side in "LR"}
    assert all(np.diff(own).min() > 0 for own in starts.values())
    assert {n[:-2] for n in template.names if n.endswith(".L")} == {n[:-2] for n in template.names if n.endswith(".R")}


def test_a_limb_left_over_in_front_is_no_partner_of_one_behind():
    points = np.linspace([0.1, -0.3, 0.2], [0.4, -0.3, 0.0], 5)
    outline = Outline.__new__(Outline)
    outline.plane = MirrorPlane(0.0, 0, 0.7)
    near, far = (Line("limb", "R", points * [-1, 1, 1] + [0, back, 0], np.ones(5), None, 1.0) for back in (0.1, 0.3))
    left = Line("limb", "L", points, np.ones(5), None, 1.0)
    outline._pair_by_place([left, far])
    assert left.twin is None and far.twin is None
    outline._pair_by_place([left, far, near])
    assert left.twin is near and near.twin is left and far.twin is None


@pytest.mark.long
def test_the_slider_changes_how_many_bones_a_creature_has():
    counts = [len(template_in(body("spider"), name).bones) for name in ("spider 0", "spider", "spider 1")]
    assert counts[0] < counts[1] < counts[2]
    assert template_in(body("spider"), "spider 0").name == "spider 0"


@pytest.mark.slow
def test_the_verdict_names_it_and_leaves_people_and_animals_alone():
    for name in ("spider", "snake", "fish", "dragon", "mermaid"):
        found = check_character(body(name))
        assert (found.preset, found.kind) == (IS[name], "other") and found.odds[IS[name]] > 0.6
        assert sum(found.odds.values()) == pytest.approx(1.0)
    for grown, preset in ((characters.person(vertices=1800), "biped"),
                          (characters.quadruped(species="cow", vertices=1600), "quadruped")):
        assert check_character(prepared(grown.mesh)).preset == preset


@pytest.mark.long
def test_a_choice_that_does_not_match_is_told_and_the_shape_is_rigged():
    template = shape_template(body("snake"), what="dragon")
    assert template.name == "shape" and "unlike the skeleton 'dragon'" in template.warnings[0]
    assert [b.name for b in template.bones] == [b.name for b in shape_template(body("snake")).bones]
    assert "'biped' is for another kind of body" in unlike_preset(check_character(body("dragon")),
                                                                 load_template("biped"))[0]


@pytest.mark.long
def test_what_is_missing_costs_more_than_nothing():
    seen = seen_in(body("seven legs"))
    whole, lost = match(seen_in(body("spider")), load_creature("spider")), match(seen, load_creature("spider"))
    assert whole.cost == 0 < lost.cost and lost.fits and "7 of 8" in lost.wrong[0]
    assert not match(seen, load_creature("snake")).fits


@pytest.mark.slow
def test_moved_and_enlarged_creatures_are_the_same():
    made = BODIES["dragon"]()
    other = prepared(made.moved(3 * np.eye(3), (5, -2, 1)).mesh)
    assert weigh_creatures(seen_in(other)) == pytest.approx(weigh_creatures(seen_in(body("dragon"))))


@pytest.mark.parametrize("name", creature_names())
def test_presets_are_sound(name):
    creature = load_creature(name)
    assert creature.name == name and is_shape(name) and is_shape(f"{name} 0.8")
    assert all(0 <= limbs.least <= limbs.most for limbs in creature.limbs)
    assert creature.trunk in ("level", "upright", "any")


def test_a_broken_preset_is_refused_by_name(tmp_path, monkeypatch):
    monkeypatch.setattr("core.fitting.creature.PRESETS", tmp_path)
    (tmp_path / "kraken.json").write_text('{"format": "geppetto-creature", "version": 9}')
    with pytest.raises(BadTemplate, match="kraken"):
        load_creature("kraken")


@pytest.mark.slow
def test_two_legs_and_two_wings_on_a_long_body_are_a_wyvern():
    found = check_character(body("wyvern"))
    assert found.preset == "wyvern" and found.odds["wyvern"] > 0.6


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("make", "is_called"), [(characters.bird, "bird"), (lambda rng: characters.beast(rng, legs=1),
                                                                             "wyvern")], ids=["bird", "wyvern"])
@pytest.mark.parametrize("seed", [400, 401, 402])
def test_a_bird_is_no_wyvern(make, is_called, seed):
    found = check_character(prepared(make(np.random.default_rng(seed)).mesh))
    assert found.preset == is_called and found.odds[is_called] > 0.6


@pytest.mark.slow
def test_a_wyvern_that_lost_its_tail_is_a_flyer_but_what_looks_like_a_bird_is_one():
    lost = prepared(characters.beast(np.random.default_rng(2), legs=1, tails=0).mesh)
    found = check_character(lost)
    assert found.preset == "flyer" and found.odds["flyer"] > 0.6
    bird = {"bird": 0.9, "shape": 0.1}
    told = lambda shape: _with_creature(bird, shape, count_limbs(slice_shape(shape)), True, SHOWN, False)  # noqa: E731
    assert max(told(lost), key=told(lost).__getitem__) == "bird"
    assert told(body("wyvern"))["wyvern"] > 0.6


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("legs", "seed"), [("drawn", 500), ("down", 501), ("", 502)])
def test_a_bird_in_the_air_is_a_flyer_with_bones_in_its_wings_and_legs(legs, seed):
    shape = prepared(characters.flyer(np.random.default_rng(seed), legs=legs).mesh)
    found = check_character(shape)
    assert found.preset == "flyer" and found.odds["flyer"] > 0.6
    names = {bone.name for bone in shape_template(shape, what="flyer").bones}
    assert {"wing_3.L", "wing_3.R", "head", "tail_1"} <= names
    assert ("leg_1.L" in names) == bool(legs)


@pytest.mark.parametrize("what", [{"flat": 2.5}, {"high": 0.3}], ids=["a sheet ahead", "the head over the rear"])
def test_what_flies_backwards_looks_back(what):
    high, flat = what.get("high", 0.0), what.get("flat", 1.2)
    front = line((0, 0, 0.5), (0, 0.2 if high else -0.3, 0.5 + high), side="", part="spine", flat=flat)
    rear = line((0, 0, 0.5), (0, -0.2 if high else 0.3, 0.5 - high), side="", part="tail", parent=front)
    wings = [line((x, 0, 0.5), (5 * x, 0, 0.6), parent=front, flat=2.5) for x in (-0.1, 0.1)]
    assert Seen([front, rear, *wings], 0.0, 0.0).looks_back
    assert not Seen([front, rear], 0.0, 0.0).looks_back
    rear.flat, rear.points[:, 1], front.points[:, 1] = 2.5, np.abs(rear.points[:, 1]), -np.abs(front.points[:, 1])
    assert not Seen([front, rear, *wings], 0.0, 0.0).looks_back


@pytest.mark.long
@pytest.mark.parametrize(("pairs", "is_told"), [(1, True), (2, False)])
def test_what_stands_on_two_pairs_of_feet_is_no_creature_of_two_legs(monkeypatch, pairs, is_told):
    """A frog that crouches shows its hind legs as wings."""
    monkeypatch.setattr("core.fitting.verdict.pairs_on_ground", lambda shape: pairs)
    shape, share = body("wyvern"), {"quadruped": 0.3, "shape": 0.7}
    told = _with_creature(share, shape, count_limbs(slice_shape(shape)), True, SHOWN, False)
    assert ("wyvern" in told) == is_told and (is_told or told == share)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("wings", "necks"), [("L", 1), ("R", 2), ("LR", 3)])
def test_four_legs_and_a_wing_are_a_dragon_whatever_wing_it_lost_and_however_many_necks_it_has(wings, necks):
    found = check_character(prepared(characters.beast(wings=wings, necks=necks).mesh))
    assert found.preset == "dragon" and found.odds["dragon"] > 0.6


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("necks", [2, 3, 5])
def test_necks_beside_each_other_on_four_legs_are_a_hydra(necks):
    found = check_character(prepared(characters.hydra(necks=necks).mesh))
    assert found.preset == "hydra" and found.odds["hydra"] > 0.6
    assert sum(found.odds.values()) == pytest.approx(1.0)


@pytest.mark.parametrize(("how", "is_hydra"), [
    ({}, True), ({"ahead": 0.2}, False), ({"flat": 2.0}, False), ({"long": 0.1}, False), ({"legs": 3}, False),
    ({"goes_on": 0.3}, True), ({"goes_on": 0.3, "thick": 0.12}, False)])
def test_necks_begin_over_the_forelegs_and_are_round_long_and_alike(how, is_hydra):
    """Horns, ears and antlers stand on a head ahead of the legs, which is thicker than they are."""
    y, long = -0.2 - how.get("ahead", 0.02), how.get("long", 0.3)
    spine = line((0, 0.2, 0.5), (0, y - how.get("goes_on", 0.0), 0.5), side="", part="spine")
    spine.radii[:] = how.get("thick", 0.06)
    limbs = [line((x, -0.2 + 0.15 * k, 0.45), (x, -0.2 + 0.15 * k, 0), parent=spine)
             for k in range(how.get("legs", 2)) for x in (-0.1, 0.1)]
    necks = [line((x, y, 0.55), (2 * x, y - long, 0.6), parent=spine, flat=how.get("flat", 1.0)) for x in (-0.1, 0.1)]
    seen = Seen([spine, *limbs, *necks], 0.0, 0.0)
    assert ("fan" in seen.sorts[id(necks[0])]) == is_hydra
    assert (next(iter(weigh_creatures(seen))) == "hydra") == is_hydra


def test_where_necks_touch_what_is_left_of_one_at_the_fork_is_a_neck_and_a_stump_elsewhere_is_none():
    spine = line((0, 0.2, 0.5), (0, -0.32, 0.5), side="", part="spine")
    legs = [line((x, -0.2, 0.45), (x, -0.2, 0), parent=spine) for x in (-0.1, 0.1)]
    necks = [line((x, -0.22, 0.55), (2 * x, -0.52, 0.6), parent=spine) for x in (-0.1, 0.1)]
    at_fork, beside = (line((0.03, y, 0.52), (0.04, y - 0.05, 0.55), parent=spine) for y in (-0.32, -0.24))
    seen = Seen([spine, *legs, *necks, at_fork, beside], 0.0, 0.0)
    assert [one for one in seen.limbs if "fan" in seen.sorts[id(one)]] == [*necks, at_fork]


@pytest.mark.parametrize("bow", [0.15, 0.0])
def test_hind_legs_with_knees_that_reach_back_are_no_tails(bow):
    """An insect's six legs were a dragon's four and two tails."""
    legs = [line((0.3 * x, y, 0.3), (x, 2.5 * y, 0.0), parent=SPINE) for x in (-0.3, 0.3) for y in (-0.1, 0.05, 0.21)]
    wings = [line((x, 0, 0.4), (5 * x, 0.1, 0.6), parent=SPINE, flat=2.5) for x in (-0.1, 0.1)]
    for leg in legs:
        leg.points[:, 2] += bow * np.sin(np.linspace(0, np.pi, 9))
    seen = Seen([SPINE, *legs, *wings], 0.0, 0.0)
    assert any("tail" in seen.sorts[id(leg)] for leg in legs) == (bow == 0.0)
    assert (next(iter(weigh_creatures(seen).items())) > ("insect", 0.9)) == (bow > 0)


def test_two_tails_at_the_end_of_the_rear_are_as_long_as_it_and_they():
    spine = line((0, 0, 0.5), (0, -0.4, 0.5), side="", part="spine")
    rear = line((0, 0, 0.5), (0, 0.2, 0.5), side="", part="tail", parent=spine)
    tails = [line((x, 0.2, 0.5), (2 * x, 0.5, 0.5), parent=rear) for x in (-0.05, 0.05)]
    assert Seen([spine, rear, *tails], 0.0, 0.0).tail == pytest.approx(0.51, abs=0.01)


def test_legs_of_a_flyer_stand_on_the_ground_if_any_do():
    legs, tails = ([line((x, 0.1, 0.45), end(x), parent=SPINE) for x in (-0.1, 0.1)]
                   for end in (lambda x: (x, 0.1, 0.0), lambda x: (2 * x, 0.7, 0.4)))
    wings = [line((x, 0, 0.55), (6 * x, 0, 0.6), parent=SPINE, flat=2.5) for x in (-0.1, 0.1)]
    found = match(Seen([SPINE, *tails, *wings, *legs], 0.0, 0.0), load_creature("flyer"))
    assert [found.is_called(i, "leg") for i in range(7)] == [False] * 5 + [True] * 2


@pytest.mark.slow
def test_tails_behind_two_legs_are_no_legs_of_a_dragon():
    odds = weigh_creatures(seen_in(prepared(characters.beast(np.random.default_rng(1), legs=1, tails=2).mesh)))
    assert next(iter(odds)) == "wyvern" and odds["wyvern"] > 0.6


@pytest.mark.slow
@pytest.mark.parametrize(("detail", "spine"), [(DETAIL, {"spine_1", "neck_1", "neck_2", "head"}),
                                               (0.0, {"spine_1", "neck_1", "head"})])
def test_what_has_a_neck_has_bones_for_it_unless_bones_are_to_be_few(detail, spine):
    names = shape_template(prepared(characters.hen().mesh), detail, "theropod").names
    assert {name for name in names if name.startswith(("spine", "neck", "head")) and "tip" not in name} == spine


@pytest.mark.parametrize(("high", "costs"), [(0.03, False), (0.06, True)])
def test_toes_on_the_ground_are_no_branches(high, costs):
    legs = [line((x, 0, 0.5), (x, 0, 0.02), side=side, parent=SPINE) for x, side in ((0.2, "L"), (-0.2, "R"))]
    toe = line((0.2, 0, high), (0.2, -0.15, 0.01), parent=legs[0])
    theropod = load_creature("theropod")
    with_toe, without = (match(Seen([SPINE, *legs, *toes], 0.0, 0.0), theropod).cost for toes in ((toe,), ()))
    assert (with_toe > without) == costs


@pytest.mark.long
def test_fins_held_out_are_no_legs():
    seen = seen_in(prepared(characters.fish(np.random.default_rng(1)).mesh))
    assert "leg" not in set().union(*seen.sorts.values())
    assert next(iter(weigh_creatures(seen))) == "fish"


@pytest.mark.parametrize(("tail", "thick", "is_one"), [
    ((0, 0.05, 0.0), 0.06, True), ((0, 0.7, 0.3), 0.06, True), ((0, 0.05, 0.0), 0.25, False)],
    ids=["upright", "on the ground", "a penguin"])
def test_a_mermaid_may_sit_with_her_tail_on_the_ground_and_is_slender(tail, thick, is_one):
    spine = line((0, 0, 0.45), (0, 0, 0.95), side="", part="spine")
    rear = line((0, 0, 0.45), tail, side="", part="tail", parent=spine)
    spine.radii[:], rear.radii[:] = thick, thick
    arms = [line((x, 0, 0.8), (4 * x, 0, 0.6), parent=spine) for x in (-0.1, 0.1)]
    flukes = [line((x, *tail[1:]), (6 * x, tail[1] + 0.1, tail[2]), parent=rear, flat=2.5) for x in (-0.02, 0.02)]
    seen = Seen([spine, rear, *arms, *flukes], 0.0, 0.0)
    assert (seen.rise > 0.8) == (tail[1] < 0.1)
    assert (next(iter(weigh_creatures(seen))) == "mermaid") == is_one


@pytest.mark.parametrize(("what", "is_leg"), [({}, True), ({"end": 0.2}, False), ({"wing": 0.02}, False),
                                              ({"twins": False}, False)])
def test_a_leg_that_touches_a_wing_begins_where_the_wing_does(what, is_leg):
    """A leg's toes grow out of what is on the ground, and a staff in one hand is no leg."""
    legs = [line((x, y, 0.4), (3 * x, y, 0.0), parent=SPINE) for x in (-0.1, 0.1) for y in (-0.1, 0.0)]
    wings = [line((x, 0.1, 0.5), (6 * x, 0.1, what.get("wing", 0.7)), parent=SPINE, flat=1.3) for x in (-0.1, 0.1)]
    hind = [line((3 * x, 0.1, 0.5), (4 * x, 0.2, what.get("end", 0.0)), parent=wing)
            for x, wing in zip((-0.1, 0.1), wings, strict=True)]
    if what.get("twins", True):
        hind[0].twin, hind[1].twin = hind[1], hind[0]
    lines = [SPINE, *legs, *wings, *hind]
    assert legs_off_wings(Seen(lines, 0.0, 0.0)) == is_leg
    seen = Seen(lines, 0.0, 0.0)
    assert match(seen, load_creature("insect")).count("leg") == (6 if is_leg else 4 if "wing" not in what else 6)
    if is_leg:
        assert hind[0].parent is SPINE and np.array_equal(hind[0].points[0], wings[0].points[0])
        assert "wing" in seen.sorts[id(wings[0])]


@pytest.mark.parametrize(("abdomen", "wings", "is_back"), [(0.55, 2, True), (0.35, 2, False), (0.55, 0, False)])
def test_a_long_abdomen_ahead_of_legs_and_wings_is_behind_them(abdomen, wings, is_back):
    spine = line((0, 0.05, 0.3), (0, -abdomen, 0.3), side="", part="spine")
    rear = line((0, 0.05, 0.3), (0, 0.25, 0.3), side="", part="tail", parent=spine)
    legs = [line((x, y, 0.3), (3 * x, y, 0.0), parent=spine) for x in (-0.1, 0.1) for y in (-0.05, 0.05)]
    sheets = [line((x, 0, 0.35), (5 * x, 0, 0.5), parent=spine, flat=2.5) for x in (-0.1, 0.1)][:wings]
    assert Seen([spine, rear, *legs, *sheets], 0.0, 0.0).looks_back == is_back


@pytest.mark.parametrize(("heights", "known"), [
    ((0.2, 0.3, 0.25, 0.1, 0.0), True), ((0.2, 0.2, 0.18, 0.12, 0.0), True), ((0.2, 0.15, 0.2, 0.3, 0.0), True),
    ((0.3, 0.24, 0.16, 0.08, 0.0), False), ((0.3, 0.2, 0.1, 0.05, 0.0), False), ((0.1, 0.02, 0.01, 0.0, 0.0), False)])
def test_a_limb_has_a_knee_if_it_is_bent_upwards(heights, known):
    points = np.column_stack([np.linspace(0, 0.4, len(heights)), np.zeros(len(heights)), heights])
    assert has_knee(Line("limb", "L", points, np.full(len(points), 0.02), None, 5.0)) is known


def line(base, end, *, side: str = "L", flat: float = 1.0, part: str = "limb", parent=None, thick=0.06) -> Line:
    points = np.linspace(base, end, 9)
    return Line(part, side, points, np.full(9, thick), parent, 4.0, flat=flat)


SPINE = line((0, 0.2, 0.5), (0, -0.2, 0.5), side="", part="spine")  # from its rear to its front, 0.5 above the ground


@pytest.mark.parametrize(("base", "end", "how", "sorts"), [
    ((0.1, -0.1, 0.45), (0.15, -0.1, 0.0), {}, {"leg"}), ((0.1, -0.1, 0.45), (0.15, -0.1, 0.1), {}, {"arm", "short"}),
    ((0.1, -0.1, 0.5), (0.5, -0.1, 0.5), {}, {"arm"}), ((0.1, -0.1, 0.5), (0.4, -0.1, 0.5), {}, {"arm", "short"}),
    ((0.1, -0.1, 0.1), (0.5, -0.1, 0.03), {}, {"arm"}), ((0.1, -0.1, 0.15), (0.5, -0.1, 0.02), {}, {"leg"}),
    ((0.1, -0.1, 0.5), (0.5, -0.1, 0.5), {"flat": 2.5}, {"wing"}),
    ((0.1, -0.1, 0.5), (0.35, -0.1, 0.5), {"flat": 2.5}, {"short"}),
    ((0.1, -0.1, 0.3), (0.6, -0.1, 0.0), {"flat": 2.5}, {"wing"}),
    ((0.1, -0.1, 0.5), (0.15, -0.1, 0.0), {"flat": 2.1}, {"leg"}),  # a box
    ((0.1, -0.1, 0.5), (0.15, -0.1, 0.0), {"flat": 1.9, "thick": 0.02}, {"leg"}),  # a thin one
    ((0.1, -0.1, 0.5), (0.15, -0.1, 0.0), {"flat": 2.2, "thick": 0.025}, {"leg", "wing"}),  # may be beaten down
    ((0.1, -0.1, 0.4), (0.4, -0.1, 0.35), {"flat": 1.9}, {"short"}),  # a fist
    ((0, 0.25, 0.5), (0, 0.7, 0.5), {"side": ""}, {"tail"}), ((0, 0.1, 0.5), (0, 0.7, 0.5), {"side": ""}, set()),
    ((0.02, 0.25, 0.5), (0.05, 0.7, 0.5), {}, {"tail", "arm", "drawn"}),
    ((0.02, 0.25, 0.5), (0.4, 0.4, 0.5), {}, {"arm", "drawn"}),
    ((0.02, 0.1, 0.5), (0.4, 0.4, 0.4), {}, {"arm", "drawn"}), ((0.02, 0.25, 0.5), (0.4, 0.4, 0.6), {}, {"arm"}),
    ((0, -0.2, 0.55), (0, -0.5, 0.9), {"side": ""}, {"neck"}), ((0, -0.2, 0.55), (0, -0.7, 0.4), {"side": ""}, set()),
    ((0, -0.2, 0.45), (0, -0.2, 0.0), {"side": ""}, set())])
def test_limbs_are_sorted_by_where_they_begin_and_end(base, end, how, sorts):
    limb = line(base, end, parent=SPINE, **how)
    assert Seen([SPINE, limb], 0.0, 0.0).sorts[id(limb)] == sorts


@pytest.mark.long
def test_boxy_legs_of_a_machine_are_no_wings():
    odds = check_character(prepared(walker(leg=0.4).mesh)).odds
    assert "flyer" not in odds and odds["shape"] > 0.9


@pytest.mark.parametrize(("share", "is_one"), [(0.6, True), (0.8, False)])
def test_arms_of_a_theropod_are_small(share, is_one):
    """An animal that rears has a level trunk, a tail and two legs on the ground as well, and its forelegs are long."""
    rear = line((0, 0.2, 0.5), (0, 0.6, 0.5), side="", part="tail", parent=SPINE)
    legs = [line((x, 0.25, 0.4), (x, 0.2, 0.0), parent=rear) for x in (-0.1, 0.1)]
    arms = [line((x, -0.1, 0.5), (x, -0.1 - 0.4 * share, 0.5), parent=SPINE) for x in (-0.1, 0.1)]
    found = match(Seen([SPINE, rear, *legs, *arms], 0.0, 0.0), load_creature("theropod"))
    assert found.count("leg") == 2 and (found.cost == 0) == is_one


def test_a_bat_has_ears_beside_its_wings():
    wings, ears = ([line((x, 0, z), (x * far, 0, z + up), parent=SPINE, flat=2.5, thick=0.03) for x in (-0.1, 0.1)]
                   for z, far, up in ((0.5, 8, 0.1), (0.6, 1.5, 0.29)))
    seen = Seen([SPINE, *wings, *ears], 0.0, 0.0)
    assert match(seen, load_creature("flyer")).cost == 0
    assert [seen.sorts[id(ear)] for ear in ears] == [{"short"}] * 2


@pytest.mark.parametrize(("raised", "longer", "is_leg"), [(0.05, 1.0, True), (0.15, 1.0, False), (0.05, 1.7, False),
                                                          (0.05, 0.6, False)])
def test_beside_four_legs_one_like_them_that_is_raised_a_little_is_a_leg(raised, longer, is_leg):
    legs = [line((x, y, 0.45), (x, y, 0.0), parent=SPINE) for x in (-0.1, 0.1) for y in (-0.2, 0.2)]
    fifth = line((0.1, 0.0, raised + 0.45 * longer), (0.1, 0.0, raised), parent=SPINE)
    sorts = Seen([SPINE, *legs, fifth], 0.0, 0.0).sorts[id(fifth)]
    assert (sorts == {"leg"}) == ("leg" in sorts) == is_leg, "and nothing else"


@pytest.mark.parametrize(("ahead", "legs", "is_wing"), [(-0.1, 2, True), (0.04, 2, True), (0.15, 2, False),
                                                        (0.15, 1, True)])
def test_a_sheet_that_begins_ahead_of_four_legs_is_an_ear_and_no_wing(ahead, legs, is_wing):
    limbs = [line((x, y, 0.45), (x, y, 0.0), parent=SPINE) for x in (-0.1, 0.1) for y in (-0.2, 0.2)[:legs]]
    sheet = line((0.1, -0.2 - ahead, 0.6), (0.5, -0.2 - ahead, 0.6), parent=SPINE, flat=2.5)
    assert ("wing" in Seen([SPINE, *limbs, sheet], 0.0, 0.0).sorts[id(sheet)]) == is_wing


@pytest.mark.parametrize(("radii", "flat", "is_fish"), [
    ((0.12, 0.02), 2.5, True), ((0.12, 0.02), 1.2, False), ((0.03, 0.02), 2.5, False)])
def test_a_fish_has_a_sheet_for_a_fin_and_is_thick_somewhere(radii, flat, is_fish):
    """Where it is thickest counts: towards the tail it is as thin as a snake."""
    spine = line((0, 0.4, 0.3), (0, -0.4, 0.3), side="", part="spine")
    spine.radii[:] = np.linspace(radii[1], radii[0], 9)
    fins = [line((x, -0.1, 0.3), (3 * x, -0.1, 0.3), parent=spine, flat=flat) for x in (-0.1, 0.1)]
    assert (next(iter(weigh_creatures(Seen([spine, *fins], 0.0, 0.0)))) == "fish") == is_fish


def test_limbs_in_one_plane_are_no_wreath():
    """A scarecrow's arms, its pole's ends and its legs: they sum up to nothing, as an octopus's do."""
    ends = [(1, 0, 0.1), (-1, 0, 0.1), (0.9, 0.1, 0), (-0.9, 0.1, 0), (0.1, 0.05, -1), (-0.1, 0.05, -1)]
    lines = [Line("limb", "", np.linspace(0, 1, 9)[:, None] * end, np.full(9, 0.03), None, 5.0) for end in ends]
    assert alike_around(lines) == []


@pytest.mark.parametrize(("arms", "turn", "longest", "is_wreath"), [(6, 360, 1.0, True), (6, 360, 1.3, True),
                                                                    (6, 150, 1.0, False), (4, 360, 1.0, False)])
def test_five_limbs_alike_that_go_all_ways_are_a_wreath(arms, turn, longest, is_wreath):
    ways = np.deg2rad(np.arange(arms) * turn / arms)
    limbs = [line((0, 0, 0.5), (0.4 * size * np.cos(a), 0.4 * size * np.sin(a), 0.5), parent=SPINE)
             for a, size in zip(ways, np.linspace(1.0, longest, arms), strict=True)]
    seen = Seen([SPINE, *limbs], 0.0, 0.0)
    assert all(("wreath" in seen.sorts[id(limb)]) == is_wreath for limb in limbs)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("arms", "seed"), [(5, 1), (7, 1), (9, 0), (12, 0)])
def test_an_octopus_has_as_many_arms_as_it_shows_and_none_is_its_trunk(arms, seed):
    shape = prepared(characters.octopus(np.random.default_rng(seed), arms=arms).mesh)
    assert check_character(shape).preset == "octopus"
    seen = seen_in(shape)
    assert len(seen.limbs) == arms
    assert seen.rise > 0.8 or arms % 2 == 0  # no arm of an even wreath lies on the plane
    assert len(chains([b.name for b in template_in(shape, "octopus").bones], "arm")) == arms


@pytest.mark.long
def test_a_star_keeps_an_arm_for_its_trunk():
    seen = seen_in(body("star"))
    assert len(seen.limbs) == 4 and check_character(body("star")).preset != "octopus"


def seen_of(lines: list[Line], turn=None) -> Seen:
    """What copies of some lines, turned about the origin, show."""
    turn = np.eye(3) if turn is None else np.array(turn, float)
    copies = {id(line): replace(line, points=line.points @ turn.T) for line in lines}
    for line in copies.values():
        line.parent, line.twin = (copies.get(id(other)) for other in (line.parent, line.twin))
    low = min(float(line.points[:, 2].min()) for line in copies.values())
    return Seen(list(copies.values()), low - 1.0, 0.0)


@pytest.mark.long
@pytest.mark.parametrize("turn", [[[1, 0, 0], [0, 0, -1], [0, 1, 0]], [[1, 0, 0], [0, 0, 1], [0, -1, 0]]])
def test_a_fish_stands_neither_on_its_tail_nor_on_its_nose(turn):
    lines, fish = seen_in(body("fish")).lines, load_creature("fish")
    assert match(seen_of(lines), fish).cost == 0
    assert "its trunk stands up" in match(seen_of(lines, turn), fish).wrong


@pytest.mark.long
def test_fins_and_legs_hardly_branch_and_wings_may():
    for name, sort in (("fish", "short"), ("dragon", "wing")):
        lines = [line for line in seen_in(body(name)).lines if line.part != "limb" or line.parent.part != "limb"]
        on = next(line for line in lines if line.part == "limb" and sort in seen_of(lines).sorts.get(id(line), {sort})
                  and (sort != "wing" or line.flat > 1.7))
        twigs = [Line("limb", "", on.points[-1] + np.linspace(0, 0.3, 9)[:, None] * way, np.full(9, 0.02), on, 5.0)
                 for way in np.eye(3)]
        bare, branched = (match(seen_of(some), load_creature(name)).cost for some in (lines, [*lines, *twigs]))
        assert branched - bare == pytest.approx(3.0 if name == "fish" else 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 7])
def test_an_octopus_is_told_whether_it_points_ahead_between_two_arms_or_with_one(seed):
    """Arms that lie on the mirror plane ahead and behind are no spine and no tail."""
    mesh = characters.octopus(np.random.default_rng(seed)).mesh
    for turn in (0.0, np.pi / 8):
        shape = prepared(Mesh(mesh.vertices @ Rotation.from_euler("z", turn).as_matrix(), mesh.faces))
        assert check_character(shape).preset == "octopus"
