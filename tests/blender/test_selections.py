"""What can be selected besides a plain mesh in Object mode: it is rigged, or the artist is told what to do."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from geppetto.addon import names
from geppetto.addon.bridge.armature import read_warnings
from geppetto.addon.characters import rigged
from geppetto.addon.characters.bodies import rigged_below
from geppetto.addon.editing import pins
from geppetto.addon.modes import object_mode
from tests.shapes import box

from .digest import difference, digest
from .scenes import add_character, add_cube, add_mesh, deformed_points, group_weights, world_points
from .test_situations import choose

pytestmark = pytest.mark.usefixtures("rigged_once")


@pytest.fixture
def library(tmp_path, person):
    """A file with a person in a collection."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    body, = add_character(person)
    home = bpy.data.collections.new("character")
    home.objects.link(body)
    bpy.data.libraries.write(str(tmp_path / "library.blend"), {home}, fake_user=True)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return tmp_path / "library.blend"


def link(path):
    """The library's collection, linked into the scene."""
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.collections = ["character"]
    linked = bpy.data.collections["character"]
    bpy.context.scene.collection.children.link(linked)
    return linked


def refused(message: str) -> None:
    """The button changes nothing and says why."""
    before = digest()
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.object.geppetto_auto_rig()
    assert difference(before, digest()) == []


def test_linked_characters_are_to_be_made_local(extension, library):
    body, = link(library).objects
    choose(body)
    refused("'body' is linked from another file")


def test_an_override_is_rigged_and_keeps_its_pins_and_its_rig_in_the_file(extension, library, tmp_path):
    local = link(library).override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    body, = local.all_objects
    choose(body)
    shape = deformed_points(body)
    pins.set_pin(body, "shin.L", (0.1, 0.0, 0.5))
    assert set(pins.pins_of(body)) == {"shin.L"}
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    np.testing.assert_allclose(deformed_points(body), shape, atol=1e-4)
    assert bpy.context.object.visible_get()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    body = next(o for o in bpy.data.objects if o.type == "MESH" and o.library is None)
    assert [m.object.type for m in body.modifiers if m.type == "ARMATURE"] == ["ARMATURE"]
    np.testing.assert_allclose(sum(group_weights(body).values()), 1.0, atol=1e-5)
    np.testing.assert_allclose(deformed_points(body), shape, atol=1e-4)
    np.testing.assert_allclose(pins.pins_of(body)["shin.L"], (0.1, 0.0, 0.5), atol=1e-6)


def test_a_rig_from_another_file_is_not_taken_apart(extension, person, tmp_path):
    body, = add_character(person)
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    home = bpy.data.collections.new("character")
    for o in (body, extension.object):
        home.objects.link(o)
    bpy.data.libraries.write(str(tmp_path / "rigged.blend"), {home}, fake_user=True)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    local = link(tmp_path / "rigged.blend").override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    choose(next(o for o in local.all_objects if o.type == "ARMATURE"))
    assert not bpy.ops.geppetto.remove_rig.poll() and not bpy.ops.geppetto.make_control_rig.poll()
    before = digest()
    with pytest.raises(RuntimeError, match="linked from another file"):
        bpy.ops.geppetto.update_rig()
    assert difference(before, digest()) == []


def test_objects_that_share_a_mesh_are_bound_each_for_itself(extension, person):
    body, = add_character(person)
    twin = bpy.data.objects.new("twin", body.data)
    twin.location.x = 3.0
    extension.scene.collection.objects.link(twin)
    choose(body)
    before = deformed_points(twin)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    assert not twin.vertex_groups and twin.data is not body.data and twin.parent is None
    extension.object.location.x = 1.0
    np.testing.assert_array_equal(deformed_points(twin), before)
    choose(twin)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    np.testing.assert_allclose(deformed_points(twin), before, atol=1e-4)


@pytest.mark.parametrize("make, message", [
    (lambda: bpy.data.objects.new("nothing", bpy.data.meshes.new("nothing")), "'nothing' is without faces"),
    (lambda: add_mesh("wire", [(0, 0, 0), (0, 0, 1)], []), "'wire' is without faces"),
    (lambda: add_cube("flat"), "'flat' is a flat sheet")], ids=["empty", "without faces", "flat"])
def test_meshes_that_hold_nothing_to_rig(extension, make, message):
    o = make()
    if not o.users_collection:
        extension.scene.collection.objects.link(o)
    if o.name == "flat":
        o.scale.z = 0.0
    choose(o)
    refused(message)


@pytest.mark.parametrize("kind", ["EMPTY", "CURVE", "LIGHT", "instance", "nothing", "above"])
def test_without_a_mesh_the_button_is_grey(extension, person, kind):
    body, = add_character(person)
    home = bpy.data.collections.new("home")
    home.objects.link(body)
    data = {"CURVE": lambda: bpy.data.curves.new("c", "CURVE"), "LIGHT": lambda: bpy.data.lights.new("l", "POINT")}
    o = bpy.data.objects.new("other", data.get(kind, lambda: None)())
    extension.scene.collection.objects.link(o)
    if kind == "instance":
        o.instance_type, o.instance_collection = "COLLECTION", home
    body.parent = o if kind == "above" else None
    choose(o)
    if kind == "nothing":
        o.select_set(False)
    for name in "object.geppetto_auto_rig", "geppetto.check", "geppetto.show_joints", "object.geppetto_rig_and_move":
        group, _, operator = name.partition(".")
        assert not getattr(getattr(bpy.ops, group), operator).poll(), name
    remedy = {"CURVE": "Convert it to a mesh", "instance": "Make the instance real",
              "above": "right click it in the Outliner > Select Hierarchy"}.get(kind, "mesh objects first")
    with pytest.raises(RuntimeError, match=remedy):
        bpy.ops.object.geppetto_auto_rig()


def test_hidden_objects_and_others_are_left_out_and_said_so(extension, person, capfd):
    body, = add_character(person)
    hidden, curve = add_cube("hidden"), bpy.data.objects.new("curve", bpy.data.curves.new("curve", "CURVE"))
    extension.scene.collection.objects.link(curve)
    choose(hidden, curve, body)
    hidden.hide_viewport = True
    before = world_points(hidden)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    assert "'curve' is not a mesh and was left out" in capfd.readouterr().out
    assert hidden.parent is None and not hidden.modifiers and curve.parent is None
    np.testing.assert_array_equal(world_points(hidden), before)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("gone", [False, True])
def test_a_rig_whose_meshes_are_hidden_or_gone_is_refused_in_words(extension, person, gone, parts):
    meshes = [*add_character(person), add_cube("hat", 0.2)][:parts]
    choose(*meshes)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped", bodies="ONE") == {"FINISHED"}
    choose(armature := extension.object)
    for o in meshes:
        o.hide_set(True)
        if gone:
            bpy.data.objects.remove(o)
    for button in (bpy.ops.object.geppetto_auto_rig, bpy.ops.geppetto.check, bpy.ops.geppetto.show_joints,
                   bpy.ops.geppetto.update_rig):
        with pytest.raises(RuntimeError, match="There is no mesh to rig" if gone else "is hidden and was left out"):
            button()
    assert armature.name in bpy.data.objects


@pytest.mark.long
@pytest.mark.parametrize(("aside", "is_told"), [(0.0, True), (3.0, False)])
def test_what_is_rigged_alone_on_a_rigged_character_is_told_how_it_follows(extension, person, aside, is_told):
    """Wherever the two are in the world."""
    body, = add_character(person)
    body.location = (50, -20, 30)
    extension.view_layer.update()
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    low, high = world_points(body).min(0), world_points(body).max(0)
    tuft = box((0.1, 0.04, 0.04)).mesh
    on_it = [(low[0] + high[0]) / 2 + aside, (low[1] + high[1]) / 2, high[2] - 0.05]
    hair = add_mesh("hair", tuft.vertices + on_it, tuft.faces)
    room = add_mesh("room", 40 * tuft.vertices + on_it, tuft.faces)
    assert (rigged_below([hair]) is not None) == is_told and rigged_below([room]) is rigged_below([body]) is None
    choose(hair)
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    told = [text for text in read_warnings(extension.object) if "Copy Weights to Selected" in text]
    assert [text.startswith(f"'hair' lies on '{body.name}'") for text in told] == [True] * is_told


MODES = ["EDIT", "SCULPT", "WEIGHT_PAINT", "VERTEX_PAINT", "POSE"]


@pytest.mark.sweep(2, long=True)
@pytest.mark.parametrize("mode", MODES)
def test_in_other_modes_the_buttons_work_and_modes_that_can_be_undone_in_are_entered_again(extension, person, mode):
    body, = add_character(person)
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    if mode != "POSE":
        choose(body)
    bpy.ops.object.mode_set(mode=mode)
    was = extension.mode, extension.object.name, digest()["selected"]
    for operator in bpy.ops.geppetto.check, bpy.ops.geppetto.show_joints:
        assert operator() == {"FINISHED"}
        assert (extension.mode, extension.object.name, digest()["selected"]) == was
    if mode == "POSE":
        assert bpy.ops.object.geppetto_move("EXEC_DEFAULT") == {"FINISHED"} and extension.mode == mode
    bpy.ops.geppetto.hide_joints()
    again = was[0] if mode in ("WEIGHT_PAINT", "POSE") else "OBJECT"
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    assert (extension.mode, extension.object.name, digest()["selected"]) == (again, *was[1:])
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"} and len(bpy.data.armatures) == 1
    assert extension.mode == ("POSE" if mode == "POSE" else "OBJECT") and extension.object.type == "ARMATURE"
    np.testing.assert_allclose(sum(group_weights(body).values()), 1.0, atol=1e-5)
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"} and bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    assert bpy.ops.geppetto.remove_rig() == {"FINISHED"} and extension.object == body


@pytest.mark.parametrize(("mode", "is_mesh", "after"), [
    ("EDIT", True, "OBJECT"), ("SCULPT", True, "OBJECT"), ("WEIGHT_PAINT", True, "PAINT_WEIGHT"),
    ("EDIT", False, "OBJECT"), ("POSE", False, "POSE")])
def test_a_motion_is_applied_from_any_mode(extension, person, mode, is_mesh, after):
    body, = add_character(person)
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    armature = extension.object
    choose(body if is_mesh else armature)
    bpy.ops.object.mode_set(mode=mode)
    assert bpy.ops.object.geppetto_move(motion="walk") == {"FINISHED"}
    assert extension.mode == after and extension.object == (body if is_mesh else armature)
    rest = [bone.matrix.copy() for bone in armature.pose.bones]
    extension.scene.frame_set(extension.scene.frame_start + 5)
    assert any(now.matrix != before for now, before in zip(armature.pose.bones, rest, strict=True))
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("mode", ["EDIT", "SCULPT", "WEIGHT_PAINT"])
@pytest.mark.parametrize("stopped", [False, True])
def test_what_fails_or_is_stopped_leaves_the_mode_as_it_was(extension, person, tmp_path, mode, stopped):
    body, = add_character(person)
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    choose(body)
    bpy.ops.object.mode_set(mode=mode)
    before = digest()
    if stopped:
        with object_mode_of_a_job(extension) as inside:
            assert inside == "OBJECT"
    else:
        (tmp_path / "bad.bvh").write_text("nothing")
        with pytest.raises(RuntimeError, match=r"bad\.bvh"):
            bpy.ops.object.geppetto_move_from_file(filepath=str(tmp_path / "bad.bvh"))
    assert extension.object == body and body.mode == mode and not difference(before, digest())
    bpy.ops.object.mode_set(mode="OBJECT")


@contextmanager
def object_mode_of_a_job(context):
    """The mode inside work that is stopped afterwards."""
    def steps():
        with object_mode(context):
            yield context.mode

    work = steps()
    yield next(work)
    work.close()


def dynamic_topology(body) -> None:
    bpy.ops.object.mode_set(mode="SCULPT")
    bpy.ops.sculpt.dynamic_topology_toggle()


def multires(body) -> None:
    body.modifiers.new("Multires", "MULTIRES")
    bpy.ops.object.multires_subdivide(modifier="Multires")
    bpy.ops.object.mode_set(mode="SCULPT")


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("sculpt", [dynamic_topology, multires])
def test_what_is_sculpted_in_its_own_topology_is_read_when_sculpting_is_left(extension, person, sculpt):
    body, = add_character(person)
    choose(body)
    sculpt(body)
    for name in "check", "show_joints":
        with pytest.raises(RuntimeError, match="Leave Sculpt mode first"):
            getattr(bpy.ops.geppetto, name)()
    with pytest.raises(RuntimeError, match="Leave Sculpt mode first"):
        bpy.ops.object.geppetto_auto_rig()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.geppetto.show_joints() == {"FINISHED"}
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    np.testing.assert_allclose(sum(group_weights(body).values()), 1.0, atol=1e-5)


def test_what_is_edited_but_not_left_counts(extension, person):
    import bmesh

    body, = add_character(person)
    choose(body)
    bpy.ops.object.mode_set(mode="EDIT")
    edited = bmesh.from_edit_mesh(body.data)
    for vertex in edited.verts:
        vertex.co.x += 5.0
    bmesh.update_edit_mesh(body.data)
    assert bpy.ops.geppetto.show_joints() == {"FINISHED"}
    from geppetto.addon.editing import joints
    assert joints.shown().places(extension)[1][:, 0].min() > 3.0 and extension.mode == "EDIT_MESH"
    bpy.ops.object.mode_set(mode="OBJECT")


def test_each_scene_shows_its_own_joints_and_settings(extension, person):
    from geppetto.addon.editing import joints

    body, = add_character(person)
    choose(body)
    bpy.ops.geppetto.show_joints()
    first, second = extension.scene, bpy.data.scenes.new("second")
    getattr(second, names.SETTINGS).preset = "quadruped"
    assert joints.shown_in(extension) is joints.shown() is not None
    with extension.temp_override(scene=second, view_layer=second.view_layers[0]):
        assert joints.shown_in(bpy.context) is None
    assert getattr(first, names.SETTINGS).preset == "auto"


@pytest.mark.long
def test_a_selection_of_many_rigs_is_found_in_one_look_through_the_file(extension, person, monkeypatch):
    body, = add_character(person)
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    rigs = {body.find_armature(): {body}}
    for _ in range(3):
        rig, mesh = next(iter(rigs)).copy(), body.copy()
        for o in rig, mesh:
            extension.scene.collection.objects.link(o)
        mesh.modifiers[-1].object = rig
        rigs[rig] = {mesh}
    extension.view_layer.update()
    for rig in rigs:
        rig.select_set(True)
    looks = []

    class Objects:
        """The file's, and how often they are looked through."""

        def __iter__(self):
            looks.append(True)
            return iter(bpy.data.objects)

    monkeypatch.setattr(rigged, "bpy", SimpleNamespace(data=SimpleNamespace(objects=Objects())))
    meshes, armatures = rigged.selected_character(extension)
    assert set(armatures) == set(rigs) and set(meshes) == set().union(*rigs.values()) and len(looks) == 1
    assert {rig: set(moved) for rig, moved in rigged.followers_of(rigs).items()} == rigs
