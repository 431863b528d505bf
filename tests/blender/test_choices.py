"""Choices are saved and obeyed; templates of the artist's own; skin that follows the slider."""

from __future__ import annotations

import os
from types import SimpleNamespace
from unittest.mock import MagicMock

import bpy
import numpy as np
import pytest

import geppetto
from geppetto.addon import choices, names, properties, session, whole
from geppetto.addon.bridge.armature import read_notes, read_warnings, write_warnings
from geppetto.addon.characters import templates
from geppetto.addon.characters.rigged import armature_of
from geppetto.addon.editing import pins
from geppetto.addon.formats import BadFile
from geppetto.addon.panels import character
from geppetto.addon.words import translations
from geppetto.core.errors import BadTemplate
from geppetto.core.fitting.check import CharacterCheck
from geppetto.core.motion.clip_file import motion_names
from geppetto.core.skeleton.engine import engines, load_engine
from geppetto.core.skeleton.preset import load_template

from .scenes import add_character, add_cube, group_weights
from .wording import texts

pytestmark = pytest.mark.usefixtures("rigged_once")


@pytest.fixture
def extension(context, tmp_path, monkeypatch):
    """The extension, enabled, with a user folder of its own."""
    monkeypatch.setattr(templates, "folder", lambda *, create=False: tmp_path)
    geppetto.register()
    yield context
    geppetto.unregister()


@pytest.fixture
def body(extension, person):
    """A person, selected and active."""
    o, = add_character(person)
    o.select_set(True)
    extension.view_layer.objects.active = o
    return o


def settings_of(context):
    return getattr(context.scene, names.SETTINGS)


def test_without_any_choice_the_skeleton_suits_the_shape(extension, body):
    assert settings_of(extension).preset == "auto"
    assert bpy.ops.object.geppetto_auto_rig("INVOKE_DEFAULT") == {"FINISHED"}
    assert extension.object.data[names.MADE_BY] == "biped"


def test_the_check_says_what_it_is_and_remembers_the_shape(extension, body):
    assert bpy.ops.geppetto.check() == {"FINISHED"}
    found = session.check_of(bpy.data.objects["body"].session_uid)
    assert found.preset == "biped" and found.reason and (found.up, found.front) == ("Z", "-Y")
    assert len(session._shapes) == 1
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    assert len(session._shapes) == 1, "rigging used the same shape"


def test_what_the_check_said_goes_with_its_object_and_not_with_its_name(extension, body):
    assert bpy.ops.geppetto.check() == {"FINISHED"}
    told = character.kind_told(body)
    body.name = "Carl"
    other = add_cube("body")
    assert character.kind_told(body) == told == "Biped" and character.kind_told(other) == "Not checked yet"
    bpy.data.objects.remove(body)
    other.name = "Carl"
    assert character.kind_told(other) == "Not checked yet"


def said_in_panel(context, owner, monkeypatch) -> list[str]:
    said: list[str] = []
    monkeypatch.setattr(character, "paragraph", lambda layout, context, text, icon, units: said.append(text))
    character.draw_findings(None, context, owner)
    return said


def test_a_rig_says_what_it_was_rigged_as_until_it_is_checked(extension, body):
    assert character.kind_told(body) == "Not checked yet"
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    session.clear()  # as after opening a file
    body.select_set(True)
    assert bpy.ops.object.duplicate() == {"FINISHED"}
    copy = next(o for o in extension.selected_objects if o.type == "MESH")
    assert copy != body and {character.kind_told(o) for o in (body, copy)} == {"Rigged as Biped"}
    session.keep_check(copy.session_uid, SimpleNamespace(preset="biped"))
    assert character.kind_told(copy) == "Biped"
    session.keep_check(copy.session_uid, SimpleNamespace(preset="shape", odds={"shape": 0.79}))
    assert character.kind_told(copy) == "Rigged as Biped", "which is not what the check found"
    assert bpy.ops.geppetto.remove_rig() == {"FINISHED"}
    assert character.kind_told(copy) == "No known kind: 79%"


@pytest.mark.long
def test_warnings_of_a_rig_are_shown_until_there_is_something_newer(extension, body, monkeypatch):
    body.rotation_euler.z = np.pi
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    said = said_in_panel(extension, body, monkeypatch)
    turned, armature = "'body' is taken to stand with Z up, facing Y", armature_of(body)
    assert [text.split(":")[0] for text in said] == [turned] and tuple(said) == read_notes(armature)
    assert read_warnings(armature) == () and character.notes_of(extension, body) == [], "it is sure: no cause to warn"
    write_warnings(armature, ["Thin."])
    session.clear()  # as after opening the file again
    assert said_in_panel(extension, body, monkeypatch) == [*said, "Thin."]
    bpy.ops.geppetto.remove_rig()
    assert said_in_panel(extension, body, monkeypatch) == [], "the rig they are about is gone"
    assert bpy.ops.object.geppetto_auto_rig(preset="biped", up="Z", front="Y") == {"FINISHED"}
    assert said_in_panel(extension, body, monkeypatch) == [], "who says how it stands is not told"


@pytest.mark.long
def test_warnings_of_the_kind_that_was_found_go_when_another_is_chosen(extension):
    cube = add_cube()
    cube.select_set(True)
    extension.view_layer.objects.active = cube
    notes = lambda: " ".join(character.notes_of(extension, cube))  # noqa: E731
    assert bpy.ops.geppetto.check() == {"FINISHED"}
    for found_out in (True, False):
        assert "choose its kind" in notes() and notes().count("front") == 1
        for chosen in ("quadruped", "octopus", "shape"):
            settings_of(extension).preset = chosen
            assert "choose its kind" not in notes() and notes().count("front") == 1
        settings_of(extension).preset = "auto"
        if found_out:
            assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
            assert "may be wrong" in notes() and "reading" not in notes(), "there is but one"
    assert bpy.ops.object.geppetto_auto_rig(preset="shape") == {"FINISHED"}
    assert "choose its kind" not in " ".join(read_warnings(bpy.data.objects["Cube"].find_armature()))


def test_in_doubt_the_other_kind_has_a_line_of_its_own_and_no_line_moves(extension):
    cube = add_cube()
    cube.select_set(True)
    extension.view_layer.objects.active = cube

    def drawn() -> MagicMock:
        panel = MagicMock()
        character.CharacterPanel.draw(panel, extension)
        return panel.layout

    def lines(layout) -> int:
        return len([call for call in layout.method_calls if "." not in call[0].removesuffix("()")])

    before = lines(drawn())
    for other in ("", "biped_tail"):
        session.keep_check(cube.session_uid, CharacterCheck("biped", "biped", "", ("it is not clear",), "Z", "-Y",
                                                     {"biped": 0.6}, other))
        layout = drawn()
        shown = [call.kwargs.get("text") for call in layout.mock_calls if call[0].endswith("popover")]
        buttons = [call.kwargs["text"] for call in layout.operator.mock_calls if names.TAKE_OTHER in call.args]
        assert lines(layout) == before and buttons == ["Rig as Biped Tail"] * bool(other)
        assert shown[1:] == ["Biped", "1" if other else "1 Warning"]


@pytest.mark.parametrize("others", [0, 1])
def test_one_bone_and_one_object_are_not_counted_as_several(extension, others):
    armature = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    extension.collection.objects.link(armature)
    extension.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for number in range(1 + others):
        armature.data.edit_bones.new(f"bone {number}").tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    for number in range(1 + others):
        add_cube(f"cube {number}").modifiers.new("Armature", "ARMATURE").object = armature
    assert character.size_told(armature) == ("2 bones, 2 objects" if others else "1 bone, 1 object")
    assert {"{:d} bone, {:d} object", "{:d} bone, {:d} objects"} <= {text for _, text in translations.german()}


@pytest.mark.long
def test_rig_and_walk_obeys_the_sidebar(extension, body):
    settings_of(extension).influences = 1
    place = np.array([0.9, 0.02, 1.0])
    pins.set_pin(body, "hand.L", place)
    assert bpy.ops.object.geppetto_rig_and_move("INVOKE_DEFAULT") == {"FINISHED"}
    assert np.allclose(armature_of(body).data.bones["hand.L"].head_local, place, atol=1e-6)
    assert max(len([g for g in v.groups if g.weight > 0]) for v in body.data.vertices) == 1


def test_a_saved_choice_of_a_motion_stays_when_more_motions_ship(extension, monkeypatch):
    def numbers() -> dict[str, int]:
        return {name: number for name, _, _, *more in properties._motions() if name for number in more[1:]}

    items = extension.scene.geppetto.bl_rna.properties["motion"].enum_items
    known = {item.identifier: item.value for item in items}
    assert known == numbers() and len(set(known.values())) == len(known) and max(known.values()) < 2**24
    monkeypatch.setattr(properties, "motion_names", lambda: ["bow", *motion_names(), "zigzag"])
    assert numbers().items() > known.items() and len(set(numbers().values())) == len(known) + 2


def test_influences_are_obeyed(extension, body):
    assert bpy.ops.object.geppetto_auto_rig(influences=1) == {"FINISHED"}
    assert max(len([g for g in v.groups if g.weight > 0]) for v in body.data.vertices) == 1


def test_up_and_front_are_obeyed_and_checked(extension, body):
    body.rotation_euler.z = np.pi
    extension.view_layer.update()
    assert bpy.ops.object.geppetto_auto_rig(preset="biped", up="Z", front="-Y") == {"FINISHED"}
    assert extension.object.data.bones["hand.L"].head_local.x > 0, "as told, though it looks the other way"
    with pytest.raises(RuntimeError, match="cannot look"):
        bpy.ops.object.geppetto_auto_rig(up="Z", front="-Z")


@pytest.mark.long
def test_an_armature_becomes_a_template_that_fits_again(extension, body):
    bpy.ops.object.geppetto_auto_rig(preset="biped")
    heads = {b.name: np.array(b.head_local) for b in extension.object.data.bones}
    assert bpy.ops.geppetto.save_template(name="my/hero") == {"FINISHED"}
    assert settings_of(extension).preset == "auto", "what others are rigged as stays"
    assert templates.own_templates() == ["my_hero"]
    assert bpy.ops.object.geppetto_auto_rig(preset=choices.OWN + "my_hero") == {"FINISHED"}
    assert extension.object.data[names.MADE_BY] == "my_hero" and bpy.ops.geppetto.update_rig() == {"FINISHED"}
    again = {b.name: np.array(b.head_local) for b in extension.object.data.bones}
    assert again.keys() == heads.keys()
    assert max(np.linalg.norm(again[n] - heads[n]) for n in heads) < 0.25


@pytest.mark.long
def test_a_rig_is_updated_where_its_template_is_not_or_another_of_its_name(extension, body, tmp_path):
    bpy.ops.object.geppetto_auto_rig(preset="biped")
    assert names.TEMPLATE not in extension.object.data
    bpy.ops.geppetto.save_template(name="hero")
    assert bpy.ops.object.geppetto_auto_rig(preset=choices.OWN + "hero") == {"FINISHED"}
    armature = extension.object
    bones, heads = armature.data.bones.keys(), np.array([b.head_local for b in armature.data.bones])
    templates.delete_template("hero")
    for _ in range(2):
        assert bpy.ops.geppetto.show_joints() == {"FINISHED"} and bpy.ops.geppetto.hide_joints() == {"FINISHED"}
        assert bpy.ops.geppetto.update_rig() == {"FINISHED"} and armature.data.bones.keys() == bones
        np.testing.assert_allclose([b.head_local for b in armature.data.bones], heads, atol=1e-4)
        templates.write_template(load_template("horse"), templates.path_of("hero"))
    templates.delete_template("hero")
    for damaged in ("no JSON", "{}"):
        armature.data[names.TEMPLATE] = damaged
        with pytest.raises(RuntimeError, match="that 'body rig' carries is damaged"):
            bpy.ops.geppetto.update_rig()
    del armature.data[names.TEMPLATE]  # of an older version
    with pytest.raises(RuntimeError, match="not on this computer"):
        bpy.ops.geppetto.update_rig()


@pytest.mark.long
@pytest.mark.parametrize(("name", "kept"), [("dragon rig", "dragon rig"), ("dragon", "dragon (own)"),
                                            ("spider 0.7", "spider 0.7 (own)"), ("horse", "horse (own)")])
def test_a_template_called_like_a_skeleton_that_ships_stays_the_artists_own(extension, body, name, kept):
    bpy.ops.object.geppetto_auto_rig(preset="biped")
    assert bpy.ops.geppetto.save_template(name=name) == {"FINISHED"}
    assert templates.own_templates() == [kept]
    assert bpy.ops.object.geppetto_auto_rig(preset=choices.OWN + kept) == {"FINISHED"}
    armature = extension.object
    bones = armature.data.bones.keys()
    templates.delete_template(kept)
    assert bpy.ops.geppetto.show_joints() == {"FINISHED"} and bpy.ops.geppetto.hide_joints() == {"FINISHED"}
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"} and armature.data.bones.keys() == bones


def test_templates_go_out_and_come_in_and_are_deleted(extension, body, tmp_path):
    settings_of(extension).preset = "horse"
    out = tmp_path / "out"
    out.mkdir()
    assert bpy.ops.geppetto.export_template(filepath=str(out / "pony.json")) == {"FINISHED"}
    assert load_template(out / "pony.json").names == load_template("horse").names
    assert not bpy.ops.geppetto.delete_template.poll()
    assert bpy.ops.geppetto.import_template(filepath=str(out / "pony.json")) == {"FINISHED"}
    assert settings_of(extension).preset == "own: pony"
    assert bpy.ops.geppetto.delete_template() == {"FINISHED"}
    assert settings_of(extension).preset == "auto" and templates.own_templates() == []
    (out / "bad.json").write_text("{}")
    with pytest.raises(RuntimeError, match="not a skeleton template"):
        bpy.ops.geppetto.import_template(filepath=str(out / "bad.json"))


def test_a_template_that_comes_in_over_another_says_so(extension, tmp_path, capfd):
    out = tmp_path / "out"
    out.mkdir()
    templates.write_template(load_template("horse"), out / "pony.json")
    for said in ("is in the menu of skeletons now", "was replaced"):
        assert bpy.ops.geppetto.import_template(filepath=str(out / "pony.json")) == {"FINISHED"}
        assert f"The template 'pony' {said}" in capfd.readouterr().out


def test_a_full_disk_leaves_the_template_there_was(extension, tmp_path, monkeypatch):
    templates.save_template(load_template("horse"), "pony")
    kept = templates.path_of("pony").read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")
    monkeypatch.setattr(whole.os, "replace", full)
    with pytest.raises(BadFile, match=r"pony.json' cannot be written: No space left"):
        templates.save_template(load_template("biped"), "pony")
    assert templates.path_of("pony").read_bytes() == kept and templates.own_templates() == ["pony"]


@pytest.mark.skipif(os.name != "posix", reason="Windows lets only administrators make links")
def test_a_template_that_is_a_link_stays_one(extension, tmp_path):
    shared = tmp_path / "shared" / "hero.json"
    shared.parent.mkdir()
    templates.write_template(load_template("horse"), shared)
    templates.path_of("hero").symlink_to(shared)
    templates.save_template(load_template("biped"), "hero")
    assert templates.path_of("hero").is_symlink() and load_template(shared).names == load_template("biped").names


@pytest.mark.parametrize("package", ["geppetto", "bl_ext.user_default.geppetto"])
def test_a_folder_of_templates_that_cannot_be_made_is_named(context, tmp_path, monkeypatch, package):
    (tmp_path / "here").write_text("a file in the way")
    (tmp_path / "shell").mkdir()
    monkeypatch.chdir(tmp_path / "shell")
    monkeypatch.setattr(templates, "PACKAGE", package)
    monkeypatch.setattr(bpy.utils, "user_resource", lambda *_, **__: str(tmp_path / "here"))
    monkeypatch.setattr(bpy.utils, "_user_resource", lambda *_, **__: str(tmp_path / "here"))
    with pytest.raises(BadTemplate, match=r"here.*skeletons' cannot be written"):
        templates.save_template(load_template("horse"), "pony")
    assert not list((tmp_path / "shell").iterdir()) and templates.own_templates() == []


@pytest.mark.long
def test_geodesic_weights_follow_the_slider(extension, body):
    settings = settings_of(extension)
    bpy.ops.object.geppetto_auto_rig(preset="biped", method="geodesic")
    settings.method = "geodesic"
    spread = []
    for alpha in (0.0, 0.5, 1.0):
        settings.alpha = alpha
        weights = np.stack(list(group_weights(body).values()))
        np.testing.assert_allclose(weights.sum(0), 1.0, atol=1e-5)
        spread.append(float((weights.max(0) < 0.95).mean()))
    assert spread[0] > spread[1] > spread[2]
    settings.method = "heat"
    before = group_weights(body)
    settings.alpha = 0.2
    assert all((before[n] == w).all() for n, w in group_weights(body).items()), "heat has no such slider"


def test_meshes_are_bound_to_an_armature_of_the_artists_own(extension, body):
    data = bpy.data.armatures.new("own")
    own = bpy.data.objects.new("own", data)
    extension.scene.collection.objects.link(own)
    extension.view_layer.objects.active = own
    bpy.ops.object.mode_set(mode="EDIT")
    for name, low, high in (("low", 0.05, 0.9), ("high", 0.9, 1.6)):
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = (0, 0, low), (0, 0, high)
    bpy.ops.object.mode_set(mode="OBJECT")
    body.select_set(True)
    assert bpy.ops.geppetto.bind() == {"FINISHED"}
    assert {g.name for g in body.vertex_groups} == {"low", "high"} and body.modifiers[0].object == own
    assert bpy.ops.geppetto.bind() == {"FINISHED"}
    assert len(body.modifiers) == 1, "binding again binds anew"
    np.testing.assert_allclose(sum(group_weights(body).values()), 1.0, atol=1e-5)


@pytest.mark.long
def test_the_rig_is_removed_and_the_mesh_ready_for_another(extension, body):
    bpy.ops.object.geppetto_auto_rig()
    assert bpy.ops.geppetto.remove_rig() == {"FINISHED"}
    assert armature_of(body) is None and extension.object == body and body.select_get()
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}


def test_buttons_that_cannot_work_are_grey(extension):
    for operator in (bpy.ops.geppetto.check, bpy.ops.geppetto.bind, bpy.ops.geppetto.remove_rig,
                     bpy.ops.geppetto.update_rig, bpy.ops.geppetto.save_template, bpy.ops.geppetto.show_joints):
        assert not operator.poll()
    cube = add_cube()
    cube.select_set(True)
    extension.view_layer.objects.active = cube
    assert bpy.ops.geppetto.check.poll() and not bpy.ops.geppetto.bind.poll()


@pytest.mark.sweep(3, long=True)
@pytest.mark.parametrize("engine", engines())
def test_bones_are_renamed_for_engines_and_back_without_loss(extension, body, engine):
    bpy.ops.object.geppetto_auto_rig(preset="biped")
    armature = extension.object
    armature.pose.bones["hand.L"].constraints.new("COPY_ROTATION").target = armature
    armature.pose.bones["hand.L"].constraints[0].subtarget = "hand.R"
    before, weights = [b.name for b in armature.data.bones], group_weights(body)
    wanted = load_engine(engine).bones
    for other in ("unity", engine):
        assert bpy.ops.geppetto.rename_bones(engine=other) == {"FINISHED"}
    assert [b.name for b in armature.data.bones] == [wanted.get(n, n) for n in before]
    assert {g.name for g in body.vertex_groups} == {wanted.get(n, n) for n in weights}
    assert armature.pose.bones[wanted["hand.L"]].constraints[0].subtarget == wanted["hand.R"]
    assert bpy.ops.geppetto.rename_bones(engine="geppetto") == {"FINISHED"}
    assert [b.name for b in armature.data.bones] == before
    again = group_weights(body)
    assert again.keys() == weights.keys() and all((again[n] == w).all() for n, w in weights.items())
    assert not any(names.OWN_NAME in b for b in armature.data.bones)


BLENDERS_OWN = {"Check Existing", "Check and warn on overwriting existing files", "File Path", "filepath",
                "filter_glob", "Filepath used for exporting the file", "Filepath used for importing the file", "pins",
                "roles", "Geppetto"}


def test_every_text_has_a_german_one(extension):
    known = translations.german()
    labels = {load_engine(engine).label for engine in engines()}
    missing = {(context, text) for context, text in texts() if (context, text) not in known
               and text not in BLENDERS_OWN | labels}
    assert missing == set()
    assert all(meaning and meaning.count("{") == text.count("{") for (_, text), meaning in known.items())
