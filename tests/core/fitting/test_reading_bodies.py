"""Bodies read whole: joints lie in them and where they belong, however limbs hang, hide, swing or float."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.fitting import fit
from core.fitting.fit import FitOptions, Fitter
from core.fitting.readings import BodyReader, Reading
from core.skeleton.preset import load_template, other_side
from core.skeleton.rig import DOUBTFUL
from tests.characters import Character, ToyOptions, centaur, person, plush, quadruped, toy
from tests.characters.loose import LooseOptions, loose
from tests.characters.poses import holding, striding, walking, waving
from tests.core.fitting.bodies import prepared

EARED = ToyOptions(head=0.33, leg=0.12, waist=0.092, chest=0.095, arm=0.28, thick=0.035, gown=True, ears=0.12)
BODIES = {
    "arms melted into the sides": (lambda: toy(options=ToyOptions()), "biped"),
    "ears and no arms to be seen": (lambda: toy(options=EARED), "biped"),
    "next to no legs": (lambda: toy(options=ToyOptions(leg=0.03, melt="none")), "biped"),
    "arms hanging down": (lambda: person(arm_angle=85.0), "biped"),
    "arms stretched out": (lambda: person(arm_angle=0.0), "biped"),
    "legs under a gown": (lambda: person(skirt="floor", hair="long"), "biped"),
    "a child": (lambda: person(head=1.7, leg=0.75), "biped"),
    "a tail": (lambda: person(tail=0.3), "biped_tail"),
    "holding": (lambda: person(pose=holding), "biped"),
    "walking": (lambda: person(pose=walking), "biped"), "waving": (lambda: person(pose=waving), "biped"),
    "a striding dog": (lambda: quadruped(pose=striding), "quadruped"),
    "a striding horse": (lambda: quadruped(species="horse", pose=striding), "quadruped"),
    "a striding cow": (lambda: quadruped(np.random.default_rng(1), species="cow", pose=striding), "quadruped"),
    "a centaur": (centaur, "centaur"),
    "plates with air between": (lambda: loose(options=LooseOptions("plates", gap=0.012)), "biped")}
LOOSE = ("plates with air between",)
HIDDEN = ("ears and no arms to be seen",)  # nor legs: a doubt about the hips is fair, other joints raise none
POSED = ("holding", "walking", "waving", "a striding dog", "a striding horse", "a striding cow")


@cache
def fitted(name: str):
    """The character, its fitter and its rig."""
    make, preset = BODIES[name]
    made = make()
    fitter = Fitter(prepared(made.mesh), load_template(preset))
    return made, fitter, fitter.rig()


def misses(made: Character, rig, kind: str) -> dict[str, float]:
    """{joint: distance to where the flesh was grown on, over the height of a person, an animal's longest side}."""
    size = made.height if kind.startswith("biped") else np.ptp(made.mesh.vertices, axis=0).max()
    return {j: float(np.linalg.norm(np.subtract(rig.joints[j], p)) / size) for j, p in made.joints.items()
            if j in rig.joints}


def inner(kind: str) -> list[str]:
    """The joints of a preset that are not ends."""
    template = load_template(kind)
    return [n for j, n in enumerate(template.names) if j in template.parents]


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("name", BODIES)
def test_every_joint_lies_where_the_body_was_grown_on_it(name):
    """In mid-stride a hoof in front of another may be taken for it; then it is doubtful."""
    made, _, rig = fitted(name)
    kind = BODIES[name][1]
    off = misses(made, rig, kind)
    assert len(off) >= len(inner(kind)) - 4
    wrong = [n for n in inner(kind) if off.get(n, 0) >= 0.1]
    if name in POSED:
        assert len(wrong) < 2 and all(rig.confidence[n] < DOUBTFUL for n in wrong), off
    else:
        assert not wrong, off
    assert np.mean(list(off.values())) < 0.04


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", [n for n in BODIES if n not in LOOSE])
def test_no_joint_lies_outside_the_body(name):
    _, fitter, rig = fitted(name)
    places = np.array([rig.joints[n] for n in inner(BODIES[name][1])])
    assert (fitter.shape.body.sample(fitter.shape.frame.to_unit(places)) <= 0).all()


@pytest.mark.sweep(3, long=True)
@pytest.mark.parametrize("name", BODIES)
def test_every_joint_has_a_confidence_and_doubts_are_said(name):
    rig = fitted(name)[2]
    assert set(rig.confidence) == set(rig.joints) and all(0 <= c <= 1 for c in rig.confidence.values())
    said = " ".join(rig.warnings)
    assert ("may be wrong" in said) == any(c < DOUBTFUL for c in rig.confidence.values())
    assert all(v >= 0 for v in rig.penalty.values())


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", [n for n in BODIES if n not in (*LOOSE, *POSED)])
def test_bodies_that_come_out_right_raise_no_doubt(name):
    rig = fitted(name)[2]
    if name in HIDDEN:
        assert {n for n, sure in rig.confidence.items() if sure < DOUBTFUL} <= {"hips", "thigh.L", "thigh.R"}
    else:
        assert rig.warnings == ()


def test_the_hips_of_an_animal_that_sits_stay_at_the_bottom():
    made = plush(np.random.default_rng(1))
    assert misses(made, Fitter(prepared(made.mesh), load_template("quadruped")).rig(), "quadruped")["hips"] < 0.05


@pytest.mark.slow
def test_posed_bodies_are_read_side_by_side():
    for name in BODIES:
        assert (fitted(name)[1].plane is None) == (name in POSED), name


@pytest.mark.slow
def test_mirroring_a_posed_body_swaps_left_and_right():
    """But for the head's top, which is anywhere on a round head."""
    made, _, rig = fitted("walking")
    mirrored = made.moved(np.diag([-1.0, 1.0, 1.0]))
    other = Fitter(prepared(mirrored.mesh), load_template("biped")).rig()
    for name in set(rig.joints) - {"head_top"}:
        image = np.array(other.joints[other_side(name)]) * [-1, 1, 1]
        np.testing.assert_allclose(image, rig.joints[name], atol=0.02 * made.height)
        assert other.confidence[other_side(name)] == pytest.approx(rig.confidence[name], abs=0.2)


@pytest.mark.slow
def test_limbs_that_float_are_told_of_and_the_rest_is_right():
    """Forearms and shins are air."""
    made = loose(options=LooseOptions("floating"))
    rig = Fitter(prepared(made.mesh), load_template("biped")).rig()
    off = misses(made, rig, "biped")
    seen = ("hips", "neck", "head", "hand.L", "hand.R", "foot.L", "foot.R")
    assert max(off[n] for n in seen) < 0.1, off
    for name in inner("biped"):
        assert off.get(name, 0) < 0.1 or rig.confidence[name] < DOUBTFUL, name
    assert any("may be wrong" in w for w in rig.warnings)


@pytest.mark.slow
def test_a_horse_with_a_stump_gets_its_tail_on_the_rump():
    made = quadruped(species="horse", pose=striding, tail=0.02, tail_thickness=0.4)
    rig = Fitter(prepared(made.mesh), load_template("quadruped")).rig()
    assert misses(made, rig, "quadruped")["tail"] < 0.1


@pytest.mark.slow
def test_other_readings_are_other_rigs():
    for name in POSED:
        made, fitter, rig = fitted(name)
        seen = [rig]
        for number in range(1, rig.readings):
            seen.append(Fitter(fitter.shape, fitter.template, FitOptions(reading=number)).rig())
            for other in seen[:-1]:
                away = np.linalg.norm(np.subtract(list(seen[-1].joints.values()), list(other.joints.values())), axis=1)
                assert away.max() > 0.03 * np.ptp(made.mesh.vertices, axis=0).max(), name


@pytest.mark.long
def test_readings_are_counted_and_after_the_last_comes_the_first():
    _, fitter, rig = fitted("walking")
    assert rig.reading == 0 and rig.readings >= 1
    for number in range(1, rig.readings + 1):
        other = Fitter(fitter.shape, fitter.template, FitOptions(reading=number)).rig()
        assert other.readings == rig.readings and other.reading == number % rig.readings
        assert other.says and set(other.confidence) == set(other.joints)
    np.testing.assert_array_equal(other.heads, rig.heads)


@pytest.mark.long
def test_a_pin_takes_its_own_limb_along_and_no_other():
    """Some way: its elbow follows the hand."""
    made, fitter, rig = fitted("arms hanging down")
    pin = np.array(rig.joints["hand.L"]) + [0.0, -0.05 * made.height, 0.02 * made.height]
    pinned = fitter.rig({"hand.L": pin})
    np.testing.assert_array_equal(pinned.joints["hand.L"], pin)
    assert 0.005 < np.linalg.norm(np.subtract(pinned.joints["forearm.L"], rig.joints["forearm.L"])) / made.height < 0.05
    for joint in ("thigh.L", "shin.R", "head", "hips"):
        np.testing.assert_allclose(pinned.joints[joint], rig.joints[joint], atol=0.01 * made.height)
    assert pinned.confidence["hand.L"] == 1.0


@pytest.mark.parametrize("air, worse, first", [
    ((0.4, 0.3, 0.1), 2.0, 2), ((0.4, 0.3, 0.1), 9.0, 0), ((0.1, 0.4, 0.0), 2.0, 0), ((0.4, 0.4, 0.4), 2.0, 0)],
    ids=["hardly worse", "much worse", "in the flesh", "no better"])
def test_a_reading_whose_limb_goes_through_the_air_gives_way_to_one_hardly_worse(monkeypatch, air, worse, first):
    fitter = Fitter(prepared(person().mesh), load_template("biped"))
    at = np.zeros((3, len(fitter.tree.names), 3)) + np.arange(3)[:, None, None]
    readings = [Reading(p, -k * worse / 2, p[:, 0], str(k)) for k, p in enumerate(at)]
    monkeypatch.setattr(fit, "limb_in_air", lambda tree, places, *given: air[int(places[0, 0])])
    monkeypatch.setattr(BodyReader, "read", lambda *given, **named: readings)
    rig = fitter.rig()
    assert rig.says == f"with '{first}' elsewhere" and rig.readings == 3
