"""What is doubtful is shown, and what else the body may be comes at one click, with pins, undo and update kept."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

import geppetto
from geppetto.addon import names
from geppetto.addon.batching.readings import likeliest_readings
from geppetto.addon.bridge.armature import read_reading
from geppetto.addon.characters.rigging import auto_rig
from geppetto.addon.choices import template_for
from geppetto.addon.editing import joints, pins
from geppetto.addon.editing.reading import reading_of, reading_told
from geppetto.addon.operators.reading import OtherReading
from geppetto.addon.overlay.lines import AMBER, COLORS
from geppetto.core.errors import NoEmbedding
from geppetto.core.fitting.fit import Fitter
from geppetto.core.skeleton.preset import load_template

from .readings import SAYS, STEP, UNSURE, steps_with_readings
from .scenes import add_character, deformed_points, fingerprint, group_weights, world_points

BIPED = load_template("biped")


@pytest.fixture
def body(context, person, monkeypatch):
    """A selected person that three readings suit, the extension enabled."""
    monkeypatch.setattr(Fitter, "steps", steps_with_readings)
    geppetto.register()
    body, = add_character(person)
    body.select_set(True)
    context.view_layer.objects.active = body
    bpy.ops.ed.undo_push(message="body")
    yield body
    geppetto.unregister()


def place(name: str) -> np.ndarray:
    """Where a shown joint lies."""
    what = joints.shown()
    return what.places(bpy.context)[1][what.template.index(name)].copy()


def bone(name: str) -> np.ndarray:
    """Where a bone of the rig begins."""
    armature, = (o for o in bpy.data.objects if o.type == "ARMATURE")
    return np.array(armature.matrix_world @ armature.data.bones[name].head_local)


def other_reading() -> None:
    """One click, which Blender makes one undo step."""
    assert bpy.ops.geppetto.other_reading() == {"FINISHED"}
    bpy.ops.ed.undo_push(message="Other Reading")


@pytest.mark.long
def test_each_click_shows_the_next_reading_and_after_the_last_the_first(body):
    bpy.ops.geppetto.show_joints()
    first = place("hips")
    for reading in (1, 2, 0, 1):
        other_reading()
        np.testing.assert_allclose(place("hips"), first - [0, 0, STEP * reading], atol=1e-6)
        assert reading_of(bpy.context) == (reading, 3, SAYS[reading])
        assert reading_told(*reading_of(bpy.context)) == f"Reading {reading + 1} of 3: {SAYS[reading]}"


@pytest.mark.long
def test_pins_stay_where_they_are_and_a_later_pin_keeps_the_reading(body):
    bpy.ops.geppetto.show_joints()
    first, knee = place("hips"), place("shin.L") + [0, 0, 0.03]
    bpy.ops.geppetto.pin_joint(joint="shin.L", position=knee)
    other_reading()
    np.testing.assert_allclose(place("shin.L"), knee, atol=1e-6)
    assert set(pins.pins_of(body)) == {"shin.L"}
    bpy.ops.geppetto.pin_joint(joint="head", position=place("head"))
    assert reading_of(bpy.context)[0] == 1 and place("hips")[2] == pytest.approx(first[2] - STEP, abs=0.02)


@pytest.mark.long
def test_one_undo_takes_a_reading_back_and_redo_brings_it_again(body):
    bpy.ops.geppetto.show_joints()
    bpy.ops.ed.undo_push(message="shown")
    first = place("hips")
    other_reading()
    bpy.ops.ed.undo()
    np.testing.assert_allclose(place("hips"), first, atol=1e-6)
    assert reading_of(bpy.context)[0] == 0
    bpy.ops.ed.redo()
    np.testing.assert_allclose(place("hips"), first - [0, 0, STEP], atol=1e-6)


@pytest.mark.long
def test_a_reading_chosen_in_edit_mode_is_undone_too(body):
    bpy.ops.geppetto.show_joints()
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.ed.undo_push(message="Edit mode")
    other_reading()
    assert pins.readings_of(bpy.data.objects["body"]) == {"biped": 1} and bpy.context.mode == "OBJECT"
    bpy.ops.ed.undo()
    assert pins.readings_of(bpy.data.objects["body"]) == {} and bpy.context.mode == "EDIT_MESH"


@pytest.mark.long
def test_a_rigged_character_is_rigged_as_its_next_reading(body):
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    bpy.ops.ed.undo_push(message="Auto Rig")
    before, first = fingerprint(body), bone("hips")
    armature = bpy.context.object
    armature.pose.bones["head"].constraints.new("LIMIT_ROTATION").name = "stiff neck"
    assert read_reading(armature) == (0, 3, SAYS[0])
    bpy.ops.ed.undo_push(message="stiff neck")
    other_reading()
    np.testing.assert_allclose(bone("hips"), first - [0, 0, STEP], atol=1e-5)
    armature, body = bpy.context.object, bpy.data.objects["body"]
    assert read_reading(armature) == (1, 3, SAYS[1]) and "stiff neck" in armature.pose.bones["head"].constraints
    assert fingerprint(body) == before
    np.testing.assert_allclose(sum(group_weights(body).values()), 1.0, atol=1e-5)
    np.testing.assert_allclose(deformed_points(body), world_points(body), atol=1e-4)
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    np.testing.assert_allclose(bone("hips"), first - [0, 0, STEP], atol=1e-5, err_msg="Update Rig forgot the reading")
    bpy.ops.ed.undo()
    assert read_reading(bpy.context.object) == (0, 3, SAYS[0])
    np.testing.assert_allclose(bone("hips"), first, atol=1e-5)
    bpy.ops.geppetto.show_joints()
    np.testing.assert_allclose(place("hips"), first, atol=1e-5, err_msg="the choice was not undone with the rig")


@pytest.mark.long
def test_where_joints_are_shown_the_rig_waits_for_update(body):
    bpy.ops.object.geppetto_auto_rig()
    first = bone("hips")
    bpy.ops.geppetto.show_joints()
    other_reading()
    np.testing.assert_allclose(place("hips"), first - [0, 0, STEP], atol=1e-5)
    np.testing.assert_allclose(bone("hips"), first, atol=1e-6)
    bpy.ops.geppetto.update_rig()
    np.testing.assert_allclose(bone("hips"), first - [0, 0, STEP], atol=1e-5)
    assert read_reading(bpy.context.object)[0] == 1


@pytest.mark.long
def test_the_choice_is_saved_with_the_file_and_counts_for_its_skeleton_alone(body, tmp_path):
    bpy.ops.geppetto.show_joints()
    first = place("hips")
    other_reading()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "read.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "read.blend"))
    body = bpy.data.objects["body"]
    bpy.context.view_layer.objects.active = body
    body.select_set(True)
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    np.testing.assert_allclose(bone("hips"), first - [0, 0, STEP], atol=1e-5)
    bpy.ops.object.geppetto_auto_rig(preset="biped_paper")
    assert read_reading(bpy.context.object)[0] == 0, "it was chosen for another skeleton"


@pytest.mark.long
def test_it_is_grey_with_a_reason_where_there_is_nothing_else(body, monkeypatch):
    said = []
    monkeypatch.setattr(OtherReading, "poll_message_set", said.append, raising=False)
    assert not OtherReading.poll(bpy.context) and said.pop() == "Press Edit Joints first"

    def only_one(fitter, hints):
        rig = yield from steps_with_readings(fitter, hints)
        return geppetto.core.skeleton.rig.replace(rig, readings=1)

    monkeypatch.setattr(Fitter, "steps", only_one)
    bpy.ops.geppetto.show_joints()
    assert not OtherReading.poll(bpy.context) and said.pop() == "This character can be read in one way only"
    bpy.ops.geppetto.hide_joints()
    bpy.ops.object.geppetto_auto_rig()
    assert not OtherReading.poll(bpy.context) and said.pop() == "This character can be read in one way only"
    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.object.data[names.READING] = [0, 2]
    assert OtherReading.poll(bpy.context), "it leaves the mode by itself"


@pytest.mark.parametrize("rigged", [False, True])
def test_a_reading_that_cannot_be_fitted_or_is_stopped_changes_nothing(body, monkeypatch, rigged):
    bpy.ops.object.geppetto_auto_rig() if rigged else bpy.ops.geppetto.show_joints()
    before = fingerprint(body), bone("hips") if rigged else place("hips"), reading_of(bpy.context)

    def is_as_before() -> bool:
        now = fingerprint(body), bone("hips") if rigged else place("hips"), reading_of(bpy.context)
        return now[0] == before[0] and np.array_equal(now[1], before[1]) and now[2] == before[2] and (
            pins.readings_of(body) == {})

    steps = OtherReading.steps(None, bpy.context)
    for _ in range(4):
        next(steps)
    steps.close()
    assert is_as_before(), "what Esc leaves"

    def fails(fitter, hints):
        yield "Searching the skeleton", 0.0
        raise NoEmbedding("no such body")

    monkeypatch.setattr(Fitter, "steps", fails)
    with pytest.raises(RuntimeError, match="no such body"):
        bpy.ops.geppetto.other_reading()
    monkeypatch.setattr(Fitter, "steps", steps_with_readings)
    assert is_as_before(), "what an error leaves"
    other_reading()
    assert pins.readings_of(body) == {"biped": 1}


def test_a_character_deleted_while_it_is_fitted_is_named(body):
    bpy.ops.geppetto.show_joints()
    steps = OtherReading.steps(None, bpy.context)
    next(steps)
    next(steps)
    bpy.data.objects.remove(body)
    with pytest.raises(geppetto.core.errors.BadMesh, match="was deleted"):
        list(steps)


def test_shown_joints_know_which_are_doubtful_and_pinned_ones_never_are(body):
    bpy.ops.geppetto.show_joints()
    what = joints.shown()
    assert set(what.doubtful()) == set(UNSURE)
    what.dragging = True  # the rig lags behind the pins
    what.pin(bpy.context, "head", place("head"))
    assert set(what.doubtful()) == set(UNSURE) - {"head"}
    assert AMBER not in COLORS.values(), "no theme changes it"


@pytest.mark.long
def test_a_batch_gets_the_likeliest_readings_and_only_the_first_is_rigged(body):
    rigged = auto_rig(bpy.context, [body], template_for("auto"))
    found = likeliest_readings(rigged, template_for("auto"), most=2)
    assert found[0] is rigged.rig and [rig.reading for rig in found] == [0, 1]
    assert len(likeliest_readings(rigged, template_for("auto"), most=9)) == 3
    assert sum(o.type == "ARMATURE" for o in bpy.data.objects) == 1


def test_a_reading_that_fails_in_a_batch_says_why(body, monkeypatch):
    rigged = auto_rig(bpy.context, [body], template_for("auto"))

    def fails(fitter, hints):
        yield "Searching the skeleton", 0.0
        raise NoEmbedding("no such body")

    monkeypatch.setattr(Fitter, "steps", fails)
    _, second = likeliest_readings(rigged, template_for("auto"), most=2)
    assert second.warnings == ("no such body",) and not second.names and second.reading == 1
