"""The quick check says what a mesh is, and warns of what is wrong with it and of nothing else."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.errors import BadMesh
from core.fitting.check import check_character, suitable_preset, unlike_preset
from core.fitting.forewarning import forewarn, several_bodies, touching_bodies
from core.geometry.frame import unit_frame
from core.geometry.mesh import Mesh
from core.pipeline import prepare
from core.seeing.limb_census import LimbCensus, count_limbs
from core.seeing.silhouette import _inner_depths, slice_mesh, slice_shape
from core.seeing.stance import Stance, detect_stance, stance_facing
from core.skeleton.preset import load_template, preset_names
from tests.characters import bird, blob, centaur, person, quadruped, robot
from tests.core.skinning.solids import joined
from tests.shapes import ball, box

BODIES = {
    "biped": lambda: person(vertices=1800, hair="short"), "t-pose": lambda: person(vertices=1800, arm_angle=0),
    "long hair": lambda: person(np.random.default_rng(4), vertices=1800, hair="long", skirt="none", tail=0.0),
    "robot": robot, "blob": lambda: blob(vertices=1500),
    "tail": lambda: person(vertices=1800, tail=0.3), "skirt": lambda: person(vertices=1800, skirt="ankle"),
    **{s: (lambda s=s: quadruped(species=s, vertices=1600)) for s in ("dog", "cat", "horse", "cow")},
    "bird": lambda: bird(vertices=1500), "centaur": lambda: centaur(vertices=1500)}
PRESET = {"tail": "biped_tail", "bird": "bird", "centaur": "centaur", "dog": "quadruped", "cat": "quadruped",
          "horse": "quadruped", "cow": "quadruped"}


@cache
def body(name: str) -> Mesh:
    return BODIES[name]().mesh


@cache
def checked(name: str):
    return check_character(body(name))


def person_mesh(**options) -> Mesh:
    return person(vertices=1800, hair="none", **options).mesh


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("name", BODIES)
def test_every_body_gets_its_preset_however_it_lies(name):
    mesh, preset = body(name), PRESET.get(name, "biped")
    kind = load_template(preset).kind
    lying = stance_facing("Y", "X").rotation
    turned = check_character(Mesh(mesh.vertices @ lying * 2.5, mesh.faces, mesh.name))
    for found, up, front in ((checked(name), "Z", "-Y"), (turned, "Y", "X")):
        assert (found.kind, found.preset) == (kind, preset) and found.reason
        assert (found.up, found.front) == (up, front)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["biped", "t-pose", "dog", "horse", "bird", "centaur"])
def test_sound_bodies_are_not_warned_about(name):
    assert checked(name).warnings == ()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["biped", "tail", "dog", "bird", "centaur"])
@pytest.mark.parametrize("preset", preset_names())
def test_a_preset_for_another_kind_of_body_names_the_better_one(name, preset):
    found, family = checked(name), {"biped_paper": "biped", "biped_tail": "biped", "horse": "quadruped"}
    better = PRESET.get(name, "biped")
    said = unlike_preset(found, load_template(preset))
    assert bool(said) == (family.get(preset, preset) != family.get(better, better))
    assert all(f"'{better}'" in text and f"'{preset}'" in text for text in said)


@pytest.mark.slow
def test_a_prepared_shape_is_seen_as_its_mesh():
    for name in ("biped", "dog"):
        quick, fine = checked(name), check_character(prepare(body(name)))
        assert (quick.kind, quick.preset, quick.up, quick.front) == (fine.kind, fine.preset, fine.up, fine.front)


@pytest.mark.parametrize("grow", [quadruped, bird])
def test_the_preset_that_is_taken_is_the_one_that_is_told(grow):
    shape = prepare(grow().mesh)
    assert suitable_preset(shape) == check_character(shape).preset


@pytest.mark.slow
def test_arms_against_the_body_are_told_apart():
    """Hanging free; touching with the forearm only; touching all the way."""
    assert not warned(person_mesh(arm_angle=74), "arms")
    assert warned(person_mesh(arm_angle=82), "below the elbow")
    assert warned(person_mesh(arm_angle=88), "no two arms stand out")


def warned(mesh: Mesh, words: str) -> bool:
    return any(words in w for w in check_character(mesh, stance=stance_facing("Z", "-Y")).warnings)


def without(mesh: Mesh, gone) -> Mesh:
    return Mesh(mesh.vertices, mesh.faces[~gone(mesh.triangles.mean(1))], mesh.name)


@pytest.mark.long
def test_a_missing_arm_is_named_by_its_side():
    mesh = person_mesh(arm_angle=10)
    assert warned(without(mesh, lambda p: p[:, 0] > 0.3), "parts of the left arm")
    assert warned(without(mesh, lambda p: p[:, 0] < -0.3), "parts of the right arm")
    assert not warned(mesh, "no bones")


@pytest.mark.slow
def test_hidden_legs_are_named():
    assert warned(body("skirt"), "legs")
    assert not warned(body("biped"), "legs")


def test_two_characters_in_one_mesh_are_noticed():
    mesh = person_mesh(arm_angle=60)
    two = joined(mesh, Mesh(mesh.vertices + [1.5, 0, 0], mesh.faces))
    assert several_bodies(two) and not several_bodies(mesh) and not several_bodies(body("robot"))
    assert warned(two, "two or more characters")


def test_a_second_character_is_noticed_though_it_is_of_small_loose_parts_or_slender():
    mesh = person_mesh(arm_angle=30)
    tall, right = np.ptp(mesh.vertices[:, 2]), mesh.vertices[:, 0].max()
    left = right + 0.2 * tall
    pieces = (((0.24, 0.2, 0.35), 0.2), ((0.1, 0.1, 0.1), 0.4), ((0.24, 0.2, 0.35), 0.6))
    doll = [box(np.array(size) * tall, (left + 0.12 * tall, 0, z * tall)).mesh for size, z in pieces]
    assert several_bodies(joined(mesh, *doll)) and not several_bodies(joined(*doll))
    slender = box((0.3 * tall, 0.1 * tall, 0.9 * tall), (left + 0.3 * tall, 0, 0.45 * tall)).mesh
    sword = box((0.1 * tall, 0.03 * tall, 0.9 * tall), (left, 0, 0.45 * tall)).mesh
    assert several_bodies(joined(mesh, slender)) and not several_bodies(joined(mesh, sword))


@pytest.mark.parametrize("name", ["dog", "t-pose"])
@pytest.mark.parametrize("turn", [0.0, 40.0])
def test_characters_on_a_slope_or_on_steps_are_noticed(name, turn):
    mesh, (cos, sin) = body(name), (np.cos(np.radians(turn)), np.sin(np.radians(turn)))
    tall, apart = np.ptp(mesh.vertices[:, 2]), 1.2 * np.linalg.norm(np.ptp(mesh.vertices[:, :2], axis=0))
    for rise in (0.6 * apart, 1.1 * tall):
        places = [k * np.array([apart * cos, apart * sin, rise]) for k in range(4)]
        assert several_bodies(joined(*[Mesh(mesh.vertices + at, mesh.faces) for at in places]))


def test_limbs_apart_under_a_trunk_are_no_characters_on_steps():
    trunk, limbs = box((0.5, 0.25, 0.4), (0, 0, 0.8)), [box((0.15, 0.15, 0.36), (x, 0, 0.3)) for x in (-0.3, 0.3)]
    assert not several_bodies(joined(trunk.mesh, *[limb.mesh for limb in limbs]))
    assert several_bodies(joined(*[limb.mesh for limb in limbs]))


def test_loose_arms_and_locks_of_one_body_are_no_characters():
    pieces = [box((0.36, 0.2, 0.45), (0, 0, 0.62)), ball(0.12, (0, 0, 0.9)),
              *(box((0.14, 0.14, 0.65), (x, 0, 0.38)) for x in (-0.25, 0.25))]
    mesh = joined(*[piece.mesh for piece in pieces])
    assert not several_bodies(mesh) and not touching_bodies(mesh)


@pytest.mark.slow
def test_two_people_whose_arms_reach_into_each_other_are_noticed():
    mesh = person_mesh(arm_angle=0)
    wide, tall = np.ptp(mesh.vertices[:, [0, 2]], axis=0)
    two = Mesh(np.concatenate([mesh.vertices, 0.7 * mesh.vertices + [0.8 * wide, 0, 0]]),
               np.concatenate([mesh.faces, mesh.faces + len(mesh.vertices)]))
    assert touching_bodies(two) and not several_bodies(two) and warned(two, "two characters that touch")
    cape = box((0.4 * tall, 0.13 * tall, 0.8 * tall), (0, 0.12 * tall, 0.45 * tall)).mesh
    assert not touching_bodies(Mesh(np.concatenate([mesh.vertices, cape.vertices]),
                                    np.concatenate([mesh.faces, cape.faces + len(mesh.vertices)])))


@pytest.mark.parametrize(("high", "low", "are_two"), [(0.5, 0.5, True), (0.0, 0.5, False), (0.5, 0.0, False)],
                         ids=["upright", "meeting above", "meeting below"])
def test_two_bodies_stand_side_by_side_with_heads_and_feet(high, low, are_two):
    """Two legs of a pair of trousers meet above, and are no two characters."""
    half, parts = box((0.3, 0.3, 2.0), (0, 0, 1)).mesh, []
    for side in (-1, 1):
        share = half.vertices[:, 2] / 2
        parts.append(half.vertices + np.stack([side * (low + (high - low) * share), 0 * share, 0 * share], 1))
    both = Mesh(np.concatenate(parts), np.concatenate([half.faces, half.faces + len(half.vertices)]))
    assert touching_bodies(both) == are_two


def test_many_loose_legs_are_no_characters():
    leg = box((0.3, 0.3, 2.0), (0, 0, 1)).mesh
    ring = [2 * np.array([np.cos(a), np.sin(a), 0]) for a in np.linspace(0, 2 * np.pi, 8, endpoint=False)]
    for legs, are_two in ((ring[:2], True), (ring, False)):
        mesh = Mesh(np.concatenate([leg.vertices + at for at in legs]),
                    np.concatenate([leg.faces + k * len(leg.vertices) for k in range(len(legs))]))
        assert touching_bodies(mesh) == are_two


def test_place_and_size_are_judged():
    mesh = person_mesh()
    assert warned(Mesh(mesh.vertices + [900, 0, 0], mesh.faces), "far from the origin")
    assert warned(Mesh(mesh.vertices * 1e-3, mesh.faces), "tiny")
    assert warned(Mesh(mesh.vertices * 1e3, mesh.faces), "huge")


@pytest.mark.slow
def test_what_is_no_body_is_unknown():
    found = check_character(ball(1.0, segments=24).mesh)
    assert found.kind == "unknown" and any("Pin" in w for w in found.warnings)
    with pytest.raises(BadMesh):
        check_character(Mesh(np.zeros((3, 3)), np.zeros((0, 3), int)))


def test_a_mesh_of_specks_is_refused_in_words():
    corners = np.stack(np.meshgrid([0.0, 1.0], [0.0, 1.0], [0.0, 1.0]), -1).reshape(-1, 1, 3)
    speck = np.array([[0, 0, 0], [4e-7, 0, 0], [0, 4e-7, 0]])
    with pytest.raises(BadMesh, match="No face of 'dust' has an area"):
        check_character(Mesh((corners + speck).reshape(-1, 3), np.arange(24).reshape(-1, 3), "dust"))


def test_a_table_is_cut_into_the_slices_it_has():
    """Four square legs under a board: four pieces in every low slice, one in every high one."""
    leg = box((0.06, 0.06, 0.6), divisions=2).mesh
    legs = [leg.vertices + [x, y, 0.3] for x in (-0.3, 0.3) for y in (-0.4, 0.4)]
    board = box((0.8, 1.0, 0.1), divisions=2).mesh
    vertices = np.concatenate([*legs, board.vertices + [0, 0, 0.65]])
    faces = [leg.faces + i * len(leg.vertices) for i in range(4)]
    faces = np.concatenate([*faces, board.faces + 4 * len(leg.vertices)])
    slices = slice_mesh(Mesh(vertices, faces))
    low, high = slices.pieces(0.05, 0.8), slices.pieces(0.9, 1.0)
    assert {len(p) for p in low} == {4} and {len(p) for p in high} == {1}
    np.testing.assert_allclose(np.sort(np.abs(slices.middle[low[0]]), axis=0), np.tile([0.3, 0.4], (4, 1)), atol=0.01)
    np.testing.assert_allclose(slices.area[low[3]], 0.06**2, rtol=0.35)
    assert abs(slices.centre) < 0.01
    assert count_limbs(slices).leg_pairs == 2


def test_coarse_and_fine_slices_agree():
    mesh = body("biped")
    frame = unit_frame(mesh)
    coarse = count_limbs(slice_mesh(Mesh(frame.to_unit(mesh.vertices), mesh.faces)))
    fine = count_limbs(slice_shape(prepare(mesh)))
    assert coarse.leg_pairs == fine.leg_pairs == 1 and coarse.arms and fine.arms
    assert abs(coarse.armpit - fine.armpit) < 0.05


@pytest.mark.parametrize(("seen", "said"), [
    ({"arms": False}, "no two arms stand out"), ({"reach": (0.1, 0.3)}, "the left arm is missing"),
    ({"reach": (0.3, 0.1)}, "the right arm is missing"), ({"reach": (0.2, 0.2), "touch": 0.5}, "below the elbow"),
    ({"reach": (0.2, 0.2), "touch": 0.7}, "above the elbow"), ({"reach": (0.2, 0.2), "armpit": 0.5}, "above the elbow"),
    ({"reach": (0.2, 0.2)}, ""), ({"reach": (0.4, 0.3), "touch": 0.5}, "")])
def test_arms_that_hide_are_told_by_their_side_and_place(seen, said):
    census = LimbCensus(1, **({"arms": True, "armpit": 0.0, "touch": 0.0, "reach": (0.4, 0.4)} | seen),
                        upright=True, wings=False, tail=False)
    found = forewarn(census, "biped")
    assert len(found) == bool(said) and all(said in text for text in found)


def test_how_deep_a_body_is_between_three_and_six_tenths_of_the_way_out():
    """The least deep tenth counts, on each side; nothing there is no depth."""
    aside = np.repeat(np.arange(-0.95, 1.0, 0.1), 11)
    points = np.stack([aside, np.tile(np.linspace(-0.5, 0.5, 11), 20), 0 * aside], 1)
    thin = lambda tenth, depth: points[(np.floor(10 * points[:, 0]) != tenth) | (np.abs(points[:, 1]) <= depth)]  # noqa: E731
    for tenth in (3, 4, 5):
        np.testing.assert_allclose(_inner_depths(thin(tenth, 0.25), 0.0, 0.1), [0.5, 1.1], atol=1e-9)
    for tenth in (0, 2, 6, 9):
        np.testing.assert_allclose(_inner_depths(thin(tenth, 0.25), 0.0, 0.1), [1.1, 1.1], atol=1e-9)
    np.testing.assert_allclose(_inner_depths(thin(4, -1), 0.0, 0.1), [0, 1.1], atol=1e-9)


def test_warnings_of_the_kind_found_hold_for_skeletons_of_that_kind():
    hidden = check_character(person_mesh(arm_angle=88))
    assert hidden.of_kind and hidden.warnings_for("auto") == hidden.warnings
    for chosen, holds in (("biped", True), ("biped_paper", True), ("my own", True), ("quadruped", False),
                          ("shape 0.8", False), ("spider", False)):
        assert (set(hidden.of_kind) <= set(hidden.warnings_for(chosen))) == holds, chosen


@pytest.mark.long
def test_who_has_chosen_a_skeleton_is_not_told_how_it_is_chosen():
    found = check_character(box((1.0, 1.0, 1.0)).mesh)
    assert found.kind == "unknown" and any("choose its kind" in text for text in found.warnings)
    for chosen in ("shape", "shape 0.8", "quadruped", "fish", "my own"):
        assert set(found.warnings) - set(found.warnings_for(chosen)) == set(found.of_choice) != set()


@pytest.mark.long
def test_what_is_unclear_about_the_stance_is_said_once_and_how_it_is_taken():
    def said(up, front):
        found = check_character(person_mesh(), stance=Stance(stance_facing(up, front).rotation, 0.5))
        return [text for text in found.warnings if "not clear" in text]

    assert said("Z", "X") == [
        "it is not clear which way it faces; X is taken for the front: set Front if that is wrong"]
    assert said("Y", "Z") == [
        "it is not clear how it stands; Y is taken for up and Z for the front: set Up and Front if that is wrong"]


@pytest.mark.long
def test_an_up_that_was_set_wrongly_is_told_and_the_right_one_offered():
    """Blender's importers turn many files: who then sets the up that the file had lays the body down."""
    mesh = person_mesh()
    for up, front in (("Y", "Z"), ("-Z", "-Y"), ("X", "auto")):
        found = check_character(mesh, stance=detect_stance(mesh, up=up, front=front))
        assert found.other_stance == ("Z", "-Y")
        assert any(text.startswith(f"{up} is set as up, but with Z up and -Y as its front") for text in found.warnings)
    for up, front in (("Z", "X"), ("Z", "auto")):
        found = check_character(mesh, stance=detect_stance(mesh, up=up, front=front))
        assert not any("is set as up" in text for text in found.warnings)
    thing = box((1.0, 0.6, 0.3)).mesh
    found = check_character(thing, stance=detect_stance(thing, up="Y", front="Z"))
    assert found.kind == "unknown" and not any("is set as up" in text for text in found.warnings)
